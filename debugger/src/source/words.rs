//! Lexer for source lines that distinguishes code and comments in C and similar languages.

use std::path::Path;

/// Kind of a word, which determines its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// Identifiers, operators and spaces.
    Plain,
    /// A keyword.
    Keyword,
    /// A string or character literal.
    Text,
    Number,
    Comment,
    /// A preprocessor directive.
    Directive,
}

/// A word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceWord<'a> {
    pub kind: WordKind,
    pub text: &'a str,
}

/// Lexer state at the start of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceLexerState {
    /// In code.
    #[default]
    Code,
    /// In a comment that began on a line above.
    Comment,
}

/// File extensions of languages whose comments, strings and numbers are written as in C.
const ENDINGS: [&str; 20] = [
    "c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "inc", "inl", "rs", "go", "java",
    "js", "ts", "cs", "swift", "m", "mm",
];

/// Keywords of C, C++ and Rust, in alphabetical order for the binary search.
const KEYWORDS: [&str; 94] = [
    "alignas",
    "as",
    "asm",
    "async",
    "auto",
    "await",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "constexpr",
    "continue",
    "default",
    "delete",
    "do",
    "double",
    "dyn",
    "else",
    "enum",
    "explicit",
    "extern",
    "false",
    "final",
    "float",
    "fn",
    "for",
    "friend",
    "goto",
    "if",
    "impl",
    "in",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "intptr_t",
    "let",
    "long",
    "loop",
    "match",
    "mod",
    "move",
    "mut",
    "namespace",
    "new",
    "noexcept",
    "nullptr",
    "operator",
    "override",
    "private",
    "protected",
    "pub",
    "public",
    "ref",
    "register",
    "restrict",
    "return",
    "self",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "static_assert",
    "struct",
    "super",
    "switch",
    "template",
    "this",
    "throw",
    "trait",
    "true",
    "try",
    "typedef",
    "typename",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "uintptr_t",
    "union",
    "unsafe",
    "unsigned",
    "use",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
];

