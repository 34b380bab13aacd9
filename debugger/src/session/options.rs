//! What a caller may say about how a trace is to be opened.

use std::path::{Path, PathBuf};

use stepback_machine::{Endian, InstructionSet};
use stepback_parsers::Format;

use crate::image::{ImageSpec, machine_of};
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
        if self == Self::Force {
            Self::Auto
        } else {
            self
        }
    }
}

/// How to open a trace.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The trace; of several files the first.
    pub path: PathBuf,
    /// The other files of a trace of several that lie in no directory of their own.
    pub more: Vec<PathBuf>,
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
    /// A description of the records of a format that may have several (TOML); none: as the format has them itself.
    pub record_layout: Option<PathBuf>,
    /// Worker threads that build the index; 0: one for each core.
    pub threads: usize,
}

impl OpenOptions {
    /// The trace's files, or its directory.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&*self.path).chain(self.more.iter().map(|path| &**path))
    }

    /// Everything by default, for a trace of some files; none where there are none.
    pub fn of_files(files: impl IntoIterator<Item = PathBuf>) -> Option<Self> {
        let mut files = files.into_iter();
        let path = files.next()?;
        Some(Self {
            more: files.collect(),
            ..Self::new(path)
        })
    }

    /// The directories where images are looked for.
    pub fn sysroots(&self) -> &[PathBuf] {
        if self.sysroots.is_empty() {
            &self.remembered_sysroots
        } else {
            &self.sysroots
        }
    }

    /// The file's name, with how many more there are.
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

    /// Programs among the files are images of the trace. Blocks: looks into each where there are several.
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

    /// Everything by default.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }
}
