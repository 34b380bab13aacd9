//! Trial run of a description over a text log ([`LayoutTrial`]).

use std::collections::BTreeSet;
use std::io;

use stepback_machine::{AccessKind, RegisterId};

use crate::error::SourceError;
use crate::events::{EventSink, MemoryAccess, RegisterWrite, StepEvent, ThreadNumber};
use crate::problem::Problem;
use crate::read_at::ReadAt;
use crate::source::{ParseScratch, Source};
use crate::template::LineTemplate;
use crate::text::window::{each_window, without_return};

/// Number of lines, problems and names that are kept as examples.
const EXAMPLES: usize = 10;

/// Result of reading a whole text log with a description: counts, examples and problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutTrial {
    /// Number of lines.
    pub lines: u64,
    /// The patterns, in the order in which they are tried.
    pub patterns: Vec<PatternTrial>,
    /// Number of lines that no pattern matches, without empty ones.
    pub other_lines: u64,
    /// Number of steps.
    pub steps: u64,
    /// Number of steps without an encoding.
    pub steps_without_opcode: u64,
    /// Number of register writes.
    pub register_writes: u64,
    /// Number of loads.
    pub loads: u64,
    /// Number of stores.
    pub stores: u64,
    /// The threads, up to a limit.
    pub threads: Vec<String>,
    /// Written registers that the architecture does not have, up to a limit.
    pub other_registers: BTreeSet<String>,
    /// Number of problems.
    pub problem_count: u64,
    /// The first problems.
    pub problems: Vec<Problem>,
}

/// The lines that a pattern matched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternTrial {
    /// The pattern.
    pub pattern: String,
    /// Number of lines.
    pub lines: u64,
    /// The first line.
    pub example: Option<String>,
}

impl LayoutTrial {
    /// Reads a whole log, which must have been opened with the template.
    ///
    /// # Errors
    /// The log could not be read.
    pub fn of(template: &LineTemplate, log: &dyn Source) -> Result<Self, SourceError> {
        let mut trial = Self {
            patterns: template
                .patterns()
                .map(|pattern| PatternTrial {
                    pattern: pattern.to_owned(),
                    ..PatternTrial::default()
                })
                .collect(),
            ..Self::default()
        };
        let length = log.length();
        each_window(&SourceText(log), 0..length, |text| {
            for line in text.split_inclusive(|byte| *byte == b'\n') {
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                trial.add_line(template, without_return(line));
            }
        })?;
        let parsed = log.parse(0..length, &mut ParseScratch::default(), &mut trial)?;
        trial.lines = parsed.lines;
        Ok(trial)
    }

    fn add_line(&mut self, template: &LineTemplate, line: &[u8]) {
        match template.read(line) {
            Some((number, _)) => {
                if let Some(pattern) = self.patterns.get_mut(number) {
                    pattern.lines += 1;
                    let text = || String::from_utf8_lossy(line).into_owned();
                    pattern.example.get_or_insert_with(text);
                }
            }
            None => self.other_lines += u64::from(!line.trim_ascii().is_empty()),
        }
    }
}

impl EventSink for LayoutTrial {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        if self.threads.len() < EXAMPLES {
            self.threads.push(name.to_owned());
        }
    }

    fn register_named(&mut self, _register: RegisterId, name: &str, _size_bytes: u16) {
        if self.other_registers.len() < EXAMPLES {
            self.other_registers.insert(name.to_owned());
        }
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.steps += 1;
        self.steps_without_opcode += u64::from(step.bytes.is_empty());
    }

    fn register_write(&mut self, _write: &RegisterWrite<'_>) {
        self.register_writes += 1;
    }

    fn access(&mut self, access: &MemoryAccess) {
        match access.kind {
            AccessKind::Read => self.loads += 1,
            AccessKind::Write => self.stores += 1,
        }
    }

    fn problem(&mut self, problem: &Problem) {
        self.problem_count += 1;
        if self.problems.len() < EXAMPLES {
            self.problems.push(problem.clone());
        }
    }
}

/// The text of a log, uncompressed.
struct SourceText<'a>(&'a dyn Source);

impl ReadAt for SourceText<'_> {
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        let mut text = Vec::new();
        self.0
            .read_raw(offset..offset.saturating_add(out.len() as u64), &mut text)
            .map_err(io::Error::other)?;
        let count = text.len().min(out.len());
        out[..count].copy_from_slice(&text[..count]);
        Ok(count)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.length())
    }
}
