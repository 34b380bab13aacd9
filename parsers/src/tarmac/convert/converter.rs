//! Conversion of a trace, line by line.

use std::io;
use std::io::Write;
use std::ops::Range;

use stepback_machine::{AccessKind, InstructionSet};

use crate::error::SourceError;
use crate::events::Flow;
use crate::tarmac::convert::parts::{ConversionWriter, ConvertedText};
use crate::tarmac::convert::pieces;
use crate::tarmac::convert::pieces::{AccessForm, TranslatedAddress};
use crate::tarmac::convert::style::{ConversionLoss, TarmacStyle};
use crate::tarmac::diagram_line::{AccessPiece, Diagram, OpenDiagram};
use crate::tarmac::header::{LineHeader, LineKind, Timestamp};
use crate::tarmac::instruction_line::InstructionLine;
use crate::tarmac::line::{FIRST_CPU, TarmacLine, cpu_of_other};
use crate::tarmac::memory_line::MemoryLine;
use crate::tarmac::source::Tarmac;
use crate::text::lexer::Lexer;
use crate::text::window::{InputWindow, without_return};

/// Error that ends a conversion.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The trace could not be read.
    #[error(transparent)]
    Read(#[from] SourceError),
    /// The result could not be written.
    #[error("{0}")]
    Write(#[from] io::Error),
}

impl Tarmac {
    /// Writes the trace in another style, in bounded memory. Calls `watch` after each part, about
    /// once a megabyte, with the offset reached; `watch` may stop the conversion.
    ///
    /// # Errors
    /// The trace could not be read, or the result could not be written.
    pub fn convert(
        &self,
        style: TarmacStyle,
        out: &mut impl Write,
        watch: &mut dyn FnMut(u64) -> Flow,
    ) -> Result<ConversionLoss, ConvertError> {
        let mut written = ConversionWriter::new(self, style, out)?;
        for part in self.conversion_parts() {
            let part = self.convert_part(style, part?)?;
            let end = part.end();
            written.write(part)?;
            if watch(end) == Flow::Stop {
                break;
            }
        }
        Ok(written.lost())
    }
}

/// Converter of consecutive lines.
pub(super) struct Converter<'t> {
    tarmac: &'t Tarmac,
    style: TarmacStyle,
    pub out: ConvertedText,
    /// Diagram on the line before.
    open: Option<OpenDiagram>,
    /// Last timestamp as written, with its unit.
    stamp: Vec<u8>,
    /// Time of lines without a timestamp.
    time: Option<u64>,
    /// CPU word of the line before; lines without one belong to the same thread.
    thread: Option<Vec<u8>>,
}

impl<'t> Converter<'t> {
    pub fn new(tarmac: &'t Tarmac, style: TarmacStyle) -> Self {
        Self {
            tarmac,
            style,
            out: ConvertedText::default(),
            open: None,
            stamp: Vec::new(),
            time: None,
            thread: None,
        }
    }

    /// Converts the lines that begin in a range, and passes the text to `after_window` about once a
    /// megabyte, which may take it.
    pub fn convert(
        &mut self,
        range: Range<u64>,
        after_window: &mut dyn FnMut(&mut ConvertedText) -> Result<(), ConvertError>,
    ) -> Result<(), ConvertError> {
        let (mut buffer, limits) = (Vec::new(), self.tarmac.settings().limits);
        let mut window = InputWindow::new(self.tarmac.input(), range, limits.window, &mut buffer);
        window.advance(0)?;
        loop {
            let mut at = 0;
            while let Some((line, next)) = window
                .part()
                .line_at(at)
                .filter(|_| at < window.whole_lines())
            {
                match line.len() > limits.line {
                    true => self.skip_damaged(),
                    false => self.line(without_return(line))?,
                }
                at = next;
            }
            after_window(&mut self.out)?;
            let is_too_long = !window.is_last() && window.text().len() - at > limits.line;
            match () {
                () if window.is_last() => return Ok(()),
                () if is_too_long => {
                    self.skip_damaged();
                    _ = window.skip_line(at, u64::MAX)?;
                }
                () => window.advance(at)?,
            }
        }
    }

    fn skip_damaged(&mut self) {
        self.out.lost.damaged += 1;
        self.open = None;
    }

