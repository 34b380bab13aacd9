//! Cost of comparisons of a trace with changed copies of itself.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use stepback_benches::{Trace, cpu_time, with_peak_memory};
use stepback_compare::{CompareOptions, Comparison};
use stepback_index::Cancel;
use stepback_parsers::Tarmac;

use super::builds;
use super::sample::open;

/// Name of this measurement.
pub const NAME: &str = "comparison";
/// Number of edits of a copy.
const EDITS: u64 = 100;

/// Prints the cost of comparisons with an equal trace, with edited ones, and with one of other
/// times. CPU time is that of all threads, memory all anonymous memory of the process. Only Tarmac
/// traces are edited.
pub fn report(trace: &Trace, path: &Path) -> Result<()> {
    let index = open(trace, path)?;
    if index.source().downcast::<Tarmac>().is_none() {
        return Ok(());
    }
    let steps = index.step_count();
    for (name, copy) in [
        ("equal", Copy::default()),
        (
            "100 edits",
            Copy {
                edits: EDITS,
                later: 0,
            },
        ),
        (
            "100 edits that shift the times after them",
            Copy {
                edits: EDITS,
                later: 1,
            },
        ),
        ("other times", Copy { edits: 0, later: 7 }),
    ] {
        let other = Trace {
            name: trace.name.clone(),
            path: trace.path.with_extension("changed"),
        };
        let other_index = PathBuf::from(format!("{}.sbi", other.path.display()));
        copy.write(&trace.path, &other.path, steps)?;
        builds::build_apart(&other, &other_index, 2)?;
        let (index, second) = (open(trace, path)?, open(&other, &other_index)?);
        let (start, cpu) = (Instant::now(), cpu_time().unwrap_or_default());
        let (found, anonymous) = with_peak_memory(|| {
            Comparison::run(
                &index,
                &second,
                CompareOptions::default(),
                &Cancel::default(),
            )
        });
        let cpu = cpu_time().unwrap_or_default().saturating_sub(cpu);
        let regions: usize = found?.compared.iter().map(|it| it.details.len()).sum();
        println!(
            "{NAME}, {name}, {steps} steps, {regions} regions: {:.2} s, CPU {:.2} s, {} MiB",
            start.elapsed().as_secs_f64(),
            cpu.as_secs_f64(),
            anonymous >> 10
        );
        drop(second);
        std::fs::remove_file(&other.path)?;
        std::fs::remove_file(&other_index)?;
    }
    Ok(())
}

/// A changed copy of a trace.
#[derive(Clone, Copy, Default)]
struct Copy {
    /// Number of places, evenly spaced, at which an instruction is missing, is repeated, or writes
    /// another value to a register.
    edits: u64,
    /// Number that is added to the times and ordinals after each edit, or to all if there are none.
    later: u64,
}

impl Copy {
    fn write(self, from: &Path, to: &Path, steps: u64) -> Result<()> {
        let mut reader = BufReader::with_capacity(1 << 20, File::open(from)?);
        let mut writer = BufWriter::with_capacity(1 << 20, File::create(to)?);
        let every = steps.checked_div(self.edits).unwrap_or(u64::MAX).max(2);
        let (mut line, mut steps, mut edits) = (Vec::new(), 0, 0);
        let mut shift = if self.edits == 0 { self.later } else { 0 };
        // Number of the edit of this step, until it is made.
        let mut edit = None;
        while reader.read_until(b'\n', &mut line)? > 0 {
            let is_step = memchr::memmem::find(&line, b" IT (").is_some();
            if is_step {
                steps += 1;
                edit = edit.filter(|edit| edit % 3 == 2);
                if steps % every == every / 2 {
                    (edit, edits) = (Some(edits), edits + 1);
                    shift += self.later;
                }
            }
            match edit.map(|edit| edit % 3) {
                Some(0) => {}
                Some(1) if is_step => {
                    write_later(&line, shift, &mut writer)?;
                    shift += self.later;
                    write_later(&line, shift, &mut writer)?;
                }
                Some(2) if change_register(&mut line) => {
                    write_later(&line, shift, &mut writer)?;
                    edit = None;
                }
                _ => write_later(&line, shift, &mut writer)?,
            }
            line.clear();
        }
        Ok(writer.flush()?)
    }
}

/// Changes the last digit of a line that writes a register. Returns false if it is no such line.
fn change_register(line: &mut [u8]) -> bool {
    let is_register = memchr::memmem::find(line, b" R ").is_some();
    let digit = line.iter_mut().rfind(|byte| byte.is_ascii_hexdigit());
    match digit.filter(|_| is_register) {
        Some(digit) => {
            *digit = if *digit == b'0' { b'1' } else { b'0' };
            true
        }
        None => false,
    }
}

/// Writes a line with a later time, and a later ordinal if it has one.
fn write_later(line: &[u8], shift: u64, writer: &mut impl std::io::Write) -> Result<()> {
    let rest = write_number(line, shift, writer)?;
    let rest = match memchr::memmem::find(rest, b" IT (") {
        Some(start) => {
            let (head, rest) = rest.split_at(start + 5);
            writer.write_all(head)?;
            write_number(rest, shift, writer)?
        }
        None => rest,
    };
    Ok(writer.write_all(rest)?)
}

/// Writes the number at the start of a text, increased, and returns the text after it.
fn write_number<'t>(
    text: &'t [u8],
    shift: u64,
    writer: &mut impl std::io::Write,
) -> Result<&'t [u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    if let Ok(number) = std::str::from_utf8(number)
        .unwrap_or_default()
        .parse::<u64>()
    {
        write!(writer, "{}", number + shift)?;
    }
    Ok(rest)
}
