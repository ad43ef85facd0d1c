use super::languages::{Patterns, Section, TABLE};
use super::*;
use crate::testing;
use std::collections::HashMap;

fn summarize(kind: &str, body: &str) -> Draft {
    testing::summarize(kind, "a", body.as_bytes()).expect("every source is read")
}

#[track_caller]
fn check(kind: &str, body: &str, expected: &[(&str, &str)]) {
    testing::check(&summarize(kind, body), expected);
}

/// Functions, types, imports and text.
#[track_caller]
fn names(kind: &str, body: &str, expected: [&str; 4]) {
    let draft = summarize(kind, body);
    let found = ["Functions", "Types", "Imports"].map(|name| draft.get(name).unwrap_or_default().replace('\n', " "));
    assert_eq!(
        [&found[0], &found[1], &found[2], &draft.text().replace('\n', " ")],
        expected.map(str::to_owned).each_ref()
    );
}

#[test]
fn the_table_is_sound_and_its_sections_are_the_kinds() {
    let text = include_str!("../../../config/languages.toml");
    let table: HashMap<String, Section> = toml::from_str(text).expect("a sound table");
    let mut kinds: Vec<_> = table.keys().map(String::as_str).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, KINDS);
    for (kind, section) in &table {
        let patterns = Patterns::of(section).unwrap_or_else(|error| panic!("{kind}: {error}"));
        for pattern in [&patterns.functions, &patterns.types, &patterns.imports].into_iter().flatten() {
            assert_eq!(pattern.captures_len(), 2, "one group in {pattern} of {kind}");
        }
        let blocks = section.block.iter().flat_map(|(begin, end)| [begin, end]);
        let quotes = section.strings.iter().map(|quote| &quote.begin);
        let marks = section.line.iter().chain(&section.column).chain(&section.skip).chain(blocks).chain(quotes);
        for mark in marks {
            assert!(!mark.is_empty() && mark.is_ascii(), "the mark {mark:?} of {kind}");
        }
        assert!(TABLE.contains_key(kind));
    }
}

#[test]
fn the_c_family_is_read() {
    names(
        "C",
        "/* Corn. */\n#include <stdio.h>\n#  include \"corn.h\"\n#define GROW(x) ((x) + 1)\nstruct field { int x; };\n\
         typedef unsigned long seed_t;\ntypedef struct { int a; } ear;\nstatic char *\n\
         name(struct field *f, int (*cb)(int))\n\
         {\n  if (f) { puts(\"/* no */ // no\"); }\n  else if (cb) {}\n}\nint main(void) { return '\"'; } // end\n\
         int proto(int);\n\
         old(a, b)\nint a;\nchar *b;\n{ }\n",
        ["GROW name main old", "field seed_t ear", "stdio.h corn.h", "Corn.  end"],
    );
    names(
        "CHeader",
        "#import \"a.h\"\nextern int grow (int a,\n   char *b);\nEXTERN int cut OF((int a));\n\
         class Field : public Land {\n  virtual ~Field();\n};\nenum colour { RED };\n",
        ["grow cut ~Field", "Field colour", "a.h", ""],
    );
    names(
        "Cpp",
        "#include <map>\nusing std::map;\nusing Ear = int;\n\
         template <class T> class Corn : Plant {\n  T grow(T t) const { return t; }\n};\n\
         Corn::Corn(int a) : x(a), y(1) {\n}\nauto s = R\"(int no() {)\";\nnamespace a { void b::c() noexcept {} }\n",
        ["grow Corn::Corn", "Ear Corn", "map", ""],
    );
    names(
        "ObjectiveC",
        "#import <Foundation/Foundation.h>\n@interface Corn : NSObject\n- (void)growTo:(int)height;\n\
         + (Corn *)corn;\n@end\n",
        ["growTo corn", "Corn", "Foundation/Foundation.h", ""],
    );
    names(
        "Java",
        "package a;\nimport java.util.List;\nimport static a.B.*;\n\
         /** Grows. */\npublic final class Corn<T> {\n  public Corn() { }\n  \
         protected static List<String> grow(int a,\n      int b) throws IOException {\n    if (a) { } else if (b) { }\n    for (;;) { }\n  }\n  \
         interface Ear { }\n}\n",
        ["Corn grow", "Corn Ear", "java.util.List a.B.*", "Grows."],
    );
    names(
        "CSharp",
        "using System;\nusing A = B.C;\n\
         namespace Land.Field {\n  public class Corn : Plant {\n    public Corn(int a) : base(a) { }\n    \
         public async Task<int> Grow() { using (x) { } }\n    public int High() => 1;\n  }\n}\n",
        ["Corn Grow High", "Land.Field Corn", "System B.C", ""],
    );
}

