//! Codes of a store, as its readers see them.

use std::sync::Arc;

use stepback_machine::{AccessKind, Encoding, InstructionSet};

use crate::step_store::code::{
    Code, EffectShape, ShapeAccess, ShapeRegister, branch_of_number, number_of_branch,
};
use crate::step_store::numbers::{NumberReader, NumberWriter, PADDING};
use crate::step_store::record::StepStatus;

/// Number of codes in a piece.
const PIECE: usize = 4096;

/// All codes until now, in shared pieces: a clone is cheap while more codes are added.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    pieces: Vec<Arc<Vec<Code>>>,
}

impl Codes {
    /// Returns a code by its number.
    #[inline(always)]
    pub fn get(&self, number: u32) -> Option<&Code> {
        self.pieces
            .get(number as usize / PIECE)?
            .get(number as usize % PIECE)
    }

    /// Returns the number of codes.
    pub fn len(&self) -> usize {
        self.pieces
            .last()
            .map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.len())
    }

    /// Returns all codes, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Code> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }

    /// Appends the codes of `all` that are new.
    pub fn extend(&mut self, all: &[Code]) {
        while self.len() < all.len() {
            if self.pieces.last().is_none_or(|last| last.len() == PIECE) {
                self.pieces.push(Arc::default());
            }
            let (known, Some(last)) = (self.len(), self.pieces.last_mut()) else {
                return;
            };
            let room = PIECE - last.len();
            let added = all
                .get(known..all.len().min(known + room))
                .unwrap_or_default();
            Arc::make_mut(last).extend_from_slice(added);
        }
    }

    /// Encodes the codes for the footer of the store.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = NumberWriter::default();
        let mut pc = 0;
        for code in self.iter() {
            out.difference(code.pc, pc);
            pc = code.pc;
            out.byte(number_of_branch(code.branch));
            out.byte(code.set as u8);
            out.number(u64::from(code.length_bytes));
            let encoding = code.encoding.unwrap_or_default();
            out.byte(encoding.bytes().len() as u8);
            out.bytes.extend_from_slice(encoding.bytes());
            out.byte(code.reached.number());
            encode_shape(&code.shape, &mut out);
        }
        out.bytes
    }

    /// Decodes the codes of a footer; `None` if they are damaged.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let padded = [bytes, &[0; PADDING]].concat();
        let mut reader = NumberReader::new(&padded);
        let mut codes = Vec::new();
        let mut pc = 0;
        while !reader.is_at_end() {
            pc = reader.difference(pc);
            let (branch, set) = (
                branch_of_number(reader.byte())?,
                InstructionSet::of_number(reader.byte())?,
            );
            let length_bytes = reader.number() as u16;
            let count = usize::from(reader.byte()).min(Encoding::LIMIT);
            let bytes: Vec<u8> = (0..count).map(|_| reader.byte()).collect();
            let reached = StepStatus::of_number(reader.byte())?;
            let shape = decode_shape(&mut reader);
            codes.push(Code {
                pc,
                encoding: Encoding::new(&bytes),
                branch,
                set,
                length_bytes,
                reached,
                shape,
            });
        }
        let mut all = Self::default();
        all.extend(&codes);
        reader.is_sound().then_some(all)
    }
}

fn encode_shape(shape: &EffectShape, out: &mut NumberWriter) {
    if shape.is_unset() {
        out.byte(u8::MAX);
        return;
    }
    out.byte(shape.accesses().count() as u8);
    for ShapeAccess {
        kind,
        size_bytes,
        has_value,
    } in shape.accesses()
    {
        out.number(
            u64::from(size_bytes) << 2
                | u64::from(has_value) << 1
                | u64::from(kind == AccessKind::Write),
        );
    }
    out.byte(shape.registers().count() as u8);
    shape
        .registers()
        .for_each(|register| out.number(u64::from(register.number())));
    out.byte(shape.records);
}

fn decode_shape(reader: &mut NumberReader<'_>) -> EffectShape {
    let accesses = reader.byte();
    if accesses == u8::MAX {
        return EffectShape::UNSET;
    }
    let mut shape = EffectShape::default();
    for _ in 0..accesses.min(EffectShape::ACCESSES as u8) {
        let access = reader.number();
        let kind = if access & 1 != 0 {
            AccessKind::Write
        } else {
            AccessKind::Read
        };
        shape.push(ShapeAccess {
            kind,
            size_bytes: (access >> 2) as u16,
            has_value: access & 2 != 0,
        });
    }
    for _ in 0..reader.byte().min(EffectShape::REGISTERS as u8) {
        shape.push_register(ShapeRegister::of_number(reader.number() as u32));
    }
    shape.records = reader.byte();
    shape
}
