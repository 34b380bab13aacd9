//! Duration of queries about the whole trace.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use stepback_benches::Trace;
use stepback_benches::percentiles::{Times, milliseconds};
use stepback_benches::places::{ask, position};
use stepback_generator::Dice;
use stepback_index::query::{DifferenceBetween, FindText};
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_parsers::Position;

use super::sample::open;

/// Searches that find nothing, so that they read everything.
const PATTERNS: [(&str, &str); 2] = [("text", "no such text"), ("regex", r"r1[0-9] [a-f]{4}zz\b")];
const CANCELS: usize = 10;

/// Prints the speed of searches and the duration of differences.
pub fn report(trace: &Trace, path: &Path) -> Result<()> {
    let index = open(trace, path)?;
    let bytes = trace.path.metadata()?.len() as f64;
    for (name, pattern) in PATTERNS {
        let question = FindText {
            what: pattern.parse()?,
            thread: None,
            from: Position(0),
            limit: 10,
        };
        let start = Instant::now();
        ask(&index, question.clone())?;
        let speed = bytes / start.elapsed().as_secs_f64() / 1e9;
        let cancel = of_cancels(&question, &index)?;
        println!("search, {name:<16}{speed:6.2} GB/s wall, cancelled within {cancel} ms");
    }
    let (mut far, mut random, mut dice) = (Times::default(), Times::default(), Dice(3));
    for _ in 0..5 {
        far.measure(|| {
            ask(
                &index,
                DifferenceBetween {
                    from: Position(1),
                    to: index.end(),
                    thread: None,
                },
            )
        })?;
        let (from, to) = (position(&index, &mut dice), position(&index, &mut dice));
        random.measure(|| {
            ask(
                &index,
                DifferenceBetween {
                    from,
                    to,
                    thread: None,
                },
            )
        })?;
    }
    println!("difference, start to end, ms{}", far.summary());
    println!("difference, random, ms      {}", random.summary());
    Ok(())
}

/// Measures the longest time between a cancel and the end of a search.
fn of_cancels(question: &FindText, index: &stepback_index::Index) -> Result<String> {
    let mut times = Times::default();
    for _ in 0..CANCELS {
        let cancel = Cancel::default();
        std::thread::scope(|scope| {
            let search = scope.spawn(|| question.run(index, &cancel));
            std::thread::sleep(Duration::from_millis(5));
            times.measure(|| {
                cancel.cancel();
                matches!(search.join(), Ok(Err(QueryError::Cancelled)))
            });
        });
    }
    Ok(milliseconds(times.per_mille(1000)))
}
