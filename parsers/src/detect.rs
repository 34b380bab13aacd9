//! The trace formats: their names, how they are detected, and how they are opened.

use std::str::FromStr;
use std::sync::Arc;

use stepback_machine::{Endian, InstructionSet};

use crate::btrace::{BranchLayout, Btrace, BtraceHead, BtraceOptions};
use crate::commit_log::{CommitLog, is_commit_log_line};
use crate::delta_log::{Tenet, Unidbg, is_tenet_line, is_unidbg_line};
use crate::described_log::DescribedLog;
use crate::drmemtrace::head::TraceHead;
use crate::drmemtrace::source::Drmemtrace;
use crate::error::{FormatError, SourceError};
use crate::foreign::foreign_format;
use crate::kept::places::CacheFileOptions;
use crate::program_file::{ProgramFile, ProgramFit};
use crate::qemu_log::{CpuLog, ExecLog, is_cpu_log_line, is_exec_log_line};
use crate::read_at::{ReadAt, TraceFile};
use crate::rst::{Rst, RstHead, are_one_trace};
use crate::source::Source;
use crate::stf::{Stf, StfContainer};
use crate::tarmac;
use crate::tarmac::line::is_plausible_line;
use crate::tarmac::source::{Tarmac, TarmacOptions};
use crate::template::Template;
use crate::text::merge::{CoreLines, MergedText};
use crate::text::window::LINE_LIMIT;
use crate::text_log::{LogFormat as _, LogOptions, TextLog, core_readers};

/// A trace format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Arm Tarmac text.
    Tarmac,
    /// DynamoRIO drmemtrace.
    Drmemtrace,
    /// Sun RST.
    Rst,
    /// Btrace branch records.
    Btrace,
    /// RISC-V commit logs.
    CommitLog,
    /// STF of RISC-V simulators.
    Stf,
    /// Logs of QEMU's plugin execlog.
    ExecLog,
    /// Logs of QEMU's options `-d in_asm,exec,cpu`.
    CpuLog,
    /// Tenet.
    Tenet,
    /// Text of unidbg.
    Unidbg,
    /// Text whose lines the user describes.
    Described,
}

