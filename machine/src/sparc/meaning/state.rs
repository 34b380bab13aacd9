//! State registers.

use crate::expression::{Expression, Operation};
use crate::sparc::meaning::whole::{Describer, value};
use crate::sparc::registers::named;
use crate::sparc::text::names::{STATE, hyperprivileged, privileged, written_state};

/// Those that change by themselves, and those of which each trap level has one.
const UNTOLD: [&str; 15] = [
    "tick", "stick", "pic", "softint", "pc", "entropy", "tpc", "tnpc", "tstate", "tt", "htstate", "fq", "hintp", "pcr",
    "ver",
];

impl Describer {
    pub fn state(&mut self) -> bool {
        let (first, destination) = (self.word.first(), self.word.destination());
        match self.word.kind() {
            0x28 if first == 15 && destination == 0 => {} // MEMBAR, STBAR
            0x28 if first == 5 => self.set(Expression::Constant(self.pc)),
            0x28 => self.read_state(STATE.get(usize::from(first)).copied()),
            0x29 => self.read_state(hyperprivileged(first.into())),
            0x2a => self.read_state(privileged(first.into())),
            0x2b => {} // FLUSHW
            0x30 => self.write_state(Some(written_state(destination.into()))),
            0x31 => self.change_windows(),
            0x32 => self.write_state(privileged(destination.into())),
            _ => self.write_state(hyperprivileged(destination.into())),
        }
        true
    }

    fn read_state(&mut self, name: Option<&'static str>) {
        let view = name.and_then(named);
        let value = view.filter(|_| name.is_some_and(|name| !UNTOLD.contains(&name))).map(Expression::Register);
        view.into_iter().for_each(|view| self.description.read(view));
        self.set(value.unwrap_or_default());
    }

    /// What is written is the exclusive or of both sources.
    fn write_state(&mut self, name: Option<&'static str>) {
        self.read_sources();
        let value = value(self.word.first()).with(Operation::Xor, self.second());
        match name {
            Some("softint_set" | "softint_clear") => self.write_named(&["softint"]),
            Some(name) => {
                let value = if UNTOLD.contains(&name) { Expression::Unknown } else { value };
                named(name).into_iter().for_each(|view| self.description.set(view, value.clone()));
            }
            None => {}
        }
    }

    /// SAVED, RESTORED, ALLCLEAN, OTHERW, NORMALW, INVALW.
    fn change_windows(&mut self) {
        match self.word.destination() {
            0 => self.write_named(&["cansave", "canrestore", "otherwin"]),
            1 => self.write_named(&["cansave", "canrestore", "otherwin", "cleanwin"]),
            2 => self.write_named(&["cleanwin"]),
            3 | 4 => self.write_named(&["canrestore", "otherwin"]),
            _ => self.write_named(&["cansave", "canrestore", "otherwin"]),
        }
    }
}
