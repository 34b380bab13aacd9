//! Dispatch from an instruction set or a mode to its architecture: the only place that matches on
//! the set.
//!
//! Each item of the trait [`Architecture`] has a method of [`InstructionSet`] here. Dispatch is
//! static: a query made for each line of a trace costs a comparison, not a call through a table.

use std::ops::Range;

use capstone::Capstone;

use crate::abi::{
    Abi, LinkageStub, Privilege, RegisterBit, ReturnAddress, SemihostingCall, StubSlot,
};
use crate::architecture::{Architecture, ArchitectureNames, ElfMachine};
use crate::arm::a64::set::A64;
use crate::arm::aarch32::a32::A32;
use crate::arm::aarch32::t32::T32;
use crate::arm::banks;
use crate::arm::mode_words::mode_of_word;
use crate::control::{
    ControlFlowEffect, ControlSuccessor, DelaySlotRule, FlowKind, OperandWordKind, RecordedBranch,
    TextFlow,
};
use crate::dwarf_registers::DwarfRegister;
use crate::endian::Endian;
use crate::exception_frame::FrameLayout;
use crate::instruction::{Address, CodeSite, Encoding, Instruction};
use crate::linux::names::SystemCallNumbering;
use crate::linux::written::{MemorySharing, SystemCallWrite, changes_files, sharing, written};
use crate::meaning::{DataAccess, FlagTest};
use crate::mode::{
    Bank, BankedRegister, ExecutionState, Mode, RegisterAlias, SecurityState, WindowChange,
};
use crate::placement::InstructionPlacement;
use crate::regdeps::architecture::Regdeps;
use crate::register_group::RegisterGroup;
use crate::register_run::RegisterRun;
use crate::riscv::set::{Riscv32, Riscv64};
use crate::set::InstructionSet;
use crate::sparc::set::Sparc64;
use crate::sparc::windows;
use crate::status::StatusRegister;
use crate::target_description::TargetDescription;
use crate::view::{RegisterId, RegisterView};
use crate::x86::set::{X86_32, X86_64};

/// Evaluates an expression for the architecture of a set. The list is the table of architectures.
macro_rules! ask {
    ($set:expr, $architecture:ident => $question:expr) => {
        ask!(@rows $set, $architecture, $question, A64 A32 T32 X86_64 X86_32 Riscv64 Regdeps Sparc64 Riscv32)
    };
    (@rows $set:expr, $architecture:ident, $question:expr, $($row:ident)*) => {
        match $set {
            $(InstructionSet::$row => {
                type $architecture = $row;
                $question
            })*
        }
    };
}

/// Variant of `ask!` for queries made for each line of a text. It tests the most common set before
/// the jump table, which would cost about three more instructions per query.
macro_rules! query_often {
    ($set:expr, $architecture:ident => $question:expr) => {
        if let InstructionSet::A64 = $set {
            type $architecture = A64;
            $question
        } else {
            ask!($set, $architecture => $question)
        }
    };
}

/// Evaluates an expression for the architecture of a mode. Modes that state nothing belong to the
/// architecture whose traces state modes.
macro_rules! ask_mode {
    ($mode:expr, $architecture:ident => $question:expr) => {
        if let Mode::Window { .. } = $mode {
            type $architecture = Sparc64;
            $question
        } else {
            type $architecture = A64;
            $question
        }
    };
}

/// Modes, and the banks and cells that they select.
impl Mode {
    /// Parses the word for a mode that traces print: `EL3h_s`, `svc_s`.
    pub fn of(word: &[u8]) -> Self {
        mode_of_word(word)
    }

    /// Returns the register that a plain name denotes in this mode; the plain register if it has no
    /// banks or the mode does not decide.
    #[inline(always)]
    pub fn home(self, plain: RegisterId) -> RegisterId {
        ask_mode!(self, Of => Of::home(self, plain))
    }

    /// Returns the register of the other execution state that shares bytes with a plain register in
    /// this mode.
    pub fn twin(self, plain: RegisterId) -> Option<RegisterAlias> {
        ask_mode!(self, Of => Of::twin(self, plain))
    }

    /// Returns the plain register that denotes a cell in this mode. None for registers outside
    /// windows and globals, for cells without a plain name, and in modes without windows.
    pub fn plain_of(self, cell: RegisterId) -> Option<RegisterId> {
        ask_mode!(self, Of => Of::plain_of(self, cell))
    }

    /// Returns the mode after an instruction's window change; unchanged if the new window depends
    /// on a register.
    #[must_use]
    pub fn after(self, step: Option<WindowChange>) -> Self {
        windows::after(self, step)
    }

    /// Encodes a mode with register windows as a value of the status register; none for other modes.
    /// From the lowest byte: current window, number of windows, set of globals.
    pub const fn window_status(self) -> Option<u32> {
        windows::window_status(self)
    }

