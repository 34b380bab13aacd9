//! Iterates over markers forward or backward.

use stepback_index::answer::{Direction, MarkerHit, ThreadId};
use stepback_index::query::{FindMarkers, LastMarkers};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::{MarkerKind, Position};

/// Maximum number of markers per query.
const BLOCK: usize = 1024;
/// Page size assumed if the trace does not state it.
const USUAL_PAGE_BYTES: u64 = 4096;

/// The markers to find.
#[derive(Clone, Copy, Debug)]
pub struct MarkerFilter {
    pub kind: MarkerKind,
    /// Value to match. An address matches the first use of its page.
    pub value: Option<u64>,
    /// Thread to match; `None` for all.
    pub thread: Option<ThreadId>,
}

/// Iterator over markers.
pub struct MarkerCursor<'a> {
    sought: MarkerFilter,
    direction: Direction,
    /// Position to examine next; `None` at the end.
    next: Option<Position>,
    /// Mask of the value bits that are ignored.
    ignored: u64,
    index: &'a Index,
    cancel: &'a Cancel,
}

impl<'a> MarkerCursor<'a> {
    /// Starts at a position; when going forward, the markers there are skipped. Without a position,
    /// starts at the end of the trace that the direction implies, including markers before the
    /// first step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn new(
        sought: MarkerFilter,
        direction: Direction,
        at: Option<Position>,
        index: &'a Index,
        cancel: &'a Cancel,
    ) -> Result<Self, QueryError> {
        let ignored = if is_page(sought.kind) {
            page_bytes(index, cancel)? - 1
        } else {
            0
        };
        let mut walk = Self {
            sought,
            direction,
            next: None,
            ignored,
            index,
            cancel,
        };
        walk.next = match (at, direction) {
            (Some(at), Direction::Back) => Some(at),
            (None, Direction::Back) => Some(index.end()),
            (Some(at), Direction::Forward) => walk.after(at),
            (None, Direction::Forward) => Some(Position(0)),
        };
        Ok(walk)
    }

    /// Returns the hits of the next batch, possibly none; `None` at the end.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_hits(&mut self) -> Result<Option<Vec<MarkerHit>>, QueryError> {
        let Some(position) = self.next else {
            return Ok(None);
        };
        let MarkerFilter {
            kind,
            thread,
            value,
        } = self.sought;
        let kinds = vec![kind];
        let mut hits = match self.direction {
            Direction::Back => LastMarkers {
                kinds,
                thread,
                at: position,
            }
            .run(self.index, self.cancel)?,
            Direction::Forward => {
                let query = FindMarkers {
                    kinds,
                    thread,
                    from: position,
                    to: self.index.end(),
                    limit: BLOCK,
                };
                query.run(self.index, self.cancel)?
            }
        };
        self.next = hits.last().and_then(|hit| self.after(hit.position));
        if self.direction == Direction::Back {
            hits.reverse();
        }
        hits.retain(|hit| {
            value.is_none_or(|value| (value ^ hit.marker.value) & !self.ignored == 0)
        });
        Ok(Some(hits))
    }

    fn after(&self, position: Position) -> Option<Position> {
        let next = match self.direction {
            Direction::Back => position.0.checked_sub(1),
            Direction::Forward => position.0.checked_add(1),
        };
        next.map(Position).filter(|next| *next <= self.index.end())
    }
}

fn is_page(kind: MarkerKind) -> bool {
    [
        MarkerKind::PHYSICAL_ADDRESS,
        MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE,
        MarkerKind::VIRTUAL_ADDRESS,
    ]
    .contains(&kind)
}

/// Returns the page size that the trace states, else the usual one.
fn page_bytes(index: &Index, cancel: &Cancel) -> Result<u64, QueryError> {
    let kinds = vec![MarkerKind::PAGE_SIZE];
    let stated = FindMarkers {
        kinds,
        thread: None,
        from: Position(0),
        to: index.end(),
        limit: 1,
    };
    let stated = stated.run(index, cancel)?;
    let bytes = stated
        .first()
        .map(|hit| hit.marker.value)
        .filter(|bytes| bytes.is_power_of_two());
    Ok(bytes.unwrap_or(USUAL_PAGE_BYTES))
}
