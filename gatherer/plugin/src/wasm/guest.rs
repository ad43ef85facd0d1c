//! What a component finds around it: the functions it was granted, and a WASI with nothing behind it.

use crate::form::{Asked, Grants, Limits, Talk, left, part};
use crate::since_0_1::Level;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Engine, ResourceLimiter, StoreContextMut};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::random::Deterministic;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

/// So much may a guest write to its standard output and error.
const OUTPUT: usize = 1 << 20;
/// Elements of a table: functions that a guest can call by number.
pub(super) const TABLE_ELEMENTS: usize = 100_000;
/// Instances, tables and memories of one guest: components of interpreters have a few of each.
pub(super) const PARTS: u32 = 100;
/// The version of WASI that the library links; older ones of the same series are served by it.
const CLOCK: &str = "wasi:clocks/monotonic-clock@0.2.12";

/// The state of one guest.
pub(super) struct Guest {
    body: Arc<[u8]>,
    end: Instant,
    talk: Option<Talk>,
    grants: Grants,
    memory: usize,
    taken: usize,
    denied_memory: bool,
    said: String,
    written_before: usize,
    wasi: Option<Wasi>,
}

struct Wasi {
    context: WasiCtx,
    table: ResourceTable,
    /// Standard output and error.
    said: MemoryOutputPipe,
}

impl Guest {
    /// A guest for one question.
    pub(super) fn new(asked: &Asked<'_>, grants: Grants, limits: &Limits, needs_wasi: bool) -> Self {
        let body = if grants.body { asked.body.into() } else { Arc::default() };
        Self { body, talk: Some(asked.talk.clone()), ..Self::idle(grants, limits, needs_wasi) }
    }

    /// A guest that is asked about no document.
    pub(super) fn idle(grants: Grants, limits: &Limits, needs_wasi: bool) -> Self {
        Self {
            body: Arc::default(),
            end: Instant::now() + limits.deadline,
            talk: None,
            grants,
            memory: usize::try_from(limits.memory).unwrap_or(usize::MAX),
            taken: 0,
            denied_memory: false,
            said: String::new(),
            written_before: 0,
            wasi: needs_wasi.then(|| Wasi::new(grants)),
        }
    }

    /// Takes over the question of another; what the instance has opened stays its own.
    pub(super) fn take_over(&mut self, other: Self) {
        let (wasi, taken) = (self.wasi.take(), self.taken);
        let written_before = wasi.as_ref().map_or(0, |wasi| wasi.said.contents().len());
        *self = Self { taken, written_before, wasi, ..other };
    }

    /// Whether it can write on for another document: what it has written stays.
    pub(super) fn is_talked_out(&self) -> bool {
        self.wasi.as_ref().is_some_and(|wasi| wasi.said.contents().len() > OUTPUT / 2)
    }

    /// Forgets the last question.
    pub(super) fn rest(&mut self) {
        (self.body, self.talk) = (Arc::default(), None);
    }

    /// Bytes of all its memories.
    pub(super) fn memory_taken(&self) -> u64 {
        self.taken as u64
    }

    pub(super) fn was_denied_memory(&self) -> bool {
        self.denied_memory
    }

    /// The last line that it wrote or logged, behind a colon.
    pub(super) fn last_words(&self) -> String {
        let written = self.wasi.as_ref().map(|wasi| wasi.said.contents()).unwrap_or_default();
        // What it wrote about documents before this one is not about this one.
        match crate::process::last_words(&written[self.written_before.min(written.len())..]) {
            nothing if nothing.is_empty() => crate::process::last_words(self.said.as_bytes()),
            words => words,
        }
    }
}

impl Wasi {
    fn new(grants: Grants) -> Self {
        let said = MemoryOutputPipe::new(OUTPUT);
        let mut builder = WasiCtxBuilder::new();
        builder.stdout(said.clone()).stderr(said.clone());
        // The same bytes give the same draft, so chance is always the same.
        builder.secure_random(Deterministic::new((0..=255).collect()));
        builder.insecure_random(Deterministic::new((0..=255).collect()));
        builder.insecure_random_seed(0);
        builder.allow_tcp(false).allow_udp(false).allow_ip_name_lookup(false);
        if !grants.clock {
            builder.wall_clock(Frozen).monotonic_clock(Frozen);
        }
        Self { context: builder.build(), table: ResourceTable::new(), said }
    }
}

/// A clock that stands still.
struct Frozen;

impl HostWallClock for Frozen {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl HostMonotonicClock for Frozen {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let wasi = self.wasi.get_or_insert_with(|| Wasi::new(self.grants));
        WasiCtxView { ctx: &mut wasi.context, table: &mut wasi.table }
    }
}

