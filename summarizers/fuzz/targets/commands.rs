//! One line of a broker on the daemon port.

#[path = "../../../gatherer/serve/src/harvest/command.rs"]
#[allow(dead_code, reason = "only reading is tried here")]
mod command;

pub(crate) fn run(line: &[u8]) {
    if let Err(mistake) = command::Command::parse(line) {
        // It goes into a reply of one line.
        assert!(!mistake.text.contains(char::is_control), "{:?}", mistake.text);
    }
}
