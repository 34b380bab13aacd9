//! Where the bytes of a register are that a name means at a position.

use stepback_machine::{RegisterId, RegisterView};

/// The views whose newest writes are the value of a view: it has more than one where a register has several names.
#[derive(Clone, Debug)]
pub(crate) struct Homes {
    /// The views themselves.
    pub(crate) sure: Vec<RegisterView>,
    /// Those that may be meant besides, because the mode of the position or of the write does not tell.
    pub(crate) doubtful: Vec<RegisterView>,
    /// Under which writes are listed of which the state at them says what they wrote ([`crate::read::open_writes`]).
    pub(crate) open: Vec<RegisterView>,
}

/// Whether a write is one of what a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteCertainty {
    /// It is.
    Sure,
    /// It is, or it is one of another register of that name.
    Doubtful,
}

/// What an event wrote of what a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HomeWrite {
    /// Which bytes.
    pub view: RegisterView,
    /// Whether it did.
    pub certainty: WriteCertainty,
}

impl Homes {
    /// A register that has one name.
    pub(crate) fn only(view: RegisterView) -> Self {
        Self {
            sure: vec![view],
            doubtful: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Whether what a name means here may be what one means elsewhere.
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

    /// Returns the only name, if there is one and it is sure.
    pub(crate) fn only_list(&self) -> Option<RegisterId> {
        match (
            self.sure.as_slice(),
            self.doubtful.is_empty() && self.open.is_empty(),
        ) {
            ([only], true) => Some(only.register),
            _ => None,
        }
    }

    /// Leaves out names under which the trace writes nothing. The first is kept; if lines exist that do not tell which register
    /// they write, all of them are.
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

    /// The same registers, of which some of the bytes are meant.
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

    /// Whether all writes in a list are meant beyond doubt.
    pub(crate) fn is_sure(&self, list: RegisterView) -> bool {
        self.sure.contains(&list) && !self.open.contains(&list)
    }

    /// The views in whose lists the writes are, and some others.
    pub(crate) fn lists(&self) -> impl Iterator<Item = RegisterView> + '_ {
        self.closed().chain(self.open())
    }

    /// Those in whose lists all writes are meant.
    pub(crate) fn closed(&self) -> impl Iterator<Item = RegisterView> + '_ {
        self.sure
            .iter()
            .chain(&self.doubtful)
            .copied()
            .filter(|view| !self.open.contains(view))
    }

    /// Those in whose lists some may be.
    pub(crate) fn open(&self) -> impl Iterator<Item = RegisterView> + '_ {
        self.open.iter().copied()
    }

    /// The part of it that an event wrote, by the home of the event behind [`crate::read::open_writes::OpenWrites::tell`].
    pub(crate) fn written(&self, home: RegisterView) -> Option<HomeWrite> {
        let is_among = |views: &[RegisterView]| views.iter().any(|view| view.overlaps(home));
        let certainty = match (is_among(&self.sure), is_among(&self.doubtful)) {
            (true, _) => WriteCertainty::Sure,
            (false, true) => WriteCertainty::Doubtful,
            (false, false) => return None,
        };
        Some(HomeWrite {
            view: home,
            certainty,
        })
    }
}
