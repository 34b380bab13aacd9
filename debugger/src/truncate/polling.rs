//! The two rules that detect a trace that only repeats itself: loops that wait for something, and
//! repeated messages.
//!
//! Their limits and the order of registers are those of `tarmac-truncate`, so that both programs
//! cut at the same line.

use std::collections::{HashMap, VecDeque};

use stepback_machine::{Address, InstructionSet, RegisterId, RegisterView};

/// Number of addresses remembered per CPU.
const WINDOW: usize = 16;

/// Detects a CPU that returns to one of its last 16 instructions without a register change.
///
/// With several CPUs, all that executed anything since the last change must have returned: one that
/// makes progress may be what the others wait for. A sleeping CPU does not count.
#[derive(Clone, Debug, Default)]
pub struct PollingDetector {
    /// Number of changes. State of a thread from before the last change is void.
    changes: u64,
    threads: Vec<PollingThread>,
    /// Number of threads that executed a step since the last change, and of those among them that
    /// returned.
    active: usize,
    looping: usize,
}

#[derive(Clone, Debug, Default)]
struct PollingThread {
    /// Value of [`PollingDetector::changes`] for which the following fields are valid.
    changes: u64,
    recent: VecDeque<Address>,
    is_looping: bool,
    registers: ByteSpace,
}

impl PollingDetector {
    /// Records that a thread reached an instruction. Returns true if all threads are now waiting.
    pub fn step(&mut self, thread: u16, pc: Address) -> bool {
        let changes = self.changes;
        let state = self.thread(thread);
        if state.changes != changes || state.recent.is_empty() {
            state.changes = changes;
            state.is_looping = false;
            state.recent.clear();
            state.recent.push_back(pc);
            self.active += 1;
            return false;
        }
        if !state.recent.contains(&pc) {
            if state.recent.len() == WINDOW {
                state.recent.pop_front();
            }
            state.recent.push_back(pc);
            return false;
        }
        let is_first = !std::mem::replace(&mut state.is_looping, true);
        self.looping += usize::from(is_first);
        self.looping == self.active
    }

    /// Records a register write. A repeated value is no change. Neither is the first value of a
    /// register above all those written until now.
    pub fn write(&mut self, thread: u16, set: InstructionSet, view: RegisterView, bytes: &[u8]) {
        if self.thread(thread).registers.write(set, view, bytes) {
            self.changes += 1;
            (self.active, self.looping) = (0, 0);
        }
    }

    fn thread(&mut self, number: u16) -> &mut PollingThread {
        let number = usize::from(number);
        if self.threads.len() <= number {
            self.threads.resize_with(number + 1, PollingThread::default);
        }
        // In bounds: resized above.
        &mut self.threads[number]
    }
}

/// The registers of a thread as one array of bytes, which grows as registers appear; unwritten
/// bytes are 0.
///
/// The order determines which first writes count as changes, so it is that of `tarmac-truncate`.
#[derive(Clone, Debug, Default)]
struct ByteSpace {
    bytes: Vec<u8>,
    /// Inactive banks, which have no place in the array.
    banks: HashMap<RegisterId, Vec<u8>>,
}

impl ByteSpace {
    /// Stores a value. Returns true if it changes an earlier one.
    fn write(&mut self, set: InstructionSet, view: RegisterView, value: &[u8]) -> bool {
        if view.register == RegisterId::PC {
            // It changes with every step.
            return false;
        }
        let Some(start) = place(set, view) else {
            let known = self.banks.insert(view.register, value.to_vec());
            return known.is_some_and(|known| known != value);
        };
        let end = start + value.len();
        if end > self.bytes.len() {
            self.bytes.resize(end, 0);
            self.put(start, value);
            return false;
        }
        self.put(start, value)
    }

    fn put(&mut self, start: usize, value: &[u8]) -> bool {
        let Some(room) = self.bytes.get_mut(start..start + value.len()) else {
            return false;
        };
        let is_change = room != value;
        room.copy_from_slice(value);
        is_change
    }
}

/// Returns the offset of a view of the architecture's table in the array; `None` for a bank.
fn place(set: InstructionSet, view: RegisterView) -> Option<usize> {
    let start = match view.register {
        RegisterId::SP | RegisterId::LR => 8 * usize::from(set.number_of(view.register)?),
        RegisterId::PSR => 0x2300,
        RegisterId::FPSCR => 0x2304,
        RegisterId::FPCR => 0x2308,
        RegisterId::FPSR => 0x230c,
        RegisterId::VPR => 0x2310,
        register if register < RegisterId::SP => 8 * usize::from(register.0),
        register if register < RegisterId::V0 => return None,
        register if register < RegisterId::P0 => {
            0x100 + 0x100 * usize::from(register.0 - RegisterId::V0.0)
        }
        register if register < RegisterId::FIRST_BANK => {
            0x2100 + 16 * usize::from(register.0 - RegisterId::P0.0)
        }
        register if register < RegisterId::FIRST_NAMED => {
            0x2400 + 16 * usize::from(register.0 - RegisterId::FIRST_BANK.0)
        }
        _ => return None,
    };
    Some(start + usize::from(view.offset))
}

/// Number of messages remembered.
const MESSAGE_WINDOW: usize = 32;
/// Minimum length of a repeated sequence.
const SHORTEST: usize = 8;

