//! Tiny bodies of every kind that is no text.

fn at(place: usize, bytes: &[u8]) -> Vec<u8> {
    let mut body = vec![0; place.max(600)];
    body.truncate(place);
    body.extend(bytes);
    body.resize(body.len().max(600), 0);
    body
}

/// A ZIP with these members, all empty but `mimetype`, with its directory at the end.
pub(super) fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let (mut body, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in members {
        let lengths = [u8::try_from(name.len()).expect("a short name"), 0, 0, 0];
        let sizes = [u8::try_from(data.len()).expect("short data"), 0, 0, 0];
        body.extend([b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0".as_slice(), &sizes, &sizes, &lengths].concat());
        body.extend([name.as_bytes(), data.as_bytes()].concat());
        directory.extend(b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\0\0\0\0\0\0");
        directory.extend([sizes.as_slice(), &sizes, &lengths, &[0; 14], name.as_bytes()].concat());
    }
    let size = u32::try_from(directory.len()).expect("few members").to_le_bytes();
    body.extend(directory);
    body.extend([b"PK\x05\x06\0\0\0\0\0\0\0\0".as_slice(), &size, &[0; 6]].concat());
    body
}

/// A compound file whose directory has entries of these names, from this sector on.
pub(super) fn compound(sector: u8, names: &[&str]) -> Vec<u8> {
    let mut body = at(0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
    body[30] = 9;
    body[48] = sector;
    body.resize((usize::from(sector) + 1) * 512, 0);
    for name in names {
        let mut entry: Vec<u8> = name.bytes().flat_map(|byte| [byte, 0]).collect();
        entry.resize(128, 0);
        entry[64] = u8::try_from(2 * name.len() + 2).expect("a short name");
        body.extend(entry);
    }
    body
}

/// An empty file of a tar without magic number.
fn old_tar() -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..8].copy_from_slice(b"corn.txt");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
    header
}

#[rustfmt::skip]
pub(super) fn samples() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let numbers: Vec<(&str, usize, &[u8])> = vec![
        ("Archive", 0, b"!<arch>\ncorn.o/         \0"), ("Archive", 0, b"070707\0"), ("Archive", 32769, b"CD001"),
        ("Archive", 0, b"\xED\xAB\xEE\xDB\x03"),
        ("Audio", 0, b".snd\0\0"), ("Audio", 4, b"ftypM4A \0"), ("Audio", 0, b"MThd\0\0\0\x06"), ("Audio", 0, b"fLaC\0"),
        ("Binary", 0, b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0"), ("Binary", 0, b"MZ\x90\0"),
        ("Binary", 0, b"\xCA\xFE\xBA\xBE\0\0\0\x02"),
        ("Bzip2", 0, b"BZh91AY&SY\0"), ("Compressed", 0, b"\x1F\x9D\x90\0"), ("GNUCompressed", 0, b"\x1F\x8B\x08\0"),
        ("Data", 0, b"\x89HDF\r\n\x1A\n\0"),
        ("Database", 12, b"\x62\x31\x05\0"), ("Database", 0, b"SQLite format 3\0"), ("Database", 0, b"\0\x01\0\0Standard Jet DB\0"),
        ("Dvi", 0, b"\xF7\x02\x01\x83\x92\xC0\x1C\x3B\0"),
        ("Font", 0, b"ttcf\0\x01"), ("Font", 0, b"\x01fcp\0"), ("Font", 0, b"\x80\x01\x12\x34\0\0%!PS-AdobeFont"), ("Font", 0, b"OTTO\0"),
        ("GDBM", 0, b"\xCE\x9A\x57\x13\0"),
        ("Image", 4, b"ftypavif\0"), ("Image", 4, b"ftypheic\0"), ("Image", 0, b"\0\0\x01\0\x01\0"), ("Image", 0, b"P6\n1 1\n255\n\0\0\0"),
        ("Image", 0, b"AT&TFORM\0\0\0\0DJVU"), ("Image", 0, b"\xFF\x0A\0"), ("Image", 0, b"\xFF\xD8\xFF\xE0\0"),
        ("MacCompressed", 0, b"SIT!\0\0\0\0\0\0rLau\0"),
        ("Mobipocket", 60, b"BOOKMOBI\0"), ("Mobipocket", 60, b"TEXtREAd\0"),
        ("Object", 0, b"\xCA\xFE\xBA\xBE\0\0\0\x34"), ("Object", 0, b"\xA7\x0D\x0D\x0A\0\0\0\0"),
        ("Object", 0, b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0"),
        ("OtherCompressed", 0, b"\x89LZO\0\r\n\x1A\n\0"),
        ("PCCompressed", 0, b"\x1D\x4C-lh5-\0"), ("Pdf", 0, b"\0junk\r\n%PDF-1.4\r\n"),
        ("PostScript", 0, b"\xC5\xD0\xD3\xC6\0"), ("Rar", 0, b"Rar!\x1A\x07\x01\0"), ("SevenZip", 0, b"7z\xBC\xAF\x27\x1C\0"),
        ("Tar", 257, b"ustar\x0000"),
        ("Video", 4, b"ftypisom\0"), ("Video", 4, b"ftypxxxx\0"), ("Video", 0, b"\x1A\x45\xDF\xA3\0"),
        ("WordPerfect", 0, b"\xFFWPC\0"), ("Xz", 0, b"\xFD7zXZ\0"), ("Xz", 0, b"\x5D\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0"),
        ("Zstd", 0, b"\x28\xB5\x2F\xFD\0"), ("Unknown", 0, b"\x05\x06\x07\0"),
    ];
    let office = |member| zip(&[("[Content_Types].xml", ""), ("_rels/.rels", ""), (member, "")]);
    let made = vec![
        ("Tar", old_tar()),
        ("MSWord", office("word/document.xml")), ("MSExcel", office("xl/workbook.xml")), ("MSPowerpoint", office("ppt/presentation.xml")),
        ("EPUB", zip(&[("mimetype", "application/epub+zip"), ("META-INF/container.xml", "")])),
        ("EPUB", zip(&[("META-INF/container.xml", ""), ("OEBPS/corn.xhtml", "")])),
        ("OpenDocument", zip(&[("mimetype", "application/vnd.oasis.opendocument.text-template"), ("content.xml", "")])),
        ("JavaArchive", zip(&[("META-INF/", ""), ("META-INF/MANIFEST.MF", ""), ("Corn.class", "")])),
        ("Zip", zip(&[("META-INF/MANIFEST.MF", ""), ("AndroidManifest.xml", "")])),
        ("Zip", zip(&[("word/", ""), ("word/corn.txt", "")])), ("Zip", zip(&[("mimetype", "corn/maize")])), ("Zip", zip(&[])),
        ("MSWord", compound(0, &["Root Entry", "WordDocument", "Workbook"])), ("MSExcel", compound(200, &["Root Entry", "Book"])),
        ("MSPowerpoint", compound(1, &["Root Entry", "PowerPoint Document"])),
        ("OutlookMessage", compound(1, &["Root Entry", "__properties_version1.0", "WordDocument"])),
        ("OLE", compound(1, &["Root Entry", "Corn", "Booklet"])),
    ];
    numbers.into_iter().map(|(kind, place, bytes)| (kind, at(place, bytes))).chain(made)
}

#[test]
fn a_cut_or_nested_zip_is_told_by_its_first_members() {
    let document =
        zip(&[("[Content_Types].xml", ""), ("_rels/.rels", ""), ("word/document.xml", "x"), ("word/b.xml", "")]);
    let cut = &document[..document.len() - 100];
    assert_eq!(super::found(cut).kind.name(), "MSWord");
    // What is packed within is not the ZIP's own member.
    let inner: String = document.iter().take(120).map(|byte| char::from(byte & 0x7F)).collect();
    assert_eq!(super::found(&zip(&[("corn.docx", &inner)])).kind.name(), "Zip");
}

#[test]
fn the_class_of_a_compound_file_counts_before_its_streams() {
    let mut body = compound(0, &["Root Entry", "WordDocument"]);
    body[512 + 80..512 + 84].copy_from_slice(&[0x20, 0x08, 0x02, 0x00]);
    assert_eq!(super::found(&body).kind.name(), "MSExcel");
    // A directory that is nowhere.
    body[48..52].fill(0xFF);
    assert_eq!(super::found(&body).kind.name(), "MSWord");
}
