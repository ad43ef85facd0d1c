//! Pictures: what they are, and what is written into them besides the picture.

mod camera;
mod containers;
mod iptc;
pub(crate) mod moment;
#[cfg(test)]
mod tests;
mod tiff;
pub(crate) mod xmp;

use containers::Parts;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use imagesize::{Compression, ImageType};
use std::panic::catch_unwind;
use xmp::{Packet, add_new, fill};

pub(crate) const KINDS: &[&str] = &["Image"];

/// Format, size, and the words of whoever made or archived the picture.
pub(crate) struct Image;

impl Summarizer for Image {
    fn name(&self) -> &'static str {
        concat!("image ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = Draft::new();
        let (format, size) = look(leaf.body).ok_or_else(|| Refusal::Cannot("no known form of a picture".to_owned()))?;
        draft.add("Format", format);
        match size {
            Some((width, height)) => draft.add("Dimensions", &format!("{width}x{height}")),
            None => draft.complain(format!("the {format} picture does not say its size")),
        }
        let parts = Parts::of(leaf.body);
        // Whoever edits a picture keeps XMP in order best, then IPTC; what the camera wrote comes first in time and
        // last here.
        if let Some(packet) = &parts.xmp {
            Packet::parse(packet).write(&mut draft);
        }
        if let Some(records) = parts.iptc {
            iptc::write(records, &mut draft);
        }
        if let Some(data) = parts.exif {
            camera::write(data, &mut draft);
        }
        write_texts(&parts, &mut draft);
        if leaf.cut {
            draft.complain("the picture is cut: what stands behind its first part is missing");
        }
        Ok(draft)
    }
}

/// Words of the container itself.
fn write_texts(parts: &Parts<'_>, draft: &mut Draft) {
    for (key, text) in &parts.texts {
        match key.as_str() {
            "Title" | "Author" | "Description" | "Copyright" => fill(draft, key, text),
            "Software" => fill(draft, "Generator", text),
            "Creation Time" | "date:create" => fill(draft, "Created", &moment::iso(text).unwrap_or_default()),
            "Modified" => fill(draft, "Modified", text),
            "Comment" | "Disclaimer" | "Source" => add_new(draft, key, text),
            _ => {}
        }
    }
    if let Some((name, number)) = parts.count.filter(|(name, number)| *number > 1 || *name == "Images") {
        draft.add(name, &number.to_string());
    }
}

/// Name of the format, width and height.
fn look(body: &[u8]) -> Option<(&'static str, Option<(u64, u64)>)> {
    // The library adds up and multiplies numbers of the picture.
    let found = catch_unwind(|| (imagesize::image_type(body), imagesize::blob_size(body))).ok();
    let Some((Ok(kind), size)) = found else { return other(body) };
    let format = match kind {
        ImageType::Jpeg => "JPEG",
        ImageType::Png => "PNG",
        ImageType::Gif => "GIF",
        ImageType::Webp => "WebP",
        ImageType::Tiff => "TIFF",
        ImageType::Bmp => "BMP",
        ImageType::Ico => "ICO",
        ImageType::Jxl => "JPEG XL",
        ImageType::Heif(Compression::Av1) => "AVIF",
        ImageType::Heif(Compression::Hevc) => "HEIC",
        ImageType::Heif(_) => "HEIF",
        ImageType::Psd => "PSD",
        ImageType::Pnm => "PNM",
        ImageType::Tga => "TGA",
        ImageType::Qoi => "QOI",
        ImageType::Exr => "OpenEXR",
        ImageType::Hdr => "Radiance HDR",
        ImageType::Farbfeld => "farbfeld",
        ImageType::Ilbm => "ILBM",
        ImageType::Aseprite => "Aseprite",
        other => other.container_format().unwrap_or("texture"),
    };
    let size = size.ok().and_then(|size| Some((u64::try_from(size.width).ok()?, u64::try_from(size.height).ok()?)));
    Some((format, size))
}

/// Formats that the library does not know.
fn other(body: &[u8]) -> Option<(&'static str, Option<(u64, u64)>)> {
    let number = |at: usize, length: usize| -> Option<u64> {
        let bytes = body.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    };
    if body.starts_with(b"\0\0\0\x0cjP  ") {
        let head = body.get(..body.len().min(512))?;
        let at = head.windows(4).position(|window| window == b"ihdr")?;
        return Some(("JPEG 2000", number(at + 8, 4).zip(number(at + 4, 4))));
    }
    if body.starts_with(b"AT&TFORM") {
        let head = body.get(..body.len().min(4096))?;
        let info = head.windows(4).position(|window| window == b"INFO");
        return Some(("DjVu", info.and_then(|at| number(at + 8, 2).zip(number(at + 10, 2)))));
    }
    if body.get(128..132) == Some(b"DICM") {
        return Some(("DICOM", None));
    }
    body.starts_with(b"/* XPM */").then_some(("XPM", None))
}
