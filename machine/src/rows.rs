//! Which architecture answers for which instruction set: the one place that asks.
//!
//! A question of the trait [`Architecture`] is a method of [`InstructionSet`] here. All of them are resolved when the
//! program is compiled: what is asked for each line of a trace costs a comparison, not a call through a table.

use std::ops::Range;

use capstone::Capstone;

use crate::abi::{Abi, RegisterBit, ReturnAddress};
use crate::address::Address;
use crate::architecture::Architecture;
use crate::arm::a64::set::A64;
use crate::arm::aarch32::a32::A32;
use crate::arm::aarch32::t32::T32;
use crate::bank::BankedRegister;
use crate::branch::RecordedBranch;
use crate::bytes::Encoding;
use crate::control::{ControlFlowEffect, ControlSuccessor, DelaySlotRule, FlowKind};
use crate::endian::Endian;
use crate::exception_frame::FrameLayout;
use crate::host_call::SemihostingCall;
use crate::instruction::Instruction;
use crate::linux::names::SystemCallNumbering;
use crate::linux::sharing::{MemorySharing, sharing};
use crate::linux::written::{SystemCallWrite, changes_files, written};
use crate::mode::{ExecutionState, Mode, SecurityState};
use crate::names::{ArchitectureNames, ElfMachine};
use crate::placement::InstructionPlacement;
use crate::privilege::Privilege;
use crate::regdeps::architecture::Regdeps;
use crate::register_group::RegisterGroup;
use crate::register_run::RegisterRun;
use crate::riscv::set::Riscv64;
use crate::selection::FlagTest;
use crate::set::InstructionSet;
use crate::site::CodeSite;
use crate::sparc::set::Sparc64;
use crate::status::StatusRegister;
use crate::stub::{LinkageStub, StubSlot};
use crate::text_flow::{OperandWordKind, TextFlow};
use crate::view::{RegisterId, RegisterView};
use crate::window::WindowChange;
use crate::x86::set::{X86_32, X86_64};

/// Asks the architecture of a set; the rows.
macro_rules! ask {
    ($set:expr, $architecture:ident => $question:expr) => {
        ask!(@rows $set, $architecture, $question, A64 A32 T32 X86_64 X86_32 Riscv64 Regdeps Sparc64)
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

/// The same for what is asked for each line of a text: the set of most of them is tried before the jump over all, which would
/// cost some three instructions a question more.
macro_rules! ask_often {
    ($set:expr, $architecture:ident => $question:expr) => {
        if let InstructionSet::A64 = $set {
            type $architecture = A64;
            $question
        } else {
            ask!($set, $architecture => $question)
        }
    };
}

/// Names.
impl InstructionSet {
    /// What it is called.
    pub const fn names(self) -> ArchitectureNames {
        ask!(self, Of => Of::NAMES)
    }

    /// Those that people can choose, the likeliest first.
    pub const CHOICES: [Self; 5] = [
        Self::X86_64,
        Self::X86_32,
        Self::A64,
        Self::A32,
        Self::Riscv64,
    ];

    /// How the code of an ELF file begins to decode; none for other machines.
    pub fn of_elf(machine: ElfMachine) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|set| set.elf_machines().contains(&machine))
    }

    /// True for a symbol type of ELF, of those set aside for processors, that means a function.
    pub fn is_elf_function(self, symbol_type: u8) -> bool {
        ask!(self, Of => Of::ELF_FUNCTION) == Some(symbol_type)
    }

    /// Whether the code of an ELF file for `image` may be what decodes as this set. True where no ELF file says so.
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
    /// Bytes of an address, and of a general register.
    #[inline(always)]
    pub const fn word_bytes(self) -> u16 {
        ask!(self, Of => Of::WORD_BYTES)
    }

    /// The number that stands for a general register in encodings; none for others.
    pub fn number_of(self, register: RegisterId) -> Option<u16> {
        ask!(self, Of => Of::number_of(register))
    }

    /// The names of the registers that an export of signals declares, in its order.
    pub const fn signals(self) -> &'static [RegisterRun] {
        ask!(self, Of => Of::SIGNALS)
    }

    /// What the bits of its status register say, least significant byte first, `None` for a byte that is not known.
    pub fn status(self, bytes: &[Option<u8>]) -> StatusRegister {
        ask!(self, Of => Of::status(bytes))
    }

    /// The state that a value of its status register tells of; none when it tells of none, as one of flags alone.
    #[inline(always)]
    pub fn state_of(self, status: u32) -> Option<ExecutionState> {
        ask_often!(self, Of => Of::state_of(status))
    }

    /// The condition flags, as bits of the status register ([`RegisterId::PSR`]); 0 where there are none.
    pub const fn flag_bits(self) -> u64 {
        ask!(self, Of => Of::FLAG_BITS)
    }

    /// True when its processor has register windows.
    pub fn has_windows(self) -> bool {
        self.register_view("cwp").is_some()
    }

    /// True when its processor may change to a set whose registers have other names.
    pub const fn has_states(self) -> bool {
        !self.states().is_empty()
    }

    /// Of a processor that may change to sets whose registers have other names, a set for each of its states; else empty.
    pub const fn states(self) -> &'static [Self] {
        ask!(self, Of => Of::STATES)
    }

    /// The registers that a plain one may be, by the mode: its banks and cells, which [`crate::Mode::home`] chooses from.
    /// Empty for registers without any.
    pub fn banks(self, plain: RegisterId) -> impl Iterator<Item = RegisterId> {
        ask!(self, Of => Of::banks(plain)).map(RegisterId)
    }

    /// True when some modes mean the register itself by its plain name.
    pub fn is_own_bank(self, plain: RegisterId) -> bool {
        ask!(self, Of => Of::is_own_bank(plain))
    }

    /// The bank of a lower-case name such as `r13_svc` or `sp_el1`; none for names of no bank.
    pub fn banked(self, name: &str) -> Option<BankedRegister> {
        ask!(self, Of => Of::banked(name))
    }

    /// The bank of a lower-case name in whatever set; no two architectures give one name to different banks.
    pub fn banked_anywhere(name: &str) -> Option<BankedRegister> {
        Self::ALL.into_iter().find_map(|set| set.banked(name))
    }

    /// The security state of a lower-case name that is, in some set, that of a register which chooses between two stack
    /// pointers ([`Mode::with_control`](crate::Mode::with_control)); none for other registers.
    pub fn stack_choice_anywhere(name: &str) -> Option<SecurityState> {
        Self::ALL
            .into_iter()
            .find_map(|set| ask!(set, Of => Of::stack_choice(name)))
    }

    /// True for a lower-case name such as `msp`, of which some architecture has a register for each security state.
    pub fn is_state_banked_anywhere(name: &str) -> bool {
        Self::ALL
            .into_iter()
            .any(|set| ask!(set, Of => Of::is_state_banked(name)))
    }

    /// The suffix that a lower-case name lacks which means the register of the security state in use;
    /// none for registers that all states share, and where the mode does not tell the state.
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

    pub(crate) fn nameable_view(self, view: RegisterView) -> Option<RegisterView> {
        ask!(self, Of => Of::nameable(view))
    }
}

