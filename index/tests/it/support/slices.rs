//! Compares forward and backward slices of index and oracle byte by byte.

use std::collections::{BTreeMap, BTreeSet};

use stepback_index::answer::{
    Cell, Direction, EdgeKinds, SliceCell, SliceEnd, SliceEndKind, SliceRow, SliceStep, SliceUse,
    ThreadId, UnknownInput,
};
use stepback_index::oracle::Replay as _;
use stepback_index::query::SliceQuery;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Query as _};
use stepback_machine::{Address, InstructionSet, RegisterId, RegisterView};
use stepback_parsers::{Position, Step};

use super::dice::Dice;
use crate::support::compare::Comparison;

/// Maximum length of traces for which forward slices are compared.
const LONGEST_ONWARD: u64 = 300;

/// A byte or a flag, with its value if known.
type Part = (SliceCell, Option<u8>);

/// A step of a slice, byte by byte.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    thread: ThreadId,
    defines: BTreeSet<Part>,
    wanted_by: BTreeSet<SliceUse>,
    is_doubtful: bool,
}

/// A slice in a form that does not depend on the grouping of bytes.
#[derive(Debug, Default)]
struct Slice {
    steps: BTreeMap<Step, Row>,
    /// Ends by cell and by the use that needs it, as text of `End`. Steps whose result ends in
    /// itself count as their own use.
    ends: BTreeMap<(SliceCell, SliceUse), BTreeSet<String>>,
    /// Ends that are doubtful for some use. Several uses of one cell are merged.
    doubtful: BTreeSet<String>,
}

/// Order of the steps.
#[derive(Clone, Copy)]
enum Order {
    NewestFirst,
    OldestFirst,
}

impl Slice {
    #[track_caller]
    fn of(rows: &[SliceRow], order: Order, name: &str) -> Self {
        let mut slice = Self::default();
        let mut last = None;
        for row in rows {
            match row {
                SliceRow::Step(row) => {
                    let is_next = last.is_none_or(|last| match order {
                        Order::NewestFirst => last > row.step,
                        Order::OldestFirst => last < row.step,
                    });
                    assert!(is_next, "{name}: in order, each once: {rows:#?}");
                    last = Some(row.step);
                    slice.add_step(row);
                }
                SliceRow::End(end) => slice.add_end(end),
            }
        }
        slice
    }

    fn add_step(&mut self, row: &SliceStep) {
        let mut defines = BTreeSet::new();
        for defined in &row.defines {
            let value = |place: usize| defined.value.0.get(place).copied().flatten();
            match defined.cell {
                SliceCell::Flags { .. } => {
                    let flags = parts(defined.cell);
                    defines.extend(flags.map(|flag| {
                        let SliceCell::Flags { bits, .. } = flag else {
                            unreachable!("flags have flags")
                        };
                        let byte = value(bits.trailing_zeros() as usize / 8);
                        (
                            flag,
                            byte.map(|byte| byte >> (bits.trailing_zeros() % 8) & 1),
                        )
                    }));
                }
                cell => defines.extend(
                    parts(cell)
                        .zip(0..)
                        .map(|(part, place)| (part, value(place))),
                ),
            }
        }
        let wanted_by = row.wanted_by.iter().copied().collect();
        let row_of = Row {
            thread: row.thread,
            defines,
            wanted_by,
            is_doubtful: row.doubt.is_some(),
        };
        self.steps.insert(row.step, row_of);
    }

    fn add_end(&mut self, end: &SliceEnd) {
        for cell in parts(end.cell) {
            for by in &end.wanted_by {
                self.ends
                    .entry((cell, *by))
                    .or_default()
                    .insert(format!("{:?}", end.end));
            }
            if end.doubt.is_some() {
                self.doubtful
                    .insert(format!("{}: {:?}", name_of(cell), end.end));
            }
        }
    }

