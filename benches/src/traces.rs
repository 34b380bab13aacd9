//! The traces to measure.

use std::fs;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use stepback_generator::{Recipe, Shape, Size, Style};
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::tarmac::TarmacStyle;
use stepback_parsers::{Flow, Format, Source, Tarmac, TarmacOptions, TraceAssumptions, TraceFile};

use crate::free_bytes;

/// A trace in a file.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Name in tables.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
}

/// Size in bytes of the traces that represent real programs, equal to that of `lua.medium`.
const PROGRAM_BYTES: u64 = 200_000_000;
/// Size in bytes of the trace for the window: ten million steps.
const LONG_BYTES: u64 = 1_220_000_000;
/// Size in bytes of the other traces.
const SPECIAL_BYTES: u64 = 60_000_000;
/// Size in bytes of the huge trace: more than 10^8 steps.
const HUGE_BYTES: u64 = 20_000_000_000;
/// Free disk space in bytes that huge runs require.
const HUGE_ROOM: u64 = 60_000_000_000;

impl Trace {
    /// Opens the trace by its format. The records of a binary trace may still be read afterwards.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn open(&self) -> Result<Arc<dyn Source>> {
        let (input, assumed) = (self.input()?, TraceAssumptions::default());
        let format = Format::of_input(&input);
        if let Ok(format) = format {
            return Ok(format.open_text(Box::new(input), assumed)?);
        }
        let file = TraceFile {
            name: self.name.clone(),
            data: Arc::new(input),
        };
        let format = Format::of_file(&file).context("the format is unknown")?;
        Ok(format.open_files(vec![file], assumed, CacheFileOptions::default())?)
    }

    fn input(&self) -> Result<File> {
        File::open(&self.path).with_context(|| format!("{:?}", self.path))
    }
}

/// Returns the traces to measure, and generates missing ones in `directory`: generated ones, real
/// ones from `STEPBACK_TRACES`, and a huge one if `STEPBACK_BENCH_HUGE` is 1.
/// `STEPBACK_BENCH_TRACE` names a single file to measure instead.
///
/// # Errors
/// A trace cannot be written or read.
pub fn traces(directory: &Path) -> Result<Vec<Trace>> {
    if let Some(path) = std::env::var_os("STEPBACK_BENCH_TRACE").map(PathBuf::from) {
        let name = path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned();
        return Ok(vec![Trace { name, path }]);
    }
    fs::create_dir_all(directory)?;
    let mut found = vec![
        generated(
            directory,
            ("program.fm", Shape::Program, Style::FastModels),
            PROGRAM_BYTES,
        )?,
        generated(
            directory,
            ("program.es", Shape::Program, Style::Es),
            PROGRAM_BYTES,
        )?,
        generated(
            directory,
            ("streaming.fm", Shape::Streaming, Style::FastModels),
            SPECIAL_BYTES,
        )?,
        generated(
            directory,
            ("hostile.fm", Shape::Hostile, Style::FastModels),
            SPECIAL_BYTES,
        )?,
        generated(
            directory,
            ("scattered.fm", Shape::Scattered, Style::FastModels),
            SPECIAL_BYTES,
        )?,
    ];
    match std::env::var_os("STEPBACK_TRACES").map(PathBuf::from) {
        Some(real) => found.extend(real_traces(directory, &real)?),
        None => eprintln!("no real traces: STEPBACK_TRACES is not set"),
    }
    if std::env::var_os("STEPBACK_BENCH_HUGE").is_some_and(|value| value == "1") {
        match free_bytes(directory) {
            Some(free) if free < HUGE_ROOM => {
                eprintln!(
                    "no huge trace: {} GB are free, {} are needed",
                    free / 1_000_000_000,
                    HUGE_ROOM / 1_000_000_000
                );
            }
            _ => found.push(generated(
                directory,
                ("huge.fm", Shape::Program, Style::FastModels),
                HUGE_BYTES,
            )?),
        }
    }
    Ok(found)
}

/// Returns a trace of ten million steps, and generates it in `directory` if missing.
///
/// # Errors
/// The trace cannot be written.
pub fn long_trace(directory: &Path) -> Result<Trace> {
    fs::create_dir_all(directory)?;
    generated(
        directory,
        ("long.fm", Shape::Program, Style::FastModels),
        LONG_BYTES,
    )
}

fn generated(
    directory: &Path,
    (name, shape, style): (&str, Shape, Style),
    bytes: u64,
) -> Result<Trace> {
    let recipe = Recipe {
        shape,
        style,
        size: Size::Bytes(bytes),
        seed: 1,
    };
    let path = directory.join(format!("{name}.{bytes}.tarmac"));
    made(&path, |file| Ok(recipe.write(file)?))?;
    Ok(Trace {
        name: name.to_owned(),
        path,
    })
}

/// Returns `lua.medium` in its own style and in the other, and RISC-V traces of the same size.
fn real_traces(directory: &Path, traces: &Path) -> Result<Vec<Trace>> {
    let path = directory.join("lua.medium.tarmac");
    made(&path, |mut file| {
        file.write_all(&unpacked(&traces.join("tarmac/lua/lua.medium.tarmac.zst"))?)?;
        Ok(())
    })?;
    let own = Trace {
        name: "lua.medium".to_owned(),
        path,
    };
    let other = Trace {
        name: "lua.medium.es".to_owned(),
        path: directory.join("lua.medium.es.tarmac"),
    };
    made(&other.path, |file| {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        Tarmac::open(Box::new(own.input()?), TarmacOptions::default())?.convert(
            TarmacStyle::Es,
            &mut out,
            &mut |_| Flow::Continue,
        )?;
        Ok(out.flush()?)
    })?;
    let riscv = traces.join("riscv");
    let log = unpacked(&riscv.join("rvsort.spike.log.zst"))?;
    let records = fs::read(riscv.join("stf/rvtiny.stf"))?;
    let header =
        1 + memchr::memmem::find(&records, STF_HEADER_END).context("no end of the header")?;
    Ok(vec![
        own,
        other,
        repeated(directory, "rvsort.spike", (&log, 0))?,
        repeated(directory, "rvtiny.stf", (&records, header))?,
    ])
}

/// The record at the end of the header of `rvtiny.stf`, and the beginning of the next.
const STF_HEADER_END: &[u8] = &[19, 9, 0, 0x10];

fn unpacked(path: &Path) -> Result<Vec<u8>> {
    let packed = File::open(path).with_context(|| format!("{path:?}"))?;
    Ok(zstd::stream::decode_all(packed)?)
}

/// Returns a trace that repeats what follows the header of another one.
fn repeated(directory: &Path, name: &str, (trace, header): (&[u8], usize)) -> Result<Trace> {
    let path = directory.join(format!("{name}.{PROGRAM_BYTES}"));
    made(&path, |file| {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        let (header, rest) = trace.split_at(header);
        out.write_all(header)?;
        for _ in 0..PROGRAM_BYTES / rest.len() as u64 {
            out.write_all(rest)?;
        }
        Ok(out.flush()?)
    })?;
    Ok(Trace {
        name: name.to_owned(),
        path,
    })
}

/// Generates a file unless it exists. Renames it when it is complete.
fn made(path: &Path, make: impl FnOnce(&File) -> Result<()>) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let partial = path.with_extension("partial");
    make(&File::create(&partial)?)?;
    Ok(fs::rename(&partial, path)?)
}
