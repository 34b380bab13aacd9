//! Physical addresses, as the markers of a trace tell them.

use stepback_machine::Address;
use stepback_parsers::{Marker, MarkerKind, Position, Source};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::markers::MarkerHit;
use crate::answers::thread::ThreadId;
use crate::answers::translation::Translation;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::markers::{MarkerReader, WantedMarkers};

/// Which physical addresses the trace told a virtual one of a thread to have, up to a position: the last of each context, the
/// newest first. What it said to be over is none; where it told nothing there is none.
/// Cost: the slots that tell of pages, from the position back to the one wanted in all contexts, or to the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TranslationsAt {
    /// Whose address.
    pub thread: ThreadId,
    /// The virtual address.
    pub address: Address,
    /// When.
    pub position: Position,
}

/// The markers that tell of pages.
const KINDS: [MarkerKind; 5] = [
    MarkerKind::PHYSICAL_ADDRESS,
    MarkerKind::ADDRESS_CONTEXT,
    MarkerKind::VIRTUAL_ADDRESS,
    MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE,
    MarkerKind::TRANSLATIONS_FORGOTTEN,
];

/// What the markers of a slot say of a page.
enum Statement {
    Told(Translation),
    Over,
}

impl Query for TranslationsAt {
    type Answer = Vec<Translation>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<Translation>, QueryError> {
        let reader = MarkerReader(index);
        let sizes = WantedMarkers { kinds: &[MarkerKind::PAGE_SIZE], thread: None };
        let size = reader.last(sizes, self.position, cancel)?.last().map(|hit| hit.marker.value);
        let mut found = Vec::<Translation>::new();
        let Some(page_bytes) = size.filter(|size| size.is_power_of_two()) else { return Ok(found) };
        let wanted = WantedMarkers { kinds: &KINDS, thread: Some(self.thread) };
        let mut at = Some(self.position);
        while let Some(position) = at {
            let hits = reader.last(wanted, position, cancel)?;
            for statement in self.statements(&hits, page_bytes).into_iter().rev() {
                match statement {
                    Statement::Over => return Ok(found),
                    Statement::Told(told) if found.iter().all(|known| known.context != told.context) => {
                        found.push(told)
                    }
                    Statement::Told(_) => {}
                }
            }
            at = hits.first().and_then(|hit| hit.position.0.checked_sub(1)).map(Position);
        }
        Ok(found)
    }
}

impl TranslationsAt {
    /// What markers that show first together say of the page, in their order.
    fn statements(&self, hits: &[MarkerHit], page_bytes: u64) -> Vec<Statement> {
        let inside = page_bytes - 1;
        let page = Address(self.address.0 & !inside);
        let (mut physical, mut context) = (None, None);
        let mut statements = Vec::new();
        for MarkerHit { marker: Marker { kind, value }, position, .. } in hits {
            let is_page = value & !inside == page.0;
            match *kind {
                MarkerKind::PHYSICAL_ADDRESS => (physical, context) = (Some(value & !inside), None),
                MarkerKind::ADDRESS_CONTEXT => context = Some(*value),
                MarkerKind::VIRTUAL_ADDRESS => {
                    let (physical, context) = (physical.take(), context.take());
                    statements.extend(physical.filter(|_| is_page).map(|physical| {
                        let physical = Address(physical | self.address.0 & inside);
                        Statement::Told(Translation { context, physical, page, page_bytes, told_at: *position })
                    }));
                }
                MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE if is_page => statements.push(Statement::Over),
                MarkerKind::TRANSLATIONS_FORGOTTEN => statements.push(Statement::Over),
                _ => {}
            }
        }
        statements
    }
}
