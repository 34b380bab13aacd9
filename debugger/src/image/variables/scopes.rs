//! Variables in scope at an address: those of the function, of its lexical blocks, and of the
//! functions that are inlined there.

use std::sync::Arc;

use gimli::DwTag;

use crate::image::variables::debug_entries::{DebugEntries, Entry};

/// Maximum number of entries of a function that are read.
const ENTRIES: usize = 1 << 18;

/// Maximum number of variables.
const VARIABLES: usize = 1 << 12;

/// Maximum nesting depth of scopes.
const SCOPES: usize = 256;

/// Purpose of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    Argument,
    Local,
}

/// A variable in scope.
pub struct ScopedVariable {
    pub entry: Entry,
    pub name: String,
    pub kind: VariableKind,
    /// Function that declares it, which may be inlined.
    pub function: Option<Arc<str>>,
    pub is_inlined: bool,
    /// Nesting depth of its scope; 0 is the function.
    depth: usize,
}

/// A scope around an address.
struct Scope {
    /// Depth of its entry.
    level: isize,
    function: Option<Arc<str>>,
    is_inlined: bool,
}

/// Returns the variables that are in scope at an address of a function, those of the innermost
/// scope first.
pub fn variables_at(entries: &DebugEntries, function: &Entry, address: u64) -> Vec<ScopedVariable> {
    let mut variables = collected(entries, function, address).unwrap_or_default();
    variables.sort_by_key(|variable| std::cmp::Reverse(variable.depth));
    variables
}

/// Collects the variables in their order. An entry that cannot be read ends the list.
fn collected(
    entries: &DebugEntries,
    function: &Entry,
    address: u64,
) -> Result<Vec<ScopedVariable>, gimli::Error> {
    let name_of = |entry: &Entry| entries.name_of(entry).map(Arc::from);
    let mut variables = Vec::new();
    let unit = &function.unit;
    let mut cursor = unit.unit.entries_at_offset(function.die.offset())?;
    let Some(root) = cursor.next_dfs()?.map(|die| die.depth()) else {
        return Ok(variables);
    };
    let mut scopes = vec![Scope {
        level: root,
        function: name_of(function),
        is_inlined: false,
    }];
    // Level of an entry whose children are not in scope.
    let mut skipped: Option<isize> = None;
    for _ in 0..ENTRIES {
        let Ok(Some(die)) = cursor.next_dfs() else {
            break;
        };
        let level = die.depth();
        if level <= root || variables.len() >= VARIABLES {
            break;
        }
        if skipped.is_some_and(|skipped| level > skipped) {
            continue;
        }
        skipped = None;
        while scopes.len() > 1 && scopes.last().is_some_and(|scope| scope.level >= level) {
            scopes.pop();
        }
        let entry = Entry {
            unit: Arc::clone(unit),
            die: die.clone(),
        };
        let depth = scopes.len() - 1;
        let Some(scope) = scopes.last() else { break };
        match Place::of(entry.tag()) {
            Place::Variable(kind) => {
                if entry.has_flag(gimli::DW_AT_declaration) {
                    continue;
                }
                let named = entries.name_of(&entry).filter(|name| !name.is_empty());
                variables.extend(named.map(|name| ScopedVariable {
                    name,
                    kind,
                    function: scope.function.clone(),
                    is_inlined: scope.is_inlined,
                    depth,
                    entry,
                }));
            }
            Place::Block if depth < SCOPES => {
                let ranges = entries.ranges_of(&entry);
                // A block without own code groups the entries of the one around it.
                if ranges.is_empty() || ranges.iter().any(|range| range.contains(&address)) {
                    scopes.push(Scope {
                        level,
                        function: scope.function.clone(),
                        is_inlined: scope.is_inlined,
                    });
                } else {
                    skipped = Some(level);
                }
            }
            Place::Inlined if depth < SCOPES => {
                let ranges = entries.ranges_of(&entry);
                if ranges.iter().any(|range| range.contains(&address)) {
                    scopes.push(Scope {
                        level,
                        function: name_of(&entry),
                        is_inlined: true,
                    });
                } else {
                    skipped = Some(level);
                }
            }
            Place::Block | Place::Inlined | Place::Other => skipped = Some(level),
        }
    }
    Ok(variables)
}

/// Meaning of an entry inside a function.
enum Place {
    Variable(VariableKind),
    Block,
    Inlined,
    Other,
}

impl Place {
    fn of(tag: DwTag) -> Self {
        match tag {
            gimli::DW_TAG_formal_parameter => Self::Variable(VariableKind::Argument),
            gimli::DW_TAG_variable => Self::Variable(VariableKind::Local),
            gimli::DW_TAG_lexical_block
            | gimli::DW_TAG_try_block
            | gimli::DW_TAG_catch_block
            | gimli::DW_TAG_with_stmt => Self::Block,
            gimli::DW_TAG_inlined_subroutine => Self::Inlined,
            _ => Self::Other,
        }
    }
}
