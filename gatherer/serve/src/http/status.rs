//! `/status`, `/runs` and `/explain`: what goes on and what became of things, for programs and as pages.

use super::answer::{Problem, Reply};
use super::caller::Caller;
use super::form::is_for_people;
use super::gate::Pass;
use super::people::{first_page, frame, page};
use super::question::Question;
use super::records::url_of;
use crate::pages::{ExplainPage, RootRow, RunPage, RunsPage, roots};
use crate::sight::Sight;
use crate::{House, Keeper, Now, Running};
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gatherer_pipeline::Right;
use gatherer_pipeline::report::Report;
use serde_json::{Value, json};
use std::sync::Arc;

/// Runs on one page, and in one answer unless it is asked for more.
const RUNS: usize = 50;
const MOST_RUNS: u64 = 500;

/// Does what may take a moment beside the tasks that talk to clients.
pub(super) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|_| Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the answer could not be made")))
}

/// Who is asked what goes on.
pub(super) fn keeper(house: &House) -> Result<&Arc<dyn Keeper>, Problem> {
    let absent = || Problem::new(StatusCode::NOT_FOUND, "nobody here can tell what goes on");
    house.service.keeper.as_ref().ok_or_else(absent)
}

/// What somebody may see of all that goes on.
pub(super) struct Outlook {
    pub(super) now: Option<Now>,
    /// The last runs, the latest first.
    pub(super) reports: Vec<Report>,
    pub(super) roots: Vec<RootRow>,
}

impl Outlook {
    pub(super) fn new(house: &House, pass: &Pass, sees_status: bool) -> Result<Self, Problem> {
        let sight = Sight::new(&house.service, pass.has(Right::Private));
        let production = &house.service.production;
        let mut holdings = production.holdings();
        holdings.retain(|(root, _)| !sight.is_root_hidden(root));
        if !sees_status {
            return Ok(Self { now: None, reports: Vec::new(), roots: roots(&holdings, None, None) });
        }
        let now = house.service.keeper.as_ref().map(|keeper| sight.now(keeper.now()));
        let reports = production.reports(None, RUNS)?.into_iter().map(|report| sight.report(report));
        let reports: Vec<_> = reports.collect();
        // Who has something to say of root nodes: the last run that came to its end.
        let last = reports.iter().find(|report| !report.interrupted);
        let roots = roots(&holdings, now.as_ref(), last);
        Ok(Self { now, reports, roots })
    }

