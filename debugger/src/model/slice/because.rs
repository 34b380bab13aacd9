//! Explains why a line belongs to a slice.

use stepback_parsers::Step;

use super::whole::{Slice, SliceLineContent};
use crate::messages::say;
use crate::model::text::thousands;

/// Maximum number of steps named.
const NAMED: usize = 3;

/// Returns the text after a line: doubts and other notes first, then the steps that need the line.
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
        _ if steps.is_empty() && forward => say!("slice-from-asked").to_owned(),
        _ if steps.is_empty() => say!("slice-why-asked").to_owned(),
        0 if forward => say!("slice-from", steps = named),
        0 => say!("slice-for", steps = named),
        more if forward => say!("slice-from-more", steps = named, more = more),
        more => say!("slice-for-more", steps = named, more = more),
    }
}