    /// Decodes a mode from such a value; none for values that no processor has.
    pub const fn of_window_status(status: u32) -> Option<Self> {
        windows::of_window_status(status)
    }
}

impl Bank {
    /// Returns a mode that uses this bank; none if no mode word identifies one.
    pub fn mode(self) -> Option<Mode> {
        banks::mode_of(self)
    }

    /// Returns false only if the mode is known to select another bank for the plain name.
    pub fn is_in_use(self, mode: Mode) -> bool {
        banks::is_in_use(self, mode)
    }
}

/// Names.
impl InstructionSet {
    /// Returns the names of the set.
    pub const fn names(self) -> ArchitectureNames {
        ask!(self, Of => Of::NAMES)
    }

    /// Sets that the user can choose, most likely first.
    pub const CHOICES: [Self; 6] = [
        Self::X86_64,
        Self::X86_32,
        Self::A64,
        Self::A32,
        Self::Riscv64,
        Self::Riscv32,
    ];

    /// Returns the set in which the code of an ELF file begins; none for other machines.
    pub fn of_elf(machine: ElfMachine) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|set| set.elf_machines().contains(&machine))
    }

    /// Returns true if a processor-specific ELF symbol type denotes a function.
    pub fn is_elf_function(self, symbol_type: u8) -> bool {
        ask!(self, Of => Of::ELF_FUNCTION) == Some(symbol_type)
    }

    /// Returns true if code of an ELF file for `image` may decode as this set. Always true for sets
    /// without ELF files.
    pub fn is_of_image(self, image: Option<Self>) -> bool {
        let word = self.names().word;
        let has_images = Self::ALL
            .into_iter()
            .any(|set| set.names().word == word && !set.elf_machines().is_empty());
        !has_images || image.is_some_and(|image| image.names().word == word)
    }

    const fn elf_machines(self) -> &'static [ElfMachine] {
        ask!(self, Of => Of::ELF)
    }
}

/// Registers; see also [`crate::registers::Registers`].
impl InstructionSet {
    /// Number of bytes in an address and in a general register.
    #[inline(always)]
    pub const fn word_bytes(self) -> u16 {
        ask!(self, Of => Of::WORD_BYTES)
    }

    /// Returns the encoding number of a general register; none for others.
    pub fn number_of(self, register: RegisterId) -> Option<u16> {
        ask!(self, Of => Of::number_of(register))
    }