    /// Converts a line. Two records on it become two lines.
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        let mut rest = line;
        while let TarmacLine::Fused(fused) =
            TarmacLine::read(rest, self.open, self.tarmac.settings().state_field)
        {
            let (first, second) = rest.split_at_checked(fused.at).unwrap_or_default();
            rest = second;
            if !fused.is_first_whole {
                self.skip_damaged();
                break;
            }
            self.record(first)?;
            self.open = None;
        }
        self.record(rest)
    }

    fn record(&mut self, text: &[u8]) -> io::Result<()> {
        let line = TarmacLine::read_single(text, self.open, self.tarmac.settings().state_field);
        self.open = line.open_diagram();
        match line {
            TarmacLine::Blank | TarmacLine::Fused(_) => Ok(()),
            TarmacLine::Broken(_) => self.pass_on(text),
            TarmacLine::Row(open) => self.row(open.kind, text),
            TarmacLine::Instruction(header, line) => self.instruction(&header, &line, text),
            TarmacLine::Other(header) if header.kind == LineKind::Title => Ok(()),
            TarmacLine::Other(header) => self.other(&header, text),
        }
    }

    fn pass_on(&mut self, text: &[u8]) -> io::Result<()> {
        self.out.text.write_all(text)?;
        self.out.text.write_all(b"\n")
    }

    fn instruction(
        &mut self,
        header: &LineHeader<'_>,
        line: &InstructionLine<'_>,
        text: &[u8],
    ) -> io::Result<()> {
        let stamp = stamp_of(text);
        self.out.steps += 1;
        self.write_prefix(stamp, header.cpu)?;
        self.thread = Some(header.cpu.unwrap_or(FIRST_CPU).to_vec());
        self.note_time(header.time, stamp);
        let fields = text.get(header.word_at..).unwrap_or_default();
        let is_es = header.word == b"ES";
        // In an ES line, a disassembly that begins with `CCFAIL` would mean a failed condition.
        let is_misleading =
            !is_es && line.is_executed && Lexer::new(line.text).word() == Some(b"CCFAIL");
        if is_es == (self.style == TarmacStyle::Es) || is_misleading {
            return self.pass_on(fields);
        }
        match self.style {
            TarmacStyle::Es => self.write_es(line)?,
            TarmacStyle::FastModels => self.write_it(line)?,
        }
        self.pass_on(line.text)
    }

    fn write_es(&mut self, line: &InstructionLine<'_>) -> io::Result<()> {
        self.out.lost.physical_addresses += u64::from(line.has_physical);
        self.out.text.write_all(b"ES  (")?;
        self.out.text.write_all(line.address_word)?;
        self.out.text.write_all(b":")?;
        self.out.text.write_all(line.encoding)?;
        write!(self.out.text, ") {} ", state(line.set))?;
        self.out.text.write_all(line.mode)?;
        self.out.text.write_all(if line.is_executed {
            b":         "
        } else {
            b":  CCFAIL "
        })
    }

    fn write_it(&mut self, line: &InstructionLine<'_>) -> io::Result<()> {
        let word: &[u8] = if line.is_executed { b"IT (" } else { b"IS (" };
        self.out.text.extend_from_slice(word);
        self.out.push_number();
        self.out.text.extend_from_slice(b") ");
        self.out.text.write_all(line.address_word)?;
        self.out.text.write_all(b" ")?;
        self.out.text.write_all(line.encoding)?;
        write!(self.out.text, " {} ", state(line.set))?;
        self.out.text.write_all(line.mode)?;
        self.out
            .text
            .write_all(if line.mode.is_empty() { b": " } else { b" : " })
    }

    fn other(&mut self, header: &LineHeader<'_>, text: &[u8]) -> io::Result<()> {
        let prefix = self.prefix(header, text);
        match header.kind {
            LineKind::Memory if self.style == TarmacStyle::Es => {
                let line = MemoryLine::read(header, self.tarmac.settings().endian)
                    .ok()
                    .flatten();
                if let Some(line) = line.filter(|line| line.doubt.is_none()) {
                    return self.memory(&line, header, &prefix);
                }
            }
            LineKind::Diagram(kind) if self.style == TarmacStyle::FastModels => {
                if let Some(drawn) = DiagramFields::read(header.fields) {
                    return self.diagram(kind, &drawn, &prefix);
                }
            }
            _ => {}
        }
        self.out.text.write_all(&prefix)?;
        self.pass_on(text.get(header.word_at..).unwrap_or_default())
    }

    /// Converts a further row of a diagram, which becomes a separate line.
    fn row(&mut self, kind: AccessKind, text: &[u8]) -> io::Result<()> {
        let prefix = self.inherited_prefix();
        match DiagramFields::read(Lexer::new(text))
            .filter(|_| self.style == TarmacStyle::FastModels)
        {
            Some(drawn) => self.diagram(kind, &drawn, &prefix),
            None => {
                self.out.text.write_all(&prefix)?;
                self.out.text.write_all(if kind == AccessKind::Read {
                    b"LD "
                } else {
                    b"ST "
                })?;
                self.pass_on(text.trim_ascii_start())
            }
        }
    }

    fn memory(
        &mut self,
        line: &MemoryLine<'_>,
        header: &LineHeader<'_>,
        prefix: &[u8],
    ) -> io::Result<()> {
        let place = line.place;
        let piece = |(address, size_bytes, bytes)| AccessPiece {
            address,
            size_bytes,
            bytes,
        };
        let pieces: Vec<AccessPiece> = line.parts().map(piece).collect();
        let physical = place
            .physical
            .and_then(|word| TranslatedAddress::of_word(place.address, word));
        self.out.lost.physical_addresses +=
            u64::from(place.physical.is_some() && physical.is_none());
        self.out.lost.exclusive_marks +=
            u64::from(place.is_exclusive || header.word.contains(&b'X'));
        for (number, row) in pieces::rows(&pieces).enumerate() {
            let here = physical.and_then(|physical| physical.at(row.address));
            self.out.lost.physical_addresses += u64::from(physical.is_some() && here.is_none());
            // The first line has time and thread; the lines after it inherit them.
            self.out
                .text
                .write_all(if number == 0 { prefix } else { INDENT })?;
            let form = AccessForm {
                kind: line.kind,
                width: width(row.address, place.word),
                physical: here,
            };
            pieces::write_row(&mut self.out.text, form, &row)?;
        }
        Ok(())
    }

    fn diagram(
        &mut self,
        kind: AccessKind,
        drawn: &DiagramFields<'_>,
        prefix: &[u8],
    ) -> io::Result<()> {
        self.out.lost.memory_types += u64::from(drawn.has_type);
        for access in drawn.diagram.accesses() {
            for piece in pieces::powers(access) {
                let physical = drawn
                    .physical
                    .and_then(|physical| physical.at(piece.address));
                self.out.text.write_all(prefix)?;
                let form = AccessForm {
                    kind,
                    width: width(piece.address, drawn.word),
                    physical,
                };
                pieces::write_contiguous(
                    &mut self.out.text,
                    form,
                    piece,
                    self.tarmac.settings().endian,
                )?;
            }
        }
        Ok(())
    }

    /// Returns the prefix of a line other than an instruction in the output style, and notes its
    /// time and thread.
    fn prefix(&mut self, header: &LineHeader<'_>, text: &[u8]) -> Vec<u8> {
        let stamp = stamp_of(text);
        let thread = cpu_of_other(header.time, header.cpu)
            .or(self.thread.as_deref())
            .unwrap_or(FIRST_CPU)
            .to_vec();
        let is_other_thread = self.thread.as_deref().unwrap_or(FIRST_CPU) != thread;
        let is_other_time = header.time.is_some() && header.time != self.time;
        // The reader accepts an unusual type word only after a time and a unit, and an unusual CPU
        // word only before a known type.
        let is_odd = header.kind == LineKind::Unknown && header.unit.is_some();
        let is_unsafe = matches!(header.kind, LineKind::Unknown | LineKind::Note)
            && !thread.starts_with(b"cpu");
        let is_plain = match self.style {
            TarmacStyle::Es => !is_other_time && !is_other_thread && !is_odd,
            TarmacStyle::FastModels => stamp.is_empty() && is_unsafe,
        };
        let is_unreadable = header.time.is_none() && !stamp.is_empty();
        let written = if stamp.is_empty() {
            self.stamp.clone()
        } else {
            stamp.to_vec()
        };
        self.note_other_time(header.time, stamp);
        self.thread = Some(thread.clone());
        if is_plain && !is_unreadable {
            return INDENT.to_vec();
        }
        let is_named = header.cpu.is_some() || thread != FIRST_CPU;
        let mut prefix = Vec::new();
        let cpu = (is_named || written.is_empty() && is_other_thread).then_some(&*thread);
        self.append_prefix(&mut prefix, &written, cpu);
        prefix
    }

    /// Returns the prefix of a line that inherits time and thread.
    fn inherited_prefix(&self) -> Vec<u8> {
        let thread = self.thread.as_deref().filter(|thread| *thread != FIRST_CPU);
        let mut prefix = Vec::new();
        match self.style {
            TarmacStyle::Es => prefix.extend_from_slice(INDENT),
            TarmacStyle::FastModels => self.append_prefix(&mut prefix, &self.stamp, thread),
        }
        prefix
    }

    fn write_prefix(&mut self, stamp: &[u8], cpu: Option<&[u8]>) -> io::Result<()> {
        let mut prefix = Vec::new();
        self.append_prefix(&mut prefix, stamp, cpu);
        self.out.text.write_all(&prefix)
    }

    fn append_prefix(&self, prefix: &mut Vec<u8>, stamp: &[u8], cpu: Option<&[u8]>) {
        if self.style == TarmacStyle::Es {
            let missing = STAMP_WIDTH.saturating_sub(stamp.len());
            prefix.extend_from_slice(INDENT.get(..missing).unwrap_or_default());
        }
        for word in [Some(stamp).filter(|stamp| !stamp.is_empty()), cpu]
            .into_iter()
            .flatten()
        {
            prefix.extend_from_slice(word);
            prefix.push(b' ');
        }
    }

    fn note_time(&mut self, time: Option<u64>, stamp: &[u8]) {
        self.time = time;
        self.stamp.clear();
        self.stamp
            .extend_from_slice(if time.is_some() { stamp } else { b"" });
    }

    fn note_other_time(&mut self, time: Option<u64>, stamp: &[u8]) {
        if time.is_some() {
            self.note_time(time, stamp);
        }
    }
}

