//! What lanes consist of.

use std::collections::BTreeSet;

use stepback_parsers::Position;

use super::{BoundedList, LanePiece};

/// The other side of a stretch: the core of a thread, the thread of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanePeer {
    /// The trace does not say.
    Unknown,
    /// This one.
    One(u64),
    /// More than one, too short to keep apart.
    Several,
}

/// Positions between which a thread or a core ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneInterval {
    /// Before its first step.
    pub first: u64,
    /// After its last step.
    pub end: u64,
    /// Where, or who.
    pub who: LanePeer,
}

impl LanePiece for LaneInterval {
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
            self.who = LanePeer::Several;
        }
    }
}

/// What a mark in a lane tells of; later ones hide earlier ones where there is room for one alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneMarkKind {
    /// A system call.
    SystemCall,
    /// The kernel's own instructions.
    Kernel,
    /// A signal, or the abort of a restartable sequence.
    Signal,
}

/// Something that happened to a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMark {
    /// The first position that shows it.
    pub first: u64,
    /// Where it ends; `first` where it has no length.
    pub end: u64,
    /// What.
    pub kind: LaneMarkKind,
    /// How many are put together here.
    pub count: u64,
}

impl LanePiece for LaneMark {
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
pub struct TimeSample {
    /// From which position on.
    pub first: u64,
    /// In the trace's own unit.
    pub time: u64,
}

impl LanePiece for TimeSample {
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
    pub stretches: BoundedList<LaneInterval>,
    /// What happened to it.
    pub marks: BoundedList<LaneMark>,
    /// All cores that it ran on.
    pub cores: BTreeSet<u64>,
    /// The times that its markers state.
    pub times: BoundedList<TimeSample>,
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
            BoundedList::with_limit(limit),
            BoundedList::with_limit(limit),
            BoundedList::with_limit(limit),
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
