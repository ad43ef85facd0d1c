//! The types of values.

use super::words::{AB, RDFS_LITERAL, XSD};

/// The type of a value. Their written forms stand in `schemas/abstract/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Datatype {
    /// Any words.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Decimal,
    /// `true` or `false`.
    Boolean,
    /// A day.
    Date,
    /// A time of the day.
    Time,
    /// A day and a time.
    DateTime,
    /// A year.
    Year,
    /// A length of time.
    Duration,
    /// An address of the web or of mail.
    Uri,
    /// An amount or a range of amounts, with its currency as unit.
    Money,
    /// A length or a range of lengths, with its unit.
    Length,
    /// A surface or a range of them, with its unit.
    Area,
    /// A telephone number in its international form.
    Phone,
    /// A number of things.
    Count,
    /// From one day to another.
    Period,
    /// When something is open.
    Hours,
}

/// Each type and the local name of its IRI.
const XSD_NAMES: &[(&str, Datatype)] = &[
    ("string", Datatype::Text),
    ("token", Datatype::Text),
    ("normalizedString", Datatype::Text),
    ("language", Datatype::Text),
    ("integer", Datatype::Integer),
    ("int", Datatype::Integer),
    ("nonNegativeInteger", Datatype::Integer),
    ("positiveInteger", Datatype::Integer),
    ("decimal", Datatype::Decimal),
    ("double", Datatype::Decimal),
    ("float", Datatype::Decimal),
    ("boolean", Datatype::Boolean),
    ("date", Datatype::Date),
    ("time", Datatype::Time),
    ("dateTime", Datatype::DateTime),
    ("gYear", Datatype::Year),
    ("duration", Datatype::Duration),
    ("anyURI", Datatype::Uri),
];

const OWN_NAMES: &[(&str, Datatype)] = &[
    ("money", Datatype::Money),
    ("length", Datatype::Length),
    ("area", Datatype::Area),
    ("phone", Datatype::Phone),
    ("count", Datatype::Count),
    ("period", Datatype::Period),
    ("hours", Datatype::Hours),
];

impl Datatype {
    /// The type of this IRI, if that is one of a type.
    pub(super) fn of(iri: &str) -> Option<Self> {
        let find = |names: &[(&str, Self)], name: &str| names.iter().find(|(one, _)| *one == name).map(|(_, it)| *it);
        match (iri.strip_prefix(XSD), iri.strip_prefix(AB)) {
            (Some(name), _) => find(XSD_NAMES, name),
            (_, Some(name)) => find(OWN_NAMES, name),
            _ => (iri == RDFS_LITERAL).then_some(Self::Text),
        }
    }

    /// Its IRI, for RDF.
    pub fn iri(self) -> String {
        let of = |space: &str, names: &[(&str, Self)]| {
            names.iter().find(|(_, it)| *it == self).map(|(name, _)| format!("{space}{name}"))
        };
        of(XSD, XSD_NAMES).or_else(|| of(AB, OWN_NAMES)).unwrap_or_else(|| RDFS_LITERAL.to_owned())
    }
}

/// Whether an IRI stands where only types of values do.
pub(super) fn is_datatype_like(iri: &str) -> bool {
    iri.starts_with(XSD) || iri.starts_with(AB) || iri == RDFS_LITERAL
}
