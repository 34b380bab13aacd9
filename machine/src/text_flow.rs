//! Where control goes behind an instruction, by its text alone.

/// How an instruction goes elsewhere, as far as its text tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextFlow {
    /// It leaves a return address behind.
    Call,
    /// It is written as a return: `ret`, `bx lr`, `pop {…,pc}`, …
    Return,
    /// Any other branch that always goes elsewhere: `b`, `br x16`, `ldr pc,[r0]`.
    Branch,
    /// A branch of which a condition or a compare decides.
    Conditional,
}

/// What a word among the operands of an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandWordKind {
    /// A register, system registers too.
    Register,
    /// A word of the language itself: `dword`, `ptr`.
    Keyword,
    /// What stands there names an address.
    Address,
    /// Anything else.
    Other,
}

/// An instruction's text in lower case and in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionWords {
    /// The first word; what stands before it (`bnd`, `rep`) is left out.
    pub mnemonic: String,
    /// All behind it, without spaces.
    pub operands: String,
}

impl InstructionWords {
    /// Takes a text apart; `prefixes` are words that may stand before the mnemonic.
    pub fn of(text: &str, prefixes: &[&str]) -> Self {
        let (mnemonic, operands) = without_prefix(text, prefixes);
        let operands: String = operands
            .chars()
            .filter(|character| !character.is_whitespace())
            .collect();
        Self {
            mnemonic: mnemonic.to_ascii_lowercase(),
            operands: operands.to_ascii_lowercase(),
        }
    }
}

/// Mnemonic and operands without words that stand before.
pub fn without_prefix<'a>(text: &'a str, prefixes: &[&str]) -> (&'a str, &'a str) {
    let first = first_word(text);
    let is_prefix = prefixes
        .iter()
        .any(|name| first.0.eq_ignore_ascii_case(name))
        && !first.1.is_empty();
    if is_prefix {
        without_prefix(first.1, prefixes)
    } else {
        first
    }
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace)
        .map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}

/// Each text, in both cases, leads where it is expected to; whether something decides about a branch has tests of its own.
#[cfg(test)]
#[track_caller]
pub fn check_flow(
    text_flow: fn(&str) -> Option<TextFlow>,
    expected: Option<TextFlow>,
    texts: &[&str],
) {
    for text in texts {
        for text in [(*text).to_owned(), text.to_ascii_lowercase()] {
            let found = text_flow(&text).map(|flow| {
                if flow == TextFlow::Conditional {
                    TextFlow::Branch
                } else {
                    flow
                }
            });
            assert_eq!(found, expected, "{text}");
        }
    }
}
