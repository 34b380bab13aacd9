//! Source line of a position, and positions of a source line.
//!
//! The first query reads the images' debug information and blocks meanwhile, so callers run it on a
//! worker.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::Result;
use stepback_index::answer::ThreadId;
use stepback_index::query::{NearestStepOf, NearestVisit, Steps};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::action::Direction;
use crate::analysis::walk::{HitCursor, HitOutcome, HitQuery, Subject};
use crate::image::{LineRange, SourceLine, is_called};
use crate::messages::say;
use crate::model::names::function_name;
use crate::session::Session;
use crate::source::{SourceMap, SourceText, find};

/// Maximum number of instructions tried in one address range of a line.
const RANGE_LIMIT: usize = 1 << 16;

/// Source location of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionSource {
    /// Line of the next instruction; at the end of the trace, of the last one.
    Line(Arc<SourceLine>),
    /// The instruction has no line; this is the call site of the innermost enclosing call that has
    /// one.
    Call {
        /// Line of the call.
        line: Arc<SourceLine>,
        /// Called function.
        function: String,
    },
    /// Neither the instruction nor any enclosing call has a line.
    Nowhere(Option<Address>),
    /// No image contains line information.
    NoLines,
    /// The session has no image.
    NoImage,
}

impl PositionSource {
    /// Returns the line of the instruction or the call.
    pub fn line(&self) -> Option<&Arc<SourceLine>> {
        match self {
            Self::Line(line) | Self::Call { line, .. } => Some(line),
            Self::Nowhere(_) | Self::NoLines | Self::NoImage => None,
        }
    }

    /// Describes what the line itself does not show: the function, or where it is inlined or calls.
    pub fn words(&self) -> String {
        match self {
            Self::Line(line) => match (line.inlined_at.first(), &line.function) {
                (Some(site), Some(function)) => {
                    let file = site.file.rsplit(['/', '\\']).next().unwrap_or_default();
                    say!(
                        "source-inlined-at",
                        function = &**function,
                        file = file,
                        line = site.line.to_string()
                    )
                }
                (_, Some(function)) => say!("source-in", function = &**function),
                (_, None) => String::new(),
            },
            Self::Call { function, .. } => say!("source-calls", function = &**function),
            Self::Nowhere(Some(address)) => {
                say!("source-no-line-of", address = address.to_string())
            }
            Self::Nowhere(None) | Self::NoLines | Self::NoImage => {
                say!("source-no-source-line-here").to_owned()
            }
        }
    }
}

/// Returns the named thread; the one that executed last if no name is given or the trace has no
/// such thread.
///
/// # Errors
/// The index cannot be read.
pub fn thread_or_here(
    session: &Session,
    name: Option<&str>,
    position: Position,
) -> Result<ThreadId, QueryError> {
    match name.and_then(|name| session.index.thread_by_name(name)) {
        Some(thread) => Ok(thread),
        None => SlotReader(&session.index).thread_at(position),
    }
}

/// Finds the source location of a thread at a position. Blocks: the first query reads the images'
/// debug information.
///
/// # Errors
/// The index or the debug information cannot be read.
pub fn source_here(
    session: &Session,
    thread: ThreadId,
    position: Position,
    cancel: &Cancel,
) -> Result<PositionSource> {
    if session.images.is_empty() {
        return Ok(PositionSource::NoImage);
    }
    if !session
        .images
        .has_lines()
        .map_err(|error| anyhow::anyhow!("{error}"))?
    {
        return Ok(PositionSource::NoLines);
    }
    let address = instruction_at(session, thread, position, cancel)?;
    if let Some(line) = address.and_then(|address| session.images.source_at(address)) {
        return Ok(PositionSource::Line(line));
    }
    if session.index.step_count() == 0 {
        return Ok(PositionSource::Nowhere(None));
    }
    let calls = session.index.calls();
    let path = calls.path_at(thread, position);
    for frame in path.into_iter().rev().filter_map(|call| calls.get(call)) {
        cancel.check()?;
        let Some(step) = frame.call_step else {
            continue;
        };
        let caller = Steps {
            first: step,
            count: 1,
        }
        .run(&session.index, cancel)?;
        if let Some(line) = caller
            .first()
            .and_then(|caller| session.images.source_at(caller.pc))
        {
            return Ok(PositionSource::Call {
                line,
                function: function_name(&session.images, frame.function),
            });
        }
    }
    Ok(PositionSource::Nowhere(address))
}

/// Returns the address of a thread's next instruction, or of its last one if none follows.
///
/// # Errors
/// See [`QueryError`].
pub fn instruction_at(
    session: &Session,
    thread: ThreadId,
    position: Position,
    cancel: &Cancel,
) -> Result<Option<Address>, QueryError> {
    let next = NearestStepOf::next(thread, position).run(&session.index, cancel)?;
    let step = match next {
        Some(step) => Some(step),
        None => NearestStepOf::last(thread, position).run(&session.index, cancel)?,
    };
    let Some(step) = step else { return Ok(None) };
    let found = Steps {
        first: step,
        count: 1,
    }
    .run(&session.index, cancel)?;
    Ok(found.first().map(|found| found.pc))
}

