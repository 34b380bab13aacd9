//! Options for opening a trace, and the command line that opens it again with the same options.

use std::path::{Path, PathBuf};

use stepback_machine::{Endian, InstructionSet};
use stepback_parsers::{Format, Position};

use crate::image::{ImageSpec, machine_of};
use crate::notes::ReadingChoices;
use crate::source::SourceMapping;

/// Policy for finding or building the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IndexPolicy {
    /// Use an index that belongs to the trace, else build one.
    #[default]
    Auto,
    /// Always build.
    Force,
    /// Use an index that belongs to the trace, else build one in memory. Keeps no file.
    InMemory,
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
    /// Description of the records or lines (TOML), for a trace that the user describes; none: the
    /// format's own.
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

    /// Returns how the user chose to read the contents.
    pub fn reading_choices(&self) -> ReadingChoices {
        let choice = self.arch.and_then(|arch| arch.names().choice);
        let layout = self.record_layout.as_ref();
        ReadingChoices {
            format: self.format.map(|format| format.name().to_owned()),
            arch: choice.map(|choice| choice.name.to_owned()),
            is_big_endian: self.endian == Some(Endian::Big),
            implicit_thumb: self.implicit_thumb,
            record_layout: layout.map(|path| std::path::absolute(path).unwrap_or(path.clone())),
        }
    }

    /// Reads the contents as earlier, unless the user chooses anew. Unknown names are left out.
    pub fn read_as(&mut self, earlier: &ReadingChoices) {
        if !self.reading_choices().is_empty() {
            return;
        }
        self.format = earlier.format.as_deref().and_then(Format::named);
        let mut sets = InstructionSet::CHOICES.iter();
        self.arch = earlier.arch.as_deref().and_then(|name| {
            sets.find(|set| set.names().choice.is_some_and(|choice| choice.name == name))
                .copied()
        });
        self.endian = earlier.is_big_endian.then_some(Endian::Big);
        self.implicit_thumb = earlier.implicit_thumb;
        self.record_layout.clone_from(&earlier.record_layout);
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
    pub fn with_images_distinguished(mut self) -> Self {
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

/// Shell syntax for quoting text as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoting {
    /// A Unix shell.
    Posix,
    /// PowerShell and the command prompt; the quoting suits both where possible.
    Windows,
}

impl OpenOptions {
    /// Returns a command such as `stepback TRACE@44012 --image /x.elf@0x1000`, with absolute paths
    /// and all options that affect what is shown.
    pub fn command(&self, position: Position) -> String {
        let quoting = if cfg!(windows) {
            Quoting::Windows
        } else {
            Quoting::Posix
        };
        let words = self.words(position);
        let words = words.iter().map(|word| quoting.quoted(word));
        std::iter::once("stepback".to_owned())
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn words(&self, position: Position) -> Vec<String> {
        let mut words = vec![format!("{}@{}", whole(&self.path).display(), position.0)];
        let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        self.more
            .iter()
            .for_each(|path| option("with", whole(path).display().to_string()));
        let images = if self.images.is_empty() {
            &self.remembered_images
        } else {
            &self.images
        };
        for image in images {
            let mut image = image.clone();
            image.path = whole(&image.path);
            option("image", image.to_string());
        }
        // Named images have their own offsets.
        if images.is_empty() && self.load_offset > 0 {
            option("load-offset", format!("{:#x}", self.load_offset));
        }
        self.sysroots()
            .iter()
            .for_each(|root| option("sysroot", whole(root).display().to_string()));
        self.source_map
            .iter()
            .for_each(|mapping| option("source-map", mapping.to_string()));
        self.format
            .iter()
            .for_each(|format| option("format", format.name().to_owned()));
        let choice = self.arch.and_then(|arch| arch.names().choice);
        choice
            .iter()
            .for_each(|choice| option("arch", choice.name.to_owned()));
        self.record_layout
            .iter()
            .for_each(|file| option("record-layout", whole(file).display().to_string()));
        let flags = [
            ("--bi", self.endian == Some(Endian::Big)),
            ("--implicit-thumb", self.implicit_thumb),
        ]
        .into_iter();
        words.extend(
            flags
                .filter(|(_, is_set)| *is_set)
                .map(|(flag, _)| flag.to_owned()),
        );
        words
    }
}

impl Quoting {
    fn quoted(self, text: &str) -> String {
        let plain = match self {
            Self::Posix => "/._-+@:,=",
            // PowerShell makes lists with commas.
            Self::Windows => r"/\._-+@:=",
        };
        let is_plain = |letter: char| letter.is_alphanumeric() || plain.contains(letter);
        match self {
            _ if text.chars().all(is_plain) => text.to_owned(),
            Self::Posix => format!("'{}'", text.replace('\'', r"'\''")),
            // PowerShell would expand these in double quotes. The command prompt has no other
            // quotes.
            Self::Windows if text.contains(['$', '`']) => format!("'{}'", text.replace('\'', "''")),
            // A backslash before the closing quote would escape it.
            Self::Windows => {
                let last = text.len() - text.trim_end_matches('\\').len();
                format!("\"{text}{}\"", "\\".repeat(last))
            }
        }
    }
}

fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::ImageSpec;

    #[test]
    fn a_trace_is_read_as_before_unless_the_user_chooses_anew() {
        let chosen = OpenOptions {
            format: Format::named("described"),
            arch: InstructionSet::CHOICES.last().copied(),
            endian: Some(Endian::Big),
            implicit_thumb: true,
            record_layout: Some("/logs/board.toml".into()),
            ..OpenOptions::new("/logs/a.log")
        };
        let kept = toml::to_string(&chosen.reading_choices()).unwrap();
        let kept: ReadingChoices = toml::from_str(&kept).unwrap();
        let mut again = OpenOptions::new("/logs/a.log");
        again.read_as(&kept);
        assert_eq!(again.reading_choices(), chosen.reading_choices());
        assert_eq!((again.format, again.arch), (chosen.format, chosen.arch));
        let mut other = OpenOptions {
            implicit_thumb: true,
            ..OpenOptions::new("/logs/a.log")
        };
        other.read_as(&kept);
        assert_eq!(other.record_layout, None);
        // A name of a newer version.
        let newer: ReadingChoices = toml::from_str("format = \"nothing\"").unwrap();
        let mut again = OpenOptions::new("/logs/a.log");
        again.read_as(&newer);
        assert_eq!(again.format, None);
    }

    #[test]
    fn a_shell_reads_a_quoted_path_as_one_word() {
        let texts =
            ["/a/b.tarmac@7", "/a b@7", "/it's@7", "/a,b"].map(|text| Quoting::Posix.quoted(text));
        assert_eq!(
            texts,
            ["/a/b.tarmac@7", "'/a b@7'", r"'/it'\''s@7'", "/a,b"]
        );
        assert_eq!(Quoting::Windows.quoted(r"C:\a b\"), "\"C:\\a b\\\\\"");
        let texts = [
            r"C:\a\b.tarmac@7",
            r"C:\a b@7",
            r"C:\it's@7",
            r"C:\a,b",
            r"C:\a $b's",
        ];
        let texts = texts.map(|text| Quoting::Windows.quoted(text));
        assert_eq!(
            texts,
            [
                r"C:\a\b.tarmac@7",
                "\"C:\\a b@7\"",
                "\"C:\\it's@7\"",
                "\"C:\\a,b\"",
                r"'C:\a $b''s'"
            ]
        );
    }

    #[test]
    #[cfg(unix)]
    fn what_changes_what_is_shown_is_named() {
        let options = OpenOptions {
            more: vec!["/cpu1.tarmac".into()],
            remembered_images: vec![ImageSpec {
                path: "/my app.elf".into(),
                offset: 0x1000,
            }],
            remembered_sysroots: vec!["/root".into()],
            implicit_thumb: true,
            endian: Some(Endian::Big),
            ..OpenOptions::new("/cpu0.tarmac")
        };
        let expected = "stepback /cpu0.tarmac@7 --with /cpu1.tarmac --image '/my app.elf@0x1000' --sysroot /root \
                        --bi --implicit-thumb";
        assert_eq!(options.command(Position(7)), expected);
        let options = OpenOptions {
            load_offset: 16,
            ..OpenOptions::new("/a")
        };
        assert_eq!(
            options.command(Position(0)),
            "stepback /a@0 --load-offset 0x10"
        );
    }
}