    /// Returns the names of the registers that a signal export declares, in order.
    pub const fn signals(self) -> &'static [RegisterRun] {
        ask!(self, Of => Of::SIGNALS)
    }

    /// Returns the register with a number in DWARF debug information; none if the number has no
    /// meaning.
    pub fn dwarf_register(self, number: u16) -> Option<DwarfRegister> {
        ask!(self, Of => Of::dwarf_register(number))
    }

    /// Returns the registers as remote debuggers expect them, given the lower-case names of the
    /// registers outside the table that the trace writes. None if no debugger knows the set.
    pub fn target_description(self, written: &[&str]) -> Option<TargetDescription> {
        ask!(self, Of => Of::target_description(written))
    }

    /// Decodes the status register, least significant byte first; `None` is an unknown byte.
    pub fn status(self, bytes: &[Option<u8>]) -> StatusRegister {
        ask!(self, Of => Of::status(bytes))
    }

    /// Returns the state in a value of the status register; none if it contains none, for example
    /// only flags.
    #[inline(always)]
    pub fn state_of(self, status: u32) -> Option<ExecutionState> {
        query_often!(self, Of => Of::state_of(status))
    }

    /// Returns the condition flags, as bits of the status register ([`RegisterId::PSR`]); 0 if
    /// there are none.
    pub const fn flag_bits(self) -> u64 {
        ask!(self, Of => Of::FLAG_BITS)
    }

    /// Returns true if the processor has register windows.
    pub const fn has_windows(self) -> bool {
        !self.window_counts().is_empty()
    }

    /// Returns true if the processor can switch to a set with other register names.
    pub const fn has_states(self) -> bool {
        !self.states().is_empty()
    }

    /// Returns a set for each state of a processor that can switch to sets with other register
    /// names; else empty.
    pub const fn states(self) -> &'static [Self] {
        ask!(self, Of => Of::STATES)
    }

    /// Returns true if one processor may execute instructions of both sets. Synthetic instructions
    /// may be those of any.
    pub fn shares_processor(self, other: Self) -> bool {
        let is_state = || self.has_states() && self.states() == other.states();
        self == other || is_state() || [self, other].contains(&Self::Regdeps)
    }

    /// Returns the registers that a plain name may denote, depending on the mode: its banks and
    /// cells, from which [`crate::Mode::home`] chooses. Empty for registers without banks.
    pub fn banks(self, plain: RegisterId) -> impl Iterator<Item = RegisterId> {
        ask!(self, Of => Of::banks(plain)).map(RegisterId)
    }

    /// Returns the registers that denote a cell of a register window in some window; empty for
    /// registers outside windows.
    pub fn names_of_cell(self, cell: RegisterId) -> Vec<RegisterId> {
        ask!(self, Of => Of::names_of_cell(cell))
    }

    /// Returns the registers of the other execution state that [`Mode::twin`] chooses from.
    pub fn twins(self, plain: RegisterId) -> Vec<RegisterId> {
        ask!(self, Of => Of::twins(plain))
    }

    /// Returns true if the plain name denotes the register itself in some modes.
    pub fn is_own_bank(self, plain: RegisterId) -> bool {
        ask!(self, Of => Of::is_own_bank(plain))
    }

    /// Returns the bank of a lower-case name such as `r13_svc` or `sp_el1`; none for names of no
    /// bank.
    pub fn banked(self, name: &str) -> Option<BankedRegister> {
        ask!(self, Of => Of::banked(name))
    }

    /// Returns the bank of a lower-case name in any set; architectures never give one name to
    /// different banks.
    pub fn banked_anywhere(name: &str) -> Option<BankedRegister> {
        Self::ALL.into_iter().find_map(|set| set.banked(name))
    }

    /// Returns the security state of a register that, in some set, selects between two stack
    /// pointers ([`StackChoices`](crate::banks::StackChoices)), from its lower-case name. None
    /// for other registers.
    pub fn stack_choice_anywhere(name: &str) -> Option<SecurityState> {
        Self::ALL
            .into_iter()
            .find_map(|set| ask!(set, Of => Of::stack_choice(name)))
    }

    /// Returns true for a lower-case name such as `msp`, if some architecture has a copy of that
    /// register per security state.
    pub fn is_state_banked_anywhere(name: &str) -> bool {
        Self::ALL
            .into_iter()
            .any(|set| ask!(set, Of => Of::is_state_banked(name)))
    }

    /// Returns the suffix to append to a lower-case name so that it denotes the register of the
    /// current security state. None for registers that all states share, and if the mode does not
    /// state the security state.
    #[inline]
    pub fn state_suffix(self, name: &str, mode: Mode) -> Option<&'static str> {
        let suffix = mode.security().suffix()?;
        ask!(self, Of => Of::is_state_banked(name)).then_some(suffix)
    }

    pub(crate) fn register_view(self, name: &str) -> Option<RegisterView> {
        ask!(self, Of => Of::view(name))
    }

    pub(crate) fn shown_registers(self) -> Vec<String> {
        ask!(self, Of => Of::shown())
    }

    pub(crate) fn other_register_names(self) -> Vec<String> {
        ask!(self, Of => Of::other_names())
    }

    pub(crate) fn registers_of(self, group: RegisterGroup) -> Vec<String> {
        ask!(self, Of => Of::group(group))
    }

    /// Returns true for a register of the table that the register file shows only if the trace writes
    /// it.
    pub fn is_shown_when_written(self, register: RegisterId) -> bool {
        ask!(self, Of => Of::is_shown_when_written(register))
    }

    pub(crate) fn nameable_view(self, view: RegisterView) -> Option<RegisterView> {
        ask!(self, Of => Of::nameable(view))
    }
}

/// Encodings.
impl InstructionSet {
    /// Returns the bytes of a right-aligned opcode in little-endian order. None for 0, which means
    /// unknown, and for sets whose instructions are not integers.
    ///
    /// ```
    /// use stepback_machine::InstructionSet;
    /// let wide = InstructionSet::T32.encoding_of(0xf000_f801, 4).unwrap();
    /// assert_eq!(wide.bytes(), [0x00, 0xf0, 0x01, 0xf8]);
    /// assert_eq!(InstructionSet::T32.opcode_of(&wide), 0xf000_f801);
    /// ```
    #[inline]
    pub fn encoding_of(self, opcode: u32, length_bytes: u8) -> Option<Encoding> {
        query_often!(self, Of => Of::encoding_of(opcode, length_bytes))
    }

    /// Returns an instruction as a right-aligned number; 0 in sets whose instructions are not
    /// integers, and for lengths that the set does not have.
    pub fn opcode_of(self, encoding: &Encoding) -> u32 {
        ask!(self, Of => Of::opcode_of(encoding))
    }

    /// Converts instruction bytes to the byte order of code in memory, or back. Only Arm without
    /// BE8 has big-endian code as well as little-endian processors.
    pub fn in_code_order(self, encoding: Encoding, order: Endian) -> Encoding {
        match order {
            Endian::Little => encoding,
            Endian::Big => ask!(self, Of => Of::with_big_endian_code(encoding)),
        }
    }

