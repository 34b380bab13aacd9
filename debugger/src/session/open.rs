//! Opening of a trace: finds or builds its index, and reports each detour in a notice.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use stepback_index::build::{
    Build, BuildOptions, BuildProgress, Follow, open_so_far, remove_leftovers, with_images,
};
use stepback_index::query::{FindMarkers, tail_calls};
use stepback_index::{BuildError, Cancel, Index, OpenError, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::drmemtrace::Drmemtrace;
use stepback_parsers::files::PackedText;
use stepback_parsers::{Format, MarkerKind, Position};

use super::image_check::ImageCheck;
use super::images::Decoding;
use super::input::Input;
use super::notice::{Notice, NoticeKind};
use super::places::index_places;
use super::trace_files::TraceFiles;
use super::{Companions, Damage, IndexPolicy, OpenOptions, images};
use crate::image::{CheckedImage, Images};
use crate::messages::{say, system_words};
use crate::session::notice::of_file;
use crate::session::places::is_same_file;
use crate::source::{SourceMap, SourcePlaces};

/// Number of calls above which a trace is shown before its tail calls are searched.
const MANY_CALLS: u64 = 100_000;
/// Polling interval while another program builds the index.
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(20);
/// Maximum time that another program's build may make no progress before the wait ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// An open trace. Immutable, shared between threads.
#[derive(Debug)]
pub struct Session {
    pub index: Arc<Index>,
    /// Symbols of the traced program.
    pub images: Arc<Images>,
    /// Match of each image with the executed code, including the images that are excluded because
    /// they do not fit.
    pub checked_images: Arc<Vec<CheckedImage>>,
    /// The trace omits instructions, so calls are not searched.
    pub lacks_steps: bool,
    /// Contents of the files next to the trace.
    pub companions: Arc<Companions>,
    /// Mapping of source paths that changed since the images were compiled.
    pub source_map: SourceMap,
    pub path: PathBuf,
    /// The index file; none if the index is only in memory.
    pub index_path: Option<PathBuf>,
    /// Notices for the user, one sentence each: a rebuilt index and the reason, an unwritable
    /// place, an image found.
    pub notices: Vec<Notice>,
    /// True if the index was built now, false if a fresh one was found.
    pub is_built_now: bool,
    /// The trace's file; none if the trace is no file.
    pub input: Option<Arc<Input>>,
    /// Shared by the sessions that succeed each other while one trace is indexed.
    lineage: Arc<()>,
}

/// Maximum number of recording markers that are examined.
const RECORDINGS: usize = 64;

fn lacks_steps(index: &Index) -> bool {
    let kinds = vec![MarkerKind::RECORDING];
    let question = FindMarkers {
        kinds,
        thread: None,
        from: Position(0),
        to: index.end(),
        limit: RECORDINGS,
    };
    let markers = question.run(index, &Cancel::default()).unwrap_or_default();
    markers
        .iter()
        .filter_map(|hit| index.source().recording(hit.marker))
        .any(|recording| recording.lacks_steps)
}

impl Session {
    /// Returns `file:line` of the source of an instruction. Mappings determine the current
    /// place of the file. Blocks: see [`Images::source_at`].
    pub fn source_text(&self, address: Address) -> Option<String> {
        let line = self.images.source_at(address)?;
        Some(format!(
            "{}:{}",
            self.source_map.text(&line.file),
            line.line
        ))
    }

    /// Returns the places to look for sources, with these mappings.
    pub fn source_places(&self, map: SourceMap) -> SourcePlaces {
        let images = self.images.infos().iter().map(|info| &*info.spec.path);
        SourcePlaces::beside(map, images.chain([&*self.path]))
    }

    /// Returns the text of a compressed trace.
    pub fn packed(&self) -> Option<&PackedText> {
        self.input.as_ref()?.packed.as_ref()
    }

    /// Returns the records of a drmemtrace trace.
    pub fn drmemtrace(&self) -> Option<&Drmemtrace> {
        self.input.as_ref()?.drmemtrace()
    }

    /// Returns the files of a drmemtrace trace.
    pub fn files(&self) -> Option<&TraceFiles> {
        self.input.as_ref()?.files.as_ref()
    }

    /// Returns the length of the trace's file in bytes; for a compressed trace, less than that of
    /// its text.
    pub fn file_bytes(&self) -> u64 {
        self.input
            .as_ref()
            .map_or(self.index.info().trace_bytes, |input| {
                input.fingerprint.length
            })
    }

    /// Returns the size in bytes: of the text for a compressed text trace, of the files for a
    /// binary trace.
    pub fn trace_bytes(&self) -> u64 {
        match self.files() {
            Some(_) => self.file_bytes(),
            None => self.index.info().trace_bytes,
        }
    }

    /// Returns how the trace file differs from the opened one; none: it does not. Usually one
    /// `stat`. A missing file does not count, since its writer may be replacing it.
    pub fn trace_change(&self) -> Option<TraceChange> {
        let input = self
            .input
            .as_ref()
            .filter(|input| input.is_changed(&self.path))?;
        let is_grown =
            input.packed.is_none() && input.files.is_none() && !input.is_rewritten(&self.path);
        Some(if is_grown {
            TraceChange::Grown
        } else {
            TraceChange::Rewritten
        })
    }

    /// Makes this session the successor of an earlier one of the same trace, so that views keep
    /// their state.
    #[must_use]
    pub fn succeeding(self, before: &Self) -> Self {
        // The debug information of the old images may already be loaded. More of the trace may show
        // that an image does not fit.
        let images = if before.images.has_same_files(&self.images) {
            &before.images
        } else {
            &self.images
        };
        Self {
            lineage: Arc::clone(&before.lineage),
            images: Arc::clone(images),
            ..self
        }
    }

    /// Returns this session with other images or names. Views keep their state.
    #[must_use]
    pub fn with_images(&self, images: Arc<Images>) -> Self {
        Self {
            lacks_steps: self.lacks_steps,
            index: Arc::clone(&self.index),
            images,
            checked_images: Arc::clone(&self.checked_images),
            companions: Arc::clone(&self.companions),
            source_map: self.source_map.clone(),
            path: self.path.clone(),
            index_path: self.index_path.clone(),
            notices: self.notices.clone(),
            is_built_now: self.is_built_now,
            input: self.input.clone(),
            lineage: Arc::clone(&self.lineage),
        }
    }

    /// Returns the reason why this trace cannot be followed while it grows, as a phrase; none: it
    /// can.
    pub fn follow_refusal(&self) -> Option<&'static str> {
        let format = Format::named(&self.index.source().traits().format);
        format.and_then(Format::follow_refusal).or_else(|| {
            let is_packed = self.packed().is_some();
            is_packed.then_some(
                "a compressed trace cannot be followed: only plain text grows line by line",
            )
        })
    }

    /// Returns a token that is shared by all sessions that succeed each other.
    pub fn lineage(&self) -> &Arc<()> {
        &self.lineage
    }
}

