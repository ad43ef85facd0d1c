//! Frames: a line of JSON, then as many bytes as it says.

use serde_json::{Map, Value};
use std::io::{self, BufRead, Read, Write};

/// The longest header.
const HEADER: u64 = 65_536;

/// A frame.
#[derive(Debug, PartialEq)]
pub(super) struct Frame {
    pub(super) header: Map<String, Value>,
    pub(super) body: Vec<u8>,
}

impl Frame {
    /// A member of the header that is text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.header.get(name).and_then(Value::as_str)
    }
}

/// Reads the next frame; nothing at the end of the stream.
///
/// # Errors
/// What ends a conversation: a header that is too long or no JSON object, a length that is none or above the limit.
pub(super) fn read(from: &mut impl BufRead, limit: u64) -> io::Result<Option<Frame>> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut line = Vec::new();
    from.by_ref().take(HEADER + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.pop() != Some(b'\n') {
        return Err(wrong("the header is too long or does not end"));
    }
    let header: Map<String, Value> =
        serde_json::from_slice(&line).map_err(|_| wrong("the header is no JSON object"))?;
    let length = match header.get("len") {
        None => 0,
        Some(value) => value
            .as_u64()
            .filter(|length| *length <= limit)
            .ok_or_else(|| wrong("the length is none, or above the limit"))?,
    };
    // Memory grows with what arrives, not with what is claimed.
    let mut body = Vec::new();
    from.by_ref().take(length).read_to_end(&mut body)?;
    if body.len() as u64 != length {
        return Err(wrong("the body ends early"));
    }
    Ok(Some(Frame { header, body }))
}

/// Writes a frame at once.
///
/// # Errors
/// If the other side does not take it.
pub(super) fn write(to: &mut impl Write, mut header: Map<String, Value>, body: &[u8]) -> io::Result<()> {
    if !body.is_empty() {
        header.insert("len".to_owned(), body.len().into());
    }
    let mut frame = serde_json::to_vec(&Value::Object(header))?;
    frame.push(b'\n');
    frame.extend_from_slice(body);
    to.write_all(&frame)?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_back() {
        let mut bytes = Vec::new();
        let header: Map<String, Value> = serde_json::from_str(r#"{"id":"1"}"#).expect("an object");
        write(&mut bytes, header, b"Hallo").expect("memory takes everything");
        let frame = read(&mut bytes.as_slice(), 10).expect("a frame").expect("one");
        assert_eq!((frame.text("id"), frame.body.as_slice()), (Some("1"), b"Hallo".as_slice()));
    }

    #[test]
    fn what_is_no_frame_ends_the_conversation() {
        for bytes in [&b"{\"len\":11}\n"[..], b"{\"len\":-1}\n", b"[]\n", b"x\n", b"{}", b"{\"len\":5}\nHal"] {
            assert!(read(&mut &*bytes, 10).is_err(), "{}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(read(&mut &b""[..], 10).expect("an end"), None);
    }
}
