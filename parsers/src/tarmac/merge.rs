//! Treatment of the CPU names on the lines of files that are merged into one text
//! ([`MergedText`](crate::text::MergedText)).
//!
//! ```text
//! core0.log   1 clk IT (1) …      1 clk cpu0 IT (1) …
//!             3 clk IT (2) …      2 clk cpu1 IT (1) …
//! core1.log   2 clk IT (1) …      3 clk cpu0 IT (2) …
//! ```
//!
//! Lines that name no CPU get the name of their file's core. So do the lines of files that name the
//! same CPU as another file.

use std::collections::BTreeSet;
use std::io;

use crate::error::SourceError;
use crate::read_at::TraceFile;
use crate::tarmac::diagram_line::OpenDiagram;
use crate::tarmac::header::{LineHeader, LineKind};
use crate::tarmac::line::TarmacLine;
use crate::tarmac::settings::StateField;
use crate::tarmac::source::TarmacOptions;
use crate::text::merge::{CoreLines, head_of_core, numbers_of};
use crate::text::window::without_return;

/// Creates the readers of a trace of several files.
pub(crate) fn core_readers(
    files: &[TraceFile],
    options: TarmacOptions,
) -> Result<Vec<Box<dyn CoreLines>>, SourceError> {
    let state_field = options.state_field();
    let names =
        core_names(files, state_field).map_err(|error| SourceError::Read { offset: 0, error })?;
    let lines = names.into_iter().map(|name| TarmacLines {
        name,
        state_field,
        open: None,
        has_named: false,
    });
    Ok(lines
        .map(|lines| Box::new(lines) as Box<dyn CoreLines>)
        .collect())
}

/// Treatment of the CPU names on the lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CoreName {
    /// They remain.
    Kept,
    /// Lines without a name get this one.
    Added(String),
    /// This name replaces the one on the lines.
    Replaced(String),
}

/// The lines of a file.
struct TarmacLines {
    name: CoreName,
    state_field: StateField,
    open: Option<OpenDiagram>,
    /// True if an earlier line named the core.
    has_named: bool,
}

impl CoreLines for TarmacLines {
    fn time(&mut self, line: &[u8]) -> Option<u64> {
        TarmacLine::read_single(line, self.open, self.state_field).time()
    }

    fn write(&mut self, text: &[u8], out: &mut Vec<u8>) {
        let line = TarmacLine::read_single(without_return(text), self.open, self.state_field);
        let (before, name, after) = self.named(text, &line);
        let has_named = self.has_named || !name.is_empty();
        let open = line.open_diagram();
        out.extend_from_slice(before);
        out.extend_from_slice(name);
        if !name.is_empty() {
            out.push(b' ');
        }
        out.extend_from_slice(after);
        (self.open, self.has_named) = (open, has_named);
    }
}

impl TarmacLines {
    /// Splits a line into the text before its CPU name, the name that it gets, and the text after
    /// it. The name is empty if the line remains unchanged.
    fn named<'l>(
        &'l self,
        text: &'l [u8],
        line: &TarmacLine<'_>,
    ) -> (&'l [u8], &'l [u8], &'l [u8]) {
        let unchanged = (text, &[][..], &[][..]);
        let (TarmacLine::Instruction(header, _) | TarmacLine::Other(header)) = line else {
            return unchanged;
        };
        let is_step = matches!(line, TarmacLine::Instruction(..));
        let Some((before, after)) = text.split_at_checked(header.word_at) else {
            return unchanged;
        };
        match (&self.name, header.cpu) {
            _ if header.kind == LineKind::Title => unchanged,
            (CoreName::Replaced(name), Some(cpu)) => match memchr::memmem::rfind(before, cpu) {
                Some(place) => (
                    before.get(..place).unwrap_or_default(),
                    name.as_bytes(),
                    after,
                ),
                None => unchanged,
            },
            (CoreName::Added(name) | CoreName::Replaced(name), None)
                if header.time.is_some() || is_step || !self.has_named =>
            {
                (before, name.as_bytes(), after)
            }
            _ => unchanged,
        }
    }
}

/// Determines the treatment of CPU names in each file.
fn core_names(files: &[TraceFile], state_field: StateField) -> io::Result<Vec<CoreName>> {
    let named = files
        .iter()
        .map(|file| cpus_of(file, state_field))
        .collect::<io::Result<Vec<_>>>()?;
    let numbers = numbers_of(files);
    let is_shared = |place: usize, cpu: &String| {
        named
            .iter()
            .enumerate()
            .any(|(other, cpus)| other != place && cpus.contains(cpu))
    };
    let name = |(place, cpus): (usize, &BTreeSet<String>)| {
        let number = numbers.get(place).copied().unwrap_or(place as u64);
        let name = format!("cpu{number}");
        match cpus.len() {
            0 => CoreName::Added(name),
            1 if cpus.iter().any(|cpu| is_shared(place, cpu)) => CoreName::Replaced(name),
            _ => CoreName::Kept,
        }
    };
    Ok(named.iter().enumerate().map(name).collect())
}