/// Returns the source line of the instruction at a position, if it has one. Blocks like
/// [`source_here`].
///
/// # Errors
/// The index cannot be read.
pub fn source_of(
    session: &Session,
    position: Position,
    cancel: &Cancel,
) -> Result<Option<Arc<SourceLine>>> {
    let address = instruction_at(
        session,
        SlotReader(&session.index).thread_at(position)?,
        position,
        cancel,
    )?;
    Ok(address.and_then(|address| session.images.source_at(address)))
}

/// Source file to be shown.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Name in the image.
    pub name: Arc<str>,
    /// Lines of the file; none if it was not found.
    pub text: Option<SourceText>,
    /// Address ranges of its code, by line.
    pub code: Vec<LineRange>,
}

impl SourceFile {
    /// Finds and reads a file. Blocks.
    ///
    /// # Errors
    /// The file was found and cannot be read, or the operation was cancelled.
    pub fn load(
        session: &Session,
        name: &Arc<str>,
        map: &SourceMap,
        cancel: &Cancel,
    ) -> Result<Self> {
        let found = find(name, &session.source_places(map.clone()));
        let images: Vec<_> = session
            .images
            .infos()
            .iter()
            .map(|info| info.spec.path.clone())
            .collect();
        let text = found
            .map(|path| SourceText::read(&path, &images))
            .transpose()?;
        let code = session.images.code_of_file(name, cancel)?;
        Ok(Self {
            name: Arc::clone(name),
            text,
            code,
        })
    }

    /// Returns true if a line has code.
    pub fn has_code(&self, line: u32) -> bool {
        let place = self.code.partition_point(|range| range.line < line);
        self.code.get(place).is_some_and(|range| range.line == line)
    }
}

/// Returns the lines of a file, given by its code, of which an instruction is in the trace. Cost:
/// one query per instruction.
///
/// # Errors
/// The index cannot be read, or it was cancelled.
pub fn executed_lines(
    session: &Session,
    code: &[LineRange],
    cancel: &Cancel,
) -> Result<HashSet<u32>, QueryError> {
    let mut executed = HashSet::new();
    for range in code {
        cancel.check()?;
        if !executed.contains(&range.line) && is_executed(session, *range, cancel)? {
            executed.insert(range.line);
        }
    }
    Ok(executed)
}

fn is_executed(session: &Session, range: LineRange, cancel: &Cancel) -> Result<bool, QueryError> {
    for pc in instructions(session, range) {
        cancel.check()?;
        if (NearestVisit::next(pc, Position(0)))
            .run(&session.index, cancel)?
            .is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the possible instruction addresses of a range, limited to its beginning if it is longer
/// than any line's code.
fn instructions(session: &Session, range: LineRange) -> impl Iterator<Item = Address> + use<> {
    let alignment = session
        .index
        .instruction_sets()
        .iter()
        .map(|set| set.alignment())
        .min();
    (range.start.0..range.end.0)
        .step_by(usize::from(alignment.unwrap_or(1)))
        .take(RANGE_LIMIT)
        .map(Address)
}

/// Query for an execution of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineQuestion {
    /// File name as in the image, or the end of its path: `main.c`.
    pub file: String,
    /// Line number, from 1.
    pub line: u32,
    /// Direction in time.
    pub direction: Direction,
    /// Thread name; none for any thread.
    pub thread: Option<String>,
}

impl LineQuestion {
    /// Returns the file name without directories.
    pub fn name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or_default()
    }

    /// Returns the position just before the next or last execution of the line, and its thread; none if there is none. If the first
    /// instructions of the line are never reached, any other of its instructions counts.
    ///
    /// # Errors
    /// No code belongs to the line, or the index cannot be read.
    pub fn answer(
        &self,
        session: &Session,
        from: Position,
        cancel: &Cancel,
    ) -> Result<Option<(Position, ThreadId)>> {
        let is_meant = |file: &str| is_called(file, &self.file);
        let mut code = session.images.code_of_files(&is_meant, cancel)?;
        anyhow::ensure!(
            !code.is_empty(),
            "{}",
            say!("source-no-code-of-file", file = format!("{:?}", self.file))
        );
        code.retain(|range| range.line == self.line);
        anyhow::ensure!(
            !code.is_empty(),
            "{}",
            say!(
                "source-no-code-at-line",
                line = self.line.to_string(),
                file = format!("{:?}", self.file)
            )
        );
        let starts = code.iter().map(|range| range.start);
        let found = self.nearest(session, starts, from, cancel)?;
        if found.is_some() {
            return Ok(found);
        }
        Ok(self.nearest(
            session,
            code.iter().flat_map(|range| instructions(session, *range)),
            from,
            cancel,
        )?)
    }

    fn nearest(
        &self,
        session: &Session,
        addresses: impl Iterator<Item = Address>,
        from: Position,
        cancel: &Cancel,
    ) -> Result<Option<(Position, ThreadId)>, QueryError> {
        // The step at the position itself does not count.
        let from = match self.direction {
            Direction::Forward if from >= session.index.end() => return Ok(None),
            Direction::Forward => from.next_step().after(),
            Direction::Back => from,
        };
        let thread = self
            .thread
            .as_deref()
            .and_then(|name| session.index.thread_by_name(name));
        let mut nearest = None;
        for pc in addresses {
            cancel.check()?;
            let sought = HitQuery {
                subject: Subject::Visits(vec![pc]),
                direction: self.direction,
            };
            let found = match HitCursor::new(sought, from, 1, &session.index, cancel)
                .of_thread(thread)
                .next_hit()?
            {
                HitOutcome::Hit(hit) => Some((hit.record.step.before(), hit.record.thread)),
                HitOutcome::Initial(_) | HitOutcome::Nothing => None,
            };
            nearest = match self.direction {
                Direction::Forward => [nearest, found].into_iter().flatten().min(),
                Direction::Back => [nearest, found].into_iter().flatten().max(),
            };
        }
        Ok(nearest)
    }
}

