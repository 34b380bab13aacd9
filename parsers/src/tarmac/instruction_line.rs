//! `IT`, `IS`, `IF` and `ES` lines.
//!
//! ```text
//! IT (7) 00001000 e1a00000 A usr : NOP          IT 00001000 e1a00000 A usr : NOP
//! IT (00001000) e1a00000 A usr : NOP            IT (00001000:2a) 00001000 46c0 T16 NOP
//! ES (00001000:e1a00000) A usr : CCFAIL NOP     ES (00001000:--------) A usr :
//! ```

use stepback_machine::{Address, InstructionSet};

use crate::problem::{LineFault, TarmacFault};
use crate::tarmac::address::{hex_digits, take_address, take_physical};
use crate::tarmac::header::LineHeader;
use crate::tarmac::settings::StateField;
use crate::text::digits;
use crate::text::lexer::{Lexer, Token};

/// Part of the message for a missing instruction-set state, with the remedy.
const STATE: &str =
    "an instruction-set state (cores that leave it out are read with --implicit-thumb)";

/// Fields of an instruction line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InstructionLine<'a> {
    /// Address as written.
    pub address_word: &'a [u8],
    /// Encoding as written.
    pub encoding: &'a [u8],
    /// True if the line has a physical address too.
    pub has_physical: bool,
    /// Numbers in brackets on the line, read as hexadecimal.
    pub numbers: [Option<u64>; 2],
    /// Address without a Thumb bit.
    pub pc: Address,
    pub set: InstructionSet,
    /// Encoding; 0 if the fetch failed.
    pub opcode: u32,
    pub length_bytes: u8,
    pub is_executed: bool,
    /// Exception level or mode; empty if the line has none.
    pub mode: &'a [u8],
    /// Disassembly.
    pub text: &'a [u8],
}

impl<'a> InstructionLine<'a> {
    /// Reads the fields; `None` for `IT EXC` and similar lines, which are exceptions.
    pub fn read(
        header: &LineHeader<'a>,
        state_field: StateField,
    ) -> Result<Option<Self>, LineFault> {
        let mut fields = header.fields;
        if let Token::Word(b"EXC" | b"Reset") = fields.peek() {
            return Ok(None);
        }
        let is_es = header.word == b"ES";
        let place = if is_es {
            es_place(&mut fields)?
        } else {
            it_place(&mut fields, state_field)?
        };
        let (set, mode) = state(&mut fields, place, state_field)?;
        let mut is_executed = header.word != b"IS";
        if is_es && fields.peek() == Token::Word(b"CCFAIL") {
            fields.next();
            is_executed = false;
        }
        // An instruction that could not be fetched was not executed.
        is_executed &= place.encoding.iter().any(|byte| *byte != b'-');
        let address = set.code_address(place.address);
        let length_bytes =
            set.length_of(u8::try_from(place.encoding.len().div_ceil(2)).unwrap_or(u8::MAX));
        let opcode = opcode(place.encoding)
            .ok_or(TarmacFault::TooLarge("encoding").at(header.fields.at()))?;
        Ok(Some(Self {
            address_word: place.word,
            encoding: place.encoding,
            has_physical: place.has_physical,
            numbers: place.numbers,
            pc: Address(address),
            set,
            opcode,
            length_bytes,
            is_executed,
            mode,
            text: fields.rest(),
        }))
    }
}

/// Address and encoding of an instruction line.
#[derive(Clone, Copy, Debug)]
struct AddressFields<'a> {
    address: u64,
    word: &'a [u8],
    has_physical: bool,
    encoding: &'a [u8],
    /// True if the brackets contained two numbers.
    is_pair: bool,
    /// Numbers in the brackets.
    numbers: [Option<u64>; 2],
}

/// Reads `( address : encoding )`.
fn es_place<'a>(fields: &mut Lexer<'a>) -> Result<AddressFields<'a>, LineFault> {
    mark(fields, b'(', "\"(\"")?;
    let (word, address) = take_address(fields, "an address")?;
    mark(fields, b':', "\":\"")?;
    let encoding = encoding(fields)?;
    mark(fields, b')', "\")\"")?;
    Ok(AddressFields {
        address,
        word,
        has_physical: false,
        encoding,
        is_pair: false,
        numbers: [None; 2],
    })
}