/// Table of all formats.
const FORMATS: [FormatRow; 11] = [
    FormatRow {
        format: Format::Tarmac,
        name: "tarmac",
        summary: "Arm Tarmac text",
        title: "Tarmac",
        maker: "Tarmac",
        endings: &["tarmac", "trc", "log", "txt", "gz", "zst", "xz"],
        follow_refusal: None,
        shape: FormatShape::Text {
            is_line: is_plausible_line,
            open: |input, assumed| {
                let options = assumed.tarmac();
                Tarmac::open(input, options).map(shared)
            },
            cores: |files, assumed| tarmac::core_readers(files, assumed.tarmac()),
        },
    },
    FormatRow {
        format: Format::Drmemtrace,
        name: "drmemtrace",
        summary: "DynamoRIO drmemtrace: a file or a directory",
        title: "drmemtrace",
        maker: "DynamoRIO",
        endings: &["zip", "gz", "lz4", "sz", "trace"],
        follow_refusal: Some(
            "a drmemtrace trace cannot be followed: it is made as a whole when its recording is over",
        ),
        shape: FormatShape::Files {
            is_file: |file| matches!(TraceHead::of(file), Ok(Some(_))),
            is_damaged: |_| false,
            are_one: TraceHead::are_one_trace,
            open: |files, assumed, kept| {
                Drmemtrace::open_as(files, assumed.instruction_set, kept).map(shared)
            },
        },
    },
    FormatRow {
        format: Format::Rst,
        name: "rst",
        summary: "RST of Sun's SPARC simulators: one or more files, or a directory",
        title: "RST",
        maker: "Sun's SPARC simulators",
        endings: &["rst", "rsz", "rzgz", "gz", "zst", "xz"],
        follow_refusal: Some(
            "an RST trace cannot be followed: what its records mean depends on all before them",
        ),
        shape: FormatShape::Files {
            is_file: |file| matches!(RstHead::of(file), Ok(Some(_))),
            is_damaged: |file| matches!(RstHead::is_damaged(file), Ok(true)),
            are_one: |files| matches!(are_one_trace(files), Ok(true)),
            open: |files, _, kept| Rst::open(files, kept).map(shared),
        },
    },
    FormatRow {
        format: Format::Btrace,
        name: "btrace",
        summary: "Branch records of Sun's Btrace, or its text form",
        title: "Btrace",
        maker: "Sun's Btrace",
        endings: &["btf", "btrace", "trace", "gz", "zst", "xz"],
        follow_refusal: Some(
            "a recording of branches cannot be followed: each step depends on the records around it",
        ),
        shape: FormatShape::Files {
            is_file: |file| matches!(BtraceHead::of(file), Ok(Some(_))),
            is_damaged: |_| false,
            are_one: |files| files.len() == 1,
            open: |files, assumed, kept| open_branches(files, assumed, kept).map(shared),
        },
    },
    FormatRow {
        format: Format::CommitLog,
        name: CommitLog::NAME,
        summary: "RISC-V commit log of Spike, CVA6, Rocket, BOOM, Dromajo, Ibex, CV32E40P, whisper or Sail",
        title: "RISC-V log",
        maker: "Spike and RISC-V cores",
        endings: &["log", "txt", "dasm", "csv", "trace", "gz", "zst", "xz"],
        follow_refusal: None,
        shape: FormatShape::Text {
            is_line: is_commit_log_line,
            open: |input, assumed| TextLog::<CommitLog>::open(input, assumed.log()).map(shared),
            cores: |files, assumed| core_readers::<CommitLog>(files, &assumed.log()),
        },
    },
    FormatRow {
        format: Format::Stf,
        name: "stf",
        summary: "STF of RISC-V simulators, also as zstf",
        title: "STF",
        maker: "Sparcians' STF tools",
        endings: &["stf", "zstf", "gz", "xz", "zst"],
        follow_refusal: Some(
            "an STF trace cannot be followed: what its records mean depends on all before them",
        ),
        shape: FormatShape::Files {
            is_file: |file| matches!(StfContainer::of(file), Ok(Some(_))),
            is_damaged: |_| false,
            are_one: |files| files.len() == 1,
            open: |files, _, kept| {
                let Ok([file]) = <[TraceFile; 1]>::try_from(files) else {
                    return Err(FormatError::OneFile.into());
                };
                Stf::open(file, kept).map(shared)
            },
        },
    },
    FormatRow {
        format: Format::ExecLog,
        name: ExecLog::NAME,
        summary: "Log of QEMU's plugin execlog",
        title: "QEMU execlog",
        maker: "QEMU",
        endings: &["log", "txt", "gz", "zst", "xz"],
        follow_refusal: None,
        shape: FormatShape::Text {
            is_line: is_exec_log_line,
            open: |input, assumed| TextLog::<ExecLog>::open(input, assumed.log()).map(shared),
            cores: |files, assumed| core_readers::<ExecLog>(files, &assumed.log()),
        },
    },
    FormatRow {
        format: Format::CpuLog,
        name: CpuLog::NAME,
        summary: "Log of QEMU's options -d in_asm,exec,cpu",
        title: "QEMU log",
        maker: "QEMU",
        endings: &["log", "txt", "gz", "zst", "xz"],
        follow_refusal: None,
        shape: FormatShape::Text {
            is_line: is_cpu_log_line,
            open: |input, assumed| TextLog::<CpuLog>::open(input, assumed.log()).map(shared),
            cores: |files, assumed| core_readers::<CpuLog>(files, &assumed.log()),
        },
    },
    FormatRow {
        format: Format::Tenet,
        name: Tenet::NAME,
        summary: "Tenet trace",
        title: "Tenet",
        maker: "Tenet",
        endings: &["log", "txt", "gz", "zst", "xz"],
        follow_refusal: None,
        shape: FormatShape::Text {
            is_line: is_tenet_line,
            open: |input, assumed| TextLog::<Tenet>::open(input, assumed.log()).map(shared),
            cores: |files, assumed| core_readers::<Tenet>(files, &assumed.log()),
        },
    },
    FormatRow {
        format: Format::Unidbg,
        name: Unidbg::NAME,
        summary: "Text of unidbg's traceCode",
        title: "unidbg text",
        maker: "unidbg",
        endings: &["log", "txt", "gz", "zst", "xz"],
        follow_refusal: None,
        shape: FormatShape::Text {
            is_line: is_unidbg_line,
            open: |input, assumed| TextLog::<Unidbg>::open(input, assumed.log()).map(shared),
            cores: |files, assumed| core_readers::<Unidbg>(files, &assumed.log()),
        },
    },
    FormatRow {
        format: Format::Described,
        name: DescribedLog::NAME,
        summary: "Text log that is described with --record-layout",
        title: "described log",
        maker: "Text described in a file of its own",
        endings: &[],
        follow_refusal: None,
        shape: FormatShape::Text {
            is_line: |_| false,
            open: |input, assumed| {
                let options = assumed.log();
                if options.template.is_none() {
                    return Err(FormatError::NoTemplate.into());
                }
                TextLog::<DescribedLog>::open(input, options).map(shared)
            },
            cores: |files, assumed| core_readers::<DescribedLog>(files, &assumed.log()),
        },
    },
];

