//! Values of registers that a trace has stated ([`ValueTable`]).
//!
//! A segment of the trace is converted before the values at its begin are known. It then assumes
//! that a value which it states before an instruction is the known one, and notes this
//! [`Assumption`], which is checked once the segments before it were converted. The value after the
//! instruction does not depend on it.

use foldhash::{HashMap, HashMapExt as _};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::events::ThreadNumber;
use crate::stf::group::GroupRegister;
use crate::stf::record::RegisterClass;

/// Number of registers of a class that have numbers as names.
const NUMBERED: usize = 32;
/// Maximum number of threads whose register values are known.
const THREADS: usize = 1 << 8;

/// Knowledge of the value of a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum KnownValue {
    #[default]
    Unknown,
    /// The value, or the hash of a vector.
    Value(u64),
    /// As before the segment.
    Inherited,
}

/// Value that a register must have had before a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Assumption {
    thread: usize,
    class: RegisterClass,
    number: u16,
    value: u64,
    /// Item before the instruction.
    item: u64,
}

/// Values of the registers of all threads that the trace has stated.
#[derive(Clone, Debug, Default)]
pub struct ValueTable {
    threads: Vec<ThreadValues>,
    /// Number of threads whose values are those before the segment.
    inherited: usize,
    /// True if all values before the segment were forgotten in it.
    is_forgotten: bool,
    assumptions: Vec<Assumption>,
}

#[derive(Clone, Debug)]
struct ThreadValues {
    integer: [KnownValue; NUMBERED],
    float: [KnownValue; NUMBERED],
    vector: [KnownValue; NUMBERED],
    csrs: HashMap<u16, KnownValue>,
    /// Value of other control and status registers: unknown or inherited.
    other: KnownValue,
}

impl ThreadValues {
    fn new(value: KnownValue) -> Self {
        Self {
            integer: [value; NUMBERED],
            float: [value; NUMBERED],
            vector: [value; NUMBERED],
            csrs: HashMap::new(),
            other: value,
        }
    }

    /// Returns the place of a register's value.
    #[inline(always)]
    fn place(&mut self, class: RegisterClass, number: u16) -> Option<&mut KnownValue> {
        let table = match class {
            RegisterClass::Integer => &mut self.integer,
            RegisterClass::Float => &mut self.float,
            RegisterClass::Vector => &mut self.vector,
            RegisterClass::Csr => return Some(self.csrs.entry(number).or_insert(self.other)),
            RegisterClass::Unknown(_) => return None,
        };
        table.get_mut(usize::from(number))
    }

    /// Adds the values of a later segment.
    fn absorb(&mut self, later: Self) {
        let numbered = self.integer.iter_mut().zip(later.integer);
        let numbered = numbered.chain(self.float.iter_mut().zip(later.float));
        for (value, later) in numbered.chain(self.vector.iter_mut().zip(later.vector)) {
            if later != KnownValue::Inherited {
                *value = later;
            }
        }
        if later.other == KnownValue::Unknown {
            self.csrs.clear();
        }
        let known = later.csrs.into_iter();
        self.csrs
            .extend(known.filter(|(_, value)| *value != KnownValue::Inherited));
    }
}

impl ValueTable {
    /// Creates the table of a segment that begins with this number of threads.
    pub fn of_segment(threads: usize) -> Self {
        Self {
            inherited: threads,
            ..Self::default()
        }
    }

    /// Returns the values of a thread. Returns none for threads beyond a limit.
    #[inline(always)]
    fn thread(&mut self, thread: usize) -> Option<&mut ThreadValues> {
        if thread >= self.threads.len() {
            self.add(thread)?;
        }
        self.threads.get_mut(thread)
    }

    #[cold]
    fn add(&mut self, thread: usize) -> Option<()> {
        while thread < THREADS && thread >= self.threads.len() {
            let is_inherited = self.threads.len() < self.inherited;
            self.threads.push(ThreadValues::new(if is_inherited {
                KnownValue::Inherited
            } else {
                KnownValue::Unknown
            }));
        }
        (thread < THREADS).then_some(())
    }

    /// Sets the value that an instruction writes.
    #[inline(always)]
    pub fn write(&mut self, thread: ThreadNumber, register: &GroupRegister, words: &[u64]) {
        let GroupRegister { class, number, .. } = *register;
        let place = self.thread(thread.0.into());
        if let Some(place) = place.and_then(|values| values.place(class, number)) {
            *place = KnownValue::Value(number_of(class, words));
        }
    }

    /// Sets the value before an instruction, after `item`. Returns true if it was unknown or
    /// another one; for threads beyond a limit, returns `None`.
    #[inline(always)]
    pub fn state(
        &mut self,
        thread: ThreadNumber,
        register: &GroupRegister,
        words: &[u64],
        item: u64,
    ) -> Option<bool> {
        let GroupRegister { class, number, .. } = *register;
        let thread = usize::from(thread.0);
        let Some(place) = self.thread(thread)?.place(class, number) else {
            return Some(true);
        };
        let value = number_of(class, words);
        let before = std::mem::replace(place, KnownValue::Value(value));
        if before == KnownValue::Inherited {
            self.assumptions.push(Assumption {
                thread,
                class,
                number,
                value,
                item,
            });
            return Some(false);
        }
        Some(before != KnownValue::Value(value))
    }

    /// Forgets the value of a numbered register.
    #[inline(always)]
    pub fn forget(&mut self, thread: ThreadNumber, class: RegisterClass, number: u16) {
        if let Some(values) = self.thread(thread.0.into())
            && let Some(place) = values.place(class, number)
        {
            *place = KnownValue::Unknown;
        }
    }

    /// Forgets everything.
    pub fn forget_all(&mut self) {
        self.threads.clear();
        (self.inherited, self.is_forgotten) = (0, true);
    }

    /// Returns the last item at which an assumption of the next segment is wrong; `None` if all are
    /// right.
    pub fn last_wrong_item(&mut self, segment: &Self) -> Option<u64> {
        let mut is_wrong = |assumption: &&Assumption| {
            let values = self.thread(assumption.thread);
            let place = values.and_then(|values| values.place(assumption.class, assumption.number));
            place.is_none_or(|known| *known != KnownValue::Value(assumption.value))
        };
        let wrong = segment
            .assumptions
            .iter()
            .rev()
            .find(|assumption| is_wrong(assumption));
        wrong.map(|assumption| assumption.item)
    }

    /// Adds the values of the next segment.
    pub fn absorb(&mut self, segment: Self) {
        if segment.is_forgotten {
            self.forget_all();
        }
        for (number, later) in segment.threads.into_iter().enumerate() {
            if let Some(values) = self.thread(number) {
                values.absorb(later);
            }
        }
    }
}

/// Returns the value of a register as a number.
#[inline(always)]
fn number_of(class: RegisterClass, words: &[u64]) -> u64 {
    match class {
        RegisterClass::Vector => words
            .iter()
            .fold(0, |hash, word| xxh3_64_with_seed(&word.to_le_bytes(), hash)),
        _ => words.first().copied().unwrap_or_default(),
    }
}