/// Reads `[ ( number [ : number ] ) ] word [ : physical [ , physical ] ] [ word ]`.
fn it_place<'a>(
    fields: &mut Lexer<'a>,
    state_field: StateField,
) -> Result<AddressFields<'a>, LineFault> {
    let is_implicit_thumb = state_field == StateField::ImplicitThumb;
    let words = bracket(fields)?;
    let is_pair = words[1].is_some();
    let numbers = words.map(|word| digits::hex(word?));
    let first_at = fields.at();
    let first = encoding(fields)?;
    let has_physical = take_physical(fields)?.is_some();
    let is_encoding = match fields.peek() {
        Token::Word(word) if state_of(word).is_some() => false,
        // Without a state a mnemonic follows, which can look like a number: `ADD`.
        Token::Word(word) if is_implicit_thumb => matches!(word.len(), 4 | 8) && is_encoding(word),
        _ => !is_implicit_thumb,
    };
    match words {
        [Some(number), second] if !is_encoding => {
            // Both orders occur. Addresses are padded to eight digits, counts are not.
            let word = match second {
                Some(second) if second.len() >= 8 || number.len() < 8 => second,
                _ => number,
            };
            let address = digits::hex(word).ok_or(TarmacFault::TooLarge("address").at(first_at))?;
            Ok(AddressFields {
                address,
                word,
                has_physical,
                encoding: first,
                is_pair,
                numbers,
            })
        }
        _ => {
            let address =
                digits::hex(first).ok_or(TarmacFault::Expected("an address").at(first_at))?;
            Ok(AddressFields {
                address,
                word: first,
                has_physical,
                encoding: encoding(fields)?,
                is_pair,
                numbers,
            })
        }
    }
}

/// Reads the numbers in brackets before an instruction's fields: a count, its address, or both.
fn bracket<'a>(fields: &mut Lexer<'a>) -> Result<[Option<&'a [u8]>; 2], LineFault> {
    if !fields.mark(b'(') {
        return Ok([None; 2]);
    }
    let first = number(fields)?;
    let second = if fields.mark(b':') {
        Some(number(fields)?)
    } else {
        None
    };
    mark(fields, b')', "\")\"")?;
    Ok([Some(first), second])
}

/// Reads the instruction set and the mode.
fn state<'a>(
    fields: &mut Lexer<'a>,
    place: AddressFields<'_>,
    state_field: StateField,
) -> Result<(InstructionSet, &'a [u8]), LineFault> {
    let column = fields.at();
    let word = match fields.peek() {
        Token::Word(word) => word,
        _ => b"",
    };
    let Some(set) = state_of(word) else {
        let is_implicit = state_field == StateField::ImplicitThumb;
        return is_implicit
            .then_some((InstructionSet::T32, b"".as_slice()))
            .ok_or(TarmacFault::Expected(STATE).at(column));
    };
    fields.next();
    let mut after = *fields;
    let mode = after.word().unwrap_or_default();
    if after.mark(b':') {
        *fields = after;
        return Ok((set, mode));
    }
    let may_lack_colon = place.is_pair && matches!(word, b"T16" | b"T32");
    if may_lack_colon {
        Ok((set, b""))
    } else {
        Err(TarmacFault::Expected("\":\"").at(after.at()))
    }
}

fn state_of(word: &[u8]) -> Option<InstructionSet> {
    match word {
        b"O" | b"A64" => Some(InstructionSet::A64),
        b"A" | b"A32" => Some(InstructionSet::A32),
        // T32EE, whose instructions are those of T32 with a few exceptions.
        b"T" | b"T16" | b"T32" | b"X" => Some(InstructionSet::T32),
        _ => None,
    }
}

fn mark(fields: &mut Lexer<'_>, mark: u8, name: &'static str) -> Result<(), LineFault> {
    let column = fields.at();
    if fields.mark(mark) {
        Ok(())
    } else {
        Err(TarmacFault::Expected(name).at(column))
    }
}

fn number<'a>(fields: &mut Lexer<'a>) -> Result<&'a [u8], LineFault> {
    let column = fields.at();
    fields
        .word()
        .and_then(hex_digits)
        .ok_or(TarmacFault::Expected("a number").at(column))
}

/// Reads digits, or as many dashes if the fetch failed.
fn encoding<'a>(fields: &mut Lexer<'a>) -> Result<&'a [u8], LineFault> {
    let column = fields.at();
    let word = fields.word().filter(|word| is_encoding(word));
    let word = word.map(|word| hex_digits(word).unwrap_or(word));
    word.ok_or(TarmacFault::Expected("an instruction encoding").at(column))
}

/// Returns the low 32 bits of an encoding; 0 if the fetch failed.
fn opcode(encoding: &[u8]) -> Option<u32> {
    if !digits::is_hex(encoding) {
        return Some(0);
    }
    u32::try_from(digits::hex(encoding)? & 0xffff_ffff).ok()
}

fn is_encoding(word: &[u8]) -> bool {
    hex_digits(word).is_some() || word.iter().all(|byte| *byte == b'-')
}
