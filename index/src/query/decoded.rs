//! Uses of a register that only the operands of instructions show, and no line or record.

use stepback_machine::RegisterView;
use stepback_parsers::Position;

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::direction::Direction;
use crate::answers::error::QueryError;
use crate::answers::hit::{Doubt, Hit};
use crate::query::register_reads::RegisterReads;
use crate::read::operands::{OperandReader, OperandUse};
use crate::read::overtaken::DoubtReader;
use crate::read::records::RecordReader;
use crate::read::slots::ThreadSlot;

/// Reader of the uses of a register from operands.
pub(super) enum DecodedUses<'a> {
    /// Uses of any kind, in traces that record no registers.
    Uses(OperandsOf<'a>),
    /// Reads, in traces that record only writes.
    Reads(RegisterReads<'a>),
}

impl DecodedUses<'_> {
    /// Returns the nearest use before or after a position.
    pub fn nearest(
        &self,
        at: Position,
        direction: Direction,
        cancel: &Cancel,
    ) -> Result<Option<Hit>, QueryError> {
        match (self, direction) {
            (Self::Uses(operands), Direction::Back) => operands.last_hit(at, cancel),
            (Self::Uses(operands), Direction::Forward) => operands.next_hit(at, cancel),
            (Self::Reads(reads), Direction::Back) => reads.last(at, cancel),
            (Self::Reads(reads), Direction::Forward) => reads.next(at, cancel),
        }
    }
}

/// A register with uses only in the operands of instructions.
pub(super) struct OperandsOf<'a> {
    pub reader: OperandReader<'a>,
    pub view: RegisterView,
    /// Register at the position of the query; on a processor with windows a cell.
    pub cell: RegisterView,
    /// Requested kinds of use.
    pub kinds: AccessKinds,
}

impl OperandsOf<'_> {
    fn last_hit(&self, before: Position, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let last = self
            .reader
            .last_uses(&[self.cell], before.0, cancel)?
            .pop()
            .flatten();
        let Some(last) = last else { return Ok(None) };
        let mut hit = self.hit(last)?;
        if hit.doubt.is_none() && self.kinds != AccessKinds::Reads {
            let used = ThreadSlot {
                thread: self.reader.thread,
                slot: last.slot,
            };
            hit.doubt = DoubtReader(self.reader.index).restored(used, before, cancel)?;
        }
        self.in_doubt(hit, before, cancel).map(Some)
    }

    fn next_hit(&self, from: Position, cancel: &Cancel) -> Result<Option<Hit>, QueryError> {
        let Some(next) =
            self.reader
                .next_use(self.cell, from.0.saturating_add(1)..u64::MAX, cancel)?
        else {
            return Ok(None);
        };
        self.in_doubt(self.hit(next)?, from, cancel).map(Some)
    }

    fn hit(&self, found: OperandUse) -> Result<Hit, QueryError> {
        let position = Position(found.slot);
        let step = position.last_step().ok_or(QueryError::TraceChanged)?;
        let hit = RecordReader(self.reader.index).hit(step, position, None)?;
        let kind = match self.cell == self.view {
            true => hit.record.kind_of_use(self.view, self.kinds),
            false => self.reader.kind_of_use(found.slot, self.cell, self.kinds)?,
        };
        Ok(Hit {
            doubt: found.doubt,
            access: Some(self.reader.access(self.view, kind)),
            ..hit
        })
    }

    /// Adds a doubt to a use: if steps may be missing, it may not be the nearest.
    fn in_doubt(&self, hit: Hit, at: Position, cancel: &Cancel) -> Result<Hit, QueryError> {
        let is_filtered =
            hit.doubt.is_none() && DoubtReader(self.reader.index).is_filtered(at, cancel)?;
        Ok(Hit {
            doubt: hit.doubt.or(is_filtered.then_some(Doubt::Filtered)),
            ..hit
        })
    }
}
