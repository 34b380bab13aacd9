//! Which bank of a register the plain name means.

use stepback_machine::{Bank, BankedRegister, InstructionSet, Mode, RegisterId, RegisterView};
use stepback_parsers::Position;

use crate::answers::thread::ThreadId;
use crate::oracle::event::{Event, EventKind, Written};
use crate::oracle::record::Oracle;

/// What the last line that wrote a plain register named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// No line wrote it.
    Nothing,
    /// The plain register itself.
    Plain,
    Bank(Bank),
}

impl Oracle {
    /// The register that the bytes of a view are in at a position, as a view of it.
    pub(super) fn home(&self, thread: ThreadId, view: RegisterView, position: Position) -> RegisterView {
        let numbers = 0..u16::try_from(self.register_names.len()).unwrap_or(u16::MAX);
        let mut named = numbers.map(|number| RegisterId(RegisterId::FIRST_NAMED.0 + number));
        if named.all(|register| self.bank_of(register, view).is_none()) {
            return view;
        }
        let own = || self.events_until(position).iter().filter(|event| event.thread == thread);
        let mode = self.mode_at(thread, position);
        let is_elsewhere = match self.last_named(own(), view) {
            Named::Nothing => mode != Mode::Other,
            Named::Plain => false,
            Named::Bank(bank) => !bank.is_in_use(mode),
        };
        if !is_elsewhere {
            return view;
        }
        let is_home = |register| self.bank_of(register, view).is_some_and(|bank| bank.is_in_use(mode));
        let in_use = |written: &Written| Some(written.view.register).filter(|register| is_home(*register));
        let of_register = |register| RegisterView { register, ..view };
        let mut touched = own().filter_map(|event| {
            let EventKind::Register(written) = &event.kind else { return None };
            in_use(written).filter(|register| written.view.overlaps(of_register(*register)))
        });
        let ever = || self.writes().filter(|(writer, _)| *writer == thread).find_map(|(_, written)| in_use(written));
        touched.next_back().or_else(ever).map_or(view, of_register)
    }

    /// The mode of a thread's last step before a position.
    pub(super) fn mode_at(&self, thread: ThreadId, position: Position) -> Mode {
        let own = self.events_until(position).iter().filter(|event| event.thread == thread);
        let owner = own.filter_map(|event| event.owner).next_back();
        owner.and_then(|step| self.step(step)).map_or(Mode::Other, |step| step.mode)
    }

    /// What the last line that wrote a byte of a view named.
    fn last_named<'a>(&self, events: impl Iterator<Item = &'a Event>, view: RegisterView) -> Named {
        let (mut named, mut named_on) = (Named::Nothing, None);
        for event in events {
            let EventKind::Register(written) = &event.kind else { continue };
            if written.view.overlaps(view) {
                (named, named_on) = (Named::Plain, Some(event.line));
            } else if written.is_bank_copy && named_on == Some(event.line) {
                named = self.bank_of(written.view.register, view).map_or(named, Named::Bank);
            }
        }
        named
    }

    /// The bank that a register is of the plain register of a view.
    fn bank_of(&self, register: RegisterId, view: RegisterView) -> Option<Bank> {
        let BankedRegister { plain, bank } = InstructionSet::banked_anywhere(self.outside_name(register)?)?;
        Some(bank).filter(|bank| plain.register == view.register && *bank != Bank::Other)
    }
}
