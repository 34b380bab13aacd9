//! Search for the next or last hit.

use anyhow::Result;
use stepback_index::Cancel;
use stepback_parsers::Position;

use super::found::LookupResult;
use crate::action::Direction;
use crate::messages::say;
use crate::model::found::HitQuestion;
use crate::model::so_far::nothing_so_far;
use crate::session::Session;

/// Runs the search for the next hit.
pub fn hit_found(
    question: &HitQuestion,
    session: &Session,
    cancel: &Cancel,
) -> Result<LookupResult> {
    let found: Option<Position> = question.answer(session, cancel)?;
    Ok(found.map_or_else(
        || LookupResult::Nothing(no_hit_words(question, session)),
        LookupResult::Position,
    ))
}

/// Returns a sentence that says that there is no hit.
pub fn no_hit_words(question: &HitQuestion, session: &Session) -> String {
    let text = question.question.text.trim();
    match question.way {
        Direction::Back => say!("lookup-no-hit-before", text = text),
        Direction::Forward => nothing_so_far(session, say!("lookup-no-hit-after", text = text)),
    }
}
