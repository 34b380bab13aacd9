//! Describes the ends of the chains of a slice.

use stepback_index::{Edge, Index, SliceEnd, SliceEndKind, UnknownInput};

use super::words::cell_words;
use crate::action::Direction;
use crate::messages::say;
use crate::model::doubt::doubt_words;

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
pub fn end_words(end: &SliceEnd, way: Direction, index: &Index) -> String {
    let words = words_alone(end, way);
    match end.doubt {
        Some(doubt) => format!(
            "{words}; {}",
            doubt_words(doubt, index.source().traits().instruction_set)
        ),
        None => words,
    }
}

fn words_alone(end: &SliceEnd, way: Direction) -> String {
    let of_control = Some(end)
        .filter(|end| is_of_control(end))
        .and_then(|end| control_words(end.end, way));
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
fn control_words(end: SliceEndKind, way: Direction) -> Option<&'static str> {
    Some(match (end, way) {
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
    use stepback_index::{SliceCell, SliceUse, ThreadId};
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
    fn check(of: SliceEndKind, way: Direction, expected: &str) {
        assert_eq!(words_alone(&end(of, &[Edge::Control]), way), expected);
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
            "an interrupt or an exception began it",
        );
        check(
            SliceEndKind::Limit,
            Direction::Back,
            "what decided that this ran is not gone into",
        );
        check(
            SliceEndKind::Limit,
            Direction::Forward,
            "what it decided is not followed to its end",
        );
        let not_found = words_alone(
            &end(
                SliceEndKind::Unknown(UnknownInput::DeciderNotFound),
                &[Edge::Control],
            ),
            Direction::Forward,
        );
        assert!(
            not_found.starts_with("what it decided is not seen: "),
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
