use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;

const DVIPS: &[u8] = include_bytes!("fixtures/dvips.ps");
const GROFF: &[u8] = include_bytes!("fixtures/groff.ps");
const DVI: &[u8] = include_bytes!("fixtures/tex.dvi");

fn read(body: &[u8]) -> Draft {
    summarize("PostScript", "a.ps", body).expect("PostScript")
}

fn check_text(program: &str, expected: &str) {
    assert_eq!(read(format!("%!PS\n{program}").as_bytes()).text(), expected, "{program}");
}

const TEXT: &str = "Corn and maize\nAnn Example\nMay 2024\n\
    The quick (brown) fox, efficient offices and “flying fish”. Naïve café.\n1\nSecond page: AVATAR.\n2";

#[test]
fn programs_of_dvips_are_read() {
    let draft = read(DVIPS);
    check(&draft, &[("Format", "PostScript"), ("Title", "tex.dvi"), ("Pages", "2"), ("text", TEXT)]);
    check(&draft, &[("Bounding-Box", "0 0 596 842"), ("Fonts", "CMR17\nCMR12\nCMR10")]);
    assert!(draft.get("Generator").is_some_and(|generator| generator.starts_with("dvips")));
    assert!(draft.get("Created").is_some_and(|date| date.starts_with("20") && date.len() == 19));
}

#[test]
fn programs_of_groff_are_read() {
    let expected = "CORN(1) General Commands Manual CORN(1)\nNAME\n\
        corn − even if it is an efficient field with a very long description\n1";
    check(&read(GROFF), &[("Pages", "1"), ("text", expected)]);
}

#[test]
fn dvi_is_read() {
    let draft = summarize("Dvi", "a.dvi", DVI).expect("DVI");
    check(&draft, &[("Format", "DVI"), ("Pages", "2"), ("text", TEXT)]);
    assert!(draft.get("Generator").is_some_and(|generator| generator.contains("TeX output")));
    assert_eq!(draft.complaints(), [""; 0]);
}

#[test]
fn comments_describe_the_program() {
    let program = "%!PS-Adobe-3.0 EPSF-3.0\r\n%%Title: (Corn \\(maize\\))\r\n%%For: Ann\r\n%%Pages: (atend)\r\n\
        %%BoundingBox: 0 0 10 20\r\n%%DocumentFonts: Times-Roman\r\n%%+ Courier Symbol\r\n%%EndComments\r\n\
        %%BeginDocument: x\r\n%%Creator: other\r\n%%EndDocument\r\n%%Trailer\r\n%%Pages: 3\r\n%%EOF";
    let expected = [
        ("Format", "EPS"),
        ("Title", "Corn (maize)"),
        ("Author", "Ann"),
        ("Generator", ""),
        ("Pages", "3"),
        ("Fonts", "Times-Roman\nCourier\nSymbol"),
        ("Bounding-Box", "0 0 10 20"),
    ];
    check(&read(program.as_bytes()), &expected);
}

#[test]
fn strings_are_read_where_they_are_shown() {
    check_text("10 20 moveto (Hello)show ( world\\041)show 10 8 moveto (a\\(b\\\\\\))show", "Hello world!\na(b\\)");
    check_text("/S{moveto show}def (one)10 20 S (two)50 20 S (three)10 9 S", "one two\nthree");
    check_text("/S /show load def <48 69>S (unused)pop (unused) def", "Hi");
    check_text("[(Hel)20(lo)-400(world)]TJ 0 -12 Td (x)Tj", "Hello world\nx");
    check_text("{(not run)show} (run)show % (comment)show\n", "run");
    check_text("(open ( never closed", "");
}

#[test]
fn what_stands_around_the_program_is_passed_over() {
    check(&read(b"\x04%!PS\n(x)show"), &[("text", "x")]);
    check(&read(b"\x1b%-12345X@PJL\n%!PS\n(x)show"), &[("text", "x")]);
    let mut preview = vec![0xc5, 0xd0, 0xd3, 0xc6, 12, 0, 0, 0, 13, 0, 0, 0];
    preview.extend(b"%!PS\n(x)show (preview)show");
    check(&read(&preview), &[("text", "x")]);
}

#[test]
fn cuts_and_garbage_are_survived() {
    for fixture in [DVIPS, GROFF, DVI] {
        for cut in (0..fixture.len()).step_by(31) {
            let _ = summarize("PostScript", "a.ps", &fixture[..cut]);
        }
    }
    for cut in 2..DVI.len() {
        summarize("Dvi", "a.dvi", &DVI[..cut]).expect("a DVI that breaks off");
    }
    for garbage in ["(", "{", "[", "<", "/a", "((", "{[", "/a{show}def ", "(a)show ", "%%Page: 1\n", "\\"] {
        read(format!("%!PS\n{}", garbage.repeat(50_000)).as_bytes());
    }
    for operation in 0..=255 {
        summarize("Dvi", "a.dvi", &[&[247, 2], [operation; 200].as_slice()].concat()).expect("a bad DVI");
    }
}

#[test]
fn what_is_neither_is_refused() {
    for body in
        [b"".as_slice(), b"hello", &[0xc5, 0xd0, 0xd3, 0xc6], &[0xc5, 0xd0, 0xd3, 0xc6, 255, 255, 255, 255, 9, 9, 9, 9]]
    {
        summarize("PostScript", "a.ps", body).expect_err("neither");
    }
}
