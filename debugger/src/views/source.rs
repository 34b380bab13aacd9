//! The source file of the position, with the line that is executed next.

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_index::answer::ThreadId;
use stepback_parsers::Position;

use super::view::{CursorRow, PanelView, RowGesture, RowListing, ViewStatus};
use crate::action::{Action, Direction, Follow, PanelKind, TravelAction};
use crate::desk::{Desk, SessionChange, SessionWatch};
use crate::image::SourceLine;
use crate::messages::say;
use crate::model::source_view::{
    PositionSource, SourceFile, executed_lines, source_here, thread_or_here,
};
use crate::source::{SourceMap, SourceText};
use crate::worker::{Answer, Slot};

/// Number of lines around the one of the position that stay in view.
const MARGIN: usize = 3;

/// Number of columns that a key scrolls sideways by.
const ASIDE: usize = 8;

/// Name of a file in the image, and the source mappings.
type FileKey = (Arc<str>, SourceMap);

/// The lines of a file.
#[derive(Default, Serialize, Deserialize)]
pub struct SourceView {
    follow: Follow,
    /// Name of the thread whose source is shown; none: the one that executes at the position.
    #[serde(default)]
    thread: Option<String>,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<SourceState>,
}

#[derive(Default)]
struct SourceState {
    here: Slot<(Position, Option<String>), (PositionSource, ThreadId)>,
    /// Line that was shown last: its file stays while the position has no source.
    line: Option<Arc<SourceLine>>,
    requested: Slot<FileKey, Arc<SourceFile>>,
    files: AnswerCache<FileKey, Arc<SourceFile>>,
    requested_executed: Slot<Arc<str>, Arc<HashSet<u32>>>,
    executed: AnswerCache<Arc<str>, Arc<HashSet<u32>>>,
    shown: Option<ShownSource>,
    /// Name of a file that was not found at its recorded path.
    missing: Option<Arc<str>>,
    filter: String,
    /// Number of columns that are scrolled out at the left.
    aside: usize,
    /// Counter of jumps to other lines: the cursor goes to the line of the position when it
    /// changes.
    shows: u64,
}

/// The file on the screen.
pub struct ShownSource {
    pub file: Arc<SourceFile>,
    /// Lines that were executed.
    pub executed: Arc<HashSet<u32>>,
    /// Numbers of the lines that contain the filter's text.
    lines: Vec<u32>,
    chosen_by: String,
}

/// Returns the numbers of the lines that contain a text, in any case.
fn lines_with(filter: &str, text: Option<&SourceText>) -> Vec<u32> {
    let wanted = filter.to_lowercase();
    let lines = (1u32..).zip(text.map_or(&[][..], |text| &text.lines));
    lines
        .filter(|(_, line)| wanted.is_empty() || line.to_lowercase().contains(&wanted))
        .map(|(line, _)| line)
        .collect()
}

fn longest(file: &SourceFile) -> usize {
    file.text
        .iter()
        .flat_map(|text| &text.lines)
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0)
}

/// Describes the line in the file and its relation to the position.
fn summary(here: &PositionSource, text: &SourceText) -> String {
    let name = text
        .path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let place = here
        .line()
        .map_or(name.clone(), |line| format!("{name}:{}", line.line));
    let newer = text
        .is_newer
        .then(|| say!("source-newer-than-the-image").to_owned());
    let words = [Some(place), Some(here.words()), newer];
    words
        .into_iter()
        .flatten()
        .filter(|words| !words.is_empty())
        .collect::<Vec<_>>()
        .join("  ")
}

fn nothing_at(here: &PositionSource) -> ViewStatus {
    let (title, advice) = match here {
        PositionSource::NoImage => (
            say!("source-no-program-image"),
            say!("source-add-the-elf-file-that"),
        ),
        PositionSource::NoLines => (
            say!("source-the-image-has-no-source"),
            say!("source-add-one-that-was-compiled"),
        ),
        PositionSource::Line(_) | PositionSource::Call { .. } | PositionSource::Nowhere(_) => (
            say!("source-no-source-line-here-2"),
            say!("source-neither-this-instruction-nor-a"),
        ),
    };
    ViewStatus::empty(title.to_owned(), advice.to_owned())
}

fn not_found(file: &SourceFile) -> ViewStatus {
    let name = file.name.rsplit(['/', '\\']).next().unwrap_or(&file.name);
    let advice = format!(
        "{} {}",
        say!("source-compiled-as", name = &*file.name),
        say!("terminal-how-to-map-sources")
    );
    ViewStatus::empty(say!("source-not-found", file = name), advice)
}

impl SourceView {
    /// Creates a view of the source at the position that `follow` denotes.
    pub fn new(follow: Follow) -> Self {
        Self {
            follow,
            ..Self::default()
        }
    }

    /// Returns the line that was shown last.
    pub fn line(&self) -> Option<&Arc<SourceLine>> {
        self.state.line.as_ref()
    }

