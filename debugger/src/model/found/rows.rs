//! Formats hits as rows.

use anyhow::Result;
use stepback_index::{Access, AccessTarget, Cancel, Hit, Query as _, RawLines, StepRecord};
use stepback_machine::AccessKind;

use crate::analysis::search::Search;
use crate::analysis::search::meaning::ParsedSearch;
use crate::messages::say;
use crate::model::code::Code;
use crate::model::effects::effect_words;
use crate::model::names::place_name;
use crate::model::table::{TableCell, TableRow, thread_name};
use crate::model::text::short_hex;
use crate::model::{TextRole as Tone, TextSpan};
use crate::session::Session;

/// Columns of the table.
pub const HEADS: [&str; 5] = [
    "head-step",
    "head-thread",
    "head-function",
    "head-instruction",
    "head-match",
];

/// Maximum number of lines of a step that are checked for the match.
const LINES: u64 = 64;
/// Maximum length of a match in characters; longer ones are cut.
const LONGEST: usize = 200;

/// Formats the hits of one search as rows.
pub struct HitRowBuilder<'a> {
    pub session: &'a Session,
    search: Search,
    cancel: &'a Cancel,
}

impl<'a> HitRowBuilder<'a> {
    pub fn new(session: &'a Session, meaning: &ParsedSearch, cancel: &'a Cancel) -> Self {
        Self {
            session,
            search: meaning.search.clone(),
            cancel,
        }
    }

    /// Formats a hit as a row. Cost: if the match is in a line of the step and not in its
    /// instruction, the lines are read again.
    ///
    /// # Errors
    /// See [`stepback_index::QueryError`].
    pub fn row(&self, hit: &Hit) -> Result<TableRow> {
        let (session, record) = (self.session, &hit.record);
        let function = match place_name(&session.images, record.pc) {
            Some(name) => TableCell::new(Tone::Symbol, name),
            None => TableCell::new(Tone::Second, format!("{:08x}", record.pc.0)),
        };
        let cells = vec![
            TableCell::Step(record.step),
            TableCell::new(Tone::Second, thread_name(session, record.thread)),
            function,
            TableCell::new(Tone::Plain, Code::new(record, &session.images).full_text()),
            TableCell::Text(self.matched(hit)?),
        ];
        let name = say!("find-hit-at-step", step = record.step.0);
        Ok(TableRow {
            name,
            cells,
            position: Some(hit.position),
            address: address_of(hit),
            ..TableRow::default()
        })
    }

    /// Returns the part of the step that matches.
    fn matched(&self, hit: &Hit) -> Result<TextSpan> {
        if let Some(access) = &hit.access {
            return Ok(access_span(access));
        }
        let record = &hit.record;
        if let Search::Text(pattern) = &self.search
            && !pattern.is_match(record.text.as_bytes())
            && let Some(line) = self.line(record, pattern)?
        {
            return Ok(TextSpan::new(Tone::Plain, line));
        }
        Ok(TextSpan::new(
            Tone::Second,
            effect_words(self.session, record)
                .chars()
                .take(LONGEST)
                .collect::<String>(),
        ))
    }

    /// Returns the line of a step that matches.
    fn line(
        &self,
        record: &StepRecord,
        pattern: &stepback_index::TextPattern,
    ) -> Result<Option<String>> {
        let Some(first) = record.line else {
            return Ok(None);
        };
        let lines = RawLines {
            first,
            count: LINES,
        }
        .run(&self.session.index, self.cancel)?;
        let found = lines
            .into_iter()
            .find(|line| pattern.is_match(line.text.as_bytes()));
        Ok(found.map(|line| line.text.trim().chars().take(LONGEST).collect()))
    }
}

/// Formats an access: `x0 ← 1f`, `[80020010] ← a9`, `[80020010] = a9`.
fn access_span(access: &Access) -> TextSpan {
    let target = match &access.target {
        AccessTarget::Register(name) => name.clone(),
        AccessTarget::Memory { address, .. } => format!("[{:x}]", address.0),
    };
    let value = short_hex(&access.value);
    let (tone, sign) = match access.kind {
        AccessKind::Read if access.is_external => (Tone::External, '='),
        AccessKind::Read => (Tone::Read, '='),
        AccessKind::Write => (Tone::Write, '←'),
    };
    let word = match access.kind {
        AccessKind::Read => say!("accesses-read"),
        AccessKind::Write => say!("accesses-write"),
    };
    TextSpan::new(
        tone,
        match value {
            Some(value) => format!("{word} {target} {sign} {value}"),
            None => format!("{word} {target}"),
        },
    )
}

fn address_of(hit: &Hit) -> Option<stepback_machine::Address> {
    match hit.access.as_ref()?.target {
        AccessTarget::Memory { address, .. } => Some(address),
        AccessTarget::Register(_) => None,
    }
}
