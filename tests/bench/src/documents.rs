//! Documents that are not HTML, small and well formed.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::io::{self, Write};

/// One page of lines.
pub(crate) fn pdf(title: &str, lines: &[String]) -> Vec<u8> {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    let mut text = String::from("BT /F1 10 Tf 14 TL 50 800 Td\n");
    for line in lines {
        let _ = writeln!(text, "({}) Tj T*", escaped(line));
    }
    text.push_str("ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        format!("<< /Title ({}) >>", escaped(title)),
    ];
    let mut pdf = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(pdf.len());
        let _ = write!(pdf, "{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let start = pdf.len();
    let _ = write!(pdf, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _ = writeln!(pdf, "{place:010} 00000 n ");
    }
    let size = objects.len() + 1;
    let _ = write!(pdf, "trailer\n<< /Size {size} /Root 1 0 R /Info 6 0 R >>\nstartxref\n{start}\n%%EOF\n");
    pdf.into_bytes()
}

/// A packed archive of these files; empty if memory is too small for it.
pub(crate) fn archive(files: impl Iterator<Item = (String, String)>) -> Vec<u8> {
    let write = || -> io::Result<Vec<u8>> {
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append_data(&mut header, name, text.as_bytes())?;
        }
        let mut packer = builder.into_inner()?;
        packer.flush()?;
        packer.finish()
    };
    write().unwrap_or_default()
}
