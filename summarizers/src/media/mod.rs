//! Sound and moving pictures.

mod avi;
mod boxes;
mod matroska;
mod midi;
mod tagged;
#[cfg(test)]
mod tests;

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};

pub(crate) const KINDS: &[&str] = &["Audio", "Video"];

/// Formats of which only the name is known here, by their first bytes.
const NAMED: &[(&[u8], &str)] = &[
    (b"FLV\x01", "Flash Video"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "ASF"),
    (b"\0\0\x01\xba", "MPEG"),
    (b"\0\0\x01\xb3", "MPEG"),
    (b".RMF", "RealMedia"),
    (b".snd", "AU"),
    (b"#!AMR", "AMR"),
    (b"#EXTM3U", "M3U"),
];

/// Bytes of a packet of an MPEG transport stream; each begins with the same one.
const TRANSPORT: usize = 188;

/// Title, who made it, how long it is and how it is coded.
pub(crate) struct Media;

impl Summarizer for Media {
    fn name(&self) -> &'static str {
        concat!("media ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = Draft::new();
        if leaf.cut {
            draft.complain("the recording is cut: what stands at its end is missing");
        }
        match leaf.body {
            [0x1a, 0x45, 0xdf, 0xa3, ..] => matroska::write(leaf.body, &mut draft),
            [b'M', b'T', b'h', b'd', ..] => midi::write(leaf.body, &mut draft),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', b' ', rest @ ..] => avi::write(rest, &mut draft),
            [_, _, _, _, b'f', b't', b'y', b'p' | b'e', ..] | [_, _, _, _, b'm', b'o', b'o', b'v', ..] => {
                tagged::write(leaf.body, &mut draft);
                boxes::write(leaf.body, &mut draft);
            }
            body => match name(body) {
                Some(name) => draft.add("Format", name),
                None if tagged::write(body, &mut draft) => {}
                None => return Err(Refusal::Cannot("no known form of sound or moving pictures".to_owned())),
            },
        }
        Ok(draft)
    }
}

fn name(body: &[u8]) -> Option<&'static str> {
    let known = NAMED.iter().find(|(start, _)| body.starts_with(start));
    let is_transport = body.first() == Some(&0x47) && body.get(TRANSPORT) == Some(&0x47);
    // A stream of several kinds begins with Theora or with a skeleton that lists them.
    let head = body.get(..body.len().min(200)).unwrap_or_default();
    let has = |mark: &[u8]| head.windows(mark.len()).any(|window| window == mark);
    let is_video = body.starts_with(b"OggS") && (has(b"\x80theora") || has(b"fishead"));
    let other = [(is_transport, "MPEG transport stream"), (is_video, "Ogg video")];
    let other = other.into_iter().find(|(is, _)| *is).map(|(_, name)| name);
    known.map(|(_, name)| *name).or(other)
}

/// Seconds with one place behind the point.
fn seconds(seconds: f64) -> String {
    if seconds.is_finite() && seconds > 0.0 { format!("{seconds:.1}") } else { String::new() }
}

/// A number of up to eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The same as a fraction may need it; what is lost beyond 53 bits nobody sees in seconds.
#[expect(clippy::cast_precision_loss, reason = "seconds are rounded anyway")]
fn float(number: u64) -> f64 {
    number as f64
}
