use crate::testing::{check, summarize};
use gatherer_pipeline::Draft;

const OBJECT: &[u8] = include_bytes!("fixtures/corn.o");
const PROGRAM: &[u8] = include_bytes!("fixtures/corn.elf");
const LIBRARY: &[u8] = include_bytes!("fixtures/libcorn.a");
const CLASS: &[u8] = include_bytes!("fixtures/Corn.class");
const MODULE: &[u8] = include_bytes!("fixtures/corn.wasm");

fn read(body: &[u8]) -> Draft {
    summarize("Binary", "a.bin", body).expect("never refuses")
}

fn has_line(draft: &Draft, name: &str, line: &str) -> bool {
    draft.get(name).is_some_and(|value| value.lines().any(|known| known == line))
}

#[test]
fn an_object_tells_its_symbols_and_strings() {
    let draft = read(OBJECT);
    check(&draft, &[("Format", "ELF 64-bit"), ("Object-Kind", "object"), ("Symbols", "grow\nmain")]);
    assert!(has_line(&draft, "Imported-Symbols", "puts"));
    assert!(draft.text().lines().any(|line| line == "The corn is growing well"), "{}", draft.text());
}

#[test]
fn a_program_tells_its_libraries_and_build() {
    let draft = read(PROGRAM);
    check(&draft, &[("Libraries", "libc.so.6"), ("Build-Id", "00112233"), ("Format", "ELF 64-bit")]);
}

#[test]
fn a_library_tells_what_all_its_members_have() {
    let draft = read(LIBRARY);
    check(&draft, &[("Format", "library\nELF 64-bit"), ("Members", "corn.o\ngrow.o"), ("Symbols", "grow\nmain\nseed")]);
}

#[test]
fn a_class_tells_its_name_and_methods() {
    check(
        &read(CLASS),
        &[
            ("Format", "Java class"),
            ("Title", "org.example.Corn"),
            ("Super-Class", "java.util.ArrayList"),
            ("Interfaces", "java.lang.Runnable"),
            ("Fields", "size"),
            ("Symbols", "run\ngrow"),
        ],
    );
}

#[test]
fn a_module_tells_imports_and_exports() {
    let draft = read(MODULE);
    check(&draft, &[("Format", "WebAssembly module"), ("Symbols", "grow"), ("Imported-Symbols", "env.rain")]);
    assert_eq!(draft.complaints(), [] as [&str; 0]);
}

#[test]
fn damaged_programs_are_survived() {
    for body in [OBJECT, CLASS, MODULE, LIBRARY] {
        for end in (0..body.len()).step_by(1 + body.len() / 400) {
            read(&body[..end]);
            let mut wrong = body.to_vec();
            wrong[end] = 0xFF;
            read(&wrong);
        }
    }
    let draft = read(b"\0\x01no program but words\0");
    check(&draft, &[("Format", ""), ("text", "no program but words")]);
    assert_eq!(draft.complaints(), ["only strings can be read"]);
    check(&read(b""), &[("text", "")]);
}

#[test]
fn strings_are_told_once_and_up_to_a_limit() {
    check(&read(b"\x01abcdef\x01abcdef\x01short\x01%%$$##@@\x01"), &[("text", "abcdef")]);
    let many: String = (0..100_000).map(|number| format!("words{number}\0")).collect();
    assert!(read(many.as_bytes()).text().len() <= 64 << 10);
}

#[test]
fn a_windows_library_tells_exports_and_libraries() {
    check(
        &read(include_bytes!("fixtures/corn.dll")),
        &[("Format", "PE 64-bit"), ("Architecture", "x86_64"), ("Symbols", "grow"), ("Libraries", "KERNEL32.dll")],
    );
}
