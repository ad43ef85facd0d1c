//! What Harvest's C parser accepts, row by row, and what other readers and daemons add to it.

use crate::check;

const CORN: &str = "@FILE u\n T=Corn";

#[test]
fn bytes_before_the_first_header_are_skipped() {
    check("@FILE { u\nT{4}:\tCorn\n}\n", CORN);
    check("200 - sending {all} of it }\n\n@FILE { u\nT{4}:\tCorn\n}\n", CORN);
    check(b"\x00\xff junk @FILE { u\nT{4}:\tCorn\n}\n", CORN);
    check("", "");
    check("nothing here }\n", "");
}

#[test]
fn the_type_ends_at_white_space_or_brace() {
    check("@X-1.y { u\n}", "@X-1.y u");
    check("@FILE\t{ u\n}", "@FILE u");
    check("@FILE{ u\n}", "@FILE u");
    check("@FILE{u\n}", "@FILE u");
    check("@FILE {u\n}", "@FILE u");
}

#[test]
fn braces_and_white_space_before_the_url_are_skipped() {
    check("@FILE\n{\n\n  u\n}", "@FILE u");
    check("@FILE {\u{b}\u{c}\r\n\tu\n}", "@FILE u");
    check("@FILE { { u\n}", "@FILE u");
}

#[test]
fn the_url_is_one_token() {
    check("@FILE { http://x/{a}?b@c \n}", "@FILE http://x/{a}?b@c");
    check("@FILE { u T{4}:\tCorn\n}", CORN);
    check(b"@FILE { http://x/caf\xe9\n}", "@FILE http://x/café");
}

#[test]
fn the_url_is_not_empty() {
    check("@FILE { }\n@FILE { u\n}", "!malformed\n@FILE u");
    check("@FILE {\n}\n@FILE { u\n}", "!malformed\n@FILE u");
    check("@OTHER {\n@FILE { u\n}", "!malformed\n@FILE u");
}

#[test]
fn white_space_before_a_name_is_skipped() {
    check("@FILE { u\n\n \t\u{b}T{4}:\tCorn\n}", CORN);
}

#[test]
fn names_keep_their_inner_spaces() {
    check("@FILE { u\nLast Change{1}:\tx\n}", "@FILE u\n Last Change=x");
    check("@FILE { u\nT {4}:\tCorn\n}", CORN);
    check("@FILE { u\n@id{1}:\tx\n}", "@FILE u\n @id=x");
    check(b"@FILE { u\nGr\xf6\xdfe{1}:\tx\n}", "@FILE u\n Größe=x");
}

#[test]
fn sizes_are_decimal() {
    check("@FILE { u\nT{0004}:\tCorn\n}", CORN);
    check("@FILE { u\nT{ 4 }:\tCorn\n}", CORN);
    check("@FILE { u\nT{four}:\tCorn\n}", "!malformed");
    check("@FILE { u\nT{}:\tCorn\n}", "!malformed");
    check("@FILE { u\nT{0}:\t\nA{1}:\tx\n}", "@FILE u\n T=\n A=x");
}

#[test]
fn colon_and_tab_are_required() {
    check("@FILE { u\nT{4}: Corn\n}", "!malformed");
    check("@FILE { u\nT{4}\tCorn\n}", "!malformed");
    check("@FILE { u\nT: Corn\n}", "!malformed");
}

#[test]
fn a_second_tab_belongs_to_the_value() {
    check("@FILE { u\nT{3}:\t\tab\n}", "@FILE u\n T=\\tab");
}

#[test]
fn values_hold_anything() {
    check(
        b"@FILE { u\nT{16}:\t}\n@FILE { v\n}\n\x00\xff\r\nA{1}:\tx\n}",
        "@FILE u\n T=}\\n@FILE { v\\n}\\n\\x00\\xff\n A=x",
    );
}

#[test]
fn the_line_break_behind_a_value_is_optional() {
    check("@FILE { u\nT{4}:\tCornA{1}:\tx}", "@FILE u\n T=Corn\n A=x");
    check("@FILE { u\nT{4}:\tCorn\n\n \nA{1}:\tx\n }", "@FILE u\n T=Corn\n A=x");
}

#[test]
fn crlf_is_white_space() {
    check("@FILE { u\r\nT{4}:\tCorn\r\nA{1}:\tx\r\n}\r\n", "@FILE u\n T=Corn\n A=x");
}

#[test]
fn objects_may_be_without_attributes() {
    check("@FILE { u\n}\n@FILE { v\n}\n", "@FILE u\n@FILE v");
    check("@FILE { u\n}@FILE { v\n}", "@FILE u\n@FILE v");
}

#[test]
fn a_size_beyond_the_end_loses_the_rest() {
    check("@FILE { u\n}\n@FILE { v\nT{99}:\tCorn\n}\n@FILE { w\n}\n", "@FILE u\n!cut");
}

#[test]
fn duplicates_are_kept() {
    check("@FILE { u\nT{1}:\ta\nt{1}:\tb\n}\n", "@FILE u\n T=a\n t=b");
}

#[test]
fn wrappers_hold_objects() {
    check(
        "@DELETE { }\n@REFRESH { }\n@UPDATE {\n@FILE { u\nT{4}:\tCorn\n}\n\n@FILE { v\n}\n\n}\n",
        "DELETE {\n} DELETE\nREFRESH {\n} REFRESH\nUPDATE {\n@FILE u\n T=Corn\n@FILE v\n} UPDATE",
    );
}

#[test]
fn wrappers_are_lenient() {
    check("@update{\r\n}\r\n", "UPDATE {\n} UPDATE");
    check("@Delete\n{\n\n}", "DELETE {\n} DELETE");
    check("@UPDATE { @FILE { u\n} }", "UPDATE {\n@FILE u\n} UPDATE");
    check("@UPDATE {\n@FILE { u\n}\n@REFRESH { }", "UPDATE {\n@FILE u\n} UPDATE\nREFRESH {\n} REFRESH");
    check("@DELETE { }\n}\n@FILE { u\n}", "DELETE {\n} DELETE\n@FILE u");
}

#[test]
fn a_wrapper_name_with_a_url_is_an_object() {
    check("@DELETE { http://x/\n}\n", "@DELETE http://x/");
    check("@DELETE {\nhttp://x/\n}\n", "@DELETE http://x/");
}