/// Difference between a trace file and the opened one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceChange {
    /// The file is longer, and its beginning is unchanged.
    Grown,
    /// The file was rewritten, cut or replaced.
    Rewritten,
}

/// Observer of a trace that is being opened.
#[derive(Clone, Copy)]
pub struct OpeningObserver<'a> {
    /// Receives the indexed part: soon after the start, and again whenever it has grown enough. The
    /// part answers queries as if the trace ended there ([`stepback_index::Index::is_whole`] is
    /// false).
    pub on_part: &'a (dyn Fn(Session) + Sync),
    /// If present, the build follows a growing trace until this is cancelled.
    pub follow: Option<&'a Cancel>,
}

/// Opens a trace for queries. Blocks while the index is built. The first query that needs calls
/// also searches for tail calls and takes longer.
///
/// # Errors
/// One sentence that names the file.
pub fn open(options: &OpenOptions, progress: &BuildProgress, cancel: &Cancel) -> Result<Session> {
    let mut search = IndexSearch::new(options, progress, cancel, None)?;
    let (index, origin) = search.index()?;
    let checked = search.checked(&index)?;
    let index = with_images(index, checked.program.clone(), cancel).with_tail_calls(tail_calls);
    Ok(search.session(index, checked, origin))
}

/// Opens a trace for display: tail calls are found now, so that drawing never waits for them.
/// `watch` receives each part as it is indexed.
///
/// # Errors
/// One sentence that names the file. A cancelled build continues when the trace is opened again.
pub fn open_watched(
    options: &OpenOptions,
    progress: &BuildProgress,
    cancel: &Cancel,
    watch: Option<OpeningObserver<'_>>,
) -> Result<Session> {
    let (session, error) = open_with_tail_calls(options, progress, cancel, watch)?;
    // Damage that the search for tail calls meets is repaired once.
    let damage = error.as_ref().and_then(|error| Damage::of(error));
    let Some((damage, mended)) = damage.and_then(|damage| Some((damage, damage.mended(options)?)))
    else {
        return Ok(stated(session, error));
    };
    let (session, error) = open_with_tail_calls(&mended, progress, cancel, watch)?;
    let mut session = stated(session, error);
    session
        .notices
        .push(format!("{}: {:?}", damage.notice(), options.path).into());
    Ok(session)
}

