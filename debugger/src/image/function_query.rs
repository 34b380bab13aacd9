//! Functions by the trailing components of their names, as in breakpoints of gdb.
//!
//! `push` and `Ring<int, 4>::push` name `ns::Ring<int, 4>::push(int)`: a query may omit outer
//! components, template arguments and parameters. Spaces do not matter (gdb's manual, section
//! "Linespec Locations").

use crate::image::names::{DemangledName, NameQuery, demangle};

/// Operators by length: no operator begins with a later one.
const OPERATORS: [&str; 44] = [
    "->*", "<=>", "<<=", ">>=", "()", "[]", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&", "||", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", ",", "+", "-", "*", "/", "%", "^",
    "&", "|", "~", "!", "=", "<", ">", "\"\"", "new[]", "delete[]", "new", "delete",
];

/// A function name, split into components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FunctionName {
    components: Vec<NameComponent>,
    /// Parameters in parentheses, without spaces; none if the name has none.
    parameters: Option<String>,
    /// Words precede it: a return type.
    has_prefix: bool,
}

/// A component of a name, without spaces that separate nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct NameComponent {
    base: String,
    /// Template arguments with their brackets; empty if there are none.
    arguments: String,
}

/// A function name of a user.
pub struct FunctionQuery<'a> {
    text: &'a str,
    mangled: NameQuery<'a>,
    name: FunctionName,
    /// It begins with `::`, so it has all components.
    is_whole: bool,
}

impl<'a> FunctionQuery<'a> {
    /// Creates a query for functions whose names end with the components of a text.
    pub fn new(text: &'a str) -> Self {
        let text = text.trim();
        let whole = text.strip_prefix("::");
        Self {
            text,
            mangled: NameQuery::new(text),
            name: FunctionName::parse(whole.unwrap_or(text)),
            is_whole: whole.is_some(),
        }
    }

    /// Returns true if a function with a raw name is meant. Demangles only candidates.
    pub fn matches(&self, raw: &str) -> bool {
        if raw == self.text {
            return true;
        }
        self.mangled.may_be(raw) && demangle(raw).is_some_and(|name| self.is_end_of(&name))
    }

    /// Returns true if a name without a mangled form is meant.
    pub fn matches_plain(&self, name: &str) -> bool {
        name == self.text || self.is_part_of(&FunctionName::parse(name))
    }

    fn is_end_of(&self, name: &DemangledName) -> bool {
        // A thunk is no function of the source.
        let is_thunk = || name.full.contains("thunk to ");
        self.is_part_of(&FunctionName::parse(&name.full)) && !is_thunk()
    }

    fn is_part_of(&self, other: &FunctionName) -> bool {
        let (own, all) = (&self.name.components, &other.components);
        let Some(outer) = all.len().checked_sub(own.len()) else {
            return false;
        };
        let ends = all.get(outer..).unwrap_or_default();
        let is_same = |(own, other): (&NameComponent, &NameComponent)| {
            let has_arguments = own.arguments.is_empty() || own.arguments == other.arguments;
            own.base == other.base && has_arguments
        };
        let parameters = &self.name.parameters;
        !self.name.has_prefix
            && (outer == 0 || !self.is_whole)
            && own.iter().zip(ends).all(is_same)
            && (parameters.is_none() || *parameters == other.parameters)
    }
}

