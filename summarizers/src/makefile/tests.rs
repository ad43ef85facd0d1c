use crate::testing::{check, summarize};

const MAKEFILE: &str = "#!/usr/bin/make -f\n# Grow the corn.\n# Author: Ann Roe\n\nCC = gcc # fast\n\
    CFLAGS += -O2 \\\n  -g\n\
    override A ::= b\nexport PATH\nexport B := $(shell echo a:b)\ndefine HELP\nnot: this\nendef\n\
    include a.mk $(wildcard *.d)\n-include b.mk\n\n\
    ifeq ($(A),x:y)\nendif\n.PHONY: all\nall corn.o: corn.c \\\n  corn.h\n\t# not this\n\t$(CC) no: $@\n\
    %.o: %.c ; x\n$(OBJ): y\n\
    install::\n# See http://example.com/make\n";

#[test]
fn targets_variables_and_includes_are_told() {
    let draft = summarize("Makefile", "Makefile", MAKEFILE.as_bytes()).expect("a makefile");
    check(
        &draft,
        &[
            ("Title", "Grow the corn"),
            ("Author", "Ann Roe"),
            ("Targets", "all\ncorn.o\n%.o\ninstall"),
            ("Variables", "CC\nCFLAGS\nA\nB\nHELP"),
            ("Includes", "a.mk\nb.mk"),
        ],
    );
    assert_eq!(draft.references()[0].url.as_str(), "http://example.com/make");
    assert!(draft.text().starts_with("Grow the corn.\nAuthor: Ann Roe\n"), "{}", draft.text());
    assert!(!draft.text().contains("not this"));
}

#[test]
fn every_prefix_is_read() {
    for cut in 0..MAKEFILE.len() {
        let read = summarize("Makefile", "Makefile", &MAKEFILE.as_bytes()[..cut]);
        assert!(read.is_ok(), "{cut}");
    }
    for piece in ["$(", "\\\n", "a:", "=", "#\n", "define\n", "ü"] {
        assert!(summarize("Makefile", "Makefile", piece.repeat(50_000).as_bytes()).is_ok());
    }
}
