//! Names outside functions: of variables of files and classes, and of enumerators ([`GlobalNames`]).
//! A static variable of a function has the name of the function: `parse(int)::calls`. Functions are
//! listed with the namespaces and classes around them.

use std::collections::HashMap;
use std::sync::Arc;

use gimli::{AttributeValue, DwTag, Reader as _, UnitOffset};

use crate::image::function_query::FunctionQuery;
use crate::image::variables::debug_entries::{DebugEntries, DebugUnit, Entry, EntryId};

/// Maximum size of the names that are kept, with their entries. That of the scopes of the functions
/// of a unit has the same limit.
const NAMES_BYTES: usize = 1 << 26;

/// Size of a name without its text.
const ENTRY_BYTES: usize = size_of::<NamedEntry>();

/// Maximum length of a name.
const NAME_BYTES: usize = 1 << 10;

/// Maximum nesting depth of namespaces and classes.
const LEVELS: usize = 64;

/// Separator of the parts of a name.
const SEPARATOR: &str = "::";

/// Namespace without a name, as it is written in the names of functions.
const ANONYMOUS: &str = "(anonymous namespace)::";

/// Meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamedKind {
    /// A variable that other units see.
    External,
    /// A variable of one unit.
    Static,
    /// A static variable of a function, whose name needs that of the function.
    OfFunction,
    /// A variable that another unit may define.
    Declaration,
    Enumerator,
    /// An enumerator whose name needs that of its type: `enum class`.
    ScopedEnumerator,
}

/// An entry with its name.
#[derive(Clone, Debug)]
pub(super) struct NamedEntry {
    /// Name with namespaces and classes: `shop::counter::all`.
    name: String,
    pub kind: NamedKind,
    pub entry: EntryId,
}

impl NamedEntry {
    /// Returns true if the name ends with the parts of another one.
    fn has_last_parts(&self, parts: &str) -> bool {
        if self.kind == NamedKind::OfFunction {
            return self.is_static_of(parts);
        }
        let before = self.name.strip_suffix(parts);
        let is_end = before.is_some_and(|before| before.ends_with(SEPARATOR));
        let is_scoped = self.kind == NamedKind::ScopedEnumerator;
        is_end && (!is_scoped || parts.contains(SEPARATOR))
    }

    /// Returns true if another name means the function and the variable.
    fn is_static_of(&self, parts: &str) -> bool {
        let names = parts.rsplit_once(SEPARATOR);
        let own = self.name.rsplit_once(SEPARATOR);
        names.zip(own).is_some_and(|(wanted, (function, _))| {
            let query = FunctionQuery::new(wanted.0);
            query.matches(function) || query.matches_plain(function)
        })
    }
}

/// Entries by the last parts of their names.
#[derive(Default)]
pub(super) struct GlobalNames {
    entries: HashMap<String, Vec<NamedEntry>>,
    /// Namespaces and classes around the functions that are in any, each with a separator. Only in
    /// the names of a unit.
    scopes: HashMap<UnitOffset, Arc<str>>,
    size_bytes: usize,
}

/// Names that are kept of a unit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeptNames {
    All,
    /// Those of variables that the unit defines.
    Definitions,
}

impl KeptNames {
    fn includes(self, kind: NamedKind) -> bool {
        self == Self::All
            || matches!(
                kind,
                NamedKind::External | NamedKind::Static | NamedKind::OfFunction
            )
    }
}

/// A namespace, class or enumeration around an entry.
struct Scope {
    level: isize,
    /// Length of the prefix of the names in it.
    prefix_bytes: usize,
    /// Its names are also those of the scope around it.
    is_transparent: bool,
    /// The function, of which the scope may be a block.
    function: Option<Entry>,
}

/// Place in a unit, with the names around it.
struct UnitWalk<'a> {
    entries: &'a DebugEntries,
    scopes: Vec<Scope>,
    prefix: String,
    /// Names of declarations, which definitions elsewhere complete.
    declared: HashMap<UnitOffset, String>,
    /// Prefix of the last function, and the size of all such prefixes with their entries.
    function_scope: Arc<str>,
    function_scope_bytes: usize,
}