/// Prefix of lines that inherit time and thread.
const INDENT: &[u8] = b"                    ";
/// Column at which timestamps of the ES style end.
const STAMP_WIDTH: usize = 15;

/// Letters of instruction sets; every other set uses that of A64.
const STATES: [(InstructionSet, char); 2] =
    [(InstructionSet::A32, 'A'), (InstructionSet::T32, 'T')];

fn state(set: InstructionSet) -> char {
    STATES
        .iter()
        .find(|(known, _)| *known == set)
        .map_or('O', |(_, letter)| *letter)
}

/// Returns the number of digits of an address: as in the trace, or more if needed.
fn width(address: u64, word: &[u8]) -> usize {
    let needed = if address > u64::from(u32::MAX) { 16 } else { 8 };
    word.len().clamp(needed, 16)
}

/// Returns the timestamp as written, with its unit; empty if there is none.
fn stamp_of(text: &[u8]) -> &[u8] {
    let mut fields = Lexer::new(text);
    let start = fields.at();
    match Timestamp::take(&mut fields) {
        Ok(_) => text
            .get(start..fields.at())
            .unwrap_or_default()
            .trim_ascii_end(),
        Err(_) => b"",
    }
}

/// A diagram and the text after it.
struct DiagramFields<'a> {
    diagram: Diagram,
    word: &'a [u8],
    physical: Option<TranslatedAddress>,
    /// True if more follows than the physical address.
    has_type: bool,
}

impl<'a> DiagramFields<'a> {
    fn read(fields: Lexer<'a>) -> Option<Self> {
        let mut fields = fields;
        let word = { fields }.word()?;
        let diagram = Diagram::take(&mut fields).ok()?;
        let physical = TranslatedAddress::take(diagram.address, &mut fields);
        Some(Self {
            diagram,
            word,
            physical,
            has_type: !fields.rest().is_empty(),
        })
    }
}
