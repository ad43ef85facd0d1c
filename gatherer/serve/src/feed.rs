//! The change log as one broker follows it: what it has to do, one URL after the other.

use crate::cursor::Cursor;
use crate::filter::{Filter, Traits};
use gatherer_pipeline::UnixTime;
use gatherer_store::{Change, ChangeKind, Head, Record, StoreError, View};
use url::Url;

/// What a broker has to do.
#[derive(Debug)]
pub(crate) enum News {
    /// Put this in the place of what it has.
    Update(Box<Record>),
    /// Put these times in the place of those it has.
    Refresh(Box<Head>),
    /// Drop it, if it has it.
    Delete(Url),
}

/// One piece of news, and where it stands in the log.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) number: u64,
    /// When it was folded.
    pub(crate) at: UnixTime,
    pub(crate) news: News,
}

/// What a look at the log has come to.
pub(crate) enum Step {
    /// Something to do.
    News(Entry),
    /// Nothing in a whole stretch of the log; there is more of it.
    Nothing,
    /// The end of the log.
    End,
}

/// So many changes are looked at in one go.
const STRETCH: usize = 200;

/// All news behind a number, within one view.
pub(crate) struct Feed<'v> {
    view: &'v View<'v>,
    changes: Box<dyn Iterator<Item = Result<Change, StoreError>> + Send + 'v>,
    start: u64,
    /// Whoever follows has nothing yet, and so nothing to drop.
    is_beginning: bool,
    filter: Filter,
}

impl<'v> Feed<'v> {
    /// All news behind a cursor.
    pub(crate) fn behind(cursor: Cursor, view: &'v View<'v>, filter: Filter) -> Self {
        Self { is_beginning: cursor.number == 0, ..Self::new(view, cursor.number, filter) }
    }

    /// All news behind a number, for somebody who may have had something before.
    pub(crate) fn new(view: &'v View<'v>, start: u64, filter: Filter) -> Self {
        Self { view, changes: Box::new(view.changes_after(start)), start, is_beginning: false, filter }
    }

    /// The next piece of news.
    pub(crate) fn next(&mut self) -> Result<Step, StoreError> {
        for _ in 0..STRETCH {
            let Some(change) = self.changes.next() else { return Ok(Step::End) };
            let change = change?;
            let (number, at) = (change.number, change.at);
            if !self.filter.may_see(&change.root) {
                let was_seen = change.former_roots.iter().any(|former| self.filter.may_see(former));
                if was_seen && !self.is_beginning {
                    return Ok(Step::News(Entry { number, at, news: News::Delete(change.url) }));
                }
                continue;
            }
            if let Some(news) = self.news(change)? {
                return Ok(Step::News(Entry { number, at, news }));
            }
        }
        Ok(Step::Nothing)
    }

    fn news(&self, change: Change) -> Result<Option<News>, StoreError> {
        let Change { kind, url, .. } = change;
        match kind {
            ChangeKind::Update => match self.view.head(&url)? {
                Some(head) if self.filter.wants(&Traits::from(&head)) => {
                    Ok(self.view.record(&url)?.map(|record| News::Update(Box::new(record))))
                }
                // It may have been wanted before.
                Some(_) if !self.is_beginning => Ok(Some(News::Delete(url))),
                _ => Ok(None),
            },
            ChangeKind::Refresh => {
                let head = self.view.head(&url)?;
                // A whole record has its times with it.
                let is_news = |head: &Head| head.update <= self.start && self.filter.wants(&Traits::from(head));
                Ok(head.filter(is_news).map(|head| News::Refresh(Box::new(head))))
            }
            ChangeKind::Delete if self.is_beginning => Ok(None),
            // By its URL alone: what it was when the broker heard of it, nobody knows any more.
            ChangeKind::Delete => Ok(self.filter.is_there(url.as_str()).then_some(News::Delete(url))),
        }
    }
}