/// An opened trace of any format, or the reason why it cannot be opened.
type OpenedSource = Result<Arc<dyn Source>, SourceError>;
/// The readers of the files of several cores, or the reason why they cannot be merged.
type CoreLinesOfFiles = Result<Vec<Box<dyn CoreLines>>, SourceError>;

fn shared(source: impl Source) -> Arc<dyn Source> {
    Arc::new(source)
}

/// Opens a recording of branches, which is always one file.
fn open_branches(
    files: Vec<TraceFile>,
    assumed: TraceAssumptions,
    kept: CacheFileOptions,
) -> Result<Btrace, SourceError> {
    let Ok([file]) = <[TraceFile; 1]>::try_from(files) else {
        return Err(FormatError::OneFile.into());
    };
    Btrace::open(file, branch_options(assumed)?, kept)
}

fn branch_options(assumed: TraceAssumptions) -> Result<BtraceOptions, FormatError> {
    let template = assumed.template.as_ref().and_then(Template::records);
    let layout = template.map(BranchLayout::of).transpose();
    let layout = layout.map_err(|error| FormatError::Template(error.to_string()))?;
    Ok(BtraceOptions {
        program: assumed.program,
        layout,
    })
}

/// Row of the format table.
struct FormatRow {
    format: Format,
    /// Name on the command line.
    name: &'static str,
    /// Short description for the help of the command line.
    summary: &'static str,
    /// Name in sentences.
    title: &'static str,
    /// Tool or vendor that writes the format, or the usual name of its traces; short.
    maker: &'static str,
    /// Usual file name extensions.
    endings: &'static [&'static str],
    /// Reason why its traces cannot be followed while they grow; `None` if they can.
    follow_refusal: Option<&'static str>,
    shape: FormatShape,
}

/// Shape of the traces of a format: text or files of records.
enum FormatShape {
    /// One text, possibly compressed.
    Text {
        /// Returns whether a line most likely belongs to the format.
        is_line: fn(&[u8]) -> bool,
        open: fn(Box<dyn ReadAt>, TraceAssumptions) -> OpenedSource,
        /// Creates the readers that merge the files of several cores.
        cores: fn(&[TraceFile], &TraceAssumptions) -> CoreLinesOfFiles,
    },
    /// One or more files of records, possibly compressed.
    Files {
        /// Returns whether a file begins like one of the format.
        is_file: fn(&TraceFile) -> bool,
        /// Returns whether a file can be read as one of the format although its beginning is
        /// damaged.
        is_damaged: fn(&TraceFile) -> bool,
        /// Returns whether the files of one directory, in the order of their names, are one trace.
        are_one: fn(&[TraceFile]) -> bool,
        open: fn(Vec<TraceFile>, TraceAssumptions, CacheFileOptions) -> OpenedSource,
    },
}

/// Facts that the user supplies because the trace does not contain them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceAssumptions {
    /// Byte order of the traced CPU's data.
    pub endian: Endian,
    /// The CPU executes only Thumb instructions and the trace does not record the state.
    pub implicit_thumb: bool,
    /// Instruction set in which the code decodes; `None` selects the most likely one.
    pub instruction_set: Option<InstructionSet>,
    /// Files of the traced program, for formats that need them to reconstruct steps
    /// ([`Format::needed_program`]).
    pub program: Vec<ProgramFile>,
    /// Description of the records or lines, for traces that the user describes.
    pub template: Option<Template>,
}