    /// Returns the file as of the last poll.
    pub fn shown(&self) -> Option<&ShownSource> {
        self.state.shown.as_ref()
    }

    /// Returns the name in the image of a file that the last poll did not find.
    pub fn missing(&self) -> Option<&Arc<str>> {
        self.state.missing.as_ref()
    }

    /// Returns the number of columns that are scrolled out at the left.
    pub fn aside(&self) -> usize {
        self.state.aside
    }

    /// Returns the name of the thread whose source is shown; none: the one that executes at the
    /// position.
    pub fn thread_mut(&mut self) -> &mut Option<String> {
        &mut self.thread
    }

    /// Returns the source line and thread of the position, once they are known.
    pub fn here(&self) -> Option<&(PositionSource, ThreadId)> {
        self.state.here.peek().map(|(_, here)| here)
    }

    /// Returns the source line of the position, or the status to show until it is known.
    fn find_here(&mut self, desk: &Desk) -> Result<PositionSource, ViewStatus> {
        if !desk.session.images.are_lines_ready() {
            return Err(ViewStatus::Loading(String::new()));
        }
        let key = (desk.windows.position_of(self.follow), self.thread.clone());
        let answer = self
            .state
            .here
            .poll(&key, &desk.worker, |(position, thread)| {
                let (position, thread, session) =
                    (*position, thread.clone(), Arc::clone(&desk.session));
                move |cancel: &Cancel| {
                    let thread = thread_or_here(&session, thread.as_deref(), position)?;
                    Ok((source_here(&session, thread, position, cancel)?, thread))
                }
            });
        ViewStatus::of_answer(&answer).map(|(here, _)| here)
    }

    /// Returns the file, read now or before.
    fn file(&mut self, name: &Arc<str>, desk: &Desk) -> Result<Arc<SourceFile>, ViewStatus> {
        let key = (Arc::clone(name), desk.sources.map.clone());
        if let Some(file) = self.state.files.get(&key) {
            return Ok(file);
        }
        let answer = self
            .state
            .requested
            .poll(&key, &desk.worker, |(name, map)| {
                let (name, map, session) =
                    (Arc::clone(name), map.clone(), Arc::clone(&desk.session));
                move |cancel: &Cancel| SourceFile::load(&session, &name, &map, cancel).map(Arc::new)
            });
        match answer {
            Answer::Failed(error) => Err(ViewStatus::Failed(error.to_owned())),
            Answer::Fresh(file) => {
                let file = Arc::clone(file);
                // A missing file may exist next time.
                if file.text.is_some() {
                    self.state.files.put(key, Arc::clone(&file));
                }
                Ok(file)
            }
            // The text of another file would be mistaken for this one.
            Answer::Stale(_) | Answer::Late(_) | Answer::Loading => {
                Err(ViewStatus::Loading(String::new()))
            }
        }
    }

    fn executed(&mut self, file: &Arc<SourceFile>, desk: &Desk) -> Arc<HashSet<u32>> {
        if let Some(lines) = self.state.executed.get(&file.name) {
            return lines;
        }
        let answer = self
            .state
            .requested_executed
            .poll_long(&file.name, &desk.worker, |_| {
                let (file, session) = (Arc::clone(file), Arc::clone(&desk.session));
                move |cancel: &Cancel| Ok(Arc::new(executed_lines(&session, &file.code, cancel)?))
            });
        let Answer::Fresh(lines) = answer else {
            return Arc::default();
        };
        self.state
            .executed
            .put(Arc::clone(&file.name), Arc::clone(lines));
        Arc::clone(lines)
    }

    fn show(&mut self, file: Arc<SourceFile>, executed: Arc<HashSet<u32>>) {
        let is_same = |shown: &ShownSource| {
            Arc::ptr_eq(&shown.file, &file) && shown.chosen_by == self.state.filter
        };
        if let Some(shown) = self.state.shown.as_mut().filter(|shown| is_same(shown)) {
            shown.executed = executed;
            return;
        }
        let lines = lines_with(&self.state.filter, file.text.as_ref());
        self.state.shows += 1;
        self.state.shown = Some(ShownSource {
            file,
            executed,
            lines,
            chosen_by: self.state.filter.clone(),
        });
    }

    /// Returns the number of the line in a row.
    pub fn line_at(&self, place: usize) -> Option<u32> {
        self.state.shown.as_ref()?.lines.get(place).copied()
    }

    /// Returns true if a line is the one of the position.
    pub fn is_here(&self, line: u32, file: &SourceFile) -> bool {
        let here = self.here().and_then(|(here, _)| here.line());
        here.is_some_and(|here| here.line == line && here.file == file.name)
    }
}

