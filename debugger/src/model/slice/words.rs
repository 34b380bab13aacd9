//! Words about slices: cells and edges, the query and its size, the reason of a line, and the end
//! of a chain.

use stepback_index::Index;
use stepback_index::answer::{Edge, SliceCell, SliceEnd, SliceEndKind, SliceUse, UnknownInput};
use stepback_index::read::NameReader;
use stepback_machine::{InstructionSet, RegisterId, RegisterView, Registers};
use stepback_parsers::Step;

use crate::action::{Direction, SliceView};
use crate::messages::say;
use crate::model::slice::whole::{Slice, SliceLineContent, SliceProgress};
use crate::model::so_far::doubt_words;
use crate::model::text::thousands;
use crate::notes::{SavedSliceQuery, SliceEdge};

/// Formats a cell as `find` and `why` accept it: `x0`, `0x80020010:4`, `psr`.
pub fn cell_words(cell: SliceCell, index: &Index) -> String {
    match cell {
        SliceCell::Register { thread, view } => {
            NameReader(index).register_name(view, index.instruction_set(thread))
        }
        SliceCell::Flags { thread, bits } => {
            status_name(bits, index.instruction_set(thread)).to_owned()
        }
        SliceCell::Memory { address, len_bytes } => format!("{address}:{len_bytes}"),
    }
}

/// Returns the name of the register that contains some flags: `psr`, `rflags`, `ccr`.
fn status_name(bits: u64, set: InstructionSet) -> &'static str {
    let part = if bits >> 32 == 0 {
        None
    } else {
        Some(RegisterView::new(RegisterId::PSR, 4, 1))
    };
    let whole = [4, 8].map(|size_bytes| RegisterView::new(RegisterId::PSR, 0, size_bytes));
    part.into_iter()
        .chain(whole)
        .find_map(|view| Registers::name(view, set))
        .unwrap_or("flags")
}

/// Returns the letters of some flags, `nz`; empty if the architecture has none for them.
pub fn flag_letters(bits: u64, set: InstructionSet) -> String {
    let bytes = bits.to_le_bytes().map(Some);
    set.status(&bytes)
        .flags
        .iter()
        .filter(|flag| flag.is_set == Some(true))
        .map(|flag| flag.letter)
        .collect()
}

/// Returns the kind of an edge as the command line writes it.
pub fn edge_word(edge: Edge) -> &'static str {
    match edge {
        Edge::Copy => "copy",
        Edge::Data => "data",
        Edge::Address => "address",
        Edge::Flags => "flags",
        Edge::Control => "control",
    }
}

/// Returns the kinds of some uses, as the command line writes them.
pub fn use_words(uses: &[SliceUse]) -> Vec<&'static str> {
    let mut edges: Vec<Edge> = uses.iter().map(|wanted| wanted.edge).collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter().map(edge_word).collect()
}

/// Returns the numbers of the steps that use a result.
pub fn wanting_steps(uses: &[SliceUse]) -> Vec<u64> {
    let steps = uses.iter().filter_map(|wanted| wanted.step);
    let mut steps: Vec<u64> = steps.map(|step| step.0).collect();
    steps.dedup();
    steps
}

/// Formats the query as a title: `Why x2 = bfb1e598a4e5bda9 at 1,763`.
pub fn question_words(slice: &Slice) -> String {
    let (cell, at) = (slice.subject.label.as_str(), slice.question.at);
    match &slice.subject.value {
        Some(value) => requested(
            &slice.question,
            &say!("slice-cell-value", cell = cell, value = value.as_str()),
            at,
        ),
        None => requested(&slice.question, cell, at),
    }
}

/// Formats the query before anything is known about its cell.
pub fn requested_words(question: &SavedSliceQuery) -> String {
    requested(question, &question.cell, question.at)
}

fn requested(question: &SavedSliceQuery, cell: &str, at: u64) -> String {
    if question.forward {
        say!("slice-question-forward", cell = cell, at = at)
    } else {
        say!("slice-question", cell = cell, at = at)
    }
}

/// Describes the size and state of the slice.
pub fn slice_words(slice: &Slice) -> String {
    let steps = say!("slice-steps", count = slice.step_count());
    match slice.end {
        SliceProgress::UnderWay => say!("slice-under-way", steps = steps),
        SliceProgress::Whole if slice.is_of_part => {
            say!("sofar-so-far", text = say!("slice-whole", steps = steps))
        }
        SliceProgress::Whole => say!("slice-whole", steps = steps),
        SliceProgress::Limit(left) => say!("slice-limit", steps = steps, count = left),
        SliceProgress::Stopped => say!("slice-stopped", steps = steps),
    }
}

