//! Formats expressions of slices in C, with the symbols of the images.

use std::collections::HashMap;

use stepback_index::answer::ThreadId;
use stepback_index::read::NameReader;
use stepback_machine::semantics::Operation;
use stepback_machine::{Address, RegisterView, Registers};
use stepback_parsers::Step;

use crate::analysis::slice::{Formula, LoadShape, MemoryLeaf, RegisterLeaf, RowId, SliceReading};
use crate::image::SymbolKind;
use crate::session::Session;

/// Numbers below this are not taken for addresses.
const LOWEST_ADDRESS: u64 = 0x1000;

/// Use of a number in an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberRole {
    /// Operand of a sum or product.
    Plain,
    /// Bit mask.
    Mask,
    /// The whole value, in the same format as the result beside it.
    Value,
    Address,
}

/// Formatter for expressions.
#[derive(Clone, Debug)]
pub struct FormulaWords<'a> {
    /// Session that provides register names and symbols.
    session: &'a Session,
    /// Steps of the registers of which an expression reads several values, by defining row.
    steps: HashMap<RowId, Step>,
}

impl<'a> FormulaWords<'a> {
    /// Creates a formatter with the registers and symbols of a session.
    pub fn new(session: &'a Session) -> Self {
        Self {
            session,
            steps: HashMap::new(),
        }
    }