impl UnitWalk<'_> {
    /// Leaves the scopes that are not around an entry.
    fn leave_to(&mut self, level: isize) {
        while self.scopes.last().is_some_and(|scope| scope.level >= level) {
            self.scopes.pop();
        }
        let around = self.scopes.last();
        self.prefix
            .truncate(around.map_or(0, |scope| scope.prefix_bytes));
    }

    fn enter(&mut self, scope: &Entry) {
        // The enumerators of C belong to the scope around their type.
        let is_transparent = scope.tag() == gimli::DW_TAG_enumeration_type
            && !scope.has_flag(gimli::DW_AT_enum_class);
        let name = self.entries.name_of(scope).filter(|_| !is_transparent);
        if name.is_none() && scope.tag() == gimli::DW_TAG_namespace {
            self.prefix.push_str(ANONYMOUS);
        }
        if let Some(name) = name.filter(|name| self.prefix.len() + name.len() < NAME_BYTES) {
            self.prefix.push_str(&name);
            self.prefix.push_str(SEPARATOR);
        }
        self.scopes.push(Scope {
            level: scope.die.depth(),
            prefix_bytes: self.prefix.len(),
            is_transparent,
            function: None,
        });
    }

    /// Enters a function, or a block of one.
    fn enter_local(&mut self, scope: &Entry, function: Entry) {
        self.scopes.push(Scope {
            level: scope.die.depth(),
            prefix_bytes: self.prefix.len(),
            is_transparent: false,
            function: Some(function),
        });
    }

    /// Returns the function around the place.
    fn function(&self) -> Option<&Entry> {
        self.scopes.last()?.function.as_ref()
    }

    /// Returns the mangled name of a function; else its name with those of the scopes around it.
    fn function_name(&self, function: &Entry) -> Option<String> {
        let linkage = self.entries.linkage_name(function);
        let plain = || {
            Some(format!(
                "{}{}",
                self.prefix,
                self.entries.name_of(function)?
            ))
        };
        linkage.or_else(plain)
    }

    /// Returns the meaning of an entry; none for entries without one here.
    fn kind_of(&self, entry: &Entry) -> Option<NamedKind> {
        let is_declaration = entry.has_flag(gimli::DW_AT_declaration);
        if self.function().is_some() {
            let is_static = entry.tag() == gimli::DW_TAG_variable && has_address(entry);
            return is_static.then_some(NamedKind::OfFunction);
        }
        match entry.tag() {
            gimli::DW_TAG_enumerator => {
                let is_transparent = self.scopes.last().is_some_and(|scope| scope.is_transparent);
                Some(match is_transparent {
                    true => NamedKind::Enumerator,
                    false => NamedKind::ScopedEnumerator,
                })
            }
            gimli::DW_TAG_variable | gimli::DW_TAG_member if is_declaration => {
                Some(NamedKind::Declaration)
            }
            gimli::DW_TAG_variable
                if entry.has_flag(gimli::DW_AT_external)
                    || entry.die.attr_value(gimli::DW_AT_specification).is_some() =>
            {
                Some(NamedKind::External)
            }
            gimli::DW_TAG_variable => Some(NamedKind::Static),
            _ => None,
        }
    }

    /// Returns the namespaces and classes around a function. None without any, and beyond a limit.
    fn scope_of_function(&mut self) -> Option<Arc<str>> {
        if self.prefix.is_empty() || self.function_scope_bytes >= NAMES_BYTES {
            return None;
        }
        if *self.function_scope != *self.prefix {
            self.function_scope = self.prefix.as_str().into();
            self.function_scope_bytes += self.prefix.len();
        }
        self.function_scope_bytes += ENTRY_BYTES;
        Some(Arc::clone(&self.function_scope))
    }

    /// Returns the name of an entry with those of the scopes around it.
    fn name_of(&self, entry: &Entry) -> Option<String> {
        if let Some(AttributeValue::UnitRef(origin)) =
            entry.die.attr_value(gimli::DW_AT_specification)
            && let Some(name) = self.declared.get(&origin)
        {
            return Some(name.clone());
        }
        let name = self.entries.name_of(entry)?;
        let is_short = name.len() < NAME_BYTES;
        if let Some(function) = self.function() {
            let function = self.function_name(function)?;
            return is_short.then(|| format!("{function}{SEPARATOR}{name}"));
        }
        // A variable in a namespace without a name is named as those around the namespace.
        is_short.then(|| format!("{}{name}", self.prefix.replace(ANONYMOUS, "")))
    }
}

impl DebugEntries {
    /// Returns the names outside functions of a unit.
    pub(super) fn names_of<'a>(&self, unit: &'a Arc<DebugUnit>) -> &'a GlobalNames {
        unit.names.get_or_init(|| {
            let mut names = GlobalNames::default();
            names.add(self, unit, KeptNames::All);
            names
        })
    }

    /// Returns the name of a function, with its namespaces and classes if it has no mangled name.
    pub(super) fn function_name(&self, function: &Entry) -> Option<String> {
        let name = self.name_of(function)?;
        if self
            .inherited(function, gimli::DW_AT_linkage_name)
            .is_some()
        {
            return Some(name);
        }
        let declared = self.completed(function)?;
        let scope = self
            .names_of(&declared.unit)
            .scopes
            .get(&declared.die.offset());
        Some(scope.map_or_else(|| name.clone(), |scope| format!("{scope}{name}")))
    }

    /// Returns the variables that units define outside functions. The first query reads all units.
    pub(super) fn globals(&self) -> &GlobalNames {
        self.globals.get_or_init(|| {
            let mut names = GlobalNames::default();
            for unit in self.all_units() {
                names.add(self, &unit, KeptNames::Definitions);
            }
            names
        })
    }
}

