//! The dependency graph of files and the items they use.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::rooms::resolve::Target;
use crate::rooms::scan::file_scan::Reach;
use crate::rooms::scan::holds_modules_only;
use crate::rooms::table::CRATES;
use crate::rooms::workspace::{FileId, ModuleId, Sources, Workspace, folder_of};

/// All input of the rules.
pub struct Survey {
    pub workspace: Workspace,
    /// Sorted by file and line; one for each item that a file uses.
    pub arrows: Vec<Arrow>,
}

/// A use of an item that another file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    pub from: FileId,
    pub line: usize,
    pub to: FileId,
    pub item: String,
    /// The named variants and functions of the item.
    pub parts: Vec<String>,
}

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offence {
    pub file: String,
    pub line: usize,
    pub what: String,
}

enum Use {
    Ours(Arrow),
    /// A path of ours that cannot be resolved.
    Nowhere(String),
}

impl Survey {
    /// Reads and resolves all sources.
    pub fn of(sources: &impl Sources) -> Self {
        let mut workspace = Workspace::load(sources, CRATES);
        let uses: Vec<Use> = (0..workspace.modules.len())
            .into_par_iter()
            .flat_map_iter(|at| uses_of(&workspace, ModuleId(at)))
            .collect();
        let mut arrows: BTreeMap<_, Arrow> = BTreeMap::new();
        for one in uses {
            match one {
                Use::Ours(arrow) => {
                    let known = arrows
                        .entry((arrow.from, arrow.to, arrow.item.clone()))
                        .or_insert_with(|| Arrow {
                            parts: Vec::new(),
                            ..arrow.clone()
                        });
                    known.line = known.line.min(arrow.line);
                    known.parts.extend(arrow.parts);
                }
                Use::Nowhere(path) => workspace.problems.push(path),
            }
        }
        let mut arrows: Vec<_> = arrows.into_values().collect();
        arrows.iter_mut().for_each(|arrow| {
            arrow.parts.sort();
            arrow.parts.dedup();
        });
        arrows.sort_by_key(|arrow| (arrow.from, arrow.line, arrow.to));
        Self { workspace, arrows }
    }

    pub fn path_of(&self, file: FileId) -> &str {
        self.workspace.path_of(file)
    }
}

fn uses_of(workspace: &Workspace, id: ModuleId) -> Vec<Use> {
    let module = &workspace.modules[id.0];
    let own_file = workspace.path_of(module.file);
    let imports = module
        .uses
        .iter()
        .map(|import| (&import.path, import.line, import.reach));
    let paths = module
        .paths
        .iter()
        .map(|(path, line)| (path, *line, Reach::Private));
    let mut uses = Vec::new();
    for (path, line, reach) in imports.chain(paths) {
        match workspace.resolve(id, path) {
            Some(Target::Item(item)) => {
                let to = workspace.file_of(item.module);
                if to != module.file && !is_transparent(own_file, workspace.path_of(to), reach) {
                    let parts = item.rest.into_iter().take(1).collect();
                    uses.push(Use::Ours(Arrow {
                        from: module.file,
                        line,
                        to,
                        item: item.name,
                        parts,
                    }));
                }
            }
            // Our own definitions can always be resolved: such a path is a gap of the resolver and
            // must be reported.
            None if begins_in_ours(workspace, path) => {
                uses.push(Use::Nowhere(format!(
                    "{own_file}:{line}: {} leads nowhere",
                    path.join("::")
                )));
            }
            Some(Target::Module(_) | Target::Foreign(_)) | None => {}
        }
    }
    uses
}

/// Returns true for a re-export of lower items: `lib.rs` may re-export everything, `mod.rs` the
/// content of its folder.
fn is_transparent(own_file: &str, target: &str, reach: Reach) -> bool {
    let below =
        own_file.ends_with("/lib.rs") || target.starts_with(&format!("{}/", folder_of(own_file)));
    reach == Reach::Reexported && holds_modules_only(own_file) && below
}

fn begins_in_ours(workspace: &Workspace, path: &[String]) -> bool {
    let first = path.first();
    first.is_some_and(|name| {
        ["crate", "super"].contains(&name.as_str()) || workspace.crates.contains_key(name)
    })
}
