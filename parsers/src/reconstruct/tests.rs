//! Walks through programs of an invented machine: each instruction has one byte, and some have a
//! delay slot.

use std::collections::BTreeMap;

use stepback_machine::flow::{BranchTarget, ControlFlowEffect, DelaySlotRule, FlowKind};

use super::*;
use crate::events::{DelaySlot, StepOrigin};
use crate::marker::Gap;

/// Addresses below `end` without a fork hold plain instructions.
struct Toy {
    end: u64,
    forks: BTreeMap<u64, Fork>,
}

impl Program for Toy {
    fn stretch(&self, from: u64, until: Option<u64>) -> Stretch {
        let fork = self
            .forks
            .range(from..)
            .next()
            .map_or(u64::MAX, |(pc, _)| *pc);
        let until = until.filter(|until| (from..=fork.min(self.end)).contains(until));
        let end = until.unwrap_or(u64::MAX).min(fork).min(self.end).max(from);
        let ended = match end {
            end if until == Some(end) => StretchEnd::There,
            end if end == fork => StretchEnd::AtFork,
            _ => StretchEnd::Unmapped,
        };
        Stretch {
            instructions: end - from,
            end,
            ended,
        }
    }

    fn find(&self, pc: u64) -> InstructionLookup {
        match self.forks.get(&pc) {
            Some(fork) => InstructionLookup::Fork(*fork),
            None if pc < self.end => InstructionLookup::Plain { after: pc + 1 },
            None => InstructionLookup::Unmapped,
        }
    }

    fn after_slot(&self, pc: u64) -> SuccessorSet {
        let before = pc.checked_sub(1).and_then(|before| self.forks.get(&before));
        let before = before.filter(|fork| {
            matches!(
                fork.control.delay,
                DelaySlotRule::Slot | DelaySlotRule::UnlessNotTaken
            )
        });
        let mut after = SuccessorSet::default();
        before
            .and_then(|before| before.control.target.address())
            .into_iter()
            .for_each(|target| after.add(target));
        after.may_be_any = before.is_some_and(|before| before.control.target.address().is_none());
        after
    }
}

/// Builds a program from the address, flow, target, delay and recording of each fork.
fn toy(forks: &[(u64, FlowKind, Option<u64>, DelaySlotRule, DecisionPresence)]) -> Toy {
    let fork = |(pc, flow, target, delay, stated): &(
        u64,
        FlowKind,
        Option<u64>,
        DelaySlotRule,
        DecisionPresence,
    )| {
        let target = target.map_or(BranchTarget::Unsaid, BranchTarget::Address);
        let slot_bytes = u8::from(*delay != DelaySlotRule::None);
        let control = ControlFlowEffect {
            flow: *flow,
            target,
            delay: *delay,
        };
        (
            *pc,
            Fork {
                control,
                after: pc + 1,
                slot_bytes,
                stated: *stated,
            },
        )
    };
    Toy {
        end: 100,
        forks: forks.iter().map(fork).collect(),
    }
}

/// The path in words: `10..14 16 17s 18a gap`, with `?` after inferred and `!` after recorded
/// instructions.
#[derive(Default)]
struct PathWords(Vec<String>);

fn mark(origin: StepOrigin) -> &'static str {
    match origin {
        StepOrigin::Recorded => "!",
        StepOrigin::Reconstructed => "",
        StepOrigin::Inferred => "?",
    }
}

impl PathSink for PathWords {
    fn stretch(&mut self, stretch: PassedStretch) {
        let PassedStretch {
            first,
            instructions,
            origin,
        } = stretch;
        self.0
            .push(format!("{first}..{}{}", first + instructions, mark(origin)));
    }

    fn step(&mut self, step: PassedStep) {
        let slot = match step.slot {
            DelaySlot::None => "",
            DelaySlot::Executed => "s",
            DelaySlot::Annulled => "a",
        };
        self.0
            .push(format!("{}{slot}{}", step.pc, mark(step.origin)));
    }

    fn gap(&mut self, gap: Gap) {
        self.0.push(format!("gap({:?})", gap.reason));
    }
}

