//! Steps in the form of Spike, which most have: a commit line with at most a register and an access,
//! alone or after its listing. Reading the lines one by one finds the same.

use stepback_machine::{AccessKind, Address, CodeSite, Encoding, RegisterView};

use crate::commit_log::access::StackOperation;
use crate::commit_log::format::CommitLog;
use crate::commit_log::registers::RiscvRegisters;
use crate::text::digits::{hex, hex_8, load_8};
use crate::text::window::PADDING;
use crate::text_log::{LoggedAccess, QuickStep, can_reach};

/// Number of bytes that are read of the beginning of a line. The longest commit line has 111.
const LINE: usize = 128;
const _: () = assert!(LINE <= PADDING);

/// Beginning of a line, with bytes of the lines after it.
type LineStart = [u8; LINE];

/// Length of `core   0: `, which precedes the address of a listing.
const LISTED: usize = 10;
/// Length of `core   0: 3 `, which precedes the address of a commit line.
const COMMITTED: usize = 12;

/// `0x80000000 (0x00000297)`.
#[derive(Clone, Copy, Debug)]
struct QuickSite {
    pc: u64,
    pc_digits: usize,
    encoding: Encoding,
    length: usize,
}

/// Reads the step at the start of a text.
#[inline]
pub(super) fn step<'a>(text: &'a [u8], log: &CommitLog) -> Option<QuickStep<'a>> {
    let first: &LineStart = text.first_chunk()?;
    let hart = hart(first)?;
    let (listing, site) = match first.get(LISTED..COMMITTED)? {
        b"0x" => {
            let site = site(first, LISTED)?;
            let end = LISTED + site.length;
            // A colon may belong to a second record on the line.
            let rest = text.get(end..)?;
            let length = end + memchr::memchr2(b'\n', b':', rest)?;
            (text.get(..length)?, site)
        }
        [b'0'..=b'9', b' '] => (&b""[..], site(first, COMMITTED)?),
        _ => return None,
    };
    let (effects_at, line, site_length) = match listing.len() {
        0 => (0, first, site.length),
        length => {
            let (b'\n', rest) = text.get(length..)?.split_first()? else {
                return None;
            };
            let line: &LineStart = rest.first_chunk()?;
            (length + 1, line, commit_site_length(line, first, &site)?)
        }
    };
    let mode = *line.get(LISTED)? & 15;
    let registers = log.registers_at(site.pc_digits);
    let mut step = QuickStep {
        thread: hart.into(),
        privilege: mode,
        pc: site.pc,
        set: registers.set,
        encoding: site.encoding,
        text: disassembly(listing, site.length),
        write: None,
        access: None,
        effects_at,
        length: 0,
        lines: if effects_at > 0 { 2 } else { 1 },
    };
    let end = items(line, COMMITTED + site_length, registers, &mut step)?;
    step.length = effects_at + end + 1;
    while let Some(length) = text.get(step.length..).and_then(label_length) {
        step.length += length;
        step.lines += 1;
    }
    Some(step)
}

/// Returns the length of a line such as `core   0: >>>>  main`, which Spike writes before the first
/// instruction of a symbol.
#[inline]
fn label_length(text: &[u8]) -> Option<usize> {
    let line: &LineStart = text.first_chunk()?;
    if line.get(LISTED) != Some(&b'>') {
        return None;
    }
    hart(line)?;
    let rest = text.get(LISTED..)?;
    let length = LISTED + memchr::memchr2(b'\n', b':', rest)?;
    (text.get(length) == Some(&b'\n')).then_some(length + 1)
}

/// Returns whether nothing is to be added to a step of a log without lines about traps.
#[inline]
pub(super) fn leads_to(step: &QuickStep<'_>, next: &QuickStep<'_>) -> bool {
    let site = CodeSite {
        pc: Address(step.pc),
        encoding: step.encoding,
    };
    (step.thread, step.privilege) == (next.thread, next.privilege)
        && (next.pc == site.after() || can_reach(&site, step.set, next.pc))
}

/// Returns the hart of a line that begins with `core   0: `.
#[inline(always)]
fn hart(line: &LineStart) -> Option<u8> {
    let [b'c', b'o', b'r', b'e', b' ', b' ', b' ', hart @ b'0'..=b'9'] =
        load_8(line, 0).to_le_bytes()
    else {
        return None;
    };
    (line.get(8..LISTED)? == b": ").then_some(hart & 15)
}

/// Reads an address and an opcode.
#[inline(always)]
fn site(line: &LineStart, at: usize) -> Option<QuickSite> {
    let is_at = |at: usize, byte: u8| line.get(at) == Some(&byte);
    if line.get(at..at + 2)? != b"0x" {
        return None;
    }
    let high = hex_8(load_8(line, at + 2))?;
    let (pc_digits, pc) = if is_at(at + 10, b' ') {
        (8, u64::from(high))
    } else {
        let low = hex_8(load_8(line, at + 10))?;
        (16, u64::from(high) << 32 | u64::from(low))
    };
    let opcode_at = at + 2 + pc_digits + 4;
    if line.get(opcode_at - 4..opcode_at)? != b" (0x" {
        return None;
    }
    let (digits, opcode) = if is_at(opcode_at + 8, b')') {
        (8, hex_8(load_8(line, opcode_at))?)
    } else if is_at(opcode_at + 4, b')') {
        (4, hex(line.get(opcode_at..opcode_at + 4)?)? as u32)
    } else {
        return None;
    };
    let bytes = opcode.to_le_bytes();
    let encoding = match opcode & 0x1f {
        0x1f => return None, // longer than 4 bytes
        low if low & 3 != 3 => Encoding::new(bytes.get(..2)?)?,
        _ if digits == 4 => return None,
        _ => Encoding::new(&bytes)?,
    };
    // A return from a trap may change the mode; the others have more effects than the line has items.
    let changes_mode = opcode & 0x707f == 0x73;
    if changes_mode || StackOperation::of(&encoding).is_some() {
        return None;
    }
    Some(QuickSite {
        pc,
        pc_digits,
        encoding,
        length: opcode_at + digits + 1 - at,
    })
}

