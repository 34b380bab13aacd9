//! Opening: the index is found or built, and every detour is told in a notice.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use stepback_index::{BuildError, BuildOptions, BuildProgress, Cancel, Index, OpenError, build};
use stepback_parsers::{Address, AnySource};

use super::images;
use super::input::Input;
use super::places::index_places;
use super::same_file::is_same_file;
use super::{IndexPolicy, OpenOptions};
use crate::image::Images;
use crate::source::{SourceMap, SourcePlaces};

/// How long to wait before asking again whether another program has finished its build.
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(20);
/// How long another program's build may stand still before it is no longer waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// A trace that is open. Immutable, shared between threads.
#[derive(Debug)]
pub struct Session {
    /// Answers questions.
    pub index: Arc<Index<AnySource>>,
    /// Symbols of the traced program.
    pub images: Images,
    /// Where sources are that moved since the images were compiled.
    pub source_map: SourceMap,
    /// The trace.
    pub path: PathBuf,
    /// The index file; none when the index lives in memory alone.
    pub index_path: Option<PathBuf>,
    /// What the user should know, one sentence each: a rebuilt index and why, an unwritable place, an image found.
    pub notices: Vec<String>,
    /// True when the index was built just now, false when a fresh one was found.
    pub is_built_now: bool,
    /// The trace's file; none when the trace is no file.
    pub(crate) input: Option<Input>,
}

impl Session {
    /// `file:line` of the source of an instruction, the file where it is by now as far as mappings say so.
    /// Blocks: see [`Images::source_at`].
    pub fn source_text(&self, address: Address) -> Option<String> {
        let line = self.images.source_at(address)?;
        Some(format!("{}:{}", self.source_map.text(&line.file), line.line))
    }

    /// Where to look for sources, with these mappings.
    pub fn source_places(&self, map: SourceMap) -> SourcePlaces {
        let images = self.images.infos().iter().map(|info| &*info.spec.path);
        SourcePlaces::beside(map, images.chain([&*self.path]))
    }

    /// Whether the trace file is no longer what was opened: rewritten, longer, or another file of the same name.
    /// One `stat`; a file that is missing just now does not count, since its writer may be at it.
    pub fn is_trace_changed(&self) -> bool {
        self.input.as_ref().is_some_and(|input| input.is_changed(&self.path))
    }
}

/// Opens a trace. Blocks for as long as the index takes to build.
///
/// # Errors
/// One sentence that names the file.
pub fn open(options: &OpenOptions, progress: &BuildProgress, cancel: &Cancel) -> Result<Session> {
    let input = Input::open(options)?;
    // Before the index: a misspelt image should not cost the time of a build.
    let mut notices = Vec::new();
    let images = images::load(options, &mut notices)?;
    let places = index_places(&options.path, options.index.as_deref());
    let mut search = IndexSearch { options, input, places, progress, cancel, notices };
    let (index, is_built_now) = search.index()?;
    let mut index = index.with_program(images.program());
    if let Err(error) = index.find_tail_calls(cancel) {
        search.notices.push(format!("tail calls cannot be told from other jumps: {error}"));
    }
    let index_path = index.path().map(Path::to_owned);
    let (input, notices) = (Some(search.input), search.notices);
    let path = options.path.clone();
    let index = Arc::new(index);
    let source_map = SourceMap::new(options.source_map.clone());
    Ok(Session { index, images, source_map, path, index_path, notices, is_built_now, input })
}

/// The way to an index.
struct IndexSearch<'a> {
    options: &'a OpenOptions,
    input: Input,
    /// Where it may lie, best first.
    places: Vec<PathBuf>,
    progress: &'a BuildProgress,
    cancel: &'a Cancel,
    notices: Vec<String>,
}

