//! The frames of a thread that are not over yet, in traces whose records say what branches are.

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::builder::segment::turns::{BranchSite, TurningBranch};

/// A step that calls, returns or jumps to a computed address.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct BranchStep {
    /// The step.
    pub step: u64,
    /// The last step of the function that it leaves: itself, or the one in its delay slot.
    pub last_step: u64,
    /// What it does.
    pub kind: TurningBranch,
    /// The addresses of the branch, of its delay slot and of what follows.
    pub site: BranchSite,
    /// Where the return address lies on the stack.
    pub stack: Option<u64>,
    /// Where it leads, if nothing follows it.
    pub target: Option<u64>,
}

impl BranchStep {
    /// Whether it is a call that was made, control being at an address: not at itself, in its slot or after it.
    pub fn has_called(&self, address: u64) -> bool {
        let BranchSite {
            pc,
            slot_pc,
            next_pc,
        } = self.site;
        self.kind == TurningBranch::Call && ![pc, slot_pc.unwrap_or(pc), next_pc].contains(&address)
    }
}

/// A redirection of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirection {
    /// Into what.
    pub kind: RedirectionKind,
    /// The interrupted address. Of its end: where control goes on. None when unknown.
    pub address: Option<u64>,
}

/// Into which part of the kernel, or to which handler, control was redirected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RedirectionKind {
    /// To the handler of a signal.
    Signal,
    /// Into the kernel, for a system call.
    SystemCall,
    /// Into the kernel, for another thread.
    ContextSwitch,
    /// Into the kernel, by an exception or interrupt.
    Hardware,
}

/// A frame that is not over yet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RecordedFrame {
    /// The step that called, or that was interrupted.
    pub call_step: u64,
    /// The first step inside; none when it was interrupted before that.
    pub entry_step: Option<u64>,
    /// Address of that step.
    pub function: u64,
    /// What it is.
    pub kind: RecordedKind,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum RecordedKind {
    /// A call.
    Call {
        /// Where it returns to.
        return_address: u64,
        /// Where that lies on the stack.
        stack: Option<u64>,
    },
    /// Control was redirected.
    Redirection {
        /// Where to, and from where.
        redirection: Redirection,
        /// The branch whose destination was not reached yet.
        interrupted: Option<BranchStep>,
        /// Where inside it the first return address lay.
        own_stack: Option<u64>,
    },
}

impl RecordedFrame {
    /// Where its return address lies on the stack, if it is a call.
    pub fn stack(&self) -> Option<u64> {
        if let RecordedKind::Call { stack, .. } = self.kind {
            stack
        } else {
            None
        }
    }

    /// Whether it is a call that returns to an address.
    pub fn returns_to(&self, address: u64) -> bool {
        matches!(self.kind, RecordedKind::Call { return_address, .. } if return_address == address)
    }

    fn return_key(&self) -> Option<RecordedReturnKey> {
        if let RecordedKind::Call {
            return_address,
            stack,
        } = self.kind
        {
            Some((return_address, stack))
        } else {
            None
        }
    }

    /// Whether control was redirected.
    pub fn is_redirection(&self) -> bool {
        matches!(self.kind, RecordedKind::Redirection { .. })
    }
}

/// What a return must match: the address, and where it lies on the stack.
type RecordedReturnKey = (u64, Option<u64>);

/// The frames of a thread that are not over yet, innermost last.
///
/// Each redirection begins a level: a return ends no call of another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<RecordedFrame>", into = "Vec<RecordedFrame>")]
pub struct RecordedFrames {
    frames: Vec<RecordedFrame>,
    /// Where the levels begin, but for the first.
    levels: Vec<usize>,
    /// How many calls of each level have each key: a search through deep recursion is made only when it will succeed.
    returns: HashMap<(usize, RecordedReturnKey), u32>,
}

impl From<Vec<RecordedFrame>> for RecordedFrames {
    fn from(frames: Vec<RecordedFrame>) -> Self {
        let mut all = Self::default();
        frames.into_iter().for_each(|frame| all.push(frame));
        all
    }
}

impl From<RecordedFrames> for Vec<RecordedFrame> {
    fn from(frames: RecordedFrames) -> Self {
        frames.frames
    }
}

impl RecordedFrames {
    /// How many.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// All, outermost first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &RecordedFrame> {
        self.frames.iter()
    }

    /// One by its place.
    pub fn get(&self, place: usize) -> Option<&RecordedFrame> {
        self.frames.get(place)
    }

    /// The innermost.
    pub fn last(&self) -> Option<&RecordedFrame> {
        self.frames.last()
    }

    /// The innermost, to say where it was entered.
    pub fn last_mut(&mut self) -> Option<&mut RecordedFrame> {
        self.frames.last_mut()
    }

    /// Adds the innermost.
    pub fn push(&mut self, frame: RecordedFrame) {
        if frame.is_redirection() {
            self.levels.push(self.frames.len() + 1);
        }
        if let Some(key) = frame.return_key() {
            *self.returns.entry((self.levels.len(), key)).or_default() += 1;
        }
        self.frames.push(frame);
    }

    /// Takes out the innermost.
    pub fn pop(&mut self) -> Option<RecordedFrame> {
        let frame = self.frames.pop()?;
        if let Some(key) = frame.return_key() {
            let key = (self.levels.len(), key);
            if let Some(count) = self.returns.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    self.returns.remove(&key);
                }
            }
        } else {
            self.levels.pop();
        }
        Some(frame)
    }

    /// Takes out so many of the outermost, outermost first.
    pub fn take_outermost(&mut self, count: usize) -> Vec<RecordedFrame> {
        let mut outermost = std::mem::take(&mut self.frames);
        let kept = outermost.split_off(count.min(outermost.len()));
        *self = kept.into();
        outermost
    }

    /// Where the frames of the level in use begin.
    pub fn level_start(&self) -> usize {
        self.levels.last().copied().unwrap_or(0)
    }

    /// The redirection that control is inside of.
    pub fn redirection(&self) -> Option<&RecordedFrame> {
        self.frames.get(self.level_start().checked_sub(1)?)
    }

    /// The same, to note its stack.
    pub fn redirection_mut(&mut self) -> Option<&mut RecordedFrame> {
        let place = self.level_start().checked_sub(1)?;
        self.frames.get_mut(place)
    }

    /// The places of the redirections, innermost first.
    pub fn redirections(&self) -> impl Iterator<Item = (usize, &RecordedFrame)> {
        let places = self
            .levels
            .iter()
            .rev()
            .filter_map(|start| start.checked_sub(1));
        places.filter_map(|place| Some((place, self.frames.get(place)?)))
    }

    /// Where the innermost call of the level in use is that returns to an address.
    pub fn returning_to(&self, address: u64, stack: Option<u64>) -> Option<usize> {
        let place = self.frames.len().checked_sub(1);
        let is_last = |key| self.frames.last().and_then(RecordedFrame::return_key) == Some(key);
        if is_last((address, stack)) {
            return place;
        }
        // A retpoline puts another address there.
        if stack.is_some()
            && self
                .frames
                .last()
                .is_some_and(|frame| frame.stack() == stack)
        {
            return place;
        }
        let level = self.levels.len();
        let keys = [(address, stack), (address, None)];
        let key = keys
            .into_iter()
            .find(|key| self.returns.contains_key(&(level, *key)))?;
        self.frames
            .iter()
            .rposition(|frame| frame.return_key() == Some(key))
    }
}