    /// Adds the defining steps to registers that the expressions read with values of different
    /// steps: `w0@1365 | w0@1355 << 4`.
    #[must_use]
    pub fn telling_apart<'f>(
        mut self,
        reading: &SliceReading,
        formulas: impl Iterator<Item = &'f Formula>,
    ) -> Self {
        let leaves: Vec<&RegisterLeaf> = formulas.flat_map(Formula::leaves).collect();
        let is_twice = |leaf: &&&RegisterLeaf| {
            leaves.iter().any(|other| {
                other.view.register == leaf.view.register && other.source != leaf.source
            })
        };
        let twice = leaves
            .iter()
            .filter(is_twice)
            .filter_map(|leaf| leaf.source);
        self.steps = twice
            .filter_map(|source| Some((source, reading.row(source)?.slice.step)))
            .collect();
        self
    }

    /// Returns the name of a register; a lower part without a name is named as the whole word.
    pub fn register(&self, thread: ThreadId, view: RegisterView) -> String {
        let set = self.session.index.instruction_set(thread);
        let word = RegisterView {
            size_bytes: 4,
            ..view
        };
        let is_part =
            view.offset == 0 && view.size_bytes < 4 && Registers::name(view, set).is_none();
        let name = Registers::name(word, set).filter(|_| is_part);
        name.map_or_else(
            || NameReader(&self.session.index).register_name(view, set),
            str::to_owned,
        )
    }

    /// Formats an expression: `(w1 & 0x3f) | 0x80`.
    pub fn formula(&self, formula: &Formula) -> String {
        self.written(formula, NumberRole::Value)
    }

    /// Formats a memory operand: `u64[table + 8*i]`.
    pub fn memory(&self, loaded: &MemoryLeaf) -> String {
        let unit = match loaded.size_bytes {
            1 => "u8",
            2 => "u16",
            4 => "u32",
            8 => "u64",
            16 => "u128",
            _ => "mem",
        };
        format!("{unit}[{}]", self.address(loaded))
    }

    fn address(&self, loaded: &MemoryLeaf) -> String {
        let made = loaded.made.as_deref();
        let start = loaded.start.and_then(|start| self.symbol(start.0));
        if let (Some(start), Some(Formula::Binary(..)), Some(index)) =
            (start, made, loaded.scaled.as_deref())
        {
            return format!(
                "{start} + {}",
                self.operand(index, Some(Operation::Add), NumberRole::Plain)
            );
        }
        match (made, loaded.shape, loaded.address) {
            (Some(made), LoadShape::Stack | LoadShape::Indexed, _)
            | (Some(made), LoadShape::Plain, None) => self.written(made, NumberRole::Address),
            (_, _, Some(address)) => self.place(address),
            (None, _, None) => "?".to_owned(),
        }
    }

    /// Formats an address as a symbol or in digits: `table+0x8`.
    pub fn place(&self, address: Address) -> String {
        self.symbol(address.0)
            .unwrap_or_else(|| format!("{:#x}", address.0))
    }

    fn symbol(&self, number: u64) -> Option<String> {
        let found = self
            .session
            .images
            .symbol_at(Address(number))
            .filter(|_| number >= LOWEST_ADDRESS)?;
        let is_named = found.symbol.kind != SymbolKind::Module
            && (found.offset == 0 || found.symbol.size_bytes > 0);
        is_named.then(|| match found.offset {
            0 => found.name.to_owned(),
            offset => format!("{}+{offset:#x}", found.name),
        })
    }

    fn written(&self, formula: &Formula, meant: NumberRole) -> String {
        match formula {
            Formula::Number(number) => self.number(*number, meant),

            Formula::Register(leaf) => {
                let name = self.register(leaf.thread, leaf.view);
                match leaf.source.and_then(|source| self.steps.get(&source)) {
                    Some(step) => format!("{name}@{}", step.0),
                    None => name,
                }
            }
            Formula::Loaded(loaded) => self.memory(loaded),
            Formula::Binary(operation, left, right) => self.binary(*operation, left, right, meant),
            Formula::Cast {
                value,
                bits: bits @ (8 | 16 | 32 | 64),
                is_signed,
            } => {
                format!(
                    "({}{bits}){}",
                    if *is_signed { 's' } else { 'u' },
                    self.operand(value, None, NumberRole::Plain)
                )
            }
            Formula::Cast {
                value,
                bits,
                is_signed: false,
            } => {
                let mask = u64::MAX
                    .checked_shr(64 - u32::from(*bits).min(63))
                    .unwrap_or(u64::MAX);
                format!(
                    "{} & {mask:#x}",
                    self.operand(value, Some(Operation::And), NumberRole::Mask)
                )
            }
            Formula::Cast { value, bits, .. } => {
                let value = self.written(value, NumberRole::Plain);
                format!("sext{bits}({value})")
            }
            Formula::Named { name, operands, .. } => {
                let operands: Vec<String> = operands
                    .iter()
                    .map(|operand| self.written(operand, NumberRole::Plain))
                    .collect();
                format!("{name}({})", operands.join(", "))
            }
            Formula::Word(word) => word.to_string(),
        }
    }

    fn binary(
        &self,
        operation: Operation,
        left: &Formula,
        right: &Formula,
        meant: NumberRole,
    ) -> String {
        let meant = match operation {
            Operation::And | Operation::Or | Operation::Xor => NumberRole::Mask,
            Operation::Add | Operation::Subtract if meant != NumberRole::Value => meant,
            _ => NumberRole::Plain,
        };
        let operand = |formula: &Formula| self.operand(formula, Some(operation), meant);
        if operation == Operation::Xor && is_all_ones(left, right) {
            return format!("~{}", self.operand(left, None, meant));
        }
        if operation == Operation::Subtract && *left == Formula::Number(0) {
            return format!("-{}", self.operand(right, None, meant));
        }
        let right = match operation {
            // Parenthesise a sum on the right: `a - (b + c)`.
            Operation::Subtract => self.operand(right, Some(Operation::Multiply), meant),
            Operation::ShiftLeft | Operation::ShiftRight | Operation::ShiftRightSigned => {
                self.operand(right, None, NumberRole::Plain)
            }
            _ => operand(right),
        };
        match operation {
            Operation::Multiply => format!("{}*{right}", operand(left)),
            Operation::ShiftRightSigned => {
                let bits = left.computed_bits();
                let is_signed = matches!(
                    left,
                    Formula::Cast {
                        is_signed: true,
                        ..
                    }
                );
                let left = self.operand(left, None, meant);
                if is_signed {
                    format!("{left} >> {right}")
                } else {
                    format!("(s{bits}){left} >> {right}")
                }
            }
            _ => format!("{} {} {right}", operand(left), sign(operation)),
        }
    }

    /// Formats an operand, in parentheses if it could be misread otherwise.
    fn operand(&self, formula: &Formula, around: Option<Operation>, meant: NumberRole) -> String {
        let text = self.written(formula, meant);
        let inner = match formula {
            Formula::Binary(operation, left, right) if !is_prefixed(*operation, left, right) => {
                Some(*operation)
            }
            Formula::Cast {
                bits,
                is_signed: false,
                ..
            } if !matches!(bits, 8 | 16 | 32 | 64) => Some(Operation::And),
            _ => None,
        };
        let is_sum = |operation| matches!(operation, Operation::Add | Operation::Subtract);
        let is_plain = match (inner, around) {
            (None, _) => true,
            (Some(inner), Some(around)) => {
                let is_chain = inner == around
                    && matches!(
                        inner,
                        Operation::And | Operation::Or | Operation::Xor | Operation::Multiply
                    );
                is_chain
                    || is_sum(inner) && is_sum(around)
                    || inner == Operation::Multiply && is_sum(around)
            }
            (Some(_), None) => false,
        };
        if is_plain { text } else { format!("({text})") }
    }

    fn number(&self, number: u64, meant: NumberRole) -> String {
        if let Some(symbol) = self.symbol(number).filter(|_| meant != NumberRole::Mask) {
            return symbol;
        }
        match (number, meant) {
            (0..=9, _) | (0..LOWEST_ADDRESS, NumberRole::Plain | NumberRole::Address) => {
                number.to_string()
            }
            _ => format!("{number:#x}"),
        }
    }
}

fn is_prefixed(operation: Operation, left: &Formula, right: &Formula) -> bool {
    match operation {
        Operation::Xor => is_all_ones(left, right),
        Operation::Subtract => *left == Formula::Number(0),
        _ => false,
    }
}

fn is_all_ones(left: &Formula, right: &Formula) -> bool {
    match right {
        Formula::Number(mask) if left.computed_bits() == 32 => *mask == u64::from(u32::MAX),
        Formula::Number(mask) => *mask == u64::MAX,
        _ => false,
    }
}

fn sign(operation: Operation) -> &'static str {
    match operation {
        Operation::Add => "+",
        Operation::Subtract => "-",
        Operation::Multiply => "*",
        Operation::And => "&",
        Operation::Or => "|",
        Operation::Xor => "^",
        Operation::ShiftLeft => "<<",
        Operation::ShiftRight | Operation::ShiftRightSigned => ">>",
    }
}
