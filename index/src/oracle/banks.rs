//! Resolution of register names, derived from the architecture, register by register.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use stepback_machine::banks::{Bank, BankedRegister, SecurityState, ThreadStack};
use stepback_machine::naive::NaiveWindowCell;
use stepback_machine::{InstructionSet, Mode, RegisterId, RegisterView, naive};
use stepback_parsers::{Position, RegisterWrite, Step, StepEvent, ThreadNumber, WrittenName};

use crate::answers::cell::ThreadId;
use crate::oracle::event::{OracleEvent, OracleEventKind, OracleWrite};
use crate::oracle::record::Oracle;

/// Maximum number of writes of M-profile stack pointers to examine for the one in use.
const MOVES_TRIED: usize = 16;

/// A register of the processor. AArch32 registers that are visible in AArch64 have the numbers of
/// the latter (DDI 0487, D1.20.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhysicalRegister {
    General(u16),
    StackOfLevel(u8),
    MainStack(SecurityState),
    ProcessStack(SecurityState),
    MonitorStack,
    MonitorLink,
    /// Register of a processor with register windows.
    Cell(NaiveWindowCell),
    /// Register without banks.
    Single(RegisterId),
    /// Register with a plain name in an unknown mode.
    Some(RegisterId),
}

impl PhysicalRegister {
    /// Returns the register that a line wrote.
    pub fn of_write(register: RegisterId, bank: Option<BankedRegister>, mode: Mode) -> Self {
        let Some(BankedRegister { plain, bank }) = bank else {
            return Self::of_plain(register, mode);
        };
        match bank {
            Bank::Level(level) => Self::StackOfLevel(level),
            Bank::Mode(mode) | Bank::Link(mode) | Bank::General(mode) => {
                Self::of_plain(plain.register, Mode::Banked(mode))
            }
            Bank::Main(security) => Self::MainStack(security),
            Bank::Process(security) => Self::ProcessStack(security),
            Bank::Other => Self::Single(register),
        }
    }

    fn of_plain(register: RegisterId, mode: Mode) -> Self {
        if let Some(cell) =
            naive::cell_of(register, mode).filter(|_| matches!(mode, Mode::Window { .. }))
        {
            return Self::Cell(cell);
        }
        match (register, mode) {
            (
                RegisterId::SP,
                Mode::Level {
                    level,
                    has_own_stack: true,
                },
            ) => Self::StackOfLevel(level),
            (
                RegisterId::SP,
                Mode::Level {
                    has_own_stack: false,
                    ..
                },
            ) => Self::StackOfLevel(0),
            (
                RegisterId::SP,
                Mode::Handler(SecurityState::Unsaid) | Mode::Thread(SecurityState::Unsaid, _),
            ) => Self::Some(register),
            (
                RegisterId::SP,
                Mode::Handler(security) | Mode::Thread(security, ThreadStack::Main),
            ) => Self::MainStack(security),
            (RegisterId::SP, Mode::Thread(security, ThreadStack::Process)) => {
                Self::ProcessStack(security)
            }
            (RegisterId::SP, Mode::Banked(mode)) => match &mode {
                b"usr" => Self::General(13),
                b"hyp" => Self::General(15),
                b"irq" => Self::General(17),
                b"svc" => Self::General(19),
                b"abt" => Self::General(21),
                b"und" => Self::General(23),
                b"fiq" => Self::General(29),
                _ => Self::MonitorStack,
            },
            (RegisterId::LR, Mode::Banked(mode)) => match &mode {
                b"usr" | b"hyp" => Self::General(14),
                b"irq" => Self::General(16),
                b"svc" => Self::General(18),
                b"abt" => Self::General(20),
                b"und" => Self::General(22),
                b"fiq" => Self::General(30),
                _ => Self::MonitorLink,
            },
            (RegisterId::SP | RegisterId::LR, _) => Self::Some(register),
            (RegisterId(number @ 8..=12), Mode::Banked(mode)) if mode == *b"fiq" => {
                Self::General(number + 16)
            }
            (RegisterId(number @ 0..=30), _) => Self::General(number),
            (register, _) => Self::Single(register),
        }
    }
}

/// Mode for the lines of a step.
#[derive(Default)]
pub(super) struct SlotMode {
    step: Option<(ThreadNumber, InstructionSet)>,
    mode: Mode,
}

