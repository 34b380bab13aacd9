//! Variables and enumerators outside functions, for expressions ([`UnitName`]).

use std::sync::Arc;

use stepback_machine::Address;

use crate::image::variables::debug_entries::{Entry, EntryId};
use crate::image::variables::frame_variables::FrameVariables;
use crate::image::variables::global_names::{NamedEntry, NamedKind};
use crate::image::variables::image_variables::{ImageVariables, ScopeAtAddress, catch_panic};
use crate::image::variables::scopes::{CodeScope, ScopedVariable};

/// Meaning of a name outside functions, in the unit of some code.
pub enum UnitName {
    /// The only variable of these.
    Variable(FrameVariables),
    /// A variable of another unit.
    Declaration,
    Enumerator(i128),
}

impl UnitName {
    /// Finds a name in the unit that contains an address.
    pub(in crate::image) fn find(
        image: &Arc<ImageVariables>,
        address: Address,
        name: &str,
    ) -> Option<Self> {
        let own = image.lines.own(address)?;
        let scope = image.scope_at(own)?;
        let found = catch_panic(|| {
            let entries = &image.loaded()?.entries;
            let named = entries.names_of(&scope.function.unit).named(name);
            let first = named.iter().min_by_key(|named| is_declaration(named))?;
            // Static variables of functions of one name are different variables.
            if first.kind == NamedKind::OfFunction && named.len() > 1 {
                return None;
            }
            match first.kind {
                NamedKind::Declaration => Some(Self::Declaration),
                NamedKind::Enumerator | NamedKind::ScopedEnumerator => {
                    let entry = entries.entry(first.entry)?;
                    Some(Self::Enumerator(entry.number(gimli::DW_AT_const_value)?))
                }
                NamedKind::External | NamedKind::Static | NamedKind::OfFunction => {
                    let variable = FrameVariables::of_global(image, first.entry, name)?;
                    Some(Self::Variable(variable))
                }
            }
        });
        found.flatten()
    }
}

fn is_declaration(named: &NamedEntry) -> bool {
    named.kind == NamedKind::Declaration
}

impl FrameVariables {
    /// Finds the variable with a name outside functions in any unit; none if several units have
    /// one with this name. The result contains no other variable.
    pub(in crate::image) fn find_global(image: &Arc<ImageVariables>, name: &str) -> Option<Self> {
        let found = catch_panic(|| {
            let named = image.loaded()?.entries.globals().named(name);
            let external = |named: &&&NamedEntry| named.kind == NamedKind::External;
            // An inline variable of C++ has an entry in each unit, and one place.
            let found = match (named.iter().find(external), &named[..]) {
                (Some(found), _) => found,
                (None, [only]) => only,
                (None, _) => return None,
            };
            Self::of_global(image, found.entry, name)
        });
        found.flatten()
    }

    /// Returns one variable outside functions.
    fn of_global(image: &Arc<ImageVariables>, id: EntryId, name: &str) -> Option<Self> {
        let entry = image.loaded()?.entries.entry(id)?;
        let root = entry.unit.unit.header.root_offset();
        let unit = Entry {
            die: entry.unit.unit.entry(root).ok()?,
            unit: Arc::clone(&entry.unit),
        };
        let code = CodeScope {
            functions: Vec::new(),
            variables: vec![ScopedVariable::global(name.to_owned(), entry)],
            block: None,
        };
        Some(Self::of_scope(
            image,
            ScopeAtAddress {
                function: unit,
                address: 0,
                code,
            },
        ))
    }
}
