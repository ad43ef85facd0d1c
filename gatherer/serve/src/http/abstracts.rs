//! `/abstracts`: what a document says, as facts.

use super::answer::{Problem, unless_known};
use super::caller::Caller;
use super::form::{Choice, chosen};
use super::question::Question;
use super::records::{record_of, url_of};
use crate::House;
use crate::cursor::Cursor;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use gatherer_abstracts::model::{Abstract, Limits, Told};

/// The attribute of a record that holds its abstract.
pub(super) const ATTRIBUTE: &str = "Abstract-XML";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Xml,
    Json,
    Turtle,
    JsonLd,
}

const FORMS: [Choice<Form>; 4] = [
    (Form::Xml, "xml", &["application/xml", "text/xml"]),
    (Form::Json, "json", &["application/json"]),
    (Form::Turtle, "turtle", &["text/turtle"]),
    (Form::JsonLd, "json-ld", &["application/ld+json"]),
];

/// The abstract of one document.
pub(super) async fn one(
    Caller { house, pass, query, headers }: Caller,
    Path(url): Path<String>,
) -> Result<Response, Problem> {
    let mut question = Question::read(query.as_deref());
    let form = chosen(question.take("form").as_deref(), &headers, &FORMS)?;
    question.end()?;
    let url = url_of(&url)?;
    let filter = pass.filter(&house)?;
    let record = record_of(&house, &filter, &url)?;
    let object = record.object();
    let absent = || Problem::new(StatusCode::NOT_FOUND, format!("the record of {url} has no abstract"));
    let xml = object.text(ATTRIBUTE).ok_or_else(absent)?;
    let tag = format!("W/\"{}-{form:?}\"", Cursor::new(&house.service.production, &filter, record.head.change));
    let media_type = FORMS.iter().find(|(one, ..)| *one == form).map_or("", |(.., types)| types[0]);
    let body = written(&house, &xml, form)?;
    Ok(unless_known(&headers, &tag, || ([(header::CONTENT_TYPE, media_type)], body).into_response()))
}

fn written(house: &House, xml: &str, form: Form) -> Result<String, Problem> {
    let broken = |what: String| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, what);
    let made = Abstract::from_xml(xml.as_bytes(), Limits::default());
    let made = made.map_err(|error| broken(format!("the abstract cannot be read: {error}")))?;
    let ontology = || {
        let found = (house.service.ontologies)(&made.meta.ontology.hash);
        found.ok_or_else(|| broken(format!("the ontology {} is not known here any more", made.meta.ontology.iri)))
    };
    Ok(match form {
        Form::Xml => made.to_xml(),
        Form::Json => made.to_json().to_string(),
        Form::Turtle => made.to_turtle(&*ontology()?, Told { links: true, evidence: true }),
        Form::JsonLd => made.to_json_ld(&*ontology()?, Told { links: true, evidence: false }).to_string(),
    })
}