/// Adds a notice about a failed search for tail calls.
fn stated(mut session: Session, error: Option<QueryError>) -> Session {
    let notice = error.map(|error| no_tail_calls(&error).into());
    session.notices.extend(notice);
    session
}

/// Opens a trace and searches for its tail calls. Returns the reason why the search failed, too.
fn open_with_tail_calls(
    options: &OpenOptions,
    progress: &BuildProgress,
    cancel: &Cancel,
    watch: Option<OpeningObserver<'_>>,
) -> Result<(Session, Option<QueryError>)> {
    let mut search = IndexSearch::new(options, progress, cancel, watch)?;
    let (index, origin) = search.index()?;
    if let Some(watch) = watch {
        let is_slow = origin == IndexOrigin::Found
            && index.plain_calls().len() > MANY_CALLS
            && !search.images.is_empty();
        let again = index
            .path()
            .filter(|_| is_slow)
            .and_then(|place| search.opened(place).ok());
        if let Some(index) = again {
            let checked = search.checked(&index)?;
            let index = with_images(index, checked.program.clone(), cancel);
            (watch.on_part)(search.session(index, checked, IndexOrigin::Found));
        }
    }
    search.session_with_tail_calls(index, origin)
}

/// Returns the notice for a failed search for tail calls.
pub fn no_tail_calls(error: &QueryError) -> String {
    say!("notice-no-tail-calls", error = error.to_string())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IndexOrigin {
    /// It already existed.
    Found,
    /// It was built now.
    Built,
}

/// Search for the index of a trace, or its build.
struct IndexSearch<'a> {
    options: &'a OpenOptions,
    input: Input,
    images: Arc<Images>,
    companions: Arc<Companions>,
    /// Possible places of the index, best first.
    places: Vec<PathBuf>,
    progress: &'a BuildProgress,
    cancel: &'a Cancel,
    watch: Option<OpeningObserver<'a>>,
    notices: Vec<Notice>,
}

impl<'a> IndexSearch<'a> {
    fn new(
        options: &'a OpenOptions,
        progress: &'a BuildProgress,
        cancel: &'a Cancel,
        watch: Option<OpeningObserver<'a>>,
    ) -> Result<Self> {
        let input = Input::open(options)?;
        // Before the index: a misspelt image should not cost the time of a build.
        let mut sentences = Vec::new();
        let companions = Arc::new(input.companions(&mut sentences));
        let mut notices: Vec<Notice> = sentences.into_iter().map(Notice::from).collect();
        let traits = input.source.traits();
        let decoding = Decoding {
            set: traits.instruction_set,
            endian: traits.endian,
            beside: input.image_beside.as_ref(),
        };
        let images = Arc::new(images::load(options, &companions, decoding, &mut notices)?);
        let places = index_places(options);
        Ok(Self {
            options,
            input,
            images,
            companions,
            places,
            progress,
            cancel,
            watch,
            notices,
        })
    }