/// Returns the length of the site of a commit line if it belongs to a listing: its hart, address and
/// opcode are the same. Spike writes a compressed opcode with 8 digits in listings, with 4 in commit
/// lines.
#[inline(always)]
fn commit_site_length(line: &LineStart, listing: &LineStart, site: &QuickSite) -> Option<usize> {
    let opcode_at = 2 + site.pc_digits + 4;
    let is_same = |at: usize| load_8(line, COMMITTED + at) == load_8(listing, LISTED + at);
    let has_same_hart = load_8(line, 0) == load_8(listing, 0) && line.get(8..LISTED)? == b": ";
    let has_mode = matches!(line.get(LISTED..COMMITTED)?, [b'0'..=b'9', b' ']);
    let has_same_pc = is_same(0) && is_same(opcode_at - 8) && (site.pc_digits == 8 || is_same(8));
    if !(has_same_hart && has_mode && has_same_pc) {
        return None;
    }
    let digits_at = COMMITTED + opcode_at;
    let listed_digits = site.length - opcode_at - 1;
    if listed_digits == 8 && line.get(digits_at + 8) == Some(&b')') && is_same(opcode_at) {
        return Some(site.length);
    }
    let last_four = line.get(digits_at..digits_at + 4)?;
    let last_listed = LISTED + site.length - 5;
    let is_short = site.encoding.bytes().len() == 2 && line.get(digits_at + 4) == Some(&b')');
    (is_short && last_four == listing.get(last_listed..last_listed + 4)?).then_some(opcode_at + 5)
}

/// Returns the text after the site of a listing.
#[inline(always)]
fn disassembly(listing: &[u8], site_length: usize) -> &[u8] {
    let text = listing.get(LISTED + site_length..).unwrap_or_default();
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    let text = text
        .get(blanks.count()..)
        .unwrap_or_default()
        .trim_ascii_end();
    if text.starts_with(b"DASM(") {
        &[]
    } else {
        text
    }
}

/// Reads the items after the site of a commit line; returns the length of the line.
#[inline(always)]
fn items(
    line: &LineStart,
    at: usize,
    registers: &RiscvRegisters,
    step: &mut QuickStep<'_>,
) -> Option<usize> {
    let mut at = at;
    let mut digits = 0;
    if let [
        b' ',
        letter @ (b'x' | b'f'),
        first,
        second,
        b' ',
        b'0',
        b'x',
        _,
    ] = load_8(line, at).to_le_bytes()
    {
        let number = match (first, second) {
            (b'0'..=b'9', b' ') => first & 15,
            (b' ', b'0'..=b'9') => second & 15,
            (b'0'..=b'9', b'0'..=b'9') => (first & 15) * 10 + (second & 15),
            _ => return None,
        };
        let (value, length) = number_at(line, at + 7)?;
        let view = match letter {
            b'x' => registers.general(number.into())?,
            _ => registers.float(number.into())?,
        };
        digits = length;
        let size_bytes = match letter {
            b'x' => view.size_bytes,
            _ => view.size_bytes.min(length as u16 / 2),
        };
        if usize::from(size_bytes) * 2 != length {
            return None;
        }
        step.write = Some((RegisterView { size_bytes, ..view }, value));
        at += 7 + length;
    }
    if line.get(at) == Some(&b'\n') {
        return Some(at);
    }
    if line.get(at..at + 7)? != b" mem 0x" {
        return None;
    }
    let (address, length) = number_at(line, at + 7)?;
    at += 7 + length;
    let plain = step.set.data_access(&step.encoding).unwrap_or_default();
    if line.get(at) == Some(&b'\n') {
        if plain.load_bytes == 0 || plain.store_bytes > 0 {
            return None;
        }
        let destination = plain.destination.map(|view| view.register);
        let loaded = step.write.filter(|(view, _)| {
            Some(view.register) == destination && usize::from(plain.load_bytes) * 2 <= digits
        });
        step.access = Some(LoggedAccess {
            kind: AccessKind::Read,
            address,
            size_bytes: plain.load_bytes.into(),
            bytes: loaded.map(|(_, value)| value.to_le_bytes()),
        });
        return Some(at);
    }
    if line.get(at..at + 3)? != b" 0x" {
        return None;
    }
    at += 3;
    let length = [16, 8, 4, 2]
        .into_iter()
        .find(|length| line.get(at + length) == Some(&b'\n'))?;
    let value = hex(line.get(at..at + length)?)?;
    let written = length as u16 / 2;
    step.access = Some(LoggedAccess {
        kind: AccessKind::Write,
        address,
        size_bytes: match plain.store_bytes {
            0 => written,
            size => written.min(size.into()),
        },
        bytes: Some(value.to_le_bytes()),
    });
    Some(at + length)
}

/// Reads a number of 16 or 8 digits that ends a word; returns it with the number of digits.
#[inline(always)]
fn number_at(line: &LineStart, at: usize) -> Option<(u64, usize)> {
    let ends_at = |at: usize| matches!(line.get(at), Some(b' ' | b'\n'));
    let high = hex_8(load_8(line, at))?;
    if ends_at(at + 8) {
        return Some((high.into(), 8));
    }
    let low = hex_8(load_8(line, at + 8))?;
    ends_at(at + 16).then_some((u64::from(high) << 32 | u64::from(low), 16))
}
