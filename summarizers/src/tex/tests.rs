use super::plain;
use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;

fn read(body: &str) -> Draft {
    summarize("Tex", "a.tex", body.as_bytes()).expect("never refuses")
}

const PAPER: &str = r#"% A comment
\documentclass[11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage{amsmath, hyperref}
\newcommand{\corn}[1]{hidden #1}
\newcommand\ear{hidden}
\def\x#1{hidden {too}}
\title{Growing Corn\thanks{Paid by all.}\\ in {\em Fields}}
\author{Ann R\"oe\thanks{x} \and Bob D\'{e}e \\ Land College}
\date{May 2024}
\begin{document}
\maketitle
\begin{abstract}
Corn grows --- 10--20\,cm
% no
a day.

Always.
\end{abstract}
\keywords{maize, field; land}
\section{The ``Seed''}\label{sec:seed}
Fran\c cois \& \v{S}ime see~\ref{x} na\"{\i}ve \ss{} \LaTeX\ text\footnote{a note}.
\begin{itemize}
  \item One \textbf{bold} $x^2 \le \alpha$
\end{itemize}
\subsection*{More}
\begin{verbatim}
\raw{a} % kept
  b
\end{verbatim}
\begin{tabular}{l|c} a & b \\ c & d \end{tabular} \verb|\x{}| done
\href{http://example.com/a%20b}{the site} \url{http://example.net/~c}
\begin{comment} gone \end{comment}
\begin{thebibliography}{9}
\bibitem{a} Roe, \emph{Corn}.
\bibitem[D]{b} Doe.
\end{thebibliography}
\end{document}
"#;

#[test]
fn a_paper_in_latex_is_read() {
    let draft = read(PAPER);
    check(
        &draft,
        &[
            ("Format", "LaTeX"),
            ("Title", "Growing Corn in Fields"),
            ("Author", "Ann Röe\nBob Dée"),
            ("Created", "2024-05"),
            ("Abstract", "Corn grows — 10–20 cm a day.\nAlways."),
            ("Keywords", "maize\nfield\nland"),
            ("Headings", "The “Seed”\nMore"),
            ("Packages", "article\ninputenc\namsmath\nhyperref"),
            ("Bibliography-Items", "2"),
            (
                "text",
                "Corn grows — 10–20 cm a day.\nAlways.\nmaize, field; land\nThe “Seed”\n\
                 François & Šime see naïve ß LaTeX text a note.\n\
                 One bold x^2 ≤α\nMore\n\\raw{a} % kept\nb\na b\nc d\n\\x{} done the site http://example.net/~c\n\
                 Roe, Corn.\nDoe.",
            ),
        ],
    );
    let references: Vec<_> = draft.references().iter().map(|found| (found.url.as_str(), found.text.as_str())).collect();
    assert_eq!(references, [("http://example.com/a%20b", "the site"), ("http://example.net/~c", "")]);
}

#[test]
fn plain_tex_is_read() {
    let body = "\\centerline{\\bf Corn}\n\\beginsection 1. Seeds\n\nThey're small.\\par\n\\bye\n";
    check(
        &read(body),
        &[("Format", "TeX"), ("Title", "Corn"), ("Headings", "1. Seeds"), ("text", "Corn 1. Seeds\nThey're small.")],
    );
}

#[test]
fn texinfo_is_read() {
    let body = "\\input texinfo @c -*-texinfo-*-\n@setfilename corn.info\n@settitle Corn Manual\n@ignore\nno\n\
        @end ignore\n@titlepage\n@title The Corn Manual\n\
        @author Ann R@\"oe\n@end titlepage\n@node Top\n@top Corn\n@menu\n* Seeds::\n@end menu\n\
        @chapter Seeds @code{x}\n@cindex seed\nThey are @emph{small}@dots{} a@@b @{c@}.\n\
        See @uref{http://example.com/, the site}. @c no\n@table @code\n@item one\nFirst.\n@end table\n@bye\nno\n";
    let draft = read(body);
    check(
        &draft,
        &[
            ("Format", "Texinfo"),
            ("Title", "The Corn Manual"),
            ("Author", "Ann Röe"),
            ("Headings", "Corn\nSeeds x"),
            ("text", "Ann Röe\nCorn\nSeeds x\nThey are small… a@b {c}.\nSee the site.\none\nFirst."),
        ],
    );
    assert_eq!((draft.references()[0].url.as_str(), &*draft.references()[0].text), ("http://example.com/", "the site"));
}

#[test]
fn pieces_are_made_plain() {
    for (source, expected) in [
        (r#"{\"U}ber {G}{\"o}del"#, "Über Gödel"),
        (r"Erd{\H o}s and \v{C}ech", "Erdős and Čech"),
        (r"\'{\i}\o\AA\ $x$ \{a\}", "íøÅ x {a}"),
        (r"a--b ``c'' 'd' 50\%", "a–b “c” 'd' 50%"),
        ("plain", "plain"),
    ] {
        // Drafts compose letters and their accents.
        let mut draft = Draft::new();
        draft.add("x", &plain(source));
        assert_eq!(draft.get("x"), Some(expected));
    }
}

#[test]
fn every_prefix_is_read_and_no_soup_hurts() {
    for cut in 0..PAPER.len() {
        read(&PAPER[..cut]);
    }
    for piece in [
        "{",
        "}",
        "\\",
        "\\a[",
        "\\section{",
        "\\begin{abstract}",
        "\\end{abstract}",
        "\\verb|",
        "\\newcommand",
        "\\\"",
        "%",
        "$",
        "-",
        "`",
        "\\begin{verbatim}",
        "\\author{\\and",
        "\\href{",
        "\\url{a}",
        "@",
        "@uref{",
        "\\def\\ü",
        "\\item\n\n",
        "\\let\\ü=\\",
        "ü",
    ] {
        read(&piece.repeat(5_000));
        read(&format!("{piece}ü{piece}"));
        read(&format!("@settitle x\n{}\n", piece.repeat(1_000)));
    }
}