    /// Returns an index and its origin.
    fn index(&mut self) -> Result<(Index, IndexOrigin)> {
        match self.options.policy {
            // A build continues a fresh index.
            IndexPolicy::Auto if self.follow().is_some() => {
                Ok((self.built(None)?, IndexOrigin::Built))
            }
            IndexPolicy::Auto => match self.fresh() {
                Ok(index) => {
                    // The copy of the trace may have been deleted.
                    self.settle()?;
                    Ok((index, IndexOrigin::Found))
                }
                Err(reason) => Ok((self.built(reason)?, IndexOrigin::Built)),
            },
            IndexPolicy::InMemory => match self.fresh() {
                Ok(index) => {
                    self.settle()?;
                    Ok((index, IndexOrigin::Found))
                }
                Err(_) => Ok((self.built_in_memory()?, IndexOrigin::Built)),
            },
            IndexPolicy::Force => Ok((self.built(None)?, IndexOrigin::Built)),
            IndexPolicy::Never => {
                self.settle()?;
                Ok((self.existing()?, IndexOrigin::Found))
            }
        }
    }

    /// Waits for the text of a compressed trace: an existing index may refer to any part of it.
    fn settle(&self) -> Result<()> {
        self.input
            .settle(&self.options.path, self.progress, self.cancel)
    }

    fn follow(&self) -> Option<&Cancel> {
        self.watch.and_then(|watch| watch.follow)
    }

    /// Searches for tail calls and creates a session. Slow for many calls.
    fn session_with_tail_calls(
        &self,
        index: Index,
        origin: IndexOrigin,
    ) -> Result<(Session, Option<QueryError>)> {
        let checked = self.checked(&index)?;
        let mut index = with_images(index, checked.program.clone(), self.cancel);
        let found = index.find_tail_calls(tail_calls, self.cancel);
        Ok((self.session(index, checked, origin), found.err()))
    }

    /// Compares the images with the executed code. Excludes found images that do not fit.
    fn checked(&self, index: &Index) -> Result<ImageCheck> {
        let first = ImageCheck::new(Arc::clone(&self.images), index, self.cancel);
        let excluded: Vec<PathBuf> = first
            .left_out()
            .map(|image| image.spec.path.clone())
            .collect();
        if excluded.is_empty() {
            return Ok(first);
        }
        let left_out: Vec<CheckedImage> = first.left_out().cloned().collect();
        let mut notices = first.notices;
        let images = images::load_without(&excluded, self.options, &self.companions, &mut notices)?;
        let mut again = ImageCheck::new(Arc::new(images), index, self.cancel);
        notices.append(&mut again.notices);
        again.checked.extend(left_out);
        Ok(ImageCheck { notices, ..again })
    }