    /// Returns the byte order of code in an ELF file from its flags (`e_flags`) and data byte
    /// order, for [`Self::in_code_order`].
    pub fn elf_code_endian(self, flags: u32, data: Endian) -> Endian {
        ask!(self, Of => Of::elf_code_endian(flags, data))
    }

    /// Returns the length of an instruction for which the trace prints this number of bytes.
    #[inline(always)]
    pub fn length_of(self, written_bytes: u8) -> u8 {
        query_often!(self, Of => Of::length_of(written_bytes))
    }

    /// Returns the minimum distance in bytes between the starts of two instructions, for a program
    /// that begins in this set.
    pub const fn alignment(self) -> u8 {
        ask!(self, Of => Of::ALIGNMENT)
    }

    /// Returns the set of an instruction from its placement, if the trace names only the set in
    /// which the program begins.
    pub fn set_at(self, placement: &InstructionPlacement) -> Self {
        ask!(self, Of => Of::set_at(placement))
    }
}

/// Instruction semantics; see also [`crate::instruction::decode`].
impl InstructionSet {
    /// Returns the control transfer that an encoding describes. Costs a few comparisons; on x86 a
    /// full decoding.
    #[inline]
    pub fn control(self, site: &CodeSite) -> ControlFlowEffect {
        query_often!(self, Of => Of::control(site))
    }

    /// Returns the successor of an executed instruction, from its encoding and its record.
    ///
    /// ```
    /// use stepback_machine::{Address, CodeSite, InstructionSet};
    /// use stepback_machine::flow::{ControlSuccessor, RecordedBranch};
    /// let successor = |opcode| {
    ///     let encoding = InstructionSet::A64.encoding_of(opcode, 4).unwrap();
    ///     let site = CodeSite { pc: Address(0x1000), encoding };
    ///     InstructionSet::A64.lead(&site, RecordedBranch::Unsaid)
    /// };
    /// assert_eq!(successor(0xd503_201f), ControlSuccessor::After, "nop");
    /// assert_eq!(successor(0x1400_0004), ControlSuccessor::Address(0x1010), "b");
    /// assert_eq!(successor(0xd400_0001), ControlSuccessor::Open, "svc");
    /// assert_eq!(successor(0xb400_0020), ControlSuccessor::Open, "cbz");
    /// ```
    pub fn lead(self, site: &CodeSite, branch: RecordedBranch) -> ControlSuccessor {
        let ControlFlowEffect {
            flow,
            target,
            delay,
        } = self.control(site);
        if delay != DelaySlotRule::None || self.is_undefined(&site.encoding) {
            return ControlSuccessor::Open;
        }
        let is_jump = matches!(flow, FlowKind::Branch | FlowKind::Call | FlowKind::Return);
        let is_taken = match branch {
            RecordedBranch::Unsaid | RecordedBranch::None if flow == FlowKind::Next => Some(false),
            RecordedBranch::Unsaid if is_jump => {
                self.is_taken_when_executed(&site.encoding).then_some(true)
            }
            RecordedBranch::Conditional(is_taken) if is_jump => is_taken,
            RecordedBranch::Jump
            | RecordedBranch::IndirectJump
            | RecordedBranch::Call
            | RecordedBranch::IndirectCall
            | RecordedBranch::Return
                if is_jump =>
            {
                Some(true)
            }
            _ => None,
        };
        match is_taken {
            Some(true) => target.into(),
            Some(false) => ControlSuccessor::After,
            None => ControlSuccessor::Open,
        }
    }

