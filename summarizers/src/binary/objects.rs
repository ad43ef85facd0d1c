//! ELF, Mach-O, PE, COFF and XCOFF, and libraries of them.

use super::Names;
use gatherer_pipeline::Draft;
use object::read::NameOrOrdinal;
use object::read::archive::ArchiveFile;
use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};
use object::{Architecture, BinaryFormat, File, FileKind, Object, ObjectKind, ObjectSymbol};

/// Most members of a library that are read.
const MEMBERS: usize = 1_000;
/// Most symbols of one file that are looked at.
const LOOKED_AT: usize = 200_000;

/// What is collected over all members of a library and all parts of a fat file.
#[derive(Default)]
struct Found {
    formats: Names,
    architectures: Names,
    sorts: Names,
    symbols: Names,
    imports: Names,
    libraries: Names,
    members: Names,
    builds: Names,
}

/// Writes what can be read; what is of no known form only has strings.
pub(super) fn write(body: &[u8], draft: &mut Draft) {
    let mut found = Found::default();
    let is_read = match FileKind::parse(body) {
        Ok(FileKind::Archive) => found.library(body),
        Ok(FileKind::MachOFat32) => match MachOFatFile32::parse(body) {
            Ok(fat) => found.fat(fat.arches(), body),
            Err(_) => false,
        },
        Ok(FileKind::MachOFat64) => match MachOFatFile64::parse(body) {
            Ok(fat) => found.fat(fat.arches(), body),
            Err(_) => false,
        },
        _ => found.file(body),
    };
    if !is_read {
        draft.complain("only strings can be read");
    }
    found.formats.write("Format", draft);
    found.architectures.write("Architecture", draft);
    found.sorts.write("Object-Kind", draft);
    found.members.write("Members", draft);
    found.symbols.write("Symbols", draft);
    found.imports.write("Imported-Symbols", draft);
    found.libraries.write("Libraries", draft);
    found.builds.write("Build-Id", draft);
}

impl Found {
    /// A library of objects; some members may be something else.
    fn library(&mut self, body: &[u8]) -> bool {
        let Ok(library) = ArchiveFile::parse(body) else { return false };
        self.formats.add(b"library");
        for member in library.members().take(MEMBERS).map_while(Result::ok) {
            self.members.add(member.name());
            if let Ok(data) = member.data(body) {
                self.file(data);
            }
        }
        true
    }

    /// The same program for several architectures.
    fn fat<A: FatArch>(&mut self, parts: &[A], body: &[u8]) -> bool {
        let parts = parts.iter().take(20).filter_map(|part| part.data(body).ok());
        parts.filter(|part| self.file(part)).count() > 0
    }

    fn file(&mut self, body: &[u8]) -> bool {
        let Ok(file) = File::parse(body) else { return false };
        self.formats.add(format(&file).as_bytes());
        if file.architecture() != Architecture::Unknown {
            self.architectures.add(format!("{:?}", file.architecture()).to_ascii_lowercase().as_bytes());
        }
        self.sorts.add(sort(file.kind()).as_bytes());
        for symbol in file.symbols().chain(file.dynamic_symbols()).take(LOOKED_AT) {
            let Ok(name) = symbol.name_bytes() else { continue };
            if symbol.is_undefined() {
                self.imports.add(name);
            } else if symbol.is_global() && symbol.is_definition() {
                self.symbols.add(name);
            }
        }
        for export in file.exports().into_iter().flatten().map_while(Result::ok).take(LOOKED_AT) {
            if let NameOrOrdinal::Name(name) = export.name() {
                self.symbols.add(name);
            }
        }
        for library in file.import_libraries().into_iter().flatten().map_while(Result::ok).take(LOOKED_AT) {
            self.libraries.add(library.name());
        }
        let uuid = file.mach_uuid().ok().flatten();
        if let Some(build) = file.build_id().ok().flatten().or(uuid.as_ref().map(<[u8; 16]>::as_slice)) {
            let build: String = build.iter().take(64).map(|byte| format!("{byte:02x}")).collect();
            self.builds.add(build.as_bytes());
        }
        true
    }
}

fn format(file: &File<'_>) -> String {
    let name = match file.format() {
        BinaryFormat::Elf => "ELF",
        BinaryFormat::MachO => "Mach-O",
        BinaryFormat::Pe => "PE",
        BinaryFormat::Coff => "COFF",
        BinaryFormat::Xcoff => "XCOFF",
        _ => "object",
    };
    format!("{name} {}-bit", if file.is_64() { 64 } else { 32 })
}

fn sort(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Relocatable => "object",
        ObjectKind::Executable => "executable",
        ObjectKind::Dynamic => "shared library",
        ObjectKind::Core => "core dump",
        _ => "",
    }
}
