//! Patterns of a text search.
//!
//! A weaker pattern without `^`, `$` and `\b` runs over many lines at once. Only the lines where it
//! matches are examined separately.

use std::str::FromStr;

use regex::bytes::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition,
};

/// A regular expression that is searched for line by line.
///
/// ```
/// use stepback_index::query::TextPattern;
///
/// let pattern: TextPattern = r"^ldr\s+x\d+".parse()?;
/// assert!(pattern.is_match(b"ldr x12, [sp]") && !pattern.is_match(b"str x12, [sp]"));
/// # Ok::<(), regex::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextPattern {
    exact: Regex,
    /// Matches in each line that `exact` matches, or a part of it; never across lines. So it can
    /// run over the text of many lines at once.
    loose: Regex,
    /// True if a part of a line may match although the whole line does not.
    has_assertions: bool,
}

impl FromStr for TextPattern {
    type Err = regex::Error;

    fn from_str(text: &str) -> Result<Self, regex::Error> {
        let exact = Regex::new(text)?;
        // Parsed as a regular expression over bytes.
        let Ok(parsed) = ParserBuilder::new().utf8(false).build().parse(text) else {
            return Ok(Self {
                exact,
                loose: Regex::new("")?,
                has_assertions: true,
            });
        };
        let has_assertions = !parsed.properties().look_set().is_empty();
        // The rewritten pattern may be too large to compile: then every line is a candidate.
        let loose =
            Regex::new(&without_ends(loosened(parsed)).to_string()).or_else(|_| Regex::new(""))?;
        Ok(Self {
            exact,
            loose,
            has_assertions,
        })
    }
}

/// An error in a regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternFault {
    /// Number of the character with the error, from 1.
    pub at: usize,
    /// Description of the error, as a phrase.
    pub what: String,
}

impl TextPattern {
    /// Creates a pattern from words as they appear in a list. It ignores case and the number of
    /// spaces. After the first word it also matches names of addresses, as `address_of` resolves
    /// them.
    ///
    /// ```
    /// use stepback_index::query::TextPattern;
    ///
    /// let pattern = TextPattern::of_words("ldr x1, [sp]", &|_| None)?;
    /// assert!(pattern.is_match(b"12 IT 00008000 f94003e1 O EL1h_n : LDR      x1,[sp]"));
    /// let call = TextPattern::of_words("bl main", &|name| (name == "main").then_some(0x8040))?;
    /// assert!(call.is_match(b"BL       0x8040") && !call.is_match(b"BL       0x18040"));
    /// assert!(call.is_match(b"BL       +0x40 ; 0x8040"));
    /// # Ok::<(), regex::Error>(())
    /// ```
    ///
    /// # Errors
    /// The text is too long for a pattern.
    pub fn of_words(
        text: &str,
        address_of: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<Self, regex::Error> {
        let pattern_of = |(place, word): (usize, &str)| {
            let name = word.trim_end_matches([',', ']', ')', '!']);
            let rest = word.get(name.len()..).unwrap_or_default();
            match address_of(name).filter(|_| place > 0) {
                Some(address) => {
                    let name = regex::escape(name);
                    // If the text shows a distance, the address is in the comment after it.
                    let shown = format!(r"(?:\S+\s*;\s*)?\b(?:0x)?0*{address:x}\b");
                    format!("(?:{name}|{shown}){}", regex::escape(rest))
                }
                None => regex::escape(word),
            }
        };
        let words = text
            .split_whitespace()
            .enumerate()
            .map(pattern_of)
            .map(|word| word.replace(',', r",\s*"));
        // Text after a comma has its spaces already.
        let pattern = words
            .collect::<Vec<_>>()
            .join(r"\s+")
            .replace(r",\s*\s+", r",\s*");
        format!("(?i){pattern}").parse()
    }

    /// Returns the error of an invalid regular expression; none for a valid one.
    pub fn fault(text: &str) -> Option<PatternFault> {
        let fault = |offset: usize, what: String| {
            let before = text.get(..offset).unwrap_or(text);
            PatternFault {
                at: before.chars().count() + 1,
                what,
            }
        };
        match ParserBuilder::new().utf8(false).build().parse(text) {
            Err(regex_syntax::Error::Parse(error)) => {
                Some(fault(error.span().start.offset, error.kind().to_string()))
            }
            Err(regex_syntax::Error::Translate(error)) => {
                Some(fault(error.span().start.offset, error.kind().to_string()))
            }
            Err(error) => Some(fault(0, error.to_string())),
            Ok(_) => Regex::new(text)
                .err()
                .map(|_| fault(0, "it is too large".to_owned())),
        }
    }

    /// Returns the pattern as it was typed.
    pub fn as_str(&self) -> &str {
        self.exact.as_str()
    }

    /// Returns true if it matches somewhere in a line, passed without its end.
    pub fn is_match(&self, line: &[u8]) -> bool {
        self.exact.is_match(line)
    }

    /// Returns true if a part of a line may match although the whole line does not: `^` and the
    /// like.
    pub(crate) fn has_assertions(&self) -> bool {
        self.has_assertions
    }

    /// Returns a place in the first line from `at` on that may match, or at its end. `at` is the
    /// start of a line.
    pub(crate) fn next_candidate(&self, text: &[u8], at: usize) -> Option<usize> {
        self.loose.shortest_match_at(text, at)
    }
}

/// Removes assertions and line ends from a pattern.
fn loosened(pattern: Hir) -> Hir {
    match pattern.into_kind() {
        HirKind::Empty | HirKind::Look(_) => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(within_a_line(class)),
        HirKind::Repetition(part) => Hir::repetition(Repetition {
            sub: Box::new(loosened(*part.sub)),
            ..part
        }),
        HirKind::Capture(capture) => loosened(*capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(loosened).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(loosened).collect()),
    }
}

fn within_a_line(class: Class) -> Class {
    match class {
        Class::Unicode(mut class) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Class::Unicode(class)
        }
        Class::Bytes(mut class) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Class::Bytes(class)
        }
    }
}

