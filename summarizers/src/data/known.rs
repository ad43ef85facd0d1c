//! Files whose keys everybody knows: packages, interfaces, maps, notebooks.

use super::shape::{Shape, lines};
use crate::links::Links;
use gatherer_pipeline::Draft;
use url::Url;

/// A well-known form: how it is told from others, and which of its keys are which attributes.
struct Known {
    format: &'static str,
    /// The name of the file; empty if the keys tell enough.
    file: &'static str,
    /// Keys that are all there.
    keys: &'static [&'static str],
    /// Paths with the attributes that their values become. The first path of an attribute that has one counts.
    values: &'static [(&'static str, &'static str)],
    /// Paths of maps whose keys become lines of an attribute.
    maps: &'static [(&'static str, &'static str)],
    links: &'static [&'static str],
}

#[rustfmt::skip]
const KNOWN: &[Known] = &[
    Known {
        format: "npm package", file: "package.json", keys: &["name"],
        values: &[
            ("name", "Title"), ("version", "Version"), ("description", "Description"), ("author", "Author"),
            ("author.name", "Author"), ("license", "License"), ("keywords", "Keywords"),
        ],
        maps: &[
            ("dependencies", "Dependencies"), ("devDependencies", "Dependencies"), ("peerDependencies", "Dependencies"),
        ],
        links: &["homepage", "repository", "repository.url", "bugs.url"],
    },
    Known {
        format: "Composer package", file: "composer.json", keys: &["name"],
        values: &[
            ("name", "Title"), ("version", "Version"), ("description", "Description"), ("authors.name", "Author"),
            ("license", "License"), ("keywords", "Keywords"),
        ],
        maps: &[("require", "Dependencies"), ("require-dev", "Dependencies")],
        links: &["homepage", "support.source"],
    },
    Known {
        format: "Cargo package", file: "cargo.toml", keys: &["package.name"],
        values: &[
            ("package.name", "Title"), ("package.version", "Version"), ("package.description", "Description"),
            ("package.authors", "Author"), ("package.license", "License"), ("package.keywords", "Keywords"),
        ],
        maps: &[
            ("dependencies", "Dependencies"), ("dev-dependencies", "Dependencies"),
            ("build-dependencies", "Dependencies"),
        ],
        links: &["package.homepage", "package.repository", "package.documentation"],
    },
    Known {
        format: "Python project", file: "pyproject.toml", keys: &["project.name"],
        values: &[
            ("project.name", "Title"), ("project.version", "Version"), ("project.description", "Description"),
            ("project.authors.name", "Author"), ("project.license", "License"), ("project.license.text", "License"),
            ("project.keywords", "Keywords"), ("project.dependencies", "Dependencies"),
        ],
        maps: &[], links: &["project.urls.Homepage", "project.urls.homepage", "project.urls.Repository"],
    },
    Known {
        format: "Python project", file: "pyproject.toml", keys: &["tool.poetry.name"],
        values: &[
            ("tool.poetry.name", "Title"), ("tool.poetry.version", "Version"),
            ("tool.poetry.description", "Description"), ("tool.poetry.authors", "Author"),
            ("tool.poetry.license", "License"), ("tool.poetry.keywords", "Keywords"),
        ],
        maps: &[("tool.poetry.dependencies", "Dependencies")],
        links: &["tool.poetry.homepage", "tool.poetry.repository"],
    },
    Known { format: "OpenAPI", file: "", keys: &["openapi", "info.title"], values: INTERFACE, maps: PATHS, links: &[] },
    Known { format: "Swagger", file: "", keys: &["swagger", "info.title"], values: INTERFACE, maps: PATHS, links: &[] },
    Known {
        format: "JSON-LD", file: "", keys: &["@context"],
        values: &[
            ("name", "Title"), ("headline", "Title"), ("description", "Description"), ("author.name", "Author"),
            ("author", "Author"), ("keywords", "Keywords"), ("license", "License"), ("inLanguage", "Language"),
            ("datePublished", "Created"), ("dateCreated", "Created"), ("dateModified", "Modified"),
            ("publisher.name", "Publisher"), ("@type", "Schema-Type"),
        ],
        maps: &[], links: &["url"],
    },
    Known {
        format: "JSON Schema", file: "", keys: &["$schema"],
        values: &[("title", "Title"), ("description", "Description"), ("$id", "Identifier"), ("id", "Identifier")],
        maps: &[("properties", "Headings"), ("definitions", "Headings"), ("$defs", "Headings")], links: &[],
    },
    Known {
        format: "Web application manifest", file: "", keys: &["start_url", "name"],
        values: &[("name", "Title"), ("description", "Description"), ("lang", "Language"), ("categories", "Keywords")],
        maps: &[], links: &[],
    },
];