/// Returns the CPUs that the first lines of a file name.
fn cpus_of(file: &TraceFile, state_field: StateField) -> io::Result<BTreeSet<String>> {
    let head = head_of_core(file)?;
    let lines = head.split(|byte| *byte == b'\n');
    let cpu = |line: &[u8]| match TarmacLine::read_single(without_return(line), None, state_field) {
        TarmacLine::Instruction(LineHeader { cpu, .. }, _)
        | TarmacLine::Other(LineHeader { cpu, .. }) => {
            cpu.map(|cpu| String::from_utf8_lossy(cpu).into_owned())
        }
        _ => None,
    };
    Ok(lines.filter_map(cpu).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::read_at::ReadAt as _;
    use crate::{Format, TraceAssumptions};

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &str) {
        let core = |(name, text): &(&str, &str)| TraceFile {
            name: (*name).to_owned(),
            data: Arc::new(text.as_bytes().to_vec()),
        };
        let files = files.iter().map(core).collect();
        let merged = Format::Tarmac
            .merge(files, TraceAssumptions::default())
            .unwrap();
        for size in [1, 7, 4096] {
            let (mut found, mut buffer) = (Vec::new(), vec![0; size]);
            loop {
                let count = merged.read_at(found.len() as u64, &mut buffer).unwrap();
                if count == 0 {
                    break;
                }
                found.extend_from_slice(&buffer[..count]);
            }
            assert_eq!(String::from_utf8_lossy(&found), expected);
        }
    }

    const NOP: &str = "IT (1) 00001000 e320f000 A svc : NOP";

    #[test]
    fn lines_are_in_the_order_of_their_times() {
        check(
            &[
                (
                    "core0.log",
                    &format!("1 clk {NOP}\n1 clk R r0 00000001\n3 clk {NOP}\n"),
                ),
                (
                    "core1.log",
                    &format!("1 clk {NOP}\r\n  R r0 00000002\r\n2 clk {NOP}"),
                ),
            ],
            &format!(
                "1 clk cpu0 {NOP}\n1 clk cpu0 R r0 00000001\n1 clk cpu1 {NOP}\r\n  R r0 00000002\r\n\
                 2 clk cpu1 {NOP}\n3 clk cpu0 {NOP}\n"
            ),
        );
    }

    #[test]
    fn cores_have_the_names_of_their_lines_or_files() {
        let line = |cpu: &str| format!("1 clk {cpu}{NOP}\n");
        // The names remain.
        check(
            &[("a", &line("cpu1 ")), ("b", &line("cpu0 "))],
            &(line("cpu1 ") + &line("cpu0 ")),
        );
        // All lines name the same CPU, so the file names decide.
        check(
            &[
                ("tarmac.4.log", &line("cpu0 ")),
                ("tarmac.7.log", &line("cpu0 ")),
            ],
            &(line("cpu4 ") + &line("cpu7 ")),
        );
        check(
            &[("a", &line("")), ("b", &line(""))],
            &(line("cpu0 ") + &line("cpu1 ")),
        );
        check(
            &[("x9/core3.r1", &line("")), ("x9/core2.r1", &line(""))],
            &(line("cpu3 ") + &line("cpu2 ")),
        );
    }

    #[test]
    fn diagrams_and_steps_remain_whole() {
        let es = "Tarmac Text Rev 3t\n5 tic ES (00001000:e320f000) A svc: NOP\n          ES (00001004:e320f000) A svc: NOP\n\
                  \x20         ST 00002000  ........ ........ ........ ......11\n\
                  \x20            00002010  ........ ........ ........ ......22\n";
        let expected = "Tarmac Text Rev 3t\n1 clk cpu0 IT (1) 00001000 e320f000 A svc : NOP\n\
                        5 tic cpu1 ES (00001000:e320f000) A svc: NOP\n          cpu1 ES (00001004:e320f000) A svc: NOP\n\
                        \x20         ST 00002000  ........ ........ ........ ......11\n\
                        \x20            00002010  ........ ........ ........ ......22\n\
                        6 clk cpu0 IT (1) 00001000 e320f000 A svc : NOP\n";
        check(
            &[("0", &format!("1 clk {NOP}\n6 clk {NOP}\n")), ("1", es)],
            expected,
        );
    }
}
