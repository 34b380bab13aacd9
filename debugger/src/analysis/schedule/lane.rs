//! Entries of lanes.

use std::collections::BTreeSet;

use stepback_parsers::Position;

use super::{BoundedList, LanePiece};

/// The core on which a thread ran, or the thread that ran on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanePeer {
    /// The trace does not say.
    Unknown,
    /// A core or thread number.
    One(u64),
    /// Several, in intervals too short to keep apart.
    Several,
}

/// Positions between which a thread or a core ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneInterval {
    /// Position before its first step.
    pub first: u64,
    /// Position after its last step.
    pub end: u64,
    /// The core or thread.
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

/// Kind of a mark. If there is room for one only, later kinds hide earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneMarkKind {
    /// A system call.
    SystemCall,
    /// Instructions of the kernel.
    Kernel,
    /// A signal, or the abort of a restartable sequence.
    Signal,
}

/// An event of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMark {
    /// First position at which it is visible.
    pub first: u64,
    /// End position; `first` for a mark without length.
    pub end: u64,
    pub kind: LaneMarkKind,
    /// Number of merged events.
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
    /// Position from which it applies.
    pub first: u64,
    /// Time in the trace's own unit.
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

/// The lane of a thread.
#[derive(Clone, Debug, Default)]
pub struct ThreadLane {
    /// Intervals in which it ran, with the core.
    pub stretches: BoundedList<LaneInterval>,
    /// Events of the thread.
    pub marks: BoundedList<LaneMark>,
    /// All cores that it ran on.
    pub cores: BTreeSet<u64>,
    /// Times that its markers state.
    pub times: BoundedList<TimeSample>,
    /// The last of these times.
    pub last_time: Option<u64>,
    /// Position and number of its last system call.
    pub last_call: Option<(Position, u64)>,
    /// True if the trace records that it ended.
    pub has_ended: bool,
}

impl ThreadLane {
    /// Creates a lane of at most `limit` entries of each kind.
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

    /// Returns the first and last time.
    pub fn span(&self) -> Option<(u64, u64)> {
        self.times
            .list()
            .first()
            .map(|moment| moment.time)
            .zip(self.last_time)
    }
}
