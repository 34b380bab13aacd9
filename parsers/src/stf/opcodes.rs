//! Facts about instruction words, decoded once and cached ([`OpcodeCache`]).

use stepback_machine::flow::{BranchTarget, FlowKind, RecordedBranch};
use stepback_machine::{Address, Encoding, InstructionSet, RegisterView, Registers, decode};

use crate::stf::record::RegisterClass;

/// Maximum number of registers that are considered of one instruction.
const WRITES: usize = 2;
/// Number of cached words, a power of two.
const WORDS: usize = 1 << 13;

/// Integer or floating-point register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberedRegister {
    /// Class of the register.
    pub class: RegisterClass,
    /// Number within the class.
    pub number: u16,
    /// Its bytes.
    pub view: RegisterView,
}

/// Facts about an instruction word.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeFacts {
    /// Bytes in memory order.
    pub encoding: Option<Encoding>,
    /// Effect on control flow.
    pub flow: FlowKind,
    /// Target of a jump relative to address 0, if the encoding states it.
    pub target: Option<u64>,
    /// True if the branch depends on registers.
    pub is_conditional: bool,
    writes: [Option<NumberedRegister>; WRITES],
}

/// Facts about a word that is no instruction.
static NO_FACTS: OpcodeFacts = OpcodeFacts {
    encoding: None,
    flow: FlowKind::Next,
    target: None,
    is_conditional: false,
    writes: [None; WRITES],
};

impl OpcodeFacts {
    fn of(word: u32, length_bytes: u8, set: InstructionSet) -> Self {
        let bytes = word.to_le_bytes();
        let encoding = Encoding::new(bytes.get(..usize::from(length_bytes)).unwrap_or_default());
        let Some(encoding) = encoding else {
            return NO_FACTS;
        };
        let instruction = decode(encoding, Address(0), set);
        let registers = instruction.registers.as_ref();
        let mut written = registers
            .into_iter()
            .flat_map(|known| &known.writes)
            .filter_map(|view| numbered(*view, set));
        let target = match instruction.control.target {
            BranchTarget::Address(address) => Some(address),
            BranchTarget::Unsaid | BranchTarget::Register(_) => None,
        };
        Self {
            encoding: Some(encoding),
            flow: instruction.control.flow,
            target,
            is_conditional: registers.is_some_and(|known| !known.reads.is_empty())
                && target.is_some(),
            writes: std::array::from_fn(|_| written.next()),
        }
    }

    /// Returns the integer and floating-point registers that it writes, except `x0`.
    #[inline(always)]
    pub fn writes(&self) -> impl Iterator<Item = &NumberedRegister> {
        self.writes.iter().flatten()
    }

    /// Returns true for instructions that may continue elsewhere than with the next one.
    pub fn may_branch(&self) -> bool {
        !matches!(self.flow, FlowKind::Next | FlowKind::Trap)
    }

    /// Returns the kind of branch of an executed instruction; `target` is that of a taken one.
    #[inline(always)]
    pub fn branch(&self, target: Option<u64>) -> RecordedBranch {
        let is_direct = self.target.is_some();
        match self.flow {
            FlowKind::Branch if self.is_conditional => {
                RecordedBranch::Conditional(Some(target.is_some()))
            }
            FlowKind::Branch if is_direct => RecordedBranch::Jump,
            FlowKind::Branch => RecordedBranch::IndirectJump,
            FlowKind::Call if is_direct => RecordedBranch::Call,
            FlowKind::Call => RecordedBranch::IndirectCall,
            FlowKind::Return => RecordedBranch::Return,
            FlowKind::Next | FlowKind::Trap | FlowKind::ExceptionReturn => RecordedBranch::None,
        }
    }
}

/// Returns the number of an integer or floating-point register that is written as a whole.
fn numbered(view: RegisterView, set: InstructionSet) -> Option<NumberedRegister> {
    let name = Registers::name(view, set)?;
    let number = |letter: char| {
        (1..32).find(|number| Registers::view(&format!("{letter}{number}"), set) == Some(view))
    };
    let integer = number('x').map(|number| (RegisterClass::Integer, number));
    let float = || {
        let zero = (Registers::view("f0", set)? == view).then_some(0);
        Some((RegisterClass::Float, zero.or_else(|| number('f'))?))
    };
    let (class, number) = integer.or_else(float).filter(|_| !name.is_empty())?;
    Some(NumberedRegister {
        class,
        number,
        view,
    })
}

/// Cache of the facts about the words that occurred last.
#[derive(Default)]
pub struct OpcodeCache {
    /// Empty until the first word.
    entries: Vec<(OpcodeKey, OpcodeFacts)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct OpcodeKey {
    word: u32,
    length_bytes: u8,
    set: InstructionSet,
}

impl OpcodeCache {
    /// Returns the facts about a word.
    #[inline(always)]
    pub fn get(&mut self, word: u32, length_bytes: u8, set: InstructionSet) -> &OpcodeFacts {
        let key = OpcodeKey {
            word,
            length_bytes,
            set,
        };
        // Fibonacci hashing.
        let place = (word.wrapping_mul(0x9e37_79b1) >> (32 - WORDS.trailing_zeros())) as usize;
        if self
            .entries
            .get(place)
            .is_none_or(|(known, _)| *known != key)
        {
            self.add(place, key);
        }
        self.entries
            .get(place)
            .map_or(&NO_FACTS, |(_, facts)| facts)
    }

    #[inline(never)]
    fn add(&mut self, place: usize, key: OpcodeKey) {
        let facts = OpcodeFacts::of(key.word, key.length_bytes, key.set);
        if self.entries.is_empty() {
            self.entries = vec![(key, facts); WORDS];
        }
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = (key, facts);
        }
    }
}
