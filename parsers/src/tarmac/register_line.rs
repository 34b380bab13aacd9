//! `R` lines: writes to a register or to a part of it.
//!
//! `R X1 00000000000FFBB8`, `R V0<127:64> 0011223344556677`, `R R1 (USR) 00000005`,
//! `R Q0 -------- -------- 11223344 55667788`.

use stepback_machine::banks::bank_mode;
use stepback_machine::{InstructionSet, Mode};

use crate::problem::{LineFault, TarmacFault};
use crate::tarmac::header::LineHeader;
use crate::tarmac::register_name::{KnownRegister, ValueKind};
use crate::tarmac::register_value::{RegisterValue, ValueFormat};
use crate::text::digits;
use crate::text::lexer::{Lexer, Token};

/// Maximum length of a register name.
const NAME_LIMIT: usize = 64;

/// Register name in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LowerName {
    letters: [u8; NAME_LIMIT],
    length: usize,
}

impl LowerName {
    /// Converts a word to lower case; `None` if it is too long for a name.
    pub fn of(word: &[u8]) -> Option<Self> {
        let mut letters = [0; NAME_LIMIT];
        letters.get_mut(..word.len())?.copy_from_slice(word);
        letters.make_ascii_lowercase();
        Some(Self {
            letters,
            length: word.len(),
        })
    }

    /// Returns the name of the bank that a word in brackets selects: `R13 (IRQ)` is `r13_irq`.
    /// Returns `None` for registers without banks and for words that are not a mode.
    fn in_mode(self, word: &[u8], set: InstructionSet) -> Option<Self> {
        let has_banks = matches!(
            self.as_bytes(),
            b"sp" | b"lr" | b"fp" | b"ip" | b"sl" | b"sb"
        ) || matches!(
            self.as_bytes(),
            b"r8" | b"r9" | b"r10" | b"r11" | b"r12" | b"r13" | b"r14"
        );
        // 64-bit registers have no banks of this kind.
        let mode =
            bank_mode(&word.to_ascii_lowercase()).filter(|_| has_banks && set.word_bytes() < 8)?;
        Self::of(&[self.as_bytes(), b"_", &mode].concat())
    }

    /// Returns the name of the register that it means in a mode: `msp` of the Secure state is
    /// `msp_s`.
    fn in_state(self, mode: Mode, set: InstructionSet) -> Option<Self> {
        let name = std::str::from_utf8(self.as_bytes()).ok()?;
        Self::of(&[self.as_bytes(), set.state_suffix(name, mode)?.as_bytes()].concat())
    }

    /// Returns the name.
    pub fn as_bytes(&self) -> &[u8] {
        self.letters.get(..self.length).unwrap_or_default()
    }
}

/// Fields of a register line.
#[derive(Clone, Debug)]
pub(super) struct RegisterLine {
    pub name: LowerName,
    /// `None` for registers outside the architecture's table.
    pub known: Option<KnownRegister>,
    /// First byte of the register that the value covers.
    pub offset: u16,
    /// Width of the register in bytes, according to this line.
    pub width: u16,
    pub value: RegisterValue,
    /// Number of bytes of the register, or of the part that the line names; 0 for registers outside
    /// the table.
    expected_bytes: usize,
}

impl RegisterLine {
    /// Returns true if the value has exactly the digits that it needs. For a register of unknown
    /// width, a common number of digits is enough.
    pub fn is_whole(&self) -> bool {
        let digits = self.value.digits();
        match self.known.map(|known| (known.kind, known.view.size_bytes)) {
            None | Some((ValueKind::Scalable, _)) => digits >= 8 && digits.is_power_of_two(),
            Some(_) => digits == 2 * self.expected_bytes,
        }
    }

    /// Returns true if no digit can be missing when the trace ends with this line.
    pub fn is_surely_whole(&self, set: InstructionSet) -> bool {
        let digits = self.value.digits();
        match self.known.map(|known| known.kind) {
            None => digits >= 2 * usize::from(set.word_bytes()),
            Some(ValueKind::Scalable) => false,
            Some(_) => digits >= 2 * self.expected_bytes,
        }
    }

    /// Resolves the name in a mode, which decides between several registers of one name.
    pub fn in_mode(self, mode: Mode, set: InstructionSet) -> Self {
        match self.name.in_state(mode, set) {
            Some(name) => Self {
                name,
                known: KnownRegister::named(name.as_bytes(), set),
                ..self
            },
            None => self,
        }
    }

    /// Marks all of the value as unknown.
    pub fn forget_value(&mut self, why: LineFault) {
        let usual = if self.known.is_some() { 0 } else { LONG };
        self.value = self.value.unknown(self.expected_bytes.max(usual), why);
        self.width = self
            .width
            .max(self.offset + u16::try_from(self.value.size_bytes()).unwrap_or(0));
    }

