//! One page of an answer ([`Page`]): rows until 4 kB are reached, the number of all rows, and the
//! cursor of the next page.

use std::cell::RefCell;
use std::fmt;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Map, Value as Json};
use stepback_debugger::session::Session;
use stepback_index::build::BuildProgress;

use super::compact::{Compactor, cut_text, cut_to, len_bytes};
use super::cursor::{AnswerKey, Cursor};
use super::failure::{ErrorKind, ToolError};
use super::other_trace::OtherTrace;
use super::tool_arguments::ToolArguments;
use crate::cli::cells::thread_id;
use crate::cli::question::TraceArguments;
use crate::cli::report::{AnswerItem, Report};
use crate::servers::pending::WorkControl;

/// Maximum size of an answer in bytes, as a line of JSON.
pub const ANSWER_BYTES: usize = 4096;
/// Part of the line outside the answer.
const ENVELOPE_BYTES: usize = 160;
/// Maximum size of the fields before the rows.
const HEAD_BYTES: usize = 1500;
/// Part of an answer that is kept free for the total, the cursor, the coverage and a late note.
const TAIL_BYTES: usize = 420;
/// Maximum number of notes, and their length in bytes.
const NOTES: usize = 2;
const NOTE_BYTES: usize = 160;
/// Rows after a full page are counted up to this number, and for this time.
const COUNTED_ROWS: u64 = 20_000;
const COUNTING_TIME: Duration = Duration::from_secs(1);

/// A call of a tool with all that its query needs.
#[derive(Clone, Copy)]
pub struct ToolCall<'a> {
    pub session: &'a Session,
    /// How the trace was named on the command line.
    pub common: &'a TraceArguments,
    pub other: &'a OtherTrace,
    pub arguments: ToolArguments<'a>,
    pub control: &'a WorkControl,
    pub progress: &'a BuildProgress,
    pub key: AnswerKey,
}

/// How an answer continues after a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paging {
    /// The query runs again, and the rows of earlier pages are skipped.
    ByOffset,
    /// The query returns rows in the order of their steps and continues at a step.
    ByStep,
}

/// Collects the rows of one page.
pub struct Page<'a> {
    call: &'a ToolCall<'a>,
    paging: Paging,
    start: Cursor,
    /// Number of rows that the query returns before those of this page.
    skipped: u64,
    limit: u64,
    compactor: Compactor<'a>,
    content: RefCell<PageContent>,
}

#[derive(Debug, Default)]
struct PageContent {
    head: Map<String, Json>,
    rows: Vec<Json>,
    notes: Vec<String>,
    /// Size of the head, the rows and the notes as JSON.
    bytes: usize,
    /// Number of rows seen since the start of the query.
    seen: u64,
    /// Time at which a row no longer fitted.
    full_since: Option<Instant>,
    /// Number of all rows, if it is known without counting.
    total: Option<u64>,
    /// Step of the last row on the page, and the number of rows of this step until then.
    last_step: Option<u64>,
    of_last_step: u64,
    /// True if the query was stopped before its end.
    is_stopped: bool,
}

/// Ends a query whose further rows are not needed.
#[derive(Debug)]
struct PageFull;

impl fmt::Display for PageFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the page is full")
    }
}

impl std::error::Error for PageFull {}

impl<'a> Page<'a> {
    /// Creates an empty page that begins at the cursor of the call.
    ///
    /// # Errors
    /// The cursor or the number of rows is wrong.
    pub fn new(call: &'a ToolCall<'a>, paging: Paging) -> Result<Self, ToolError> {
        let cursor = call.arguments.text(super::cursor::CURSOR)?;
        let start = match cursor {
            Some(text) => Cursor::parse(text, call.key)?,
            None => Cursor::default(),
        };
        let content = PageContent {
            total: start.total,
            ..PageContent::default()
        };
        let skipped = match start.step {
            Some(_) => start.repeated,
            None => start.offset,
        };
        Ok(Self {
            call,
            paging,
            start,
            skipped,
            limit: call.arguments.limit()?,
            compactor: Compactor::new(call.session),
            content: RefCell::new(content),
        })
    }

