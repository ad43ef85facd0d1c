//! Parsers are started as other programs are: kept from what they need not touch.

use gatherer_abstracts::client::{Launch, Running, Start};
use gatherer_plugin::{Piped, Sandbox};
use gatherer_settings::Settings;
use std::io::{self, Read};

/// What programs that the config names are kept from.
pub(crate) fn sandbox(settings: &Settings, network: bool) -> Sandbox {
    match (settings.plugging.sandbox, network) {
        (false, _) => Sandbox::Off,
        (true, true) => Sandbox::WithNetwork,
        (true, false) => Sandbox::On,
    }
}

/// What programs and workers are kept from, by this config and on this kernel, in a line.
pub fn sandbox_in_force(settings: &Settings) -> String {
    if settings.plugging.sandbox {
        return gatherer_plugin::in_force();
    }
    "switched off by `[plugins] sandbox`: programs and workers have bounded memory and time, no more".to_owned()
}

/// Starts parsers in a sandbox, with bounded memory.
pub(crate) struct Kept {
    pub(crate) sandbox: Sandbox,
    pub(crate) memory: u64,
}

impl Start for Kept {
    fn start(&self, launch: &Launch) -> io::Result<Running> {
        let Launch { program, arguments, environment } = launch;
        let Piped { mut child, scratch } = Piped::start(program, arguments, environment, self.memory, self.sandbox)?;
        let ends = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = ends else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let errors = Beside { errors, _scratch: scratch };
        Ok(Running::new(child, Box::new(input), Box::new(output), Box::new(errors)))
    }
}

/// What it says on standard error is heard to its end, so the directory is there for as long.
struct Beside<E, S> {
    errors: E,
    _scratch: S,
}

impl<E: Read, S> Read for Beside<E, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.errors.read(buffer)
    }
}