/// Settings for finding and showing source files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceChoice {
    /// Mapping for moved directories.
    pub map: SourceMap,
    /// Shows source lines in the rows of the trace if there is room.
    pub is_in_rows: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow_with_image;

    #[track_caller]
    fn check_here(position: u64, expected: &str) {
        let here = source_here(
            &overflow_with_image(),
            ThreadId(0),
            Position(position),
            &Cancel::default(),
        )
        .expect("an answer");
        let said = match &here {
            PositionSource::Line(line) => line.short(),
            PositionSource::Call { line, function } => format!("{} calls {function}", line.short()),
            other => format!("{other:?}"),
        };
        assert_eq!(said, expected, "{position}");
    }

    #[test]
    fn the_line_is_that_of_the_next_instruction_and_at_the_end_of_the_last_one() {
        check_here(0, "mini_a64.S:6");
        check_here(1761, "overflow.c:95");
        check_here(1763, "overflow.c:95");
    }

    #[test]
    fn without_an_image_there_is_no_source() {
        let session = crate::session::test_session::overflow();
        let here =
            source_here(&session, ThreadId(0), Position(0), &Cancel::default()).expect("an answer");
        assert_eq!(here, PositionSource::NoImage);
    }

    #[track_caller]
    fn check_line(question: (&str, u32, Direction, u64), expected: Result<Option<u64>, &str>) {
        let (file, line, direction, from) = question;
        let question = LineQuestion {
            file: file.to_owned(),
            line,
            direction,
            thread: None,
        };
        let answer = question.answer(&overflow_with_image(), Position(from), &Cancel::default());
        let answer = answer
            .map(|found| found.map(|(position, _)| position.0))
            .map_err(|error| error.to_string());
        assert_eq!(answer, expected.map_err(str::to_owned), "{question:?}");
    }

    #[test]
    fn a_line_is_found_the_next_and_the_last_time_that_it_is_executed() {
        let session = overflow_with_image();
        let cancel = Cancel::default();
        let all = Steps {
            first: stepback_parsers::Step(0),
            count: 2000,
        }
        .run(&session.index, &cancel)
        .expect("steps");
        let starts: HashSet<u64> = session
            .images
            .code_of_files(&|file| is_called(file, "overflow.c"), &cancel)
            .expect("code")
            .iter()
            .filter(|range| range.line == 43)
            .map(|range| range.start.0)
            .collect();
        let visits: Vec<u64> = all
            .iter()
            .filter(|step| starts.contains(&step.pc.0))
            .map(|step| step.step.0)
            .collect();
        assert!(visits.len() > 3, "{visits:?}");
        for pair in visits.windows(2) {
            check_line(
                ("overflow.c", 43, Direction::Forward, pair[0]),
                Ok(Some(pair[1])),
            );
            check_line(
                ("src/overflow.c", 43, Direction::Back, pair[1]),
                Ok(Some(pair[0])),
            );
        }
        check_line(("overflow.c", 43, Direction::Back, visits[0]), Ok(None));
        check_line(("overflow.c", 43, Direction::Forward, 1763), Ok(None));
    }

    #[test]
    fn a_line_without_code_is_refused() {
        check_line(
            ("overflow.c", 1, Direction::Forward, 0),
            Err("line 1 of \"overflow.c\" has no code"),
        );
        check_line(
            ("flow.c", 43, Direction::Forward, 0),
            Err("no image contains code of a file named \"flow.c\""),
        );
    }

    #[test]
    fn executed_lines_are_those_with_an_instruction_in_the_trace() {
        let session = overflow_with_image();
        let cancel = Cancel::default();
        let code = session
            .images
            .code_of_file("/build/trace-corpus/src/overflow.c", &cancel)
            .expect("code");
        let executed = executed_lines(&session, &code, &cancel).expect("lines");
        let all = Steps {
            first: stepback_parsers::Step(0),
            count: 2000,
        }
        .run(&session.index, &cancel)
        .expect("steps");
        let lines = all
            .iter()
            .filter_map(|step| session.images.source_at(step.pc));
        let expected: HashSet<u32> = lines
            .filter(|line| line.file_name() == "overflow.c")
            .map(|line| line.line)
            .collect();
        assert_eq!(executed, expected);
    }
}