#[test]
fn scripts_for_the_web_are_read() {
    names(
        "JavaScript",
        "'use strict';\n// Grows corn.\nimport { a,\n  b } from './a.js';\nimport 'b';\nconst c = require(\"c\");\n\
         export async function grow() {}\n\
         const cut = (x) => x;\nCorn.prototype.eat = function () {};\n\
         class Corn extends Plant {\n  ripe(x) {\n    if (x) { }\n  }\n}\n\
         let s = `function no() {} // no`;\n",
        ["grow cut eat ripe", "Corn", "./a.js b c", "Grows corn."],
    );
    names(
        "TypeScript",
        "import type { A } from 'a';\nexport interface Corn<T> { x: T }\nexport type Ear = string;\nenum E { A }\n\
         export const grow = async (x: number): Promise<void> => {};\n\
         abstract class B {\n  private async ripe<T>(x: T): Promise<T> {\n  }\n}\n",
        ["grow ripe", "Corn Ear E B", "a", ""],
    );
    names(
        "PHP",
        "<?php\n/** Corn grows here. */\nnamespace Land\\Field;\nuse A\\B;\nrequire_once 'c.php';\n#[Attribute]\n\
         final class Corn {\n  \
         public static function &grow() { } # up\n}\n?><p>don't\n// it\n",
        ["grow", "Land\\Field Corn", "A\\B c.php", "Corn grows here.  up  it"],
    );
    names(
        "CSS",
        "@import url(\"a.css\");\n/* Fields */\n.corn > #ear, p { color: #fff }\n@keyframes grow { }\n",
        ["grow", ".corn", "a.css", "Fields"],
    );
}

#[test]
fn scripts_are_read() {
    names(
        "Python",
        "#!/usr/bin/env python3\n# Licence: none\n\"\"\"Grows corn.\n\nMore of it.\n\"\"\"\nimport os, sys as s\n\
         from a.b import (c)\n\
         async def grow(x='# no'):\n    'Grows.'\n    y = \"\"\"def no():\n\
         # no\"\"\"\n    return [\n        'a',\n    ]\n\nclass Körn:  # ripe\n    pass\n",
        ["grow", "Körn", "os sys a.b", "Grows corn.  More of it.  Grows.  Licence: none  ripe"],
    );
    names(
        "Perl",
        "package Corn::Ear;\nuse strict;\nrequire 'a.pl';\nmy $n = $#list; # count\nsub grow { s/#//; }\n\n\
         =head1 NAME\n\nCorn - grows\n\n=cut\n\nsub cut {}\n",
        ["grow cut", "Corn::Ear", "strict a.pl", "count  NAME  Corn - grows"],
    );
    names(
        "Tcl",
        "# Grows\npackage require Tk 8.5\nsource a.tcl\nnamespace eval ::corn {\n  proc grow {x} { puts \"# no\" }\n\
         }\n",
        ["grow", "::corn", "Tk a.tcl", "Grows"],
    );
    names("Awk", "# Counts\n@include \"a\"\nfunction f(x) { print \"# no\" }\n", ["f", "", "a", "Counts"]);
    names(
        "ShellScript",
        "#!/bin/sh\n# Grows corn\n. ./lib.sh\nsource b\ngrow() { echo $# \"${#x}\" '# no' a#b; }\n\
         function cut-it { :; }\ncat <<E\ndon't\nE\n# end\n",
        ["grow cut-it", "", "./lib.sh b", "Grows corn  end"],
    );
    names(
        "Ruby",
        "require 'json'\nmodule Land\n  class Corn < Plant\n    include A::B\n    # \"Grows.\"\n    def self.grow?(x) = \"#{x}\"\n  end\nend\n=begin\nLong\n=end\n",
        ["grow?", "Land Corn", "json A::B", "\"Grows.\"  Long"],
    );
    names(
        "Lua",
        "--[[ Corn\ngrows ]]\nlocal a = require 'a.b'\nfunction M.grow(x) end -- up\nM.cut = function() end\n\
         local s = [[\nfunction no()\n]]\n",
        ["M.grow M.cut", "", "a.b", "Corn grows  up"],
    );
    names(
        "R",
        "library(ggplot2)\n#' Grows\ngrow.corn <- function(x) { '# no' }\nCorn <- setClass(\"Corn\")\n",
        ["grow.corn", "Corn", "ggplot2", "' Grows"],
    );
    names(
        "SQL",
        "-- Fields\nCREATE TABLE IF NOT EXISTS \"land\".field (a text DEFAULT '-- no');\n\
         create or replace function grow() returns int;\n\\i a.sql\n",
        ["grow", "land\".field", "a.sql", "Fields"],
    );
}

