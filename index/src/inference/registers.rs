//! Registers of a thread as terms.

use std::ops::Range;

use stepback_machine::semantics::Operation;
use stepback_machine::{InstructionSet, Mode, RegisterId, RegisterView};

use crate::answers::register_file::{Fact, ValueDerivation};
use crate::inference::symbols::{BitField, Symbols, Term};

/// Contents of 8 bytes of a register, with their derivation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    pub term: Term,
    pub way: ValueDerivation,
}

/// General registers, stack pointer, link register.
const GENERAL: usize = RegisterId::PC.0 as usize;
/// Number of followed lanes of a vector register: 16 bytes.
const VECTOR_LANES: usize = 2;
const LANES: usize = GENERAL + 32 * VECTOR_LANES;

/// Registers whose values are followed, in lanes of 8 bytes. Windowed registers are followed by
/// physical cell: the mode determines the cell of a plain name.
#[derive(Clone, Debug)]
pub(super) struct RegisterLanes {
    /// `None` for lanes that were not used since they were discarded.
    lanes: Vec<Option<Lane>>,
    /// Derivation of the unused lanes.
    untouched: ValueDerivation,
    /// True if registers have 4 bytes.
    is_narrow: bool,
    /// Computation registers other than general and vector registers.
    computed: Range<u16>,
    /// Mode that determines the meaning of plain names.
    pub mode: Mode,
    held: Option<SavedLanes>,
}

/// Saved state of the registers.
#[derive(Clone, Debug)]
struct SavedLanes {
    /// `None` for lanes that had not been used since they were discarded.
    lanes: Vec<Option<Lane>>,
    untouched: ValueDerivation,
    mode: Mode,
    /// True while unused lanes still have the values of the saved state.
    is_open: bool,
}

impl RegisterLanes {
    /// Returns registers without known values.
    pub fn new(set: InstructionSet) -> Self {
        let computed = set.computed_registers();
        Self {
            lanes: vec![None; LANES + computed.len()],
            untouched: ValueDerivation::Held,
            is_narrow: set.word_bytes() == 4,
            computed,
            mode: Mode::Other,
            held: None,
        }
    }

    /// Returns the lane of a byte of a register; `None` for registers that are not followed.
    fn place(&self, register: RegisterId, offset: u16) -> Option<usize> {
        let register = if self.mode.has_windows() {
            self.mode.home(register)
        } else {
            register
        };
        let (number, lane) = (usize::from(register.0), usize::from(offset / 8));
        if number < GENERAL {
            return (lane == 0).then_some(number);
        }
        if self.computed.contains(&register.0) {
            return (lane == 0).then_some(LANES + usize::from(register.0 - self.computed.start));
        }
        let vector = register
            .0
            .checked_sub(RegisterId::V0.0)
            .filter(|vector| *vector < 32)?;
        (lane < VECTOR_LANES).then_some(GENERAL + usize::from(vector) * VECTOR_LANES + lane)
    }

    /// Discards all registers: their previous values are lost as well.
    pub fn clear(&mut self) {
        self.lanes.fill(None);
        self.untouched = ValueDerivation::Lost;
        if let Some(held) = &mut self.held {
            held.is_open = false;
        }
    }

    /// Saves the current state. A lane that is first used later, and not written until then, is
    /// added to the saved state, too.
    pub fn hold(&mut self) {
        let Self {
            lanes,
            untouched,
            mode,
            ..
        } = self;
        self.held = Some(SavedLanes {
            lanes: lanes.clone(),
            untouched: *untouched,
            mode: *mode,
            is_open: true,
        });
    }

    /// Returns the saved state.
    pub fn held(self) -> Self {
        match self.held {
            Some(SavedLanes {
                lanes,
                untouched,
                mode,
                ..
            }) => Self {
                lanes,
                untouched,
                mode,
                held: None,
                ..self
            },
            None => self,
        }
    }

    /// Returns the derivation of a lane; `None` if the register is not followed.
    pub fn way(&self, register: RegisterId, offset: u16) -> Option<ValueDerivation> {
        let lane = self.lanes.get(self.place(register, offset)?)?;
        Some(lane.map_or(self.untouched, |lane| lane.way))
    }

    /// Returns the lane with the byte at an offset; `None` if it is not followed or was not used.
    pub fn lane(&self, register: RegisterId, offset: u16) -> Option<Lane> {
        self.lanes
            .get(self.place(register, offset)?)
            .copied()
            .flatten()
    }

    /// Returns the lane with the byte at an offset, and marks it as used.
    fn named(
        &mut self,
        register: RegisterId,
        offset: u16,
        symbols: &mut Symbols,
    ) -> Option<&mut Lane> {
        let (place, way) = (self.place(register, offset)?, self.untouched);
        let lane = self.lanes.get_mut(place)?;
        if lane.is_none() {
            *lane = Some(Lane {
                term: symbols.free(),
                way,
            });
            if let Some(held) = self.held.as_mut().filter(|held| held.is_open)
                && let Some(then) = held.lanes.get_mut(place)
            {
                *then = *lane;
            }
        }
        lane.as_mut()
    }

    /// Returns the value of a view of at most 8 bytes, with zeros above. A view that is not
    /// followed gets a new symbol.
    pub fn read(&mut self, view: RegisterView, symbols: &mut Symbols, fact: Fact) -> Term {
        let (within, bits) = (view.offset % 8, 8 * view.size_bytes.min(8) as u8);
        let lane = self.named(view.register, view.offset, symbols).copied();
        let lane = lane.filter(|_| within + view.size_bytes <= 8);
        let Some(lane) = lane else {
            return symbols.free().cut(bits);
        };
        if within == 0 {
            return lane.term.cut(bits);
        }
        let places = symbols.constant(8 * u64::from(within), fact);
        symbols
            .binary(Operation::ShiftRight, lane.term, places)
            .cut(bits)
    }

    /// Writes a view of at most 8 bytes.
    pub fn write(
        &mut self,
        view: RegisterView,
        term: Term,
        way: ValueDerivation,
        symbols: &mut Symbols,
    ) {
        let within = view.offset % 8;
        if within + view.size_bytes > 8 {
            return self.forget(view, way, symbols);
        }
        let bits = 8 * view.size_bytes as u8;
        let is_whole = view.size_bytes == 8
            || self.is_narrow && usize::from(view.register.0) < GENERAL && bits == 32;
        let Some(lane) = self.named(view.register, view.offset, symbols) else {
            return;
        };
        let term = if is_whole {
            term.cut(bits)
        } else {
            symbols.inserted(
                term,
                lane.term,
                BitField {
                    place: 8 * within as u8,
                    bits,
                },
            )
        };
        *lane = Lane { term, way };
    }

    /// Gives an unknown value to a view, which may extend beyond the followed lanes.
    pub fn forget(&mut self, view: RegisterView, way: ValueDerivation, symbols: &mut Symbols) {
        let end = view.offset.saturating_add(view.size_bytes);
        let mut offset = view.offset / 8 * 8;
        while offset < end {
            let Some(lane) = self
                .place(view.register, offset)
                .and_then(|lane| self.lanes.get_mut(lane))
            else {
                return;
            };
            *lane = Some(Lane {
                term: symbols.free(),
                way,
            });
            offset = offset.saturating_add(8);
        }
    }
}
