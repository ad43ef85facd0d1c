use super::*;

fn tables() -> Tables {
    Tables::builtin().expect("sound tables")
}

fn raw() -> Raw {
    toml::from_str(include_str!("../../../../config/kinds.toml")).expect("sound tables")
}

#[test]
fn every_extension_gives_its_kind() {
    let (tables, mut count) = (tables(), 0);
    for (kind, extensions) in raw().by_name.extension {
        for extension in extensions {
            let vote = tables.by_name(&format!("Corn.{}", extension.to_uppercase())).expect("a vote");
            assert_eq!((vote.kind.name(), vote.because), (kind.as_str(), format!("extension .{extension}")));
            count += 1;
        }
    }
    assert!(count > 300, "{count} extensions");
}

#[test]
fn every_whole_name_and_media_type_gives_its_kind() {
    let (tables, raw) = (tables(), raw());
    for (kind, names) in raw.by_name.whole {
        assert!(names.iter().all(|name| tables.by_name(name).is_some_and(|vote| vote.kind.name() == kind)));
    }
    for (kind, types) in raw.by_media_type {
        let told = |media_type: &String| tables.by_media_type(&media_type.replace("*+", "x/y+").replace('*', "x"));
        assert!(types.iter().all(|media_type| told(media_type).is_some_and(|told| told.name() == kind)), "{kind}");
    }
}

#[test]
fn refining_knows_only_known_kinds() {
    let (kinds, asides) = (Tables::builtin_kinds(), ["Text with tags", "HTML without head"]);
    for (general, exact) in raw().refine {
        assert!(kinds.contains(&general) || asides.contains(&general.as_str()), "{general}");
        assert!(exact.iter().all(|kind| kinds.contains(kind)), "{general}");
    }
}

/// All that the library of magic numbers can say, but octet-stream. To be looked through when it is renewed.
#[test]
fn every_magic_number_gives_a_kind() {
    let said = "application/dicom application/epub+zip application/font-sfnt application/font-woff application/gzip \
        application/java application/msword application/pdf application/postscript application/rtf application/vnd.android.dex \
        application/vnd.android.dey application/vnd.bzip3 application/vnd.debian.binary-package \
        application/vnd.microsoft.portable-executable application/vnd.ms-cab-compressed application/vnd.ms-excel \
        application/vnd.ms-powerpoint application/vnd.oasis.opendocument.presentation \
        application/vnd.oasis.opendocument.spreadsheet application/vnd.oasis.opendocument.text \
        application/vnd.openxmlformats-officedocument.presentationml.presentation \
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet \
        application/vnd.openxmlformats-officedocument.wordprocessingml.document application/vnd.rar \
        application/vnd.sqlite3 application/wasm application/x-7z-compressed application/x-bzip2 application/x-compress \
        application/x-cpio application/x-executable application/x-google-chrome-extension application/x-llvm \
        application/x-lz4 application/x-lzip application/x-mach-binary application/x-mobipocket-ebook \
        application/x-nintendo-nes-rom application/x-ole-storage application/x-par2 application/x-qemu-disk \
        application/x-rpm application/x-shockwave-flash application/x-tar application/x-unix-archive \
        application/x-x509-ca-cert application/x-xz application/zip application/zstd audio/x image/x text/html \
        text/x-shellscript text/xml video/x";
    let tables = tables();
    assert_eq!(
        said.split_whitespace().filter(|said| tables.by_media_type(said).is_none()).collect::<Vec<_>>(),
        [""; 0]
    );
}

#[test]
fn names_are_asked_in_order() {
    let check = |name: &str, expected: &str| {
        let vote = tables().by_name(name).map(|vote| format!("{} {}", vote.kind, vote.because));
        assert_eq!(vote.as_deref().unwrap_or_default(), expected, "{name}");
    };
    check("corn.tar.gz", "GNUCompressedTar extension .tar.gz");
    check("corn-1.2.3.ps.gz", "GNUCompressed extension .gz");
    check("Makefile", "Makefile name makefile");
    check("README", "README pattern ^read[-_.]?me");
    check("README.txt", "README pattern ^read[-_.]?me");
    check("README.md", "Markdown extension .md");
    check("corn-faq.txt", "FAQ pattern (^|[-_.])faq([-_.]|$)");
    check("rfc1436.txt", "RFC pattern ^rfc-?[0-9]+(\\.txt)?$");
    check("draft-corn-00.txt", "Internet-Draft pattern ^draft-.+\\.txt$");
    check("corn.txt", "Text extension .txt");
    check("ls.1", "ManPage pattern [a-z_]\\.[1-8](x|p|pm|ssl)?$");
    check("libcorn.so.1", "Object pattern \\.so(\\.[0-9]+)+$");
    check("corn.c,v", "RCS pattern ,v$");
    check("corn.c~", "Backup pattern ~$|^#.*#$");
    check(".cornrc", "DotFile pattern ^\\.[^.]");
    check("release-1.2", "");
    check("index.php3", "");
    check("corn", "");
    check("ü.", "");
    check(&".".repeat(1000), "");
}