impl FunctionName {
    /// Splits a name. A return type in front of it is omitted, as are qualifiers after it.
    fn parse(text: &str) -> Self {
        let mut reader = NameReader { rest: text.trim() };
        let mut name = Self::default();
        let mut open = NameComponent::default();
        while let Some(first) = reader.rest.chars().next() {
            if let Some(operator) = reader.operator(&open.base) {
                open.base = operator;
                continue;
            }
            match first {
                ':' if reader.rest.starts_with("::") => {
                    reader.skip(2);
                    name.components.push(std::mem::take(&mut open));
                    name.parameters = None;
                }
                // `<T as Trait>::f` of Rust begins with brackets.
                '<' if open.base.is_empty() => open.base = reader.nested(),
                '<' => open.arguments = reader.nested(),
                '(' if open.base.is_empty() => open.base = reader.nested(),
                '(' => name.parameters = Some(reader.nested()),
                '{' => open.base.push_str(&reader.nested()),
                // A tag of the ABI: `name[abi:cxx11]`.
                '[' => {
                    reader.nested();
                }
                ' ' => {
                    reader.skip(1);
                    // Qualifiers follow the parameters, a return type precedes the name.
                    if name.parameters.is_none() {
                        name.components.clear();
                        open = NameComponent::default();
                        name.has_prefix = true;
                    } else if !reader
                        .rest
                        .trim_start_matches(is_qualifier)
                        .starts_with("::")
                    {
                        break;
                    }
                }
                _ => {
                    if name.parameters.is_none() {
                        open.base.push(first);
                    }
                    reader.skip(first.len_utf8());
                }
            }
        }
        name.components.push(open);
        let is_void = name.parameters.as_deref() == Some("(void)");
        name.parameters = match is_void {
            true => Some("()".to_owned()),
            false => name.parameters,
        };
        name
    }
}

fn is_qualifier(letter: char) -> bool {
    letter.is_ascii_lowercase() || matches!(letter, '&' | ' ')
}

struct NameReader<'a> {
    rest: &'a str,
}

impl NameReader<'_> {
    fn skip(&mut self, len_bytes: usize) {
        self.rest = self.rest.get(len_bytes..).unwrap_or_default();
    }

    /// Takes the symbol or the type after the word `operator`, which must be the base.
    fn operator(&mut self, base: &str) -> Option<String> {
        let is_longer = self
            .rest
            .starts_with(|next: char| next.is_alphanumeric() || next == '_');
        let rest = self.rest.trim_start();
        if base != "operator" || is_longer || rest.is_empty() || rest.starts_with("::") {
            return None;
        }
        if let Some(operator) = OPERATORS.iter().find(|one| rest.starts_with(**one)) {
            self.rest = rest.get(operator.len()..)?;
            return Some(format!("{base}{operator}"));
        }
        // A conversion: the type ends before the parameters.
        let end = rest.find('(').unwrap_or(rest.len());
        let (kind, after) = rest.split_at_checked(end)?;
        self.rest = after;
        Some(format!("{base} {}", spaced(kind)))
    }

    /// Takes the text in brackets that the rest begins with, without spaces that separate nothing.
    /// Ends at the end of the text if a bracket is missing.
    fn nested(&mut self) -> String {
        let (mut depth, mut before) = (0usize, ' ');
        let mut end = self.rest.len();
        for (place, letter) in self.rest.char_indices() {
            match letter {
                '<' | '(' | '{' | '[' => depth += 1,
                '>' if before == '-' => {}
                '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            before = letter;
            if depth == 0 {
                end = place + letter.len_utf8();
                break;
            }
        }
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        spaced(taken)
    }
}

