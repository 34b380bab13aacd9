//! What a caller may say about how a trace is to be opened.

use std::path::PathBuf;

use stepback_machine::{Endian, InstructionSet};
use stepback_parsers::Format;

use crate::image::ImageSpec;
use crate::source::SourceMapping;

/// What to do about the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IndexPolicy {
    /// Use one that belongs to the trace, build one otherwise.
    #[default]
    Auto,
    /// Build one, whatever is there.
    Force,
    /// Use what is there, even one of an older state of the trace; never build.
    Never,
}

impl IndexPolicy {
    /// What to do when the same trace is opened again for another reason.
    pub fn once_opened(self) -> Self {
        if self == Self::Force { Self::Auto } else { self }
    }
}

/// How to open a trace.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The trace.
    pub path: PathBuf,
    /// Where its index is kept; none: beside the trace, or in the user's cache directory.
    pub index: Option<PathBuf>,
    /// What to do about the index.
    pub policy: IndexPolicy,
    /// True when an index that lives in memory alone is no use, because it is the file that was asked for.
    pub is_index_wanted: bool,
    /// Program images; empty: the ELF file that lies beside the trace under the same name, if there is one.
    pub images: Vec<ImageSpec>,
    /// Those that the trace had last time, where none are named now; one that cannot be used is left out.
    pub remembered_images: Vec<ImageSpec>,
    /// Directories that mirror the traced machine, or hold its files side by side:
    /// the images of traces whose recorder listed what it mapped are looked for there.
    pub sysroots: Vec<PathBuf>,
    /// Those that the trace had last time, where none are named now.
    pub remembered_sysroots: Vec<PathBuf>,
    /// Added to the addresses of images that bring no offset of their own.
    pub load_offset: u64,
    /// Directories of sources that moved since the images were compiled.
    pub source_map: Vec<SourceMapping>,
    /// The trace's format; none: by its first bytes.
    pub format: Option<Format>,
    /// How instructions decode where the trace does not say it; none: as the program's files, else x86.
    pub arch: Option<InstructionSet>,
    /// Byte order of the traced CPU, where the format does not say it; none: little.
    pub endian: Option<Endian>,
    /// Tarmac lines lack the instruction-set field, and all code is Thumb.
    pub implicit_thumb: bool,
    /// Worker threads that build the index; 0: one for each core.
    pub threads: usize,
}

impl OpenOptions {
    /// The directories where images are looked for.
    pub fn sysroots(&self) -> &[PathBuf] {
        if self.sysroots.is_empty() { &self.remembered_sysroots } else { &self.sysroots }
    }

    /// Everything by default.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }
}
