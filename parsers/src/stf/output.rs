//! What the steps of a trace are passed to ([`StepOutput`]): a scan that numbers the instructions
//! ([`CodeScan`]), or an encoder that is given these numbers ([`GivenCodes`]).

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Encoding, InstructionSet};

use crate::events::{TextKind, ThreadNumber};
use crate::marker::Marker;
use crate::problem::ProblemKind;
use crate::step_store::code::{Code, Codes, EffectShape, ShapeAccess, ShapeRegister};
use crate::step_store::code_table::{CodeLookup, CodeNumbers, CodeTable};
use crate::step_store::encoder::{BlockSink, Encoder};
use crate::step_store::record::{
    StepStatus, StoredAccess, StoredRegister, StoredStep, StoredThread,
};

/// Step to be stored.
#[derive(Clone, Copy, Debug)]
pub struct StfStep<'a> {
    /// Thread that executes it.
    pub thread: ThreadNumber,
    /// Address of the instruction.
    pub pc: u64,
    /// Length in bytes.
    pub length_bytes: u8,
    /// Instruction set.
    pub set: InstructionSet,
    /// Bytes of the instruction; `None` if they are those that the address had before.
    pub encoding: Option<&'a Encoding>,
    /// Effect on control.
    pub branch: RecordedBranch,
    /// Way in which it was reached.
    pub reached: StepStatus,
}

impl StfStep<'_> {
    /// Number of the input: an address may hold another instruction in the other encoding mode.
    #[inline(always)]
    fn input(&self) -> u16 {
        u16::from(self.set.word_bytes() < 8)
    }

    fn stored(&self) -> StoredStep {
        StoredStep {
            input: self.input(),
            thread: self.thread,
            branch: self.branch,
            set: self.set,
            length_bytes: self.length_bytes.into(),
            pc: self.pc,
            encoding: self.encoding.copied(),
            target: None,
            reached: self.reached,
        }
    }
}

/// Receives steps, each followed by its effects. The methods are those of [`Encoder`].
pub trait StepOutput {
    /// True if the effects of instructions are wanted, not only their order.
    const TAKES_EFFECTS: bool;

    fn begin_record(&mut self, number: u64);
    /// Begins a step; returns false if its effects are not wanted.
    fn step(&mut self, step: &StfStep<'_>) -> bool;
    fn access(&mut self, thread: ThreadNumber, access: StoredAccess);
    fn valued_access(&mut self, thread: ThreadNumber, access: StoredAccess, value: u64);
    fn register(&mut self, thread: ThreadNumber, register: StoredRegister);
    fn marker(&mut self, thread: ThreadNumber, marker: Marker, size_bytes: u64);
    fn note(&mut self, thread: ThreadNumber, kind: TextKind, text: &str);
    fn problem(&mut self, problem: &ProblemKind);
    fn thread(&mut self, thread: ThreadNumber, identity: StoredThread);
    /// Returns the number of items until now, including item 0 before the first step.
    fn items(&self) -> u64;
    /// Returns true if reading is to pause before the next group.
    fn is_paused(&self) -> bool;
    /// Returns true if the last step is the first execution of an instruction whose effects a scan
    /// needs.
    fn is_first_execution(&self) -> bool {
        false
    }
    /// Ends the effects of the first execution of an instruction, which had this number of records.
    fn end_first_execution(&mut self, _records: u64) {}
}

impl<B: BlockSink> StepOutput for Encoder<B, GivenCodes> {
    const TAKES_EFFECTS: bool = true;

    #[inline(always)]
    fn begin_record(&mut self, number: u64) {
        self.begin_record(number);
    }

    #[inline(always)]
    fn step(&mut self, step: &StfStep<'_>) -> bool {
        _ = self.step_with(step.thread, None, GivenCodes::next);
        !self.is_over()
    }

    #[inline(always)]
    fn access(&mut self, thread: ThreadNumber, access: StoredAccess) {
        self.access(thread, access);
    }

    #[inline(always)]
    fn valued_access(&mut self, thread: ThreadNumber, access: StoredAccess, value: u64) {
        self.valued_access(thread, access, value);
    }

    #[inline(always)]
    fn register(&mut self, thread: ThreadNumber, register: StoredRegister) {
        self.register(thread, register);
    }

    #[inline(always)]
    fn items(&self) -> u64 {
        self.items()
    }

    #[inline(always)]
    fn is_paused(&self) -> bool {
        self.is_over()
    }

    fn marker(&mut self, thread: ThreadNumber, marker: Marker, size_bytes: u64) {
        self.marker(thread, marker, size_bytes);
    }

    fn note(&mut self, thread: ThreadNumber, kind: TextKind, text: &str) {
        self.note(thread, kind, text);
    }

    fn problem(&mut self, problem: &ProblemKind) {
        self.problem(problem);
    }

    fn thread(&mut self, thread: ThreadNumber, identity: StoredThread) {
        self.thread(thread, identity);
    }
}

/// Numbers of the codes of consecutive steps.
#[derive(Clone, Debug, Default)]
pub struct StepCodes {
    /// Number of each step's code; [`NO_NUMBER`] if it has none.
    pub numbers: Vec<u32>,
    /// Codes without a number, in order.
    pub inline: Vec<Code>,
}

impl StepCodes {
    /// Adds the codes of the following steps.
    pub fn append(&mut self, mut later: Self) {
        self.numbers.append(&mut later.numbers);
        self.inline.append(&mut later.inline);
    }
}

const NO_NUMBER: u32 = u32::MAX;

/// Codes that a scan has numbered.
#[derive(Debug)]
pub struct GivenCodes {
    /// All codes that occur.
    pub codes: Codes,
    /// Codes of the steps.
    pub steps: StepCodes,
    /// True if the scan dropped an encoding for lack of room.
    pub is_full: bool,
    used: usize,
    used_inline: usize,
}

impl GivenCodes {
    /// Begins before the first of some steps.
    pub fn new(codes: Codes, steps: StepCodes) -> Self {
        Self {
            codes,
            steps,
            is_full: false,
            used: 0,
            used_inline: 0,
        }
    }

