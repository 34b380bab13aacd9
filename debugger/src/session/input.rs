//! Opens the trace file read-only, unpacks it if it is compressed, and detects its format.

use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, UNIX_EPOCH};
use std::{fs, io};

use anyhow::{Result, anyhow};
use stepback_index::build::{BuildProgress, Fingerprint};
use stepback_index::{BuildError, Cancel};
use stepback_machine::InstructionSet;
use stepback_parsers::drmemtrace::{Drmemtrace, TraceHead, Width};
use stepback_parsers::files::{CacheFileOptions, CacheFilePlace};
use stepback_parsers::files::{PackedKind, PackedText, head_of};
use stepback_parsers::template::Template;
use stepback_parsers::{
    Format, FormatError, ProgramFile, Source, SourceError, TraceAssumptions, TraceFile, detect,
};

use super::places::{cache_directory, copy_place, index_places, steps_place};
use super::trace_files::{TraceFiles, raw_refusal};
use super::{Companions, IndexPolicy, OpenOptions, images};
use crate::image::{ImageSpec, machine_of};
use crate::messages::{say, system_words};
use crate::session::notice::{missing_program_text, of_file, source_error_text};
use crate::session::places::is_same_file;

/// Maximum length of the description of a trace in bytes.
const TEMPLATE_LIMIT: u64 = 1 << 20;
/// Polling interval while a trace is being read.
const WAIT: Duration = Duration::from_millis(5);

/// An open trace and the state of its file when it was opened.
#[derive(Debug)]
pub struct Input {
    pub source: Arc<dyn Source>,
    /// Fingerprint that an index of this trace must have.
    pub fingerprint: Fingerprint,
    /// Text of a compressed trace.
    pub packed: Option<PackedText>,
    /// Files of a trace of records.
    pub files: Option<TraceFiles>,
    /// Image next to the trace that fits the trace's records, if they allow a comparison and no
    /// other is used.
    pub image_beside: Option<ImageSpec>,
}

impl Input {
    /// Opens a trace. Each error is one sentence that begins with the path. A compressed trace may
    /// still be growing: see [`Self::settle`].
    pub fn open(options: &OpenOptions) -> Result<Self> {
        let path = &options.path;
        let assumed = TraceAssumptions {
            template: template_of(options)?,
            ..assumed_by(options)
        };
        if let Some(files) = TraceFiles::of(options)? {
            if files.format.is_text() {
                return Self::open_merged(files, options, assumed);
            }
            return Self::open_files(files, options, assumed);
        }
        let described = assumed.template.as_ref().and_then(Template::lines);
        if let Some(format) = options.format.filter(|format| *format != Format::Described)
            && described.is_some()
        {
            return Err(of_file(
                path,
                format_args!(
                    "--record-layout describes a log of its own, so its format is not {}",
                    format.name()
                ),
            ));
        }
        let described = described.map(|_| OpenOptions {
            format: Some(Format::Described),
            ..options.clone()
        });
        let options = described.as_ref().unwrap_or(options);
        if let Some(format) = options.format.filter(|format| !format.is_text()) {
            return Err(of_file(
                path,
                format_args!("the file does not begin like {} data", format.title()),
            ));
        }
        let file = File::open(path).map_err(|error| refused(&error, path))?;
        let metadata = file.metadata().map_err(|error| refused(&error, path))?;
        check_kind(&metadata, path)?;
        let opened = match PackedKind::of(&file).map_err(|error| refused(&error, path))? {
            Some(kind) => Self::open_packed(Arc::new(file), kind, options, assumed),
            None => Self::open_plain(file, options, assumed),
        };
        // Check the name only after a failure: a text file may have such a name too.
        opened.map_err(|error| {
            raw_refusal(path)
                .filter(|_| options.format.is_none())
                .unwrap_or(error)
        })
    }

