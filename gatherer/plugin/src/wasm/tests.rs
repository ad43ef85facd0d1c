//! Components written as text: they need no compiler of another language, and can be as bad as one likes.

use super::*;
use crate::form::Talk;
use crate::since_0_1::Document;
use std::sync::Arc;

/// A guest whose `summarize` is this; it has a megabyte of memory and may ask for more.
fn module(summarize: &str) -> Vec<u8> {
    let text = format!(
        r#"(module
            (memory (export "memory") 16)
            (global $free (mut i32) (i32.const 65536))
            (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                (local $at i32)
                (local.set $at (global.get $free))
                (global.set $free (i32.and (i32.add (i32.add (local.get $at) (local.get 3)) (i32.const 15)) (i32.const -16)))
                (local.get $at))
            (data (i32.const 0) "\40\00\00\00\04\00\00\00\48\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
            (data (i32.const 64) "test....1.0.0")
            (data (i32.const 128) "\01\00\00\00\00\00\00\00\c0\00\00\00\02\00\00\00")
            (data (i32.const 192) "no")
            (func (export "gatherer:plugin/plugin@0.1.0#describe") (result i32) (i32.const 0))
            (func $summarize (export "gatherer:plugin/summarizer@0.1.0#summarize") (param i32) (result i32) {summarize}))"#
    );
    wat::parse_str(text).expect("a module")
}

const REFUSES: &str = "(i32.const 128)";

fn limits() -> Limits {
    Limits { deadline: Duration::from_millis(300), memory: 4 << 20, output: 1 << 20, ..Limits::USUAL }
}

fn load(runtime: &Runtime, component: &[u8], instances: Instances) -> Result<Wasm, String> {
    Wasm::load(runtime, (component, "digest"), Role::Summarizer, Grants::default(), limits(), instances)
}

fn component(summarize: &str) -> Vec<u8> {
    encode(&module(summarize), World(Role::Summarizer)).expect("a component")
}

fn ask(plugin: &Wasm) -> Trouble {
    let document = Document { url: "http://example.org/".to_owned(), kind: "Text".to_owned(), ..Document::default() };
    let talk = Talk::new(&Arc::from("test"), &document.url);
    plugin.ask(&Asked { question: Question::Summarize(&document), body: b"corn", talk }).expect_err("no draft")
}

fn fails(summarize: &str, expected: &str) {
    let runtime = Runtime::new(None).expect("an engine");
    let plugin = load(&runtime, &component(summarize), Instances::PerDocument).expect("a plugin");
    let Trouble::Failed(why) = ask(&plugin) else { panic!("a refusal") };
    assert!(why.contains(expected), "{expected:?} in {why:?}");
    // The next document finds a new instance.
    assert_eq!(ask(&plugin), Trouble::Failed(why));
}

#[test]
fn a_component_describes_itself_and_answers() {
    let runtime = Runtime::new(None).expect("an engine");
    for instances in [Instances::PerDocument, Instances::Pooled] {
        let plugin = load(&runtime, &component(REFUSES), instances).expect("a plugin");
        let description = plugin.describe().expect("a word").expect("a description");
        assert_eq!((description.name.as_str(), description.version.as_str()), ("test", "1.0.0"));
        for _ in 0..3 {
            assert_eq!(ask(&plugin), Trouble::Refused("no".to_owned()));
        }
    }
}

#[test]
fn a_guest_that_spins_is_ended() {
    fails("(loop $on (br $on)) (unreachable)", "it did not answer within 300 ms and was ended");
}

/// A guest that waits for a clock is not ended by its deadline, so it must not get the library's clock.
#[test]
fn nobody_can_wait_for_the_clock() {
    let runtime = Runtime::new(None).expect("an engine");
    assert!(guest::clock_is_shadowed(&runtime.engine), "the library's clock has another name by now: change CLOCK");
}

#[test]
fn a_guest_that_traps_says_how() {
    fails("(unreachable)", "it trapped: wasm trap: wasm `unreachable` instruction executed");
    fails("(drop (i32.load (i32.const -4))) (i32.const 128)", "out of bounds memory access");
    fails("(call $summarize (local.get 0))", "its stack overflowed");
}