impl TraceAssumptions {
    /// Returns the options that the readers of text logs need.
    #[must_use]
    pub(crate) fn log(&self) -> LogOptions {
        let all_thumb = self.implicit_thumb.then_some(InstructionSet::T32);
        LogOptions {
            instruction_set: self.instruction_set.or(all_thumb),
            template: self.template.as_ref().and_then(Template::lines).cloned(),
        }
    }

    /// Returns the options that the Tarmac parser needs.
    #[must_use]
    pub fn tarmac(&self) -> TarmacOptions {
        TarmacOptions {
            endian: self.endian,
            implicit_thumb: self.implicit_thumb,
        }
    }
}

/// First bytes of files that are often mistaken for traces.
const MAGICS: [(&[u8], FormatError); 9] = [
    (
        b"\x1f\x8b",
        FormatError::Packed {
            kind: "gzip",
            command: "gzip -d",
        },
    ),
    (
        b"\x28\xb5\x2f\xfd",
        FormatError::Packed {
            kind: "zstd",
            command: "zstd -d",
        },
    ),
    (
        b"\xfd7zXZ\0",
        FormatError::Packed {
            kind: "xz",
            command: "xz -d",
        },
    ),
    (
        b"PK\x03\x04",
        FormatError::Packed {
            kind: "zip",
            command: "unzip",
        },
    ),
    (
        b"BZh",
        FormatError::Packed {
            kind: "bzip2",
            command: "bzip2 -d",
        },
    ),
    (
        b"\x04\x22\x4d\x18",
        FormatError::Packed {
            kind: "lz4",
            command: "lz4 -d",
        },
    ),
    (b"\x7fELF", FormatError::Elf),
    (b"\xff\xfe", FormatError::Utf16),
    (b"\xfe\xff", FormatError::Utf16),
];

impl Format {
    /// Number of leading bytes that format detection examines.
    pub const HEAD_BYTES: usize = 1 << 20;

