//! Options for opening a trace.

use std::path::{Path, PathBuf};

use stepback_machine::{Endian, InstructionSet};
use stepback_parsers::Format;

use crate::image::{ImageSpec, machine_of};
use crate::source::SourceMapping;

/// Policy for finding or building the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IndexPolicy {
    /// Use an index that belongs to the trace, else build one.
    #[default]
    Auto,
    /// Always build.
    Force,
    /// Use an existing index, even one of an older state of the trace; never build.
    Never,
}

impl IndexPolicy {
    /// Returns the policy for opening the same trace again for another reason.
    pub fn once_opened(self) -> Self {
        if self == Self::Force {
            Self::Auto
        } else {
            self
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The trace; of several files, the first.
    pub path: PathBuf,
    /// Further files of a trace whose files have no directory in common.
    pub more: Vec<PathBuf>,
    /// Path of the index; none: next to the trace, or in the user's cache directory.
    pub index: Option<PathBuf>,
    pub policy: IndexPolicy,
    /// True if an index in memory is of no use, because the user requested the file.
    pub is_index_wanted: bool,
    /// Program images; empty: the ELF file with the trace's name next to it, if there is one.
    pub images: Vec<ImageSpec>,
    /// Images of the previous run, used if none are named. An unusable one is left out.
    pub remembered_images: Vec<ImageSpec>,
    /// Directories that mirror the traced machine, or contain its files without subdirectories. The
    /// images of traces whose recorder listed the mapped modules are searched there.
    pub sysroots: Vec<PathBuf>,
    /// Directories of the previous run, used if none are named.
    pub remembered_sysroots: Vec<PathBuf>,
    /// Added to the addresses of images without their own offset.
    pub load_offset: u64,
    /// Directories of sources that moved since the images were compiled.
    pub source_map: Vec<SourceMapping>,
    /// Format of the trace; none: detected by its first bytes.
    pub format: Option<Format>,
    /// Instruction set if the trace does not state it; none: that of the program's files, else x86.
    pub arch: Option<InstructionSet>,
    /// Byte order of the traced CPU if the format does not state it; none: little-endian.
    pub endian: Option<Endian>,
    /// Tarmac lines lack the instruction-set field, and all code is Thumb.
    pub implicit_thumb: bool,
    /// Description of the records (TOML), for a format that may have several; none: the format's
    /// own.
    pub record_layout: Option<PathBuf>,
    /// Number of threads that build the index; 0: one per core.
    pub threads: usize,
}

impl OpenOptions {
    /// Returns the trace's files, or its directory.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&*self.path).chain(self.more.iter().map(|path| &**path))
    }

    /// Returns default options for a trace of these files; none if there are no files.
    pub fn of_files(files: impl IntoIterator<Item = PathBuf>) -> Option<Self> {
        let mut files = files.into_iter();
        let path = files.next()?;
        Some(Self {
            more: files.collect(),
            ..Self::new(path)
        })
    }

    /// Returns the directories to search for images.
    pub fn sysroots(&self) -> &[PathBuf] {
        if self.sysroots.is_empty() {
            &self.remembered_sysroots
        } else {
            &self.sysroots
        }
    }

    /// Returns the name of the first file and the number of further ones.
    pub fn name(&self) -> String {
        let name = self.path.file_name();
        let name = name.map_or_else(
            || self.path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        match self.more.len() {
            0 => name,
            1 => format!("{name} and 1 more file"),
            more => format!("{name} and {more} more files"),
        }
    }

    /// Moves programs among the trace's files to its images. Blocks: if there are several files,
    /// reads each file's header.
    #[must_use]
    pub fn with_images_told_apart(mut self) -> Self {
        if self.more.is_empty() {
            return self;
        }
        let paths: Vec<PathBuf> = self.paths().map(Path::to_owned).collect();
        let (images, mut files): (Vec<_>, Vec<_>) = paths
            .into_iter()
            .partition(|path| path.is_file() && machine_of(path).is_some());
        if files.is_empty() {
            return self;
        }
        self.path = files.remove(0);
        self.more = files;
        let offset = self.load_offset;
        self.images
            .extend(images.into_iter().map(|path| ImageSpec { path, offset }));
        self
    }

    /// Returns default options.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }
}