/// Returns true if the language of a file is supported, by its extension.
pub fn is_known(path: &Path) -> bool {
    let ending = path
        .extension()
        .map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// Splits a line into words. Returns the words and the lexer state at the start of the next line.
/// The words' texts concatenated are always the line.
pub fn words(line: &str, mut within: SourceLexerState) -> (Vec<SourceWord<'_>>, SourceLexerState) {
    let (mut words, mut rest) = (Vec::new(), line);
    while !rest.is_empty() {
        let is_first = words
            .iter()
            .all(|word: &SourceWord<'_>| word.text.trim().is_empty());
        let (kind, length) = match within {
            SourceLexerState::Comment => match rest.find("*/") {
                Some(end) => {
                    within = SourceLexerState::Code;
                    (WordKind::Comment, end + 2)
                }
                None => (WordKind::Comment, rest.len()),
            },
            SourceLexerState::Code if rest.starts_with("//") => (WordKind::Comment, rest.len()),
            SourceLexerState::Code if rest.starts_with("/*") => {
                within = SourceLexerState::Comment;
                (WordKind::Comment, 2)
            }
            SourceLexerState::Code if is_first && is_directive(rest) => {
                (WordKind::Directive, 1 + name_length(&rest[1..]))
            }
            SourceLexerState::Code => code_word(rest),
        };
        let (text, behind) = rest.split_at(length);
        words.push(SourceWord { kind, text });
        rest = behind;
    }
    (words, within)
}

/// Matches `#include`, but not `#[derive(…)]`.
fn is_directive(rest: &str) -> bool {
    rest.starts_with('#') && !rest.starts_with("#[") && !rest.starts_with("#!")
}

/// Returns the length of spaces and the name after them.
fn name_length(text: &str) -> usize {
    let name = text.trim_start_matches(' ');
    text.len() - name.trim_start_matches(is_of_name).len()
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the kind and the length of a word of code, which is never empty.
fn code_word(rest: &str) -> (WordKind, usize) {
    let run = |is_of: &dyn Fn(char) -> bool| rest.len() - rest.trim_start_matches(is_of).len();
    match rest.chars().next() {
        Some('"') => (
            WordKind::Text,
            quoted_length(rest, '"').unwrap_or(rest.len()),
        ),
        // A lifetime of Rust is no character literal.
        Some('\'') => {
            match quoted_length(rest, '\'').filter(|length| *length == one_letter(rest)) {
                Some(length) => (WordKind::Text, length),
                None => (WordKind::Plain, 1),
            }
        }
        Some(first) if first.is_ascii_digit() => (
            WordKind::Number,
            run(&|letter| is_of_name(letter) || letter == '.'),
        ),
        Some(first) if is_of_name(first) => {
            let length = run(&is_of_name);
            let is_keyword = rest
                .get(..length)
                .is_some_and(|name| KEYWORDS.binary_search(&name).is_ok());
            (
                if is_keyword {
                    WordKind::Keyword
                } else {
                    WordKind::Plain
                },
                length,
            )
        }
        Some('/') => (WordKind::Plain, 1),
        // A directive may follow the spaces.
        Some(' ') => (WordKind::Plain, run(&|letter| letter == ' ')),
        _ => (
            WordKind::Plain,
            run(&|letter| !is_of_name(letter) && !matches!(letter, '"' | '\'' | '/')).max(1),
        ),
    }
}

/// Returns the length of a single character or escape with its quotes.
fn one_letter(rest: &str) -> usize {
    match rest.chars().nth(1) {
        Some('\\') => quoted_length(rest, '\'')
            .filter(|length| *length <= 12)
            .unwrap_or_default(),
        letter => 2 + letter.map_or(0, char::len_utf8),
    }
}

/// Returns the length of a literal with its quotes; none if it does not end on the line.
fn quoted_length(rest: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (place, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            letter if letter == quote => return Some(place + letter.len_utf8()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let sign = |kind| match kind {
            WordKind::Plain => '.',
            WordKind::Keyword => 'k',
            WordKind::Text => 't',
            WordKind::Number => 'n',
            WordKind::Comment => '#',
            WordKind::Directive => 'd',
        };
        let (words, _) = words(line, SourceLexerState::Code);
        let shown: String = words
            .iter()
            .flat_map(|word| word.text.chars().map(move |_| sign(word.kind)))
            .collect();
        assert_eq!(format!("{line}\n{shown}"), format!("{line}\n{expected}"));
    }

    #[test]
    fn words_of_code_are_told_apart() {
        check("int x1 = 0x1f; // one", "kkk......nnnn..######");
        check("#include \"a.h\"", "dddddddd.ttttt");
        check("  # define A 'b'", "..dddddddd...ttt");
        check("char *s = \"a\\\"b\";", "kkkk......tttttt.");
        check("a /* b */ / c", "..#######....");
        check("fn f<'a>(x: &'a str)", "kk..................");
        check("#[derive(Debug)]", "................");
        check("s = \"open", "....ttttt");
    }

    #[test]
    fn a_remark_goes_on_in_the_next_line() {
        assert_eq!(
            words("a /* b", SourceLexerState::Code).1,
            SourceLexerState::Comment
        );
        let (found, within) = words("c */ int", SourceLexerState::Comment);
        assert_eq!(
            (found[0].kind, found[0].text, within),
            (WordKind::Comment, "c */", SourceLexerState::Code)
        );
        assert!(KEYWORDS.is_sorted());
        assert!(is_known(Path::new("/a/b.CPP")) && !is_known(Path::new("b.py")));
    }

    proptest! {
        #[test]
        fn the_words_are_the_line(line in ".{0,60}") {
            for within in [SourceLexerState::Code, SourceLexerState::Comment] {
                let (words, _) = words(&line, within);
                prop_assert!(words.iter().all(|word| !word.text.is_empty()));
                prop_assert_eq!(words.iter().map(|word| word.text).collect::<String>(), line.clone());
            }
        }
    }
}