#[rustfmt::skip]
const INTERFACE: &[(&str, &str)] = &[
    ("info.title", "Title"), ("info.version", "Version"), ("info.description", "Description"),
    ("info.summary", "Description"), ("info.contact.name", "Author"),
    ("info.license.name", "License"), ("tags.name", "Keywords"),
];
const PATHS: &[(&str, &str)] = &[("paths", "Headings")];

/// Types that the outermost object of a map may have (RFC 7946).
#[rustfmt::skip]
const GEOMETRIES: &[&str] = &[
    "FeatureCollection", "Feature", "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
    "GeometryCollection",
];

/// Writes what a well-known file says of itself, and a title where any file gives one.
pub(super) fn write(shape: &Shape, file: &str, url: &Url, draft: &mut Draft) {
    let is_known =
        |known: &&Known| (known.file.is_empty() || known.file == file) && known.keys.iter().all(|key| shape.has(key));
    if let Some(known) = KNOWN.iter().find(is_known) {
        write_known(known, shape, url, draft);
    } else if shape.has("nbformat") && shape.has("cells") {
        write_notebook(shape, draft);
    } else if GEOMETRIES.contains(&shape.first("type")) && (shape.bounds.is_some() || shape.has("features")) {
        write_map(shape, draft);
    }
    if draft.get("Title").is_none() {
        draft.add("Title", shape.first("title"));
    }
    if draft.get("Description").is_none() {
        draft.add("Description", shape.first("description"));
    }
}

fn write_known(known: &Known, shape: &Shape, url: &Url, draft: &mut Draft) {
    draft.add("Format", known.format);
    for (path, attribute) in known.values {
        if draft.get(attribute).is_none() {
            draft.add(attribute, &lines(shape.all(path).iter().map(String::as_str)));
        }
    }
    let mut attributes: Vec<_> = known.maps.iter().map(|(_, attribute)| *attribute).collect();
    attributes.dedup();
    for attribute in attributes {
        let paths = known.maps.iter().filter(|(_, other)| *other == attribute);
        draft.add(attribute, &lines(paths.flat_map(|(path, _)| shape.keys_of(path))));
    }
    let mut links = Links::default();
    for href in known.links.iter().map(|path| shape.first(path)) {
        let href = href.strip_prefix("git+").unwrap_or(href);
        if ["http://", "https://"].iter().any(|scheme| href.starts_with(scheme)) {
            links.refer(href, "");
        }
    }
    links.write(url, draft);
}

fn write_notebook(shape: &Shape, draft: &mut Draft) {
    draft.add("Format", "Jupyter notebook");
    let language = [shape.first("metadata.kernelspec.language"), shape.first("metadata.language_info.name")];
    draft.add("Programming-Language", language.iter().find(|name| !name.is_empty()).unwrap_or(&""));
    let title = shape.first("metadata.title");
    let heading = shape.headings.first().map_or("", String::as_str);
    draft.add("Title", if title.is_empty() { heading } else { title });
    draft.add("Author", &lines(shape.all("metadata.authors.name").iter().map(String::as_str)));
    draft.add("Headings", &lines(shape.headings.iter().map(String::as_str)));
    draft.set_text(&shape.notebook);
}

fn write_map(shape: &Shape, draft: &mut Draft) {
    draft.add("Format", "GeoJSON");
    draft.add("Title", shape.first("name"));
    draft.add("Geometry-Types", &lines(shape.all("features.geometry.type").iter().map(String::as_str)));
    if shape.has("features") {
        draft.add("Features", &shape.records_of("features").to_string());
    }
    if let Some([west, south, east, north]) = shape.bounds {
        draft.add("Bounding-Box", &format!("{west} {south} {east} {north}"));
    }
}