    /// Reads the fields; `None` for cache and translation operations (`R IC …`), which write no
    /// register.
    pub fn read(mut fields: Lexer<'_>, set: InstructionSet) -> Result<Option<Self>, LineFault> {
        let column = fields.at();
        let word = fields
            .word()
            .ok_or(TarmacFault::Expected("a register name").at(column))?;
        if let b"DC" | b"IC" | b"TLBI" | b"AT" = word {
            return Ok(None);
        }
        let mut name =
            LowerName::of(word).ok_or(TarmacFault::Expected("a register name").at(column))?;
        if fields.mark(b'(') {
            let column = fields.at();
            let extra = fields.word().filter(|_| fields.mark(b')'));
            let extra = extra.ok_or(TarmacFault::Expected("one word in brackets").at(column))?;
            name = name.in_mode(extra, set).unwrap_or(name);
        }
        let set = if is_wide_pointer(name, &fields) {
            InstructionSet::A64
        } else {
            set
        };
        let known = KnownRegister::named(name.as_bytes(), set);
        let range = range(&mut fields, known)?;
        let expected = match (range, known) {
            (Some((_, size_bytes)), _) => ValueFormat {
                kind: ValueKind::Vector,
                size_bytes: Some(size_bytes.into()),
            },
            (None, Some(known)) => ValueFormat {
                kind: known.kind,
                size_bytes: Some(known.view.size_bytes.into()),
            },
            (None, None) => ValueFormat {
                kind: ValueKind::Core,
                size_bytes: None,
            },
        };
        let value = RegisterValue::read(&mut fields, expected)?;
        let offset = range.map_or(0, |(offset, _)| offset);
        let width = offset + u16::try_from(value.size_bytes()).unwrap_or(u16::MAX - offset);
        let expected_bytes = expected.size_bytes.unwrap_or(0);
        Ok(Some(Self {
            name,
            known,
            offset,
            width,
            value,
            expected_bytes,
        }))
    }
}

/// Returns true for an `sp` or `lr` of more than 32 bits. It is AArch64's, regardless of the
/// instruction's state.
fn is_wide_pointer(name: LowerName, fields: &Lexer<'_>) -> bool {
    let Token::Word(word) = fields.peek() else {
        return false;
    };
    let is_wide = |word: &[u8]| {
        word.len() > 8 && digits::hex(word).is_some_and(|value| value > u64::from(u32::MAX))
    };
    matches!(name.as_bytes(), b"sp" | b"lr" | b"r13" | b"r14") && is_wide(word)
}

/// Width in bytes of most registers outside the table.
const LONG: usize = 8;

/// Width in bytes of the widest register.
const WIDEST: u16 = 256;

/// Reads a bit range such as `<63:0>`; returns its offset and size in bytes.
fn range(
    fields: &mut Lexer<'_>,
    known: Option<KnownRegister>,
) -> Result<Option<(u16, u16)>, LineFault> {
    if !fields.mark(b'<') {
        return Ok(None);
    }
    let column = fields.at();
    let expected = TarmacFault::Expected("a bit range such as <63:0>").at(column);
    let high = bit(fields).ok_or(expected)?;
    let low = fields
        .mark(b':')
        .then(|| bit(fields))
        .flatten()
        .ok_or(expected)?;
    if !fields.mark(b'>') {
        return Err(expected);
    }
    let size_bytes = known.map_or(WIDEST, |known| known.view.size_bytes);
    let is_whole = high % 8 == 7 && low % 8 == 0 && high > low && high / 8 < u64::from(size_bytes);
    let fault = TarmacFault::BitRange {
        high,
        low,
        size_bytes,
    }
    .at(column);
    let range = is_whole
        .then(|| {
            Some((
                u16::try_from(low / 8).ok()?,
                u16::try_from((high - low) / 8 + 1).ok()?,
            ))
        })
        .flatten();
    range.map(Some).ok_or(fault)
}

fn bit(fields: &mut Lexer<'_>) -> Option<u64> {
    match fields.peek() {
        Token::Word(word) => {
            fields.next();
            digits::decimal(word)
        }
        _ => None,
    }
}

/// Returns true if the fields of a line can be read without doubt.
pub(super) fn is_plausible(header: &LineHeader<'_>) -> bool {
    let is_certain =
        |line: Option<RegisterLine>| line.is_none_or(|line| line.value.doubt().is_none());
    let sets = [InstructionSet::A64, InstructionSet::A32];
    sets.iter()
        .any(|set| RegisterLine::read(header.fields, *set).is_ok_and(is_certain))
}