    /// Creates a session from an index that has the program's contents.
    fn session(&self, index: Index, checked: ImageCheck, origin: IndexOrigin) -> Session {
        let mut notices = self.notices.clone();
        let is_of_left_out = |notice: &Notice| match &notice.kind {
            NoticeKind::ImageInUse(path) => {
                checked.left_out().any(|image| image.spec.path == *path)
            }
            NoticeKind::Info | NoticeKind::Doubt => false,
        };
        notices.retain(|notice| !is_of_left_out(notice));
        for notice in checked.notices {
            // Images that are loaded again produce the same notices again.
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        notices.extend(self.input.notices().map(Notice::from));
        let index_path = index.path().map(Path::to_owned);
        let fingerprint = index.fingerprint().clone();
        Session {
            lacks_steps: lacks_steps(&index),
            index: Arc::new(index),
            images: checked.images,
            checked_images: Arc::new(checked.checked),
            companions: Arc::clone(&self.companions),
            source_map: SourceMap::new(self.options.source_map.clone()),
            path: self.options.path.clone(),
            index_path,
            notices,
            is_built_now: origin == IndexOrigin::Built,
            input: Some(Arc::new(Input {
                source: Arc::clone(&self.input.source),
                fingerprint,
                packed: self.input.packed.clone(),
                files: self.input.files.clone(),
                image_beside: self.input.image_beside.clone(),
            })),
            lineage: Arc::default(),
        }
    }

    /// Returns the first index that belongs to the trace; else the reason why the best of the
    /// others does not.
    fn fresh(&self) -> Result<Index, Option<String>> {
        let mut reason = None;
        for place in &self.places {
            match self.opened(place) {
                Ok(index) => {
                    if self.options.policy != IndexPolicy::InMemory {
                        remove_leftovers(place);
                    }
                    return Ok(index);
                }
                Err(OpenError::Missing) => {}
                Err(why) => {
                    reason = reason.or(Some(format!("the index was rebuilt: {why}: {place:?}")))
                }
            }
        }
        Err(reason)
    }

    /// Opens the index at a place. A pipe with that name is not opened, since that would wait for a
    /// writer.
    fn opened(&self, place: &Path) -> Result<Index, OpenError> {
        if place.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(OpenError::Foreign);
        }
        Index::open(self.input.source.clone(), place, &self.input.fingerprint)
    }

    /// Opens the part of an index that was written at a place.
    fn opened_so_far(&self, place: &Path) -> Result<Index, OpenError> {
        open_so_far(self.input.source.clone(), place, &self.input.fingerprint)
    }

    /// Returns any existing index: fresh ones first, complete ones before partial ones.
    fn existing(&mut self) -> Result<Index> {
        let mut reason = None;
        let mut stale = None;
        for place in &self.places {
            match self.opened(place) {
                Ok(index) => return Ok(index),
                Err(OpenError::Missing) => {}
                Err(OpenError::Stale(why)) => stale = stale.or(Some((place, why))),
                Err(why) => reason = reason.or(Some((place, why))),
            }
        }
        let parts = self
            .places
            .iter()
            .map(|place| (place, self.opened_so_far(place)));
        if let Some((place, Ok(index))) = parts.into_iter().find(|(_, part)| part.is_ok()) {
            let partial = say!(
                "notice-partial-index",
                steps = index.step_count().to_string(),
                index = format!("{place:?}")
            );
            self.notices.push(partial.into());
            return Ok(index);
        }
        if let Some((place, why)) = stale {
            let stale = say!(
                "notice-stale-index",
                why = why.to_string(),
                index = format!("{place:?}")
            );
            self.notices.push(stale.into());
            let unusable = |why| of_file(place, format_args!("the index cannot be used: {why}"));
            return Index::open_stale(self.input.source.clone(), place).map_err(unusable);
        }
        match reason {
            Some((place, why)) => {
                let what = format_args!("the index cannot be used, and none may be built: {why}");
                Err(of_file(place, what))
            }
            None => Err(of_file(
                &self.options.path,
                "there is no index, and none may be built",
            )),
        }
    }

    /// Builds an index. If the copy of the trace's records is damaged, it is made again first.
    fn built(&mut self, reason: Option<String>) -> Result<Index> {
        match self.built_of_input(reason.clone()) {
            Err(error) if Damage::of(error.as_ref()) == Some(Damage::Copy) => {
                self.input = Input::open(self.options)?;
                self.notices.push(Damage::Copy.notice().to_owned().into());
                self.built_of_input(reason)
            }
            built => built,
        }
    }

