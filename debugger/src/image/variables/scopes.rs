//! Functions and variables in scope at an address: those of the function, of its lexical blocks,
//! and of the functions that are inlined there ([`CodeScope`]).

use std::sync::Arc;

use gimli::{DwTag, UnitOffset};

use crate::image::variables::debug_entries::{DebugEntries, Entry};

/// Maximum number of entries of a function that are read.
const ENTRIES: usize = 1 << 18;

/// Maximum number of variables.
const VARIABLES: usize = 1 << 12;

/// Maximum nesting depth of scopes.
const SCOPES: usize = 256;

/// Maximum number of functions at an address: one, and those that are inlined in it.
pub const FUNCTIONS: usize = 64;

/// Purpose of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    Argument,
    Local,
}

/// Functions and variables in scope at an address.
#[derive(Default)]
pub struct CodeScope {
    /// Names of the functions: the innermost inlined one first, the one of the frame last.
    pub functions: Vec<Option<Arc<str>>>,
    /// Variables, those of the innermost scope first.
    pub variables: Vec<ScopedVariable>,
    /// Innermost function, inlined function or block with variables, by its offset in the unit.
    pub block: Option<UnitOffset>,
}

/// A variable in scope.
pub struct ScopedVariable {
    pub entry: Entry,
    pub name: String,
    pub kind: VariableKind,
    /// Number of its function in `CodeScope::functions`.
    pub function: usize,
    /// Nesting depth of its scope; 0 is the function.
    depth: usize,
}

impl ScopedVariable {
    /// Creates a variable outside functions.
    pub(super) fn global(name: String, entry: Entry) -> Self {
        Self {
            entry,
            name,
            kind: VariableKind::Local,
            function: 0,
            depth: 0,
        }
    }
}

/// A scope around an address.
#[derive(Clone, Copy)]
struct Scope {
    /// Depth of its entry.
    level: isize,
    /// Number of the function, from the outermost.
    function: usize,
    offset: UnitOffset,
}

impl CodeScope {
    /// Finds what is in scope at an address of a function.
    pub fn at(entries: &DebugEntries, function: &Entry, address: u64) -> Self {
        let mut scope = collected(entries, function, address).unwrap_or_default();
        let last = scope.functions.len().saturating_sub(1);
        scope.functions.reverse();
        for variable in &mut scope.variables {
            variable.function = last - variable.function.min(last);
        }
        let variables = &mut scope.variables;
        variables.sort_by_key(|variable| std::cmp::Reverse(variable.depth));
        scope
    }
}

/// Collects functions and variables in their order. An entry that cannot be read ends the lists.
fn collected(
    entries: &DebugEntries,
    function: &Entry,
    address: u64,
) -> Result<CodeScope, gimli::Error> {
    let name_of = |entry: &Entry| entries.function_name(entry).map(Arc::from);
    let mut variables = Vec::new();
    let mut functions = vec![name_of(function)];
    let unit = &function.unit;
    let mut cursor = unit.unit.entries_at_offset(function.die.offset())?;
    let Some(root) = cursor.next_dfs()?.map(|die| die.depth()) else {
        return Ok(CodeScope::default());
    };
    let mut block = function.die.offset();
    let mut scopes = vec![Scope {
        level: root,
        function: 0,
        offset: block,
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
                block = block.max(scope.offset);
                let named = entries.name_of(&entry).filter(|name| !name.is_empty());
                variables.extend(named.map(|name| ScopedVariable {
                    name,
                    kind,
                    function: scope.function,
                    depth,
                    entry,
                }));
            }
            Place::Block if depth < SCOPES => {
                let ranges = entries.ranges_of(&entry);
                // A block without own code groups the entries of the one around it.
                if ranges.is_empty() || ranges.iter().any(|range| range.contains(&address)) {
                    let offset = match ranges.is_empty() {
                        true => scope.offset,
                        false => entry.die.offset(),
                    };
                    scopes.push(Scope {
                        level,
                        offset,
                        ..*scope
                    });
                } else {
                    skipped = Some(level);
                }
            }
            Place::Inlined if depth < SCOPES && functions.len() < FUNCTIONS => {
                let ranges = entries.ranges_of(&entry);
                if ranges.iter().any(|range| range.contains(&address)) {
                    let offset = entry.die.offset();
                    scopes.push(Scope {
                        level,
                        function: functions.len(),
                        offset,
                    });
                    block = offset;
                    functions.push(name_of(&entry));
                } else {
                    skipped = Some(level);
                }
            }
            Place::Block | Place::Inlined | Place::Other => skipped = Some(level),
        }
    }
    Ok(CodeScope {
        functions,
        variables,
        block: Some(block),
    })
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
