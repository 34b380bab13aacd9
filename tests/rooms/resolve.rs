//! Name resolution: from a path in the code to the module that defines its item, through imports,
//! renames, globs and re-exports.

use crate::rooms::scan::file_scan::Binding;
use crate::rooms::workspace::{ModuleId, Workspace};

/// Result of resolving a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Module(ModuleId),
    Item(Defined),
    /// An item of another crate, of the language or local to a function: the path from there.
    Foreign(Vec<String>),
}

/// An item of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    pub module: ModuleId,
    pub name: String,
    /// Rest of the path within the item: a variant or an associated function.
    pub rest: Vec<String>,
}

/// Place of a name in its path. Modules and items may share names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// More names follow, so a module is preferred.
    Within,
    Last,
}

/// Names being looked up, since globs may form a cycle.
type Pending = Vec<(ModuleId, String, bool)>;

impl Workspace {
    /// Resolves `path` in a module. None if it cannot be resolved, as with `Self`.
    pub fn resolve(&self, from: ModuleId, path: &[String]) -> Option<Target> {
        self.resolve_within(from, path, &mut Vec::new())
    }

    fn resolve_within(
        &self,
        from: ModuleId,
        path: &[String],
        pending: &mut Pending,
    ) -> Option<Target> {
        let mut names = path.iter().enumerate();
        let stand = |at: usize| {
            if at + 1 == path.len() {
                Stand::Last
            } else {
                Stand::Within
            }
        };
        let (_, first) = names.next()?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(self.modules[from.0].root),
            "self" => Target::Module(from),
            "super" => Target::Module(self.modules[from.0].parent?),
            "Self" => return None,
            "" => {
                let (_, name) = names.next()?;
                self.crates.get(name).map_or_else(
                    || Target::Foreign(vec![name.clone()]),
                    |root| Target::Module(*root),
                )
            }
            name => match self.look_up(from, name, stand(0), pending) {
                Some(target) => target,
                None => self.crates.get(name).map_or_else(
                    || Target::Foreign(vec![name.to_owned()]),
                    |root| Target::Module(*root),
                ),
            },
        };
        for (at, name) in names {
            target = match target {
                Target::Module(module) if name == "super" => {
                    Target::Module(self.modules[module.0].parent?)
                }
                Target::Module(module) => self.look_up(module, name, stand(at), pending)?,
                Target::Item(mut item) => {
                    item.rest.push(name.clone());
                    Target::Item(item)
                }
                Target::Foreign(mut path) => {
                    path.push(name.clone());
                    Target::Foreign(path)
                }
            };
        }
        Some(target)
    }

    fn look_up(
        &self,
        module: ModuleId,
        name: &str,
        stand: Stand,
        pending: &mut Pending,
    ) -> Option<Target> {
        let key = (module, name.to_owned(), stand == Stand::Last);
        if pending.contains(&key) {
            return None;
        }
        pending.push(key);
        let found = self.look_up_once(module, name, stand, pending);
        pending.pop();
        found
    }

    fn look_up_once(
        &self,
        module: ModuleId,
        name: &str,
        stand: Stand,
        pending: &mut Pending,
    ) -> Option<Target> {
        let here = &self.modules[module.0];
        let child = here.children.get(name).copied().map(Target::Module);
        let item = here
            .items
            .contains_key(name)
            .then(|| item(module, name, Vec::new()));
        match stand {
            Stand::Within => child.clone().or(item),
            Stand::Last => item,
        }
        .or_else(|| self.imported(module, name, pending))
        .or(child)
        .or_else(|| self.through_globs(module, name, stand, pending))
    }

    fn imported(&self, module: ModuleId, name: &str, pending: &mut Pending) -> Option<Target> {
        let imports = self.modules[module.0].uses.iter();
        let mut bound = imports
            .filter(|import| matches!(&import.binding, Binding::Named(bound) if bound == name));
        bound.find_map(|import| self.resolve_within(module, &import.path, pending))
    }

    fn through_globs(
        &self,
        module: ModuleId,
        name: &str,
        stand: Stand,
        pending: &mut Pending,
    ) -> Option<Target> {
        let mut globs = self.modules[module.0]
            .uses
            .iter()
            .filter(|import| import.binding == Binding::Glob);
        globs.find_map(
            |glob| match self.resolve_within(module, &glob.path, pending)? {
                Target::Module(opened) => self.look_up(opened, name, stand, pending),
                Target::Item(opened) => {
                    let variants = &self.modules[opened.module.0]
                        .items
                        .get(&opened.name)?
                        .variants;
                    let known = variants.iter().any(|variant| variant == name);
                    known.then(|| item(opened.module, &opened.name, vec![name.to_owned()]))
                }
                Target::Foreign(_) => None,
            },
        )
    }
}

fn item(module: ModuleId, name: &str, rest: Vec<String>) -> Target {
    Target::Item(Defined {
        module,
        name: name.to_owned(),
        rest,
    })
}