    fn open_files(
        files: TraceFiles,
        options: &OpenOptions,
        assumed: TraceAssumptions,
    ) -> Result<Self> {
        let path = &options.path;
        if let Some(format) = options.format.filter(|format| format.is_text()) {
            let what = if path.is_dir() {
                "this is a directory"
            } else {
                "these are several files"
            };
            return Err(of_file(
                path,
                format_args!("{what}, but a {} trace is one file", format.title()),
            ));
        }
        if let Some(format) = options.format.filter(|format| *format != files.format) {
            return Err(of_file(
                path,
                format_args!(
                    "this is a {} trace, not a {} one",
                    files.format.title(),
                    format.title()
                ),
            ));
        }
        let unusable = |error| of_file(path, error);
        let opened = files.open()?;
        let instruction_set = options
            .arch
            .or_else(|| machine_of_images(&files, &opened, options));
        let mut fingerprint = files.fingerprint(&opened).map_err(unusable)?;
        let kept = kept_options(&fingerprint, steps_place, options);
        let assumed = TraceAssumptions {
            instruction_set,
            ..assumed
        };
        let fit = |program: &ProgramFile| {
            files.format.program_fit(
                &opened,
                TraceAssumptions {
                    program: vec![program.clone()],
                    ..assumed.clone()
                },
            )
        };
        let program = files
            .format
            .needed_program()
            .map(|set| images::program(options, set, &fit))
            .transpose()?;
        let (program, image_beside) = program.unwrap_or_default();
        let assumed = TraceAssumptions { program, ..assumed };
        let source = files
            .format
            .open_files(opened, assumed, kept)
            .map_err(unusable)?;
        fingerprint.options.clone_from(&source.traits().options);
        Ok(Self {
            source,
            fingerprint,
            packed: None,
            files: Some(files),
            image_beside,
        })
    }

    /// Returns the records of a drmemtrace trace.
    pub fn drmemtrace(&self) -> Option<&Drmemtrace> {
        self.source.downcast::<Drmemtrace>()
    }

    fn open_plain(file: File, options: &OpenOptions, assumed: TraceAssumptions) -> Result<Self> {
        let unusable = |error| of_file(&options.path, error);
        let metadata = file
            .metadata()
            .map_err(|error| refused(&error, &options.path))?;
        let format = match options.format {
            Some(format) => format,
            None => checked(Format::of_input(&file), options)
                .map_err(|error| of_file(&options.path, source_error_text(&error)))?,
        };
        let source = format
            .open_text(Box::new(file), assumed)
            .map_err(unusable)?;
        let fingerprint =
            Fingerprint::of(source.as_ref(), modified_nanos(&metadata)).map_err(unusable)?;
        Ok(Self {
            source,
            fingerprint,
            packed: None,
            files: None,
            image_beside: None,
        })
    }

    fn open_packed(
        file: Arc<File>,
        kind: PackedKind,
        options: &OpenOptions,
        assumed: TraceAssumptions,
    ) -> Result<Self> {
        let path = &options.path;
        let unusable = |error| of_file(path, error);
        let metadata = file.metadata().map_err(|error| refused(&error, path))?;
        // Detect the format before a copy is made.
        let format = packed_format(file.clone(), kind, options)?;
        let mut fingerprint =
            Fingerprint::of_file(&*file, modified_nanos(&metadata), String::new())
                .map_err(unusable)?;
        let text = PackedText::open(file, kind, kept_options(&fingerprint, copy_place, options));
        let text = text.map_err(|error| refused(&error, path))?;
        let source = format
            .open_text(Box::new(text.clone()), assumed)
            .map_err(unusable)?;
        fingerprint.options.clone_from(&source.traits().options);
        Ok(Self {
            source,
            fingerprint,
            packed: Some(text),
            files: None,
            image_beside: None,
        })
    }

    /// Opens a text trace with one file per core.
    fn open_merged(
        files: TraceFiles,
        options: &OpenOptions,
        assumed: TraceAssumptions,
    ) -> Result<Self> {
        let path = &options.path;
        if let Some(format) = options.format.filter(|format| *format != files.format) {
            return Err(of_file(
                path,
                format_args!(
                    "these are files of {} text, not of a {} trace",
                    files.format.title(),
                    format.title()
                ),
            ));
        }
        let unusable = |error| of_file(path, error);
        let opened = files.open()?;
        let mut fingerprint = files.fingerprint(&opened).map_err(unusable)?;
        let merged = files
            .format
            .merge(opened, assumed.clone())
            .map_err(unusable)?;
        let kept = kept_options(&fingerprint, copy_place, options);
        let text = PackedText::open(Arc::new(merged), PackedKind::Merged, kept);
        let text = text.map_err(|error| refused(&error, path))?;
        let source = files
            .format
            .open_text(Box::new(text.clone()), assumed)
            .map_err(unusable)?;
        fingerprint.options.clone_from(&source.traits().options);
        Ok(Self {
            source,
            fingerprint,
            packed: Some(text),
            files: Some(files),
            image_beside: None,
        })
    }

