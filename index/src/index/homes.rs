//! Register homes: the registers that a name may refer to at a position.

use stepback_machine::{RegisterId, RegisterView};

/// Views whose newest writes determine the value of a queried view. There are several if a register
/// has several names.
#[derive(Clone, Debug)]
pub(crate) struct Homes {
    /// Views that the name refers to.
    pub(crate) sure: Vec<RegisterView>,
    /// Views that it may refer to because the mode at the position or at the write is unknown.
    pub(crate) doubtful: Vec<RegisterView>,
    /// Views whose write lists contain writes of several registers: the state at each write decides
    /// which one it wrote ([`crate::read::banks::OpenWrites`]).
    pub(crate) open: Vec<RegisterView>,
}

/// Certainty that a write belongs to a queried register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteCertainty {
    /// It belongs to the register.
    Sure,
    /// It belongs to this register or to another one of the same name.
    Doubtful,
}

impl Homes {
    /// Returns the homes of a register with one name.
    pub(crate) fn only(view: RegisterView) -> Self {
        Self {
            sure: vec![view],
            doubtful: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Returns true if both names may refer to the same register.
    pub(crate) fn may_be(&self, other: &Self) -> bool {
        let share = |views: &[RegisterView], others: &[RegisterView]| {
            views
                .iter()
                .any(|view| others.iter().any(|other| other.register == view.register))
        };
        let (sure, doubtful) = (
            share(&self.sure, &other.sure),
            share(&self.doubtful, &other.sure),
        );
        sure || doubtful || share(&self.sure, &other.doubtful)
    }

    /// Returns the only possible register, if there is exactly one.
    pub(crate) fn only_list(&self) -> Option<RegisterId> {
        match (
            self.sure.as_slice(),
            self.doubtful.is_empty() && self.open.is_empty(),
        ) {
            ([only], true) => Some(only.register),
            _ => None,
        }
    }

    /// Removes names that have no writes in the trace. Keeps the first one. Keeps all if the trace
    /// has lines that leave the written register open.
    pub(crate) fn without_unwritten(mut self, is_written: impl Fn(RegisterView) -> bool) -> Self {
        self.open.retain(|view| is_written(*view));
        if self.open.is_empty() {
            let first = self.sure.first().copied();
            self.sure
                .retain(|view| Some(*view) == first || is_written(*view));
            self.doubtful.retain(|view| is_written(*view));
        }
        self
    }

    /// Returns homes in the same registers for another byte range.
    pub(crate) fn of_bytes(&self, offset: u16, size_bytes: u16) -> Self {
        let of = |views: &[RegisterView]| {
            views
                .iter()
                .map(|view| RegisterView {
                    offset,
                    size_bytes,
                    ..*view
                })
                .collect()
        };
        Self {
            sure: of(&self.sure),
            doubtful: of(&self.doubtful),
            open: of(&self.open),
        }
    }

    /// Returns true if all writes in a list certainly belong to the register.
    pub(crate) fn is_sure(&self, list: RegisterView) -> bool {
        self.sure.contains(&list) && !self.open.contains(&list)
    }

    /// Returns the views whose lists contain the writes, possibly among others.
    pub(crate) fn lists(&self) -> impl Iterator<Item = RegisterView> + '_ {
        self.closed().chain(self.open())
    }

    /// Returns the views whose lists contain only relevant writes.
    pub(crate) fn closed(&self) -> impl Iterator<Item = RegisterView> + '_ {
        self.sure
            .iter()
            .chain(&self.doubtful)
            .copied()
            .filter(|view| !self.open.contains(view))
    }

    /// Returns the views whose lists may contain relevant writes.
    pub(crate) fn open(&self) -> impl Iterator<Item = RegisterView> + '_ {
        self.open.iter().copied()
    }

    /// Returns the certainty that a write belongs to these homes; `None` if it does not. `home` is
    /// the written register as resolved by [`crate::read::banks::OpenWrites::tell`].
    pub(crate) fn written(&self, home: RegisterView) -> Option<WriteCertainty> {
        let is_among = |views: &[RegisterView]| views.iter().any(|view| view.overlaps(home));
        match (is_among(&self.sure), is_among(&self.doubtful)) {
            (true, _) => Some(WriteCertainty::Sure),
            (false, true) => Some(WriteCertainty::Doubtful),
            (false, false) => None,
        }
    }
}
