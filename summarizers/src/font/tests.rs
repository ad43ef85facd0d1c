use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;

const TTF: &[u8] = include_bytes!("fixtures/corn.ttf");
const TTC: &[u8] = include_bytes!("fixtures/corn.ttc");
const WOFF: &[u8] = include_bytes!("fixtures/corn.woff");
const PFB: &[u8] = include_bytes!("fixtures/cmr10.pfb");
const AFM: &[u8] = include_bytes!("fixtures/cmr10.afm");
const BDF: &[u8] = include_bytes!("fixtures/corn.bdf");
const PCF: &[u8] = include_bytes!("fixtures/corn.pcf");

fn read(body: &[u8]) -> Draft {
    summarize("Font", "a", body).expect("a font")
}

#[test]
fn names_of_a_font_are_read() {
    let expected = [
        ("Title", "Corn Sans Book"),
        ("Font-Family", "Corn Sans"),
        ("Font-Style", "Book"),
        ("Font-Version", "Version 1.0"),
        ("Author", "Ann Example"),
        ("Publisher", "Example Foundry"),
        ("License", "Free to use"),
        ("Description", "A font for a test"),
        ("Glyphs", "5"),
        ("Weight", "400"),
        ("Italic", ""),
    ];
    for (font, format) in [(TTF, "TrueType"), (WOFF, "WOFF")] {
        let draft = read(font);
        check(&draft, &expected);
        check(&draft, &[("Format", format)]);
        assert!(draft.get("Copyright").is_some_and(|notice| notice.contains("Bitstream")));
        assert!(draft.get("Scripts").is_some_and(|scripts| scripts.starts_with("Latin")));
        assert_eq!(draft.references()[0].url.as_str(), "http://example.com/foundry");
        assert_eq!(draft.complaints(), [""; 0]);
    }
}

#[test]
fn fonts_of_a_collection_are_counted() {
    check(
        &read(TTC),
        &[("Format", "TrueType collection"), ("Fonts", "2"), ("Title", "Corn Sans Book\nCorn Sans Bold")],
    );
}

#[test]
fn old_fonts_are_read() {
    check(
        &read(PFB),
        &[("Format", "Type 1"), ("Title", "CMR10"), ("Font-Family", "Computer Modern"), ("Font-Style", "Medium")],
    );
    check(&read(AFM), &[("Format", "Adobe Font Metrics"), ("Title", "CMR10"), ("Font-Family", "Computer Modern")]);
    let expected = [("Title", "Corn Medium 8"), ("Publisher", "Example"), ("Copyright", "Free, \"as is\"")];
    check(&read(BDF), &expected);
    check(&read(BDF), &[("Format", "BDF"), ("Glyphs", "1")]);
    check(&read(PCF), &expected);
    check(&read(PCF), &[("Format", "PCF")]);
    let program =
        b"%!PS-AdobeFont-1.0: Corn\n/FontName /Corn def /Notice (a \\050b\\) (c)) readonly def\ncurrentfile eexec\n";
    check(&read(program), &[("Title", "Corn"), ("Copyright", "a (b) (c)")]);
}

#[test]
fn cuts_and_flipped_bits_are_survived() {
    for fixture in [TTF, TTC, WOFF, PFB, AFM, BDF, PCF] {
        for cut in 0..fixture.len() {
            let _ = summarize("Font", "a", &fixture[..cut]);
        }
        for place in 0..fixture.len() {
            let mut broken = fixture.to_vec();
            broken[place] ^= 0xff;
            let _ = summarize("Font", "a", &broken);
        }
    }
    check(&read(&TTF[..100]), &[("Format", "TrueType"), ("Title", "")]);
    assert!(!read(&TTF[..100]).complaints().is_empty());
}

#[test]
fn some_fonts_are_only_named() {
    check(&read(b"wOF2\0\x01\0\0"), &[("Format", "WOFF2")]);
}

#[test]
fn what_is_no_font_is_refused() {
    for body in [b"".as_slice(), b"hello", b"%!PS-Adobe-3.0\n", &[0x80], &[1; 100]] {
        summarize("Font", "a", body).expect_err("no font");
    }
}
