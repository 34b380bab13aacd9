//! Parts of a trace that are converted by themselves.
//!
//! A part begins with an instruction line, which has its own time and thread, so nothing before it
//! matters except the number of instructions. That number is filled in when the part is written.

use std::io::{self, Write};
use std::ops::Range;

use crate::error::SourceError;
use crate::source::Source as _;
use crate::tarmac::convert::converter::{ConvertError, Converter};
use crate::tarmac::convert::style::{ConversionLoss, TarmacStyle};
use crate::tarmac::line::TarmacLine;
use crate::tarmac::source::Tarmac;
use crate::text::window::{InputWindow, without_return};

/// Converted lines.
#[derive(Debug, Default)]
pub(super) struct ConvertedText {
    pub text: Vec<u8>,
    numbers: Vec<InstructionNumber>,
    /// Number of instructions.
    pub steps: u64,
    pub lost: ConversionLoss,
}

/// The number of an instruction, which is not in the text yet.
#[derive(Clone, Copy, Debug)]
struct InstructionNumber {
    /// Its place in the text.
    place: usize,
    /// Number in the text, from 1.
    number: u64,
}

impl ConvertedText {
    /// Leaves a place for the number of the last instruction.
    pub fn push_number(&mut self) {
        self.numbers.push(InstructionNumber {
            place: self.text.len(),
            number: self.steps,
        });
    }

    /// Writes the text. `before` is the number of instructions before it.
    fn write(&self, before: u64, out: &mut impl Write) -> io::Result<()> {
        let mut start = 0;
        for InstructionNumber { place, number } in self.numbers.iter().copied() {
            out.write_all(self.text.get(start..place).unwrap_or_default())?;
            write!(out, "{}", before.saturating_add(number))?;
            start = place;
        }
        out.write_all(self.text.get(start..).unwrap_or_default())
    }
}

/// A part of a trace in another style.
#[derive(Debug)]
pub struct ConvertedPart {
    range: Range<u64>,
    style: TarmacStyle,
    /// `None` for a part that is too long for memory: it is converted while it is written.
    text: Option<ConvertedText>,
}

impl ConvertedPart {
    /// Returns the offset at which the part ends.
    pub fn end(&self) -> u64 {
        self.range.end
    }
}

/// Writer of the parts of a trace in order.
#[derive(Debug)]
pub struct ConversionWriter<'t, W> {
    tarmac: &'t Tarmac,
    out: W,
    steps: u64,
    lost: ConversionLoss,
}

impl<'t, W: Write> ConversionWriter<'t, W> {
    /// Begins a trace.
    ///
    /// # Errors
    /// The title could not be written.
    pub fn new(tarmac: &'t Tarmac, style: TarmacStyle, mut out: W) -> io::Result<Self> {
        if style == TarmacStyle::Es {
            writeln!(out, "Tarmac Text Rev 3t")?;
        }
        Ok(Self {
            tarmac,
            out,
            steps: 0,
            lost: ConversionLoss::default(),
        })
    }

    /// Writes the next part.
    ///
    /// # Errors
    /// See [`ConvertError`].
    pub fn write(&mut self, part: ConvertedPart) -> Result<(), ConvertError> {
        let ConvertedPart { range, style, text } = part;
        match text {
            Some(text) => self.write_text(&text)?,
            None => {
                let mut converter = Converter::new(self.tarmac, style);
                converter.convert(range, &mut |text| {
                    self.write_text(&std::mem::take(text))?;
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Returns what the style could not express.
    pub fn lost(&self) -> ConversionLoss {
        self.lost
    }

    fn write_text(&mut self, text: &ConvertedText) -> io::Result<()> {
        text.write(self.steps, &mut self.out)?;
        self.steps += text.steps;
        self.lost.add(text.lost);
        Ok(())
    }
}

/// Maximum number of windows in a part that is converted in memory.
const PART_WINDOWS: u64 = 8;

impl Tarmac {
    /// Divides the trace into parts of about a megabyte that begin with instructions. Where lines
    /// are without instructions, parts are longer. Cost: reads the text around each beginning.
    pub fn conversion_parts(&self) -> impl Iterator<Item = Result<Range<u64>, SourceError>> {
        let mut start = Some(0);
        std::iter::from_fn(move || {
            let from = start.take().filter(|from| *from < self.length())?;
            let window = self.settings().limits.window as u64;
            let end = match self.next_instruction(from.saturating_add(window)) {
                Ok(found) => found.unwrap_or(self.length()),
                Err(error) => return Some(Err(error)),
            };
            start = Some(end);
            Some(Ok(from..end))
        })
    }

    /// Returns the start of the first instruction line that begins after an offset.
    fn next_instruction(&self, after: u64) -> Result<Option<u64>, SourceError> {
        let (mut buffer, settings) = (Vec::new(), self.settings());
        let range = after.min(self.length())..self.length();
        let limits = settings.limits;
        let mut window = InputWindow::new(self.input(), range, limits.window, &mut buffer);
        window.advance(0)?;
        let mut has_more = window.skip_line(0, u64::MAX)?;
        while has_more {
            let mut at = 0;
            while let Some((line, next)) = window
                .part()
                .line_at(at)
                .filter(|_| at < window.whole_lines())
            {
                let line = without_return(line);
                let is_instruction = line.len() <= limits.line
                    && matches!(
                        TarmacLine::read(line, None, settings.state_field),
                        TarmacLine::Instruction(..)
                    );
                if is_instruction {
                    return Ok(Some(window.base() + at as u64));
                }
                at = next;
            }
            let is_too_long = window.text().len() - at > limits.line;
            has_more = match () {
                () if window.is_last() => false,
                () if is_too_long => window.skip_line(at, u64::MAX)?,
                () => window.advance(at).map(|()| true)?,
            };
        }
        Ok(None)
    }

    /// Converts a part.
    ///
    /// # Errors
    /// The trace could not be read.
    pub fn convert_part(
        &self,
        style: TarmacStyle,
        range: Range<u64>,
    ) -> Result<ConvertedPart, ConvertError> {
        let most = PART_WINDOWS * self.settings().limits.window as u64;
        let text = match range.end - range.start <= most {
            true => {
                let mut converter = Converter::new(self, style);
                converter.convert(range.clone(), &mut |_| Ok(()))?;
                Some(converter.out)
            }
            false => None,
        };
        Ok(ConvertedPart { range, style, text })
    }
}
