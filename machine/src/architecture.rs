//! Interface of an architecture: the queries that each of its instruction sets answers
//! ([`Architecture`]), and its names on the command line and in ELF files. A new instruction set
//! implements the trait and gets a row in `rows.rs`.
//!
//! Defaults cover what most architectures share: an architecture without delay slots, banks or
//! semihosting implements nothing for them.

use std::iter::StepBy;
use std::ops::Range;

use capstone::Capstone;

use crate::abi::{Abi, LinkageStub, Privilege, RegisterBit, SemihostingCall, StubSlot};
use crate::control::{ControlFlowEffect, OperandWordKind, TextFlow};
use crate::dwarf_registers::{DwarfRegister, DwarfRegisterRun};
use crate::exception_frame::FrameLayout;
use crate::instruction::{Address, CodeSite, Encoding, Instruction};
use crate::linux::names::SystemCallNumbering;
use crate::meaning::{DataAccess, FlagTest};
use crate::mode::{
    BankedRegister, ExecutionState, Mode, RegisterAlias, SecurityState, WindowChange,
};
use crate::register_group::RegisterGroup;
use crate::register_run::RegisterRun;
use crate::status::StatusRegister;
use crate::target_description::TargetDescription;
use crate::view::{RegisterId, RegisterView};
use crate::{Endian, InstructionPlacement, InstructionSet};

