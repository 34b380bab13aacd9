//! Control flow after an instruction, in terms common to all architectures: from its encoding
//! ([`ControlFlowEffect`]), from a record of the trace ([`RecordedBranch`]), or from its text only
//! ([`TextFlow`]). Text is split into words that several assembly languages share.

use serde::{Deserialize, Serialize};

use crate::view::RegisterId;

/// Effect of an instruction on the program counter if its condition holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlowKind {
    /// Control continues with the next instruction.
    #[default]
    Next,
    /// A jump.
    Branch,
    /// A jump that saves a return address.
    Call,
    /// A jump that compilers use to end functions.
    Return,
    /// Raises an exception: a system call, a breakpoint, semihosting.
    Trap,
    /// Ends the handling of an exception.
    ExceptionReturn,
}

/// Control transfer as described by an encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControlFlowEffect {
    /// Kind of transfer.
    pub flow: FlowKind,
    /// Destination of a jump.
    pub target: BranchTarget,
    /// Rule for the delay slot after a jump.
    pub delay: DelaySlotRule,
}

/// Destination of a jump, if the encoding states it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BranchTarget {
    /// Not stated: no jump, a jump through memory, or an encoding that is not modelled in this
    /// detail.
    #[default]
    Unsaid,
    /// This address.
    Address(u64),
    /// Exactly the previous value of this register. In sets that have one, the value includes the
    /// bit that selects the instruction set of the target.
    Register(RegisterId),
}

impl BranchTarget {
    /// Returns the address if the encoding states it.
    pub const fn address(self) -> Option<u64> {
        match self {
            Self::Address(address) => Some(address),
            Self::Unsaid | Self::Register(_) => None,
        }
    }
}

/// Rule for the instruction after a jump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DelaySlotRule {
    /// No delay slot: the instruction runs only when control reaches it again.
    #[default]
    None,
    /// Delay slot: runs before control reaches the target, whether or not the jump is taken.
    Slot,
    /// Runs only if the jump is taken (SPARC's annul bit on a conditional branch).
    UnlessNotTaken,
    /// Skipped although it occupies the slot (SPARC's `ba,a`).
    Annulled,
}

/// Successor of an executed instruction, from its encoding and its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlSuccessor {
    /// Unknown: neither states a successor.
    Open,
    /// The next instruction in memory.
    After,
    /// This address.
    Address(u64),
    /// The previous value of this register, as in [`BranchTarget::Register`].
    Register(RegisterId),
}

impl From<BranchTarget> for ControlSuccessor {
    fn from(target: BranchTarget) -> Self {
        match target {
            BranchTarget::Unsaid => Self::Open,
            BranchTarget::Address(address) => Self::Address(address),
            BranchTarget::Register(register) => Self::Register(register),
        }
    }
}

/// Effect of an instruction on control flow, for formats whose records state it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RecordedBranch {
    /// Not stated by the format; the encoding may state it.
    #[default]
    Unsaid,
    /// Not a branch.
    None,
    /// A jump to an address in the instruction.
    Jump,
    /// A jump to an address in a register or in memory; neither a call nor a return.
    IndirectJump,
    /// A conditional jump, and whether it was taken; none when the format does not state that.
    Conditional(Option<bool>),
    /// A call of an address in the instruction.
    Call,
    /// A call of an address in a register or in memory.
    IndirectCall,
    /// A return, including a return from an interrupt.
    Return,
    /// An entry into the kernel that returns to another address (`sysenter`).
    SystemEntry,
}

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

/// A word split into parts: `xmm3` is `xmm` and 3, `v0.16b` is `v` and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AssemblyWord<'a> {
    /// Text before a dot.
    pub base: &'a str,
    /// Leading letters.
    pub family: &'a str,
    /// Number after the letters, if the rest is only digits.
    pub number: Option<u8>,
}

impl<'a> AssemblyWord<'a> {
    /// Splits a word in lower case.
    pub fn of(word: &'a str) -> Self {
        let base = word.split('.').next().unwrap_or(word);
        let digits = base.trim_start_matches(|character: char| character.is_ascii_alphabetic());
        Self {
            base,
            family: base.strip_suffix(digits).unwrap_or(base),
            number: digits.parse().ok(),
        }
    }

    /// Returns true for one of some families with a number below 32.
    pub fn is_numbered(self, families: &[&str]) -> bool {
        families.contains(&self.family) && self.number.is_some_and(|number| number < 32)
    }
}
