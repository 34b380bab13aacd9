//! The registers of a thread as terms.

use std::ops::Range;

use stepback_machine::{InstructionSet, Mode, Operation, RegisterId, RegisterView};

use crate::answers::reason::{Fact, ValueDerivation};
use crate::inference::symbols::{BitField, Symbols, Term};

/// What 8 bytes of a register hold, and how they got it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    pub term: Term,
    pub way: ValueDerivation,
}

/// General registers, stack pointer, link register.
const GENERAL: usize = RegisterId::PC.0 as usize;
/// Vector registers are followed to 16 bytes.
const VECTOR_LANES: usize = 2;
const LANES: usize = GENERAL + 32 * VECTOR_LANES;

/// The registers whose values are followed, in lanes of 8 bytes. Those of register windows are followed by cell:
/// a plain name is the one that it means in the mode.
#[derive(Clone, Debug)]
pub(super) struct RegisterLanes {
    /// None for those that nobody named since they were forgotten.
    lanes: Vec<Option<Lane>>,
    /// How those are.
    untouched: ValueDerivation,
    /// True where the registers have 4 bytes.
    is_narrow: bool,
    /// Those besides general and vector registers.
    computed: Range<u16>,
    /// What plain names mean.
    pub mode: Mode,
    held: Option<SavedLanes>,
}

/// Registers as they were at some time.
#[derive(Clone, Debug)]
struct SavedLanes {
    /// None for those that nobody has named since they were forgotten.
    lanes: Vec<Option<Lane>>,
    untouched: ValueDerivation,
    mode: Mode,
    /// True while those that nobody named are still what they were then.
    is_open: bool,
}

impl RegisterLanes {
    /// Registers that nothing is known of.
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

    /// The lane in which a byte of a register is; none for registers that are not followed.
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

    /// Forgets them all: they are not even what they were before.
    pub fn clear(&mut self) {
        self.lanes.fill(None);
        self.untouched = ValueDerivation::Lost;
        if let Some(held) = &mut self.held {
            held.is_open = false;
        }
    }

    /// Remembers them as they are; what is named later and not written until then is named then, too.
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

    /// Them as they were remembered.
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

    /// How a lane of a register got what it holds; none where it is not followed.
    pub fn way(&self, register: RegisterId, offset: u16) -> Option<ValueDerivation> {
        let lane = self.lanes.get(self.place(register, offset)?)?;
        Some(lane.map_or(self.untouched, |lane| lane.way))
    }

    /// What a lane of a register holds: the one with the byte at an offset. None where that is not followed, or was not named.
    pub fn lane(&self, register: RegisterId, offset: u16) -> Option<Lane> {
        self.lanes
            .get(self.place(register, offset)?)
            .copied()
            .flatten()
    }

    /// The same, which is named now.
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

    /// What a view of at most 8 bytes holds, with zeros above; something unknown where that is not followed.
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

    /// A view of at most 8 bytes gets a value.
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

    /// A view gets a value that is not known, or a part of its lanes that is not followed.
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
