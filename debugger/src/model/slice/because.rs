//! Why a line of a slice is in, in one text.

use stepback_parsers::Step;

use super::whole::{Slice, SliceLineContent};
use crate::messages::say;
use crate::model::text::thousands;

/// Steps that are named.
const NAMED: usize = 3;

/// What is said behind a line: what else is to be known of it, and for which steps it is in; doubts first.
pub fn because(told: &SliceLineContent<'_>, slice: &Slice) -> String {
    let parts: Vec<String> = match told {
        SliceLineContent::Call(_) | SliceLineContent::Rounds(..) => Vec::new(),
        SliceLineContent::Line { words, .. } => {
            let reason = wanted(slice, &words.wanted_by);
            words.notes.iter().cloned().chain([reason]).collect()
        }
        SliceLineContent::Again(_, words) => words.notes.clone(),
        SliceLineContent::Alone(row, id) => {
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

/// `for 1,761`; of a slice that goes forward, `from 1,382`; what the question alone asks for says so.
fn wanted(slice: &Slice, steps: &[Step]) -> String {
    let named: Vec<String> = steps
        .iter()
        .take(NAMED)
        .map(|step| thousands(step.0))
        .collect();
    let (named, forward) = (named.join(", "), slice.question.forward);
    match steps.len().saturating_sub(NAMED) {
        _ if steps.is_empty() && forward => say!("slice-from-asked").to_owned(),
        _ if steps.is_empty() => say!("slice-why-asked").to_owned(),
        0 if forward => say!("slice-from", steps = named),
        0 => say!("slice-for", steps = named),
        more if forward => say!("slice-from-more", steps = named, more = more),
        more => say!("slice-for-more", steps = named, more = more),
    }
}
