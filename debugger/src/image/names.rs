//! Names of a symbol, demangled on demand.

use std::sync::OnceLock;

use super::demangle::{DemangledName, demangle, is_mangled};

/// Suffix of a stub through which a program calls a library.
const STUB: &str = "@plt";

/// A raw name and its demangled forms.
///
/// A file may have half a million mangled names, and a query needs only a few of them.
#[derive(Clone, Debug)]
pub struct SymbolNames {
    raw: Box<str>,
    readable: OnceLock<Option<Box<DemangledName>>>,
}

impl PartialEq for SymbolNames {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for SymbolNames {}

impl SymbolNames {
    /// Creates a name that is demangled on demand.
    pub fn new(raw: &str) -> Self {
        Self {
            raw: raw.into(),
            readable: OnceLock::new(),
        }
    }

    /// Creates a name that is never demangled.
    pub fn plain(raw: &str) -> Self {
        Self {
            raw: raw.into(),
            readable: OnceLock::from(None),
        }
    }

    /// Returns the name as the file has it.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Returns the demangled name, or the raw name if it is not mangled.
    pub fn full(&self) -> &str {
        self.demangled().map_or(&self.raw, |names| &names.full)
    }

    /// Returns the demangled name without parameters, if that is a third name.
    fn short(&self) -> Option<&str> {
        self.demangled()?.short.as_deref()
    }

    /// Returns every text by which a query can name the symbol.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        [self.full(), self.raw()].into_iter().chain(self.short())
    }

    /// Returns true if the query is one of the names.
    pub fn has(&self, query: &NameQuery<'_>) -> bool {
        let is_candidate = || self.is_mangled() && query.may_be(&self.raw);
        *self.raw == *query.name || (is_candidate() && self.all().any(|name| name == query.name))
    }

    /// Returns true if one of the names contains a text, in any case.
    pub fn contains(&self, part: &NamePart) -> bool {
        let is_in = |name: &str| name.to_lowercase().contains(&part.lower);
        let is_candidate = || self.is_mangled() && !part.is_word;
        is_in(&self.raw) || (is_candidate() && self.all().any(is_in))
    }

    fn is_mangled(&self) -> bool {
        is_mangled(&self.raw)
    }

    fn demangled(&self) -> Option<&DemangledName> {
        let demangled = || match self.raw.strip_suffix(STUB) {
            Some(target) => demangle(target).map(|DemangledName { full, .. }| DemangledName {
                full: full + STUB,
                short: None,
            }),
            None => demangle(&self.raw),
        };
        self.readable
            .get_or_init(|| demangled().map(Box::new))
            .as_deref()
    }
}

/// Words of demangled names that mangled ones abbreviate.
const ABBREVIATED: [&str; 70] = [
    "std",
    "operator",
    "int",
    "char",
    "bool",
    "void",
    "long",
    "short",
    "unsigned",
    "signed",
    "float",
    "double",
    "half",
    "const",
    "volatile",
    "restrict",
    "string",
    "allocator",
    "basic_string",
    "istream",
    "ostream",
    "iostream",
    "basic_istream",
    "basic_ostream",
    "basic_iostream",
    "char_traits",
    "vtable",
    "VTT",
    "typeinfo",
    "name",
    "for",
    "to",
    "thunk",
    "non",
    "virtual",
    "covariant",
    "return",
    "guard",
    "variable",
    "anonymous",
    "namespace",
    "lambda",
    "closure",
    "new",
    "delete",
    "decltype",
    "auto",
    "nullptr_t",
    "wchar_t",
    "char8_t",
    "char16_t",
    "char32_t",
    "__int128",
    "abi",
    "as",
    "mut",
    "dyn",
    "str",
    "isize",
    "usize",
    "u8",
    "i8",
    "u16",
    "i16",
    "u32",
    "i32",
    "u64",
    "i64",
    "shim",
    "plt",
];

