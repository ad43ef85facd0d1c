//! Plugins as WebAssembly components. They see what they are handed and nothing else: no files, no network, no environment,
//! no clock unless it is granted.
//!
//! One engine serves all components. It is told the time by a thread of ours, in ticks: a guest that is still running at its
//! deadline is ended, wherever it is.

mod cache;
mod encode;
mod guest;
#[cfg(test)]
mod tests;

pub(crate) use cache::{Cache, hexadecimal};
pub use encode::{NotAModule, World, encode};

use crate::form::{Asked, Form, Grants, Limits, Question, Trouble, beginning};
use crate::manifest::Role;
use crate::pool::seconds;
use crate::since_0_1::{Answer, Correction, Description, Document, Draft, Error, Guess, RootNode};
use guest::Guest;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use wasmtime::component::{Component, ComponentExportIndex, ComponentNamedList, Instance, InstancePre, Lift, Lower};
use wasmtime::{Config, Enabled, Engine, PoolingAllocationConfig, Store, Trap};

/// How often guests are told that time passes.
const TICK: Duration = Duration::from_millis(10);
/// Guests at the same time: more than there are threads, for those that are kept count, too.
const GUESTS: u32 = 2_000;
/// So many places stay as they are for the next guest of the same component,
const WARM: u32 = 16;
/// each with so many bytes of memory.
const RESIDENT: usize = 4 << 20;
/// Stack of a guest, in bytes.
const STACK: usize = 1 << 20;

/// The engine for all components, and where their compiled forms are kept.
pub(crate) struct Runtime {
    engine: Engine,
    cache: Option<Cache>,
}

impl Runtime {
    /// An engine that keeps compiled components there, if anywhere.
    ///
    /// # Errors
    /// When this machine is none that code can be compiled for.
    pub(crate) fn new(cache: Option<Cache>) -> Result<Self, String> {
        let mut config = Config::new();
        config.epoch_interruption(true).max_wasm_stack(STACK).wasm_component_model(true);
        let mut in_places = config.clone();
        in_places.allocation_strategy(places());
        // Where so much of the address space is not to be had, every guest gets its memory from the system.
        let engine = Engine::new(&in_places).or_else(|_| Engine::new(&config));
        let engine = engine.map_err(|error| format!("there is no engine for components: {error}"))?;
        let clock = engine.weak();
        // Ends with the engine.
        thread::spawn(move || {
            while let Some(engine) = clock.upgrade() {
                engine.increment_epoch();
                drop(engine);
                thread::sleep(TICK);
            }
        });
        Ok(Self { engine, cache })
    }

    /// A component and its digest, compiled now or before.
    fn component(&self, bytes: &[u8], digest: &str) -> Result<Component, String> {
        match bytes.get(..8) {
            Some(b"\0asm\x0d\0\x01\0") => {}
            Some(b"\0asm\x01\0\0\0") => {
                return Err(
                    "it is a core module, not a component: `gatherer plugin component FILE -o FILE` makes one of it"
                        .to_owned(),
                );
            }
            _ => return Err("it is no WebAssembly component: build it with the build.sh of its folder".to_owned()),
        }
        let compile =
            || Component::from_binary(&self.engine, bytes).map_err(|error| format!("it cannot be compiled: {error:#}"));
        match &self.cache {
            Some(cache) => cache.get(&self.engine, digest, compile),
            None => compile(),
        }
    }
}

/// Places for guests, mapped once and cleaned between two of them, so that a new one for every document costs little.
fn places() -> PoolingAllocationConfig {
    let mut places = PoolingAllocationConfig::new();
    // A guest with WASI has a few modules, each with a table, and one memory.
    places
        .total_component_instances(GUESTS)
        .total_memories(GUESTS)
        .total_core_instances(4 * GUESTS)
        .total_tables(4 * GUESTS);
    places
        .max_memories_per_module(guest::PARTS)
        .max_tables_per_module(guest::PARTS)
        .table_elements(guest::TABLE_ELEMENTS);
    // Guests run on the stack of whoever calls them.
    places
        .total_stacks(0)
        .max_unused_warm_slots(WARM)
        .linear_memory_keep_resident(RESIDENT)
        .table_keep_resident(RESIDENT)
        .pagemap_scan(Enabled::Auto);
    places
}

/// Whether instances are kept from one document to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Instances {
    /// A new one for every document: nothing is carried over.
    #[default]
    PerDocument,
    /// Kept, where starting takes long.
    Pooled,
}

/// A component that was found to be a plugin of its role.
pub(crate) struct Wasm {
    pre: InstancePre<Guest>,
    describe: ComponentExportIndex,
    function: ComponentExportIndex,
    needs_wasi: bool,
    grants: Grants,
    limits: Limits,
    instances: Instances,
    idle: Mutex<Vec<Live>>,
    peak: AtomicU64,
}

/// An instance that has started.
struct Live {
    store: Store<Guest>,
    instance: Instance,
    documents: u64,
    bytes: u64,
}

