//! Walks from marker to marker, onward or back.

use stepback_index::{
    Cancel, Direction, FindMarkers, Index, LastMarkers, MarkerHit, Query as _, QueryError, ThreadId,
};
use stepback_parsers::{MarkerKind, Position};

/// Markers that are asked for at once.
const BLOCK: usize = 1024;
/// The size of a page where the trace does not state it.
const USUAL_PAGE_BYTES: u64 = 4096;

/// Which markers are sought.
#[derive(Clone, Copy, Debug)]
pub struct MarkerFilter {
    /// Of which kind.
    pub kind: MarkerKind,
    /// With which value; of an address the first use of its page tells.
    pub value: Option<u64>,
    /// Whose.
    pub thread: Option<ThreadId>,
}

/// A way through the lists of markers.
pub struct MarkerCursor<'a> {
    sought: MarkerFilter,
    direction: Direction,
    /// The position that is looked at next; none at the end of the way.
    next: Option<Position>,
    /// Bits of the value that do not count.
    ignored: u64,
    index: &'a Index,
    cancel: &'a Cancel,
}

impl<'a> MarkerCursor<'a> {
    /// From a position on, whose own markers are passed over on the way onward;
    /// without one, from the end of the trace that the way begins at, with what comes before the first step.
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
            (Some(at), Direction::Forward) => walk.behind(at),
            (None, Direction::Forward) => Some(Position(0)),
        };
        Ok(walk)
    }

    /// The hits of the next part of the way, which may be none; none at all at its end.
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
        self.next = hits.last().and_then(|hit| self.behind(hit.position));
        if self.direction == Direction::Back {
            hits.reverse();
        }
        hits.retain(|hit| {
            value.is_none_or(|value| (value ^ hit.marker.value) & !self.ignored == 0)
        });
        Ok(Some(hits))
    }

    fn behind(&self, position: Position) -> Option<Position> {
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

/// As the trace states it, else what is usual.
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
