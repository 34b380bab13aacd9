//! Names of types in C syntax: `const char *`, `struct node *[4]`, `int (*)(int)`.

use gimli::DwTag;

use crate::image::variables::debug_entries::Entry;
use crate::image::variables::types::{TypeReader, VariableType};

/// Maximum number of types inside one another.
const LEVELS: usize = 24;

/// Maximum number of parameters of a function that are named.
const PARAMETERS: usize = 16;

/// A name in two halves: a declared name would stand between them.
struct TypeName {
    before: String,
    after: String,
}

/// Returns the name of a type.
pub fn name_of(types: &TypeReader<'_>, of_type: VariableType) -> String {
    let TypeName { before, after } = halves(types, of_type, LEVELS);
    format!("{before}{after}")
}

fn plain(name: String) -> TypeName {
    TypeName {
        before: name,
        after: String::new(),
    }
}

fn halves(types: &TypeReader<'_>, of_type: VariableType, levels: usize) -> TypeName {
    let Some(id) = of_type.entry else {
        return plain("void".to_owned());
    };
    let Some(entry) = types.entries.entry(id).filter(|_| levels > 0) else {
        return plain("…".to_owned());
    };
    let target = || {
        let target = VariableType::of(types.entries.type_of(&entry));
        halves(types, target, levels - 1)
    };
    match entry.tag() {
        gimli::DW_TAG_pointer_type => with_sign(target(), "*"),
        gimli::DW_TAG_reference_type => with_sign(target(), "&"),
        gimli::DW_TAG_rvalue_reference_type => with_sign(target(), "&&"),
        gimli::DW_TAG_const_type => qualified(target(), "const"),
        gimli::DW_TAG_volatile_type => qualified(target(), "volatile"),
        gimli::DW_TAG_atomic_type => qualified(target(), "_Atomic"),
        gimli::DW_TAG_restrict_type => qualified(target(), "restrict"),
        gimli::DW_TAG_array_type => {
            let counts = types.counts(&entry);
            let element = target();
            let counts = counts
                .iter()
                .skip(of_type.dimensions)
                .map(|count| match count {
                    Some(count) => format!("[{count}]"),
                    None => "[]".to_owned(),
                });
            let after = counts.collect::<String>() + &element.after;
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
                after: parameters(types, &entry, levels) + &result.after,
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

/// Adds a qualifier: before the name of a plain type, after the sign of a pointer.
fn qualified(target: TypeName, word: &str) -> TypeName {
    let TypeName { before, after } = target;
    let before = match before.ends_with(['*', '&']) {
        true => format!("{before} {word}"),
        false => format!("{word} {before}"),
    };
    TypeName { before, after }
}

/// Returns the word that C wants before the name of a type.
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

fn parameters(types: &TypeReader<'_>, function: &Entry, levels: usize) -> String {
    let children = types.entries.children_of(function, PARAMETERS + 1);
    let name = |child: &Entry| match child.tag() {
        gimli::DW_TAG_formal_parameter => {
            let of_type = VariableType::of(types.entries.type_of(child));
            let TypeName { before, after } =
                halves(types, of_type, levels.saturating_sub(1).min(3));
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
