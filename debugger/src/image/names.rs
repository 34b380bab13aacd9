//! Names of a symbol, demangled on demand.
//!
//! Demangling half a million Rust or C++ names takes too long. A query by name therefore first
//! compares words that mangled names spell out, and demangles only candidates.

use std::fmt;
use std::sync::OnceLock;

use cpp_demangle::DemangleOptions;

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

    fn with_return_type(&self) -> Option<&str> {
        self.demangled()?.with_return_type.as_deref()
    }

    /// Returns every text by which a query can name the symbol.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        let others = self.short().into_iter().chain(self.with_return_type());
        [self.full(), self.raw()].into_iter().chain(others)
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
                ..DemangledName::default()
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
    pub(super) fn may_be(&self, raw: &str) -> bool {
        let is_in = |word: &String| {
            // Rust's older mangling writes a type in brackets as one identifier.
            let bare = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
            raw.contains(word) || raw.contains("$LT$") && raw.contains(bare)
        };
        self.word.as_ref().is_none_or(is_in)
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

/// Maximum length of a demangled name. A longer name is more likely an attack: the raw one is
/// shown.
const LIMIT: usize = 4 << 10;

/// Demangled names of a symbol.
#[derive(Clone, Debug, Default)]
pub struct DemangledName {
    /// With the parameters: `Lexer::next(int)`.
    pub full: String,
    /// Without the parameters: `Lexer::next`; none if there are no parameters.
    pub short: Option<String>,
    /// With the type of the result: `int largest<int>(int, int)`; none if the mangled name has no
    /// such type.
    pub with_return_type: Option<String>,
}

/// Demangles a Rust or C++ symbol; none if it is neither.
///
/// Rust comes first, since the C++ demangler takes its legacy names for C++.
pub fn demangle(raw: &str) -> Option<DemangledName> {
    if !is_mangled(raw) || raw.len() > LIMIT {
        return None;
    }
    rust_name(raw)
        .map(|full| DemangledName {
            full,
            ..DemangledName::default()
        })
        .or_else(|| thunk_name(raw))
        .or_else(|| cpp_name(raw).map(DemangledName::in_words))
}

/// Demangles a thunk, a function that adjusts `this` or the result for another one (Itanium C++
/// ABI, section 5.1.4.3).
fn thunk_name(raw: &str) -> Option<DemangledName> {
    let special = raw.strip_prefix("_ZT")?;
    let (kind, target) = match special.as_bytes() {
        [b'h', ..] => ("non-virtual thunk to", after_call_offset(special)?),
        [b'v', ..] => ("virtual thunk to", after_call_offset(special)?),
        [b'c', ..] => {
            let after_this = special.strip_prefix('c').and_then(after_call_offset)?;
            ("covariant return thunk to", after_call_offset(after_this)?)
        }
        _ => return None,
    };
    let DemangledName { full, short, .. } = cpp_name(&format!("_Z{target}"))?;
    Some(DemangledName {
        full: format!("{kind} {full}"),
        short: short.map(|short| format!("{kind} {short}")),
        with_return_type: None,
    })
}

/// Returns the rest of a mangled name after `h <number> _` or `v <number> _ <number> _`.
fn after_call_offset(text: &str) -> Option<&str> {
    let after_number = |text: &str| {
        let digits = text.strip_prefix('n').unwrap_or(text);
        let rest = digits.trim_start_matches(|letter: char| letter.is_ascii_digit());
        (rest.len() < digits.len())
            .then(|| rest.strip_prefix('_'))
            .flatten()
            .map(str::len)
    };
    let (kind, numbers) = text.split_at_checked(1)?;
    let mut rest = numbers;
    for _ in 0..if kind == "v" { 2 } else { 1 } {
        rest = rest.get(rest.len() - after_number(rest)?..)?;
    }
    matches!(kind, "h" | "v").then_some(rest)
}

impl DemangledName {
    /// Replaces special names by the words of the binary utilities: `vtable for Lexer`.
    fn in_words(self) -> Self {
        const SPECIAL: [(&str, &str); 5] = [
            ("{vtable(", "vtable for"),
            ("{vtt(", "VTT for"),
            ("{typeinfo(", "typeinfo for"),
            ("{typeinfo name(", "typeinfo name for"),
            ("{static initialization guard(", "guard variable for"),
        ];
        let special = |(prefix, words): &(&str, &str)| {
            let inner = self.full.strip_prefix(prefix)?.strip_suffix(")}")?;
            Some(format!("{words} {inner}"))
        };
        match SPECIAL.iter().find_map(special) {
            Some(full) => Self {
                full,
                ..Self::default()
            },
            None => self,
        }
    }
}

/// Returns true if a name may be a mangled one of Rust or C++.
pub fn is_mangled(raw: &str) -> bool {
    ["_Z", "__Z", "_R", "__R", "R", "ZN", "_GLOBAL_"]
        .iter()
        .any(|prefix| raw.starts_with(prefix))
}

fn rust_name(raw: &str) -> Option<String> {
    let demangled = rustc_demangle::try_demangle(raw).ok()?;
    let mut name = BoundedText::default();
    // The alternate form omits the hash that distinguishes two builds of one function.
    fmt::write(&mut name, format_args!("{demangled:#}")).ok()?;
    Some(name.0)
}

fn cpp_name(raw: &str) -> Option<DemangledName> {
    let symbol = cpp_demangle::Symbol::new(raw).ok()?;
    let write = |options: &DemangleOptions| {
        let mut name = BoundedText::default();
        symbol.structured_demangle(&mut name, options).ok()?;
        Some(name.0).filter(|name| !name.is_empty())
    };
    let full = write(&DemangleOptions::new().no_return_type())?;
    let other = |options: &DemangleOptions| write(options).filter(|name| *name != full);
    Some(DemangledName {
        short: other(&DemangleOptions::new().no_params().no_return_type()),
        with_return_type: other(&DemangleOptions::new()),
        full,
    })
}

/// Text with a maximum length: a short mangled name can expand to gigabytes.
#[derive(Default)]
struct BoundedText(String);

impl fmt::Write for BoundedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LIMIT {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
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

#[cfg(test)]
mod demangle_tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, full: &str, short: Option<&str>) {
        let demangled = demangle(raw).expect("a mangled name");
        assert_eq!(
            (demangled.full.as_str(), demangled.short.as_deref()),
            (full, short)
        );
    }

    #[test]
    fn cpp_names_have_a_form_without_parameters() {
        check(
            "_ZN5Lexer10next_innerEv",
            "Lexer::next_inner()",
            Some("Lexer::next_inner"),
        );
        check(
            "_ZN10FileReaderC2Em",
            "FileReader::FileReader(unsigned long)",
            Some("FileReader::FileReader"),
        );
    }

    /// The expected words are those of `c++filt`.
    #[test]
    fn special_names_are_in_the_words_of_the_binary_utilities() {
        check("_ZTV5Lexer", "vtable for Lexer", None);
        check("_ZTI5Lexer", "typeinfo for Lexer", None);
        let thunks = [
            (
                "_ZThn16_N3Foo3barEv",
                "non-virtual thunk to Foo::bar()",
                "non-virtual thunk to Foo::bar",
            ),
            (
                "_ZTv0_n24_N3Foo3barEi",
                "virtual thunk to Foo::bar(int)",
                "virtual thunk to Foo::bar",
            ),
            (
                "_ZTch0_h16_N3Foo5cloneEv",
                "covariant return thunk to Foo::clone()",
                "covariant return thunk to Foo::clone",
            ),
            (
                "_ZTcv0_n24_v0_n32_N3Foo5cloneEv",
                "covariant return thunk to Foo::clone()",
                "covariant return thunk to Foo::clone",
            ),
            (
                "_ZThn8_N3FooD0Ev",
                "non-virtual thunk to Foo::~Foo()",
                "non-virtual thunk to Foo::~Foo",
            ),
        ];
        for (raw, full, short) in thunks {
            check(raw, full, Some(short));
        }
        for raw in [
            "_ZTh",
            "_ZThn_3foov",
            "_ZTv0_3foov",
            "_ZTch0_3foov",
            "_ZThn16_",
        ] {
            assert!(
                demangle(raw).is_none_or(|names| !names.full.contains("thunk to")),
                "{raw}"
            );
        }
    }

    #[test]
    fn rust_names_lose_their_hash() {
        check(
            "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
            "core::fmt::Write::write_fmt",
            None,
        );
        check(
            "_RNvCskwGfYPst2Cb_3foo16example_function",
            "foo::example_function",
            None,
        );
    }

    #[test]
    fn other_names_are_not_touched() {
        for raw in [
            "main",
            "_start",
            "",
            "Reset_Handler",
            "ZN",
            "_Z",
            "_ZN",
            "R",
            "foo.isra.0",
            "_Rust",
            "é",
        ] {
            assert!(demangle(raw).is_none(), "{raw}");
        }
    }

    #[test]
    fn a_name_that_would_grow_without_end_is_left_alone() {
        // Each further S_ doubles the expansion of the name.
        let mut raw = String::from("_Z1fP1a");
        for level in 0..40 {
            raw.push_str(&format!("M{}S_S{level}_", "P"));
        }
        assert!(demangle(&raw).is_none_or(|demangled| demangled.full.len() <= LIMIT));
        assert!(demangle(&"_ZN1a".repeat(5000)).is_none());
        assert!(demangle(&format!("_Z{}", "P".repeat(8000))).is_none());
    }
}
