use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;

const CAMERA: &[u8] = include_bytes!("fixtures/camera.jpg");
const TEXT: &[u8] = include_bytes!("fixtures/text.png");
const FRAMES: &[u8] = include_bytes!("fixtures/frames.gif");
const LOSSY: &[u8] = include_bytes!("fixtures/lossy.webp");
const PAGES: &[u8] = include_bytes!("fixtures/pages.tif");
const ICON: &[u8] = include_bytes!("fixtures/icon.ico");
const BOX: &[u8] = include_bytes!("fixtures/box.jxl");
const AVIF: &[u8] = include_bytes!("fixtures/box.avif");
const HEIC: &[u8] = include_bytes!("fixtures/box.heic");
const ALL: [&[u8]; 9] = [CAMERA, TEXT, FRAMES, LOSSY, PAGES, ICON, BOX, AVIF, HEIC];

fn read(body: &[u8]) -> Draft {
    summarize("Image", "a", body).expect("a picture")
}

#[test]
fn a_camera_says_much() {
    let expected = [
        ("Format", "JPEG"),
        ("Dimensions", "8x6"),
        ("Title", "Corn and maize"),
        ("Author", "Ann Example"),
        ("Description", "Corn in the field"),
        ("Keywords", "corn\nmaize"),
        ("Location", "Berlin, Germany"),
        ("Copyright", "Free to use"),
        ("Rating", "4"),
        ("Camera", "Example 100"),
        ("Generator", "Editor 1.0"),
        ("Created", "2024-05-01T10:00:00Z"),
        ("Modified", "2024-05-02T08:30:00"),
        ("Orientation", "rotate 90"),
        ("Exposure", "1/125 s, f/2.8, ISO 100, 50 mm"),
        ("Latitude", "52.5"),
        ("Longitude", "-13.25"),
        ("Altitude", "34.5"),
        ("Comment", "Made for a test"),
    ];
    let draft = read(CAMERA);
    check(&draft, &expected);
    assert_eq!(draft.complaints(), [""; 0]);
}

#[test]
fn every_format_is_read() {
    check(&read(TEXT), &[("Format", "PNG"), ("Dimensions", "5x7"), ("Title", "Corn"), ("Author", "Ann Example")]);
    check(&read(TEXT), &[("Keywords", "corn\nsweet maize"), ("Description", "Grün"), ("Comment", "packed")]);
    check(&read(TEXT), &[("Modified", "2024-05-01T12:00:00Z")]);
    check(&read(FRAMES), &[("Format", "GIF"), ("Frames", "3"), ("Comment", "Three colours"), ("Title", "Colours")]);
    check(
        &read(LOSSY),
        &[("Format", "WebP"), ("Dimensions", "9x3"), ("Author", "Ann\nBob"), ("Description", "A green field")],
    );
    check(
        &read(PAGES),
        &[("Format", "TIFF"), ("Pages", "2"), ("Title", "Two pages"), ("Copyright", "Free"), ("Author", "Ann")],
    );
    check(&read(ICON), &[("Format", "ICO"), ("Images", "2"), ("Dimensions", "32x32")]);
    check(&read(BOX), &[("Format", "JPEG XL"), ("Dimensions", "11x5")]);
    check(&read(AVIF), &[("Format", "AVIF"), ("Dimensions", "13x7"), ("Author", "Ann"), ("Title", "Corn")]);
    check(&read(HEIC), &[("Format", "HEIC")]);
}

#[test]
fn cuts_and_flipped_bits_are_survived() {
    for fixture in ALL {
        for cut in 0..fixture.len() {
            let _ = summarize("Image", "a", &fixture[..cut]);
        }
        for place in 0..fixture.len().min(1500) {
            let mut broken = fixture.to_vec();
            broken[place] ^= 0xff;
            let _ = summarize("Image", "a", &broken);
        }
    }
}

#[test]
fn what_was_there_before_the_cut_is_kept() {
    let draft = read(&CAMERA[..CAMERA.len() - 300]);
    check(&draft, &[("Format", "JPEG"), ("Camera", "Example 100")]);
}

#[test]
fn tables_that_lead_to_themselves_end() {
    let mut body = b"II*\0\x08\0\0\0\x02\0".to_vec();
    for tag in [0x69, 0x25] {
        body.extend([tag, if tag == 0x69 { 0x87 } else { 0x88 }, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0]);
    }
    body.extend([8, 0, 0, 0]);
    let draft = read(&body);
    check(&draft, &[("Format", "TIFF"), ("Dimensions", ""), ("Pages", "10000")]);
}

#[test]
fn packed_texts_are_unpacked_up_to_a_limit() {
    use flate2::{Compression, write::ZlibEncoder};
    use std::io::Write;
    let mut packed = ZlibEncoder::new(b"Comment\0\0".to_vec(), Compression::fast());
    packed.write_all(&vec![b'x'; 10 << 20]).expect("memory");
    let packed = packed.finish().expect("memory");
    let mut body = TEXT[..33].to_vec();
    body.extend(u32::try_from(packed.len()).expect("short").to_be_bytes());
    body.extend([b"zTXt".as_slice(), &packed, &[0; 4]].concat());
    assert_eq!(read(&body).get("Comment").map(str::len), Some(16 << 10));
}

#[test]
fn what_is_no_picture_is_refused() {
    for body in [b"".as_slice(), b"hello, this is no picture", b"\xff", b"<svg/>"] {
        assert_eq!(summarize("Image", "a", body).expect_err("none").to_string(), "no known form of a picture");
    }
}

#[test]
fn formats_that_others_do_not_know_are_named() {
    let mut body = b"\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 \0\0\0\0jp2 \0\0\0\x2djp2h\0\0\0\x16ihdr".to_vec();
    body.extend([0, 0, 0, 5, 0, 0, 0, 9]);
    check(&read(&body), &[("Format", "JPEG 2000"), ("Dimensions", "9x5")]);
    check(&read(b"AT&TFORM\0\0\0\0DJVUINFO\0\0\0\x0a\0\x09\0\x05"), &[("Format", "DjVu"), ("Dimensions", "9x5")]);
}
