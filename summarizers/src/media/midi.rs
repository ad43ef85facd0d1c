//! MIDI: the words among the notes.

use super::number;
use crate::fold::{Folded, Gap};
use encoding_rs::WINDOWS_1252;
use gatherer_pipeline::Draft;

/// Most tracks.
const TRACKS: usize = 1_000;

/// What the tracks say besides their notes.
struct Words {
    title: Option<String>,
    copyright: Vec<String>,
    text: Folded,
    lyrics: Folded,
}

/// Writes names of tracks, texts and lyrics.
pub(super) fn write(body: &[u8], draft: &mut Draft) {
    draft.add("Format", "MIDI");
    let mut words = Words {
        title: None,
        copyright: Vec::new(),
        text: Folded::new(Draft::VALUE_LIMIT),
        lyrics: Folded::new(Draft::VALUE_LIMIT),
    };
    let mut rest = body;
    let mut tracks = 0;
    while let Some((kind, content, next)) = chunk(rest) {
        if kind == b"MTrk" && tracks < TRACKS {
            tracks += 1;
            // A track that breaks off gives what came before.
            let _ = words.read(content);
        }
        rest = next;
    }
    draft.add("Tracks", &tracks.to_string());
    draft.add("Title", &words.title.unwrap_or_default());
    draft.add("Copyright", &words.copyright.join("\n"));
    let mut text = words.text.into_text();
    text.push('\n');
    text.push_str(&words.lyrics.into_text());
    draft.set_text(&text);
}

fn chunk(data: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (kind, rest) = data.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(number(length)).ok()?.min(rest.len());
    let (content, rest) = rest.split_at(length);
    Some((kind, content, rest))
}

impl Words {
    /// Goes through the events of a track: time, kind, content. A note may leave out its kind if it is the last one's.
    fn read(&mut self, mut track: &[u8]) -> Option<()> {
        let mut running = 0;
        loop {
            track = variable(track)?.1;
            let (&first, rest) = track.split_first()?;
            match first {
                0xff => {
                    let (&kind, rest) = rest.split_first()?;
                    let (length, rest) = variable(rest)?;
                    let (content, rest) = rest.split_at_checked(length)?;
                    self.event(kind, content);
                    track = rest;
                }
                0xf0 | 0xf7 => {
                    let (length, rest) = variable(rest)?;
                    track = rest.get(length..)?;
                }
                _ => {
                    if first >= 0x80 {
                        running = first;
                        track = rest;
                    }
                    let length = match running {
                        0xc0..=0xdf => 1,
                        0x80..=0xef => 2,
                        _ => return None,
                    };
                    track = track.get(length..)?;
                }
            }
        }
    }

    fn event(&mut self, kind: u8, content: &[u8]) {
        if !matches!(kind, 1..=7) {
            return;
        }
        let text = match std::str::from_utf8(content) {
            Ok(text) => text.to_owned(),
            Err(_) => WINDOWS_1252.decode_without_bom_handling(content).0.into_owned(),
        };
        match kind {
            2 if self.copyright.len() < 100 => self.copyright.push(text),
            // Lyrics come by syllables; slashes and line breaks part lines.
            5 => self.lyrics.push_lines(&text.replace(['/', '\\', '\r'], "\n")),
            1 | 3 | 4 | 6 | 7 => {
                if kind == 3 && self.title.is_none() {
                    self.title = Some(Folded::line(&text, 1_000));
                }
                self.text.gap(Gap::Line);
                self.text.push(&text);
            }
            _ => {}
        }
    }
}

/// Seven bits a byte, the last one without the eighth.
fn variable(data: &[u8]) -> Option<(usize, &[u8])> {
    let length = data.iter().take(4).position(|byte| byte & 0x80 == 0)? + 1;
    let (bytes, rest) = data.split_at(length);
    Some((bytes.iter().fold(0, |number, byte| number << 7 | usize::from(byte & 0x7f)), rest))
}