    /// Waits until a compressed trace is unpacked.
    ///
    /// # Errors
    /// It could not be unpacked, or the wait was cancelled.
    pub fn settle(&self, path: &Path, progress: &BuildProgress, cancel: &Cancel) -> Result<()> {
        let Some(text) = &self.packed else {
            while !self.source.is_settled() && !cancel.is_cancelled() {
                std::thread::sleep(WAIT);
            }
            return self.settled(path, cancel);
        };
        progress
            .bytes_total
            .store(self.fingerprint.length, Ordering::Relaxed);
        let is_given_up = || {
            progress
                .bytes_done
                .store(text.packed_done(), Ordering::Relaxed);
            cancel.is_cancelled()
        };
        text.settle(is_given_up)
            .map_err(|error| of_file(path, error))?;
        progress.bytes_done.store(0, Ordering::Relaxed);
        self.settled(path, cancel)
    }

    fn settled(&self, path: &Path, cancel: &Cancel) -> Result<()> {
        if cancel.is_cancelled() {
            return Err(of_file(path, BuildError::Cancelled));
        }
        self.source
            .grow()
            .map(|_| ())
            .map_err(|error| of_file(path, error))
    }

    /// Reads the files next to the trace. The result is empty for formats without such files.
    pub fn companions(&self, notices: &mut Vec<String>) -> Companions {
        let files = self.files.as_ref();
        files
            .map(|files| Companions::beside(&files.directory, notices))
            .unwrap_or_default()
    }

    /// Returns notices about a compressed trace, or about the files of a trace.
    pub fn notices(&self) -> impl Iterator<Item = String> {
        let text = self.packed.as_ref();
        let damage = text
            .and_then(PackedText::damage)
            .map(|damage| damage.to_string());
        let files = self
            .files
            .iter()
            .flat_map(|files| files.notices.iter().cloned());
        let missing = self.source.missing_program().map(missing_program_text);
        let of_source: Vec<_> = missing.into_iter().chain(self.source.notice()).collect();
        let of_source = (!of_source.is_empty()).then(|| of_source.join("; "));
        damage
            .into_iter()
            .chain(text.and_then(PackedText::notice))
            .chain(files)
            .chain(of_source)
    }

    /// Returns the fingerprint of the trace in its current state, up to the end that its source has
    /// read.
    pub fn fingerprint_now(&self, path: &Path) -> Result<Fingerprint, SourceError> {
        if self.packed.is_some() || self.files.is_some() {
            // A compressed file does not grow: a longer one is another trace.
            return Ok(self.fingerprint.clone());
        }
        let modified = fs::metadata(path).map_or(0, |metadata| modified_nanos(&metadata));
        Fingerprint::of(self.source.as_ref(), modified)
    }

    /// Returns true if the file changed since it was opened other than by growing.
    pub fn is_rewritten(&self, path: &Path) -> bool {
        if let Some(files) = &self.files {
            return files.is_changed();
        }
        let is_longer = fs::metadata(path).is_ok_and(|now| now.len() > self.fingerprint.length);
        self.is_changed(path)
            && !(is_longer && self.fingerprint.is_start_of_input(self.source.as_ref()))
    }

    /// Returns true if the length or the modification time of the file changed since it was opened.
    pub fn is_changed(&self, path: &Path) -> bool {
        if let Some(files) = &self.files {
            return files.is_changed();
        }
        fs::metadata(path).is_ok_and(|now| {
            now.len() != self.fingerprint.length
                || modified_nanos(&now) != self.fingerprint.modified_nanos
        })
    }
}

/// Returns the instruction set of the program's files; none if the trace itself states it.
fn machine_of_images(
    files: &TraceFiles,
    opened: &[TraceFile],
    options: &OpenOptions,
) -> Option<InstructionSet> {
    let head = opened
        .iter()
        .find_map(|file| TraceHead::of(file).ok().flatten())?;
    if head.file_type.instruction_set().is_some() {
        return None;
    }
    // Problems of these files are reported when they are loaded.
    let companions = Companions::beside(&files.directory, &mut Vec::new());
    let address_bytes = if head.width == Width::Wide { 8 } else { 4 };
    let specs = images::specs(options, &companions);
    specs
        .iter()
        .find_map(|spec| machine_of(&spec.path))
        .filter(|set| set.word_bytes() == address_bytes)
}