/// An instruction set as implemented by its architecture. Items documented on [`InstructionSet`]
/// are not documented again here.
pub(crate) trait Architecture {
    const SET: InstructionSet;
    const NAMES: ArchitectureNames;
    const WORD_BYTES: u16;
    const ABI: Abi;
    /// ELF machines whose code begins in this set.
    const ELF: &'static [ElfMachine] = &[];
    /// Processor-specific ELF symbol type that denotes a function.
    const ELF_FUNCTION: Option<u8> = None;
    const HOST_CALL: Option<SemihostingCall> = None;
    /// Minimum distance in bytes between the starts of two instructions, for a program that begins
    /// in this set.
    const ALIGNMENT: u8 = 1;
    /// Length in bytes of the delay slot after a call, a return or a computed jump.
    const SLOT_BYTES: u8 = 0;
    /// Numbers of the computation registers other than the general and the vector registers.
    const COMPUTED: Range<u16> = 0..0;
    /// Names of the registers that count free or used register windows.
    const WINDOW_COUNTS: &'static [&'static str] = &[];
    /// Bit that, while set, makes the processor ignore the upper half of addresses.
    const NARROW_ADDRESSES: Option<RegisterBit> = None;
    /// True if the lowest bit of an address selects the instruction set of the code there.
    const HAS_MARKED_ADDRESSES: bool = false;
    /// True if addresses of code in this set have that bit set.
    const IS_MARKED: bool = false;
    /// Instruction sets of the processor states, for a processor that can switch to sets with other
    /// register names.
    const STATES: &'static [InstructionSet] = &[];
    /// Registers that a signal export declares, in order.
    const SIGNALS: &'static [RegisterRun] = &[];

    /// Condition flags, as bits of the status register.
    const FLAG_BITS: u64 = 0;
    /// Maximum number of instructions that one instruction can make conditional.
    const LONGEST_BLOCK: u8 = 0;
    /// True if traces often show a trap only by the handler that follows.
    const HAS_SILENT_TRAPS: bool = false;
    /// True if encodings are synthetic rather than the bytes of the program.
    const IS_SYNTHETIC: bool = false;

    // Registers.

    /// Returns the view for a lower-case name.
    fn view(name: &str) -> Option<RegisterView>;
    fn shown() -> Vec<String>;
    /// Returns the accepted names that are not displayed, preferred ones first.
    fn other_names() -> Vec<String>;
    fn group(group: RegisterGroup) -> Vec<String>;
    fn number_of(register: RegisterId) -> Option<u16>;
    /// Returns the named view that represents a view without a name: any part of a register of
    /// implementation-defined width.
    fn nameable(_view: RegisterView) -> Option<RegisterView> {
        None
    }
    /// Returns true for a register of the table that the register file shows only if the trace
    /// writes it.
    fn is_shown_when_written(_register: RegisterId) -> bool {
        false
    }
    /// Returns the register that a plain name denotes in a mode.
    #[inline(always)]
    fn home(_mode: Mode, plain: RegisterId) -> RegisterId {
        plain
    }
    fn twin(_mode: Mode, _plain: RegisterId) -> Option<RegisterAlias> {
        None
    }
    /// Returns the plain name of a cell in a mode; none for registers outside windows.
    fn plain_of(_mode: Mode, _cell: RegisterId) -> Option<RegisterId> {
        None
    }
    fn names_of_cell(_cell: RegisterId) -> Vec<RegisterId> {
        Vec::new()
    }
    fn twins(_plain: RegisterId) -> Vec<RegisterId> {
        Vec::new()
    }
    /// Returns the register numbers of the banks.
    fn banks(_plain: RegisterId) -> StepBy<Range<u16>> {
        (0..0).step_by(1)
    }
    fn is_own_bank(_plain: RegisterId) -> bool {
        true
    }
    fn banked(_name: &str) -> Option<BankedRegister> {
        None
    }
    /// Returns the security state for a register that selects a stack pointer through
    /// [`crate::banks::StackChoices`].
    fn stack_choice(_name: &str) -> Option<SecurityState> {
        None
    }
    /// Returns true for a register that each security state has its own copy of, given the name
    /// without suffix.
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

    /// Returns the registers as remote debuggers expect them, given the lower-case names of the
    /// registers outside the table that the trace writes. None if no debugger knows the set.
    fn target_description(_written: &[&str]) -> Option<TargetDescription> {
        None
    }

    /// Numbers of the registers in DWARF debug information.
    const DWARF_REGISTERS: &'static [DwarfRegisterRun] = &[];
    /// Returns the register with a number in DWARF debug information.
    fn dwarf_register(number: u16) -> Option<DwarfRegister> {
        let mut runs = Self::DWARF_REGISTERS.iter();
        runs.find_map(|run| run.register(number))
    }

    // Encodings.

    fn encoding_of(_opcode: u32, _length_bytes: u8) -> Option<Encoding> {
        None
    }
    fn opcode_of(_encoding: &Encoding) -> u32 {
        0
    }
    /// Converts between instruction bytes in big-endian code and the bytes in little-endian order.
    /// Its own inverse.
    fn with_big_endian_code(encoding: Encoding) -> Encoding {
        encoding
    }
    /// Returns the byte order of code in an ELF file from its flags (`e_flags`) and data byte
    /// order.
    fn elf_code_endian(_flags: u32, _data: Endian) -> Endian {
        Endian::Little
    }
    /// Returns the length of an instruction for which the trace prints this number of bytes.
    #[inline(always)]
    fn length_of(written_bytes: u8) -> u8 {
        written_bytes
    }
    /// Returns the set of an instruction from its placement, for a program that can switch sets at
    /// any branch.
    fn set_at(_placement: &InstructionPlacement) -> InstructionSet {
        Self::SET
    }

    // Instructions.

    /// Creates the disassemblers, to be tried in order. Called once per thread.
    fn disassemblers() -> Vec<Capstone> {
        Vec::new()
    }
    /// Returns true for an encoding that leaves state in a disassembler: it is decoded with a fresh
    /// one.
    fn is_stateful(_encoding: &Encoding) -> bool {
        false
    }
    fn decode(site: &CodeSite, disassemblers: &[Capstone]) -> Option<Instruction>;
    fn control(site: &CodeSite) -> ControlFlowEffect;
    /// Returns true for a branch that is always taken when executed, where no record gives the
    /// outcome.
    fn is_taken_when_executed(_encoding: &Encoding) -> bool {
        false
    }
    /// Returns the condition of a conditional branch that some producers record as executed
    /// although it falls through.
    fn branch_test(_encoding: &Encoding) -> Option<FlagTest> {
        None
    }
    /// Returns the number of instructions after this one that it makes conditional.
    fn block_length(_encoding: &Encoding) -> u8 {
        0
    }
    fn is_undefined(_encoding: &Encoding) -> bool {
        false
    }
    /// Returns true for an instruction that may raise an exception regardless of its memory
    /// accesses.
    fn may_raise(encoding: &Encoding) -> bool {
        Self::is_undefined(encoding)
    }
    fn is_exclusive_store(_encoding: &Encoding) -> bool {
        false
    }
    fn instruction_length(_start: &[u8]) -> Option<usize> {
        Some(4)
    }
    fn direct_branch(_start: &[u8], _pc: u64, _target: u64) -> Option<Encoding> {
        None
    }
    /// Set of the instructions of 2 bytes that the same program may contain.
    const NARROW: Option<InstructionSet> = None;
    fn data_access(_encoding: &Encoding) -> Option<DataAccess> {
        None
    }
    /// Returns the name of a control and status register by its number in encodings.
    fn control_register_name(_number: u16) -> Option<&'static str> {
        None
    }
    fn changed_by_trap(_encoding: &Encoding) -> &'static [&'static str] {
        Self::ABI.system_calls.changed
    }
    /// Returns the address of the top of the stack for the value of a stack pointer.
    fn stack_end(pointer: u64) -> u64 {
        pointer
    }
    /// Returns the system call numbering that a trap instruction uses.
    fn numbers_of_trap(_encoding: &Encoding) -> Option<SystemCallNumbering> {
        Some(Self::ABI.system_calls.numbers)
    }
    /// Returns the name of a trap from its hardware trap type.
    fn trap_name(_number: u64) -> Option<String> {
        None
    }
    /// Returns true for the register window traps (spill and fill).
    fn is_window_trap(_number: u64) -> bool {
        false
    }
    fn is_stack_choice(_encoding: &Encoding) -> bool {
        false
    }
    /// Returns true for the link register of this set or of a set that the processor can switch to.
    #[inline(always)]
    fn is_link(_register: RegisterId) -> bool {
        false
    }
    /// Returns true for a register that points to its thread's stack whenever it is used in an
    /// address.
    fn is_stack_pointer(register: RegisterId) -> bool {
        register == RegisterId::SP
    }
    /// Returns the change of the register windows that this instruction makes when executed.
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
    fn is_condition_met(_encoding: &Encoding, _status: u64) -> bool {
        true
    }

    // Texts.

    /// Words that may precede a mnemonic.
    const PREFIXES: &'static [&'static str] = &[];
    fn text_flow(text: &str) -> Option<TextFlow>;
    /// Classifies an operand word in lower case.
    fn operand_word(mnemonic: &str, word: &str) -> OperandWordKind;

    // Addresses.

    fn plain_address(address: u64) -> u64 {
        address
    }
    fn is_canonical(_address: u64, _privilege: Privilege) -> bool {
        true
    }
    /// Lowest address that Linux lets programs map, by default: `vm.mmap_min_addr`, from
    /// `DEFAULT_MMAP_MIN_ADDR` (`mm/Kconfig`) and `LSM_MMAP_MIN_ADDR` (`security/Kconfig`). One
    /// page unless these advise more for the architecture.
    const LOWEST_MAPPED: u64 = 0x1000;
    fn is_vector(_pc: Address, _encoding: Option<&Encoding>) -> bool {
        false
    }
    /// Returns the address at which execution begins, by the first two words of a program.
    fn reset_handler(_vectors: [u32; 2]) -> Option<u64> {
        None
    }
    /// Returns true for a register with the address of trap handlers.
    fn is_handler_base(_register: RegisterId) -> bool {
        false
    }
    /// Returns true if a trap may enter at `pc`, given the value of such a register.
    fn is_handler_entry(_base: u64, _pc: Address) -> bool {
        false
    }
    fn is_exception_return_value(_value: u64) -> bool {
        false
    }
    /// Returns true for an exception return value that returns to code outside handlers.
    fn is_return_to_thread_mode(_value: u64) -> bool {
        false
    }
    /// Returns true for the value, never a valid address, with which a function returns to a caller
    /// in the other security state.
    fn is_function_return_value(_value: u64) -> bool {
        false
    }
    /// Returns the exception number in a status register; 0 outside handlers.
    fn exception_number(_status: u32) -> Option<u32> {
        None
    }
    /// Returns the layout of the frames that exceptions push automatically.
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

/// Names of an instruction set. Sets of one architecture may share names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchitectureNames {
    /// Value of the architecture option; none for sets that the trace itself identifies.
    pub choice: Option<ArchitectureChoice>,
    /// Name in machine-readable output: `aarch32`.
    pub word: &'static str,
    /// Title: `AArch32`.
    pub title: &'static str,
    /// Name in running text: `32-bit x86`.
    pub spoken: &'static str,
}

/// A value of the architecture option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchitectureChoice {
    /// Value to type: `aarch64`.
    pub name: &'static str,
    /// Description: `Arm, 64 bit`.
    pub help: &'static str,
}

/// Processor of an ELF file (System V ABI, "ELF Header").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElfMachine {
    /// `e_machine`.
    pub number: u16,
    /// Number of bytes in an address, from `EI_CLASS`.
    pub word_bytes: u16,
}