/// Encodings.
impl InstructionSet {
    /// The bytes of a right-aligned opcode, as little-endian memory holds it; none for 0, which stands for unknown,
    /// and for sets whose instructions are no numbers.
    ///
    /// ```
    /// use stepback_machine::InstructionSet;
    /// let wide = InstructionSet::T32.encoding_of(0xf000_f801, 4).unwrap();
    /// assert_eq!(wide.bytes(), [0x00, 0xf0, 0x01, 0xf8]);
    /// assert_eq!(InstructionSet::T32.opcode_of(&wide), 0xf000_f801);
    /// ```
    #[inline]
    pub fn encoding_of(self, opcode: u32, length_bytes: u8) -> Option<Encoding> {
        ask_often!(self, Of => Of::encoding_of(opcode, length_bytes))
    }

    /// An instruction as a right-aligned number; 0 in sets whose instructions are none, and for lengths that they do not have.
    pub fn opcode_of(self, encoding: &Encoding) -> u32 {
        ask!(self, Of => Of::opcode_of(encoding))
    }

    /// The bytes of an instruction in memory where code has this byte order, and the way back from there.
    /// Only Arm without BE8 has big-endian code that little-endian processors have, too.
    pub fn in_code_order(self, encoding: Encoding, order: Endian) -> Encoding {
        match order {
            Endian::Little => encoding,
            Endian::Big => ask!(self, Of => Of::with_big_endian_code(encoding)),
        }
    }

    /// Byte order of the code in an ELF file, by its flags (`e_flags`) and the order of its data, for [`Self::in_code_order`].
    pub fn elf_code_endian(self, flags: u32, data: Endian) -> Endian {
        ask!(self, Of => Of::elf_code_endian(flags, data))
    }

    /// The length of an instruction of which a trace writes so many bytes.
    #[inline(always)]
    pub fn length_of(self, written_bytes: u8) -> u8 {
        ask_often!(self, Of => Of::length_of(written_bytes))
    }