/// Reads the user's description of a trace; none if the options name none.
pub(super) fn template_of(options: &OpenOptions) -> Result<Option<Template>> {
    let path = options.record_layout.as_deref();
    path.map(read_template).transpose()
}

/// Reads a description of a trace.
///
/// # Errors
/// The file cannot be read, or it is no description.
pub fn read_template(path: &Path) -> Result<Template> {
    let unreadable = |error| {
        of_file(
            path,
            format_args!("the description of the trace could not be read ({error})"),
        )
    };
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() || metadata.len() > TEMPLATE_LIMIT {
        return Err(of_file(path, "this is not a description of a trace"));
    }
    let text = fs::read_to_string(path).map_err(unreadable)?;
    text.parse().map_err(|error| of_file(path, error))
}

/// Detects the format of a compressed trace by its first text.
fn packed_format(file: Arc<File>, kind: PackedKind, options: &OpenOptions) -> Result<Format> {
    let path = &options.path;
    let head = head_of(file, kind, Format::HEAD_BYTES).map_err(|error| refused(&error, path))?;
    let found = match options.format {
        Some(format) if !head.text.is_empty() => Ok(format),
        _ => checked(detect(&head.text).map_err(SourceError::from), options),
    };
    found.map_err(|error| match (error, head.damage) {
        (_, Some(damage)) => of_file(path, damage),
        (SourceError::NotATrace(FormatError::Empty), None) => {
            of_file(path, format_args!("the {} file holds no text", kind.name()))
        }
        (error, None) => of_file(
            path,
            format_args!(
                "the {} file holds no trace: {}",
                kind.name(),
                source_error_text(&error)
            ),
        ),
    })
}

/// Returns the place for a file that is derived from the trace: next to the index, in a writable
/// directory.
fn kept_options(
    fingerprint: &Fingerprint,
    place: fn(&Path) -> PathBuf,
    options: &OpenOptions,
) -> CacheFileOptions {
    let is_trace = |place: &Path| options.paths().any(|path| is_same_file(place, path));
    let places = index_places(options).into_iter().map(|index| place(&index));
    // Neither the copy nor its unfinished file may overwrite the trace.
    let places = places
        .filter(|place| !is_trace(place) && !is_trace(&place.with_added_extension("partial")));
    let is_directory_ours = options.index.is_none();
    CacheFileOptions {
        identity: [
            fingerprint.length,
            fingerprint.modified_nanos,
            fingerprint.sample_hash,
        ],
        kept: places
            .map(|path| CacheFilePlace {
                path,
                is_directory_ours,
            })
            .collect(),
        is_copy_kept: !matches!(options.policy, IndexPolicy::InMemory | IndexPolicy::Never),
        scratch: cache_directory().into_iter().collect(),
    }
}

/// Returns the user's assumptions about what the trace does not state.
fn assumed_by(options: &OpenOptions) -> TraceAssumptions {
    TraceAssumptions {
        endian: options.endian.unwrap_or_default(),
        implicit_thumb: options.implicit_thumb,
        instruction_set: options.arch,
        ..TraceAssumptions::default()
    }
}

pub(super) fn check_kind(metadata: &Metadata, path: &Path) -> Result<()> {
    if !metadata.is_file() {
        return Err(of_file(path, say!("open-no-regular-file")));
    }
    if metadata.len() == 0 {
        return Err(of_file(path, say!("open-empty")));
    }
    Ok(())
}

pub(super) fn refused(error: &io::Error, path: &Path) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::NotFound if path == Path::new("-") => anyhow!(
            "a trace cannot be read from standard input (random access is needed), so save it to a file first"
        ),
        io::ErrorKind::NotFound => of_file(path, say!("open-no-such-file")),
        io::ErrorKind::PermissionDenied => of_file(path, say!("open-not-permitted")),
        _ => of_file(path, say!("open-failed", error = system_words(error))),
    }
}

/// Accepts lines without the instruction-set field as Tarmac if the option says that they lack it.
/// Otherwise they look like prose.
fn checked(
    found: Result<Format, SourceError>,
    options: &OpenOptions,
) -> Result<Format, SourceError> {
    match found {
        Err(SourceError::NotATrace(FormatError::NoTraceLine { .. })) if options.implicit_thumb => {
            Ok(Format::Tarmac)
        }
        found => found,
    }
}

/// Returns nanoseconds since 1970; 0 if the file system has no time.
pub(super) fn modified_nanos(metadata: &Metadata) -> u64 {
    let since = metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since
        .and_then(|since| u64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}