    fn json(&self, house: &House) -> Value {
        let now = self.now.clone().unwrap_or_default();
        let plan = |plan: &crate::Plan| json!({ "root": plan.root, "rule": plan.rule, "next": plan.next, "because": plan.because });
        let host = |host: &crate::Waiting| json!({ "host": host.host, "queued": host.queued, "because": host.because, "until": host.until });
        let root = |root: &RootRow| json!({ "name": root.name, "records": root.records, "urls": root.urls, "wrong": some(&root.wrong) });
        json!({
            "name": house.service.identity.name,
            "time": now.time,
            "running": now.running.as_ref().map(running),
            "last-run": self.reports.first().map(|report| report.run),
            "next-due": self.reports.first().and_then(|report| report.next_due),
            "roots": self.roots.iter().map(root).collect::<Vec<_>>(),
            "plans": now.plans.iter().map(plan).collect::<Vec<_>>(),
            "hosts": now.hosts.iter().map(host).collect::<Vec<_>>(),
            "warnings": now.warnings,
        })
    }
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn running(running: &Running) -> Value {
    json!({
        "report": running.report, "queued": running.queued, "in-hand": running.in_hand, "waits": running.waits,
        "remaining": running.remaining,
    })
}

/// What goes on.
pub(super) async fn now(Caller { house, pass, query, headers }: Caller) -> Result<Response, Problem> {
    pass.demand(Right::Status)?;
    keeper(&house)?;
    Question::read(query.as_deref()).end()?;
    beside(move || {
        if is_for_people(&headers) {
            return first_page(&house, &pass, None);
        }
        Ok(Reply::json(&Outlook::new(&house, &pass, true)?.json(&house)).into_response())
    })
    .await
}

/// The last runs.
pub(super) async fn runs(Caller { house, pass, query, headers }: Caller) -> Result<Response, Problem> {
    pass.demand(Right::Status)?;
    let mut question = Question::read(query.as_deref());
    let (before, limit) = (question.take_number("before")?, question.take_limit()?);
    question.end()?;
    let limit = usize::try_from(limit.unwrap_or(RUNS as u64).min(MOST_RUNS)).unwrap_or(RUNS);
    beside(move || {
        let sight = Sight::new(&house.service, pass.has(Right::Private));
        // One more tells whether there are any behind them.
        let mut found = house.service.production.reports(before, limit.saturating_add(1))?;
        let is_more = found.len() > limit;
        found.truncate(limit);
        let reports: Vec<_> = found.into_iter().map(|report| sight.report(report)).collect();
        let older = reports.last().map(|report| report.run).filter(|_| is_more);
        if is_for_people(&headers) {
            return Ok(page(&RunsPage::new(frame(&house, Some(&pass), "runs", "Runs"), &reports, older)));
        }
        Ok(Reply::json(&json!({ "runs": reports, "next": older })).into_response())
    })
    .await
}

/// One run.
pub(super) async fn run(
    Caller { house, pass, headers, .. }: Caller,
    Path(number): Path<String>,
) -> Result<Response, Problem> {
    pass.demand(Right::Status)?;
    let number: u64 = number.parse().map_err(|_| Problem::bad(format!("{number} is no number of a run")))?;
    beside(move || {
        let sight = Sight::new(&house.service, pass.has(Right::Private));
        let report = house.service.production.report_for(number)?.map(|report| sight.report(report));
        let absent = || {
            let why = format!("no report of run {number} is kept: it has not ended, or is too long ago");
            Problem::new(StatusCode::NOT_FOUND, why)
        };
        let report = report.ok_or_else(absent)?;
        if is_for_people(&headers) {
            let frame = frame(&house, Some(&pass), "runs", format!("Run {number}"));
            return Ok(page(&RunPage::new(frame, &report)));
        }
        Ok(Reply::json(&json!(report)).into_response())
    })
    .await
}

/// Everything known of the URL in a path.
pub(super) async fn explain(
    Caller { house, pass, query, headers }: Caller,
    Path(url): Path<String>,
) -> Result<Response, Problem> {
    pass.demand(Right::Status)?;
    let end = Question::read(query.as_deref()).end();
    end.map_err(|_| Problem::bad("write ? as %3F, & as %26 and % as %25 in the URL"))?;
    explained(house, pass, url, is_for_people(&headers)).await
}

/// The same, asked with a form.
pub(super) async fn explain_asked(Caller { house, pass, query, headers }: Caller) -> Result<Response, Problem> {
    pass.demand(Right::Status)?;
    let mut question = Question::read(query.as_deref());
    let url = question.take("url").map(|url| url.trim().to_owned()).unwrap_or_default();
    question.end()?;
    let is_person = is_for_people(&headers);
    match url.is_empty() {
        true if is_person => Ok(page(&ExplainPage::nothing(frame(&house, Some(&pass), "", "Explain"), None))),
        true => Err(Problem::bad("say url=...")),
        false => explained(house, pass, url, is_person).await,
    }
}

async fn explained(house: Arc<House>, pass: Pass, asked: String, is_person: bool) -> Result<Response, Problem> {
    let mut frame = frame(&house, Some(&pass), "", format!("Explain {asked}"));
    frame.asked.clone_from(&asked);
    let url = match url_of(&asked) {
        Ok(url) => url,
        Err(problem) if is_person => {
            let text = format!("{}. A URL begins with http:// or the like.", problem.detail);
            let mut response = page(&ExplainPage::nothing(frame, Some(text)));
            *response.status_mut() = problem.status;
            return Ok(response);
        }
        Err(problem) => return Err(problem),
    };
    beside(move || {
        let sight = Sight::new(&house.service, pass.has(Right::Private));
        let lines = keeper(&house)?.explain(&url, &|root| sight.is_root_hidden(root))?;
        let unknown = || Problem::new(StatusCode::NOT_FOUND, format!("nothing is known of {url}"));
        let lines = lines.ok_or_else(unknown)?;
        if is_person {
            return Ok(page(&ExplainPage::known(frame, lines)));
        }
        let line = |(about, says): &(String, String)| json!({ "about": about, "says": says });
        let answer = json!({ "url": url, "lines": lines.iter().map(line).collect::<Vec<_>>() });
        Ok(Reply::json(&answer).into_response())
    })
    .await
}
