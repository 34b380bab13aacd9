//! Damaged copies of real traces: the parser never panics, and only the damaged parts are lost.

use std::ops::Range;

use crate::tarmac::source::TarmacOptions;
use crate::tarmac::tests::support::{Recorder, fixtures, open, parse};

/// Deterministic random numbers.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// A part of a trace and the text that replaces it.
struct Damage {
    range: Range<usize>,
    instead: Vec<u8>,
}

impl Damage {
    fn bit(text: &[u8], dice: &mut Dice) -> Self {
        let at = dice.throw(text.len());
        Self {
            range: at..at + 1,
            instead: vec![text[at] ^ 1 << dice.throw(8)],
        }
    }

    fn cut(text: &[u8], dice: &mut Dice) -> Self {
        let at = dice.throw(text.len());
        let end = text.len().min(at + 1 + dice.throw(200));
        Self {
            range: at..end,
            instead: Vec::new(),
        }
    }

    fn line_twice(text: &[u8], dice: &mut Dice) -> Self {
        let range = lines_around(text, dice, 1);
        Self {
            instead: text[range.clone()].repeat(2),
            range,
        }
    }

    fn shuffled(text: &[u8], dice: &mut Dice) -> Self {
        let range = lines_around(text, dice, 8);
        let mut lines: Vec<_> = text[range.clone()]
            .split_inclusive(|byte| *byte == b'\n')
            .collect();
        for place in (1..lines.len()).rev() {
            lines.swap(place, dice.throw(place + 1));
        }
        Self {
            instead: lines.concat(),
            range,
        }
    }

    fn apply(&self, text: &[u8]) -> Vec<u8> {
        [
            &text[..self.range.start],
            &self.instead,
            &text[self.range.end..],
        ]
        .concat()
    }
}

/// Returns the range of `count` whole lines from a random one on.
fn lines_around(text: &[u8], dice: &mut Dice, count: usize) -> Range<usize> {
    let at = dice.throw(text.len() / 2);
    let start = text[..at]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let lines: usize = text[start..]
        .split_inclusive(|byte| *byte == b'\n')
        .take(count)
        .map(<[u8]>::len)
        .sum();
    start..start + lines
}

fn line_of(text: &[u8], at: usize) -> u64 {
    text[..at].iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Returns the events before and after the damage as text. Leaves out problems that are reported
/// once, and how far a chunk begins before its instruction.
fn apart(recorder: &Recorder, zone: &Range<u64>) -> [Vec<String>; 2] {
    let text = |text: &str| match text.split_once(" early ") {
        Some((start, rest)) => format!("{start} {}", rest.split_once(' ').unwrap().1),
        None => text.to_owned(),
    };
    let is_complaint =
        |text: &str| text.contains("unknown Tarmac event type") || text.contains("unknown unit");
    let events = || {
        recorder
            .events
            .iter()
            .filter(|event| !is_complaint(&event.text))
    };
    [
        events()
            .filter(|event| event.line < zone.start)
            .map(|event| text(&event.text))
            .collect(),
        events()
            .filter(|event| event.line >= zone.end)
            .map(|event| text(&event.text))
            .collect(),
    ]
}

/// Returns the zone that damage may affect. An instruction decides the meaning of the lines after
/// it, so the zone extends from the instruction before the damage to the one after it.
fn zone(steps: &[u64], damaged: Range<u64>, lines: u64) -> Range<u64> {
    let start = steps
        .partition_point(|line| *line < damaged.start)
        .checked_sub(1)
        .map_or(0, |place| steps[place]);
    let end = steps
        .get(steps.partition_point(|line| *line <= damaged.end))
        .copied()
        .unwrap_or(lines);
    start..end
}

fn check(how: fn(&[u8], &mut Dice) -> Damage) {
    for (number, (name, text)) in fixtures().into_iter().enumerate() {
        let options = TarmacOptions::default;
        let (whole, parsed) = parse(&open(&text, options()), 0..text.len() as u64);
        let steps: Vec<u64> = whole
            .events
            .iter()
            .filter(|event| event.text.contains("step "))
            .map(|event| event.line)
            .collect();
        let mut dice = Dice(number as u64);
        for _ in 0..60 {
            let damage = how(&text, &mut dice);
            let damaged = damage.apply(&text);
            let (first, last) = (
                line_of(&text, damage.range.start),
                line_of(&text, damage.range.end),
            );
            let old = zone(&steps, first..last, parsed.lines);
            let (found, found_parsed) = parse(&open(&damaged, options()), 0..damaged.len() as u64);
            let new = old.start..old.end + found_parsed.lines - parsed.lines;
            let [before, after] = apart(&whole, &old);
            let [found_before, found_after] = apart(&found, &new);
            let place = || {
                format!(
                    "{name}: {:?} for bytes {:?}",
                    String::from_utf8_lossy(&damage.instead),
                    damage.range
                )
            };
            assert!(found_before == before, "before {}", place());
            assert!(found_after == after, "behind {}", place());
        }
    }
}

#[test]
fn a_flipped_bit_costs_its_line() {
    check(Damage::bit);
}

#[test]
fn a_cut_costs_the_lines_at_its_ends() {
    check(Damage::cut);
}

#[test]
fn a_line_that_is_there_twice_costs_nothing() {
    check(Damage::line_twice);
}

#[test]
fn shuffled_lines_cost_nothing_after_them() {
    check(Damage::shuffled);
}
