//! Boundaries of calls as Arm's Tarmac tools define them: in nodes of the text, not in steps.

use stepback_index::query::TextLineOfStep;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::tarmac::TarmacNode;
use stepback_parsers::{Source as _, Step, Tarmac};

/// Maximum amount of text between two steps that is searched for nodes. Beyond it the steps' own
/// lines are used.
const TEXT_LIMIT_BYTES: u64 = 1 << 20;

/// Address that the tools write for a node without an instruction.
const NO_PC: u64 = 2;

/// Time, text location and instruction address of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Time. None in a trace without times, except that Arm's tools count 0 in Tarmac text.
    pub time: Option<u64>,
    pub place: SitePlace,
    /// Address with bit 0 set for Thumb.
    pub pc: u64,
}

/// Place of a node in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitePlace {
    /// First line, and its byte offset in the trace.
    Text { line: u64, offset: u64 },
    /// Step, in a trace without lines.
    Step(Step),
}

/// Locator of nodes. With several CPUs each step is a node, since the text between two steps of a
/// CPU belongs to others.
pub struct Sites<'a> {
    index: &'a Index,
    cancel: &'a Cancel,
}

/// A part of the trace's text, divided into nodes.
struct TextNodes {
    /// Offset of the text.
    offset: u64,
    nodes: Vec<TarmacNode>,
}

impl<'a> Sites<'a> {
    pub fn new(index: &'a Index, cancel: &'a Cancel) -> Self {
        Self { index, cancel }
    }

    /// Returns the node before a step, the step's own node at the start of the trace; and the step's
    /// node.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn border(&self, step: Step) -> Result<(Site, Site), QueryError> {
        let before = Step(step.0.saturating_sub(1));
        // A step may share a node with the text before it.
        let divided = self.divided(before, step)?;
        let found = divided.as_ref().and_then(|divided| {
            let mut with_pc = divided
                .nodes
                .iter()
                .enumerate()
                .filter(|(_, node)| node.pc.is_some());
            let (place, at) = if step.0 == 0 {
                with_pc.next()
            } else {
                with_pc.nth(1)
            }?;
            Some((
                divided,
                divided.nodes.get(place.saturating_sub(1)).unwrap_or(at),
                at,
            ))
        });
        let Some((divided, last, at)) = found else {
            return Ok((self.of_step(before)?, self.of_step(step)?));
        };
        let line = self.first_line(divided, before)?;
        Ok((divided.site(last, line), divided.site(at, line)))
    }

    /// Returns the last node of a step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn end_of(&self, step: Step) -> Result<Site, QueryError> {
        let divided = self.divided(step, step)?;
        match divided
            .as_ref()
            .and_then(|divided| Some((divided, divided.nodes.last()?)))
        {
            Some((divided, node)) => Ok(divided.site(node, self.first_line(divided, step)?)),
            None => self.of_step(step),
        }
    }

    /// Returns true if calls are measured in steps: the trace has no times, or one time covers
    /// thousands of steps.
    pub fn counts_steps(&self) -> bool {
        counts_steps(self.index)
    }

    /// Returns the time of the last node of a step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn end_time_of(&self, step: Step) -> Result<u64, QueryError> {
        match self
            .divided(step, step)?
            .and_then(|divided| divided.nodes.last().map(|node| node.time))
        {
            Some(time) => Ok(time),
            None => self.time_of(step),
        }
    }

    /// Returns the time of a step; 0 in a trace without times.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn time_of(&self, step: Step) -> Result<u64, QueryError> {
        Ok(SlotReader(self.index).time_of(step)?.unwrap_or(0))
    }

    /// Returns the site of a step from its record, without its text.
    fn of_step(&self, step: Step) -> Result<Site, QueryError> {
        let point = SlotReader(self.index).point_of(step)?;
        // Bit 0 marks Thumb code.
        let pc = point.instruction_set.marked_address(point.pc.0);
        if !self.index.source().is_text() {
            return Ok(Site {
                time: point.time,
                place: SitePlace::Step(step),
                pc,
            });
        }
        let is_tarmac = self.index.source().downcast::<Tarmac>().is_some();
        let line = self.line_of(step)?;
        let text = SlotReader(self.index).text_between(step.before(), step.after())?;
        Ok(Site {
            time: point.time.or(is_tarmac.then_some(0)),
            place: SitePlace::Text {
                line,
                offset: text.start,
            },
            pc,
        })
    }

    /// Returns the first line number of a divided text that begins with a step.
    fn first_line(&self, divided: &TextNodes, first: Step) -> Result<u64, QueryError> {
        if divided.offset == 0 {
            Ok(1)
        } else {
            self.line_of(first)
        }
    }

    fn line_of(&self, step: Step) -> Result<u64, QueryError> {
        Ok(TextLineOfStep(step)
            .run(self.index, self.cancel)?
            .map_or(0, |line| line.0))
    }

    /// Returns the nodes of some steps; at the start of the trace, including the text before the
    /// first step. `None` if there is too much text, or several CPUs.
    fn divided(&self, first: Step, last: Step) -> Result<Option<TextNodes>, QueryError> {
        let range = SlotReader(self.index).text_between(first.before(), last.after())?;
        if self.index.threads().len() != 1 || range.end - range.start > TEXT_LIMIT_BYTES {
            return Ok(None);
        }
        let time = if range.start == 0 {
            0
        } else {
            self.time_of(first)?
        };
        let Some(tarmac) = self.index.source().downcast::<Tarmac>() else {
            return Ok(None);
        };
        let mut text = Vec::new();
        tarmac
            .read_raw(range.clone(), &mut text)
            .map_err(QueryError::from)?;
        Ok(Some(TextNodes {
            offset: range.start,
            nodes: tarmac.nodes(&text, time),
        }))
    }
}

/// Returns true if calls are measured in steps: the trace has no times, or one time covers
/// thousands of steps.
pub fn counts_steps(index: &Index) -> bool {
    let passes = index
        .info()
        .time_range
        .is_some_and(|(first, last)| first != last);
    index.source().is_clock_coarse() || !passes
}

impl TextNodes {
    /// Converts a node to a site; `line` is the first line of the text.
    fn site(&self, node: &TarmacNode, line: u64) -> Site {
        Site {
            time: Some(node.time),
            place: SitePlace::Text {
                line: line.saturating_add(node.line),
                offset: self.offset.saturating_add(node.offset as u64),
            },
            pc: node.pc.unwrap_or(NO_PC),
        }
    }
}
