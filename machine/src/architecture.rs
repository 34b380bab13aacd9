//! What an architecture answers for each of its instruction sets. A new one fills this in, and gets a row in `rows.rs`.
//!
//! Answers that many architectures share are given here: an architecture without delay slots, banks or semihosting says nothing of them.

use std::iter::StepBy;
use std::ops::Range;

use capstone::Capstone;

use crate::abi::{Abi, RegisterBit};
use crate::address::Address;
use crate::bank::BankedRegister;
use crate::bytes::Encoding;
use crate::control::ControlFlowEffect;
use crate::endian::Endian;
use crate::exception_frame::FrameLayout;
use crate::host_call::SemihostingCall;
use crate::instruction::Instruction;
use crate::linux::names::SystemCallNumbering;
use crate::mode::{ExecutionState, SecurityState};
use crate::names::{ArchitectureNames, ElfMachine};
use crate::placement::InstructionPlacement;
use crate::privilege::Privilege;
use crate::register_group::RegisterGroup;
use crate::register_run::RegisterRun;
use crate::selection::FlagTest;
use crate::set::InstructionSet;
use crate::site::CodeSite;
use crate::status::StatusRegister;
use crate::stub::{LinkageStub, StubSlot};
use crate::text_flow::{OperandWordKind, TextFlow};
use crate::view::{RegisterId, RegisterView};
use crate::window::WindowChange;

