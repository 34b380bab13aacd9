//! Options that all subcommands share.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use stepback_debugger::image::ImageSpec;
use stepback_debugger::number::number;
use stepback_debugger::session::{IndexPolicy, OpenOptions};
use stepback_debugger::source::SourceMapping;
use stepback_machine::{Endian, InstructionSet};
use stepback_parsers::Format;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Opening the trace")]
pub struct TraceOptions {
    /// A further file of a trace that has several, as simulators write one for each CPU; may be
    /// given several times. Record files that directly follow the trace are included too.
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
    /// Look for sources in TO that the image places in FROM; may be given several times.
    #[arg(long = "source-map", value_name = "FROM=TO")]
    pub source_map: Vec<SourceMapping>,
    /// Format of the trace, instead of detecting it.
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FormatName>,
    /// Instruction set to decode with, if the trace does not state it (default: as the program's
    /// files, else x86).
    #[arg(long, value_name = "NAME")]
    pub arch: Option<ArchName>,
    /// The traced CPU is little-endian (the default).
    #[arg(long, conflicts_with = "bi")]
    pub li: bool,
    /// The traced CPU is big-endian.
    #[arg(long)]
    pub bi: bool,
    /// Layout of the records of a branch recording (Btrace), if it differs from Stepback's own: a
    /// small TOML file with the offset, width and byte order of each field (see the page
    /// record-btrace of the guide).
    #[arg(long, value_name = "FILE")]
    pub record_layout: Option<PathBuf>,
    /// The trace has no instruction-set field, and all code is Thumb.
    #[arg(long)]
    pub implicit_thumb: bool,
    /// Number of cores that build the index (default: all).
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Printing")]
pub struct ReportOptions {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Print to a file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print more.
    #[arg(short, long)]
    pub verbose: bool,
    /// Print less: errors only.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Show the progress of the index, even when standard error is not a terminal.
    #[arg(long)]
    pub show_progress_meter: bool,
}

/// Names of the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// Arm Tarmac text.
    Tarmac,
    /// DynamoRIO drmemtrace: a file or a directory.
    Drmemtrace,
    /// RST of Sun's SPARC simulators: one or more files, or a directory.
    Rst,
    /// Branch records of Sun's Btrace, or its text form.
    Btrace,
}

/// Name of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchName(InstructionSet);

impl ValueEnum for ArchName {
    fn value_variants<'a>() -> &'a [Self] {
        const VARIANTS: [ArchName; InstructionSet::CHOICES.len()] = {
            let mut variants =
                [ArchName(InstructionSet::CHOICES[0]); InstructionSet::CHOICES.len()];
            let mut place = 1;
            while place < variants.len() {
                variants[place] = ArchName(InstructionSet::CHOICES[place]);
                place += 1;
            }
            variants
        };
        &VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        self.0
            .names()
            .choice
            .map(|choice| PossibleValue::new(choice.name).help(choice.help))
    }
}

impl TraceOptions {
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
            format: self.format.map(|name| match name {
                FormatName::Tarmac => Format::Tarmac,
                FormatName::Drmemtrace => Format::Drmemtrace,
                FormatName::Rst => Format::Rst,
                FormatName::Btrace => Format::Btrace,
            }),
            endian: match (self.li, self.bi) {
                (_, true) => Some(Endian::Big),
                (true, _) => Some(Endian::Little),
                _ => None,
            },
            arch: self.arch.map(|arch| arch.0),
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