    /// Iterates over all formats.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(|row| row.format)
    }

    fn row(self) -> &'static FormatRow {
        &FORMATS[self as usize] // a test checks the order
    }

    /// Returns the format's name on the command line.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns what the format contains, in a few words for the help of the command line.
    pub fn summary(self) -> &'static str {
        self.row().summary
    }

    /// Returns the format's name in sentences.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// Returns the tool or vendor that writes the format, or the usual name of its traces; short.
    pub fn maker(self) -> &'static str {
        self.row().maker
    }

    /// Returns the usual file name extensions, those of compressed files included.
    pub fn endings(self) -> &'static [&'static str] {
        self.row().endings
    }

    /// Returns why traces of this format cannot be followed while they grow, as a phrase; `None` if
    /// they can.
    pub fn follow_refusal(self) -> Option<&'static str> {
        self.row().follow_refusal
    }

    /// Returns the instruction set of the program, if its files are needed to reconstruct the steps
    /// of a trace. Returns `None` for all other formats.
    pub fn needed_program(self) -> Option<InstructionSet> {
        (self == Self::Btrace).then_some(InstructionSet::Sparc64)
    }

    /// Compares [`TraceAssumptions::program`] with a sample of the records of a trace that is reconstructed
    /// from its program. Returns `None` for other traces, and if the records cannot be read. Cost:
    /// one decoding of the program.
    pub fn program_fit(self, files: &[TraceFile], assumed: TraceAssumptions) -> Option<ProgramFit> {
        self.needed_program()?;
        let [file] = files else { return None };
        Btrace::program_fit(file, &branch_options(assumed).ok()?).ok()?
    }

    /// Returns true for formats whose traces are one text, and false for those with files of
    /// records.
    pub fn is_text(self) -> bool {
        matches!(self.row().shape, FormatShape::Text { .. })
    }

    /// Returns the format with this name, as [`crate::SourceTraits::format`] stores it.
    pub fn named(name: &str) -> Option<Self> {
        FORMATS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.format)
    }

    /// Returns the formats that can be detected, in the order of the table.
    pub fn detected() -> impl Iterator<Item = Self> {
        let formats = FORMATS.iter().map(|row| row.format);
        formats.filter(|format| *format != Self::Described)
    }

    /// Detects the format of a text by its first [`Format::HEAD_BYTES`].
    ///
    /// # Errors
    /// The input could not be read, or its format is unknown.
    pub fn of_input(input: &dyn ReadAt) -> Result<Self, SourceError> {
        let mut head = vec![0; Self::HEAD_BYTES];
        let count = input
            .read_at(0, &mut head)
            .map_err(|error| SourceError::Read { offset: 0, error })?;
        head.truncate(count);
        Ok(detect(&head)?)
    }

    /// Detects the format of a file of records; `None` if it begins like none of them.
    pub fn of_file(file: &TraceFile) -> Option<Self> {
        let row = FORMATS
            .iter()
            .find(|row| matches!(row.shape, FormatShape::Files { is_file, .. } if is_file(file)))?;
        Some(row.format)
    }

    /// Returns whether a file can be read as one of this format although its beginning is damaged.
    pub fn is_damaged_file(self, file: &TraceFile) -> bool {
        matches!(self.row().shape, FormatShape::Files { is_damaged, .. } if is_damaged(file))
    }

    /// Returns whether files of this format in one directory are one trace, in the order of their
    /// names. Cost: reads the first records of each file.
    pub fn are_one_trace(self, files: &[TraceFile]) -> bool {
        matches!(self.row().shape, FormatShape::Files { are_one, .. } if are_one(files))
    }

    /// Opens a trace that is one text.
    ///
    /// # Errors
    /// The input could not be read, or the format is not a text format.
    pub fn open_text(
        self,
        input: Box<dyn ReadAt>,
        assumed: TraceAssumptions,
    ) -> Result<Arc<dyn Source>, SourceError> {
        match self.row().shape {
            FormatShape::Text { open, .. } => open(input, assumed),
            FormatShape::Files { .. } => Err(FormatError::Binary.into()),
        }
    }

    /// Merges the files of a text trace with one file for each core by the times of their lines.
    ///
    /// # Errors
    /// A file could not be read, its lines have no times, or the format is not a text format.
    pub fn merge(
        self,
        files: Vec<TraceFile>,
        assumed: TraceAssumptions,
    ) -> Result<MergedText, SourceError> {
        match self.row().shape {
            FormatShape::Text { cores, .. } => {
                MergedText::new(files, Box::new(move |files| cores(files, &assumed)))
            }
            FormatShape::Files { .. } => Err(FormatError::Binary.into()),
        }
    }

    /// Opens a trace that is one or more files, in the order of their names.
    ///
    /// # Errors
    /// A file could not be read, or none of them begins like a trace of this format.
    pub fn open_files(
        self,
        files: Vec<TraceFile>,
        assumed: TraceAssumptions,
        kept: CacheFileOptions,
    ) -> Result<Arc<dyn Source>, SourceError> {
        match self.row().shape {
            FormatShape::Files { open, .. } => open(files, assumed, kept),
            FormatShape::Text { .. } => Err(FormatError::Binary.into()),
        }
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(name: &str) -> Result<Self, FormatError> {
        let unknown = || FormatError::UnknownName {
            name: name.into(),
            known: listed(FORMATS.iter().map(|row| row.name)),
        };
        Self::named(name).ok_or_else(unknown)
    }
}

/// Detects the format of an input that begins with `head`. The first line that can belong to only
/// one format decides, regardless of the text before it.
///
/// # Errors
/// The format is unknown. The error names what the input looks like, and a remedy.
pub fn detect(head: &[u8]) -> Result<Format, FormatError> {
    if head.is_empty() {
        return Err(FormatError::Empty);
    }
    if let Some((_, error)) = MAGICS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(error.clone());
    }
    // POSIX.1-1988: the first header of an archive has its magic at offset 257.
    if head.get(257..262) == Some(b"ustar") {
        return Err(FormatError::Packed {
            kind: "tar",
            command: "tar -xf",
        });
    }
    let mut lines = head.split(|byte| *byte == b'\n');
    if let Some(format) = lines
        .clone()
        .filter(|line| line.len() <= LINE_LIMIT)
        .find_map(format_of_line)
    {
        return Ok(format);
    }
    if let Some(kind) = foreign_format(head) {
        return Err(FormatError::Foreign {
            kind,
            formats: listed(Format::detected().map(Format::title)),
        });
    }
    let is_control = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace();
    if lines.any(|line| line.iter().any(is_control)) {
        return Err(FormatError::Binary);
    }
    let count = head.split_inclusive(|byte| *byte == b'\n').count();
    Err(FormatError::NoTraceLine {
        formats: listed(
            Format::detected()
                .filter(|format| format.is_text())
                .map(Format::title),
        ),
        lines: count,
    })
}

