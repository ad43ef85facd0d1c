use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;

fn read(body: &str) -> Draft {
    summarize("Markdown", "a.md", body.as_bytes()).expect("never refuses")
}

const PAGE: &str = "Growing *corn*\n==============\n\n\
    See [the **field**](field.md#row \"tip\"), <http://example.com/x> or\nhttp://example.net/bare.\n\n\
    ![ripe ear](ear.png) [![badge](b.svg)](/ci)\n\n## Seeds `small` ![badge](b.svg) {#id}\n\n- one\n\
    - two\n  1. three\n\n```rust,no_run\nlet corn = 1;\n```\n\n\
    | Name | Use |\n|------|-----|\n| ear  | food |\n\n\
    <div><a href='x.html'>HTML <b>here</b></a><img src=\"i.gif\"></div>\n\nÜber <a href=\"y.html\">uns</a>[^1].\n\n\
    [^1]: A note.\n\n<ann@example.org>\n";

#[test]
fn headings_text_links_and_images_are_read() {
    let draft = read(PAGE);
    check(
        &draft,
        &[
            ("Title", "Growing corn"),
            ("Headings", "Growing corn\nSeeds small"),
            ("Code-Languages", "rust"),
            ("Images", "http://example.org/dir/ear.png\nhttp://example.org/dir/b.svg\nhttp://example.org/dir/i.gif"),
            ("Image-Texts", "ripe ear\nbadge\n-"),
            ("Mail-Addresses", "ann@example.org"),
            (
                "text",
                "Growing corn\nSee the field, http://example.com/x or http://example.net/bare.\nripe ear badge\n\
                 Seeds small badge\none\ntwo\nthree\n\
                 let corn = 1;\nName Use\near food\nHTML here\nÜber uns.\nA note.\nann@example.org",
            ),
        ],
    );
    let references: Vec<_> = draft.references().iter().map(|found| (found.url.as_str(), found.text.as_str())).collect();
    assert_eq!(
        references,
        [
            ("http://example.org/dir/field.md", "the field"),
            ("http://example.com/x", "http://example.com/x"),
            ("http://example.org/ci", "badge"),
            ("http://example.org/dir/x.html", ""),
            ("http://example.org/dir/y.html", ""),
            ("http://example.net/bare", ""),
        ]
    );
}

#[test]
fn what_stands_in_front_counts_first() {
    let yaml = "---\ntitle: \"Corn: a plant\"\nauthors:\n  - name: Ann Roe\n    mail: x\n  - name: Bob\n\
        date: 2024-05-01 12:00:00 +0200\n\
        tags: [maize, 'field']\ncategories:\n- land\ndescription: Grows.\nlayout: x\n---\n# Other\n";
    check(
        &read(yaml),
        &[
            ("Title", "Corn: a plant"),
            ("Author", "Ann Roe\nBob"),
            ("Created", "2024-05-01T12:00:00+0200"),
            ("Keywords", "maize\nfield\nland"),
            ("Description", "Grows."),
            ("Headings", "Other"),
            ("text", "Other"),
        ],
    );
    let toml = "+++\ntitle = \"Corn\"\ndate = 2024-05-01\n+++\ntext\n";
    check(&read(toml), &[("Title", "Corn"), ("Created", "2024-05-01"), ("text", "text")]);
    check(&read("---\ntitle: no end\n\ntext\n"), &[("Title", ""), ("Headings", "")]);
}

#[test]
fn every_prefix_is_read_and_no_soup_hurts() {
    for cut in (0..PAGE.len()).filter(|cut| PAGE.is_char_boundary(*cut)) {
        read(&PAGE[..cut]);
    }
    for piece in [
        "> ",
        "* ",
        "[",
        "![",
        "](",
        "`",
        "*a_",
        "<",
        "<!--",
        "| a |\n",
        "1. ",
        "\\",
        "&",
        "[a]: b\n",
        "#",
        "---\n",
        "~~~\n",
        "<a href=x",
    ] {
        read(&piece.repeat(4_000));
    }
}