    /// The fewest bytes between the beginnings of two instructions of a program that begins in this set.
    pub const fn alignment(self) -> u8 {
        ask!(self, Of => Of::ALIGNMENT)
    }

    /// The set that an instruction belongs to by its place, where a trace names no more than the set that its program begins in.
    pub fn set_at(self, placement: &InstructionPlacement) -> Self {
        ask!(self, Of => Of::set_at(placement))
    }
}

/// What instructions do; see also [`crate::decoder::decode`].
impl InstructionSet {
    /// What an instruction does to control, as far as its encoding says. Cost: some comparisons; on x86 a decoding.
    #[inline]
    pub fn control(self, site: &CodeSite) -> ControlFlowEffect {
        ask_often!(self, Of => Of::control(site))
    }

    /// Where an executed instruction leads, by its encoding and by what its record says of it.
    ///
    /// ```
    /// use stepback_machine::{Address, Branch, InstructionSet, Lead, Site};
    /// let site = |opcode| Site { pc: Address(0x1000), encoding: InstructionSet::A64.encoding_of(opcode, 4).unwrap() };
    /// let lead = |opcode| InstructionSet::A64.lead(&site(opcode), Branch::Unsaid);
    /// assert_eq!([lead(0xd503_201f), lead(0x1400_0004)], [Lead::Behind, Lead::Address(0x1010)]);
    /// assert_eq!([lead(0xd400_0001), lead(0xb400_0020)], [Lead::Open; 2], "svc, cbz");
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
            Some(false) => ControlSuccessor::Behind,
            None => ControlSuccessor::Open,
        }
    }

    /// True for a branch of which a trace that tells no more says that it was executed exactly when it was taken:
    /// one that is decided by nothing, or by a condition.
    fn is_taken_when_executed(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::is_taken_when_executed(encoding))
    }

    /// The test of the flags that decides a conditional branch, of which a record as executed does not say that it was taken.
    ///
    /// The ES form of Tarmac marks no such branch of A64 and T32 that falls through, and gem5 prints each as `IT`.
    /// In A32 they mark each instruction whose condition fails.
    pub fn branch_test(self, encoding: &Encoding) -> Option<FlagTest> {
        ask!(self, Of => Of::branch_test(encoding))
    }

    /// Number of instructions after this one that are executed only when a condition holds (`it` of T32: 1 to 4).
    pub fn block_length(self, encoding: &Encoding) -> u8 {
        ask!(self, Of => Of::block_length(encoding))
    }

    /// True for bytes that are no instruction, and for one that does nothing but cause an exception.
    fn is_undefined(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::is_undefined(encoding))
    }

    /// True for an instruction that may end in an exception whatever it accesses, as a division by zero does on x86.
    pub fn may_raise(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::may_raise(encoding))
    }

    /// True for a store that may fail, and of which a trace may tell all the same.
    pub fn is_exclusive_store(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::is_exclusive_store(encoding))
    }

    /// The registers that may be changed when control comes back behind a trap.
    pub fn changed_by_trap(self, encoding: &Encoding) -> &'static [&'static str] {
        ask!(self, Of => Of::changed_by_trap(encoding))
    }

    /// Bytes of the delay slot behind a call, a return or a computed jump: 0 where there is none.
    #[inline(always)]
    pub const fn slot_bytes(self) -> u8 {
        ask!(self, Of => Of::SLOT_BYTES)
    }

    /// The numbers of the registers besides the general and the vector registers that instructions compute with:
    /// the cells of windows, registers of state. Empty where there are none, or where they are not described.
    pub const fn computed_registers(self) -> Range<u16> {
        ask!(self, Of => Of::COMPUTED)
    }

    /// The names of the registers that say how many register windows are free or in use; empty where there are no windows.
    pub const fn window_counts(self) -> &'static [&'static str] {
        ask!(self, Of => Of::WINDOW_COUNTS)
    }

    /// The bit that, while it is set, has the upper half of addresses cut off; none where there is no such thing.
    pub const fn narrow_addresses(self) -> Option<RegisterBit> {
        ask!(self, Of => Of::NARROW_ADDRESSES)
    }

    /// True for a register that points to the stack of its thread wherever an address is made of it.
    pub fn is_stack_pointer(self, register: RegisterId) -> bool {
        ask!(self, Of => Of::is_stack_pointer(register))
    }

    /// What an instruction does to the register windows when it is executed; none: it leaves them alone.
    pub fn window_step(self, encoding: &Encoding) -> Option<WindowChange> {
        ask!(self, Of => Of::window_step(encoding))
    }

    /// True for an instruction that chooses between stack pointers, so that the plain name means another one behind it.
    pub fn is_stack_choice(self, encoding: &Encoding) -> bool {
        ask!(self, Of => Of::is_stack_choice(encoding))
    }

    /// True for an instruction that computes the stack pointer from itself: what it is then belongs to the same stack.
    #[inline(always)]
    pub fn computes_stack_from_itself(self, opcode: u32) -> bool {
        ask!(self, Of => Of::computes_stack_from_itself(opcode))
    }

    /// The most instructions that a condition of another may cover; 0 where there is no such thing.
    pub const fn longest_block(self) -> u8 {
        ask!(self, Of => Of::LONGEST_BLOCK)
    }

    /// True where encodings stand for the bytes of the program and are others, of another length.
    /// No image can be compared with them, and they are not what memory holds.
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