/// Removes the spaces that do not separate two words.
fn spaced(text: &str) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut kept = String::new();
    for word in text.split_whitespace() {
        let is_separate = kept.ends_with(is_word) && word.starts_with(is_word);
        if is_separate {
            kept.push(' ');
        }
        kept.push_str(word);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, queries: &[&str], others: &[&str]) {
        for (query, expected) in
            (queries.iter().map(|one| (one, true))).chain(others.iter().map(|one| (one, false)))
        {
            let found = FunctionQuery::new(query).matches(raw);
            let full = demangle(raw).map(|name| name.full);
            assert_eq!(found, expected, "{query} {full:?}");
        }
    }

    /// The expected values are the locations of `break NAME` in gdb 13.1.
    #[test]
    fn a_function_is_named_by_the_end_of_its_name() {
        // `int clampv<int>(int, int, int)`.
        check(
            "_Z6clampvIiET_S0_S0_S0_",
            &[
                "clampv",
                "clampv<int>",
                "clampv(int, int, int)",
                "clampv<int>(int,int,int)",
            ],
            &["clamp", "int", "clampv<double>", "clampv(int)", "x::clampv"],
        );
        // `geo::Circle::area() const`.
        check(
            "_ZNK3geo6Circle4areaEv",
            &[
                "area",
                "Circle::area",
                "geo::Circle::area",
                "::geo::Circle::area",
                "area()",
                "area(void)",
            ],
            &[
                "geo::area",
                "Circle",
                "rea",
                "::Circle::area",
                "::area",
                "area(int)",
            ],
        );
        // `Ring<int, 4>::push(int const&)`.
        check(
            "_ZN4RingIiLi4EE4pushERKi",
            &[
                "push",
                "Ring::push",
                "Ring<int,4>::push",
                "Ring< int, 4 >::push",
                "Ring<int, 4>::push(int const&)",
            ],
            &["Ring<int,5>::push", "Ring<int, 4>", "Ring"],
        );
        // `Guard::~Guard()` and `Guard::Guard(int)`.
        check("_ZN5GuardD2Ev", &["~Guard", "Guard::~Guard"], &["Guard"]);
        check("_ZN5GuardC1Ei", &["Guard", "Guard::Guard"], &["~Guard"]);
    }

    #[test]
    fn operators_and_local_names_have_components() {
        // `operator<<(std::ostream&, Point const&)`.
        check(
            "_ZlsRSoRK5Point",
            &["operator<<", "operator <<"],
            &["operator<"],
        );
        // `Vec<int>::operator[](unsigned long)`.
        check(
            "_ZN3VecIiEixEm",
            &["operator[]", "Vec::operator[]"],
            &["Vec"],
        );
        // `Vec<int>::operator unsigned long()`.
        check(
            "_ZN3VecIiEcvmEv",
            &[
                "operator unsigned long",
                "Vec<int>::operator unsigned  long",
            ],
            &["long"],
        );
        // `work(int)::{lambda(int)#1}::operator()(int) const`.
        check(
            "_ZZ4workiENKUliE_clEi",
            &[
                "operator()",
                "{lambda(int)#1}::operator()",
                "work(int)::{lambda(int)#1}::operator()",
            ],
            &["work"],
        );
        // `ns::(anonymous namespace)::helper()`.
        check(
            "_ZN2ns12_GLOBAL__N_16helperEv",
            &["helper", "(anonymous namespace)::helper"],
            &["ns::helper"],
        );
        // `std::vector<int, std::allocator<int> >::push_back(int&&)`.
        check(
            "_ZNSt6vectorIiSaIiEE9push_backEOi",
            &[
                "push_back",
                "std::vector<int, std::allocator<int>>::push_back",
                "vector<int,std::allocator<int> >::push_back",
            ],
            &["allocator"],
        );
        // `non-virtual thunk to Foo::bar()`.
        check("_ZThn16_N3Foo3barEv", &[], &["bar", "Foo::bar"]);
    }

    #[test]
    fn functions_of_rust_have_components() {
        // `r2::Ring<T>::push` and `<r2::Point as core::fmt::Display>::fmt`.
        check(
            "_ZN2r24main17h0123456789abcdefE",
            &["main", "r2::main"],
            &["r2"],
        );
        check(
            "_ZN48_$LT$r2..Point$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE",
            &["fmt", "<r2::Point as core::fmt::Display>::fmt"],
            &["Display", "Point::fmt"],
        );
        check("main", &["main"], &["ain", "main()"]);
    }

    #[test]
    fn incomplete_names_end_somewhere() {
        for text in [
            "",
            "::",
            "a<",
            "a(",
            "operator",
            "operator ",
            "a::",
            "{",
            "a b",
            "(",
            "~",
            "é<é",
        ] {
            FunctionQuery::new(text).matches("_ZNK3geo6Circle4areaEv");
        }
    }
}