impl SlotMode {
    pub fn begin(step: &StepEvent<'_>) -> Self {
        Self {
            step: Some((step.thread, step.instruction_set)),
            mode: step.mode,
        }
    }

    /// Returns the mode that determines the plain names on a line of a thread.
    pub fn of(&self, thread: ThreadNumber) -> Mode {
        if self.step.is_some_and(|(owner, _)| owner == thread) {
            self.mode
        } else {
            Mode::Other
        }
    }

    /// Applies a write of the status register.
    pub fn follow(&mut self, write: &RegisterWrite<'_>) {
        let Some((_, set)) = self.step.filter(|(owner, _)| *owner == write.thread) else {
            return;
        };
        self.mode = stated_mode(write.view, write.bytes, set)
            .map_or(self.mode, |stated| after(stated, self.mode));
    }
}

/// Returns the mode in a write, if the write covers the whole status register.
fn stated_mode(view: RegisterView, bytes: Option<&[u8]>, set: InstructionSet) -> Option<Mode> {
    let is_status = view == RegisterView::new(RegisterId::PSR, 0, 4);
    naive::stated_mode(*bytes.filter(|_| is_status)?.first_chunk()?, set)
}

/// Returns the mode that the status register states, completed by the previous mode. The register
/// does not contain the M-profile security state, which changes only with an exception or its end.
fn after(stated: Mode, before: Mode) -> Mode {
    let same = |security| match before.security() {
        SecurityState::Undivided => SecurityState::Undivided,
        _ => security,
    };
    match (stated, before) {
        (Mode::Handler(_), Mode::Handler(security)) => Mode::Handler(security),
        (Mode::Thread(_, stack), Mode::Thread(security, _)) => Mode::Thread(security, stack),
        (Mode::Handler(_), _) => Mode::Handler(same(SecurityState::Unsaid)),
        (Mode::Thread(_, stack), _) => Mode::Thread(same(SecurityState::Unsaid), stack),
        (stated, _) => stated,
    }
}

/// State of a thread's processor between two events, as known from its lines.
struct ProcessorState {
    mode: Mode,
    /// Instruction set of its last step; `None` before the first.
    set: Option<InstructionSet>,
    choices: StackSelection,
}

impl ProcessorState {
    fn mode(&self) -> Mode {
        self.choices.chosen(self.mode)
    }
}