/// Removes optional parts at the beginning and end: `.*sp` matches in the lines that contain `sp`.
fn without_ends(pattern: Hir) -> Hir {
    let is_needed = |part: &Hir| part.properties().minimum_len() != Some(0);
    if !is_needed(&pattern) {
        return Hir::empty();
    }
    let HirKind::Concat(parts) = pattern.kind() else {
        return pattern;
    };
    let first = parts.iter().position(is_needed).unwrap_or(0);
    let end = parts
        .iter()
        .rposition(is_needed)
        .map_or(parts.len(), |last| last + 1);
    Hir::concat(parts.get(first..end).unwrap_or_default().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, loose: &str, has_assertions: bool) {
        let pattern: TextPattern = pattern.parse().unwrap();
        assert_eq!(
            (pattern.loose.as_str(), pattern.has_assertions),
            (loose, has_assertions)
        );
    }

    #[test]
    fn assertions_and_what_may_be_missing_are_not_looked_for_at_first() {
        check("LDR", "(?:LDR)", false);
        check("^LDR$", "(?:LDR)", true);
        check(r"\bBL\b", "(?:BL)", true);
        check(".*sp.*", "(?:sp)", false);
        check("(?i)^b?$", "(?:)", true);
        check("x[0-9]*y+z?", "(?:x[0-9]*y+)", false);
    }

    #[test]
    fn no_part_of_a_pattern_reaches_beyond_a_line() {
        for pattern in [
            "a\\nb",
            "a\\s*b",
            "a[^c]+b",
            "(?s)a.*b",
            "(?s-u)a.*b",
            "a(?-u:[^c])b",
        ] {
            let pattern: TextPattern = pattern.parse().unwrap();
            assert_eq!(pattern.next_candidate(b"a\nb", 0), None, "{pattern:?}");
        }
    }

    #[test]
    fn a_line_that_matches_is_a_candidate() {
        let patterns = [
            "^$",
            "$",
            "^IT",
            "0{3}$",
            r"\bX\d\b",
            "(?i)ldr|str",
            r"(a|\b)c",
            "(?-u)\\xff",
            "é",
            "(?m)^b$",
        ];
        let lines: [&[u8]; 9] = [
            b"",
            b"IT 000",
            b"X1",
            b"LdR",
            b"x c",
            b"\xff",
            "née".as_bytes(),
            b"b",
            b"nothing of all that",
        ];
        for pattern in patterns {
            let pattern: TextPattern = pattern.parse().unwrap();
            for line in lines.iter().filter(|line| pattern.is_match(line)) {
                assert!(
                    pattern.next_candidate(line, 0).is_some(),
                    "{pattern:?} in {line:?}"
                );
            }
        }
    }
}