    /// Returns the code of the next step.
    #[inline(always)]
    fn next(&mut self) -> CodeLookup {
        let number = self.steps.numbers.get(self.used);
        let number = number.copied().unwrap_or_default();
        self.used += 1;
        if number == NO_NUMBER
            && let Some(code) = self.steps.inline.get(self.used_inline)
        {
            self.used_inline += 1;
            return CodeLookup::Inline(*code);
        }
        CodeLookup::Numbered(number)
    }
}

impl CodeNumbers for GivenCodes {
    #[inline(always)]
    fn code(&self, number: u32) -> Option<&Code> {
        self.codes.get(number)
    }

    fn set_shape(&mut self, _number: u32, _shape: EffectShape) {}

    fn all(&self) -> &[Code] {
        &[]
    }

    fn is_full(&self) -> bool {
        self.is_full
    }
}

/// Numbers the instructions of a trace in the order of their first execution, with the effects of
/// that execution.
#[derive(Debug)]
pub struct CodeScan {
    /// All instructions until now.
    pub table: CodeTable,
    /// Threads until now.
    pub threads: Vec<StoredThread>,
    /// Number of items until now, including item 0 before the first step.
    pub items: u64,
    /// Number of items before which reading pauses.
    pub pause_at: u64,
    /// Codes of the steps since the last call of [`Self::take_steps`].
    steps: StepCodes,
    /// Code whose first execution is examined, and its effects.
    first: Option<(u32, EffectShape)>,
}

impl CodeScan {
    /// Begins before the first step.
    pub fn new() -> Self {
        Self {
            table: CodeTable::default(),
            threads: Vec::new(),
            items: 1,
            pause_at: u64::MAX,
            steps: StepCodes::default(),
            first: None,
        }
    }

    /// Returns the codes of the steps since the last call.
    pub fn take_steps(&mut self) -> StepCodes {
        let room = self.steps.numbers.len();
        let next = StepCodes {
            numbers: Vec::with_capacity(room),
            inline: Vec::new(),
        };
        std::mem::replace(&mut self.steps, next)
    }

    /// Returns the number of a step's code if it is not the usual successor of the code before.
    #[inline(never)]
    fn find(&mut self, step: &StfStep<'_>) -> u32 {
        match self.table.find(&step.stored()) {
            CodeLookup::Numbered(number) => number,
            CodeLookup::Inline(code) => {
                self.steps.inline.push(code);
                NO_NUMBER
            }
        }
    }

    fn push_access(&mut self, access: ShapeAccess) {
        if let Some((_, shape)) = &mut self.first {
            shape.push(access);
        }
    }
}

impl StepOutput for CodeScan {
    const TAKES_EFFECTS: bool = false;

    #[inline(always)]
    fn begin_record(&mut self, _number: u64) {}

    #[inline(always)]
    fn step(&mut self, step: &StfStep<'_>) -> bool {
        self.items += 1;
        let known = self.table.successor(step.input(), |code| {
            code.pc == step.pc
                && code.branch == step.branch
                && code.length_bytes == u16::from(step.length_bytes)
                && code.reached == step.reached
                && (step.encoding.is_none() || step.encoding == code.encoding.as_ref())
        });
        let number = known.unwrap_or_else(|| self.find(step));
        self.steps.numbers.push(number);
        let code = self.table.code(number);
        if code.is_some_and(|code| code.shape.is_unset()) {
            self.first = Some((number, EffectShape::default()));
        }
        false
    }

    fn access(&mut self, _thread: ThreadNumber, access: StoredAccess) {
        self.push_access(ShapeAccess {
            kind: access.kind,
            size_bytes: access.size_bytes,
            has_value: false,
        });
    }

    fn valued_access(&mut self, _thread: ThreadNumber, access: StoredAccess, _value: u64) {
        self.push_access(ShapeAccess {
            kind: access.kind,
            size_bytes: access.size_bytes,
            has_value: true,
        });
    }

    fn register(&mut self, _thread: ThreadNumber, register: StoredRegister) {
        if let Some((_, shape)) = &mut self.first {
            shape.push_register(ShapeRegister {
                view: register.view,
                has_value: register.value.is_some(),
            });
        }
    }

    fn marker(&mut self, _thread: ThreadNumber, _marker: Marker, _size_bytes: u64) {}

    fn note(&mut self, _thread: ThreadNumber, _kind: TextKind, _text: &str) {}

    fn problem(&mut self, _problem: &ProblemKind) {}

    fn thread(&mut self, thread: ThreadNumber, identity: StoredThread) {
        let place = usize::from(thread.0);
        if self.threads.len() <= place {
            self.threads.resize(place + 1, StoredThread::default());
        }
        if let Some(known) = self.threads.get_mut(place) {
            *known = identity;
        }
    }

    #[inline(always)]
    fn items(&self) -> u64 {
        self.items
    }

    #[inline(always)]
    fn is_paused(&self) -> bool {
        self.items >= self.pause_at
    }

    #[inline(always)]
    fn is_first_execution(&self) -> bool {
        self.first.is_some()
    }

    fn end_first_execution(&mut self, records: u64) {
        if let Some((number, shape)) = self.first.take() {
            let records = u8::try_from(records).unwrap_or_default();
            self.table.set_shape(number, shape.stated_by(records));
        }
    }
}