/// Values written to CONTROL, and to its banks of the two security states.
#[derive(Default)]
struct StackSelection(BTreeMap<(RegisterId, &'static str), Option<u8>>);

impl StackSelection {
    /// Returns the mode with the selected stack of thread mode, which is SPSEL, bit 1 (DDI 0553,
    /// D1.2.7). All written registers must agree.
    fn chosen(&self, mode: Mode) -> Mode {
        let Mode::Thread(security, _) = mode else {
            return mode;
        };
        let counts: &[&str] = match security {
            SecurityState::Secure if self.has("control_s") => &["control_s"],
            SecurityState::Secure => &["control"],
            SecurityState::NonSecure => &["control_ns"],
            SecurityState::Undivided | SecurityState::Unsaid => {
                &["control", "control_s", "control_ns"]
            }
        };
        let counted = self.0.iter().filter(|((_, name), _)| counts.contains(name));
        let bits: BTreeSet<_> = counted
            .map(|(_, byte)| byte.map(|byte| byte & 0b10 != 0))
            .collect();
        let stack = match bits.iter().copied().collect::<Vec<_>>()[..] {
            [Some(true)] => ThreadStack::Process,
            [Some(false)] => ThreadStack::Main,
            _ => ThreadStack::Unsaid,
        };
        Mode::Thread(security, stack)
    }

    fn has(&self, name: &str) -> bool {
        self.0.keys().any(|(_, known)| *known == name)
    }

    /// Applies a write. Returns true if it was to one of these registers.
    fn follow(&mut self, name: Option<&String>, written: &OracleWrite) -> bool {
        let name = ["control", "control_s", "control_ns"]
            .into_iter()
            .find(|known| name.is_some_and(|name| name == known));
        let Some(name) = name.filter(|_| written.view.offset == 0) else {
            return false;
        };
        let byte = written
            .bytes
            .as_ref()
            .and_then(|bytes| bytes.first().copied());
        self.0.insert((written.view.register, name), byte);
        true
    }
}

/// Meaning of a name at a position.
pub(super) struct NameMeaning {
    view: RegisterView,
    bank: Option<BankedRegister>,
    mode: Mode,
    physical: PhysicalRegister,
    /// The only register that lines of the thread explicitly refer to by that name.
    only: Option<PhysicalRegister>,
}

/// Certainty that a write belongs to the named register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchCertainty {
    Sure,
    /// It may belong to another register of that name.
    Doubtful,
}

impl NameMeaning {
    /// Returns the certainty that a write is to bytes of the register. Of the two writes of one
    /// line, only the one with the name counts.
    pub fn certainty(&self, written: &OracleWrite) -> Option<MatchCertainty> {
        let register = self.view.register;
        if !(RegisterView {
            register,
            ..written.view
        })
        .overlaps(self.view)
        {
            return None;
        }
        if self.bank.is_some() || register >= RegisterId::FIRST_NAMED {
            let plain = self.bank.map(|bank| bank.plain.register);
            let may_be =
                plain.is_some_and(|plain| written.physical == PhysicalRegister::Some(plain));
            return match written.name != WrittenName::OfBank {
                true if written.physical == self.physical => Some(MatchCertainty::Sure),
                true if may_be => Some(MatchCertainty::Doubtful),
                _ => None,
            };
        }
        let plain = written
            .bank
            .map_or(written.view.register, |bank| bank.plain.register);
        let first_half = if plain == register {
            WrittenName::BankCopy
        } else {
            WrittenName::OfBank
        };
        if written.name == first_half {
            return None;
        }
        let is_in_use = |bank: BankedRegister| plain == register && bank.bank.is_in_use(self.mode);
        let is_stated = self.mode.tells(register);
        let is_sure = written.physical == self.physical
            || is_stated && written.bank.is_some_and(is_in_use)
            || !is_stated && Some(written.physical) == self.only;
        let is_doubtful = if is_stated {
            written.physical == PhysicalRegister::Some(register)
        } else {
            plain == register
        };
        match (is_sure, is_doubtful) {
            (true, _) => Some(MatchCertainty::Sure),
            (false, true) => Some(MatchCertainty::Doubtful),
            (false, false) => None,
        }
    }
}

impl Oracle {
    /// Returns the meaning of a name in a thread at a position.
    pub(super) fn meaning(
        &self,
        thread: ThreadId,
        view: RegisterView,
        position: Position,
    ) -> NameMeaning {
        self.meaning_in(thread, view, self.mode_at(thread, position))
    }

    /// Returns the meaning of a name in a mode.
    pub(super) fn meaning_in(
        &self,
        thread: ThreadId,
        view: RegisterView,
        mode: Mode,
    ) -> NameMeaning {
        let bank = self.bank_of(view.register);
        let unsaid = PhysicalRegister::Some(view.register);
        let own = self
            .writes()
            .filter(|(writer, _)| *writer == thread)
            .map(|(_, written)| written);
        let named = own.filter(|written| {
            let plain = written
                .bank
                .map_or(written.view.register, |bank| bank.plain.register);
            plain == view.register
                && written.stated != unsaid
                && matches!(view.register, RegisterId::SP | RegisterId::LR)
        });
        let stated: Vec<PhysicalRegister> = named.map(|written| written.stated).collect();
        let only = stated
            .first()
            .copied()
            .filter(|first| stated.iter().all(|other| other == first));
        NameMeaning {
            view,
            bank,
            mode,
            physical: PhysicalRegister::of_write(view.register, bank, mode),
            only,
        }
    }

    /// Determines the registers that were written under plain names, from the modes of each thread.
    pub(super) fn follow_modes(&mut self) {
        let mut processors: HashMap<ThreadId, ProcessorState> = HashMap::new();
        for step in self.steps.iter().rev() {
            let processor = ProcessorState {
                mode: step.mode,
                set: None,
                choices: StackSelection::default(),
            };
            processors.insert(step.thread, processor);
        }
        let mut events = self.events.clone();
        let mut controlled = HashMap::new();
        for event in &mut events {
            let nothing = || ProcessorState {
                mode: Mode::Other,
                set: None,
                choices: StackSelection::default(),
            };
            let processor = processors.entry(event.thread).or_insert_with(nothing);
            match &mut event.kind {
                OracleEventKind::Step => {
                    let Some(step) = event.owner.and_then(|step| self.step(step)) else {
                        continue;
                    };
                    (processor.mode, processor.set) = (step.mode, Some(step.instruction_set));
                }
                OracleEventKind::Register(written) => {
                    let stated = processor
                        .set
                        .and_then(|set| stated_mode(written.view, written.bytes.as_deref(), set));
                    processor.mode =
                        stated.map_or(processor.mode, |stated| after(stated, processor.mode));
                    if processor
                        .choices
                        .follow(self.outside_name(written.view.register), written)
                    {
                        controlled.insert(event.thread, event.slot);
                    }
                    if written.bank.is_none() {
                        let is_controlled = controlled.get(&event.thread) == Some(&event.slot);
                        let until = event.slot.checked_sub(1).filter(|_| !is_controlled);
                        let moved = until.and_then(|until| {
                            self.moved_stack(event.thread, processor.mode, until)
                        });
                        let mode = moved.unwrap_or_else(|| processor.mode());
                        written.physical = PhysicalRegister::of_plain(written.view.register, mode);
                    }
                }
                _ => {}
            }
        }
        self.events = events;
    }

    /// Returns the mode that determines plain names for a thread at a position.
    pub(super) fn mode_at(&self, thread: ThreadId, position: Position) -> Mode {
        let mode = self
            .state_at(thread, position)
            .map_or(Mode::Other, |(mode, _)| mode);
        let mode = self.security_of_next(thread, mode, position);
        self.with_choices(thread, mode, position)
    }

    /// Takes the security state from the thread's next step if an exception may have changed it.
    fn security_of_next(&self, thread: ThreadId, mode: Mode, position: Position) -> Mode {
        let first = usize::try_from(position.0).unwrap_or(usize::MAX);
        let next = self
            .steps
            .iter()
            .skip(first)
            .find(|step| step.thread == thread)
            .map(|step| step.mode);
        match (mode, next) {
            (Mode::Handler(SecurityState::Unsaid), Some(next @ Mode::Handler(_)))
            | (Mode::Thread(SecurityState::Unsaid, _), Some(next @ Mode::Thread(..))) => next,
            (mode, _) => mode,
        }
    }

    /// Returns the mode with the stack selected by the registers written up to a position.
    pub(super) fn with_choices(&self, thread: ThreadId, mode: Mode, position: Position) -> Mode {
        if let Some(moved) = self.moved_stack(thread, mode, position.0) {
            return moved;
        }
        let mut choices = StackSelection::default();
        for event in self
            .events_until(position)
            .iter()
            .filter(|event| event.thread == thread)
        {
            if let OracleEventKind::Register(written) = &event.kind {
                choices.follow(self.outside_name(written.view.register), written);
            }
        }
        choices.chosen(mode)
    }

    /// Returns thread mode with the stack that a step moved last, up to a slot and since the last
    /// write of CONTROL. An exception return unstacks from the stack that it sets CONTROL.SPSEL to
    /// (DDI 0403, B1.5.8); instructions push to and pop from the one in use.
    fn moved_stack(&self, thread: ThreadId, mode: Mode, until: u64) -> Option<Mode> {
        let Mode::Thread(security, _) = mode else {
            return None;
        };
        let of_stack = |event: &OracleEvent| match &event.kind {
            OracleEventKind::Register(written)
                if event.thread == thread && written.name != WrittenName::OfBank =>
            {
                match written.stated {
                    PhysicalRegister::MainStack(own) if own == security => {
                        Some((ThreadStack::Main, written.view.register))
                    }
                    PhysicalRegister::ProcessStack(own) if own == security => {
                        Some((ThreadStack::Process, written.view.register))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let is_control = |event: &OracleEvent| match &event.kind {
            OracleEventKind::Register(written) if event.thread == thread => {
                StackSelection::default().follow(self.outside_name(written.view.register), written)
            }
            _ => false,
        };
        let events = self.events_until(Position(until));
        let since = events
            .iter()
            .rfind(|event| is_control(event))
            .map(|event| event.slot);
        let slots: BTreeSet<u64> = events
            .iter()
            .filter(|event| of_stack(event).is_some())
            .map(|event| event.slot)
            .collect();
        let is_newer = |slot: &u64| since.is_none_or(|since| *slot > since);
        slots
            .into_iter()
            .rev()
            .take_while(is_newer)
            .take(MOVES_TRIED)
            .find_map(|slot| {
                let of_slot = || {
                    events
                        .iter()
                        .filter(|event| event.slot == slot && event.thread == thread)
                };
                let named = of_slot()
                    .filter_map(of_stack)
                    .filter(|(_, name)| *name >= RegisterId::FIRST_NAMED);
                let stacks: BTreeSet<bool> = named
                    .map(|(stack, _)| stack == ThreadStack::Process)
                    .collect();
                let [is_process] = stacks.into_iter().collect::<Vec<_>>()[..] else {
                    return None;
                };
                let step = of_slot().find_map(|event| event.owner)?;
                let stated = self.step(step)?;
                let moves = match stated.mode {
                    Mode::Thread(own, _) => {
                        own == security && stated.is_executed && stated.moves_stack_pointer()
                    }
                    Mode::Handler(_) => {
                        stated.is_executed
                            && stated.may_return()
                            && self.is_followed_by_thread_mode(step, thread)
                    }
                    _ => false,
                };
                let stack = if is_process {
                    ThreadStack::Process
                } else {
                    ThreadStack::Main
                };
                moves.then_some(Mode::Thread(security, stack))
            })
    }

    fn is_followed_by_thread_mode(&self, step: Step, thread: ThreadId) -> bool {
        let later = self
            .steps
            .iter()
            .skip(usize::try_from(step.0).unwrap_or(usize::MAX))
            .skip(1);
        let next = later.into_iter().find(|next| next.thread == thread);
        next.is_some_and(|next| matches!(next.mode, Mode::Thread(..)))
    }

    /// Returns the instruction set that determines the names for a thread at a position.
    pub(super) fn set_at(&self, thread: ThreadId, position: Position) -> InstructionSet {
        self.set_of_names(thread, self.state_at(thread, position).map(|(_, set)| set))
    }

    /// Returns the mode and the instruction set of a thread at a position: those of its last step,
    /// or a later state of the status register. Before its first step, those of the first.
    fn state_at(&self, thread: ThreadId, position: Position) -> Option<(Mode, InstructionSet)> {
        let until = self.events_until(position);
        let own = |event: &&crate::oracle::event::OracleEvent| event.thread == thread;
        let begun = until.iter().rposition(|event| {
            event.thread == thread && matches!(event.kind, OracleEventKind::Step)
        });
        let Some(begun) = begun else {
            let first = self.steps.iter().find(|step| step.thread == thread)?;
            return Some((first.mode, first.instruction_set));
        };
        let since = until.get(begun..).unwrap_or_default();
        let step = since.first().and_then(|event| self.step(event.owner?))?;
        let mut state = (step.mode, step.instruction_set);
        for event in since.iter().filter(own) {
            if let OracleEventKind::Register(written) = &event.kind {
                let stated =
                    stated_mode(written.view, written.bytes.as_deref(), step.instruction_set);
                let set = |mode| naive::set_of_mode(mode, step.instruction_set);
                state = stated.map_or(state, |mode| (after(mode, state.0), set(mode)));
            }
        }
        Some(state)
    }

    /// Returns the bank that a register name denotes; `None` for plain names and for meaningless
    /// suffixes.
    pub(super) fn bank_of(&self, register: RegisterId) -> Option<BankedRegister> {
        InstructionSet::banked_anywhere(self.outside_name(register)?)
            .filter(|known| known.bank != Bank::Other)
    }

    /// Copies the bank to the first writes of a line, which directly precede its last write.
    pub(super) fn tell_first_half(&mut self, copy: &OracleWrite) {
        for event in self
            .events
            .iter_mut()
            .rev()
            .take_while(|event| event.kind.is_named(WrittenName::OfBank))
        {
            if let OracleEventKind::Register(written) = &mut event.kind {
                (written.bank, written.physical, written.stated) =
                    (copy.bank, copy.physical, copy.stated);
            }
        }
    }
}
