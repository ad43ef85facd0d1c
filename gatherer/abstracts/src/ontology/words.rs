//! The words of RDF, RDFS, OWL, schema.org and our own that an ontology is written in.

pub(super) const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
pub(super) const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
pub(super) const OWL: &str = "http://www.w3.org/2002/07/owl#";
pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
/// Our own annotations and datatypes.
pub(super) const AB: &str = "https://gatherer.invalid/abstract#";

pub(super) const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
pub(super) const RDF_FIRST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first";
pub(super) const RDF_REST: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest";
pub(super) const RDF_PROPERTY: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#Property";

pub(super) const RDFS_CLASS: &str = "http://www.w3.org/2000/01/rdf-schema#Class";
pub(super) const RDFS_LABEL: &str = "http://www.w3.org/2000/01/rdf-schema#label";
pub(super) const SUB_CLASS_OF: &str = "http://www.w3.org/2000/01/rdf-schema#subClassOf";
pub(super) const SUB_PROPERTY_OF: &str = "http://www.w3.org/2000/01/rdf-schema#subPropertyOf";
pub(super) const RDFS_DOMAIN: &str = "http://www.w3.org/2000/01/rdf-schema#domain";
pub(super) const RDFS_RANGE: &str = "http://www.w3.org/2000/01/rdf-schema#range";
pub(super) const RDFS_LITERAL: &str = "http://www.w3.org/2000/01/rdf-schema#Literal";

pub(super) const OWL_ONTOLOGY: &str = "http://www.w3.org/2002/07/owl#Ontology";
pub(super) const OWL_IMPORTS: &str = "http://www.w3.org/2002/07/owl#imports";
pub(super) const OWL_VERSION_INFO: &str = "http://www.w3.org/2002/07/owl#versionInfo";
pub(super) const OWL_VERSION_IRI: &str = "http://www.w3.org/2002/07/owl#versionIRI";
pub(super) const OWL_CLASS: &str = "http://www.w3.org/2002/07/owl#Class";
pub(super) const OWL_THING: &str = "http://www.w3.org/2002/07/owl#Thing";
pub(super) const OBJECT_PROPERTY: &str = "http://www.w3.org/2002/07/owl#ObjectProperty";
pub(super) const DATATYPE_PROPERTY: &str = "http://www.w3.org/2002/07/owl#DatatypeProperty";
pub(super) const TRANSITIVE_PROPERTY: &str = "http://www.w3.org/2002/07/owl#TransitiveProperty";
pub(super) const SYMMETRIC_PROPERTY: &str = "http://www.w3.org/2002/07/owl#SymmetricProperty";
pub(super) const FUNCTIONAL_PROPERTY: &str = "http://www.w3.org/2002/07/owl#FunctionalProperty";
pub(super) const INVERSE_OF: &str = "http://www.w3.org/2002/07/owl#inverseOf";
pub(super) const UNION_OF: &str = "http://www.w3.org/2002/07/owl#unionOf";
pub(super) const EQUIVALENT_CLASS: &str = "http://www.w3.org/2002/07/owl#equivalentClass";
pub(super) const EQUIVALENT_PROPERTY: &str = "http://www.w3.org/2002/07/owl#equivalentProperty";
pub(super) const DISJOINT_WITH: &str = "http://www.w3.org/2002/07/owl#disjointWith";

pub(super) const AB_CUE: &str = "https://gatherer.invalid/abstract#cue";
pub(super) const AB_DEFAULT: &str = "https://gatherer.invalid/abstract#default";
pub(super) const AB_FOCUS: &str = "https://gatherer.invalid/abstract#focus";
pub(super) const AB_KEY: &str = "https://gatherer.invalid/abstract#key";
pub(super) const AB_MAIN: &str = "https://gatherer.invalid/abstract#main";

/// schema.org says domain and range with words of its own; both spellings of its address are in use.
pub(super) const DOMAIN_INCLUDES: [&str; 2] = ["https://schema.org/domainIncludes", "http://schema.org/domainIncludes"];
pub(super) const RANGE_INCLUDES: [&str; 2] = ["https://schema.org/rangeIncludes", "http://schema.org/rangeIncludes"];

/// What is understood of RDFS and OWL, or may be left out without loss.
pub(super) const UNDERSTOOD: &[&str] = &[
    RDF_TYPE,
    RDFS_LABEL,
    SUB_CLASS_OF,
    SUB_PROPERTY_OF,
    RDFS_DOMAIN,
    RDFS_RANGE,
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2000/01/rdf-schema#seeAlso",
    "http://www.w3.org/2000/01/rdf-schema#isDefinedBy",
    OWL_IMPORTS,
    OWL_VERSION_INFO,
    OWL_VERSION_IRI,
    "http://www.w3.org/2002/07/owl#priorVersion",
    "http://www.w3.org/2002/07/owl#backwardCompatibleWith",
    "http://www.w3.org/2002/07/owl#deprecated",
    INVERSE_OF,
    UNION_OF,
    EQUIVALENT_CLASS,
    EQUIVALENT_PROPERTY,
    DISJOINT_WITH,
];

/// The part of an IRI behind its namespace.
pub(super) fn local_name(iri: &str) -> &str {
    iri.rsplit(['#', '/']).next().unwrap_or(iri)
}

/// An IRI as people write it.
pub(super) fn short(iri: &str) -> String {
    let known = [(RDF, "rdf:"), (RDFS, "rdfs:"), (OWL, "owl:"), (XSD, "xsd:"), (AB, "ab:")];
    match known.iter().find_map(|(space, prefix)| Some((iri.strip_prefix(space)?, prefix))) {
        Some((name, prefix)) => format!("{prefix}{name}"),
        None if iri.starts_with("_:") => "a nameless node".to_owned(),
        None => local_name(iri).to_owned(),
    }
}