#[test]
fn memory_has_an_end() {
    fails(
        "(if (i32.eq (memory.grow (i32.const 1000)) (i32.const -1)) (then (unreachable))) (i32.const 128)",
        "it wanted more than its 4 MiB of memory, and trapped",
    );
}

#[test]
fn an_answer_that_cannot_be_true_is_not_taken() {
    // A result that lies outside of memory, and one whose variant does not exist.
    fails("(i32.const -16)", "its answer cannot be taken");
    fails("(i32.const 192)", "its answer cannot be taken");
}

#[test]
fn what_is_no_plugin_is_told_in_a_sentence() {
    let runtime = Runtime::new(None).expect("an engine");
    let problem = |bytes: &[u8]| load(&runtime, bytes, Instances::PerDocument).err().expect("a problem");
    let other = |text: &str| wat::parse_str(text).expect("a component");
    assert!(problem(b"#!/bin/sh").contains("it is no WebAssembly component"));
    assert!(problem(&module(REFUSES)).contains("`gatherer plugin component FILE -o FILE` makes one of it"));
    assert!(problem(&other("(component)")).contains("does not export gatherer:plugin/plugin@0.1.0"));
    let reaches_out = r#"(component (import "evil:net/socket@1.0.0" (instance)))"#;
    assert_eq!(problem(&other(reaches_out)), "it imports evil:net/socket@1.0.0, which no plugin gets");
    let newer = r#"(component (instance $i) (export "gatherer:plugin/plugin@0.9.0" (instance $i)))"#;
    assert_eq!(problem(&other(newer)), "it was built for gatherer:plugin@0.9.0; this gatherer knows 0.1.0");
    let wrong_role = Wasm::load(
        &runtime,
        (&component(REFUSES), "digest"),
        Role::Recognizer,
        Grants::default(),
        limits(),
        Instances::PerDocument,
    );
    let wrong_role = wrong_role.err().expect("a problem");
    assert_eq!(wrong_role, "it exports the interface summarizer, and its plugin.toml says that it is a recognizer");
}

/// Built once with the first release of the contract, and never again: what ran then has to run now.
#[test]
fn a_component_of_the_first_version_still_runs() {
    let runtime = Runtime::new(None).expect("an engine");
    let plugin = load(&runtime, include_bytes!("fixtures/since-0.1.wasm"), Instances::PerDocument).expect("a plugin");
    assert_eq!(ask(&plugin), Trouble::Refused("no".to_owned()));
}

#[test]
fn compiled_components_are_kept_and_checked() {
    let directory = tempfile::tempdir().expect("a directory");
    let place = directory.path().join("cache");
    let bytes = component(REFUSES);
    let files = || -> Vec<_> {
        let entries = std::fs::read_dir(&place).expect("a cache");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let load_again = || {
        let runtime = Runtime::new(Some(Cache::open(&place).expect("a cache"))).expect("an engine");
        ask(&load(&runtime, &bytes, Instances::PerDocument).expect("a plugin"))
    };
    // Two at once, as two processes would.
    std::thread::scope(|scope| {
        let both = [scope.spawn(load_again), scope.spawn(load_again)];
        for one in both {
            assert_eq!(one.join().expect("an answer"), Trouble::Refused("no".to_owned()));
        }
    });
    let files = files();
    let [file] = &files[..] else { panic!("one file in {files:?}") };
    let good = std::fs::read(file).expect("the compiled form");
    let mut damaged = good.clone();
    *damaged.last_mut().expect("bytes") ^= 1;
    std::fs::write(file, &damaged).expect("written");
    assert_eq!(load_again(), Trouble::Refused("no".to_owned()));
    assert_eq!(std::fs::read(file).expect("written anew"), good);
}

#[test]
fn a_cache_that_others_can_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o777)).expect("permissions");
    let problem = Cache::open(directory.path()).expect_err("a complaint");
    assert!(problem.contains("others can write to"), "{problem}");
}
