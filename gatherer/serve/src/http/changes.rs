//! `/changes`: what has happened behind a cursor, once or for as long as the client stays.

use super::answer::{Problem, unless_known};
use super::caller::Caller;
use super::form::Form;
use super::question::Question;
use super::records::stream;
use crate::cursor::{Cursor, CursorError};
use crate::feed::{Feed, Step};
use crate::filter::Filter;
use crate::metrics::Door;
use crate::pieces::{Flow, Order, Pieces, Source, hand, pour};
use crate::{House, until};
use axum::http::StatusCode;
use axum::response::Response;
use gatherer_store::View;
use prometheus_client::metrics::counter::Counter;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

const FORMS: [Form; 5] = [Form::Json, Form::Lines, Form::Soif, Form::Xml, Form::Events];
/// Longest wait for something to happen.
const LONGEST_WAIT: u64 = 300;
/// A sign of life on a quiet stream of events.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// News read in one go while a stream of events is caught up with.
const STRIDE: u64 = 1_000;

pub(super) async fn changes(Caller { house, pass, query, headers }: Caller) -> Result<Response, Problem> {
    let mut question = Question::read(query.as_deref());
    let form = Form::wanted(question.take("form").as_deref(), &headers, &FORMS, Form::Lines)?;
    let filter = question.take_filter(pass.filter(&house)?)?;
    if filter.updated_from.is_some() || filter.updated_before.is_some() {
        // Records would come into such a range and leave it without a change that tells of it.
        return Err(Problem::bad("updated-from and updated-before are for /records; changes go by cursor"));
    }
    let (limit, wait) = (question.take_limit()?, question.take_number("wait")?);
    // Whoever comes back to a stream of events says where it was.
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let said = question.take("since");
    let since = last.or(said).ok_or_else(|| Problem::bad("say since=CURSOR, or since=0 for everything"))?;
    question.end()?;
    if wait.is_some_and(|wait| wait > LONGEST_WAIT) {
        return Err(Problem::bad(format!("wait is at most {LONGEST_WAIT} seconds")));
    }
    let production = &house.service.production;
    let start = Cursor::read(&since, production, &filter, &production.view())?;
    let order = Changes { start, filter, form, limit: limit.unwrap_or(u64::MAX), reached: Arc::default() };
    if form == Form::Events {
        return Ok(stream(&house, form, follow(&house, order)));
    }
    let end = happened(&house, &order, Duration::from_secs(wait.unwrap_or(0))).await?;
    Ok(unless_known(&headers, &format!("W/\"{end}-{form:?}\""), || stream(&house, form, pour(&house, order))))
}

impl From<CursorError> for Problem {
    fn from(error: CursorError) -> Self {
        match error {
            CursorError::Store(error) => error.into(),
            CursorError::Malformed(_) => Self::bad(error.to_string()),
            CursorError::Elsewhere | CursorError::Ahead => Self::new(StatusCode::GONE, error.to_string()),
        }
    }
}

/// Waits until something stands behind the cursor, and returns where the log ends then.
async fn happened(house: &House, order: &Changes, wait: Duration) -> Result<Cursor, Problem> {
    let Changes { start, filter, .. } = order;
    let production = &house.service.production;
    let mut folds = house.folds.clone();
    let mut ending = house.ending.subscribe();
    let waiting = async {
        loop {
            folds.borrow_and_update();
            if !start.is_of(production, filter) || start.end(&production.view())?.number > start.number {
                return Ok::<_, Problem>(());
            }
            tokio::select! {
                Ok(()) = folds.changed() => {}
                () = until(&mut ending) => return Ok(()),
            }
        }
    };
    if let Ok(result) = timeout(wait, waiting).await {
        result?;
    }
    if !start.is_of(production, filter) {
        // Somebody may see other things now than when this began.
        return Err(CursorError::Elsewhere.into());
    }
    Ok(start.end(&production.view())?)
}

struct Changes {
    start: Cursor,
    filter: Filter,
    form: Form,
    /// Most changes.
    limit: u64,
    /// Hears how far it came.
    reached: Arc<AtomicU64>,
}

impl Order for Changes {
    fn open<'v>(self, house: &House, view: &'v View<'v>) -> io::Result<Box<dyn Source + 'v>> {
        let end = self.start.end(view).map_err(io::Error::other)?;
        let feed = Feed::behind(self.start, view, self.filter.clone());
        let (place, objects) = (self.start, house.metrics.objects(Door::Http));
        Ok(Box::new(Writing { feed, order: self, end, place, count: 0, begun: false, objects }))
    }
}

/// Changes that are being written.
struct Writing<'v> {
    feed: Feed<'v>,
    order: Changes,
    /// Where the log ends in this view.
    end: Cursor,
    /// The last change written.
    place: Cursor,
    count: u64,
    begun: bool,
    objects: Counter,
}

impl Source for Writing<'_> {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<Flow> {
        let Changes { filter, form, limit, reached, .. } = &self.order;
        if !self.begun {
            self.begun = true;
            out.extend_from_slice(form.begin_changes().as_bytes());
        }
        let entry = match self.feed.next().map_err(io::Error::other)? {
            Step::News(entry) => entry,
            Step::Nothing => return Ok(Flow::More),
            Step::End => {
                reached.store(self.end.number, Ordering::Relaxed);
                out.extend_from_slice(form.end_changes(self.end, false).as_bytes());
                return Ok(Flow::Done);
            }
        };
        if self.count == *limit {
            out.extend_from_slice(form.end_changes(self.place, true).as_bytes());
            return Ok(Flow::Done);
        }
        self.place.number = entry.number;
        reached.store(entry.number, Ordering::Relaxed);
        self.objects.inc();
        form.change(&entry, (self.place, self.count == 0), filter, out)?;
        self.count += 1;
        Ok(Flow::More)
    }
}

/// Events for as long as the client stays: what has happened, then what happens. No view is held while nothing does. They end when
/// other things may be seen than before: whoever comes back with the last cursor hears that he has to begin anew.
fn follow(house: &Arc<House>, order: Changes) -> Pieces {
    let (pieces, taken) = mpsc::channel(2);
    let house = house.clone();
    tokio::spawn(async move {
        let Changes { mut start, filter, form, reached, .. } = order;
        let mut folds = house.folds.clone();
        let mut ending = house.ending.subscribe();
        let production = &house.service.production;
        while start.is_of(production, &filter) {
            folds.borrow_and_update();
            let order = Changes { start, filter: filter.clone(), form, limit: STRIDE, reached: reached.clone() };
            let mut part = pour(&house, order);
            while let Some(piece) = part.recv().await {
                let is_broken = piece.is_err();
                if !hand(&house, &pieces, piece).await || is_broken {
                    return;
                }
            }
            start.number = reached.load(Ordering::Relaxed);
            if start.end(&production.view()).is_ok_and(|end| end.number > start.number) {
                continue;
            }
            loop {
                tokio::select! {
                    Ok(()) = folds.changed() => break,
                    () = until(&mut ending) => return,
                    () = sleep(HEARTBEAT) => {
                        let is_here = start.is_of(production, &filter);
                        if !is_here || !hand(&house, &pieces, Ok(b": still here\n\n".to_vec())).await {
                            return;
                        }
                    }
                }
            }
        }
    });
    taken
}