/// Returns the name and the explanation of a kind of edge for a direction.
pub fn edge_words(edge: SliceEdge, direction: Direction) -> (&'static str, &'static str) {
    match (edge, direction) {
        (SliceEdge::Addresses, Direction::Back) => {
            (say!("slice-addresses"), say!("slice-addresses-tip"))
        }
        (SliceEdge::Addresses, Direction::Forward) => {
            (say!("slice-addresses"), say!("slice-addresses-forward-tip"))
        }
        (SliceEdge::Flags, Direction::Back) => (say!("slice-flags"), say!("slice-flags-tip")),
        (SliceEdge::Flags, Direction::Forward) => {
            (say!("slice-flags"), say!("slice-flags-forward-tip"))
        }
        (SliceEdge::Control, Direction::Back) => (say!("slice-control"), say!("slice-control-tip")),
        (SliceEdge::Control, Direction::Forward) => {
            (say!("slice-control"), say!("slice-control-forward-tip"))
        }
    }
}

/// Returns the direction of a query.
pub fn direction_of(question: &SavedSliceQuery) -> Direction {
    if question.forward {
        Direction::Forward
    } else {
        Direction::Back
    }
}

/// Returns the name and the explanation of a direction.
pub fn direction_words(direction: Direction) -> (&'static str, &'static str) {
    match direction {
        Direction::Back => (say!("slice-back"), say!("slice-back-tip")),
        Direction::Forward => (say!("slice-forward"), say!("slice-forward-tip")),
    }
}

/// Returns the name and the explanation of a view.
pub fn view_words(view: SliceView) -> (&'static str, &'static str) {
    match view {
        SliceView::Chain => (say!("slice-chain"), say!("slice-chain-tip")),
        SliceView::Tree => (say!("slice-tree"), say!("slice-tree-tip")),
        SliceView::Everything => (say!("slice-everything"), say!("slice-everything-tip")),
    }
}

/// Maximum number of steps named.
const NAMED: usize = 3;

/// Returns the text after a line: doubts and other notes first, then the steps that need the line.
pub fn because(stated: &SliceLineContent<'_>, slice: &Slice) -> String {
    let parts: Vec<String> = match stated {
        SliceLineContent::Call(_) | SliceLineContent::LoopIterations(..) => Vec::new(),
        SliceLineContent::Line { words, .. } => {
            let reason = wanted(slice, &words.wanted_by);
            words.notes.iter().cloned().chain([reason]).collect()
        }
        SliceLineContent::Repeated(_, words) => words.notes.clone(),
        SliceLineContent::SingleStep(row, id) => {
            let ends = slice
                .ends_of(*id)
                .filter_map(|end| Some(format!("{}: {}", end.gives_text(), end.end.as_ref()?)));
            row.doubt
                .iter()
                .cloned()
                .chain([row.reason.clone()])
                .chain(ends)
                .collect()
        }
        SliceLineContent::End(row) => vec![row.reason.clone()],
    };
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" · ")
}

/// Lists the steps that need a line: `for 1,761`, or `from 1,382` in a forward slice. Without
/// steps, names the query itself.
fn wanted(slice: &Slice, steps: &[Step]) -> String {
    let named: Vec<String> = steps
        .iter()
        .take(NAMED)
        .map(|step| thousands(step.0))
        .collect();
    let (named, forward) = (named.join(", "), slice.question.forward);
    match steps.len().saturating_sub(NAMED) {
        _ if steps.is_empty() => say!("slice-why-asked").to_owned(),
        0 if forward => say!("slice-from", steps = named),
        0 => say!("slice-for", steps = named),
        more if forward => say!("slice-from-more", steps = named, more = more),
        more => say!("slice-for-more", steps = named, more = more),
    }
}

/// Names the cell of a chain's end as `find` and `why` accept it. If the chain follows only
/// control, it has no cell, so a phrase names control.
pub fn ended_words(end: &SliceEnd, index: &Index) -> String {
    if is_of_control(end) {
        say!("slice-end-of-control").to_owned()
    } else {
        cell_words(end.cell, index)
    }
}

/// Describes the end of a chain as a phrase, with any doubt about it.
pub fn end_words(end: &SliceEnd, direction: Direction, index: &Index) -> String {
    let words = words_alone(end, direction);
    match end.doubt {
        Some(doubt) => format!(
            "{words}; {}",
            doubt_words(doubt, index.source().traits().instruction_set)
        ),
        None => words,
    }
}

fn words_alone(end: &SliceEnd, direction: Direction) -> String {
    let of_control = Some(end)
        .filter(|end| is_of_control(end))
        .and_then(|end| control_words(end.end, direction));
    of_control.map_or_else(|| value_words(end.end), str::to_owned)
}

/// Returns true if only control edges lead to an end. Its cell is then the program counter, whose
/// value is not of interest.
pub(super) fn is_of_control(end: &SliceEnd) -> bool {
    !end.wanted_by.is_empty()
        && end
            .wanted_by
            .iter()
            .all(|wanted| wanted.edge == Edge::Control)
}