    /// Builds an index at the best writable place, or in memory if there is none. `reason`: why an
    /// existing one is not used; not reported if the build continues it.
    fn built_of_input(&mut self, reason: Option<String>) -> Result<Index> {
        let mut refusal = None;
        for place in &self.places {
            self.refuse_to_overwrite(place)?;
            match self.build_or_wait_at(place) {
                Ok((index, resumed_bytes)) => {
                    let kept_at = format!("{place:?}");
                    let elsewhere = refusal.map(|refusal: String| {
                        say!(
                            "notice-index-elsewhere",
                            refusal = refusal,
                            index = kept_at.as_str()
                        )
                    });
                    let share = resumed_bytes as f64 * 100.0 / index.text_end().max(1) as f64;
                    let resumed = say!(
                        "notice-index-resumed",
                        percent = format!("{share:.0}"),
                        index = kept_at.as_str()
                    );
                    // A watcher sees this from the first part.
                    let resumed = Some(resumed).filter(|_| self.watch.is_none());
                    let reason = if resumed_bytes > 0 { resumed } else { reason };
                    self.notices
                        .extend(reason.into_iter().chain(elsewhere).map(Notice::from));
                    return Ok(index);
                }
                Err(BuildError::Write { error, .. }) => {
                    let sentence = say!(
                        "notice-index-unwritable",
                        index = format!("{place:?}"),
                        error = system_words(&error)
                    );
                    refusal = refusal.or(Some(sentence));
                }
                Err(error) => return Err(self.said(error)),
            }
        }
        let refusal = refusal.unwrap_or_else(|| say!("notice-no-place-for-index").to_owned());
        if self.options.is_index_wanted {
            bail!("{refusal}");
        }
        let index = self.built_in_memory()?;
        self.notices.extend(reason.map(Notice::from));
        self.notices
            .push(say!("notice-index-in-memory", refusal = refusal).into());
        Ok(index)
    }

    fn built_in_memory(&self) -> Result<Index> {
        let index = self
            .build(|build| build.in_memory())
            .map_err(|error| self.said(error))?;
        self.refuse_change()?;
        Ok(index)
    }

    /// Runs a build with the user's options.
    fn build<T>(
        &self,
        run: impl FnOnce(Build<'_>) -> Result<T, BuildError>,
    ) -> Result<T, BuildError> {
        let Input {
            source,
            fingerprint,
            ..
        } = &self.input;
        let options = BuildOptions {
            threads: self.options.threads,
            ..BuildOptions::default()
        };
        let now = || self.input.fingerprint_now(&self.options.path);
        let follow = self.follow().map(|until| Follow {
            until,
            fingerprint: &now,
        });
        let mut build =
            Build::new(source, fingerprint, &options, self.progress, self.cancel).following(follow);
        if self.options.policy == IndexPolicy::Force {
            build = build.anew();
        }
        match self.watch {
            None => run(build),
            Some(watch) => {
                // If images can no longer be read, skip the part: the final session reports it.
                run(build.reporting_parts(&|part| {
                    if let Ok((session, error)) =
                        self.session_with_tail_calls(part, IndexOrigin::Built)
                    {
                        (watch.on_part)(stated(session, error));
                    }
                }))
            }
        }
    }

    /// Refuses to overwrite other files: a misspelt `--index` must not destroy one. Only an index,
    /// or a file with an index's extension, is replaced.
    fn refuse_to_overwrite(&self, place: &Path) -> Result<()> {
        let is_called_index = place
            .extension()
            .is_some_and(|extension| extension == "sbi");
        let is_empty = place
            .metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0);
        if [place, &partial_of(place)]
            .iter()
            .any(|file| self.options.paths().any(|path| is_same_file(file, path)))
        {
            return Err(of_file(place, "the index would overwrite the trace"));
        }
        if matches!(self.opened(place), Err(OpenError::Foreign)) && !is_called_index && !is_empty {
            return Err(of_file(
                place,
                "this file is not an index and will not be overwritten",
            ));
        }
        Ok(())
    }

