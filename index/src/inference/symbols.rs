//! Symbolic numbers, and a solver for facts about them.
//!
//! Every unknown input of a run is a *symbol*: the initial value of a register, the result of a
//! load. Registers and memory hold *terms*: symbols with a constant added. A push and a pop, or any
//! number of copies, leave the symbol unchanged. So a fact learned anywhere applies wherever the
//! symbol is held, before and after.

use stepback_machine::semantics::Operation;

use crate::answers::register_file::Fact;
use crate::inference::knowledge::{Knowledge, ones};

/// `(symbol + addend) mod 2^bits`, with zeros above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    symbol: u32,
    addend: u64,
    /// Width, 1 to 64.
    bits: u8,
}

impl Term {
    /// Truncates the term to the low bits, with zeros above.
    pub fn cut(self, bits: u8) -> Self {
        Self {
            bits: self.bits.min(bits),
            ..self
        }
    }

    /// Adds a constant modulo 2^bits. The term must not be narrower.
    pub fn plus(self, addend: u64, bits: u8) -> Self {
        debug_assert!(self.bits >= bits, "zeros above are no part of the sum");
        Self {
            addend: self.addend.wrapping_add(addend),
            bits,
            ..self
        }
    }
}

/// A bit field of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct BitField {
    /// Lowest bit.
    pub place: u8,
    /// Number of bits.
    pub bits: u8,
}

/// Definition of a symbol.
#[derive(Clone, Copy, Debug)]
enum Definition {
    /// An unknown input.
    Free,
    Constant,
    Binary(Operation, Term, Term),
    SignExtended(Term, u8),
    /// `whole` with the bits of `field` replaced by the low bits of `part`.
    Inserted {
        part: Term,
        whole: Term,
        field: BitField,
    },
}

#[derive(Clone, Copy, Debug)]
struct Symbol {
    definition: Definition,
    known: Knowledge,
    /// Reason, once something is known.
    fact: Option<Fact>,
    /// Whole value that a fact states, before propagation.
    stated: Option<u64>,
    /// True if two facts contradict each other: then nothing is reported of it.
    is_contradicted: bool,
}

/// Maximum number of attempts to apply the facts, each without the symbols that were contradictory
/// before.
const ATTEMPTS: usize = 16;
/// Maximum number of steps whose symbols memory is reserved for.
const ROOM: usize = 4096;
/// Maximum number of propagation rounds, each forward and backward.
const ROUNDS: usize = 6;

/// The symbols of a run, and the facts about them.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    symbols: Vec<Symbol>,
    /// Symbols that are defined by others, ascending.
    defined: Vec<u32>,
    facts: Vec<(Term, Knowledge, Fact)>,
    contradictions: u64,
}

impl Symbols {
    /// Returns an empty set with memory reserved for a number of steps.
    pub fn with_room(steps: usize) -> Self {
        let room = steps.min(ROOM);
        Self {
            symbols: Vec::with_capacity(2 * room),
            facts: Vec::with_capacity(room),
            ..Self::default()
        }
    }

    /// Returns a new unknown symbol.
    pub fn free(&mut self) -> Term {
        self.push(Definition::Free, Knowledge::NONE, None)
    }

    /// Returns a constant that a step made.
    pub fn constant(&mut self, value: u64, fact: Fact) -> Term {
        self.push(Definition::Constant, Knowledge::exact(value), Some(fact))
    }

    /// Returns the result of an operation.
    pub fn binary(&mut self, operation: Operation, left: Term, right: Term) -> Term {
        self.define(Definition::Binary(operation, left, right))
    }

    /// Returns the low bits of a term, sign-extended.
    pub fn sign_extended(&mut self, term: Term, bits: u8) -> Term {
        self.define(Definition::SignExtended(term, bits))
    }

    /// Returns a term with a bit field replaced by the low bits of another term.
    pub fn inserted(&mut self, part: Term, whole: Term, field: BitField) -> Term {
        self.define(Definition::Inserted { part, whole, field })
    }