/// Walks from the entry 10 through decisions, each at an address, and on after the last one.
#[track_caller]
fn check(program: &Toy, decisions: &[(u64, Outcome)], expected: &str) {
    let mut walk = Walk::default();
    let mut words = PathWords::default();
    for (number, (at, outcome)) in decisions.iter().enumerate() {
        if number == 0 {
            walk.begin(program, Some(10), *at);
        }
        let InstructionLookup::Fork(fork) = program.find(*at) else {
            panic!("no fork at {at}")
        };
        walk.come_to(
            program,
            NextDecision {
                pc: *at,
                after: fork.after,
                slot: None,
            },
            &mut words,
        );
        walk.decide(
            &fork,
            Decision {
                outcome: *outcome,
                slot: None,
            },
            &mut words,
        );
    }
    walk.tail(program, &mut words);
    assert_eq!(words.0.join(" "), expected);
}

const SLOT: DelaySlotRule = DelaySlotRule::Slot;
const NONE: DelaySlotRule = DelaySlotRule::None;

#[test]
fn a_branch_is_taken_or_not() {
    let program = toy(&[
        (
            12,
            FlowKind::Branch,
            Some(20),
            NONE,
            DecisionPresence::Always,
        ),
        (
            22,
            FlowKind::Branch,
            Some(30),
            SLOT,
            DecisionPresence::Always,
        ),
        (
            33,
            FlowKind::Branch,
            Some(10),
            DelaySlotRule::UnlessNotTaken,
            DecisionPresence::Always,
        ),
    ]);
    let decisions = [
        (12, Outcome::Taken),
        (22, Outcome::Taken),
        (33, Outcome::NotTaken),
    ];
    check(
        &program,
        &decisions,
        "10..12 12! 20..22 22! 23s 30..33 33! 34a 35..100?",
    );
    let decisions = [
        (12, Outcome::NotTaken),
        (22, Outcome::NotTaken),
        (33, Outcome::Taken),
    ];
    check(
        &program,
        &decisions,
        "10..12 12! 13..22 22! 23s 24..33 33! 34s? 10..12?",
    );
}

#[test]
fn a_branch_in_a_delay_slot_lets_one_instruction_pass() {
    let program = toy(&[
        (
            12,
            FlowKind::Branch,
            Some(20),
            SLOT,
            DecisionPresence::Always,
        ),
        (
            13,
            FlowKind::Branch,
            Some(30),
            SLOT,
            DecisionPresence::Always,
        ),
        (
            33,
            FlowKind::Branch,
            Some(10),
            NONE,
            DecisionPresence::Always,
        ),
    ]);
    check(
        &program,
        &[
            (12, Outcome::Taken),
            (13, Outcome::Taken),
            (33, Outcome::NotTaken),
        ],
        "10..12 12! 13s! 20s 30..33 33! 34..100?",
    );
    // Without the first of the two decisions, the instruction in between is unknown.
    check(
        &program,
        &[(13, Outcome::Taken), (33, Outcome::Taken)],
        "13! gap(Lost) 30..33 33! 10..12?",
    );
}

#[test]
fn after_an_unknown_slot_nothing_is_certain_until_a_decision_bears_it_out() {
    let program = toy(&[
        (
            12,
            FlowKind::Branch,
            Some(20),
            SLOT,
            DecisionPresence::Always,
        ),
        (
            13,
            FlowKind::Branch,
            Some(30),
            SLOT,
            DecisionPresence::Always,
        ),
        (
            14,
            FlowKind::Branch,
            Some(50),
            SLOT,
            DecisionPresence::Always,
        ),
        (
            33,
            FlowKind::Branch,
            Some(10),
            NONE,
            DecisionPresence::Always,
        ),
    ]);
    // The branch at 14 was in the slot of the one at 13: 30 came after it.
    check(
        &program,
        &[(13, Outcome::Taken), (14, Outcome::Taken)],
        "13! 14s! 30s? 50..100?",
    );
    // The unknown instruction in the slot may have gone elsewhere.
    check(
        &program,
        &[(13, Outcome::Taken), (12, Outcome::NotTaken)],
        "13! gap(Lost) 30..33? gap(Lost) 12!",
    );
}