impl Wasm {
    /// A plugin from the bytes of a component.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    pub(crate) fn load(
        runtime: &Runtime,
        (bytes, digest): (&[u8], &str),
        role: Role,
        grants: Grants,
        limits: Limits,
        instances: Instances,
    ) -> Result<Self, String> {
        let component = runtime.component(bytes, digest)?;
        let needs_wasi = guest::judge_imports(&runtime.engine, &component)?;
        let (describe, function) = exports(&runtime.engine, &component, role)?;
        let linker = guest::linker(&runtime.engine, needs_wasi).map_err(|error| format!("{error:#}"))?;
        let pre = linker.instantiate_pre(&component);
        let pre = pre.map_err(|error| format!("it does not fit the contract: {error:#}"))?;
        Ok(Self {
            pre,
            describe,
            function,
            needs_wasi,
            grants,
            limits,
            instances,
            idle: Mutex::new(Vec::new()),
            peak: AtomicU64::new(0),
        })
    }

    fn live(&self, guest: Guest) -> Result<Live, Trouble> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut live) = idle {
            live.store.data_mut().take_over(guest);
            self.wind_up(&mut live.store);
            return Ok(live);
        }
        let mut store = Store::new(self.pre.engine(), guest);
        store.limiter(|guest| guest);
        // What comes out of a guest is copied; so much of it and no more.
        store.set_hostcall_fuel(self.limits.output.saturating_mul(2).saturating_add(1 << 20));
        self.wind_up(&mut store);
        match self.pre.instantiate(&mut store) {
            Ok(instance) => Ok(Live { store, instance, documents: 0, bytes: 0 }),
            Err(error) => Err(self.trouble(&error, store.data())),
        }
    }

    fn wind_up(&self, store: &mut Store<Guest>) {
        let ticks = self.limits.deadline.as_millis().div_ceil(TICK.as_millis()).max(1);
        store.set_epoch_deadline(u64::try_from(ticks).unwrap_or(u64::MAX / 2));
    }

    fn call<Given, Taken>(
        &self,
        live: &mut Live,
        function: &ComponentExportIndex,
        given: Given,
    ) -> Result<Taken, Trouble>
    where
        Given: ComponentNamedList + Lower,
        Taken: Send + Sync + 'static,
        (Taken,): ComponentNamedList + Lift + Send + Sync,
    {
        let called = live.instance.get_typed_func::<Given, (Taken,)>(&mut live.store, function);
        let called = called.and_then(|function| function.call(&mut live.store, given));
        called.map(|(taken,)| taken).map_err(|error| self.trouble(&error, live.store.data()))
    }

    /// Keeps an instance for the next document, if that is wanted and it has not done its share.
    fn put_back(&self, mut live: Live, bytes: usize) {
        self.peak.fetch_max(live.store.data().memory_taken(), Relaxed);
        live.documents += 1;
        live.bytes += bytes as u64;
        let is_worn = live.documents >= self.limits.documents
            || live.bytes >= self.limits.bytes
            || live.store.data().is_talked_out();
        if self.instances == Instances::Pooled && !is_worn {
            live.store.data_mut().rest();
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(live);
        }
    }

    /// Why a guest gave no answer, in words that go behind its name.
    fn trouble(&self, error: &wasmtime::Error, guest: &Guest) -> Trouble {
        let what = match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => {
                format!("it did not answer within {} and was ended", seconds(self.limits.deadline))
            }
            Some(_) if guest.was_denied_memory() => {
                format!("it wanted more than its {} MiB of memory, and trapped", self.limits.memory >> 20)
            }
            Some(Trap::StackOverflow) => "its stack overflowed".to_owned(),
            Some(trap) => format!("it trapped: {trap}"),
            None if guest.was_denied_memory() => {
                format!("it wants more than its {} MiB of memory", self.limits.memory >> 20)
            }
            None => format!("its answer cannot be taken: {error:#}"),
        };
        Trouble::Failed(format!("{what}{}", guest.last_words()))
    }
}

impl Form for Wasm {
    fn describe(&self) -> Result<Option<Description>, Trouble> {
        let mut live = self.live(Guest::idle(self.grants, &self.limits, self.needs_wasi))?;
        let description = self.call::<(), Description>(&mut live, &self.describe, ())?;
        self.put_back(live, 0);
        Ok(Some(description))
    }

    fn ask(&self, asked: &Asked<'_>) -> Result<Answer, Trouble> {
        let guest = Guest::new(asked, self.grants, &self.limits, self.needs_wasi);
        let mut live = self.live(guest)?;
        let (content, live_one, function) = (beginning(asked.body), &mut live, &self.function);
        let answer = match asked.question {
            Question::Summarize(document) => self
                .call::<(&Document, &[u8]), Result<Draft, Error>>(live_one, function, (document, content))?
                .map(Answer::Draft),
            Question::Recognize(document) => self
                .call::<(&Document, &[u8]), Result<Vec<Guess>, Error>>(live_one, function, (document, content))?
                .map(Answer::Guesses),
            Question::Enumerate(root) => {
                self.call::<(&RootNode,), Result<Vec<String>, Error>>(live_one, function, (root,))?.map(Answer::Urls)
            }
            Question::Correct(document, attributes) => self
                .call::<(&Document, &[crate::since_0_1::Attribute]), Result<Correction, Error>>(
                    live_one,
                    function,
                    (document, attributes),
                )?
                .map(Answer::Correction),
        };
        self.put_back(live, asked.body.len());
        Ok(answer?)
    }

    fn about(&self) -> String {
        match self.instances {
            Instances::PerDocument => "as a component, a new instance for every document".to_owned(),
            Instances::Pooled => "as a component, its instances kept".to_owned(),
        }
    }

    fn peak(&self) -> Option<u64> {
        Some(self.peak.load(Relaxed))
    }
}

/// The two functions that a component of this role exports.
fn exports(
    engine: &Engine,
    component: &Component,
    role: Role,
) -> Result<(ComponentExportIndex, ComponentExportIndex), String> {
    let find = |interface: &str, function: &str| {
        let instance = component.get_export_index(None, format!("gatherer:plugin/{interface}@0.1.0"));
        instance.and_then(|instance| component.get_export_index(Some(&instance), function))
    };
    let describe = find("plugin", "describe").ok_or_else(|| guest::stranger(engine, component, "plugin"))?;
    let function = find(role.interface(), role.function());
    let function = function.ok_or_else(|| guest::stranger(engine, component, role.interface()))?;
    Ok((describe, function))
}
