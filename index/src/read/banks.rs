//! Register banks: the physical registers that a name means at a position.
//!
//! A plain name such as `sp` means the bank of the position's mode, which is a separate register.
//! It is written by its banked name (`R r13_svc …`), or by the plain one during its mode. The mode
//! is that of the thread's last step, or of a later write of the status register. If it is unknown,
//! at the position or at a write, the write may be of another register of the same name.
//!
//! Some lines with a plain name do not identify the physical register ([`OpenWrites`]): those after
//! a step of another thread, and those in `thread` mode of the M profile. The register then depends
//! on the state of the line's thread at that line.

use std::borrow::Cow;

use stepback_machine::banks::{
    Bank, ExecutionState, RegisterAlias, SecurityState, StackChoices, ThreadStack,
};
use stepback_machine::{InstructionSet, Mode, RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::index::homes::Homes;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{SlotEvent, SlotEventKind};
use crate::read::states::{lowest_byte, state_in};
use crate::read::views::ViewReader;
use crate::store::contents::NamedBank;

impl<'a> RegisterReader<'a> {
    /// Returns the physical registers with the bytes of a view at the position.
    pub(crate) fn homes(&mut self, view: RegisterView) -> Result<Homes, QueryError> {
        let named = self.bank_names();
        let set = named.set;
        if let Some(known) = named.of(view.register) {
            return Ok(named.of_bank(known, view));
        }
        // The plain register is that of most modes; in the others it may be one that is written
        // nowhere.
        let is_plain_anywhere =
            set.is_own_bank(view.register) && set.banks(view.register).next().is_some();
        let is_alone = || {
            !named
                .relatives(view.register)
                .any(|other| self.is_written(other))
        };
        if !set.has_states() || !is_plain_anywhere && is_alone() {
            return Ok(Homes::only(view));
        }
        let mode = self.mode()?;
        let mut homes = named.meant(view, mode);
        if !mode.tells(view.register) && !set.is_own_bank(view.register) {
            self.confirm_only_bank(&mut homes);
        }
        Ok(homes)
    }

    /// Returns the names under which a register that a line wrote may be written again, in any
    /// mode.
    pub(crate) fn homes_of_written(&self, home: RegisterView) -> Homes {
        let names = self.bank_names();
        let physical = names.register_of(home.register);
        let is_bank = |plain: &RegisterId| {
            let mut banks = names.set.banks(*plain).peekable();
            banks.peek().is_some() && (*plain == physical || banks.any(|bank| bank == physical))
        };
        let named = names.of(home.register).map(|known| known.plain);
        let plain = named.or_else(|| (0..=RegisterId::LR.0).map(RegisterId).find(is_bank));
        let Some(plain) = plain.filter(|_| names.set.has_states()) else {
            return Homes::only(home);
        };
        let same = names.sharing(plain).map(|known| known.register);
        let same = same.filter(|register| names.register_of(*register) == physical);
        let mut sure: Vec<RegisterId> = same.chain([home.register, physical]).collect();
        sure.sort_unstable();
        sure.dedup();
        let of_view = |register| RegisterView { register, ..home };
        Homes {
            sure: sure.into_iter().map(of_view).collect(),
            doubtful: Vec::new(),
            open: open_of(names.set, plain).into_iter().map(of_view).collect(),
        }
    }

    fn bank_names(&self) -> BankNames<'a> {
        BankNames {
            banks: &self.index.banks,
            set: self.index.instruction_set(self.thread),
        }
    }

    /// The only bank that the trace writes is the one in use, independent of the mode.
    fn confirm_only_bank(&self, homes: &mut Homes) {
        let Some(only) = homes
            .sure
            .first()
            .and_then(|view| self.only_bank(view.register))
        else {
            return;
        };
        let names = self.bank_names();
        let is_only = |view: &&RegisterView| names.register_of(view.register) == only;
        let (sure, doubtful): (Vec<_>, Vec<_>) = homes.doubtful.iter().partition(is_only);
        homes.doubtful = doubtful;
        homes.sure.extend(sure);
    }

    /// Returns the only bank of a plain register that is written on lines that identify the bank;
    /// none if there are more, or none.
    pub(super) fn only_bank(&self, plain: RegisterId) -> Option<RegisterId> {
        let names = self.bank_names();
        let banks = names
            .set
            .banks(plain)
            .chain(names.sharing(plain).map(|known| known.register));
        let mut written = banks
            .filter(|bank| self.is_written(*bank))
            .map(|bank| names.register_of(bank));
        let first = written.next()?;
        written.all(|bank| bank == first).then_some(first)
    }

    fn is_written(&self, register: RegisterId) -> bool {
        ViewReader(self.index).is_written(self.thread, register)
    }
}

