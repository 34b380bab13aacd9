//! Duration of comparisons of a trace with changed copies of itself.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Result;
use stepback_benches::Trace;
use stepback_benches::percentiles::Times;
use stepback_compare::{CompareOptions, Comparison};
use stepback_index::Cancel;

use super::builds;
use super::sample::open;

/// Number of instructions that a copy lacks.
const EDITS: u64 = 100;
/// Change of all time stamps in a copy.
const LATER: u64 = 7;

/// Prints how long comparisons with a copy that lacks [`EDITS`] instructions, and with one of other
/// times, take.
pub fn report(trace: &Trace, path: &Path) -> Result<()> {
    let index = open(trace, path)?;
    let steps = index.step_count();
    let every = steps / EDITS;
    for (name, change) in [
        ("100 steps less", Change::FewerSteps { every }),
        ("other times", Change::OtherTimes),
    ] {
        let copy = Trace {
            name: trace.name.clone(),
            path: trace.path.with_extension("changed"),
        };
        change.write(&trace.path, &copy.path)?;
        let copy_index = PathBuf::from(format!("{}.sbi", copy.path.display()));
        builds::run_child(&copy.path, &copy_index, 2)?;
        let other = open(&copy, &copy_index)?;
        let mut times = Times::default();
        let options = || CompareOptions::default();
        times.measure(|| Comparison::run(&index, &other, options(), &Cancel::default()))?;
        println!("comparison, {name}, {steps} steps, ms{}", times.summary());
        drop(other);
        std::fs::remove_file(&copy.path)?;
        std::fs::remove_file(&copy_index)?;
    }
    Ok(())
}

/// Difference of a copy.
#[derive(Clone, Copy)]
enum Change {
    /// One of every `every` instructions is missing, with its effects.
    FewerSteps { every: u64 },
    /// All time stamps are later.
    OtherTimes,
}

impl Change {
    fn write(self, from: &Path, to: &Path) -> Result<()> {
        let mut reader = BufReader::with_capacity(1 << 20, File::open(from)?);
        let mut writer = BufWriter::with_capacity(1 << 20, File::create(to)?);
        let (mut line, mut steps, mut is_left_out) = (Vec::new(), 0, false);
        while reader.read_until(b'\n', &mut line)? > 0 {
            let is_step = memchr::memmem::find(&line, b" IT (").is_some();
            match self {
                Self::FewerSteps { every } => {
                    steps += u64::from(is_step);
                    if is_step {
                        is_left_out = steps % every.max(2) == every / 2;
                    }
                    if !is_left_out {
                        writer.write_all(&line)?;
                    }
                }
                Self::OtherTimes => {
                    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let (time, rest) = line.split_at(digits);
                    if let Ok(time) = std::str::from_utf8(time).unwrap_or_default().parse::<u64>() {
                        write!(writer, "{}", time + LATER)?;
                    }
                    writer.write_all(rest)?;
                }
            }
            line.clear();
        }
        Ok(writer.flush()?)
    }
}