/// Memory and tables grow as far as the limits go, and not further.
impl ResourceLimiter for Guest {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        // It may have several memories; the limit is for all of them.
        let taken = self.taken + desired.saturating_sub(current);
        if taken > self.memory {
            self.denied_memory = true;
            return Ok(false);
        }
        self.taken = taken;
        Ok(true)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(desired <= TABLE_ELEMENTS)
    }

    fn instances(&self) -> usize {
        PARTS as usize
    }

    fn tables(&self) -> usize {
        PARTS as usize
    }

    fn memories(&self) -> usize {
        PARTS as usize
    }
}

/// All that a guest may be linked to. What was not granted is there and does nothing: many compilers import all of a world.
pub(super) fn linker(engine: &Engine, needs_wasi: bool) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    linker.instance("gatherer:plugin/log@0.1.0")?.func_wrap(
        "write",
        |mut store: StoreContextMut<'_, Guest>, (level, text): (Level, String)| {
            let guest = store.data_mut();
            if let Some(talk) = guest.talk.as_ref().filter(|_| guest.grants.log) {
                talk.say(level, &text);
            }
            guest.said = text;
            Ok(())
        },
    )?;
    linker.instance("gatherer:plugin/body@0.1.0")?.func_wrap(
        "read",
        |store: StoreContextMut<'_, Guest>, (offset, length): (u64, u32)| {
            Ok((part(&store.data().body, offset, u64::from(length)).to_vec(),))
        },
    )?;
    linker.instance("gatherer:plugin/deadline@0.1.0")?.func_wrap("left", |store: StoreContextMut<'_, Guest>, ()| {
        let guest = store.data();
        Ok((if guest.grants.deadline { left(guest.end) } else { 0 },))
    })?;
    if needs_wasi {
        wasmtime_wasi::p2::add_to_linker_sync(&mut linker)?;
        // Whoever waits for the clock would not be ended by it.
        linker.allow_shadowing(true);
        let mut clock = linker.instance(CLOCK)?;
        for function in ["subscribe-instant", "subscribe-duration"] {
            clock.func_new(function, |_, _, _, _| Err(wasmtime::Error::msg("a plugin cannot wait")))?;
        }
    }
    Ok(linker)
}

#[cfg(test)]
pub(super) fn clock_is_shadowed(engine: &Engine) -> bool {
    let mut linker = Linker::<Guest>::new(engine);
    let linked = wasmtime_wasi::p2::add_to_linker_sync(&mut linker);
    let mut again = |function| {
        let mut clock = linker.instance(CLOCK)?;
        clock.func_new(function, |_, _, _, _| Ok(()))
    };
    // Defined before under this very name: a second time is an error unless it may be shadowed.
    linked.is_ok() && again("subscribe-instant").is_err() && again("subscribe-duration").is_err()
}

/// Whether a component wants anything that it does not get; and whether it wants WASI.
pub(super) fn judge_imports(engine: &Engine, component: &Component) -> Result<bool, String> {
    let mut needs_wasi = false;
    for (name, _) in component.component_type().imports(engine) {
        if name.starts_with("wasi:") {
            needs_wasi = true;
            continue;
        }
        let Some((_, version)) = own(name) else {
            return Err(format!("it imports {name}, which no plugin gets"));
        };
        if version != "0.1.0" {
            return Err(format!(
                "it imports {name}; this gatherer knows version 0.1.0: build it with the WIT of this release"
            ));
        }
    }
    Ok(needs_wasi)
}

/// What a component is instead of what was looked for.
pub(super) fn stranger(engine: &Engine, component: &Component, wanted: &str) -> String {
    let exported: Vec<_> = component.component_type().exports(engine).map(|(name, _)| name.to_owned()).collect();
    let ours: Vec<_> = exported.iter().filter_map(|name| own(name)).collect();
    if let Some((_, version)) = ours.iter().find(|(_, version)| *version != "0.1.0") {
        return format!("it was built for gatherer:plugin@{version}; this gatherer knows 0.1.0");
    }
    let others = ours.iter().map(|(interface, _)| *interface).filter(|interface| *interface != "plugin");
    let others: Vec<_> = others.collect();
    match others.first() {
        Some(role) if wanted != "plugin" => {
            format!("it exports the interface {role}, and its plugin.toml says that it is a {wanted}")
        }
        _ => format!("it is a component of another world: it does not export gatherer:plugin/{wanted}@0.1.0"),
    }
}

/// Interface and version of a name of ours.
fn own(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("gatherer:plugin/")?.split_once('@')
}
