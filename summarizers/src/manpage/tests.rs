use super::*;
use crate::testing::{check, summarize};

fn read(kind: &str, body: &str) -> Draft {
    summarize(kind, "a.1", body.as_bytes()).expect("never refuses")
}

const MAN: &str = r#"'\" t
.\" Comment
.if !\n(.g \{\
.  de UR
.  ..
.\}
.ie n .ds Aq \(aq
.el       .ds Aq '
.de Hid
Not this
..
.TH CORN 1 "1 May 2024" "Field 1.0" "User Manual"
.SH NAME
corn \- grow \fImaize\fP
.SH SYNOPSIS
.B corn
[\fB\-v\fR]
.RI [ file ...]
.SH DESCRIPTION
.PP
Grows \*(Aqcorn\*(Aq \(em it\(cqs \s-1TALL\s0.
.br
Really\&.\" no
.PP
Second.
.nf
  a   b
.fi
.TP
\fB\-v\fR, \fB\-\-verbose\fR
Say more\h'1m' \[u00E9]t\(:u\N'65'.
.SS "Sub section"
.TS
tab(;) box;
l l.
Name;Use
_
T{
ear
T};food
.TE
.SH AUTHOR
Written by Ann Roe.
.SH "SEE ALSO"
.BR maize (1),
.BR field (5)
.UR http://example.com/corn
site
.UE
"#;

#[test]
fn a_manual_page_is_read() {
    let draft = read("ManPage", MAN);
    check(
        &draft,
        &[
            ("Title", "corn - grow maize"),
            ("Section", "1"),
            ("Modified", "2024-05-01"),
            ("Source", "Field 1.0"),
            ("Manual", "User Manual"),
            ("Synopsis", "corn [-v] [file...]"),
            ("Description", "Grows 'corn' — it’s TALL.\nReally."),
            ("Author", "Ann Roe"),
            ("See-Also", "maize(1)\nfield(5)"),
            ("Headings", "NAME\nSYNOPSIS\nDESCRIPTION\nSub section\nAUTHOR\nSEE ALSO"),
        ],
    );
    assert_eq!(
        draft.text(),
        "NAME\ncorn - grow maize\nSYNOPSIS\ncorn [-v] [file...]\nDESCRIPTION\nGrows 'corn' — it’s TALL.\nReally.\n\
         Second.\na b\n-v, --verbose Say more étüA.\nSub section\nName Use\near\nfood\nAUTHOR\nWritten by Ann Roe.\n\
         SEE ALSO\nmaize(1), field(5) site"
    );
    assert_eq!(draft.references()[0].url.as_str(), "http://example.com/corn");
}

#[test]
fn a_page_of_mdoc_is_read() {
    let body = ".Dd $Mdocdate: May 1 2024 $\n.Dt CORN 1\n.Os\n.Sh NAME\n.Nm corn\n.Nd grow maize\n.Sh SYNOPSIS\n\
        .Nm\n.Op Fl av\n\
        .Op Fl o Ar file\n.Sh DESCRIPTION\nThe\n.Nm\nutility grows\n.Dq maize Ns s .\n.Bl -tag\n.It Fl a\nAll of\n\
        .Xr field 5 ,\n\
        .Pq see Fn grow int .\n.El\n.Sh SEE ALSO\n.Xr maize 1 ,\n.Xr field 5\n.Sh AUTHORS\n.An -nosplit\n\
        .An Ann Roe Aq Mt ann@example.org\n";
    let draft = read("ManPage", body);
    check(
        &draft,
        &[
            ("Title", "corn — grow maize"),
            ("Section", "1"),
            ("Modified", "2024-05-01"),
            ("Synopsis", "corn [-av] [-o file]"),
            ("Description", "The corn utility grows “maizes”."),
            ("See-Also", "maize(1)\nfield(5)"),
            ("Author", "Ann Roe <ann@example.org>"),
        ],
    );
    assert!(draft.text().contains("\n-a\nAll of field(5), (see grow(int))."), "{}", draft.text());
}

#[test]
fn papers_are_read() {
    let ms = ".TL\nGrowing Corn\nin Fields\n.AU\nAnn Roe\nBob Doe\n.AI\nLand College\n.AB\nIt grows.\n.AE\n.NH 1\n\
        The Seed\n.PP\nFirst\nwords.\n\
        .EQ\nx sup 2\n.EN\n.SH\nThanks\n.LP\nTo all.\n";
    check(
        &read("Troff", ms),
        &[
            ("Title", "Growing Corn in Fields"),
            ("Author", "Ann Roe\nBob Doe"),
            ("Organization", "Land College"),
            ("Abstract", "It grows."),
            ("Headings", "The Seed\nThanks"),
            (
                "text",
                "Growing Corn in Fields\nAnn Roe Bob Doe\nLand College\nIt grows.\nThe Seed\nFirst words.\nx sup 2\n\
                 Thanks\nTo all.",
            ),
        ],
    );
    let mm = ".TL\nCorn\n.AU \"Ann Roe\" AR\n.AS\nShort.\n.AE\n.H 1 \"First part\"\n.P\nText.\n";
    check(
        &read("Troff", mm),
        &[("Title", "Corn"), ("Author", "Ann Roe"), ("Abstract", "Short."), ("Headings", "First part")],
    );
    let me = ".sh 1 \"Seeds\"\n.pp\nThey are\n.b small .\n";
    check(&read("Troff", me), &[("Headings", "Seeds"), ("text", "Seeds\nThey are small .")]);
}

#[test]
fn a_page_that_is_another_tells_which() {
    check(&read("ManPage", ".so man1/corn.1\n"), &[("Includes", "man1/corn.1"), ("text", "")]);
}

#[test]
fn every_prefix_is_read_and_no_soup_hurts() {
    for cut in 0..MAN.len() {
        read("ManPage", &MAN[..cut]);
    }
    for piece in [
        ".if n ",
        ".ie t \\{",
        ".el ",
        "\\",
        "\\*",
        "\\*(",
        "\\[",
        "\\s",
        "\\s-(",
        "\\N'",
        "\\f",
        "\"",
        ".SH\n",
        ".TS\n",
        ".de x\n",
        ".Op Op Op\n",
        ".Nm\n",
        ".Sh\n.Xr\n.Fn\n",
        "ü\\ü",
        ".ds a \\*a\\*a\n",
        ".AU\nx\n",
        ".IP \"\"\"\n",
        ".if '",
    ] {
        read("Troff", &piece.repeat(5_000));
        read("Troff", &format!(".Sh NAME\n{piece}\n{piece}ü"));
    }
}

#[test]
fn strings_do_not_grow_by_themselves() {
    let grow = |one: &str| format!(".ds {} {}\n", char::from(one.as_bytes()[0] + 1), format!("\\*{one}").repeat(400));
    let strings: String = ["a", "b", "c", "d", "e", "f", "g", "h"].into_iter().map(grow).collect();
    let body = format!(".ds a xxxxxxxxxx\n{strings}{}", "\\*i".repeat(1_000));
    assert!(read("Troff", &body).text().len() < 20_000);
}