/// An instruction set, as its architecture knows it. What is documented on [`InstructionSet`] is not documented twice.
pub(crate) trait Architecture {
    const SET: InstructionSet;
    const NAMES: ArchitectureNames;
    const WORD_BYTES: u16;
    const ABI: Abi;
    /// Of ELF files whose code begins in this set.
    const ELF: &'static [ElfMachine] = &[];
    /// A symbol type for processors that means a function in them.
    const ELF_FUNCTION: Option<u8> = None;
    const HOST_CALL: Option<SemihostingCall> = None;
    /// The fewest bytes between the beginnings of two instructions of a program that begins in this set.
    const ALIGNMENT: u8 = 1;
    /// Bytes of the delay slot behind a call, a return or a computed jump.
    const SLOT_BYTES: u8 = 0;
    /// The numbers of the registers besides the general and the vector registers that instructions compute with.
    const COMPUTED: Range<u16> = 0..0;
    /// The names of the registers that say how many register windows are free or in use.
    const WINDOW_COUNTS: &'static [&'static str] = &[];
    /// While this is set the upper half of addresses is cut off.
    const NARROW_ADDRESSES: Option<RegisterBit> = None;
    /// The address's lowest bit says how to decode what is there.
    const HAS_MARKED_ADDRESSES: bool = false;
    /// The mark is set on addresses of this set.
    const IS_MARKED: bool = false;
    /// Of a processor that may change to sets whose registers have other names, a set for each of its states.
    const STATES: &'static [InstructionSet] = &[];
    /// The names that an export of signals declares, in its order.
    const SIGNALS: &'static [RegisterRun] = &[];

    /// The condition flags, as bits of the status register.
    const FLAG_BITS: u64 = 0;
    /// The most instructions that a condition of another may cover.
    const LONGEST_BLOCK: u8 = 0;
    /// Encodings are not the bytes of the program.
    const IS_SYNTHETIC: bool = false;

    // Registers.

    /// Of a lower-case name.
    fn view(name: &str) -> Option<RegisterView>;
    fn shown() -> Vec<String>;
    /// Names besides those that are shown, the better ones first.
    fn other_names() -> Vec<String>;
    fn group(group: RegisterGroup) -> Vec<String>;
    fn number_of(register: RegisterId) -> Option<u16>;
    /// The view under whose name another is shown that has none: any part of a register of which the implementation
    /// decides how wide it is.
    fn nameable(_view: RegisterView) -> Option<RegisterView> {
        None
    }
    /// By their numbers.
    fn banks(_plain: RegisterId) -> StepBy<Range<u16>> {
        (0..0).step_by(1)
    }
    fn is_own_bank(_plain: RegisterId) -> bool {
        true
    }
    fn banked(_name: &str) -> Option<BankedRegister> {
        None
    }
    /// Of a register that chooses between two stack pointers by [`crate::Mode::with_control`].
    fn stack_choice(_name: &str) -> Option<SecurityState> {
        None
    }
    /// Of a register that each security state has, by the name without a suffix.
    fn is_state_banked(_name: &str) -> bool {
        false
    }
    fn status(_bytes: &[Option<u8>]) -> StatusRegister {
        StatusRegister::default()
    }
    #[inline(always)]
    fn state_of(_status: u32) -> Option<ExecutionState> {
        None
    }

    // Encodings.

    fn encoding_of(_opcode: u32, _length_bytes: u8) -> Option<Encoding> {
        None
    }
    fn opcode_of(_encoding: &Encoding) -> u32 {
        0
    }
    /// The bytes of an instruction where code has the byte order of big-endian data, and the way back.
    fn with_big_endian_code(encoding: Encoding) -> Encoding {
        encoding
    }
    /// Byte order of the code in an ELF file, by its flags (`e_flags`) and the order of its data.
    fn elf_code_endian(_flags: u32, _data: Endian) -> Endian {
        Endian::Little
    }
    /// How long an instruction is of which a trace writes so many bytes.
    #[inline(always)]
    fn length_of(written_bytes: u8) -> u8 {
        written_bytes
    }
    /// The set that an instruction belongs to by its place, of a program that may change to another at any branch.
    fn set_at(_placement: &InstructionPlacement) -> InstructionSet {
        Self::SET
    }

    // Instructions.

    /// What decodes: what the first cannot read, the next may. Made once a thread.
    fn disassemblers() -> Vec<Capstone> {
        Vec::new()
    }
    /// True for what leaves a state behind in a disassembler: it gets one of its own.
    fn is_stateful(_encoding: &Encoding) -> bool {
        false
    }
    fn decode(site: &CodeSite, disassemblers: &[Capstone]) -> Option<Instruction>;
    fn control(site: &CodeSite) -> ControlFlowEffect;
    /// Of a branch that no record tells of.
    fn is_taken_when_executed(_encoding: &Encoding) -> bool {
        false
    }
    /// Of a conditional branch that some producers record as executed although it falls through.
    fn branch_test(_encoding: &Encoding) -> Option<FlagTest> {
        None
    }
    /// Number of instructions after this one that it makes conditional.
    fn block_length(_encoding: &Encoding) -> u8 {
        0
    }
    fn is_undefined(_encoding: &Encoding) -> bool {
        false
    }
    /// True for an instruction that may end in an exception whatever it accesses.
    fn may_raise(encoding: &Encoding) -> bool {
        Self::is_undefined(encoding)
    }
    fn is_exclusive_store(_encoding: &Encoding) -> bool {
        false
    }
    fn changed_by_trap(_encoding: &Encoding) -> &'static [&'static str] {
        Self::ABI.system_calls.changed
    }
    /// Where the stack ends that a stack pointer means.
    fn stack_end(pointer: u64) -> u64 {
        pointer
    }
    /// Of a trap.
    fn numbers_of_trap(_encoding: &Encoding) -> Option<SystemCallNumbering> {
        Some(Self::ABI.system_calls.numbers)
    }
    /// By the type that the processor gives it.
    fn trap_name(_number: u64) -> Option<String> {
        None
    }
    /// True for the traps by which a processor asks for help with its register windows.
    fn is_window_trap(_number: u64) -> bool {
        false
    }
    fn is_stack_choice(_encoding: &Encoding) -> bool {
        false
    }
    /// Or one of a set that its processor may change to.
    #[inline(always)]
    fn is_link(_register: RegisterId) -> bool {
        false
    }
    /// Whether a register points to the stack of its thread wherever an address is made of it.
    fn is_stack_pointer(register: RegisterId) -> bool {
        register == RegisterId::SP
    }
    /// What it does to the register windows when it is executed.
    fn window_step(_encoding: &Encoding) -> Option<WindowChange> {
        None
    }
    #[inline(always)]
    fn computes_stack_from_itself(_opcode: u32) -> bool {
        false
    }
    #[inline(always)]
    fn is_host_call(_opcode: u32, _length_bytes: u8) -> bool {
        false
    }

    // Texts.

    /// Words that may stand before a mnemonic.
    const PREFIXES: &'static [&'static str] = &[];
    fn text_flow(text: &str) -> Option<TextFlow>;
    /// Of a word in lower case.
    fn operand_word(mnemonic: &str, word: &str) -> OperandWordKind;

    // Addresses.

    fn plain_address(address: u64) -> u64 {
        address
    }
    fn is_canonical(_address: u64, _privilege: Privilege) -> bool {
        true
    }
    fn is_vector(_pc: Address, _encoding: Option<&Encoding>) -> bool {
        false
    }
    fn is_exception_return_value(_value: u64) -> bool {
        false
    }
    /// Whether such a value returns to code outside of handlers.
    fn is_return_to_thread_mode(_value: u64) -> bool {
        false
    }
    /// A value that an address cannot be, by which a function returns to what called it in another security state.
    fn is_function_return_value(_value: u64) -> bool {
        false
    }
    /// The exception that a status register tells; 0 outside of handlers.
    fn exception_number(_status: u32) -> Option<u32> {
        None
    }
    /// Of exceptions that store registers by themselves.
    fn exception_frame() -> Option<&'static FrameLayout> {
        None
    }
    fn is_state_gateway(_opcode: u32) -> bool {
        false
    }
    fn stub_slot(_stub: &LinkageStub<'_>) -> Option<StubSlot> {
        None
    }
}
