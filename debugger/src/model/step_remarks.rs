//! Describes unusual properties of steps.

use crate::messages::say;
use stepback_index::{Index, StepRecord};
use stepback_parsers::{DelaySlot, StepOrigin};

/// Returns the remark for a step that was reached but not executed.
pub fn not_executed() -> &'static str {
    say!("step-not-executed")
}

/// Returns the remarks for a line of text: whether it was executed, its delay slot, and its origin.
pub fn step_remarks(record: &StepRecord) -> impl Iterator<Item = &'static str> {
    let is_skipped = !record.is_executed && record.delay_slot != DelaySlot::Annulled;
    let origin = match record.origin {
        StepOrigin::Recorded => None,
        StepOrigin::Reconstructed => Some(say!("step-reconstructed")),
        StepOrigin::Inferred => Some(say!("step-inferred")),
    };
    is_skipped
        .then(not_executed)
        .into_iter()
        .chain(slot_remark(record))
        .chain(origin)
}

/// Returns the notes for the details of one step: its delay slot, and the evidence for it if it was
/// not recorded.
pub fn origin_notes(record: &StepRecord) -> impl Iterator<Item = &'static str> {
    let origin = match record.origin {
        StepOrigin::Recorded => None,
        StepOrigin::Reconstructed => Some(say!("step-reconstructed-what-is-recorded-leads")),
        StepOrigin::Inferred => Some(say!("step-inferred-likely-but-nothing-recorded")),
    };
    slot_remark(record).into_iter().chain(origin)
}

fn slot_remark(record: &StepRecord) -> Option<&'static str> {
    match record.delay_slot {
        DelaySlot::None => None,
        DelaySlot::Executed => Some(say!("step-in-a-delay-slot")),
        DelaySlot::Annulled => Some(say!("step-annulled")),
    }
}

/// Reports that a step had more effects than the answer contains, and where to find them.
pub fn more_words(count: u64, index: &Index) -> String {
    match index.source().is_text() {
        true => say!("step-more-in-lines", count = count),
        false => say!("step-more-in-records", count = count),
    }
}

#[cfg(test)]
mod tests {
    use stepback_index::{Cancel, Query as _, Steps};
    use stepback_parsers::Step;

    use super::*;
    use crate::session::test_session::overflow;

    #[track_caller]
    fn check(change: impl Fn(&mut StepRecord), expected: &[&str]) {
        let step = Steps {
            first: Step(10),
            count: 1,
        };
        let mut record = step
            .run(&overflow().index, &Cancel::default())
            .unwrap()
            .remove(0);
        change(&mut record);
        assert_eq!(step_remarks(&record).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn an_ordinary_step_needs_no_words() {
        check(|_| {}, &[]);
        check(|record| record.is_executed = false, &["not executed"]);
    }

    #[test]
    fn whoever_asks_about_a_step_is_told_how_it_is_known() {
        let step = Steps {
            first: Step(10),
            count: 1,
        };
        let mut record = step
            .run(&overflow().index, &Cancel::default())
            .unwrap()
            .remove(0);
        assert_eq!(origin_notes(&record).count(), 0);
        record.delay_slot = DelaySlot::Executed;
        record.origin = StepOrigin::Reconstructed;
        let notes: Vec<_> = origin_notes(&record).collect();
        assert_eq!(
            notes,
            [
                "in a delay slot",
                "reconstructed: what is recorded leads through here"
            ]
        );
        record.origin = StepOrigin::Inferred;
        assert_eq!(
            origin_notes(&record).last(),
            Some("inferred: likely, but nothing recorded proves it")
        );
    }

    #[test]
    fn delay_slots_and_inferred_steps_are_told() {
        check(
            |record| record.delay_slot = DelaySlot::Executed,
            &["in a delay slot"],
        );
        check(|record| record.origin = StepOrigin::Inferred, &["inferred"]);
        check(
            |record| record.origin = StepOrigin::Reconstructed,
            &["reconstructed"],
        );
        let annulled = |record: &mut StepRecord| {
            (record.is_executed, record.delay_slot) = (false, DelaySlot::Annulled);
            record.origin = StepOrigin::Inferred;
        };
        check(annulled, &["annulled", "inferred"]);
    }
}