#[test]
fn newer_languages_are_read() {
    names(
        "Rust",
        "//! Grows corn.\nuse std::{fmt, io};\npub(crate) struct Corn<'a>(&'a str);\n\
         impl Corn<'_> {\n    /* a /* b */ c */\n    pub async fn grow(&self) { let q = '\"'; /* d */ }\n}\n\
         const S: &str = r#\"\nfn no() {} // no\n\"#;\nmacro_rules! cut { () => {} }\n",
        ["grow cut", "Corn", "std", "Grows corn.  a /* b */ c  d"],
    );
    names(
        "Go",
        "// Package corn grows.\npackage corn\nimport (\n\t\"fmt\"\n\tx \"a/b\"\n)\ntype Ear struct{}\n\
         func (e *Ear) Grow() {}\nfunc New() {}\nvar s = []string{\n\t\"no\",\n}\n",
        ["Grow New", "corn Ear", "fmt a/b", "Package corn grows."],
    );
    names(
        "Kotlin",
        "import a.b.*\n/* x /* y */ z */\ndata class Corn(val a: Int)\nobject Land\n\
         private suspend fun <T> List<T>.grow() {}\n",
        ["grow", "Corn Land", "a.b.*", "x /* y */ z"],
    );
    names(
        "Swift",
        "import UIKit\n/// Grows\n@objc public final class Corn: Plant {\n  static func grow() {}\n}\n\
         extension Ear {}\n",
        ["grow", "Corn Ear", "UIKit", "Grows"],
    );
    names(
        "Scala",
        "package land.field\nimport a.b.{C, D}\ncase class Corn(x: Int)\n\
         object Land {\n  override def grow(): Unit = ()\n}\n",
        ["grow", "land.field Corn Land", "a.b", ""],
    );
}

#[test]
fn older_and_stranger_languages_are_read() {
    names(
        "Haskell",
        "{- | Corn {- x -} -}\nmodule Land.Field where\nimport qualified Data.Map as M\ndata Corn = Ear | Leaf\n\
         class Eq a => Plant a where\ngrow' :: Int -> Int -- up\ngrow' x = x\n",
        ["grow'", "Land.Field Corn Plant", "Data.Map", "| Corn {- x -}  up"],
    );
    names(
        "Fortran",
        "C     Grows corn\n      SUBROUTINE GROW(X)\n      INCLUDE 'a.inc'\n      END\n\
         module field ! here\n  use iso_c\n  type, public :: corn\n  end type\n\
         contains\n  pure real(8) function high(x)\n  call nothing('! no')\nend module\n",
        ["GROW high", "field corn", "a.inc iso_c", "Grows corn  here"],
    );
    names(
        "Pascal",
        "unit Land;\nuses SysUtils,\n  Classes;\ntype\n  TCorn = class(TPlant)\n    procedure Grow;\n  end;\n\
         { ripe }\nfunction TCorn.High: string;\nbegin Result := '{ no }'; end; (* done *)\n",
        ["Grow TCorn.High", "Land TCorn", "SysUtils Classes", "ripe  done"],
    );
    names(
        "Lisp",
        ";;; corn.el --- Grows corn -*- lexical-binding: t -*-\n(require 'cl-lib)\n\
         (defun corn-grow (x)\n  \"Grow X; taller.\"\n  (list ?\\; #\\\"))\n(define (cut y) \"no\")\n\
         (defstruct ear a)\n#| end |#\n",
        ["corn-grow cut", "ear", "cl-lib", "Grow X; taller.  corn.el --- Grows corn -*- lexical-binding: t -*-  end"],
    );
    names(
        "Ada",
        "with Ada.Text_IO, Land;\n\
         package body Field is\n   procedure Grow (X : Integer) is -- up\n   begin Put (\"-- no\" & '\"'); end;\n   type Corn is new Integer;\n",
        ["Grow", "Field Corn", "Ada.Text_IO Land", "up"],
    );
    names(
        "Erlang",
        "%% Grows corn\n-module(corn).\n-include(\"a.hrl\").\n-record(ear, {a}).\n\
         grow(X) when X > 0 ->\n  \"% no\", $%.\n",
        ["grow", "corn ear", "a.hrl", "Grows corn"],
    );
}

