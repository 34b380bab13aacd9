//! Control flow of an instruction, derived from its text only.

/// Kind of control transfer that the text of an instruction shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextFlow {
    /// Saves a return address.
    Call,
    /// Written as a return: `ret`, `bx lr`, `pop {…,pc}`, …
    Return,
    /// Any other unconditional branch: `b`, `br x16`, `ldr pc,[r0]`.
    Branch,
    /// A branch that depends on a condition or a comparison.
    Conditional,
}

/// Category of a word among the operands of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandWordKind {
    /// A register, including system registers.
    Register,
    /// A word of the assembly language: `dword`, `ptr`.
    Keyword,
    /// The word names an address.
    Address,
    /// Anything else.
    Other,
}

/// Text of an instruction in lower case, split into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionWords {
    /// First word, without prefixes (`bnd`, `rep`).
    pub mnemonic: String,
    /// Everything after it, without spaces.
    pub operands: String,
}

impl InstructionWords {
    /// Splits a text; `prefixes` are words that may precede the mnemonic.
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

/// Splits a text into mnemonic and operands, without prefixes.
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

/// Checks the flow of each text in both cases. Conditional branches count as branches here; other
/// tests cover conditions.
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