/// Describes the end of a control chain: the origin of a decision or, forward, its consequence.
fn control_words(end: SliceEndKind, direction: Direction) -> Option<&'static str> {
    Some(match (end, direction) {
        (SliceEndKind::Initial { .. }, _) => say!("slice-end-runs-always"),
        (SliceEndKind::Unknown(UnknownInput::NotOfInstruction), _) => say!("slice-end-interrupt"),
        (SliceEndKind::Unknown(UnknownInput::DeciderNotFound), Direction::Back) => {
            say!("slice-end-decider-not-found")
        }
        (SliceEndKind::Unknown(UnknownInput::DeciderNotFound), Direction::Forward) => {
            say!("slice-end-decided-not-found")
        }
        (SliceEndKind::Limit, Direction::Back) => say!("slice-end-decider-limit"),
        (SliceEndKind::Limit, Direction::Forward) => say!("slice-end-decided-limit"),
        _ => return None,
    })
}

fn value_words(end: SliceEndKind) -> String {
    match end {
        SliceEndKind::Constant => say!("slice-end-constant").to_owned(),
        SliceEndKind::Initial { line: Some(line) } => say!("slice-end-stated", line = line.0),
        SliceEndKind::Initial { line: None } => say!("slice-end-initial").to_owned(),
        SliceEndKind::Image => say!("slice-end-image").to_owned(),
        SliceEndKind::External {
            seen_by: Some(step),
        } => say!("slice-end-external-seen", step = step.0),
        SliceEndKind::External { seen_by: None } => say!("slice-end-external").to_owned(),
        SliceEndKind::System {
            name: Some(name), ..
        } => say!("slice-end-called", name = name),
        SliceEndKind::System { name: None, .. } => say!("slice-end-system").to_owned(),
        SliceEndKind::Unknown(UnknownInput::Undecoded) => say!("slice-end-undecoded").to_owned(),
        SliceEndKind::Unknown(UnknownInput::NotOfInstruction) => {
            say!("slice-end-not-of-instruction").to_owned()
        }
        SliceEndKind::Unknown(UnknownInput::LoadNotShown) => {
            say!("slice-end-load-not-shown").to_owned()
        }
        SliceEndKind::Unknown(UnknownInput::AccessesNotRecorded) => {
            say!("slice-end-accesses-not-recorded").to_owned()
        }
        SliceEndKind::Unknown(UnknownInput::TooMuchLoaded) => {
            say!("slice-end-too-much-loaded").to_owned()
        }
        SliceEndKind::Unknown(UnknownInput::DeciderNotFound) => {
            say!("slice-end-decider-not-found").to_owned()
        }
        SliceEndKind::Kept => say!("slice-end-kept").to_owned(),
        SliceEndKind::Overwritten { by: Some(step) } => {
            say!("slice-end-overwritten-by", step = step.0)
        }
        SliceEndKind::Overwritten { by: None } => say!("slice-end-overwritten").to_owned(),
        SliceEndKind::Limit => say!("slice-end-limit").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use stepback_index::answer::{SliceCell, SliceUse, ThreadId};
    use stepback_machine::{RegisterId, RegisterView};
    use stepback_parsers::Step;

    use super::*;

    /// Builds an end to which edges of the given kinds lead.
    fn end(end: SliceEndKind, edges: &[Edge]) -> SliceEnd {
        let cell = SliceCell::Register {
            thread: ThreadId(0),
            view: RegisterView::new(RegisterId::PC, 0, 8),
        };
        let wanted_by = edges
            .iter()
            .map(|edge| SliceUse {
                step: Some(Step(3)),
                edge: *edge,
            })
            .collect();
        SliceEnd {
            end,
            cell,
            wanted_by,
            doubt: None,
        }
    }

    #[track_caller]
    fn check(of: SliceEndKind, direction: Direction, expected: &str) {
        assert_eq!(words_alone(&end(of, &[Edge::Control]), direction), expected);
    }

    #[test]
    fn ends_of_control_tell_what_decided() {
        check(
            SliceEndKind::Initial { line: None },
            Direction::Back,
            "runs whenever the thread does",
        );
        check(
            SliceEndKind::Unknown(UnknownInput::NotOfInstruction),
            Direction::Back,
            "started by an interrupt or an exception",
        );
        check(
            SliceEndKind::Limit,
            Direction::Back,
            "the deciding branch is not followed further",
        );
        check(
            SliceEndKind::Limit,
            Direction::Forward,
            "what it decided is not followed to the end",
        );
        let not_found = words_alone(
            &end(
                SliceEndKind::Unknown(UnknownInput::DeciderNotFound),
                &[Edge::Control],
            ),
            Direction::Forward,
        );
        assert!(
            not_found.starts_with("what it decided was not found: "),
            "{not_found}"
        );
    }

    #[test]
    fn a_value_of_the_program_counter_is_one() {
        let of_value = end(
            SliceEndKind::Initial { line: None },
            &[Edge::Data, Edge::Control],
        );
        assert_eq!(
            words_alone(&of_value, Direction::Back),
            say!("slice-end-initial")
        );
        assert_eq!(
            words_alone(
                &end(SliceEndKind::Initial { line: None }, &[]),
                Direction::Back
            ),
            say!("slice-end-initial")
        );
    }
}