    /// Returns true for a branch that is taken whenever it is executed, in a trace that records no
    /// more: an unconditional branch, or one that is skipped like any other instruction when its
    /// condition fails.
    fn is_taken_when_executed(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::is_taken_when_executed(encoding))
    }

    /// Returns the flag test of a conditional branch that a trace may record as executed even if it
    /// was not taken.
    ///
    /// The ES form of Tarmac does not mark A64 and T32 branches that fall through, and gem5 prints
    /// them as `IT`.
    /// In A32 both mark each instruction whose condition fails.
    pub fn branch_test(self, encoding: &Encoding) -> Option<FlagTest> {
        ask!(self, Of => Of::branch_test(encoding))
    }

    /// Returns the number of following instructions that it makes conditional (`it` of T32: 1 to
    /// 4).
    pub fn block_length(self, encoding: &Encoding) -> u8 {
        ask!(self, Of => Of::block_length(encoding))
    }

    /// Returns true for bytes that are no instruction, and for an instruction that only raises an
    /// exception.
    fn is_undefined(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::is_undefined(encoding))
    }

    /// Returns true for an instruction that may raise an exception regardless of its memory
    /// accesses, such as a division by zero on x86.
    pub fn may_raise(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::may_raise(encoding))
    }

    /// Returns true for a store that may fail but that a trace may record anyway.
    pub fn is_exclusive_store(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::is_exclusive_store(encoding))
    }

    /// Returns the length in bytes of the instruction that begins with `start`, of which immediate
    /// operands may be missing. None for invalid instructions.
    pub fn instruction_length(self, start: &[u8]) -> Option<usize> {
        ask!(self, Of => Of::instruction_length(start))
    }

    /// Returns the encoding of a direct branch or call whose first bytes and target are known. None
    /// for other instructions, and for architectures whose branches are no longer than 4 bytes.
    pub fn direct_branch(self, start: &[u8], pc: u64, target: u64) -> Option<Encoding> {
        ask!(self, Of => Of::direct_branch(start, pc, target))
    }

    /// Returns the instruction set in which 2-byte instructions of the same program decode; none if
    /// it is this one.
    pub const fn narrow_set(self) -> Option<InstructionSet> {
        ask!(self, Of => Of::NARROW)
    }

    /// Returns the sizes of the accesses of an instruction, found without a disassembler. None for
    /// instructions without accesses or with several, and for architectures whose texts state the
    /// sizes.
    pub fn data_access(self, encoding: &Encoding) -> Option<DataAccess> {
        query_often!(self, Of => Of::data_access(encoding))
    }

    /// Returns the registers that may have changed when control returns from a trap.
    pub fn changed_by_trap(self, encoding: &Encoding) -> &'static [&'static str] {
        ask!(self, Of => Of::changed_by_trap(encoding))
    }

    /// Returns the length of the delay slot after a call, a return or a computed jump; 0 if there
    /// is none.
    #[inline(always)]
    pub const fn slot_bytes(self) -> u8 {
        ask!(self, Of => Of::SLOT_BYTES)
    }

    /// Returns the numbers of the computation registers other than the general and vector
    /// registers: window cells and state registers. Empty if there are none or they are not
    /// modelled.
    pub const fn computed_registers(self) -> Range<u16> {
        ask!(self, Of => Of::COMPUTED)
    }

    /// Returns the names of the registers that count free or used register windows; empty without
    /// windows.
    pub const fn window_counts(self) -> &'static [&'static str] {
        ask!(self, Of => Of::WINDOW_COUNTS)
    }

    /// Returns the bit that, while set, makes the processor ignore the upper half of addresses;
    /// none if there is no such bit.
    pub const fn narrow_addresses(self) -> Option<RegisterBit> {
        ask!(self, Of => Of::NARROW_ADDRESSES)
    }

    /// Returns true for a register that points to its thread's stack whenever it is used in an
    /// address.
    pub fn is_stack_pointer(self, register: RegisterId) -> bool {
        ask!(self, Of => Of::is_stack_pointer(register))
    }

    /// Returns the change of the register windows that an instruction makes when executed; none if
    /// it leaves them unchanged.
    pub fn window_step(self, encoding: &Encoding) -> Option<WindowChange> {
        ask!(self, Of => Of::window_step(encoding))
    }

    /// Returns true for an instruction that selects a stack pointer: the plain name denotes another
    /// register after it.
    pub fn is_stack_choice(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::is_stack_choice(encoding))
    }

    /// Returns true for an instruction that computes the stack pointer from its previous value: the
    /// new value points into the same stack.
    #[inline(always)]
    pub fn computes_stack_from_itself(self, opcode: u32) -> bool {
        ask!(self, Of => Of::computes_stack_from_itself(opcode))
    }

    /// Returns the maximum number of instructions that one instruction can make conditional; 0 if
    /// there is no such instruction.
    pub const fn longest_block(self) -> u8 {
        ask!(self, Of => Of::LONGEST_BLOCK)
    }

    /// Returns true if encodings replace the bytes of the program and have other lengths. They
    /// cannot be compared with an image, and memory does not contain them.
    pub const fn is_synthetic(self) -> bool {
        ask!(self, Of => Of::IS_SYNTHETIC)
    }

    pub(crate) fn disassemblers(self) -> Vec<Capstone> {
        ask!(self, Of => Of::disassemblers())
    }

    pub(crate) fn is_stateful(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::is_stateful(encoding))
    }

    pub(crate) fn decode_with(
        self,
        site: &CodeSite,
        disassemblers: &[Capstone],
    ) -> Option<Instruction> {
        ask!(self, Of => Of::decode(site, disassemblers))
    }
}

/// Instruction text.
impl InstructionSet {
    /// Returns the control flow of an instruction from its text; none if it continues with the
    /// next.
    pub fn text_flow(self, text: &str) -> Option<TextFlow> {
        ask!(self, Of => Of::text_flow(text))
    }

