//! dBase tables: the header with its columns.

use gatherer_pipeline::Draft;

/// First bytes of the dialects of dBase, `FoxPro` and Clipper.
const VERSIONS: &[u8] = &[0x02, 0x03, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8B, 0x8E, 0xCB, 0xF5, 0xFB];

/// Writes the header of a table. Says whether it is one.
pub(super) fn write(body: &[u8], draft: &mut Draft) -> bool {
    let Some(header) = body.first_chunk::<32>() else { return false };
    let [version, year, month, day, rows @ ..] = header;
    let rows = u32::from_le_bytes([rows[0], rows[1], rows[2], rows[3]]);
    let is_table = VERSIONS.contains(version) && (1..=12).contains(month) && (1..=31).contains(day);
    let columns: Vec<_> = body.get(32..).unwrap_or_default().chunks_exact(32).map_while(column).take(255).collect();
    if !is_table || columns.is_empty() {
        return false;
    }
    draft.add("Format", "dBase");
    // The year counts from 1900; some programs wrote it modulo 100.
    let year = u16::from(*year) + if *year < 70 { 2000 } else { 1900 };
    draft.add("Modified", &format!("{year:04}-{month:02}-{day:02}"));
    draft.add("Rows", &rows.to_string());
    draft.add("Columns", &columns.join("\n"));
    true
}

/// The name of a column; none where the list of columns ends.
fn column(descriptor: &[u8]) -> Option<String> {
    let name = descriptor.get(..11)?.split(|byte| *byte == 0).next()?;
    let is_name = !name.is_empty() && name.iter().all(|byte| *byte > b' ' && *byte != 0x0D);
    is_name.then(|| String::from_utf8_lossy(name).into_owned())
}