#[test]
fn media_types_fall_back() {
    let check = |header: &str, expected: &str| {
        let vote = tables().by_header(header);
        assert_eq!(vote.as_ref().map_or("", |vote| vote.kind.name()), expected, "{header}");
    };
    check("Text/HTML; charset=utf-8", "HTML");
    check("image/x-unheard-of", "Image");
    check("image/svg+xml", "SVG");
    check("application/corn+xml", "XML");
    check("application/corn+json ; v=1", "JSON");
    check("text/corn", "Text");
    check("application/octet-stream", "");
    check("", "");
    check("html", "");
}

#[test]
fn broken_tables_are_refused() {
    let check = |from: &str, to: &str, expected: &str| {
        assert!(BUILTIN.contains(from), "{from}");
        let refused = Tables::read(&BUILTIN.replacen(from, to, 1)).err().expect("a refusal");
        assert_eq!(refused.to_string(), expected, "{to}");
    };
    let syntax = "cannot read the built-in table of kinds";
    let pattern = "cannot read a pattern in the built-in table of kinds";
    let magic = " in the built-in table of kinds is no magic number of two bytes or more";
    check("[by-name.whole]", "[by-name.hole]", syntax);
    check("Awk = [\"awk\"]", "Awk = [\"awk\", \"C\"]", "c stands twice in the built-in table of kinds");
    check("^read[-_.]?me", "(", pattern);
    check("^@echo off", "(", pattern);
    check("kind = \"Awk\"\nhints", "kind = \"Tcl\"\nhints", "Tcl stands twice in the built-in table of kinds");
    check("hex = \"f702018392c0\"", "hex = \"f70x\"", &format!("\"f70x\"{magic}"));
    check("hex = \"f702018392c0\"", "hex = \"f70\"", &format!("\"f70\"{magic}"));
    check("hex = \"f702018392c0\"", "at = 1", &format!("\"\"{magic}"));
    check("text = \"ttcf\"", "text = \"t\"", &format!("\"t\"{magic}"));
    let over = "no lines in the built-in table of kinds tell Corn, so nothing can be over it";
    check("over = [\"Troff\"]", "over = [\"Corn\"]", over);
}

#[test]
fn lines_give_points() {
    let tables = tables();
    let check = |text: &str, expected: &str| {
        let kind = tables.guess(text).kind;
        assert_eq!(kind.as_ref().map_or("", Kind::name), expected, "{text:?}");
    };
    check("import corn\n", "");
    check("import corn\nraise Corn\n", "Python");
    check("def corn(x):\n", "Python");
    // An indented one is a hint.
    check("    def corn(x):\n", "");
    // Examples in a text for readers count nothing.
    let prose = "This is how corn is grown in this language of ours\n".repeat(3);
    check(&format!("{prose}    import corn\n    def corn(x):\n    class Corn:\n"), "");
    check(&format!("{prose}import corn\ndef corn(x):\n"), "Python");
    // Nor do those between fences.
    check("```python\nimport corn\ndef corn(x):\n```\n", "Markdown");
    // One pattern counts once.
    check(&"import corn\n".repeat(9), "");
    check("", "");
    check(&"\n".repeat(4096), "");
    check(&"(".repeat(4096), "");
}

#[test]
fn every_name_of_a_kind_is_known() {
    let kinds = crate::known_kinds();
    assert!(kinds.is_sorted() && kinds.len() > 100, "{}", kinds.len());
    for kind in ["HTML", "HomeHTML", "Unknown", "Rust", "Mailbox", "OLE", "TOML", "Internet-Draft"] {
        assert!(kinds.contains(&kind), "{kind}");
    }
}
