//! What is asked for the rows in view alone: who wrote a cell last, and how often it was written.

use std::collections::HashMap;
use std::sync::Arc;

use stepback_index::Cancel;
use stepback_parsers::Step;

use crate::panels::ViewCx;
use stepback_debugger::action::CellName;
use stepback_debugger::model::compare::{Between, CompareRow, WriterText, WritesBetween, writers, writes_between};
use stepback_debugger::worker::{Lane, Ticket};

/// Answers are forgotten when there are more than this.
const KEPT: usize = 10_000;

/// What is known beside the rows.
#[derive(Default)]
pub struct Beside {
    /// The steps that wrote cells.
    pub writers: HashMap<Step, WriterText>,
    /// How often cells were written between the two positions.
    pub writes: HashMap<CellName, WritesBetween>,
    between: Option<Between>,
    /// Texts were made when source lines were known.
    has_lines: bool,
    /// A question failed: it is not asked again and again.
    has_failed: bool,
    writers_asked: Option<Ticket<HashMap<Step, WriterText>>>,
    writes_asked: Option<Ticket<HashMap<CellName, WritesBetween>>>,
}

impl Beside {
    /// Takes what was answered, and asks for what is not known of these rows.
    pub fn poll<'a>(&mut self, rows: impl Iterator<Item = &'a CompareRow>, between: Between, cx: &ViewCx<'_>) {
        let has_lines = cx.desk.session.images.are_lines_ready();
        if self.between != Some(between) {
            *self = Self {
                between: Some(between),
                has_lines,
                writers: std::mem::take(&mut self.writers),
                ..Self::default()
            };
        }
        if self.has_lines != has_lines || self.writers.len() > KEPT {
            (self.has_lines, self.writers_asked) = (has_lines, None);
            self.writers.clear();
        }
        self.receive();
        if self.has_failed {
            return;
        }
        let (mut steps, mut cells) = (Vec::new(), Vec::new());
        for row in rows {
            let CompareRow::Cell { cell, last_write, .. } = row else { continue };
            steps.extend(last_write.filter(|step| !self.writers.contains_key(step)));
            cells.extend(Some(cell).filter(|cell| !self.writes.contains_key(cell)).cloned());
        }
        if !steps.is_empty() && self.writers_asked.is_none() {
            let session = Arc::clone(&cx.desk.session);
            let job = move |cancel: &Cancel| writers(&session, &steps, cancel);
            self.writers_asked = Some(cx.desk.worker.spawn(Lane::Short, job));
        }
        if !cells.is_empty() && self.writes_asked.is_none() {
            let session = Arc::clone(&cx.desk.session);
            let job = move |cancel: &Cancel| writes_between(&session, &cells, between, cancel);
            self.writes_asked = Some(cx.desk.worker.spawn(Lane::Long, job));
        }
    }

    /// Without an answer a row still shows its values.
    fn receive(&mut self) {
        if let Some(answer) = self.writers_asked.as_ref().and_then(Ticket::take) {
            self.writers_asked = None;
            self.has_failed |= answer.is_err();
            self.writers.extend(answer.unwrap_or_default());
        }
        if let Some(answer) = self.writes_asked.as_ref().and_then(Ticket::take) {
            self.writes_asked = None;
            self.has_failed |= answer.is_err();
            self.writes.extend(answer.unwrap_or_default());
        }
    }
}