impl GlobalNames {
    /// Adds names of a unit. An entry that cannot be read ends the list.
    fn add(&mut self, entries: &DebugEntries, unit: &Arc<DebugUnit>, kept: KeptNames) {
        let mut walk = UnitWalk {
            entries,
            scopes: Vec::new(),
            prefix: String::new(),
            declared: HashMap::new(),
            function_scope: Arc::default(),
            function_scope_bytes: 0,
        };
        let mut cursor = unit.unit.entries();
        let mut next = cursor.next_dfs().ok().flatten().cloned();
        while let Some(die) = next.filter(|_| self.size_bytes < NAMES_BYTES) {
            walk.leave_to(die.depth());
            let entry = Entry {
                unit: Arc::clone(unit),
                die,
            };
            let function = walk.function().cloned();
            let may_enter = walk.scopes.len() < LEVELS;
            let is_entered = match (entry.tag(), function) {
                (gimli::DW_TAG_compile_unit | gimli::DW_TAG_partial_unit, _) => true,
                (tag, None) if may_enter && is_scope(tag) => {
                    walk.enter(&entry);
                    true
                }
                (gimli::DW_TAG_subprogram, None) if may_enter => {
                    self.insert(&entry, &mut walk, kept);
                    walk.enter_local(&entry, entry.clone());
                    true
                }
                (gimli::DW_TAG_lexical_block, Some(function)) if may_enter => {
                    walk.enter_local(&entry, function);
                    true
                }
                _ => {
                    self.insert(&entry, &mut walk, kept);
                    false
                }
            };
            // Most names inside functions are local.
            let sibling = match is_entered {
                true => None,
                false => cursor.next_sibling().ok().flatten().cloned(),
            };
            next = match sibling {
                Some(sibling) => Some(sibling),
                None => cursor.next_dfs().ok().flatten().cloned(),
            };
        }
    }

    /// Adds an entry if it has a meaning here.
    fn insert(&mut self, entry: &Entry, walk: &mut UnitWalk<'_>, kept: KeptNames) {
        if entry.tag() == gimli::DW_TAG_subprogram {
            let scope = walk.scope_of_function().filter(|_| kept == KeptNames::All);
            self.scopes
                .extend(scope.map(|scope| (entry.die.offset(), scope)));
            return;
        }
        let (Some(kind), Some(id)) = (walk.kind_of(entry), entry.id()) else {
            return;
        };
        let Some(name) = walk.name_of(entry) else {
            return;
        };
        if kind == NamedKind::Declaration {
            walk.declared.insert(entry.die.offset(), name.clone());
        }
        if !kept.includes(kind) {
            return;
        }
        self.size_bytes += ENTRY_BYTES + 2 * name.len();
        let last = last_part(&name).to_owned();
        self.entries.entry(last).or_default().push(NamedEntry {
            name,
            kind,
            entry: id,
        });
    }

    /// Returns the entries with a name, which may lack the first parts. Those with exactly this name
    /// come before others.
    pub fn named(&self, name: &str) -> Vec<&NamedEntry> {
        let known = self.entries.get(last_part(name));
        let all = known.into_iter().flatten();
        let is_exact = |named: &&NamedEntry| named.name == name;
        let exact: Vec<&NamedEntry> = all.clone().filter(is_exact).collect();
        match exact.is_empty() {
            true => all.filter(|named| named.has_last_parts(name)).collect(),
            false => exact,
        }
    }
}

/// Returns true for a variable at a fixed address: its location begins with `DW_OP_addr`, or with
/// `DW_OP_addrx` (DWARF 5, 7.7.1).
fn has_address(entry: &Entry) -> bool {
    let Some(AttributeValue::Exprloc(mut location)) = entry.die.attr_value(gimli::DW_AT_location)
    else {
        return false;
    };
    let first = location.0.read_u8().map(gimli::DwOp);
    matches!(first, Ok(gimli::DW_OP_addr | gimli::DW_OP_addrx))
}

fn is_scope(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_namespace
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_enumeration_type
    )
}

fn last_part(name: &str) -> &str {
    name.rsplit(SEPARATOR).next().unwrap_or(name)
}