    /// Adds the oracle's doubts about calls that, by their arguments, wrote elsewhere. Only the
    /// index infers these arguments.
    fn forgive_doubts(&mut self, theirs: &Self) {
        for (step, row) in &mut self.steps {
            row.is_doubtful |= theirs
                .steps
                .get(step)
                .is_some_and(|theirs| theirs.is_doubtful);
        }
        self.doubtful.extend(theirs.doubtful.iter().cloned());
    }

    fn step_lines(&self) -> BTreeSet<String> {
        let line = |(step, row): (&Step, &Row)| {
            let mut line = format!("step {} of thread {}", step.0, row.thread.0);
            for (cell, value) in &row.defines {
                let value = value.map_or_else(|| "??".to_owned(), |value| format!("{value:02x}"));
                line += &format!(" {}={value}", name_of(*cell));
            }
            let by: String = row
                .wanted_by
                .iter()
                .map(|by| format!(" {}", who(*by)))
                .collect();
            format!(
                "{line} for{by}{}",
                if row.is_doubtful { " (doubtful)" } else { "" }
            )
        };
        self.steps.iter().map(line).collect()
    }

    fn end_lines(&self) -> BTreeSet<String> {
        self.ends
            .iter()
            .map(|((cell, by), ends)| format!("{} for {}: {ends:?}", name_of(*cell), who(*by)))
            .collect()
    }

    /// Removes details that depend on which bytes were requested together: constant bytes of a
    /// result that has other inputs, and the bytes of a result for which a load is missing.
    fn forget_parts_of_results(&mut self, other: &mut Self, name: &str) {
        let constant = format!("{:?}", SliceEndKind::Constant);
        let missing = format!("{:?}", SliceEndKind::Unknown(UnknownInput::LoadNotShown));
        let mut of_steps: BTreeMap<(Option<Step>, &str), [BTreeSet<SliceCell>; 2]> =
            BTreeMap::new();
        for (slice, place) in [(&mut *self, 0), (&mut *other, 1)] {
            for ((cell, by), ends) in &mut slice.ends {
                for end in [&constant, &missing] {
                    if ends.remove(end) {
                        of_steps.entry((by.step, end)).or_default()[place].insert(*cell);
                    }
                }
            }
            slice.ends.retain(|_, ends| !ends.is_empty());
        }
        for ((step, end), [found, expected]) in of_steps {
            let row = step.and_then(|step| self.steps.get(&step)).unwrap();
            let is_wholly = row.defines.iter().all(|(cell, _)| expected.contains(cell));
            let is_right = match end == constant {
                true => found.is_subset(&expected) && (!is_wholly || found == expected),
                false => expected.is_subset(&found),
            };
            assert!(
                is_right,
                "{name}: {end} of {step:?}\n index:  {found:?}\n oracle: {expected:?}\n its ends: {:?}",
                other.ends
            );
        }
    }

    /// Removes an end that is reported for whole results.
    fn forget(&mut self, end: SliceEndKind) {
        let end = format!("{end:?}");
        self.ends.retain(|_, ends| {
            ends.remove(&end);
            !ends.is_empty()
        });
    }

    /// Adapts chains ended early by the limit, which may have ended otherwise directly after it.
    fn limit_as(&mut self, expected: &Self) {
        let limit = format!("{:?}", SliceEndKind::Limit);
        for (key, ends) in &mut self.ends {
            if ends.contains(&limit)
                && let Some(known) = expected.ends.get(key)
            {
                ends.remove(&limit);
                ends.extend(known.iter().cloned());
            }
        }
    }
}

/// Formats a byte or a flag briefly.
fn name_of(cell: SliceCell) -> String {
    match cell {
        SliceCell::Register { thread, view } => {
            format!("t{}.r{}[{}]", thread.0, view.register.0, view.offset)
        }
        SliceCell::Flags { thread, bits } => format!("t{}.flag{}", thread.0, bits.trailing_zeros()),
        SliceCell::Memory { address, .. } => format!("[{:x}]", address.0),
    }
}