/// Returns the only format to which a line can belong.
fn format_of_line(line: &[u8]) -> Option<Format> {
    let row = FORMATS
        .iter()
        .find(|row| matches!(row.shape, FormatShape::Text { is_line, .. } if is_line(line)))?;
    Some(row.format)
}

/// Joins names as in a sentence: `a, b and c`.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<_> = names.collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &[u8], expected: &str) {
        let found =
            detect(head).map_or_else(|error| error.to_string(), |format| format.name().into());
        assert!(found.starts_with(expected), "{found:?}");
    }

    #[test]
    fn one_tarmac_line_decides() {
        check(b"5 clk R X0 0000000000000000\n", "tarmac");
        check(b"Tarmac Text Rev 3t\n", "tarmac");
        check(
            b"Fast Models [11.20]\r\nCopyright\r\n\r\n1 clk IT (1) 0 e1a00000 A usr : NOP",
            "tarmac",
        );
        check(
            b"\xff\x01\0junk\n5 tic ES (00001000:e1a00000) A usr : NOP\n\0\0",
            "tarmac",
        );
        check(b"MR4 00001000 00000001", "tarmac");
        check(
            b"   LD 00001000 ........ ........ ........ 00000001",
            "tarmac",
        );
        check(b"IT 00001000 2000 MOVS r0,#0", "tarmac");
    }

    #[test]
    fn everything_else_is_told_what_it_looks_like() {
        check(b"", "the file is empty");
        check(
            b"\x1f\x8b\x08\0",
            "looks like gzip: unpack it first (gzip -d)",
        );
        check(b"\x28\xb5\x2f\xfd", "looks like zstd");
        check(b"\xfd7zXZ\0\0", "looks like xz");
        check(b"PK\x03\x04", "looks like zip");
        let archive = [
            &[b'a'; 257][..],
            b"ustar\0",
            b"IT 00001000 2000 MOVS r0,#0\n",
        ]
        .concat();
        check(&archive, "looks like tar: unpack it first (tar -xf)");
        check(b"\x7fELF\x02", "looks like an ELF file");
        check(&[0; 100_000], "looks like binary data");
        check(
            b"Dear Sir,\nit is late.\n",
            "no line of a trace in the first 2 lines: is this a trace? Known texts are Tarmac, RISC-V log, ",
        );
        check(b"fn main() {}", "no line of a trace in the first line");
        check(
            b"\0\0\0\0\0\0\0\x01\x49\0",
            "this is an FST waveform; only Tarmac, drmemtrace, RST, Btrace, RISC-V log, STF, ",
        );
    }

    #[test]
    fn rows_are_in_the_order_of_the_formats() {
        assert!(
            FORMATS
                .iter()
                .enumerate()
                .all(|(place, row)| row.format as usize == place)
        );
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        assert_eq!("tarmac".parse(), Ok(Format::Tarmac));
        assert_eq!(
            "Tarmac".parse::<Format>().unwrap_err().to_string(),
            "unknown format \"Tarmac\": known are tarmac, drmemtrace, rst, btrace, riscv, \
             stf, qemu, qemu-cpu, tenet, unidbg and described"
        );
    }

    #[test]
    fn an_input_is_read_no_further_than_its_head() {
        struct Endless;
        impl ReadAt for Endless {
            fn length(&self) -> std::io::Result<u64> {
                Ok(1 << 40)
            }
            fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
                assert_eq!((offset, buffer.len()), (0, Format::HEAD_BYTES));
                buffer.fill(0);
                Ok(buffer.len())
            }
        }
        assert_eq!(
            Format::of_input(&Endless).unwrap_err().to_string(),
            "looks like binary data, not like a trace"
        );
    }
}
