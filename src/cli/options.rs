//! Options that all subcommands share.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use stepback_debugger::image::ImageSpec;
use stepback_debugger::number::number;
use stepback_debugger::session::{IndexPolicy, OpenOptions};
use stepback_debugger::source::SourceMapping;
use stepback_machine::{Endian, InstructionSet};
use stepback_parsers::Format;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Opening the trace")]
pub struct TraceOptions {
    /// A further file of the trace, for simulators that write one per CPU; may be given several
    /// times. Record files that directly follow TRACE are included too.
    #[arg(long = "with", value_name = "FILE", requires = "trace")]
    pub with: Vec<PathBuf>,
    /// Path of the index (default: TRACE.sbi, or the user's cache directory if that cannot be
    /// written).
    #[arg(long, value_name = "PATH")]
    pub index: Option<PathBuf>,
    /// Rebuild the index.
    #[arg(long)]
    pub force_index: bool,
    /// Use the existing index, even a stale one, and never build one.
    #[arg(long, conflicts_with_all = ["force_index", "only_index"])]
    pub no_index: bool,
    /// Build the index and stop.
    #[arg(long)]
    pub only_index: bool,
    /// Answer from the part that can be indexed within about a second; the next run continues from
    /// there.
    #[arg(long, conflicts_with_all = ["force_index", "no_index", "only_index"])]
    pub so_far: bool,
    /// A program image for symbols and source lines; may be given several times.
    #[arg(long = "image", value_name = "ELF[@OFFSET]")]
    pub images: Vec<ImageArgument>,
    /// A directory that mirrors the traced machine, or holds its programs and libraries side by
    /// side, for traces whose recorder listed them (drmemtrace); may be given several times.
    #[arg(long = "sysroot", value_name = "DIR")]
    pub sysroots: Vec<PathBuf>,
    /// Offset added to the addresses of images that have none.
    #[arg(long, value_name = "N", default_value = "0", value_parser = number, hide_default_value = true)]
    pub load_offset: u64,
    /// Look in TO for sources that the image places in FROM; may be given several times.
    #[arg(long = "source-map", value_name = "FROM=TO")]
    pub source_map: Vec<SourceMapping>,
    /// Format of the trace, instead of detecting it.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub format: Option<Format>,
    /// Instruction set to decode with, if the trace does not state it (default: that of the
    /// program's files, or x86).
    #[arg(long, value_name = "NAME", value_parser = arch_parser())]
    pub arch: Option<InstructionSet>,
    /// The traced CPU is little-endian (the default).
    #[arg(long, conflicts_with = "bi")]
    pub li: bool,
    /// The traced CPU is big-endian.
    #[arg(long)]
    pub bi: bool,
    /// Layout of a log of your own: a small TOML file with patterns for its lines (see the page
    /// record-own of the guide). Or layout of the records of a branch recording (Btrace): offset,
    /// width and byte order of each field (see record-btrace).
    #[arg(long, value_name = "FILE")]
    pub record_layout: Option<PathBuf>,
    /// The trace has no instruction-set field, and all code is Thumb.
    #[arg(long)]
    pub implicit_thumb: bool,
    /// Number of cores to use (default: all).
    #[arg(long, value_name = "N", value_parser = core_count)]
    pub threads: Option<NonZeroUsize>,
}

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Printing")]
pub struct ReportOptions {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Write to a file instead of standard output; it appears when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also print how the trace was opened: its format, index and images; `info` and `truncate`
    /// then print all warnings.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print only the answer and errors.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show progress even if standard error is not a terminal.
    #[arg(long)]
    pub show_progress_meter: bool,
}

/// Parses a number of cores.
fn core_count(text: &str) -> Result<NonZeroUsize, String> {
    let count = text.parse();
    count.map_err(|_| "give a number from 1 on, or leave --threads out to use all cores".to_owned())
}

/// Parses the name of a format.
fn format_parser() -> impl TypedValueParser<Value = Format> {
    choices(Format::all().map(|format| {
        let value = PossibleValue::new(format.name()).help(format.summary());
        (value, format)
    }))
}

/// Parses the name of an instruction set.
fn arch_parser() -> impl TypedValueParser<Value = InstructionSet> {
    choices(InstructionSet::CHOICES.iter().filter_map(|set| {
        let choice = set.names().choice?;
        Some((PossibleValue::new(choice.name).help(choice.help), *set))
    }))
}

/// Parses one of several names as its value.
fn choices<T: Copy + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (PossibleValue, T)>,
) -> impl TypedValueParser<Value = T> {
    let choices: Vec<_> = choices.into_iter().collect();
    let names = choices.iter().map(|(name, _)| name.clone());
    PossibleValuesParser::new(names).try_map(move |text| {
        let found = choices.iter().find(|(name, _)| name.matches(&text, false));
        found.map(|(_, value)| *value).ok_or("no such name")
    })
}

impl TraceOptions {
    /// Limits parallel work to the requested number of threads. Only the first call of a process
    /// has an effect.
    pub fn limit_threads(&self) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.map_or(0, Into::into));
        if self.threads.is_some() {
            // An error means that the pool exists: an earlier call had the same options.
            _ = pool.build_global();
        }
    }

    /// Returns the options for [`stepback_debugger::session::open`].
    pub fn to_open_options(&self, trace: &Path) -> OpenOptions {
        OpenOptions {
            path: trace.to_owned(),
            more: self.with.clone(),
            index: self.index.clone(),
            policy: match (self.force_index, self.no_index) {
                (true, _) => IndexPolicy::Force,
                (_, true) => IndexPolicy::Never,
                _ => IndexPolicy::Auto,
            },
            is_index_wanted: self.only_index,
            images: self
                .images
                .iter()
                .map(|image| image.to_spec(self.load_offset))
                .collect(),
            remembered_images: Vec::new(),
            sysroots: self.sysroots.clone(),
            remembered_sysroots: Vec::new(),
            load_offset: self.load_offset,
            source_map: self.source_map.clone(),
            format: self.format,
            endian: match (self.li, self.bi) {
                (_, true) => Some(Endian::Big),
                (true, _) => Some(Endian::Little),
                _ => None,
            },
            arch: self.arch,
            implicit_thumb: self.implicit_thumb,
            record_layout: self.record_layout.clone(),
            threads: self.threads.map_or(0, NonZeroUsize::get),
        }
    }
}

/// An image argument. `--load-offset` applies only to images without an offset.
#[derive(Clone, Debug)]
pub struct ImageArgument {
    spec: ImageSpec,
    has_offset: bool,
}

impl FromStr for ImageArgument {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let spec: ImageSpec = text.parse()?;
        let has_offset = spec.path.as_os_str() != text;
        Ok(Self { spec, has_offset })
    }
}

impl ImageArgument {
    fn to_spec(&self, load_offset: u64) -> ImageSpec {
        let offset = if self.has_offset {
            self.spec.offset
        } else {
            load_offset
        };
        ImageSpec {
            offset,
            ..self.spec.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_offset_is_for_images_without_one() {
        let offset = |text: &str| {
            text.parse::<ImageArgument>()
                .unwrap()
                .to_spec(0x1000)
                .offset
        };
        assert_eq!(
            ["a.elf", "a.elf@0", "a.elf@0x20"].map(offset),
            [0x1000, 0, 0x20]
        );
    }
}