    /// Classifies an operand word of an instruction; the mnemonic is in lower case.
    pub fn operand_word(self, mnemonic: &str, word: &str) -> OperandWordKind {
        match ask!(self, Of => Of::operand_word(mnemonic, &word.to_ascii_lowercase())) {
            OperandWordKind::Other if word.starts_with('%') => OperandWordKind::Register,
            stated => stated,
        }
    }

    /// Returns the words that may precede a mnemonic.
    pub const fn text_prefixes(self) -> &'static [&'static str] {
        ask!(self, Of => Of::PREFIXES)
    }
}

/// Calling conventions, system calls and semihosting.
impl InstructionSet {
    /// Returns the calling conventions of functions and system calls.
    pub const fn abi(self) -> Abi {
        ask!(self, Of => Of::ABI)
    }

    /// Returns the lowest address in use of the stack, given the value of its stack pointer.
    pub fn stack_end(self, pointer: u64) -> u64 {
        ask!(self, Of => Of::stack_end(pointer))
    }

    /// Returns the register that receives the return address of a call; none if it goes to the
    /// stack.
    #[inline(always)]
    pub const fn link_register(self) -> Option<RegisterId> {
        match ask!(self, Of => Of::ABI.return_address) {
            ReturnAddress::Register(register) => Some(register),
            ReturnAddress::Stack | ReturnAddress::Unknown => None,
        }
    }

    /// Returns true for the link register of this set or of a set that the processor can switch to.
    #[inline(always)]
    pub fn is_link_register(self, register: RegisterId) -> bool {
        query_often!(self, Of => Of::is_link(register))
    }

    /// Returns the name of a system call; none for a number that no kernel of the architecture had
    /// when this was written.
    ///
    /// ```
    /// use stepback_machine::InstructionSet::{A64, X86_64};
    /// assert_eq!((X86_64.system_call_name(63), A64.system_call_name(63)), (Some("uname"),
    /// Some("read")));
    /// ```
    pub fn system_call_name(self, number: u64) -> Option<&'static str> {
        let (numbers, number) = self.abi().system_calls.numbers.distinguished(number);
        numbers.name(number)
    }

    /// Returns the number of a system call as the kernel knows it, without the mark of its
    /// numbering scheme.
    pub fn system_call_number(self, number: u64) -> u64 {
        self.abi().system_calls.numbers.distinguished(number).1
    }

    /// Returns the name of the error of a failed system call.
    pub fn error_name(self, system_call: u64, error: u64) -> Option<&'static str> {
        self.abi()
            .system_calls
            .numbers
            .distinguished(system_call)
            .0
            .error_name(error)
    }

    /// Returns the name of a trap from its hardware type; none for types that the architecture does
    /// not have.
    pub fn trap_name(self, number: u64) -> Option<String> {
        ask!(self, Of => Of::trap_name(number))
    }

    /// Returns the name of a control and status register by its number in encodings; none for
    /// numbers without a name, and in sets that do not number them.
    pub fn control_register_name(self, number: u16) -> Option<&'static str> {
        ask!(self, Of => Of::control_register_name(number))
    }

    /// Returns true for a register window trap (spill or fill).
    pub fn is_window_trap(self, number: u64) -> bool {
        ask!(self, Of => Of::is_window_trap(number))
    }

    /// Returns the system call numbering that a trap instruction uses; none for an instruction that
    /// calls no known kernel. A kernel may run programs of another one; the trap then identifies
    /// the numbering.
    pub fn system_call_numbers(self, encoding: &Encoding) -> Option<SystemCallNumbering> {
        ask!(self, Of => Of::numbers_of_trap(encoding))
    }

    /// Returns true if a system call may write memory of the program for some arguments.
    pub fn system_call_may_write(self, number: u64) -> bool {
        self.system_call_changes_files(number)
            || self
                .system_call_writes(number)
                .is_none_or(|parts| !parts.is_empty())
    }

    /// Returns true if a system call made before a store may still write memory after it. A thread
    /// that waits for a futex writes nothing, and memory that is still stored to is mapped.
    pub fn system_call_may_write_late(self, number: u64) -> bool {
        let is_futex = self
            .system_call_name(number)
            .is_some_and(|name| matches!(name, "futex" | "futex_time64"));
        self.system_call_may_write(number) && !is_futex && !self.system_call_unmaps(number)
    }

    /// Returns true if a system call only removes mappings. It writes nothing: the memory has other
    /// contents when a later call maps it anew.
    pub fn system_call_unmaps(self, number: u64) -> bool {
        self.system_call_name(number) == Some("munmap")
    }

    /// Returns true if a system call maps memory, or may do so.
    pub fn system_call_maps(self, number: u64) -> bool {
        self.system_call_shares(number)
            .is_some_and(|sharing| !matches!(sharing, MemorySharing::Area { .. }))
    }

    /// Returns true if a system call ends a thread. It writes the thread id word that an earlier
    /// call registered, and the words of locks that the thread held.
    pub fn system_call_ends_thread(self, number: u64) -> bool {
        self.system_call_name(number)
            .is_some_and(|name| matches!(name, "exit" | "lwp_exit"))
    }

    /// Returns true if a system call changes files, and thereby memory that maps them.
    pub fn system_call_changes_files(self, number: u64) -> bool {
        changes_files(self.system_call_name(number))
    }

    /// Returns the memory, other than mapped files, that a system call may write; none if it may
    /// write anywhere.
    pub fn system_call_writes(self, number: u64) -> Option<&'static [SystemCallWrite]> {
        let numbers = self.abi().system_calls.numbers.distinguished(number).0;
        written(numbers, self.system_call_name(number))
    }

    /// Returns the memory that others may change after a system call, without a store by the
    /// program; none if there is none.
    pub fn system_call_shares(self, number: u64) -> Option<MemorySharing> {
        let (numbers, number) = self.abi().system_calls.numbers.distinguished(number);
        sharing(numbers, number)
    }

    /// Returns the semihosting convention; none if the architecture has none.
    pub const fn host_call(self) -> Option<SemihostingCall> {
        ask!(self, Of => Of::HOST_CALL)
    }

    /// Returns true for a semihosting call: an instruction with the immediate reserved for it.
    #[inline(always)]
    pub fn is_host_call(self, opcode: u32, length_bytes: u8) -> bool {
        query_often!(self, Of => Of::is_host_call(opcode, length_bytes))
    }

    /// Returns whether the condition of an instruction holds, by the status register before it. True
    /// for an instruction without a condition, and outside AArch32.
    pub fn is_condition_met(self, encoding: &Encoding, status: u64) -> bool {
        ask!(self, Of => Of::is_condition_met(encoding, status))
    }
}

