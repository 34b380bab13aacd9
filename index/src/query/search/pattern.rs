//! What a search for text looks for.

use std::str::FromStr;

use regex::bytes::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition,
};

/// A regular expression that is searched for line by line.
///
/// ```
/// use stepback_index::TextPattern;
///
/// let pattern: TextPattern = r"^ldr\s+x\d+".parse()?;
/// assert!(pattern.is_match(b"ldr x12, [sp]") && !pattern.is_match(b"str x12, [sp]"));
/// # Ok::<(), regex::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextPattern {
    exact: Regex,
    /// Matches in each line that `exact` matches, or a part of it; never beyond a line.
    /// So it can run over the text of many lines at once.
    loose: Regex,
    /// True when a part of a line may match where the whole line does not.
    has_assertions: bool,
}

impl FromStr for TextPattern {
    type Err = regex::Error;

    fn from_str(text: &str) -> Result<Self, regex::Error> {
        let exact = Regex::new(text)?;
        // As regular expressions over bytes are parsed.
        let Ok(parsed) = ParserBuilder::new().utf8(false).build().parse(text) else {
            return Ok(Self {
                exact,
                loose: Regex::new("")?,
                has_assertions: true,
            });
        };
        let has_assertions = !parsed.properties().look_set().is_empty();
        // The rewritten pattern may be too large to compile: then every line is looked at.
        let loose =
            Regex::new(&without_ends(loosened(parsed)).to_string()).or_else(|_| Regex::new(""))?;
        Ok(Self {
            exact,
            loose,
            has_assertions,
        })
    }
}

/// What is wrong with a regular expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternFault {
    /// The character at which it shows, from 1.
    pub at: usize,
    /// What, as a phrase.
    pub what: String,
}

impl TextPattern {
    /// Words as people type what they see in a list: in any case, with as many spaces as there are, and behind the first
    /// word with names for addresses, which `address_of` knows.
    ///
    /// ```
    /// use stepback_index::TextPattern;
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
    /// It is too long for a pattern.
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
                    // Where the text tells a distance, the address is the comment behind it.
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
        // What stands behind a comma has its spaces already.
        let pattern = words
            .collect::<Vec<_>>()
            .join(r"\s+")
            .replace(r",\s*\s+", r",\s*");
        format!("(?i){pattern}").parse()
    }

    /// What is wrong with a text that is no regular expression; none for one that is.
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

    /// As it was typed.
    pub fn as_str(&self) -> &str {
        self.exact.as_str()
    }

    /// Whether it matches somewhere in a line, which comes without its end.
    pub fn is_match(&self, line: &[u8]) -> bool {
        self.exact.is_match(line)
    }

    /// True when a part of a line may match where the whole line does not: `^` and the like.
    pub(crate) fn has_assertions(&self) -> bool {
        self.has_assertions
    }

    /// A place in the first line from `at` on that may match, or at its end. `at` is the start of a line.
    pub(crate) fn next_candidate(&self, text: &[u8], at: usize) -> Option<usize> {
        self.loose.shortest_match_at(text, at)
    }
}

/// The pattern without assertions and ends of lines.
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

/// What may be missing at the beginning or end need not be looked for: `.*sp` is in the lines that `sp` is in.
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
