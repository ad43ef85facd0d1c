//! `/records`: one, or a range of them.

use super::answer::{Problem, unless_known};
use super::caller::Caller;
use super::form::Form;
use super::question::Question;
use super::record_pages;
use super::status::beside;
use crate::House;
use crate::cursor::Cursor;
use crate::filter::{Filter, Traits};
use crate::metrics::Door;
use crate::pieces::{Flow, Order, Pieces, Source, pour};
use axum::body::Body;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use gatherer_store::{Range, Record, View, Walk};
use prometheus_client::metrics::counter::Counter;
use std::io;
use std::sync::Arc;
use std::task::Poll;
use url::Url;

const FORMS: [Form; 5] = [Form::Json, Form::Lines, Form::Soif, Form::Xml, Form::Page];

/// One record.
pub(super) async fn one(
    Caller { house, pass, query, headers }: Caller,
    Path(url): Path<String>,
) -> Result<Response, Problem> {
    let mut question = Question::read(query.as_deref());
    let form = Form::wanted(question.take("form").as_deref(), &headers, &FORMS, Form::Json)?;
    let filter = question.take_filter(pass.filter(&house)?)?;
    let view = if form == Form::Page { question.take("view") } else { None };
    question.end().map_err(|_| Problem::bad("write ? as %3F, & as %26 and % as %25 in the URL of a record"))?;
    let url = url_of(&url)?;
    let production = &house.service.production;
    let record = record_of(&house, &filter, &url)?;
    if form == Form::Page {
        return beside(move || record_pages::one(&house, &pass, &record, view.as_deref())).await;
    }
    let tag = format!("W/\"{}-{form:?}\"", Cursor::new(production, &filter, record.head.change));
    let mut object = record.object();
    filter.trim(&mut object);
    Ok(unless_known(&headers, &tag, || {
        let mut body = Vec::new();
        let written = match form {
            Form::Json => serde_json::to_writer(&mut body, &gatherer_soif::to_json(&object)).map_err(io::Error::from),
            Form::Xml => {
                body.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
                gatherer_soif::write_xml(&object, &mut body)
            }
            form => form.record(&object, true, &mut body),
        };
        match written {
            Ok(()) => ([(header::CONTENT_TYPE, form.media_type())], body).into_response(),
            Err(error) => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        }
    }))
}

/// The URL in a path.
pub(super) fn url_of(path: &str) -> Result<Url, Problem> {
    Url::parse(&with_slashes(path)).map_err(|error| Problem::bad(format!("{path} is no URL ({error})")))
}

/// A record that may be seen.
pub(super) fn record_of(house: &House, filter: &Filter, url: &Url) -> Result<Record, Problem> {
    let record = house.service.production.view().record(url)?.filter(|record| filter.may_see(&record.head.root));
    record.ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, format!("there is no record of {url}")))
}

/// On the way, two slashes may have become one.
fn with_slashes(url: &str) -> String {
    match url.split_once(":/") {
        Some((scheme, rest)) if !rest.starts_with('/') && scheme != "file" => format!("{scheme}://{rest}"),
        _ => url.to_owned(),
    }
}

/// Many records.
pub(super) async fn range(Caller { house, pass, query, headers }: Caller) -> Result<Response, Problem> {
    let mut question = Question::read(query.as_deref());
    let form = Form::wanted(question.take("form").as_deref(), &headers, &FORMS, Form::Lines)?;
    let query = record_pages::without_empty(query.as_deref().unwrap_or_default());
    if form == Form::Page {
        // What is left open in a form says nothing.
        question = Question::read(Some(&query));
        question.take("form");
    }
    let filter = question.take_filter(pass.filter(&house)?)?;
    let (after, limit) = (question.take_url("after")?, question.take_limit()?);
    question.end()?;
    if form == Form::Page {
        return beside(move || record_pages::list(&house, &pass, &filter, after.as_ref(), &query)).await;
    }
    let range = after.iter().fold(filter.range(), Range::after);
    let production = &house.service.production;
    let end = Cursor::new(production, &filter, 0).end(&production.view())?;
    Ok(unless_known(&headers, &format!("W/\"{end}-{form:?}\""), || {
        let order = Records { range, filter, form, limit: limit.unwrap_or(u64::MAX) };
        stream(&house, form, pour(&house, order))
    }))
}

/// Pieces as the body of an answer. One that is cut ends without its last chunk, so that the client knows.
pub(super) fn stream(house: &Arc<House>, form: Form, mut pieces: Pieces) -> Response {
    let bytes = house.metrics.bytes(Door::Http);
    let body = futures_util::stream::poll_fn(move |context| {
        let piece = pieces.poll_recv(context);
        if let Poll::Ready(Some(Ok(piece))) = &piece {
            bytes.inc_by(piece.len() as u64);
        }
        piece
    });
    ([(header::CONTENT_TYPE, form.media_type())], Body::from_stream(body)).into_response()
}

struct Records {
    range: Range,
    filter: Filter,
    form: Form,
    limit: u64,
}

impl Order for Records {
    fn open<'v>(self, house: &House, view: &'v View<'v>) -> io::Result<Box<dyn Source + 'v>> {
        let (walk, objects) = (view.walk(&self.range), house.metrics.objects(Door::Http));
        Ok(Box::new(Writing { walk, order: self, count: 0, last: String::new(), begun: false, objects }))
    }
}

/// A range that is being written.
struct Writing<'v> {
    walk: Walk<'v>,
    order: Records,
    count: u64,
    /// The last record written.
    last: String,
    begun: bool,
    objects: Counter,
}

impl Source for Writing<'_> {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<Flow> {
        let Records { filter, form, limit, .. } = &self.order;
        if !self.begun {
            self.begun = true;
            out.extend_from_slice(form.begin_records().as_bytes());
        }
        if let Some(record) = self.walk.step().map_err(io::Error::other)? {
            if !filter.may_see(record.head.root) || !filter.wants(&Traits::from(&record.head)) {
                return Ok(Flow::More);
            }
            if self.count == *limit {
                out.extend_from_slice(form.end_records(Some(&self.last)).as_bytes());
                return Ok(Flow::Done);
            }
            if *form == Form::Soif && filter.is_whole() {
                record.write_soif(out);
                out.push(b'\n');
            } else {
                let mut object = record.object();
                filter.trim(&mut object);
                form.record(&object, self.count == 0, out)?;
            }
            self.count += 1;
            self.objects.inc();
            record.head.url.clone_into(&mut self.last);
            return Ok(Flow::More);
        }
        out.extend_from_slice(form.end_records(None).as_bytes());
        Ok(Flow::Done)
    }
}