/// Texts of instructions.
impl InstructionSet {
    /// How an instruction goes elsewhere, by its text; none when it goes on to the next.
    pub fn text_flow(self, text: &str) -> Option<TextFlow> {
        ask!(self, Of => Of::text_flow(text))
    }

    /// What a word among the operands of a mnemonic (in lower case) is.
    pub fn operand_word(self, mnemonic: &str, word: &str) -> OperandWordKind {
        match ask!(self, Of => Of::operand_word(mnemonic, &word.to_ascii_lowercase())) {
            OperandWordKind::Other if word.starts_with('%') => OperandWordKind::Register,
            told => told,
        }
    }

    /// Words that may stand before a mnemonic.
    pub const fn text_prefixes(self) -> &'static [&'static str] {
        ask!(self, Of => Of::PREFIXES)
    }
}

/// Calling conventions, kernels and hosts.
impl InstructionSet {
    /// By which registers functions and kernels are called.
    pub const fn abi(self) -> Abi {
        ask!(self, Of => Of::ABI)
    }

    /// The lowest address in use of the stack that a stack pointer means.
    pub fn stack_end(self, pointer: u64) -> u64 {
        ask!(self, Of => Of::stack_end(pointer))
    }

    /// Where a call leaves its return address; none where that is on the stack.
    #[inline(always)]
    pub const fn link_register(self) -> Option<RegisterId> {
        match ask!(self, Of => Of::ABI.return_address) {
            ReturnAddress::Register(register) => Some(register),
            ReturnAddress::Stack | ReturnAddress::Unknown => None,
        }
    }

    /// True for its link register, or that of a set that its processor may change to.
    #[inline(always)]
    pub fn is_link_register(self, register: RegisterId) -> bool {
        ask_often!(self, Of => Of::is_link(register))
    }

    /// The name of a system call; none for a number that no kernel of the architecture had when this was written.
    ///
    /// ```
    /// use stepback_machine::InstructionSet::{A64, X86_64};
    /// assert_eq!((X86_64.system_call_name(63), A64.system_call_name(63)), (Some("uname"), Some("read")));
    /// ```
    pub fn system_call_name(self, number: u64) -> Option<&'static str> {
        let (numbers, number) = self.abi().system_calls.numbers.told_apart(number);
        numbers.name(number)
    }

    /// The number of a system call without what tells whose it is, as the kernel knows it.
    pub fn system_call_number(self, number: u64) -> u64 {
        self.abi().system_calls.numbers.told_apart(number).1
    }

    /// The name of the error with which a system call failed.
    pub fn error_name(self, system_call: u64, error: u64) -> Option<&'static str> {
        self.abi()
            .system_calls
            .numbers
            .told_apart(system_call)
            .0
            .error_name(error)
    }

    /// What a trap is called, by the type that the processor gives it; none where the architecture has none of that type.
    pub fn trap_name(self, number: u64) -> Option<String> {
        ask!(self, Of => Of::trap_name(number))
    }

    /// True for a trap by which a processor asks for help with its register windows.
    pub fn is_window_trap(self, number: u64) -> bool {
        ask!(self, Of => Of::is_window_trap(number))
    }

    /// Whose numbers an instruction that asks a kernel means; none for one that asks nobody known.
    /// A kernel may run programs of another, and then the trap tells whose they are.
    pub fn system_call_numbers(self, encoding: &Encoding) -> Option<SystemCallNumbering> {
        ask!(self, Of => Of::numbers_of_trap(encoding))
    }

    /// Whether a system call may write memory of the program, whatever its arguments are.
    pub fn system_call_may_write(self, number: u64) -> bool {
        self.system_call_changes_files(number)
            || self
                .system_call_writes(number)
                .is_none_or(|parts| !parts.is_empty())
    }

    /// Whether a system call that was made before a store may write memory after it.
    /// A thread that waits for a futex writes nothing.
    pub fn system_call_may_write_late(self, number: u64) -> bool {
        let is_futex = self
            .system_call_name(number)
            .is_some_and(|name| matches!(name, "futex" | "futex_time64"));
        self.system_call_may_write(number) && !is_futex
    }

    /// Whether a system call ends a thread. It writes the word with the thread's number, which an earlier call named, and
    /// the words of locks that the thread held.
    pub fn system_call_ends_thread(self, number: u64) -> bool {
        self.system_call_name(number)
            .is_some_and(|name| matches!(name, "exit" | "lwp_exit"))
    }

    /// Whether a system call changes files, and with them memory that is a part of one.
    pub fn system_call_changes_files(self, number: u64) -> bool {
        changes_files(self.system_call_name(number))
    }

    /// Where a system call may write memory that is no part of a file; none for anywhere.
    pub fn system_call_writes(self, number: u64) -> Option<&'static [SystemCallWrite]> {
        let numbers = self.abi().system_calls.numbers.told_apart(number).0;
        written(numbers, self.system_call_name(number))
    }

    /// What a system call makes others than the program's instructions change from there on; none for nothing.
    pub fn system_call_shares(self, number: u64) -> Option<MemorySharing> {
        let (numbers, number) = self.abi().system_calls.numbers.told_apart(number);
        sharing(numbers, number)
    }

    /// How the host is asked; none where nobody does.
    pub const fn host_call(self) -> Option<SemihostingCall> {
        ask!(self, Of => Of::HOST_CALL)
    }

    /// True for an instruction that asks the host: one with the immediate that is set aside for it.
    #[inline(always)]
    pub fn is_host_call(self, opcode: u32, length_bytes: u8) -> bool {
        ask_often!(self, Of => Of::is_host_call(opcode, length_bytes))
    }
}