    /// Returns the sum of a term and a constant, both modulo 2^bits.
    pub fn sum(&mut self, term: Term, addend: u64, bits: u8, fact: Fact) -> Term {
        if term.bits >= bits {
            return term.plus(addend, bits);
        }
        let addend = self.constant(addend, fact);
        self.binary(Operation::Add, term, addend).cut(bits)
    }

    fn define(&mut self, definition: Definition) -> Term {
        let term = self.push(definition, Knowledge::NONE, None);
        self.defined.push(term.symbol);
        term
    }

    fn push(&mut self, definition: Definition, known: Knowledge, fact: Option<Fact>) -> Term {
        let symbol = u32::try_from(self.symbols.len()).unwrap_or(u32::MAX);
        self.symbols.push(Symbol {
            definition,
            known,
            fact,
            stated: known.number(),
            is_contradicted: false,
        });
        Term {
            symbol,
            addend: 0,
            bits: 64,
        }
    }

    /// Adds the fact that a term has a value; [`Self::resolve`] draws the conclusions.
    pub fn state(&mut self, term: Term, value: u64, mask: u64, fact: Fact) {
        self.facts.push((term, Knowledge::new(value, mask), fact));
        let is_whole = term.bits == 64 && mask == u64::MAX;
        if let Some(symbol) = self
            .symbols
            .get_mut(term.symbol as usize)
            .filter(|_| is_whole)
        {
            symbol.stated = Some(value.wrapping_sub(term.addend));
        }
    }

    /// Returns the value of a term if a single fact states it, before propagation.
    pub fn stated(&self, term: Term) -> Option<u64> {
        let stated = self.symbols.get(term.symbol as usize)?.stated?;
        Some(stated.wrapping_add(term.addend) & ones(term.bits))
    }

    /// Propagates all facts. A symbol with contradictory facts becomes unknown, and is not used to
    /// infer others.
    pub fn resolve(&mut self) {
        for _ in 0..ATTEMPTS {
            let before = self.contradictions;
            self.follow_facts();
            if self.contradictions == before {
                return;
            }
            self.forget();
        }
        // If a run contradicts itself everywhere, its interpretation is wrong.
        self.symbols
            .iter_mut()
            .for_each(|symbol| symbol.is_contradicted = true);
    }

    /// Returns the number of contradictory symbols.
    pub fn contradictions(&self) -> u64 {
        self.contradictions
    }

    /// Returns the known bits of a term.
    pub fn known(&self, term: Term) -> Knowledge {
        let Some(symbol) = self
            .symbols
            .get(term.symbol as usize)
            .filter(|symbol| !symbol.is_contradicted)
        else {
            return Knowledge::NONE.cut(term.bits);
        };
        let sum = match term.addend {
            0 => symbol.known,
            addend => Knowledge::apply(Operation::Add, symbol.known, Knowledge::exact(addend)),
        };
        sum.cut(term.bits)
    }

    /// Returns the reason why a term is known.
    pub fn fact(&self, term: Term) -> Option<Fact> {
        self.symbols
            .get(term.symbol as usize)
            .filter(|symbol| !symbol.is_contradicted)?
            .fact
    }

    fn forget(&mut self) {
        for symbol in &mut self.symbols {
            if !matches!(symbol.definition, Definition::Constant) {
                (symbol.known, symbol.fact) = (Knowledge::NONE, None);
            }
        }
    }

    fn follow_facts(&mut self) {
        for place in 0..self.facts.len() {
            let Some((term, known, fact)) = self.facts.get(place).copied() else {
                continue;
            };
            self.learn(term, known, Some(fact));
        }
        for _ in 0..ROUNDS {
            let mut is_changed = false;
            for place in 0..self.defined.len() {
                is_changed |= self.go_forward(place);
            }
            for place in (0..self.defined.len()).rev() {
                is_changed |= self.go_back(place);
            }
            if !is_changed {
                return;
            }
        }
    }