/// Returns the register under which writes of a plain register are listed if their lines do not
/// identify the physical register.
fn open_of(set: InstructionSet, plain: RegisterId) -> Option<RegisterId> {
    set.banks(plain).next().map(|_| Mode::Untold.home(plain))
}

/// Registers that share names with others.
struct BankNames<'a> {
    /// Banks that the trace names.
    banks: &'a [NamedBank],
    set: InstructionSet,
}

impl<'a> BankNames<'a> {
    fn of(&self, register: RegisterId) -> Option<&'a NamedBank> {
        self.banks.iter().find(|known| known.register == register)
    }

    fn sharing(&self, plain: RegisterId) -> impl Iterator<Item = &'a NamedBank> + use<'a> {
        self.banks.iter().filter(move |known| known.plain == plain)
    }

    /// Returns the physical register: for a banked name, that bank.
    fn register_of(&self, register: RegisterId) -> RegisterId {
        let home = |known: &NamedBank| known.bank.mode().map(|mode| mode.home(known.plain));
        self.of(register).and_then(home).unwrap_or(register)
    }

    /// Iterates over all other registers that a plain one may mean in some mode.
    fn relatives(&self, plain: RegisterId) -> impl Iterator<Item = RegisterId> + use<'a> {
        let Self { banks, set } = *self;
        let of_plain = move |plain: RegisterId| {
            let named = banks
                .iter()
                .filter(move |known| known.plain == plain)
                .map(|known| known.register);
            set.banks(plain).chain(open_of(set, plain)).chain(named)
        };
        let twins = set
            .twins(plain)
            .into_iter()
            .flat_map(move |twin| std::iter::once(twin).chain(of_plain(twin)));
        of_plain(plain).chain(twins)
    }

    /// Resolves a bank that was requested by its name: other names for it, and the plain register
    /// in its mode.
    fn of_bank(&self, known: &NamedBank, view: RegisterView) -> Homes {
        let plain = known.plain;
        let home = |bank: Bank| bank.mode().map(|mode| mode.home(plain));
        let is_same = |other: &&NamedBank| {
            other.bank == known.bank
                || home(known.bank).is_some_and(|own| home(other.bank) == Some(own))
        };
        let same = self
            .sharing(plain)
            .filter(is_same)
            .map(|other| other.register);
        let twin = known
            .bank
            .mode()
            .and_then(|mode| mode.twin(plain))
            .map(|twin| twin.register);
        let of_view = |register| RegisterView { register, ..view };
        Homes {
            sure: same
                .chain(home(known.bank))
                .chain(twin)
                .map(of_view)
                .collect(),
            doubtful: Some(plain)
                .filter(|plain| !self.set.is_own_bank(*plain))
                .into_iter()
                .map(of_view)
                .collect(),
            open: open_of(self.set, plain).into_iter().map(of_view).collect(),
        }
    }

    /// Resolves a plain register in a mode.
    fn meant(&self, view: RegisterView, mode: Mode) -> Homes {
        let (plain, home) = (view.register, mode.home(view.register));
        let in_use = self
            .sharing(plain)
            .filter(|known| known.bank.is_in_use(mode))
            .map(|known| known.register);
        let (mut sure, mut doubtful) = (vec![home], Vec::new());
        if mode.tells(plain) {
            sure.extend(in_use);
            // A write under the plain name in an unknown mode may be of any bank.
            doubtful.extend(
                Some(plain).filter(|plain| !self.set.is_own_bank(*plain) && home != *plain),
            );
        } else {
            let (own, others): (Vec<_>, Vec<_>) =
                in_use.partition(|named| self.register_of(*named) == plain);
            sure.extend(own);
            doubtful.extend(self.set.banks(plain).chain(others));
        }
        let mut open: Vec<RegisterId> = open_of(self.set, plain).into_iter().collect();
        if let Some(RegisterAlias { register, mode }) = mode.twin(plain) {
            let home = mode.home(register);
            let is_twin = |known: &&NamedBank| {
                known
                    .bank
                    .mode()
                    .is_some_and(|mode| mode.home(register) == home)
            };
            sure.push(home);
            sure.extend(
                self.sharing(register)
                    .filter(is_twin)
                    .map(|known| known.register),
            );
            open.extend(open_of(self.set, register));
        }
        let of_view = |register| RegisterView { register, ..view };
        let views = |registers: Vec<RegisterId>| registers.into_iter().map(of_view).collect();
        Homes {
            sure: views(sure),
            doubtful: views(doubtful),
            open: views(open),
        }
    }
}