/// A name to find, with the word that its mangled form must contain: manglings write an identifier
/// after its length.
pub struct NameQuery<'a> {
    name: &'a str,
    word: Option<String>,
}

impl<'a> NameQuery<'a> {
    /// Creates a query for a complete name in any of its forms.
    pub fn new(name: &'a str) -> Self {
        let words = name.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let spelled = words.filter(|word| {
            word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && !ABBREVIATED.contains(word)
        });
        let word = spelled
            .max_by_key(|word| word.len())
            .filter(|_| name.is_ascii());
        // Rust separates the length from an identifier that begins with an underscore.
        let spelling = |word: &str| match word.starts_with('_') {
            true => word.to_owned(),
            false => format!("{}{word}", word.len()),
        };
        Self {
            name,
            word: word.map(spelling),
        }
    }

    /// Returns false if a mangled name cannot match the query.
    fn may_be(&self, raw: &str) -> bool {
        self.word.as_ref().is_none_or(|word| raw.contains(word))
    }
}

/// Part of a name to find, in lower case.
pub struct NamePart {
    lower: String,
    /// A word that mangled names spell out, so that they need not be demangled.
    is_word: bool,
}

impl NamePart {
    /// Creates a query for a part of a name, in any case.
    pub fn new(part: &str) -> Self {
        let lower = part.to_lowercase();
        let is_identifier = lower
            .bytes()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
        let is_abbreviated = ABBREVIATED
            .iter()
            .any(|word| word.to_lowercase().contains(&lower));
        let is_word = is_identifier && !is_abbreviated && !lower.is_empty();
        Self { is_word, lower }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, name: &str, expected: bool) {
        assert_eq!(
            SymbolNames::new(raw).has(&NameQuery::new(name)),
            expected,
            "{raw} {name}"
        );
    }

    #[test]
    fn a_symbol_has_its_raw_its_full_and_its_short_name() {
        for name in [
            "_ZN5Lexer10next_innerEv",
            "Lexer::next_inner()",
            "Lexer::next_inner",
        ] {
            check("_ZN5Lexer10next_innerEv", name, true);
        }
        check("_ZN5Lexer10next_innerEv", "next_inner", false);
        check("_ZL6helperi", "helper", true);
        check("_ZN10FileReaderC2Em", "FileReader::FileReader", true);
        check(
            "_ZN10FileReaderC2Em",
            "FileReader::FileReader(unsigned long)",
            true,
        );
        check(
            "_ZNSsC1Ev",
            "std::string::string()",
            SymbolNames::new("_ZNSsC1Ev").full() == "std::string::string()",
        );
        check(
            "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
            "core::fmt::Write::write_fmt",
            true,
        );
        check(
            "_RNvCskwGfYPst2Cb_3foo16example_function",
            "foo::example_function",
            true,
        );
        check("main", "main", true);
        check("main", "Main", false);
        check("_ZN5Lexer4nextEv@plt", "Lexer::next()@plt", true);
        check("größe", "größe", true);
    }

    #[test]
    fn a_part_of_a_name_is_found_in_any_case() {
        let contains = |raw: &str, part: &str| SymbolNames::new(raw).contains(&NamePart::new(part));
        assert!(contains("_ZN5Lexer10next_innerEv", "NEXT_"));
        assert!(contains("_ZN5Lexer10next_innerEv", "xer::next"));
        assert!(contains("_ZN10FileReaderC2Em", "unsigned"));
        assert!(contains("main", "ai"));
        assert!(!contains("_ZN5Lexer10next_innerEv", "reader"));
    }

    #[test]
    fn a_name_that_is_looked_for_is_spelled_out_in_its_mangled_form() {
        for raw in [
            "_ZN5Lexer10next_innerEv",
            "_ZNKSt6vectorIiSaIiEE4sizeEv",
            "_ZThn16_N3Foo3barEv",
            "_ZlsRSoRK5Point",
        ] {
            for name in SymbolNames::new(raw).all() {
                check(raw, name, true);
            }
        }
    }
}
