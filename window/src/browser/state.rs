//! State of the file browser, and the effects of keys and clicks.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use stepback_debugger::messages::say;
use stepback_debugger::program::{FilePurpose, PickedKind};
use stepback_debugger::worker::{Answer, JobLane, Slot, Ticket, Worker};
use stepback_index::Cancel;

use super::listing::{
    FolderEntry, FolderListing, ListingDepth, NameFilter, SortOrder, common, list, rows,
};
use crate::browser::listing::{FolderShortcut, split_typed, typed_path};

/// State of the open file browser.
pub struct FileBrowser {
    /// Purpose of the chosen files.
    pub purpose: FilePurpose,
    pub(super) pick: PickedKind,
    /// Reason for opening the browser, if the user did not open it.
    pub(super) notice: Option<String>,
    pub(super) places: Vec<FolderShortcut>,
    pub(super) folder: PathBuf,
    /// The path while it is being typed.
    pub(super) typed: Option<String>,
    pub(super) filter: String,
    /// Name of the wanted file, and whether only files with this name are shown.
    pub(super) wanted_file: Option<String>,
    pub(super) shows_others: bool,
    /// Name of the file to save.
    pub(super) name: String,
    pub(super) cursor: Option<RowCursor>,
    /// Name of the entry that gets the cursor once the folder is shown.
    goal: Option<OsString>,
    /// Names of the files marked for opening together.
    pub(super) marked: BTreeSet<OsString>,
    /// Existing file that would be overwritten, until the user decides.
    pub(super) overwritten: Option<PathBuf>,
    /// Path to save to, with the check whether it exists.
    sought: Option<(PathBuf, Option<Ticket<SaveTarget>>)>,
    pub(super) error: Option<String>,
    pub(super) wanted_focus: Option<FieldName>,
    pub(super) is_revealing: bool,
    pub(super) shown: Option<Arc<SortedFolder>>,
    /// Incremented to read the folder again.
    reading: u64,
    named: Slot<FolderQuery, Arc<FolderListing>>,
    detailed: Slot<FolderQuery, Arc<FolderListing>>,
    ordered: Slot<SortedFolderQuery, Arc<SortedFolder>>,
}

/// Initial state of a browser.
pub struct BrowserStart {
    pub purpose: FilePurpose,
    pub folder: PathBuf,
    pub places: Vec<FolderShortcut>,
    /// Reason for opening the browser, if the user did not open it.
    pub notice: Option<String>,
}

/// State outside the browser that it reads and changes.
pub struct BrowserContext<'a> {
    pub worker: &'a Worker,
    /// Display options of folders, which are saved.
    pub order: &'a mut SortOrder,
}

/// Outcome of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileBrowserOutcome {
    Open,
    /// The user closed the browser.
    Left,
    /// The user chose these files, or this folder.
    Chosen(Vec<PathBuf>),
}

#[derive(Clone, Debug)]
pub(super) struct RowCursor {
    pub row: usize,
    name: OsString,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldName {
    Path,
    Filter,
    Name,
}

/// State of the path to save to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SaveTarget {
    Nothing,
    File,
    Folder,
    /// The parent folder does not exist either, which the list reports.
    NoFolder,
}