/// Detects a sequence of at least eight messages that occurs twice in a row, without a step or a
/// register write in between.
///
/// Another message must precede both: the comparison of Arm's tool ends at the oldest message that
/// it remembers. The first message in its memory is therefore never part of a repetition.
#[derive(Clone, Debug, Default)]
pub struct RepetitionDetector {
    /// Thread and text, without the time; the newest last.
    said: VecDeque<(u16, Vec<u8>)>,
}

impl RepetitionDetector {
    /// Records a message. Returns true if it completes a repetition.
    pub fn say(&mut self, thread: u16, text: &[u8]) -> bool {
        // Reuse the buffer of the oldest message.
        let mut room = if self.said.len() == MESSAGE_WINDOW {
            self.said.pop_front().unwrap_or_default().1
        } else {
            Vec::new()
        };
        room.clear();
        room.extend_from_slice(text);
        self.said.push_back((thread, room));
        (SHORTEST..=self.said.len().saturating_sub(1) / 2).any(|count| self.is_repeated(count))
    }

    /// Forgets all messages: another event happened.
    pub fn clear(&mut self) {
        self.said.clear();
    }

    /// Returns true if the last `count` messages equal the `count` before them.
    fn is_repeated(&self, count: usize) -> bool {
        let last = self.said.iter().rev().take(count);
        let before = self.said.iter().rev().skip(count).take(count);
        last.eq(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `5` is a step of thread 0 at 5, `1:5` one of thread 1; `x3=7` is a write. `expected` is the
    /// number of the word, from 1, at which all threads are waiting.
    #[track_caller]
    fn check(words: &str, expected: Option<usize>) {
        let mut rule = PollingDetector::default();
        let found = words.split_whitespace().position(|word| {
            let (thread, word) = word.split_once(':').unwrap_or(("0", word));
            let thread = thread.parse().unwrap();
            let Some((register, value)) = word.split_once('=') else {
                return rule.step(thread, Address(word.parse().unwrap()));
            };
            let view = RegisterView::new(RegisterId(register[1..].parse().unwrap()), 0, 8);
            rule.write(
                thread,
                InstructionSet::A64,
                view,
                &value.parse::<u64>().unwrap().to_le_bytes(),
            );
            false
        });
        assert_eq!(found.map(|place| place + 1), expected, "{words}");
    }

    #[test]
    fn coming_back_without_a_change_is_waiting() {
        check("1 2 3 1", Some(4));
        check("1 1", Some(2));
        check("1 2 3 4 5", None);
    }

    #[test]
    fn a_changed_register_is_progress() {
        check("1 x0=1 2 x0=2 1 x0=3 2 x0=4 1", None);
        check("x0=5 1 x0=5 2 x0=5 1", Some(6));
        check("x0=5 1 x0=6 2 1 x0=6 2", Some(7));
    }

    #[test]
    fn the_first_value_of_a_later_register_is_no_change() {
        check("1 x0=5 2 x1=7 1", Some(5));
        // Below a register written earlier, it counts unless it is 0.
        check("x1=7 1 x0=5 2 1", None);
        check("x1=7 1 x0=0 2 1", Some(5));
    }

    #[test]
    fn only_sixteen_instructions_are_remembered() {
        check("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1", Some(17));
        check("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 1", None);
    }

    #[test]
    fn all_cpus_that_do_something_have_to_wait() {
        check("1 1:1 2 1:2", None);
        check("1 1:1 1 1:2 1:2", Some(5));
        check("1 1:5 1 1:6 1:x0=1 1:x0=2 1 2 1", Some(9));
        // A CPU without a step since the last change is asleep.
        check("1:1 x0=1 x0=2 1 2 1", Some(6));
    }
}

#[cfg(test)]
mod repetition_tests {
    use super::*;

    /// `expected` is the number of the message, from 1, that completes a repetition.
    #[track_caller]
    fn check(sayings: impl IntoIterator<Item = (u16, u32)>, expected: Option<usize>) {
        let mut rule = RepetitionDetector::default();
        let mut sayings = sayings.into_iter();
        let found =
            sayings.position(|(thread, number)| rule.say(thread, number.to_string().as_bytes()));
        assert_eq!(found.map(|place| place + 1), expected);
    }

    #[test]
    fn eight_to_fifteen_sayings_with_one_before_may_repeat() {
        check((0..100).map(|number| (0, number % 7)), Some(28 + 1));
        check((0..16).map(|number| (0, number % 8)), None);
        check((0..100).map(|number| (0, number % 8)), Some(16 + 1));
        check((7..100).map(|number| (0, number.max(8) % 8)), Some(16 + 1));
        check((0..100).map(|number| (0, number % 11)), Some(22 + 1));
        check((0..100).map(|number| (0, number % 15)), Some(30 + 1));
        check((0..100).map(|number| (0, number % 16)), None);
        check((0..100).map(|number| (0, number % 17)), None);
        check((0..100).map(|_| (0, 5)), Some(16 + 1));
        check((0..100).map(|number| (0, number)), None);
    }

    #[test]
    fn who_says_it_matters() {
        check((0..64).map(|number| (number / 4 % 2, 5)), Some(16 + 1));
        check((0..20).map(|number| (number / 8 % 2, 5)), None);
    }

    #[test]
    fn what_happens_between_breaks_the_row() {
        let mut rule = RepetitionDetector::default();
        assert!(!(0..16).any(|_| rule.say(0, b"BR")));
        rule.clear();
        assert!(!(0..16).any(|_| rule.say(0, b"BR")));
        assert!(rule.say(0, b"BR"));
    }
}