fn who(by: SliceUse) -> String {
    by.step.map_or_else(
        || "question".to_owned(),
        |step| format!("{}:{:?}", step.0, by.edge),
    )
}

#[track_caller]
fn assert_same(name: &str, index: &BTreeSet<String>, oracle: &BTreeSet<String>) {
    let (ours, theirs): (Vec<_>, Vec<_>) = (
        index.difference(oracle).collect(),
        oracle.difference(index).collect(),
    );
    assert!(
        index == oracle,
        "{name}\n index:  {ours:#?}\n oracle: {theirs:#?}"
    );
}

/// Splits a cell into its bytes or flags.
fn parts(cell: SliceCell) -> Box<dyn Iterator<Item = SliceCell>> {
    match cell {
        SliceCell::Register { thread, view } => {
            let byte = move |offset| SliceCell::Register {
                thread,
                view: RegisterView::new(view.register, offset, 1),
            };
            Box::new((view.offset..view.offset.saturating_add(view.size_bytes)).map(byte))
        }
        SliceCell::Flags { thread, bits } => {
            let bits = (0..64)
                .map(move |bit| bits & 1 << bit)
                .filter(|bits| *bits != 0);
            Box::new(bits.map(move |bits| SliceCell::Flags { thread, bits }))
        }
        SliceCell::Memory { address, len_bytes } => {
            Box::new((0..len_bytes).map(move |place| SliceCell::Memory {
                address: Address(address.0 + place),
                len_bytes: 1,
            }))
        }
    }
}