    /// Builds an index, or waits while another program builds it: two builds would only compete for
    /// the cores.
    fn build_or_wait_at(&self, place: &Path) -> Result<(Index, u64), BuildError> {
        let partial_len = || {
            partial_of(place)
                .metadata()
                .map_or(0, |metadata| metadata.len())
        };
        let (mut len, mut changed) = (partial_len(), Instant::now());
        loop {
            let busy = match self.build_at(place) {
                Err(BuildError::Write { error, path })
                    if error.kind() == ErrorKind::ResourceBusy =>
                {
                    BuildError::Write { error, path }
                }
                built => return built,
            };
            if self.cancel.is_cancelled() {
                return Err(BuildError::Cancelled);
            }
            if changed.elapsed() > PATIENCE {
                return Err(busy);
            }
            std::thread::sleep(WAIT_FOR_OTHERS);
            let is_any_good = self.options.policy == IndexPolicy::Auto && self.follow().is_none();
            if let Some(index) = self.opened(place).ok().filter(|_| is_any_good) {
                return Ok((index, 0));
            }
            let now = partial_len();
            if now != len {
                (len, changed) = (now, Instant::now());
            }
        }
    }

    fn build_at(&self, place: &Path) -> Result<(Index, u64), BuildError> {
        if let Some(directory) = place.parent().filter(|_| self.options.index.is_none()) {
            // The cache directory may not exist yet. The directory of an explicit path is not
            // created.
            let refused = |error| BuildError::Write {
                path: place.to_owned(),
                error,
            };
            std::fs::create_dir_all(directory).map_err(refused)?;
        }
        let partial = partial_of(place);
        if partial
            .symlink_metadata()
            .is_ok_and(|found| !found.is_file())
        {
            // A link in the trace's directory could otherwise lead to any file of the user.
            let error = std::io::Error::other("its .partial is a link or no file");
            return Err(BuildError::Write {
                path: partial,
                error,
            });
        }
        let resumed_bytes = self.build(|build| build.to_file(place))?.resumed_bytes;
        let source = self.input.source.clone();
        if self.follow().is_some() {
            // The trace may have grown meanwhile.
            return Ok((Index::open_stale(source, place)?, resumed_bytes));
        }
        if self.input.is_rewritten(&self.options.path) {
            return Err(BuildError::TraceChanged);
        }
        Ok((
            Index::open(source, place, &self.input.fingerprint)?,
            resumed_bytes,
        ))
    }

    fn refuse_change(&self) -> Result<()> {
        if self.input.is_rewritten(&self.options.path) {
            return Err(self.said(BuildError::TraceChanged));
        }
        Ok(())
    }

    fn said(&self, error: BuildError) -> anyhow::Error {
        let said = of_file(&self.options.path, &error);
        // Keep the typed error as source: callers downcast it to `Damage` and repair the file.
        if Damage::of(&error).is_some() {
            anyhow::Error::new(error).context(said.to_string())
        } else {
            said
        }
    }
}

/// Returns the path of the unfinished index, which is renamed at the end.
fn partial_of(place: &Path) -> PathBuf {
    place.with_added_extension("partial")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n";

    fn opened(trace: &Path, index: &Path) -> Result<Session> {
        let options = OpenOptions {
            index: Some(index.to_owned()),
            ..OpenOptions::new(trace)
        };
        open(&options, &BuildProgress::default(), &Cancel::default())
    }

    #[test]
    fn a_trace_where_the_unfinished_index_would_be_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("a.partial");
        std::fs::write(&trace, TRACE).unwrap();
        let error = opened(&trace, &folder.path().join("a")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains(": the index would overwrite the trace"),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&trace).unwrap(), TRACE);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_where_the_unfinished_index_would_be_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [trace, index, other] =
            ["a.tarmac", "a.sbi", "other"].map(|name| folder.path().join(name));
        std::fs::write(&trace, TRACE).unwrap();
        std::fs::write(&other, "precious").unwrap();
        std::os::unix::fs::symlink(&other, partial_of(&index)).unwrap();
        let session = opened(&trace, &index).unwrap();
        assert_eq!(session.index_path, None);
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "precious");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_where_the_index_would_be_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let [trace, index] = ["a.tarmac", "a.sbi"].map(|name| folder.path().join(name));
        std::fs::write(&trace, TRACE).unwrap();
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&index)
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(opened(&trace, &index).unwrap().index_path, Some(index));
    }
}