impl IndexSearch<'_> {
    /// An index, and whether it was built just now.
    fn index(&mut self) -> Result<(Index<AnySource>, bool)> {
        match self.options.policy {
            IndexPolicy::Auto => {
                if let Some(index) = self.fresh() {
                    return Ok((index, false));
                }
                Ok((self.built()?, true))
            }
            IndexPolicy::Force => Ok((self.built()?, true)),
            IndexPolicy::Never => Ok((self.existing()?, false)),
        }
    }

    /// The first index that belongs to the trace. Why the best of the others does not is a notice: it is rebuilt.
    fn fresh(&mut self) -> Option<Index<AnySource>> {
        let mut reason = None;
        for place in &self.places {
            match self.opened(place) {
                Ok(index) => return Some(index),
                Err(OpenError::Missing) => {}
                Err(why) => reason = reason.or(Some(format!("the index was rebuilt: {why}: {place:?}"))),
            }
        }
        self.notices.extend(reason);
        None
    }

    /// The index at a place. A pipe that bears its name is not opened: that would wait for a writer.
    fn opened(&self, place: &Path) -> Result<Index<AnySource>, OpenError> {
        if place.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(OpenError::Foreign);
        }
        Index::open(self.input.source.clone(), place, &self.input.fingerprint)
    }

    /// Any complete index, fresh ones first.
    fn existing(&mut self) -> Result<Index<AnySource>> {
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
        if let Some((place, why)) = stale {
            self.notices.push(format!("the index is stale and answers may be wrong: {why}: {place:?}"));
            let unusable = |why| anyhow!("the index cannot be used: {why}: {place:?}");
            return Index::open_stale(self.input.source.clone(), place).map_err(unusable);
        }
        match reason {
            Some((place, why)) => bail!("the index cannot be used, and none may be built: {why}: {place:?}"),
            None => bail!("there is no index, and none may be built: {:?}", self.options.path),
        }
    }

    /// A new index at the best place that can be written, in memory where none can.
    fn built(&mut self) -> Result<Index<AnySource>> {
        let mut refusal = None;
        for place in &self.places {
            self.refuse_to_overwrite(place)?;
            match self.build_or_wait_at(place) {
                Ok(index) => {
                    let elsewhere = refusal.map(|refusal| format!("{refusal}; it is kept at {place:?}"));
                    self.notices.extend(elsewhere);
                    return Ok(index);
                }
                Err(BuildError::Write { error, .. }) => {
                    let sentence = format!("the index cannot be written to {place:?} ({error})");
                    refusal = refusal.or(Some(sentence));
                }
                Err(error) => return Err(self.said(&error)),
            }
        }
        let refusal = refusal.unwrap_or_else(|| "there is no place for the index".to_owned());
        if self.options.is_index_wanted {
            bail!("{refusal}");
        }
        let source = self.input.source.clone();
        let index = Index::in_memory_watched(source, &self.build_options(), self.progress, self.cancel);
        let index = index.map_err(|error| self.said(&error))?;
        self.refuse_change()?;
        self.notices.push(format!("{refusal}; it lives in memory and will be built again next time"));
        Ok(index)
    }

    /// A misspelt `--index` must not cost somebody his file: only what is an index, or is called one, is replaced.
    fn refuse_to_overwrite(&self, place: &Path) -> Result<()> {
        let is_called_index = place.extension().is_some_and(|extension| extension == "sbi");
        let is_empty = place.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0);
        if [place, &partial_of(place)].iter().any(|file| is_same_file(file, &self.options.path)) {
            bail!("the index would overwrite the trace: {place:?}");
        }
        if matches!(self.opened(place), Err(OpenError::Foreign)) && !is_called_index && !is_empty {
            bail!("this file is no index and will not be overwritten: {place:?}");
        }
        Ok(())
    }

    /// Builds, or waits while another program does: two would only take the cores from each other.
    fn build_or_wait_at(&self, place: &Path) -> Result<Index<AnySource>, BuildError> {
        let partial_len = || partial_of(place).metadata().map_or(0, |metadata| metadata.len());
        let (mut len, mut changed) = (partial_len(), Instant::now());
        loop {
            let busy = match self.build_at(place) {
                Err(BuildError::Write { error, path }) if error.kind() == ErrorKind::ResourceBusy => {
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
            let is_any_good = self.options.policy == IndexPolicy::Auto;
            if let Some(index) = self.opened(place).ok().filter(|_| is_any_good) {
                return Ok(index);
            }
            let now = partial_len();
            if now != len {
                (len, changed) = (now, Instant::now());
            }
        }
    }

    fn build_at(&self, place: &Path) -> Result<Index<AnySource>, BuildError> {
        let Input { source, fingerprint } = &self.input;
        if let Some(directory) = place.parent().filter(|_| self.options.index.is_none()) {
            // The cache directory may not exist yet; an explicit path is taken at its word.
            let refused = |error| BuildError::Write { path: place.to_owned(), error };
            std::fs::create_dir_all(directory).map_err(refused)?;
        }
        let partial = partial_of(place);
        if partial.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            // Whoever made the trace's directory could have any file of the user's overwritten by a link.
            let error = std::io::Error::other("its .partial is a link or no file");
            return Err(BuildError::Write { path: partial, error });
        }
        build(&**source, fingerprint, place, &self.build_options(), self.progress, self.cancel)?;
        if self.input.is_changed(&self.options.path) {
            return Err(BuildError::TraceChanged);
        }
        Ok(Index::open(source.clone(), place, fingerprint)?)
    }

    fn refuse_change(&self) -> Result<()> {
        if self.input.is_changed(&self.options.path) {
            return Err(self.said(&BuildError::TraceChanged));
        }
        Ok(())
    }

    fn build_options(&self) -> BuildOptions {
        BuildOptions { threads: self.options.threads, ..BuildOptions::default() }
    }

    fn said(&self, error: &BuildError) -> anyhow::Error {
        anyhow!("{error}: {:?}", self.options.path)
    }
}

/// What the index is written to before it gets its name.
fn partial_of(place: &Path) -> PathBuf {
    place.with_added_extension("partial")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n";

    fn opened(trace: &Path, index: &Path) -> Result<Session> {
        let options = OpenOptions { index: Some(index.to_owned()), ..OpenOptions::new(trace) };
        open(&options, &BuildProgress::default(), &Cancel::default())
    }

    #[test]
    fn a_trace_where_the_unfinished_index_would_be_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("a.partial");
        std::fs::write(&trace, TRACE).unwrap();
        let error = opened(&trace, &folder.path().join("a")).unwrap_err();
        assert!(error.to_string().starts_with("the index would overwrite the trace"), "{error}");
        assert_eq!(std::fs::read_to_string(&trace).unwrap(), TRACE);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_where_the_unfinished_index_would_be_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [trace, index, other] = ["a.tarmac", "a.sbi", "other"].map(|name| folder.path().join(name));
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
        assert!(std::process::Command::new("mkfifo").arg(&index).status().unwrap().success());
        assert_eq!(opened(&trace, &index).unwrap().index_path, Some(index));
    }
}
