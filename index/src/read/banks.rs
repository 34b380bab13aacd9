//! Which registers a name means at a position.
//!
//! A plain name such as `sp` means the bank that the mode of the position uses, and that is a register of its own:
//! written by its own name (`R r13_svc …`), or by the plain one while its mode lasted.
//! The mode is that of the thread's last step, or what the status register says that was written since.

use stepback_machine::{Bank, InstructionSet, Mode, RegisterId, RegisterView, State, Twin};
use stepback_parsers::{Position, Source};

use crate::answers::error::QueryError;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{EventKind, SlotEvent, SlotReader, StepText};
use crate::read::views::ViewReader;
use crate::store::named_bank::NamedBank;

/// The views whose newest writes are the value of a view: it has more than one where a register has several names.
#[derive(Clone, Debug)]
pub(crate) struct Homes(Vec<RegisterView>);

impl Homes {
    /// The views.
    pub(crate) fn views(&self) -> impl Iterator<Item = RegisterView> + '_ {
        self.0.iter().copied()
    }

    /// The view of an event's register of which it wrote something that counts.
    pub(crate) fn written(&self, event: &SlotEvent) -> Option<RegisterView> {
        let EventKind::Register { home, .. } = &event.kind else { return None };
        home.filter(|home| self.0.iter().any(|view| view.overlaps(*home)))
    }
}

impl<S: Source> RegisterReader<'_, S> {
    /// Where the bytes of a view are at the position.
    pub(crate) fn homes(&mut self, view: RegisterView) -> Result<Homes, QueryError> {
        let set = self.index.instruction_set(self.thread);
        let named = BankNames { banks: &self.index.banks, set };
        if let Some(known) = named.of(view.register) {
            return Ok(Homes(named.of_bank(known, view)));
        }
        let is_written = |register: RegisterId| {
            let whole = RegisterView::new(register, 0, u16::MAX);
            ViewReader(self.index).overlapping(self.thread, whole).next().is_some()
        };
        // The plain register is that of most modes; in the others it may be one that is written nowhere.
        let is_plain_anywhere = set.is_own_bank(view.register) && set.banks(view.register).next().is_some();
        if !set.has_states() || !is_plain_anywhere && !named.relatives(view.register).any(is_written) {
            return Ok(Homes(vec![view]));
        }
        let mode = self.mode()?;
        Ok(Homes(named.meant(view, mode)))
    }

    /// What plain names mean at the position.
    pub(crate) fn mode(&mut self) -> Result<Mode, QueryError> {
        Ok(self.state_at()?.map_or(Mode::Other, |state| state.mode))
    }

    /// The state of the thread at the position: that of its last step unless the status register tells of another since,
    /// before its first step that of the first; none of a thread without steps.
    pub(crate) fn state_at(&mut self) -> Result<Option<State>, QueryError> {
        if let Some(state) = self.state {
            return Ok(state);
        }
        let slots = SlotReader(self.index);
        let owner = slots.owner(self.thread, self.at.0)?;
        let state = match owner {
            Some(step) => {
                let state = self.state_of_step(step.after())?;
                Some(self.state_told_since(step.after(), state.set)?.unwrap_or(state))
            }
            None => match slots.next_step_of(self.thread, self.at)? {
                Some(step) => Some(self.state_of_step(step.after())?),
                None => None,
            },
        };
        self.state = Some(state);
        Ok(state)
    }

    fn state_of_step(&mut self, after: Position) -> Result<State, QueryError> {
        let state = |event: &SlotEvent| match &event.kind {
            EventKind::Step(StepText { mode, instruction_set: set, .. }) => Some(State { set: *set, mode: *mode }),
            _ => None,
        };
        self.events_of(after.0)?.iter().find_map(state).ok_or(QueryError::TraceChanged)
    }

    /// What the status register says that was written from a slot on.
    fn state_told_since(&mut self, from: Position, set: InstructionSet) -> Result<Option<State>, QueryError> {
        let status = RegisterView::new(RegisterId::PSR, 0, 4);
        let state = |event: &SlotEvent| match &event.kind {
            EventKind::Register { view, bytes: Some(bytes), .. } if *view == status => {
                set.state_of(u32::from_le_bytes(*bytes.first_chunk()?))
            }
            _ => None,
        };
        let mut last = self.at.0;
        while let Some(slot) = ViewReader(self.index).last_register_slot(self.thread, status, last)?
            && slot >= from.0
        {
            if let Some(state) = self.events_of(slot)?.iter().rev().find_map(state) {
                return Ok(Some(state));
            }
            last = slot.saturating_sub(1);
        }
        Ok(None)
    }
}

/// The registers that share names with others.
struct BankNames<'a> {
    /// Those that the trace names.
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

    /// All registers besides it that a plain one may mean in some mode.
    fn relatives(&self, plain: RegisterId) -> impl Iterator<Item = RegisterId> + use<'a> {
        let Self { banks, set } = *self;
        let of_plain = move |plain: RegisterId| {
            let named = banks.iter().filter(move |known| known.plain == plain).map(|known| known.register);
            set.banks(plain).chain(named)
        };
        let twins = plain.twins().flat_map(move |twin| std::iter::once(twin).chain(of_plain(twin)));
        of_plain(plain).chain(twins)
    }

    /// A bank that was asked for by its name: what else bears its name, and the plain register in its mode.
    fn of_bank(&self, known: &NamedBank, view: RegisterView) -> Vec<RegisterView> {
        let plain = known.plain;
        let home = |bank: Bank| bank.mode().map(|mode| mode.home(plain));
        let is_same = |other: &&NamedBank| {
            other.bank == known.bank || home(known.bank).is_some_and(|own| home(other.bank) == Some(own))
        };
        let same = self.sharing(plain).filter(is_same).map(|other| other.register);
        let twin = known.bank.mode().and_then(|mode| mode.twin(plain)).map(|twin| twin.register);
        same.chain(home(known.bank)).chain(twin).map(|register| RegisterView { register, ..view }).collect()
    }

    /// What a plain register means in a mode.
    fn meant(&self, view: RegisterView, mode: Mode) -> Vec<RegisterView> {
        let plain = view.register;
        let mut registers: Vec<RegisterId> = match mode {
            // Any bank may be the one: the last that was written.
            Mode::Other => std::iter::once(plain).chain(self.set.banks(plain)).collect(),
            mode => vec![mode.home(plain)],
        };
        // What was written under the plain name in an unknown mode may be any bank.
        if !self.set.is_own_bank(plain) && !registers.contains(&plain) {
            registers.push(plain);
        }
        registers.extend(self.sharing(plain).filter(|known| known.bank.is_in_use(mode)).map(|known| known.register));
        if let Some(Twin { register, mode }) = mode.twin(plain) {
            let home = mode.home(register);
            let is_twin = |known: &&NamedBank| known.bank.mode().is_some_and(|mode| mode.home(register) == home);
            registers.push(home);
            registers.extend(self.sharing(register).filter(is_twin).map(|known| known.register));
        }
        registers.into_iter().map(|register| RegisterView { register, ..view }).collect()
    }
}