impl Comparison<'_> {
    /// Compares backward and forward slices of a random cell.
    pub fn ask_why(&self, dice: &mut Dice) {
        let mut flag = || dice.one_in(2);
        let edges = EdgeKinds {
            addresses: flag(),
            flags: flag(),
            control: false,
            listed: flag(),
        };
        let limit = if dice.one_in(3) {
            dice.below(6) as usize
        } else {
            usize::MAX
        };
        let (cell, at) = (self.cell(dice), self.position(dice));
        // The origin of the program counter is a matter of branches.
        if matches!(cell, Cell::Register { view, .. } if view.register == RegisterId::PC) {
            return;
        }
        self.agree_why(SliceQuery {
            direction: Direction::Back,
            cell,
            at,
            edges,
            limit,
        });
        // The oracle examines all bytes of all steps, and for each all events, so only short traces
        // are compared.
        if self.index.step_count() > LONGEST_ONWARD {
            return;
        }
        // A late position reaches few steps.
        let at = Position(at.0.min(dice.below(self.index.step_count() + 1)));
        // The name of a register that was never written is queried only for registers with an
        // unambiguous one. A write in AArch64 that AArch32 reads under the name of a bank is not
        // compared.
        if dice.one_in(2)
            || self.things.is_mixed
            || matches!(cell, Cell::Register { thread, view } if self.has_banks(thread, view))
        {
            return;
        }
        self.agree_influence(SliceQuery {
            direction: Direction::Forward,
            cell,
            at,
            edges,
            limit,
        });
    }

    /// Compares forward slices. The limit cuts both after the same steps; the ends it causes are
    /// not compared.
    #[track_caller]
    pub fn agree_influence(&self, influence: SliceQuery) {
        let (found, expected) = (
            influence.run(&self.index, &Cancel::default()),
            influence.replay(self.oracle),
        );
        let name = format!("{}: {influence:?}", self.name);
        let (Ok(found), Some(expected)) = (&found, &expected) else {
            assert!(
                found.is_err() && expected.is_none(),
                "{name}: {found:?}, {expected:?}"
            );
            return;
        };
        let (found, expected) = (self.plainly(found), self.plainly(expected));
        let mut ours = Slice::of(&found, Order::OldestFirst, &name);
        let theirs = Slice::of(&expected, Order::OldestFirst, &name);
        if self.infers() {
            ours.forgive_doubts(&theirs);
        }
        assert_same(&name, &ours.step_lines(), &theirs.step_lines());
        if influence.limit == usize::MAX {
            let mut both = [ours, theirs];
            for slice in &mut both {
                slice
                    .ends
                    .retain(|(cell, _), _| !self.is_one_of_many(*cell));
                slice.forget(SliceEndKind::Unknown(UnknownInput::LoadNotShown));
            }
            let [ours, theirs] = both;
            assert_same(&name, &ours.end_lines(), &theirs.end_lines());
        }
    }

    /// Returns true if the plain name means several registers. Without a mode to decide, the
    /// overwriting steps are ambiguous.
    fn is_one_of_many(&self, cell: SliceCell) -> bool {
        matches!(cell, SliceCell::Register { thread, view } if self.has_banks(thread, view))
    }

    fn has_banks(&self, thread: ThreadId, view: RegisterView) -> bool {
        let set = self.set_of(thread);
        set.has_states()
            && set
                .banks(self.plain(thread, view.register))
                .next()
                .is_some()
    }

    fn set_of(&self, thread: ThreadId) -> InstructionSet {
        let thread = self.index.threads().get(usize::from(thread.0));
        thread.map_or_else(InstructionSet::default, |thread| thread.instruction_set)
    }

    /// Replaces banked names by plain ones, since different lines may use either.
    fn plainly(&self, rows: &[SliceRow]) -> Vec<SliceRow> {
        let plain = |cell: &mut SliceCell| {
            if let SliceCell::Register { thread, view } = cell {
                view.register = self.plain(*thread, view.register);
            }
        };
        let mut rows = rows.to_vec();
        for row in &mut rows {
            match row {
                SliceRow::Step(row) => row
                    .defines
                    .iter_mut()
                    .for_each(|defined| plain(&mut defined.cell)),
                SliceRow::End(end) => plain(&mut end.cell),
            }
        }
        rows
    }

    fn plain(&self, thread: ThreadId, register: RegisterId) -> RegisterId {
        let set = self.set_of(thread);
        if register >= RegisterId::FIRST_NAMED {
            let name =
                NameReader(&self.index).register_name(RegisterView::new(register, 0, 4), set);
            return InstructionSet::banked_anywhere(&name)
                .map_or(register, |bank| bank.plain.register);
        }
        let has_windows = set.has_windows();
        let plain = (0..=RegisterId::LR.0).map(RegisterId);
        let mut named =
            plain.filter(|plain| !has_windows && set.banks(*plain).any(|bank| bank == register));
        named.next().unwrap_or(register)
    }

    /// Compares backward slices.
    #[track_caller]
    pub fn agree_why(&self, why: SliceQuery) {
        let (found, expected) = (
            why.run(&self.index, &Cancel::default()),
            why.replay(self.oracle),
        );
        let (Ok(found), Some(expected)) = (&found, &expected) else {
            assert!(
                found.is_err() && expected.is_none(),
                "{}: {why:?}: {found:?}, {expected:?}",
                self.name
            );
            return;
        };
        let name = format!("{}: {why:?}", self.name);
        let (mut ours, mut theirs) = (
            Slice::of(found, Order::NewestFirst, &name),
            Slice::of(expected, Order::NewestFirst, &name),
        );
        if self.infers() {
            ours.forgive_doubts(&theirs);
        }
        assert_same(&name, &ours.step_lines(), &theirs.step_lines());
        // A limit may cut off the owners of a doubt.
        if why.limit == usize::MAX {
            assert_same(&name, &ours.doubtful, &theirs.doubtful);
        }
        ours.forget_parts_of_results(&mut theirs, &name);
        ours.limit_as(&theirs);
        assert_same(&name, &ours.end_lines(), &theirs.end_lines());
    }
}