/// Addresses and exceptions.
impl InstructionSet {
    /// Where an instruction lies, of an address whose lowest bit may tell how to decode it.
    #[inline(always)]
    pub const fn code_address(self, address: u64) -> u64 {
        if ask_often!(self, Of => Of::HAS_MARKED_ADDRESSES) {
            address & !1
        } else {
            address
        }
    }

    /// The address of an instruction of this set with the bit that tells how to decode it, where there is such a bit.
    #[inline(always)]
    pub const fn marked_address(self, address: u64) -> u64 {
        if ask!(self, Of => Of::IS_MARKED) {
            address | 1
        } else {
            address
        }
    }

    /// The highest address.
    pub const fn highest_address(self) -> u64 {
        if self.word_bytes() < 8 {
            u32::MAX as u64
        } else {
            u64::MAX
        }
    }

    /// An address without the bits on top that the processor ignores.
    pub fn plain_address(self, address: u64) -> u64 {
        ask!(self, Of => Of::plain_address(address))
    }

    /// False where nothing can be, whatever is mapped.
    pub fn is_canonical(self, address: u64, privilege: Privilege) -> bool {
        ask!(self, Of => Of::is_canonical(address, privilege))
    }

    /// True for an instruction that looks like the first of an exception handler, by its place and by what it does.
    pub fn is_vector(self, pc: Address, encoding: Option<&Encoding>) -> bool {
        ask!(self, Of => Of::is_vector(pc, encoding))
    }

    /// True for a value of the link register that means: return from the exception.
    pub fn is_exception_return_value(self, value: u64) -> bool {
        ask!(self, Of => Of::is_exception_return_value(value))
    }

    /// True for such a value that returns to code outside of handlers.
    pub fn is_return_to_thread_mode(self, value: u64) -> bool {
        ask!(self, Of => Of::is_return_to_thread_mode(value))
    }

    /// True for a value that no address has, by which a function returns to what called it in another security state.
    pub fn is_function_return_value(self, value: u64) -> bool {
        ask!(self, Of => Of::is_function_return_value(value))
    }

    /// The number of the exception that a value of the status register tells, 0 outside of handlers; none where it tells none.
    pub fn exception_number(self, status: u32) -> Option<u32> {
        ask!(self, Of => Of::exception_number(status))
    }

    /// The frames in which exceptions store registers by themselves; none where software does that.
    #[inline]
    pub fn exception_frame(self) -> Option<&'static FrameLayout> {
        ask!(self, Of => Of::exception_frame())
    }

    /// Returns true for the only instruction at which a call from the other security state may arrive.
    pub fn is_state_gateway(self, opcode: u32) -> bool {
        ask!(self, Of => Of::is_state_gateway(opcode))
    }

    /// The place of which a stub of a procedure linkage table loads where it jumps to; none for code of another form.
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
