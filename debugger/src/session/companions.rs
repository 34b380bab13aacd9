//! Files that a recorder leaves next to a drmemtrace trace.

use std::fs;
use std::path::{Path, PathBuf};

use stepback_parsers::drmemtrace::{CompanionProblems, FunctionList, ModulesLog, PhysicalPages};

use crate::messages::{say, system_words};

/// Maximum length of a companion file in bytes: the largest real ones, of browsers, have some
/// megabytes.
const LENGTH_LIMIT: u64 = 256 << 20;
/// Number of directories above that of the trace in which images are looked for.
const PARENTS: usize = 2;

/// Contents of the files next to a trace; each is optional.
#[derive(Clone, Debug, Default)]
pub struct Companions {
    /// Files that were mapped into memory, and their addresses.
    pub modules: Option<ModulesLog>,
    /// Meaning of the ids of traced functions.
    pub functions: Option<FunctionList>,
    /// Physical page of each virtual page.
    pub pages: Option<PhysicalPages>,
    /// Directories that may contain images, nearest first.
    pub directories: Vec<PathBuf>,
}

impl Companions {
    /// Reads the companions of a trace whose files are in this directory. Adds a notice for each
    /// damaged or unreadable file.
    pub fn beside(trace_directory: &Path, notices: &mut Vec<String>) -> Self {
        let places = places(trace_directory);
        let mut read = |name: &str| {
            let path = places
                .iter()
                .map(|place| place.join(name))
                .find(|path| path.is_file())?;
            contents(&path, notices).map(|bytes| (path, bytes))
        };
        let [modules, functions, pages] =
            ["modules.log", "funclist.log", "v2p.textproto"].map(&mut read);
        let mut tell = |path: &Path, problems: &CompanionProblems| {
            notices.extend(problems.first.first().map(|first| {
                let rest = problems.count.saturating_sub(1);
                say!(
                    "notice-companion-damaged",
                    problem = first.to_string(),
                    more = rest,
                    file = format!("{path:?}")
                )
            }));
        };
        Self {
            modules: modules.map(|(path, bytes)| {
                let log = ModulesLog::parse(&bytes);
                tell(&path, &log.problems);
                log
            }),
            functions: functions.map(|(path, bytes)| {
                let list = FunctionList::parse(&bytes);
                tell(&path, &list.problems);
                list
            }),
            pages: pages.map(|(path, bytes)| {
                let pages = PhysicalPages::parse(&bytes);
                tell(&path, &pages.problems);
                pages
            }),
            directories: whole(trace_directory)
                .ancestors()
                .take(PARENTS + 1)
                .map(Path::to_owned)
                .collect(),
        }
    }
}

/// Returns the directories that may contain companions, nearest first. Recorders leave companions
/// in `raw/` next to `trace/`; people who share traces put them in `aux/` or among the trace's
/// files.
fn places(trace_directory: &Path) -> Vec<PathBuf> {
    let whole = whole(trace_directory);
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let mut tops = vec![whole.clone()];
    if name(&whole).starts_with("window.") {
        tops.extend(whole.parent().map(Path::to_owned));
    }
    if let Some(last) = tops.last().filter(|last| name(last) == "trace") {
        tops.extend(last.parent().map(Path::to_owned));
    }
    let inside = |top: &PathBuf| {
        [
            top.clone(),
            top.join("trace"),
            top.join("raw"),
            top.join("aux"),
        ]
    };
    tops.iter().flat_map(inside).collect()
}

/// Returns the canonical path, so that `trace` has a parent too.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn contents(path: &Path, notices: &mut Vec<String>) -> Option<Vec<u8>> {
    let length = fs::metadata(path).map(|metadata| metadata.len());
    let read = match length {
        Ok(length) if length > LENGTH_LIMIT => {
            Err(std::io::Error::other(say!("notice-companion-too-long")))
        }
        Ok(_) => fs::read(path),
        Err(error) => Err(error),
    };
    read.map_err(|error| {
        notices.push(say!(
            "notice-companion-unreadable",
            error = system_words(&error),
            file = format!("{path:?}")
        ));
    })
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(list: &str, trace: &str, is_found: bool) {
        let folder = tempfile::tempdir().unwrap();
        let [list, trace] = [list, trace].map(|name| folder.path().join(name));
        fs::create_dir_all(list.parent().unwrap()).unwrap();
        fs::create_dir_all(&trace).unwrap();
        fs::write(list, "1,0,0x10,a!f\n").unwrap();
        let mut notices = Vec::new();
        let companions = Companions::beside(&trace, &mut notices);
        assert_eq!(companions.functions.is_some(), is_found);
        assert_eq!(notices, Vec::<String>::new());
    }

    #[test]
    fn companions_are_found_where_recorders_and_archives_put_them() {
        for list in [
            "a.dir/raw/funclist.log",
            "a.dir/aux/funclist.log",
            "a.dir/trace/funclist.log",
            "a.dir/funclist.log",
        ] {
            check(list, "a.dir/trace", true);
            check(list, "a.dir/trace/window.0001", true);
        }
        check("a.dir/aux/funclist.log", "a.dir", true);
        check("a.dir/raw/funclist.log", "a.dir/other", false);
        check("funclist.log", "a.dir/trace", false);
    }

    #[test]
    fn a_damaged_companion_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("funclist.log"), "1,0,0x10,a!f\nx\ny\n").unwrap();
        let mut notices = Vec::new();
        assert_eq!(
            Companions::beside(folder.path(), &mut notices)
                .functions
                .unwrap()
                .functions
                .len(),
            1
        );
        assert!(
            notices[0].starts_with("a file next to the trace is damaged, byte 13: no \"id,"),
            "{notices:?}"
        );
        assert!(notices[0].contains("(1 more like this)"), "{notices:?}");
    }
}
