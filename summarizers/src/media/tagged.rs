//! Sound with tags: MP3, FLAC, Ogg, WAV, MP4 and others.

use super::seconds;
use crate::image::moment;
use crate::image::xmp::{add_new, fill};
use gatherer_pipeline::Draft;
use lofty::config::ParseOptions;
use lofty::file::{AudioFile, FileType, TaggedFile, TaggedFileExt};
use lofty::probe::Probe;
use lofty::properties::FileProperties;
use lofty::tag::{ItemKey, Tag};
use std::io::Cursor;
use std::panic::catch_unwind;

/// Most values of one key.
const VALUES: usize = 50;

/// Keys with the attributes that they become.
const KEYS: &[(ItemKey, &str)] = &[
    (ItemKey::TrackTitle, "Title"),
    (ItemKey::TrackArtist, "Author"),
    (ItemKey::AlbumArtist, "Author"),
    (ItemKey::AlbumTitle, "Album"),
    (ItemKey::Composer, "Composer"),
    (ItemKey::Genre, "Genre"),
    (ItemKey::TrackNumber, "Track"),
    (ItemKey::Comment, "Comment"),
    (ItemKey::Description, "Description"),
    (ItemKey::PodcastDescription, "Description"),
    (ItemKey::CopyrightMessage, "Copyright"),
    (ItemKey::License, "Copyright"),
    (ItemKey::Publisher, "Publisher"),
    (ItemKey::Label, "Publisher"),
    (ItemKey::Language, "Language"),
    (ItemKey::EncoderSoftware, "Generator"),
    (ItemKey::EncodedBy, "Generator"),
];

/// Writes what the file says; whether it is of a known form.
pub(super) fn write(body: &[u8], draft: &mut Draft) -> bool {
    let Some(kind) = kind(body) else { return false };
    draft.add("Format", format(kind));
    // Without sound there are tags still.
    let file = read(body, kind, true).or_else(|complaint| read(body, kind, false).map_err(|_| complaint));
    match file {
        Ok(file) => {
            write_properties(file.properties(), draft);
            write_tags(&file, draft);
        }
        Err(complaint) => draft.complain(format!("the {} file cannot be read: {complaint}", format(kind))),
    }
    true
}

fn kind(body: &[u8]) -> Option<FileType> {
    let guess = || Probe::new(Cursor::new(body)).guess_file_type().ok().and_then(|probe| probe.file_type());
    catch_unwind(guess).ok().flatten()
}

/// The library is not proof against everything; a file it breaks on is one that cannot be read.
fn read(body: &[u8], kind: FileType, with_properties: bool) -> Result<TaggedFile, String> {
    let options = ParseOptions::new().read_properties(with_properties);
    let read = || Probe::with_file_type(Cursor::new(body), kind).options(options).read();
    let read = catch_unwind(read).map_err(|_| "it is broken".to_owned())?;
    read.map_err(|error| error.to_string())
}

fn format(kind: FileType) -> &'static str {
    match kind {
        FileType::Aac => "AAC",
        FileType::Aiff => "AIFF",
        FileType::Ape => "Monkey's Audio",
        FileType::Flac => "FLAC",
        FileType::Mpeg => "MP3",
        FileType::Mp4 => "MP4",
        FileType::Mpc => "Musepack",
        FileType::Opus => "Opus",
        FileType::Vorbis => "Ogg Vorbis",
        FileType::Speex => "Speex",
        FileType::Wav => "WAV",
        FileType::WavPack => "WavPack",
        _ => "sound",
    }
}

fn write_properties(properties: &FileProperties, draft: &mut Draft) {
    draft.add("Duration", &seconds(properties.duration().as_secs_f64()));
    let positive = |number: Option<u32>| number.filter(|number| *number > 0).map(|number| number.to_string());
    draft.add("Bit-Rate", &positive(properties.audio_bitrate()).unwrap_or_default());
    draft.add("Sample-Rate", &positive(properties.sample_rate()).unwrap_or_default());
    draft.add("Channels", &positive(properties.channels().map(u32::from)).unwrap_or_default());
}

/// Files may have tags of several forms; the first to say something counts.
fn write_tags(file: &TaggedFile, draft: &mut Draft) {
    let first = file.primary_tag();
    let others = file.tags().iter().filter(|tag| first.is_none_or(|first| first.tag_type() != tag.tag_type()));
    let tags: Vec<&Tag> = first.into_iter().chain(others).collect();
    let mut text = String::new();
    for tag in &tags {
        for (key, name) in KEYS {
            let values: Vec<_> = tag.get_strings(*key).take(VALUES).collect();
            fill(draft, name, &values.join("\n"));
        }
        let dates = [ItemKey::RecordingDate, ItemKey::ReleaseDate, ItemKey::Year, ItemKey::OriginalReleaseDate];
        let date = dates.iter().find_map(|key| tag.get_string(*key)).and_then(moment::iso);
        fill(draft, "Created", &date.unwrap_or_default());
        if text.is_empty() {
            let lyrics = tag.get_strings(ItemKey::Lyrics).chain(tag.get_strings(ItemKey::UnsyncLyrics));
            text = lyrics.take(VALUES).collect::<Vec<_>>().join("\n");
        }
    }
    let pictures = tags.iter().map(|tag| tag.picture_count()).max().unwrap_or(0);
    if pictures > 0 {
        add_new(draft, "Pictures", &pictures.to_string());
    }
    draft.set_text(&text);
}
