//! Names of types in C syntax: `const char *`, `struct node *[4]`, `int (*)(int)`.

use std::cell::Cell;

use gimli::DwTag;

use crate::image::variables::debug_entries::Entry;
use crate::image::variables::types::{TypeReader, VariableType};

/// Maximum number of types inside one another.
const LEVELS: usize = 24;

/// Words of qualifiers.
const QUALIFIERS: [&str; 4] = ["const", "volatile", "_Atomic", "restrict"];

/// Maximum number of parameters of a function that are named.
const PARAMETERS: usize = 16;

/// Maximum number of types in a name.
const TYPES: usize = 256;

/// A name in two halves: a declarator goes between them.
struct TypeName {
    before: String,
    after: String,
}

/// Returns the name of a type.
pub fn name_of(types: &TypeReader<'_>, of_type: VariableType) -> String {
    let names = NameReader {
        types,
        read: Cell::new(0),
    };
    let TypeName { before, after } = halves(&names, of_type, LEVELS);
    format!("{before}{after}")
}

fn plain(name: String) -> TypeName {
    TypeName {
        before: name,
        after: String::new(),
    }
}

/// Reads the types in a name.
struct NameReader<'a> {
    types: &'a TypeReader<'a>,
    /// Number of types until now.
    read: Cell<usize>,
}

impl NameReader<'_> {
    /// Counts a type; false if the name has too many.
    fn has_room(&self) -> bool {
        self.read.set(self.read.get() + 1);
        self.read.get() <= TYPES
    }
}

fn halves(names: &NameReader<'_>, of_type: VariableType, levels: usize) -> TypeName {
    let types = names.types;
    let Some(id) = of_type.entry else {
        return plain("void".to_owned());
    };
    if levels == 0 || !names.has_room() {
        return plain("…".to_owned());
    }
    let Some(entry) = types.entries.entry(id) else {
        return plain("?".to_owned());
    };
    let entry = types.complete(entry);
    let target = || {
        let target = VariableType::of(types.entries.type_of(&entry));
        halves(names, target, levels - 1)
    };
    match entry.tag() {
        gimli::DW_TAG_pointer_type => match types.entries.name_of(&entry) {
            // In Rust: `&str`, `*const u8`.
            Some(name) => plain(name),
            None => with_sign(target(), "*"),
        },
        gimli::DW_TAG_reference_type => with_sign(target(), "&"),
        gimli::DW_TAG_rvalue_reference_type => with_sign(target(), "&&"),
        gimli::DW_TAG_ptr_to_member_type => {
            let class = types
                .entries
                .reference(&entry, gimli::DW_AT_containing_type);
            let class = class.and_then(|class| types.entries.entry(class));
            let class = class.and_then(|class| types.entries.name_of(&class));
            with_sign(target(), &format!("{}::*", class.unwrap_or_default()))
        }
        gimli::DW_TAG_const_type => qualified(target(), "const"),
        gimli::DW_TAG_volatile_type => qualified(target(), "volatile"),
        gimli::DW_TAG_atomic_type => qualified(target(), "_Atomic"),
        gimli::DW_TAG_restrict_type => qualified(target(), "restrict"),
        gimli::DW_TAG_array_type => {
            let lengths = types.lengths_of(&entry).into_iter();
            let element = target();
            let lengths = lengths
                .skip(of_type.dimensions)
                .map(|length| match length.known() {
                    Some(count) => format!("[{count}]"),
                    None => "[]".to_owned(),
                });
            let after = lengths.collect::<String>() + &element.after;
            let space = if element.before.ends_with(['*', '(']) {
                ""
            } else {
                " "
            };
            TypeName {
                before: element.before + space,
                after,
            }
        }
        gimli::DW_TAG_subroutine_type => {
            let result = target();
            TypeName {
                before: result.before + " ",
                after: parameters(names, &entry, levels) + &result.after,
            }
        }
        tag => {
            let name = types.entries.name_of(&entry);
            let word = keyword(types, &entry);
            plain(match name {
                Some(name) if word.is_empty() => name,
                Some(name) => format!("{word} {name}"),
                None if tag == gimli::DW_TAG_typedef => "…".to_owned(),
                None => format!("{word} {{…}}").trim_start().to_owned(),
            })
        }
    }
}

/// Adds the sign of a pointer or reference. That to a function or an array is in parentheses.
fn with_sign(target: TypeName, sign: &str) -> TypeName {
    let TypeName { before, after } = target;
    if after.is_empty() {
        let space = if before.ends_with(['*', '&']) {
            ""
        } else {
            " "
        };
        return plain(format!("{before}{space}{sign}"));
    }
    match before.ends_with('(') || after.starts_with(')') {
        true => TypeName {
            before: before + sign,
            after,
        },
        false => TypeName {
            before: format!("{before}({sign}"),
            after: format!("){after}"),
        },
    }
}

/// Adds a qualifier, once: before the name of a plain type, after the sign of a pointer.
fn qualified(target: TypeName, word: &str) -> TypeName {
    let is_qualifier = |word: &&str| QUALIFIERS.contains(word);
    let TypeName { before, after } = target;
    let sign = before.rfind(['*', '&']).map(|sign| sign + 1);
    let of_pointer = sign
        .and_then(|after| before.get(after..))
        .filter(|rest| rest.split_whitespace().all(|word| is_qualifier(&word)));
    let mut known = match of_pointer {
        Some(rest) => rest.split_whitespace().take_while(is_qualifier),
        None => before.split_whitespace().take_while(is_qualifier),
    };
    let before = match (known.any(|known| known == word), of_pointer) {
        (true, _) => before,
        (false, Some(_)) => format!("{before} {word}"),
        (false, None) => format!("{word} {before}"),
    };
    TypeName { before, after }
}

/// Returns the keyword that C requires before the name of a type.
fn keyword(types: &TypeReader<'_>, entry: &Entry) -> &'static str {
    let is_c = types.is_c(entry);
    match entry.tag() {
        tag @ (gimli::DW_TAG_structure_type
        | gimli::DW_TAG_union_type
        | gimli::DW_TAG_class_type
        | gimli::DW_TAG_enumeration_type)
            if is_c || types.entries.name_of(entry).is_none() =>
        {
            word_of(tag)
        }
        _ => "",
    }
}

fn word_of(tag: DwTag) -> &'static str {
    match tag {
        gimli::DW_TAG_structure_type => "struct",
        gimli::DW_TAG_union_type => "union",
        gimli::DW_TAG_class_type => "class",
        gimli::DW_TAG_enumeration_type => "enum",
        _ => "",
    }
}

fn parameters(reader: &NameReader<'_>, function: &Entry, levels: usize) -> String {
    let types = reader.types;
    let children = types.entries.children_of(function, PARAMETERS + 1);
    let name = |child: &Entry| match child.tag() {
        gimli::DW_TAG_formal_parameter => {
            let of_type = VariableType::of(types.entries.type_of(child));
            let TypeName { before, after } =
                halves(reader, of_type, levels.saturating_sub(1).min(3));
            format!("{before}{after}")
        }
        _ => "...".to_owned(),
    };
    let mut names: Vec<String> = children.iter().take(PARAMETERS).map(name).collect();
    if children.len() > PARAMETERS {
        names.push("…".to_owned());
    }
    if names.is_empty() {
        names.push("void".to_owned());
    }
    format!("({})", names.join(", "))
}
