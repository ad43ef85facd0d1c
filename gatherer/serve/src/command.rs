//! One line of a broker -> one command. The grammar stands in `schemas/broker-protocol.md`.

use gatherer_pipeline::UnixTime;
use url::Url;

/// What a broker can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    Hello,
    Help,
    Info,
    SendObject(Url),
    SendUpdate(UnixTime),
    SetCompression,
    SetDeletions,
    Quit,
}

/// A line that is no command: reply code and sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) code: u16,
    pub(crate) text: String,
}

pub(crate) const UNKNOWN: u16 = 901;
pub(crate) const BAD_ARGUMENT: u16 = 902;

impl Command {
    /// What `HELP` prints.
    pub(crate) const HELP: [&'static str; 8] = [
        "HELLO <hostname>          greeting",
        "HELP                      this list",
        "INFO                      description of this gatherer",
        "SEND-OBJECT <url>         one object",
        "SEND-UPDATE <unix time>   all objects changed since then; 0 sends everything",
        "SET compression           later updates are sent as one gzip member",
        "SET deletions             later updates list deleted and refreshed objects in @DELETE and @REFRESH",
        "QUIT                      end of session",
    ];

    /// Reads a line. Words in any case, blanks as many as wanted.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, Mistake> {
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap_or_default().to_ascii_uppercase();
        let argument = words.next().unwrap_or_default();
        match verb.as_str() {
            "HELLO" => Ok(Self::Hello),
            "HELP" => Ok(Self::Help),
            "INFO" => Ok(Self::Info),
            "SEND-OBJECT" => {
                let bad = |error| bad(format!("{argument:?} is no URL ({error})"));
                Url::parse(argument).map(Self::SendObject).map_err(bad)
            }
            "SEND-UPDATE" => {
                let bad = |_| bad(format!("{argument:?} is no Unix time; 0 sends everything"));
                argument.parse().map(|time| Self::SendUpdate(UnixTime(time))).map_err(bad)
            }
            "SET" if argument.eq_ignore_ascii_case("compression") => Ok(Self::SetCompression),
            "SET" if argument.eq_ignore_ascii_case("deletions") => Ok(Self::SetDeletions),
            "SET" => Err(bad(format!("{argument:?} cannot be set; compression and deletions can"))),
            "QUIT" => Ok(Self::Quit),
            _ => Err(Mistake { code: UNKNOWN, text: format!("unknown command {verb:?}; HELP lists them all") }),
        }
    }
}

fn bad(text: String) -> Mistake {
    Mistake { code: BAD_ARGUMENT, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Result<Command, u16>) {
        let found = Command::parse(line.as_bytes()).map_err(|mistake| mistake.code);
        assert_eq!(found, expected, "{line:?}");
    }

    #[test]
    fn lines_are_read_generously() {
        check("HELLO client.host.name", Ok(Command::Hello));
        check("hello", Ok(Command::Hello));
        check("  Send-Update   784000000\r", Ok(Command::SendUpdate(UnixTime(784_000_000))));
        check("SEND-UPDATE 0", Ok(Command::SendUpdate(UnixTime(0))));
        check("set COMPRESSION", Ok(Command::SetCompression));
        check("SET deletions", Ok(Command::SetDeletions));
        check("QUIT now", Ok(Command::Quit));
    }

    #[test]
    fn mistakes_are_named() {
        check("", Err(UNKNOWN));
        check("GET / HTTP/1.1", Err(UNKNOWN));
        check("SEND-UPDATE", Err(BAD_ARGUMENT));
        check("SEND-UPDATE yesterday", Err(BAD_ARGUMENT));
        check("SEND-UPDATE -1", Err(BAD_ARGUMENT));
        check("SEND-UPDATE 99999999999999999999999", Err(BAD_ARGUMENT));
        check("SEND-OBJECT here", Err(BAD_ARGUMENT));
        check("SET colour", Err(BAD_ARGUMENT));
        assert!(Command::parse(&[0xff, 0xfe, 0]).is_err());
    }
}