impl SaveTarget {
    fn at(path: &Path) -> Result<Self> {
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                match path.parent().filter(|folder| !folder.is_dir()) {
                    Some(_) => Ok(Self::NoFolder),
                    None => Ok(Self::Nothing),
                }
            }
            Err(error) => Err(error.into()),
            Ok(_) if path.is_dir() => Ok(Self::Folder),
            Ok(_) => Ok(Self::File),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FolderQuery {
    path: PathBuf,
    reading: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct SortedFolderQuery {
    folder: FolderQuery,
    has_details: bool,
    order: SortOrder,
    filter: NameFilter,
}

/// Filtered and sorted rows of a folder.
pub(super) struct SortedFolder {
    wanted: SortedFolderQuery,
    pub listing: Arc<FolderListing>,
    pub rows: Vec<usize>,
}

/// State of the requested rows.
pub(super) enum FolderStatus {
    Ready,
    /// The rows are pending; the previous ones are still shown.
    Waiting,
    /// The folder cannot be shown, with the reason.
    Failed(String),
}

impl SortedFolder {
    pub fn entry(&self, row: usize) -> Option<&FolderEntry> {
        self.rows
            .get(row)
            .and_then(|place| self.listing.entries.get(*place))
    }

    fn find(&self, is_it: impl Fn(&FolderEntry) -> bool) -> Option<usize> {
        (0..self.rows.len()).find(|row| self.entry(*row).is_some_and(&is_it))
    }
}

/// Returns the field that has the keyboard at first.
pub(super) fn first_field(pick: PickedKind) -> FieldName {
    if pick == PickedKind::Place {
        FieldName::Name
    } else {
        FieldName::Filter
    }
}

impl FileBrowser {
    pub fn new(begin: BrowserStart) -> Self {
        let BrowserStart {
            purpose,
            folder,
            places,
            notice,
        } = begin;
        let pick = purpose.pick();
        let name = purpose.suggested_name().unwrap_or_default();
        let wanted_file = purpose.wanted_name().map(str::to_owned);
        Self {
            purpose,
            pick,
            notice,
            places,
            folder,
            typed: None,
            filter: String::new(),
            wanted_file,
            shows_others: false,
            name,
            cursor: None,
            goal: None,
            marked: BTreeSet::new(),
            overwritten: None,
            sought: None,
            error: None,
            wanted_focus: Some(first_field(pick)),
            is_revealing: false,
            shown: None,
            reading: 0,
            named: Slot::default(),
            detailed: Slot::default(),
            ordered: Slot::default(),
        }
    }

    /// Returns the current folder, for the next time.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder of the typed path the current one.
    pub(super) fn settle(&mut self) {
        if self.typed.is_some() {
            self.folder = self.wanted_folder();
            self.typed = None;
        }
    }

    /// Returns the folder to list: that of the typed path, or else the current one.
    fn wanted_folder(&self) -> PathBuf {
        match &self.typed {
            Some(text) => typed_path(split_typed(text).0, &self.folder),
            None => self.folder.clone(),
        }
    }

    fn wanted_filter(&self) -> NameFilter {
        let part = match &self.typed {
            Some(text) => split_typed(text).1,
            None => &self.filter,
        };
        NameFilter {
            part: part.to_owned(),
            is_begin: self.typed.is_some(),
            file: self.wanted_file.clone().filter(|_| !self.shows_others),
        }
    }

    /// Returns what the confirming button does; none if it cannot do anything yet.
    pub(super) fn effect(&self) -> Option<String> {
        if !matches!(self.pick, PickedKind::File | PickedKind::Files) || !self.marked.is_empty() {
            return None;
        }
        let is_whole = self.purpose == FilePurpose::Trace;
        if let Some(folder) = self.trace_folder().filter(|_| is_whole) {
            let name = folder.file_name().unwrap_or(folder.as_os_str());
            return Some(say!("files-opens-folder", name = name.to_string_lossy()));
        }
        let row = self.cursor.as_ref().map(|cursor| cursor.row);
        let only = Some(0).filter(|_| !self.filter.is_empty() || self.row_count() == 1);
        let entry = self.entry(row.or(only)?)?;
        Some(match entry.is_folder {
            true => say!("files-shows-folder", name = &*entry.shown),
            false => say!("files-opens-file", name = &*entry.shown),
        })
    }

    /// Starts the queries that read and sort the folder.
    pub(super) fn look(&mut self, around: &BrowserContext<'_>) -> FolderStatus {
        let folder = FolderQuery {
            path: self.wanted_folder(),
            reading: self.reading,
        };
        let read = |depth| {
            move |folder: &FolderQuery| {
                let path = folder.path.clone();
                move |cancel: &Cancel| list(&path, depth, cancel).map(Arc::new)
            }
        };
        let named = match self
            .named
            .poll(&folder, around.worker, read(ListingDepth::Names))
        {
            Answer::Fresh(listing) => listing.clone(),
            Answer::Failed(error) => return FolderStatus::Failed(error.to_owned()),
            Answer::Stale(_) | Answer::Late(_) | Answer::Loading => return FolderStatus::Waiting,
        };
        let detailed =
            match self
                .detailed
                .poll_long(&folder, around.worker, read(ListingDepth::Details))
            {
                Answer::Fresh(listing) => Some(listing.clone()),
                _ => None,
            };
        let (order, filter) = (*around.order, self.wanted_filter());
        let wanted = SortedFolderQuery {
            folder,
            has_details: detailed.is_some(),
            order,
            filter,
        };
        let listing = detailed.unwrap_or(named);
        let answer = self.ordered.poll(&wanted, around.worker, |wanted| {
            let wanted = wanted.clone();
            move |_: &Cancel| {
                let rows = rows(&listing, wanted.order, &wanted.filter);
                Ok(Arc::new(SortedFolder {
                    wanted,
                    listing,
                    rows,
                }))
            }
        });
        match answer {
            Answer::Fresh(shown) => {
                let shown = shown.clone();
                self.show(shown);
                FolderStatus::Ready
            }
            Answer::Failed(error) => FolderStatus::Failed(error.to_owned()),
            _ => FolderStatus::Waiting,
        }
    }

    /// Shows rows. The cursor stays on its file if the folder is the same, and is removed
    /// otherwise.
    fn show(&mut self, shown: Arc<SortedFolder>) {
        if self
            .shown
            .as_ref()
            .is_some_and(|before| Arc::ptr_eq(before, &shown))
        {
            return;
        }
        let is_same = self
            .shown
            .as_ref()
            .is_some_and(|before| before.wanted.folder.path == shown.wanted.folder.path);
        let name = self
            .cursor
            .take()
            .map(|cursor| cursor.name)
            .filter(|_| is_same);
        let row = self
            .goal
            .take()
            .or(name)
            .and_then(|name| shown.find(|entry| entry.name == name));
        self.shown = Some(shown);
        if let Some(row) = row {
            self.put_cursor(row);
        }
    }

    pub(super) fn entry(&self, row: usize) -> Option<&FolderEntry> {
        self.shown.as_ref()?.entry(row)
    }

    pub(super) fn row_count(&self) -> usize {
        self.shown.as_ref().map_or(0, |shown| shown.rows.len())
    }

    /// Moves the cursor to a row. When saving, a file's name becomes the name to save under.
    pub(super) fn put_cursor(&mut self, row: usize) {
        let found = self
            .entry(row)
            .map(|entry| (entry.name.clone(), entry.shown.clone(), entry.is_folder));
        let Some((name, shown, is_folder)) = found else {
            return;
        };
        if self.pick == PickedKind::Place && !is_folder {
            self.name = shown;
        }
        if self
            .cursor
            .as_ref()
            .is_none_or(|cursor| cursor.name != name)
        {
            self.forget_place();
        }
        self.cursor = Some(RowCursor { row, name });
        self.is_revealing = true;
    }

    /// Moves the cursor by a number of rows.
    pub(super) fn move_cursor(&mut self, by: isize) {
        let Some(last) = self.row_count().checked_sub(1) else {
            return;
        };
        let row = match &self.cursor {
            Some(cursor) => cursor.row.saturating_add_signed(by).min(last),
            None if by > 0 => (by.unsigned_abs() - 1).min(last),
            None => last,
        };
        self.put_cursor(row);
    }

    /// Shows a folder.
    pub(super) fn enter(&mut self, folder: PathBuf) {
        self.folder = folder;
        self.typed = None;
        self.filter.clear();
        self.cursor = None;
        self.marked.clear();
        self.error = None;
        self.forget_place();
        self.wanted_focus = Some(first_field(self.pick));
    }

    /// Drops the pending save.
    pub(super) fn forget_place(&mut self) {
        (self.overwritten, self.sought) = (None, None);
    }

    /// Shows the parent folder, with the cursor on the current one.
    pub(super) fn go_up(&mut self) {
        let Some(parent) = self.folder.parent().map(Path::to_owned) else {
            return;
        };
        let name = self.folder.file_name().map(OsString::from);
        self.enter(parent);
        self.goal = name;
    }

    pub(super) fn read_again(&mut self) {
        self.reading += 1;
    }

    /// Marks a file for opening with others, or unmarks it.
    pub(super) fn mark(&mut self, row: usize) {
        let Some(name) = self
            .entry(row)
            .filter(|entry| !entry.is_folder)
            .map(|entry| entry.name.clone())
        else {
            return;
        };
        if self.pick == PickedKind::Files && !self.marked.remove(&name) {
            self.marked.insert(name);
        }
    }

    /// Handles Enter in the path field.
    pub(super) fn submit_typed(&mut self) -> FileBrowserOutcome {
        let Some(text) = self.typed.clone() else {
            return FileBrowserOutcome::Open;
        };
        let (_, name) = split_typed(&text);
        if self.pick == PickedKind::Folder && self.cursor.is_none() && !matches!(name, "." | "..") {
            return self.choose_folder();
        }
        if name.is_empty() || matches!(name, "." | "..") {
            let folder = typed_path(&text, &self.folder);
            self.enter(std::path::absolute(&folder).unwrap_or(folder));
            return FileBrowserOutcome::Open;
        }
        let named = self
            .shown
            .as_ref()
            .and_then(|shown| shown.find(|entry| entry.shown == name));
        // The name of a new file may well be a prefix of the only row.
        let only = Some(0).filter(|_| self.row_count() == 1 && self.pick != PickedKind::Place);
        match self
            .cursor
            .as_ref()
            .map(|cursor| cursor.row)
            .or(named)
            .or(only)
        {
            Some(row) => self.activate(row),
            None if self.pick == PickedKind::Place => {
                let folder = self.wanted_folder();
                self.enter(folder);
                self.name = name.to_owned();
                self.save()
            }
            None => {
                self.error = Some(say!("files-nothing-begins-so", text = format!("{text:?}")));
                FileBrowserOutcome::Open
            }
        }
    }

    /// Handles Enter in the list: chooses the marked files, or else the row under the cursor, or
    /// else the first row that the filter leaves.
    pub(super) fn submit_list(&mut self) -> FileBrowserOutcome {
        if !self.marked.is_empty() {
            let folder = self.wanted_folder();
            return FileBrowserOutcome::Chosen(
                self.marked.iter().map(|name| folder.join(name)).collect(),
            );
        }
        let first = Some(0).filter(|_| !self.filter.is_empty() || self.row_count() == 1);
        match self.cursor.as_ref().map(|cursor| cursor.row).or(first) {
            Some(row) => self.activate(row),
            None => {
                self.error = Some(say!("files-choose-one").to_owned());
                FileBrowserOutcome::Open
            }
        }
    }

    /// Returns the folder that is a trace as a whole: the one under the cursor, the one whose name
    /// is typed, or the current one.
    fn trace_folder(&self) -> Option<PathBuf> {
        let shown = self
            .shown
            .as_ref()
            .filter(|shown| shown.wanted.folder.path == self.wanted_folder())?;
        let name = self.typed.as_deref().map_or("", |text| split_typed(text).1);
        let row = match &self.cursor {
            Some(cursor) => Some(cursor.row),
            None if name.is_empty() => None,
            None => Some(shown.find(|entry| entry.shown == name)?),
        };
        let Some(row) = row else {
            return shown
                .listing
                .format
                .filter(|_| self.filter.is_empty())
                .map(|_| self.wanted_folder());
        };
        let entry = shown
            .entry(row)
            .filter(|entry| entry.is_folder && entry.format.is_some())?;
        Some(self.wanted_folder().join(&entry.name))
    }

    /// Handles the button that opens. It opens a trace of many files as a whole, where Enter goes
    /// into its folder.
    fn open_chosen(&mut self) -> FileBrowserOutcome {
        let is_whole = self.purpose == FilePurpose::Trace && self.marked.is_empty();
        match (
            self.trace_folder().filter(|_| is_whole),
            self.typed.is_some(),
        ) {
            (Some(folder), _) => FileBrowserOutcome::Chosen(vec![folder]),
            (None, true) => self.submit_typed(),
            (None, false) => self.submit_list(),
        }
    }

    /// Activates a row: enters a folder or chooses a file.
    pub(super) fn activate(&mut self, row: usize) -> FileBrowserOutcome {
        let Some(entry) = self.entry(row) else {
            return FileBrowserOutcome::Open;
        };
        let (is_folder, name) = (entry.is_folder, entry.shown.clone());
        let path = self.wanted_folder().join(&entry.name);
        self.settle();
        match self.pick {
            _ if is_folder => {
                self.enter(path);
                FileBrowserOutcome::Open
            }
            PickedKind::Place => {
                self.name = name;
                self.forget_place();
                // Uses the real name: the displayed name may lack characters that cannot be shown.
                self.sought = Some((path, None));
                FileBrowserOutcome::Open
            }
            PickedKind::Folder => {
                self.error = Some(say!("files-folder-wanted", name = format!("{name:?}")));
                FileBrowserOutcome::Open
            }
            PickedKind::File | PickedKind::Files => FileBrowserOutcome::Chosen(vec![path]),
        }
    }

    /// Saves under the name, once it is known whether the file exists.
    pub(super) fn save(&mut self) -> FileBrowserOutcome {
        self.settle();
        let name = self.name.trim().to_owned();
        if name.is_empty() {
            self.error = Some(say!("files-name-wanted").to_owned());
            return FileBrowserOutcome::Open;
        }
        let (folder, last) = split_typed(&name);
        if !folder.is_empty() {
            let (folder, last) = (typed_path(folder, &self.folder), last.to_owned());
            self.enter(folder);
            self.name = last;
        }
        self.forget_place();
        if !self.name.is_empty() {
            self.sought = Some((
                self.purpose.whole_place(self.folder.join(self.name.trim())),
                None,
            ));
        }
        FileBrowserOutcome::Open
    }

    /// Checks the path to save to. The displayed rows may be outdated or belong to another folder.
    pub(super) fn advance_save(&mut self, worker: &Worker) -> FileBrowserOutcome {
        let Some((path, ticket)) = &mut self.sought else {
            return FileBrowserOutcome::Open;
        };
        let path = path.clone();
        let looked = path.clone();
        let ticket = ticket
            .get_or_insert_with(|| worker.spawn(JobLane::Short, move |_| SaveTarget::at(&looked)));
        let Some(there) = ticket.take() else {
            return FileBrowserOutcome::Open;
        };
        self.sought = None;
        match there {
            Ok(SaveTarget::Nothing) => return FileBrowserOutcome::Chosen(vec![path]),
            Ok(SaveTarget::File) => self.overwritten = Some(path),
            Ok(SaveTarget::Folder) => self.enter(path),
            Ok(SaveTarget::NoFolder) => {}
            Err(error) => self.error = Some(format!("{error:#}")),
        }
        FileBrowserOutcome::Open
    }

    /// Handles the button that confirms the dialog.
    pub(super) fn finish(&mut self) -> FileBrowserOutcome {
        let name = self
            .typed
            .as_deref()
            .map(|text| split_typed(text).1)
            .unwrap_or_default();
        match self.pick {
            PickedKind::Folder => self.choose_folder(),
            PickedKind::Place if name.is_empty() => self.save(),
            PickedKind::Place => self.submit_typed(),
            PickedKind::File | PickedKind::Files => self.open_chosen(),
        }
    }

    /// Chooses the current folder, or the one whose full name is typed.
    fn choose_folder(&mut self) -> FileBrowserOutcome {
        let name = self
            .typed
            .as_deref()
            .map(|text| split_typed(text).1)
            .unwrap_or_default();
        let is_it = |entry: &FolderEntry| entry.is_folder && entry.shown == name;
        let named = self
            .shown
            .as_ref()
            .and_then(|shown| shown.entry(shown.find(is_it)?))
            .map(|entry| &entry.name);
        let path = match named {
            Some(named) => self.wanted_folder().join(named),
            None if name.is_empty() => self.wanted_folder(),
            None => {
                self.error = Some(say!("files-nothing-begins-so", text = format!("{name:?}")));
                return FileBrowserOutcome::Open;
            }
        };
        FileBrowserOutcome::Chosen(vec![path])
    }

    /// Extends the typed path by the common prefix of all rows.
    pub(super) fn complete(&mut self) {
        let (Some(text), Some(shown)) = (&self.typed, &self.shown) else {
            return;
        };
        let (folder, name) = split_typed(text);
        let all = (0..shown.rows.len()).filter_map(|row| shown.entry(row));
        let Some(mut whole) =
            common(all.map(|entry| &*entry.shown)).filter(|whole| whole.len() >= name.len())
        else {
            return;
        };
        if shown.rows.len() == 1 && shown.entry(0).is_some_and(|entry| entry.is_folder) {
            whole.push(std::path::MAIN_SEPARATOR);
        }
        self.typed = Some(format!("{folder}{whole}"));
        self.wanted_focus = Some(FieldName::Path);
    }
}