/// Addresses and exceptions.
impl InstructionSet {
    /// Returns an instruction's address without the bit that selects its instruction set.
    #[inline(always)]
    pub const fn code_address(self, address: u64) -> u64 {
        if query_often!(self, Of => Of::HAS_MARKED_ADDRESSES) {
            address & !1
        } else {
            address
        }
    }

    /// Returns the address of an instruction of this set, with the bit that selects the instruction
    /// set if there is one.
    #[inline(always)]
    pub const fn marked_address(self, address: u64) -> u64 {
        if ask!(self, Of => Of::IS_MARKED) {
            address | 1
        } else {
            address
        }
    }

    /// Returns the address at which execution begins after reset, by the first two words of a program
    /// image; none if the processor begins at an address that they do not contain.
    pub fn reset_handler(self, vectors: [u32; 2]) -> Option<u64> {
        ask!(self, Of => Of::reset_handler(vectors))
    }

    /// Returns the highest address.
    pub const fn highest_address(self) -> u64 {
        if self.word_bytes() < 8 {
            u32::MAX as u64
        } else {
            u64::MAX
        }
    }

    /// Returns an address without the top bits that the processor ignores.
    pub fn plain_address(self, address: u64) -> u64 {
        ask!(self, Of => Of::plain_address(address))
    }

    /// Returns false for addresses at which nothing can be mapped.
    pub fn is_canonical(self, address: u64, privilege: Privilege) -> bool {
        ask!(self, Of => Of::is_canonical(address, privilege))
    }

    /// Returns the lowest address that Linux lets programs map, unless the user of the machine
    /// lowered it.
    pub const fn lowest_mapped(self) -> u64 {
        ask!(self, Of => Of::LOWEST_MAPPED)
    }

    /// Returns true for an address in the half of a 64-bit address space that only the kernel uses.
    /// With 32 bits no address belongs to the kernel for certain: a 64-bit kernel leaves nearly all
    /// of them to 32-bit programs.
    pub const fn is_kernel_address(self, address: u64) -> bool {
        self.word_bytes() == 8 && address >> 63 != 0
    }

    /// Returns true for an instruction that looks like the first of an exception handler, from its
    /// address and effect.
    pub fn is_vector(self, pc: Address, encoding: Option<&Encoding>) -> bool {
        ask!(self, Of => Of::is_vector(pc, encoding))
    }

    /// Returns true if traces often show a trap only by the handler that follows.
    #[inline(always)]
    pub const fn has_silent_traps(self) -> bool {
        query_often!(self, Of => Of::HAS_SILENT_TRAPS)
    }

    /// Returns true for a register with the address of trap handlers.
    #[inline(always)]
    pub fn is_handler_base(self, register: RegisterId) -> bool {
        query_often!(self, Of => Of::is_handler_base(register))
    }

