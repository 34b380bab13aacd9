//! Numbers that nothing states yet, and what follows about them.
//!
//! Whatever a run of steps does not tell is a *symbol*: what a register held at the start, what a load gave.
//! Registers and memory hold *terms*, symbols with a constant added.
//! So a push and a pop, or any number of copies, leave the symbol what it was, and what is learned of it anywhere
//! holds wherever it is held, before and after.

use stepback_machine::Operation;

use crate::answers::reason::Fact;
use crate::inference::knowledge::{Knowledge, ones};

/// `(symbol + addend) mod 2^bits`, with zeros above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    symbol: u32,
    addend: u64,
    /// 1 to 64.
    bits: u8,
}

impl Term {
    /// The low bits, with zeros above.
    pub fn cut(self, bits: u8) -> Self {
        Self {
            bits: self.bits.min(bits),
            ..self
        }
    }

    /// The term and a constant, both modulo 2^bits.
    /// The term must not be narrower.
    pub fn plus(self, addend: u64, bits: u8) -> Self {
        debug_assert!(self.bits >= bits, "zeros above are no part of the sum");
        Self {
            addend: self.addend.wrapping_add(addend),
            bits,
            ..self
        }
    }
}

/// Some bits of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct BitField {
    /// The lowest.
    pub place: u8,
    /// How many.
    pub bits: u8,
}

/// What a symbol is made of.
#[derive(Clone, Copy, Debug)]
enum Definition {
    /// Anything.
    Free,
    Constant,
    Binary(Operation, Term, Term),
    SignExtended(Term, u8),
    /// The second with some bits replaced by the low ones of the first.
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
    /// Why, once something is known.
    fact: Option<Fact>,
    /// What a fact says it is as a whole, before conclusions are drawn.
    stated: Option<u64>,
    /// Two facts differ: nothing is told of it any more.
    is_contradicted: bool,
}

/// How often the facts are taken in anew, each time without the symbols that contradicted before.
const ATTEMPTS: usize = 16;
/// Room is made for the symbols of so many steps at once.
const ROOM: usize = 4096;
/// How often conclusions are drawn, from front to back and back again.
const ROUNDS: usize = 6;

/// The symbols of a run, and what the run tells of them.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    symbols: Vec<Symbol>,
    /// The symbols made of others, ascending.
    defined: Vec<u32>,
    facts: Vec<(Term, Knowledge, Fact)>,
    contradictions: u64,
}

impl Symbols {
    /// None yet, with room for those of so many steps.
    pub fn with_room(steps: usize) -> Self {
        let room = steps.min(ROOM);
        Self {
            symbols: Vec::with_capacity(2 * room),
            facts: Vec::with_capacity(room),
            ..Self::default()
        }
    }

    /// Something that nothing is known of.
    pub fn free(&mut self) -> Term {
        self.push(Definition::Free, Knowledge::NONE, None)
    }

    /// A constant that a step made.
    pub fn constant(&mut self, value: u64, fact: Fact) -> Term {
        self.push(Definition::Constant, Knowledge::exact(value), Some(fact))
    }

    /// The result of an operation.
    pub fn binary(&mut self, operation: Operation, left: Term, right: Term) -> Term {
        self.define(Definition::Binary(operation, left, right))
    }

    /// The low bits of a term, with their sign above.
    pub fn sign_extended(&mut self, term: Term, bits: u8) -> Term {
        self.define(Definition::SignExtended(term, bits))
    }

    /// A term with some bits from a place on replaced by the low ones of another.
    pub fn inserted(&mut self, part: Term, whole: Term, field: BitField) -> Term {
        self.define(Definition::Inserted { part, whole, field })
    }

    /// The term and a constant, both modulo 2^bits.
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

    /// Takes in that a term has a value; what follows is found by [`Self::resolve`].
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

    /// What a term is as far as one fact so far tells it.
    pub fn stated(&self, term: Term) -> Option<u64> {
        let stated = self.symbols.get(term.symbol as usize)?.stated?;
        Some(stated.wrapping_add(term.addend) & ones(term.bits))
    }

    /// Finds what follows from all facts.
    /// Where two differ, nothing is told of the symbol, nor of others through it.
    pub fn resolve(&mut self) {
        for _ in 0..ATTEMPTS {
            let before = self.contradictions;
            self.follow_facts();
            if self.contradictions == before {
                return;
            }
            self.forget();
        }
        // A run that contradicts itself everywhere was not understood.
        self.symbols
            .iter_mut()
            .for_each(|symbol| symbol.is_contradicted = true);
    }

    /// How many symbols contradicted.
    pub fn contradictions(&self) -> u64 {
        self.contradictions
    }

    /// What is known of a term.
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

    /// Why something is known of a term.
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

    /// What a defined symbol is, from what it is made of.
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
        // Of two operands, the constant one explains less.
        let facts = parts.map(|part| self.fact(part));
        let fact = facts
            .into_iter()
            .flatten()
            .max_by_key(|fact| !fact.is_constant());
        self.learn(symbol, known, fact)
    }

    /// What a defined symbol is made of, from what it is.
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

    /// Takes in what is known of a term; true when that is new.
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