    /// Propagates from the operands of a defined symbol to its value.
    fn go_forward(&mut self, place: usize) -> bool {
        let Some((symbol, definition)) = self.definition(place) else {
            return false;
        };
        let (known, parts) = match definition {
            Definition::Binary(operation, left, right) => (
                Knowledge::apply(operation, self.known(left), self.known(right)),
                [left, right],
            ),
            Definition::SignExtended(term, bits) => {
                (self.known(term).sign_extended(bits), [term; 2])
            }
            Definition::Inserted {
                part,
                whole,
                field: BitField { place, bits },
            } => {
                let (part_known, shift) = (
                    self.known(part).cut(bits),
                    Knowledge::exact(u64::from(place)),
                );
                let moved = Knowledge::apply(Operation::ShiftLeft, part_known, shift);
                let hole = ones(bits).checked_shl(u32::from(place)).unwrap_or(0);
                let whole_known =
                    Knowledge::apply(Operation::And, self.known(whole), Knowledge::exact(!hole));
                (
                    Knowledge::apply(Operation::Or, moved, whole_known),
                    [whole, part],
                )
            }
            Definition::Free | Definition::Constant => return false,
        };
        // Of two operands, a constant explains less.
        let facts = parts.map(|part| self.fact(part));
        let fact = facts
            .into_iter()
            .flatten()
            .max_by_key(|fact| !fact.is_constant());
        self.learn(symbol, known, fact)
    }

    /// Propagates from the value of a defined symbol to its operands.
    fn go_back(&mut self, place: usize) -> bool {
        let Some((symbol, definition)) = self.definition(place) else {
            return false;
        };
        let (known, fact) = (self.known(symbol), self.fact(symbol));
        if known.is_none() {
            return false;
        }
        match definition {
            Definition::Binary(operation, left, right) => {
                let left_known = Knowledge::left_of(operation, known, self.known(right));
                let is_changed = self.learn(left, left_known, fact);
                let right_known = Knowledge::right_of(operation, known, self.known(left));
                self.learn(right, right_known, fact) || is_changed
            }
            Definition::SignExtended(term, bits) => self.learn(term, known.low(bits), fact),
            Definition::Inserted {
                part,
                whole,
                field: BitField { place, bits },
            } => {
                let shift = Knowledge::exact(u64::from(place));
                let moved = Knowledge::apply(Operation::ShiftRight, known, shift);
                let hole = ones(bits).checked_shl(u32::from(place)).unwrap_or(0);
                let is_changed = self.learn(part, moved.low(bits), fact);
                self.learn(whole, known.without(hole), fact) || is_changed
            }
            Definition::Free | Definition::Constant => false,
        }
    }

    fn definition(&self, place: usize) -> Option<(Term, Definition)> {
        let symbol = *self.defined.get(place)?;
        let found = self.symbols.get(symbol as usize)?;
        Some((
            Term {
                symbol,
                addend: 0,
                bits: 64,
            },
            found.definition,
        ))
    }

    /// Adds known bits of a term. Returns true if they are new.
    fn learn(&mut self, term: Term, known: Knowledge, fact: Option<Fact>) -> bool {
        let is_possible = known.agrees(Knowledge::NONE.cut(term.bits));
        let known = match term.addend {
            0 => known.low(term.bits),
            addend => Knowledge::apply(
                Operation::Subtract,
                known.low(term.bits),
                Knowledge::exact(addend),
            ),
        };
        let Some(symbol) = self
            .symbols
            .get_mut(term.symbol as usize)
            .filter(|symbol| !symbol.is_contradicted)
        else {
            return false;
        };
        if !is_possible || !symbol.known.agrees(known) {
            symbol.is_contradicted = true;
            self.contradictions += 1;
            return true;
        }
        let both = symbol.known.and(known);
        if both == symbol.known {
            return false;
        }
        symbol.known = both;
        symbol.fact = symbol.fact.or(fact);
        true
    }
}