#[test]
fn other_languages_are_guessed() {
    names("OtherCode", "; grow\nmov ax, 1 ; ripe\n; cut\n", ["", "", "", "grow  ripe  cut"]);
    names("OtherCode", "(* corn *)\nlet x = 1 (* ear *)\n", ["", "", "", "corn  ear"]);
    names("OtherCode", "rem grow\n@echo off\nrem cut\n", ["", "", "", "grow  cut"]);
    names("OtherCode", "let x = 1\n", ["", "", "", ""]);
}

#[test]
fn the_head_tells_what_it_is_and_whose() {
    check(
        "C",
        "/* -*- mode: C -*-\n * corn.c - grow corn, e.g. maize. It is tall.\n * Copyright (C) 1994, 1995 Ann Roe\n *\n\
         * @author Bob Doe\n *\n * This program is free software under the terms of the GNU General\n\
         * Public License, either version 2, or (at your option) any later version.\n */\nint x;\n",
        &[
            ("Title", "grow corn, e.g. maize"),
            ("Description", "grow corn, e.g. maize. It is tall."),
            ("Copyright", "Copyright (C) 1994, 1995 Ann Roe"),
            ("Author", "Bob Doe"),
            ("License", "GPL-2.0-or-later"),
            ("Lines", "10"),
        ],
    );
    check(
        "Python",
        "# SPDX-License-Identifier: MIT OR Apache-2.0\n# vim: ts=4\n\"\"\"Corn.\n\nAuthor: Ann\n\"\"\"\n\
         '''Not this one at all'''\nx = 1\n",
        &[("Title", "Not this one at all"), ("Author", "Ann"), ("License", "MIT OR Apache-2.0")],
    );
    check("Cpp", "// (c) 1994 Ann Roe\n", &[("Copyright", "(c) 1994 Ann Roe"), ("Title", "")]);
    check("Go", "package a\n\nfunc f() { return }\n\n// A late comment.\n", &[("Title", ""), ("Description", "")]);
    check(
        "Lisp",
        ";;; corn.el --- Grows corn -*- lexical-binding: t -*-\n\n;; Permission is hereby granted, free of charge\n",
        &[("Title", "Grows corn"), ("License", "MIT")],
    );
    check(
        "Perl",
        "#!/usr/bin/perl -w\n=head1 NAME\n\nFile::Corn - it grows\n\n=cut\n",
        &[("Title", "File::Corn - it grows")],
    );
}

#[test]
fn urls_in_comments_are_references() {
    let draft = summarize("C", "// See http://example.com/corn.\nchar *s = \"http://example.com/no\";\n");
    assert_eq!(draft.references()[0].url.as_str(), "http://example.com/corn");
    assert_eq!(draft.references().len(), 1);
}

#[test]
fn no_source_hurts_however_broken() {
    let pieces = [
        "/*", "\"", "'", "#|", "{-", "(*", "\"\"\"", "ü", "\\", "\n", "=pod\n", "f(", "--[[", "`", "r#\"", "int f(",
        "${#", "C\n",
    ];
    for kind in KINDS {
        for piece in pieces {
            summarize(kind, &piece.repeat(3_000));
            summarize(kind, &format!("a {piece} ü"));
        }
        summarize(kind, &pieces.concat().repeat(200));
        summarize(kind, "");
        assert!(summarize(kind, &"f() {\nclass x\n".repeat(20_000)).get("Functions").unwrap_or_default().len() < 20);
    }
}

#[test]
fn names_have_a_limit() {
    let many: String = (0..3_000).map(|number| format!("def f{number}(): pass\n")).collect();
    let draft = summarize("Python", &many);
    assert_eq!(draft.get("Functions").map(|names| names.lines().count()), Some(NAMES));
}
