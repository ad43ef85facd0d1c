//! Makes a component of a core module, so that an author needs nothing but a compiler.

use thiserror::Error;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// The contract, as it is embedded into modules that do not carry it.
const WIT: &str = include_str!("../../../../schemas/summarizer/since-0.1/plugin.wit");

/// The world that a module is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct World(pub crate::manifest::Role);

/// Why there is no component.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct NotAModule(String);

/// A component from a core module. One that carries a world already (as `wit-bindgen` writes it) keeps it, else it gets
/// this one.
///
/// # Errors
/// What is wrong with the module.
pub fn encode(module: &[u8], world: World) -> Result<Vec<u8>, NotAModule> {
    let wrong = |what: &str, error: &dyn std::fmt::Display| NotAModule(format!("{what}: {error:#}"));
    match module.get(..8) {
        Some(b"\0asm\x01\0\0\0") => {}
        Some(b"\0asm\x0d\0\x01\0") => return Err(NotAModule("it is a component already".to_owned())),
        _ => return Err(NotAModule("it is no WebAssembly module".to_owned())),
    }
    let mut module = module.to_vec();
    if !carries_world(&module) {
        let mut resolve = Resolve::default();
        let package =
            resolve.push_str("plugin.wit", WIT).map_err(|error| wrong("the contract cannot be read", &error))?;
        let name = format!("{}-plugin", world.0.interface());
        let world =
            resolve.select_world(&[package], Some(&name)).map_err(|error| wrong("there is no such world", &error))?;
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)
            .map_err(|error| wrong("the contract cannot be embedded", &error))?;
    }
    let adapter = wasi_preview1_component_adapter_provider::WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER;
    let encoder = ComponentEncoder::default().validate(true).module(&module);
    let encoder = encoder.and_then(|encoder| encoder.adapter("wasi_snapshot_preview1", adapter));
    encoder.and_then(|mut encoder| encoder.encode()).map_err(|error| wrong("it cannot be made a component", &error))
}

/// Whether a custom section of the module names its world.
fn carries_world(module: &[u8]) -> bool {
    module.windows(14).any(|window| window == b"component-type")
}