impl PanelView for SourceView {
    fn kind(&self) -> PanelKind {
        PanelKind::Source
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    fn poll(&mut self, desk: &Desk) -> ViewStatus {
        match self.session.look(&desk.session) {
            SessionChange::Nothing => {}
            // More lines may have been executed.
            SessionChange::Part => self.state.executed = AnswerCache::default(),
            SessionChange::Trace => {
                *self.state = SourceState {
                    shows: self.state.shows,
                    ..SourceState::default()
                }
            }
        }
        // Drop a choice that was made in another trace if this one has no such thread.
        self.thread
            .take_if(|name| desk.session.index.thread_by_name(name).is_none());
        let here = match self.find_here(desk) {
            Ok(here) => here,
            Err(instead) => return instead,
        };
        if let Some(line) = here.line() {
            self.state.line = Some(Arc::clone(line));
        }
        let Some(line) = self.state.line.clone() else {
            return nothing_at(&here);
        };
        let file = match self.file(&line.file, desk) {
            Ok(file) => file,
            Err(instead) => return instead,
        };
        self.state.missing = file.text.is_none().then(|| Arc::clone(&file.name));
        let Some(text) = &file.text else {
            return not_found(&file);
        };
        let executed = self.executed(&file, desk);
        let summary = summary(&here, text);
        self.show(Arc::clone(&file), executed);
        let lines = self
            .state
            .shown
            .as_ref()
            .map_or(&[][..], |shown| &shown.lines);
        if lines.is_empty() && !self.state.filter.is_empty() {
            let title = say!("table-no-row-holds-the-text").to_owned();
            return ViewStatus::empty(title, say!("list-an-empty-filter").to_owned());
        }
        let place = here
            .line()
            .and_then(|line| lines.binary_search(&line.line).ok());
        // The cursor goes to another line, but not at every step of one line.
        let marked = place.map(|place| CursorRow {
            key: (line.line.into(), self.state.shows),
            row: place,
        });
        ViewStatus::Rows(RowListing {
            count: lines.len(),
            summary,
            marked,
        })
    }

    fn margin(&self) -> usize {
        MARGIN
    }

    fn act(
        &mut self,
        place: usize,
        gesture: RowGesture,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) -> bool {
        let Some(line) = self.line_at(place) else {
            return false;
        };
        let direction = match gesture {
            RowGesture::Go => Direction::Forward,
            RowGesture::GoOn => Direction::Back,
            RowGesture::Open => {
                let longest = self
                    .state
                    .shown
                    .as_ref()
                    .map_or(0, |shown| longest(&shown.file));
                self.state.aside = (self.state.aside + ASIDE).min(longest.saturating_sub(1));
                return true;
            }
            RowGesture::Close => {
                self.state.aside = self.state.aside.saturating_sub(ASIDE);
                return true;
            }
            RowGesture::Stay | RowGesture::Remove => return false,
        };
        let Some(shown) = &self.state.shown else {
            return false;
        };
        out.extend(desk.windows.start_from(self.follow));
        out.push(Action::Travel(TravelAction::GoToLine(
            shown.file.name.to_string(),
            line,
            direction,
            self.thread.clone(),
        )));
        true
    }

    fn copied(&self, place: usize) -> Option<String> {
        let text = self.state.shown.as_ref()?.file.text.as_ref()?;
        Some(format!("{}:{}", text.path.display(), self.line_at(place)?))
    }

    fn filter(&mut self, text: &str) -> bool {
        text.trim().clone_into(&mut self.state.filter);
        true
    }

    fn is_waiting(&self) -> bool {
        self.state.here.is_waiting()
    }

    fn is_late(&self) -> bool {
        self.state.here.is_late()
    }

    fn forget(&mut self) {
        *self = Self {
            follow: self.follow,
            ..Self::default()
        };
    }
}

/// Recent answers, the newest last, so that repeating a query does not mean waiting again.
#[derive(Debug)]
struct AnswerCache<K, A> {
    list: Vec<(K, A)>,
}

/// Maximum number of recent answers.
const RECENT: usize = 8;

impl<K, A> Default for AnswerCache<K, A> {
    fn default() -> Self {
        Self { list: Vec::new() }
    }
}

impl<K: PartialEq, A: Clone> AnswerCache<K, A> {
    /// Returns the cached answer to a query.
    fn get(&self, key: &K) -> Option<A> {
        self.list
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, answer)| answer.clone())
    }

    /// Stores an answer and evicts the oldest one if the cache is full.
    fn put(&mut self, key: K, answer: A) {
        self.list.retain(|(known, _)| *known != key);
        self.list.push((key, answer));
        let surplus = self.list.len().saturating_sub(RECENT);
        self.list.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_answers_are_kept() {
        let mut kept = AnswerCache::default();
        (0..20).for_each(|number| kept.put(number, number * 2));
        assert_eq!(
            (kept.get(&11), kept.get(&12), kept.get(&19)),
            (None, Some(24), Some(38))
        );
        kept.put(12, 1);
        kept.put(20, 2);
        assert_eq!((kept.get(&12), kept.get(&13)), (Some(1), None));
    }
}