    /// Returns the step at which a query continues that returns rows in the order of their steps.
    pub fn resumed_step(&self) -> Option<u64> {
        self.start.step
    }

    /// Returns true on the first page.
    pub fn is_first(&self) -> bool {
        self.start.offset == 0
    }

    /// Returns true if the page has no row.
    pub fn is_empty(&self) -> bool {
        self.content.borrow().rows.is_empty()
    }

    /// Sets the number of all rows.
    pub fn set_total(&self, total: u64) {
        self.content.borrow_mut().total.get_or_insert(total);
    }

    /// Adds fields before the rows.
    pub fn set_head(&self, head: Json) {
        let mut content = self.content.borrow_mut();
        if let Json::Object(head) = cut_to(self.compactor.fact(head), HEAD_BYTES) {
            content.bytes += len_bytes(&Json::Object(head.clone()));
            content.head.extend(head);
        }
    }

    /// Runs a query and adds each of its values as a row.
    ///
    /// # Errors
    /// The query fails or takes too long without finding a row.
    pub fn add_rows(
        &self,
        query: impl FnOnce(&mut Report<'_>) -> Result<()>,
    ) -> Result<(), ToolError> {
        self.add_rows_if(Some, query)
    }

    /// Runs a query and adds its values as rows; `row` changes them or leaves some out.
    ///
    /// # Errors
    /// The query fails or takes too long without finding a row.
    pub fn add_rows_if(
        &self,
        row: impl Fn(Json) -> Option<Json>,
        query: impl FnOnce(&mut Report<'_>) -> Result<()>,
    ) -> Result<(), ToolError> {
        let sink = |item| match item {
            AnswerItem::Value(value) => row(value).map_or(Ok(()), |value| self.take(value)),
            AnswerItem::Note(note) => {
                self.note(&note);
                Ok(())
            }
        };
        let ran = query(&mut self.call.report(&sink));
        self.ended(ran)
    }

    /// Adds rows that are already there.
    ///
    /// # Errors
    /// The call was cancelled.
    pub fn add_values(&self, values: impl IntoIterator<Item = Json>) -> Result<(), ToolError> {
        let added = values.into_iter().try_for_each(|value| self.take(value));
        self.ended(added)
    }

    /// Runs a query that returns one value. Notes about it go to the page.
    ///
    /// # Errors
    /// The query fails.
    pub fn value_of(
        &self,
        query: impl FnOnce(&mut Report<'_>) -> Result<()>,
    ) -> Result<Map<String, Json>, ToolError> {
        let found = RefCell::new(Map::new());
        let sink = |item| {
            match item {
                AnswerItem::Value(Json::Object(value)) => drop(found.replace(value)),
                AnswerItem::Value(_) => {}
                AnswerItem::Note(note) => self.note(&note),
            }
            Ok(())
        };
        let ran = query(&mut self.call.report(&sink));
        self.ended(ran)?;
        Ok(found.into_inner())
    }

    /// Adds a remark.
    pub fn note(&self, text: &str) {
        let mut content = self.content.borrow_mut();
        let text = cut_text(text, NOTE_BYTES);
        if content.notes.len() < NOTES && !content.notes.contains(&text) {
            // The room for a note at the end suffices for the first.
            if !content.notes.is_empty() {
                content.bytes += len_bytes(&text.clone().into()) + 1;
            }
            content.notes.push(text);
        }
    }

    fn take(&self, value: Json) -> Result<()> {
        let mut content = self.content.borrow_mut();
        content.seen += 1;
        if let Some(since) = content.full_since {
            return self.counted(&content, since);
        }
        let step = value.get("step").and_then(Json::as_u64);
        if content.seen > self.skipped {
            let row = self.compactor.row(value);
            let len = len_bytes(&row) + 1;
            let is_full = content.rows.len() as u64 >= self.limit
                || content.bytes + len + TAIL_BYTES + ENVELOPE_BYTES > ANSWER_BYTES;
            if is_full {
                let now = Instant::now();
                content.full_since = Some(now);
                return self.counted(&content, now);
            }
            content.bytes += len;
            content.rows.push(row);
        }
        content.of_last_step = match step == content.last_step {
            true => content.of_last_step + 1,
            false => 1,
        };
        content.last_step = step;
        self.call.control.cancel.check()?;
        Ok(())
    }

    /// Counts a row after a full page, or ends the query if the number is known or takes too long.
    fn counted(&self, content: &PageContent, since: Instant) -> Result<()> {
        let is_enough = content.total.is_some()
            || content.seen > self.skipped + COUNTED_ROWS
            || since.elapsed() > COUNTING_TIME;
        match is_enough {
            true => Err(PageFull.into()),
            false => Ok(()),
        }
    }

    /// Handles the end of a query.
    fn ended(&self, ran: Result<()>) -> Result<(), ToolError> {
        let Err(error) = ran else {
            return Ok(());
        };
        let mut content = self.content.borrow_mut();
        let is_overdue = self.call.control.cancel.is_cancelled();
        if error.is::<PageFull>() || is_overdue && !content.rows.is_empty() {
            content.is_stopped = true;
            return Ok(());
        }
        let is_too_slow = is_overdue && !self.call.control.is_withdrawn();
        Err(match is_too_slow && !error.is::<ToolError>() {
            true => ToolError::of_kind(ErrorKind::TooSlow, "the query took too long"),
            false => error.into(),
        })
    }

    /// Returns the answer.
    pub fn answer(self) -> Json {
        let PageContent {
            head,
            rows,
            notes,
            seen,
            full_since,
            total,
            last_step,
            of_last_step,
            is_stopped,
            ..
        } = self.content.into_inner();
        let end = self.start.offset + rows.len() as u64;
        let counted = (self.start.offset + seen).saturating_sub(self.skipped);
        let total = total.or_else(|| (!is_stopped).then_some(counted));
        let has_more = full_since.is_some() || is_stopped;
        let is_whole = self.call.session.index.is_whole();
        let mut answer = head;
        answer.insert("rows".to_owned(), rows.into());
        match total {
            Some(total) => answer.insert("total".to_owned(), total.into()),
            None => answer.insert("total_at_least".to_owned(), counted.max(end).into()),
        };
        if has_more {
            let next = Cursor {
                offset: end,
                // A part of the trace will have more rows when it has grown.
                total: total.filter(|_| is_whole),
                step: last_step.filter(|_| self.paging == Paging::ByStep),
                repeated: of_last_step,
            };
            answer.insert("next_cursor".to_owned(), next.text(self.call.key).into());
        }
        let coverage = match (is_whole, total) {
            (false, _) => "so_far",
            (true, None) => "capped",
            (true, Some(_)) => "complete",
        };
        answer.insert("coverage".to_owned(), coverage.into());
        if !notes.is_empty() {
            answer.insert("notes".to_owned(), notes.into());
        }
        answer.into()
    }
}

impl<'a> ToolCall<'a> {
    /// Returns the name of the thread in the arguments.
    ///
    /// # Errors
    /// The trace has no such thread.
    pub fn thread(&self) -> Result<Option<String>, ToolError> {
        let Some(name) = self.arguments.text("thread")? else {
            return Ok(None);
        };
        match thread_id(self.session, Some(name)) {
            Ok(_) => Ok(Some(name.to_owned())),
            Err(error) => Err(ToolError::of_kind(
                ErrorKind::UnknownName,
                error.to_string(),
            )),
        }
    }

    fn report(&self, sink: &'a dyn Fn(AnswerItem) -> Result<()>) -> Report<'a> {
        let cancel = self.control.cancel.clone();
        Report::collected(self.session, cancel, self.progress, sink)
    }
}