    /// Returns true if a trap may enter at `pc`, given the value of such a register.
    pub fn is_handler_entry(self, base: u64, pc: Address) -> bool {
        ask!(self, Of => Of::is_handler_entry(base, pc))
    }

    /// Returns true for a link register value that causes an exception return.
    pub fn is_exception_return_value(self, value: u64) -> bool {
        ask!(self, Of => Of::is_exception_return_value(value))
    }

    /// Returns true for an exception return value that returns to code outside handlers.
    pub fn is_return_to_thread_mode(self, value: u64) -> bool {
        ask!(self, Of => Of::is_return_to_thread_mode(value))
    }

    /// Returns true for the value, never a valid address, with which a function returns to a caller
    /// in the other security state.
    pub fn is_function_return_value(self, value: u64) -> bool {
        ask!(self, Of => Of::is_function_return_value(value))
    }

    /// Returns the exception number in a status register, 0 outside handlers; none if the register
    /// has no such field.
    pub fn exception_number(self, status: u32) -> Option<u32> {
        ask!(self, Of => Of::exception_number(status))
    }

    /// Returns the layout of the frames that exceptions push automatically; none if software saves
    /// registers.
    #[inline]
    pub fn exception_frame(self) -> Option<&'static FrameLayout> {
        ask!(self, Of => Of::exception_frame())
    }

    /// Returns true for the only instruction at which a call from the other security state may
    /// arrive.
    pub fn is_state_gateway(self, opcode: u32) -> bool {
        ask!(self, Of => Of::is_state_gateway(opcode))
    }

    /// Returns the slot from which a procedure linkage table stub loads its target; none for code
    /// of another form.
    pub fn stub_slot(self, stub: &LinkageStub<'_>) -> Option<StubSlot> {
        ask!(self, Of => Of::stub_slot(stub))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_choice_can_be_chosen() {
        for set in InstructionSet::ALL {
            assert_eq!(
                InstructionSet::CHOICES.contains(&set),
                set.names().choice.is_some(),
                "{set:?}"
            );
        }
    }

    #[track_caller]
    fn check(set: InstructionSet, expected: &[(u64, Option<&str>)]) {
        for (number, name) in expected {
            assert_eq!(set.system_call_name(*number), *name, "{number}");
        }
    }

    #[test]
    fn each_architecture_has_its_numbers() {
        check(
            InstructionSet::X86_64,
            &[
                (0, Some("read")),
                (15, Some("rt_sigreturn")),
                (334, Some("rseq")),
                (335, None),
            ],
        );
        check(
            InstructionSet::X86_64,
            &[
                (231, Some("exit_group")),
                (318, Some("getrandom")),
                (424, Some("pidfd_send_signal")),
            ],
        );
        check(
            InstructionSet::X86_32,
            &[
                (1, Some("exit")),
                (252, Some("exit_group")),
                (403, Some("clock_gettime64")),
            ],
        );
        check(
            InstructionSet::A64,
            &[
                (63, Some("read")),
                (93, Some("exit")),
                (244, None),
                (435, Some("clone3")),
            ],
        );
        check(
            InstructionSet::Riscv64,
            &[
                (63, Some("read")),
                (163, Some("getrlimit")),
                (462, Some("mseal")),
            ],
        );
        check(
            InstructionSet::A32,
            &[
                (3, Some("read")),
                (248, Some("exit_group")),
                (983_045, None),
                (u64::MAX, None),
            ],
        );
        check(
            InstructionSet::Sparc64,
            &[
                (1, Some("exit")),
                (188, Some("exit_group")),
                (402, Some("msgctl")),
                (435, Some("clone3")),
            ],
        );
        check(
            InstructionSet::T32,
            &[(262, Some("clock_settime")), (281, Some("socket"))],
        );
    }

    #[test]
    fn the_calls_of_each_instruction_set_are_known() {
        use InstructionSet::{A32, A64, T32};
        let calls = [
            (A64, 0xd45e_0000, 4),
            (A32, 0xef12_3456, 4),
            (A32, 0xe10f_0070, 4),
            (T32, 0xbeab, 2),
        ];
        for (set, opcode, length_bytes) in calls
            .into_iter()
            .chain([(T32, 0xdfab, 2), (T32, 0xbabc, 2)])
        {
            assert!(set.is_host_call(opcode, length_bytes), "{opcode:x}");
        }
        let others = [
            (A64, 0xd400_0001, 4),
            (A32, 0xef00_0000, 4),
            (T32, 0xbe00, 2),
            (T32, 0xbeab, 4),
            (A32, 0xbeab, 4),
        ];
        for (set, opcode, length_bytes) in others {
            assert!(!set.is_host_call(opcode, length_bytes), "{opcode:x}");
        }
    }
}
