//! Lexer for the operands of an instruction.

use stepback_machine::{Address, InstructionSet, OperandWordKind};

use super::target::{absolute, relative, takes_register_list};
use super::{SyntaxKind, SyntaxToken};

/// Properties of the instruction that all its tokens depend on.
pub struct OperandContext<'a> {
    /// In lower case.
    pub mnemonic: &'a str,
    pub set: InstructionSet,
    /// True for calls and returns too.
    pub is_branch: bool,
    /// Address of the instruction.
    pub pc: Address,
    /// Returns the name of an address.
    pub name_of: &'a dyn Fn(Address) -> Option<String>,
}

/// Splits operands into tokens. Each run of spaces becomes one space, and one follows each comma.
/// Addresses relative to the pc and branch targets are replaced by their names. Nothing else
/// changes.
pub fn operands(text: &str, context: &OperandContext<'_>) -> Vec<SyntaxToken> {
    let mut lexer = OperandLexer {
        rest: text.trim(),
        context,
        tokens: Vec::new(),
    };
    while !lexer.rest.is_empty() {
        lexer.next();
    }
    lexer.tokens
}

struct OperandLexer<'a> {
    rest: &'a str,
    context: &'a OperandContext<'a>,
    tokens: Vec<SyntaxToken>,
}

impl<'a> OperandLexer<'a> {
    fn next(&mut self) {
        let Some(first) = self.rest.chars().next() else {
            return;
        };
        match first {
            _ if first.is_whitespace() => self.space(),
            ',' => self.comma(),
            ';' => self.take(self.rest.len(), SyntaxKind::Comment),
            '/' if self.rest.starts_with("//") => self.take(self.rest.len(), SyntaxKind::Comment),
            '{' if self.relative_address() => {}
            '<' if self.rest.contains('>') => self.take(
                self.end_of(|character| character == '>') + 1,
                SyntaxKind::Symbol,
            ),
            '#' if immediate_length(self.rest) > 1 => {
                self.take(immediate_length(self.rest), SyntaxKind::Number)
            }
            '0'..='9' => self.number(),
            _ if is_word_start(first) => self.word(first.len_utf8()),
            _ => self.take(first.len_utf8(), SyntaxKind::Punctuation),
        }
    }

    /// Moves bytes from the rest into a token.
    fn take(&mut self, length_bytes: usize, kind: SyntaxKind) {
        let text = self.advance(length_bytes);
        self.push(kind, text);
    }

    fn advance(&mut self, length_bytes: usize) -> &'a str {
        let (text, rest) = self
            .rest
            .split_at_checked(length_bytes)
            .unwrap_or((self.rest, ""));
        self.rest = rest;
        text
    }

    /// Adds a token. Adjacent punctuation becomes one token.
    fn push(&mut self, kind: SyntaxKind, text: &str) {
        match self.tokens.last_mut() {
            Some(last) if kind == SyntaxKind::Punctuation && last.kind == kind => {
                last.text.push_str(text)
            }
            _ => self.tokens.push(SyntaxToken {
                kind,
                text: text.to_owned(),
            }),
        }
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
        if self
            .tokens
            .last()
            .is_some_and(|last| !last.text.ends_with(' '))
        {
            self.push(SyntaxKind::Punctuation, " ");
        }
    }

    fn comma(&mut self) {
        self.advance(1);
        self.rest = self.rest.trim_start();
        self.push(
            SyntaxKind::Punctuation,
            if self.rest.is_empty() { "," } else { ", " },
        );
    }

    /// Reads `{pc}+8 ; 0x8008`. Returns false if the text is something else.
    fn relative_address(&mut self) -> bool {
        let read = Some(self.rest).filter(|_| !takes_register_list(self.context.mnemonic));
        let Some(found) = read.and_then(|text| relative(text, self.context.pc)) else {
            return false;
        };
        self.advance(found.length_bytes);
        match (self.context.name_of)(found.target) {
            Some(name) => self.push(SyntaxKind::Symbol, &name),
            None => self.push(SyntaxKind::Number, &found.target.to_string()),
        }
        true
    }

    fn number(&mut self) {
        let word = self
            .rest
            .get(..self.end_of(|character| !is_word_part(character)))
            .unwrap_or_default();
        let after = self.rest.get(word.len()..).unwrap_or_default().trim_start();
        // If the disassembler gives the name itself, the address stays.
        let is_target = self.context.is_branch && (after.is_empty() || after.starts_with(';'));
        match absolute(word)
            .filter(|_| is_target)
            .and_then(self.context.name_of)
        {
            Some(name) => {
                self.advance(word.len());
                self.push(SyntaxKind::Symbol, &name);
            }
            None => self.take(word.len(), SyntaxKind::Number),
        }
    }

    fn word(&mut self, first_length: usize) {
        let after_first = self.rest.get(first_length..).unwrap_or_default();
        let more = after_first
            .find(|character| !is_word_part(character))
            .unwrap_or(after_first.len());
        let word = self.advance(first_length + more);
        self.push(kind_of_word(word, self.context), word);
    }

    fn end_of(&self, is_end: impl Fn(char) -> bool) -> usize {
        self.rest.find(is_end).unwrap_or(self.rest.len())
    }
}

fn is_word_start(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '_' | '.' | '$' | '%')
}

fn is_word_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '$')
}

/// Returns the length of `#8`, `#-0x10` or `#1.5E-02`; 1 for a single `#`.
fn immediate_length(text: &str) -> usize {
    let body = text.get(1..).unwrap_or_default();
    let unsigned = body.strip_prefix(['+', '-']).unwrap_or(body);
    if !unsigned.starts_with(|character: char| character.is_ascii_digit()) {
        return 1;
    }
    let is_hexadecimal = absolute(unsigned.get(..3).unwrap_or_default()).is_some();
    let mut previous = ' ';
    let end = unsigned.find(|character: char| {
        let is_exponent =
            !is_hexadecimal && matches!(previous, 'e' | 'E') && matches!(character, '+' | '-');
        previous = character;
        !(is_exponent || character.is_ascii_alphanumeric() || character == '.')
    });
    let length = end.unwrap_or(unsigned.len());
    text.len() - unsigned.len() + length
}

fn kind_of_word(word: &str, context: &OperandContext<'_>) -> SyntaxKind {
    match context.set.operand_word(context.mnemonic, word) {
        OperandWordKind::Register => SyntaxKind::Register,
        OperandWordKind::Keyword => SyntaxKind::Mnemonic,
        OperandWordKind::Address => SyntaxKind::Symbol,
        OperandWordKind::Other if context.is_branch || word.contains('_') => SyntaxKind::Symbol,
        OperandWordKind::Other => SyntaxKind::Mnemonic,
    }
}
