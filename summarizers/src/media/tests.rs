use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;

const MP3: &[u8] = include_bytes!("fixtures/tone.mp3");
const FLAC: &[u8] = include_bytes!("fixtures/tone.flac");
const OGG: &[u8] = include_bytes!("fixtures/tone.ogg");
const M4A: &[u8] = include_bytes!("fixtures/tone.m4a");
const MP4: &[u8] = include_bytes!("fixtures/film.mp4");
const SILENT: &[u8] = include_bytes!("fixtures/silent.mp4");
const AVI: &[u8] = include_bytes!("fixtures/film.avi");
const MKV: &[u8] = include_bytes!("fixtures/film.mkv");
const WEBM: &[u8] = include_bytes!("fixtures/film.webm");
const MIDI: &[u8] = include_bytes!("fixtures/tone.mid");
const ALL: [&[u8]; 10] = [MP3, FLAC, OGG, M4A, MP4, SILENT, AVI, MKV, WEBM, MIDI];

fn read(body: &[u8]) -> Draft {
    summarize("Audio", "a", body).expect("sound or pictures")
}

#[test]
fn tags_of_sound_are_read() {
    let expected = [
        ("Format", "MP3"),
        ("Title", "Corn song"),
        ("Author", "Ann Example"),
        ("Album", "Field songs"),
        ("Created", "2024"),
        ("Genre", "Folk"),
        ("Track", "3"),
        ("Comment", "A comment"),
        ("Composer", "Bob Composer"),
        ("Copyright", "Free to use"),
        ("Bit-Rate", "8"),
        ("Sample-Rate", "8000"),
        ("Channels", "1"),
    ];
    check(&read(MP3), &expected);
    check(&read(FLAC), &[("Format", "FLAC"), ("Author", "Ann Example\nBob Example"), ("Created", "2024-05-01")]);
    check(&read(FLAC), &[("text", "Corn grows high"), ("Duration", "1.0")]);
    check(&read(OGG), &[("Format", "Ogg Vorbis"), ("Title", "Corn song"), ("Duration", "1.0")]);
    check(&read(M4A), &[("Format", "MP4"), ("Title", "Corn song"), ("Author", "Ann Example"), ("Codec", "mp4a")]);
}

#[test]
fn films_are_read() {
    let expected = [
        ("Format", "MP4"),
        ("Title", "Corn film"),
        ("Dimensions", "16x16"),
        ("Codec", "mp4v\nmp4a"),
        ("Language", "deu"),
        ("Video-Tracks", "1"),
        ("Audio-Tracks", "1"),
    ];
    check(&read(MP4), &expected);
    check(
        &read(SILENT),
        &[("Title", "Silent film"), ("Dimensions", "16x16"), ("Duration", "1.0"), ("Audio-Tracks", "")],
    );
    check(&read(AVI), &[("Format", "AVI"), ("Title", "Corn film"), ("Author", "Ann Example"), ("Dimensions", "16x16")]);
    check(&read(AVI), &[("Codec", "mp4v"), ("Sample-Rate", "8000"), ("Channels", "1")]);
    check(&read(MKV), &[("Format", "Matroska"), ("Title", "Corn film"), ("Headings", "Seed\nHarvest")]);
    check(&read(MKV), &[("Dimensions", "16x16"), ("Sample-Rate", "8000"), ("Codec", "V_MS/VFW/FOURCC\nA_AAC")]);
    check(&read(WEBM), &[("Format", "WebM"), ("Title", "Corn web"), ("Codec", "V_VP8"), ("Duration", "1.0")]);
    for film in [MP4, SILENT, AVI, MKV, WEBM] {
        assert_eq!(read(film).complaints(), [""; 0]);
    }
}

#[test]
fn words_among_the_notes_are_read() {
    let text = "Corn song\nGrüße\nCorn grows\nhigh";
    check(&read(MIDI), &[("Format", "MIDI"), ("Title", "Corn song"), ("Copyright", "Free to use"), ("text", text)]);
}

#[test]
fn some_formats_are_only_named() {
    check(&read(b"FLV\x01\x05"), &[("Format", "Flash Video")]);
    check(&read(b"\0\0\x01\xba\x44"), &[("Format", "MPEG")]);
    let mut transport = vec![0; 400];
    transport[0] = 0x47;
    transport[188] = 0x47;
    check(&read(&transport), &[("Format", "MPEG transport stream")]);
    check(&read(b"OggS\0\x02\0\0\0\0\0\0\0\0xxxxyyyyzzzz\x01\x2a\x80theora"), &[("Format", "Ogg video")]);
}

#[test]
fn cuts_and_flipped_bits_are_survived() {
    for fixture in ALL {
        for cut in (0..fixture.len()).step_by(7) {
            let _ = summarize("Video", "a", &fixture[..cut]);
        }
        for place in 0..fixture.len().min(1200) {
            let mut broken = fixture.to_vec();
            broken[place] ^= 0xff;
            let _ = summarize("Video", "a", &broken);
        }
    }
}

#[test]
fn what_cannot_be_read_is_complained_of() {
    let draft = read(&MP4[..40]);
    check(&draft, &[("Format", "MP4")]);
    assert!(!draft.complaints().is_empty());
}

#[test]
fn deep_nesting_ends() {
    // Elements and boxes that each hold the next one and say they go to the end.
    let mut elements = vec![0x1a, 0x45, 0xdf, 0xa3, 0x80, 0x18, 0x53, 0x80, 0x67, 0xff, 0x10, 0x43, 0xa7, 0x70, 0xff];
    elements.extend([0x45, 0xb9, 0xff]);
    elements.extend([0xb6, 0xff].repeat(100_000));
    check(&read(&elements), &[("Format", "Matroska"), ("Headings", "")]);
    let boxes = b"\0\0\0\0moov".repeat(100_000);
    check(&read(&boxes), &[("Format", "MP4")]);
}

#[test]
fn what_is_neither_is_refused() {
    for body in [b"".as_slice(), b"hello, this is no sound", &[0; 500]] {
        summarize("Audio", "a", body).expect_err("neither");
    }
}
