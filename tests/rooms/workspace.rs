//! The module trees of all crates, read from their sources.

use std::collections::HashMap;
use std::path::PathBuf;

use rayon::prelude::*;

use crate::rooms::scan::file_scan::{Fact, FileScan, ItemScan, ModuleScan, UseScan};
use crate::rooms::scan::{holds_modules_only, scan};

/// Origin of sources: a folder, or the text of a test.
pub trait Sources: Sync {
    /// Returns the text of a file, if it exists. Paths are relative to the repository and use `/`.
    fn read(&self, path: &str) -> Option<String>;
}

/// The repository on disk.
pub struct Disk(pub PathBuf);

impl Sources for Disk {
    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(path)).ok()
    }
}

/// A crate by its name in paths and its first file.
#[derive(Clone, Copy)]
pub struct CrateFile {
    pub name: &'static str,
    pub file: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub usize);

/// One module, in a file or inline.
pub struct Module {
    pub parent: Option<ModuleId>,
    /// The crate root, which `crate` names here.
    pub root: ModuleId,
    pub file: FileId,
    pub items: HashMap<String, ItemScan>,
    pub children: HashMap<String, ModuleId>,
    pub uses: Vec<UseScan>,
    /// Every path in its code, with the first line, in order.
    pub paths: Vec<(Vec<String>, usize)>,
}

/// A fact and its module.
pub struct PlacedFact {
    pub module: ModuleId,
    pub fact: Fact,
}

/// All crates.
#[derive(Default)]
pub struct Workspace {
    pub crates: HashMap<String, ModuleId>,
    pub modules: Vec<Module>,
    pub files: Vec<String>,
    pub facts: Vec<PlacedFact>,
    /// Messages about unreadable files.
    pub problems: Vec<String>,
}

/// A file that a module declares.
struct Wanted {
    crate_name: Option<&'static str>,
    name: String,
    parent: Option<ModuleId>,
    /// Possible locations; the first existing one counts.
    candidates: Vec<String>,
}

/// The content of a file.
struct Read {
    path: String,
    scan: Result<FileScan, String>,
}

impl Workspace {
    /// Reads the crates that exist, level by level of their module trees.
    pub fn load(sources: &impl Sources, crates: &[CrateFile]) -> Self {
        let mut workspace = Self::default();
        let mut wanted: Vec<Wanted> = crates
            .iter()
            .filter(|one| sources.read(one.file).is_some())
            .map(|one| Wanted {
                crate_name: Some(one.name),
                name: String::new(),
                parent: None,
                candidates: vec![one.file.to_owned()],
            })
            .collect();
        while !wanted.is_empty() {
            let read: Vec<_> = wanted.par_iter().map(|one| read(sources, one)).collect();
            wanted = wanted
                .into_iter()
                .zip(read)
                .flat_map(|(one, read)| workspace.add(one, read))
                .collect();
        }
        workspace
    }

    pub fn file_of(&self, module: ModuleId) -> FileId {
        self.modules[module.0].file
    }

    pub fn path_of(&self, file: FileId) -> &str {
        &self.files[file.0]
    }

    /// Adds a file and returns the files that it declares.
    fn add(&mut self, wanted: Wanted, read: Option<Read>) -> Vec<Wanted> {
        let missing = || {
            format!(
                "no file for mod {}: {}",
                wanted.name,
                wanted.candidates.join(" or ")
            )
        };
        let (path, scan) = match read
            .ok_or_else(missing)
            .and_then(|Read { path, scan }| Ok((path, scan?)))
        {
            Ok(read) => read,
            Err(problem) => {
                self.problems.push(problem);
                return Vec::new();
            }
        };
        let file = FileId(self.files.len());
        self.files.push(path.clone());
        let first = self.modules.len();
        if let Some(name) = wanted.crate_name {
            self.crates.insert(name.to_owned(), ModuleId(first));
        }
        let mut declared = Vec::new();
        let mut folders: Vec<String> = Vec::new();
        for (at, mut module) in scan.modules.into_iter().enumerate() {
            let id = ModuleId(first + at);
            let folder = match module.parent {
                Some(parent) => format!("{}/{}", folders[parent], module.name),
                None => folder_of_children(&path),
            };
            for file in module.files.drain(..) {
                let candidates = match &file.path {
                    Some(path_given) => vec![format!("{}/{path_given}", folder_of(&path))],
                    None => vec![
                        format!("{folder}/{}.rs", file.name),
                        format!("{folder}/{}/mod.rs", file.name),
                    ],
                };
                declared.push(Wanted {
                    crate_name: None,
                    name: file.name,
                    parent: Some(id),
                    candidates,
                });
            }
            folders.push(folder);
            let (parent, name) = match module.parent {
                Some(parent) => (Some(ModuleId(first + parent)), module.name.clone()),
                None => (wanted.parent, wanted.name.clone()),
            };
            self.add_module(
                Linked {
                    id,
                    parent,
                    name,
                    file,
                },
                module,
            );
        }
        let facts = scan.facts.into_iter();
        self.facts.extend(facts.map(|fact| PlacedFact {
            module: ModuleId(first + fact.module),
            fact,
        }));
        declared
    }

    fn add_module(&mut self, linked: Linked, scan: ModuleScan) {
        let Linked {
            id,
            parent,
            name,
            file,
        } = linked;
        let root = parent.map_or(id, |parent| self.modules[parent.0].root);
        if let Some(parent) = parent {
            self.modules[parent.0].children.insert(name, id);
        }
        self.modules.push(Module {
            parent,
            root,
            file,
            items: scan
                .items
                .into_iter()
                .map(|item| (item.name.clone(), item))
                .collect(),
            children: HashMap::new(),
            uses: scan.uses,
            paths: scan.paths.into_iter().collect(),
        });
    }
}

/// Place of a module in the tree.
struct Linked {
    id: ModuleId,
    parent: Option<ModuleId>,
    name: String,
    file: FileId,
}

fn read(sources: &impl Sources, wanted: &Wanted) -> Option<Read> {
    wanted.candidates.iter().find_map(|path| {
        let text = sources.read(path)?;
        Some(Read {
            path: path.clone(),
            scan: scan(path, &text),
        })
    })
}

/// Returns `a/b` for `a/b/c.rs`.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the folder of the modules that a file declares: next to `mod.rs`, or in the folder
/// `name` next to `name.rs`.
fn folder_of_children(path: &str) -> String {
    let opens_a_folder = holds_modules_only(path) || path.ends_with("/main.rs");
    match opens_a_folder {
        true => folder_of(path).to_owned(),
        false => path.trim_end_matches(".rs").to_owned(),
    }
}