#[test]
fn what_is_missing_or_nowhere_is_a_gap() {
    let program = toy(&[
        (12, FlowKind::Branch, None, NONE, DecisionPresence::Always),
        (
            22,
            FlowKind::Branch,
            Some(30),
            NONE,
            DecisionPresence::Always,
        ),
        (
            42,
            FlowKind::Branch,
            Some(30),
            NONE,
            DecisionPresence::Always,
        ),
    ]);
    let decisions = [(12, Outcome::To(20)), (42, Outcome::NotTaken)];
    check(
        &program,
        &decisions,
        "10..12 12! 20..22? gap(Lost) 42! 43..100?",
    );
    check(
        &program,
        &[(12, Outcome::To(98)), (42, Outcome::Taken)],
        "10..12 12! 98..100? gap(Unmapped) 42! 30..42?",
    );
    check(&program, &[(42, Outcome::NotTaken)], "42! 43..100?");
}

#[test]
fn returns_that_nobody_records_go_to_after_their_calls() {
    let program = toy(&[
        (12, FlowKind::Call, Some(40), SLOT, DecisionPresence::Always),
        (
            16,
            FlowKind::Branch,
            Some(10),
            NONE,
            DecisionPresence::Always,
        ),
        (44, FlowKind::Return, None, SLOT, DecisionPresence::Perhaps),
    ]);
    check(
        &program,
        &[(12, Outcome::Taken), (16, Outcome::NotTaken)],
        "10..12 12! 13s 40..44 44 45s 14..16? 16! 17..44?",
    );
    // The target of the return is recorded here.
    let decisions = [
        (12, Outcome::Taken),
        (44, Outcome::To(14)),
        (16, Outcome::NotTaken),
    ];
    check(
        &program,
        &decisions,
        "10..12 12! 13s 40..44 44! 45s 14..16 16! 17..44?",
    );
    // A return whose target leads nowhere gets no guess.
    let decisions = [(12, Outcome::Taken), (12, Outcome::Taken)];
    check(
        &program,
        &decisions,
        "10..12 12! 13s 40..44 44 45s gap(Lost) 12! 13s? 40..44?",
    );
}

#[test]
fn a_return_that_nobody_records_may_end_several_calls() {
    let program = toy(&[
        (12, FlowKind::Call, Some(40), SLOT, DecisionPresence::Always),
        (
            16,
            FlowKind::Branch,
            Some(10),
            NONE,
            DecisionPresence::Always,
        ),
        (42, FlowKind::Call, Some(60), SLOT, DecisionPresence::Always),
        (
            46,
            FlowKind::Branch,
            Some(10),
            NONE,
            DecisionPresence::Always,
        ),
        (64, FlowKind::Return, None, SLOT, DecisionPresence::Perhaps),
    ]);
    // The function at 40 left through a tail call.
    check(
        &program,
        &[
            (12, Outcome::Taken),
            (42, Outcome::Taken),
            (16, Outcome::NotTaken),
        ],
        "10..12 12! 13s 40..42 42! 43s 60..64 64 65s 14..16? 16! 17..42?",
    );
    // No return address leads to the next decision: none is guessed.
    let decisions = [
        (12, Outcome::Taken),
        (42, Outcome::Taken),
        (12, Outcome::Taken),
    ];
    check(
        &program,
        &decisions,
        "10..12 12! 13s 40..42 42! 43s 60..64 64 65s gap(Lost) 12! 13s? 40..42?",
    );
}

#[test]
fn jumps_that_go_where_they_say_need_no_decision() {
    let program = toy(&[
        (12, FlowKind::Call, Some(40), NONE, DecisionPresence::Never),
        (
            16,
            FlowKind::Branch,
            Some(10),
            NONE,
            DecisionPresence::Always,
        ),
        (44, FlowKind::Return, None, NONE, DecisionPresence::Never),
        (
            50,
            FlowKind::Branch,
            Some(50),
            NONE,
            DecisionPresence::Never,
        ),
    ]);
    check(
        &program,
        &[(16, Outcome::Taken)],
        "10..12 12 40..44 44 13..16? 16! 10..12?",
    );
    // An infinite loop.
    let mut walk = Walk::default();
    walk.resume(&program, 50);
    assert_eq!(
        walk.advance(&program, 16, &mut PathWords::default()),
        Err(WalkStop::Undecided(50))
    );
}