/// Follows a thread through the events of a slot, and resolves the registers that it wrote.
pub(crate) struct OpenWrites<'a> {
    index: &'a Index,
    thread: ThreadId,
    state: Option<ExecutionState>,
    /// Instruction set of the thread's last step; none before its first.
    set: Option<InstructionSet>,
    choices: StackChoices,
    /// Stacks that steps before the slot moved, until CONTROL is written in it.
    moved: Vec<(SecurityState, ThreadStack)>,
}

/// Returns an event with its register resolved, from the events up to it.
pub(crate) fn stated<'e>(
    open: &mut Option<OpenWrites<'_>>,
    event: &'e SlotEvent,
) -> Cow<'e, SlotEvent> {
    let Some(open) = open else {
        return Cow::Borrowed(event);
    };
    let mut event = event.clone();
    open.tell(&mut event);
    Cow::Owned(event)
}

impl<'a> OpenWrites<'a> {
    /// Creates a resolver for the events of a slot, if something in it must be resolved. Cost: the
    /// text of one or few steps.
    pub fn of(
        index: &'a Index,
        thread: ThreadId,
        homes: &Homes,
        slot: u64,
    ) -> Result<Option<Self>, QueryError> {
        for view in homes.open() {
            if ViewReader(index).last_register_slot(thread, view, slot)? == Some(slot) {
                return Self::before(index, thread, slot).map(Some);
            }
        }
        Ok(None)
    }

    /// Creates a resolver for known events of a slot, if one of them must be resolved.
    pub fn of_events(
        index: &'a Index,
        thread: ThreadId,
        slot: u64,
        events: &[SlotEvent],
    ) -> Result<Option<Self>, QueryError> {
        let set = index.instruction_set(thread);
        let is_open = |event: &SlotEvent| match &event.kind {
            SlotEventKind::Register {
                view,
                home: Some(home),
                ..
            } => is_open(set, view.register, home.register),
            _ => false,
        };
        match events
            .iter()
            .any(|event| event.thread == thread && is_open(event))
        {
            true => Self::before(index, thread, slot).map(Some),
            false => Ok(None),
        }
    }

    fn before(index: &'a Index, thread: ThreadId, slot: u64) -> Result<Self, QueryError> {
        let mut reader = RegisterReader::new(index, thread, Position(slot.saturating_sub(1)));
        let stated = reader.recorded_state()?;
        let choices = if slot > 0 {
            reader.stack_choices()?
        } else {
            StackChoices::default()
        };
        let mut moved = Vec::new();
        if slot > 0 {
            for security in [
                SecurityState::Undivided,
                SecurityState::Secure,
                SecurityState::NonSecure,
            ] {
                moved.extend(reader.moved_stack(security)?.map(|stack| (security, stack)));
            }
        }
        Ok(Self {
            index,
            thread,
            state: stated.state,
            set: stated.set,
            choices,
            moved,
        })
    }

    fn chosen(&self, mode: Mode) -> Mode {
        let moved = self
            .moved
            .iter()
            .find(|(security, _)| *security == mode.security());
        match (mode, moved) {
            (Mode::Thread(security, _), Some((_, stack))) => Mode::Thread(security, *stack),
            _ => self.choices.chosen(mode),
        }
    }

    /// Takes the next event of the slot, and resolves its register by the state at it.
    pub fn tell(&mut self, event: &mut SlotEvent) {
        if event.thread != self.thread {
            return;
        }
        if let Some(stated) = self.set.and_then(|set| state_in(self.index, event, set)) {
            self.state = Some(stated.after(self.state));
        }
        for choice in &self.index.stack_choices {
            if let Some(byte) = lowest_byte(event, choice.register) {
                self.choices.note(*choice, byte);
                self.moved.clear();
            }
        }
        match &mut event.kind {
            SlotEventKind::Step(step) => {
                self.state = Some(ExecutionState {
                    set: step.instruction_set,
                    mode: step.mode,
                });
                self.set = Some(step.instruction_set);
            }
            SlotEventKind::Register {
                view,
                home: Some(home),
                ..
            } => {
                let plain = view.register;
                let set = self.index.instruction_set(self.thread);
                if is_open(set, plain, home.register) {
                    let mode = self.state.map_or(Mode::Other, |state| state.mode);
                    home.register = self.chosen(mode).home(plain);
                }
            }
            _ => {}
        }
    }
}

/// Returns true if a line does not identify the physical register of its plain name.
fn is_open(set: InstructionSet, plain: RegisterId, home: RegisterId) -> bool {
    home == Mode::Untold.home(plain) && set.banks(plain).next().is_some()
}
