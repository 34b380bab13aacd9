//! What lanes consist of.

use std::collections::BTreeSet;

use stepback_parsers::Position;

use super::{Bounded, Piece};

/// The other side of a stretch: the core of a thread, the thread of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The trace does not say.
    Unknown,
    /// This one.
    One(u64),
    /// More than one, too short to keep apart.
    Several,
}

/// Positions between which a thread or a core ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Before its first step.
    pub first: u64,
    /// After its last step.
    pub end: u64,
    /// Where, or who.
    pub who: Who,
}

impl Piece for Stretch {
    fn first(&self) -> u64 {
        self.first
    }

    fn end(&self) -> u64 {
        self.end
    }

    fn continues(&self, next: &Self) -> bool {
        self.end == next.first && self.who == next.who
    }

    fn absorb(&mut self, next: Self) {
        self.end = self.end.max(next.end);
        if self.who != next.who {
            self.who = Who::Several;
        }
    }
}

/// What a mark in a lane tells of; later ones hide earlier ones where there is room for one alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkKind {
    /// A system call.
    SystemCall,
    /// The kernel's own instructions.
    Kernel,
    /// A signal, or the abort of a restartable sequence.
    Signal,
}

/// Something that happened to a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The first position that shows it.
    pub first: u64,
    /// Where it ends; `first` where it has no length.
    pub end: u64,
    /// What.
    pub kind: MarkKind,
    /// How many are put together here.
    pub count: u64,
}

impl Piece for Mark {
    fn first(&self) -> u64 {
        self.first
    }

    fn end(&self) -> u64 {
        self.end.max(self.first + 1)
    }

    fn continues(&self, _next: &Self) -> bool {
        false
    }

    fn absorb(&mut self, next: Self) {
        self.end = self.end.max(next.end);
        self.kind = self.kind.max(next.kind);
        self.count += next.count;
    }
}

/// A time that the trace states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// From which position on.
    pub first: u64,
    /// In the trace's own unit.
    pub time: u64,
}

impl Piece for Moment {
    fn first(&self) -> u64 {
        self.first
    }

    fn end(&self) -> u64 {
        self.first + 1
    }

    fn continues(&self, next: &Self) -> bool {
        self.first == next.first
    }

    fn absorb(&mut self, _next: Self) {}
}

/// What a thread did, as a lane shows it.
#[derive(Clone, Debug, Default)]
pub struct ThreadLane {
    /// When it ran, and on which core.
    pub stretches: Bounded<Stretch>,
    /// What happened to it.
    pub marks: Bounded<Mark>,
    /// All cores that it ran on.
    pub cores: BTreeSet<u64>,
    /// The times that its markers state.
    pub times: Bounded<Moment>,
    /// The last of them.
    pub last_time: Option<u64>,
    /// Its last system call: where, and its number.
    pub last_call: Option<(Position, u64)>,
    /// Whether the trace says that it ended.
    pub has_ended: bool,
}

impl ThreadLane {
    /// A lane of at most so many pieces of each kind.
    pub fn with_limit(limit: usize) -> Self {
        let (stretches, marks, times) = (
            Bounded::with_limit(limit),
            Bounded::with_limit(limit),
            Bounded::with_limit(limit),
        );
        Self {
            stretches,
            marks,
            times,
            ..Self::default()
        }
    }

    /// Its first and last time.
    pub fn span(&self) -> Option<(u64, u64)> {
        self.times
            .list()
            .first()
            .map(|moment| moment.time)
            .zip(self.last_time)
    }
}
