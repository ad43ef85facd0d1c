//! One line of a broker -> one command. The grammar stands in `schemas/broker-protocol.md`.

use gatherer_pipeline::UnixTime;
use url::{Host, Url};

/// What a broker can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    Hello,
    Help,
    Info,
    SendObject(Url),
    SendUpdate(UnixTime),
    SendChanges(String),
    Set(Wish),
    Quit,
}

/// What a broker can switch on for the rest of its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    Compression,
    Deletions,
    Kinds(Vec<String>),
    Root(String),
    Site(Host),
    Attributes(Vec<String>),
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
    pub(crate) const HELP: [&'static str; 13] = [
        "HELLO <hostname>          greeting",
        "HELP                      this list",
        "INFO                      description of this gatherer",
        "SEND-OBJECT <url>         one object",
        "SEND-UPDATE <unix time>   all objects changed since then; 0 sends everything",
        "SEND-CHANGES <cursor>     all changes behind the cursor that the last answer gave; 0 begins at the start",
        "SET compression           later transfers are sent as one gzip member",
        "SET deletions             later updates list deleted and refreshed objects in @DELETE and @REFRESH",
        "SET kinds <a,b>           later transfers hold objects of these kinds only",
        "SET root <name>           later transfers hold objects of this root node only",
        "SET site <host>           later transfers hold objects of this host, and of those below it, only",
        "SET attributes <a,b>      later transfers hold these attributes only",
        "QUIT                      end of session",
    ];

    /// Its name, for counters.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Hello => "HELLO",
            Self::Help => "HELP",
            Self::Info => "INFO",
            Self::SendObject(_) => "SEND-OBJECT",
            Self::SendUpdate(_) => "SEND-UPDATE",
            Self::SendChanges(_) => "SEND-CHANGES",
            Self::Set(_) => "SET",
            Self::Quit => "QUIT",
        }
    }

    /// Reads a line. Words in any case, blanks as many as wanted.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, Mistake> {
        let line = String::from_utf8_lossy(line);
        let (verb, rest) = split_word(&line);
        let (argument, more) = split_word(rest);
        match verb.to_ascii_uppercase().as_str() {
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
            "SEND-CHANGES" => Ok(Self::SendChanges(argument.to_owned())),
            "SET" => Wish::parse(argument, more).map(Self::Set),
            "QUIT" => Ok(Self::Quit),
            verb => Err(Mistake { code: UNKNOWN, text: format!("unknown command {verb:?}; HELP lists them all") }),
        }
    }
}

impl Wish {
    fn parse(name: &str, value: &str) -> Result<Self, Mistake> {
        let list = || {
            let names: Vec<_> =
                value.split([',', ' ', '\t']).filter(|one| !one.is_empty()).map(str::to_owned).collect();
            if names.is_empty() { Err(bad(format!("name some {name}, with commas between them"))) } else { Ok(names) }
        };
        match name.to_ascii_lowercase().as_str() {
            "compression" => Ok(Self::Compression),
            "deletions" => Ok(Self::Deletions),
            "kinds" => list().map(Self::Kinds),
            "attributes" => list().map(Self::Attributes),
            // A name may have blanks in it.
            "root" if !value.is_empty() => Ok(Self::Root(value.to_owned())),
            "root" => Err(bad("name a root node".to_owned())),
            "site" => Host::parse(value).map(Self::Site).map_err(|_| bad(format!("{value:?} is no host"))),
            _ => Err(bad(format!("{name:?} cannot be set; HELP lists what can"))),
        }
    }
}

/// The first word, and what stands behind it without blanks around it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()))
}

fn bad(text: String) -> Mistake {
    Mistake { code: BAD_ARGUMENT, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(line: &str, expected: Result<Command, u16>) {
        let found = Command::parse(line.as_bytes()).map_err(|mistake| mistake.code);
        assert_eq!(found, expected, "{line:?}");
    }

    #[test]
    fn lines_are_read_generously() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        check("HELLO client.host.name", Ok(Command::Hello));
        check("hello", Ok(Command::Hello));
        check("  Send-Update   784000000\r", Ok(Command::SendUpdate(UnixTime(784_000_000))));
        check("SEND-UPDATE 0 please", Ok(Command::SendUpdate(UnixTime(0))));
        check("send-changes 0\r\n", Ok(Command::SendChanges("0".to_owned())));
        check("set COMPRESSION", Ok(Command::Set(Wish::Compression)));
        check("SET deletions", Ok(Command::Set(Wish::Deletions)));
        check("SET kinds HTML, PDF", Ok(Command::Set(Wish::Kinds(names(&["HTML", "PDF"])))));
        check("SET attributes Title", Ok(Command::Set(Wish::Attributes(names(&["Title"])))));
        check("SET root My  docs ", Ok(Command::Set(Wish::Root("My  docs".to_owned()))));
        check("SET site Example.ORG", Ok(Command::Set(Wish::Site(Host::Domain("example.org".to_owned())))));
        check("QUIT now", Ok(Command::Quit));
    }

    #[test]
    fn mistakes_are_named() {
        check("", Err(UNKNOWN));
        check("GET / HTTP/1.1", Err(UNKNOWN));
        for line in ["SEND-UPDATE", "SEND-UPDATE yesterday", "SEND-UPDATE -1", "SEND-UPDATE 99999999999999999999999"] {
            check(line, Err(BAD_ARGUMENT));
        }
        for line in ["SEND-OBJECT here", "SET colour", "SET", "SET kinds", "SET kinds ,", "SET root", "SET site a b"] {
            check(line, Err(BAD_ARGUMENT));
        }
        assert!(Command::parse(&[0xff, 0xfe, 0]).is_err());
    }

    proptest! {
        #[test]
        fn any_line_gets_an_answer_of_one_line(line in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Err(Mistake { text, .. }) = Command::parse(&line) {
                prop_assert!(!text.contains(char::is_control), "{text:?}");
            }
        }
    }
}
