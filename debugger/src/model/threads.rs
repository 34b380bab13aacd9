//! Threads of a trace as rows: their steps, times, cores and endings.

use std::collections::{HashMap, HashSet};

use stepback_index::answer::{ThreadId, ThreadInfo};
use stepback_index::query::NearestStepOf;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::Step;

use crate::analysis::fatal_ending::ThreadEnding;
use crate::analysis::schedule::{Schedule, ThreadLane, schedule};
use crate::analysis::step_places::step_record;
use crate::clock::TraceClock;
use crate::messages::say;
use crate::session::Session;

/// Thread with everything that a row shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRow {
    pub thread: ThreadId,
    /// Name in the trace.
    pub name: String,
    /// Process, if the trace records it.
    pub process: Option<String>,
    /// Represents cores that have nothing to run.
    pub is_idle: bool,
    /// Number of executed steps.
    pub steps: u64,
    /// First and last step.
    pub life: Option<(Step, Step)>,
    /// First and last time that markers or its steps state. None in a trace without such markers.
    pub times: Option<(u64, u64)>,
    /// Unit of these times.
    pub clock: TraceClock,
    /// Cores that it ran on.
    pub cores: Vec<u64>,
    pub ending: ThreadEnding,
}

/// Threads of a trace and the schedule.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    /// One row per thread, in order of appearance.
    pub rows: Vec<ThreadRow>,
    /// One lane per thread and per core.
    pub schedule: Schedule,
}

/// Examines all threads of a trace. Runs on a worker.
///
/// # Errors
/// See [`QueryError`].
pub fn threads_of(session: &Session, cancel: &Cancel) -> anyhow::Result<Threads> {
    let schedule = schedule(&session.index, cancel)?;
    Ok(Threads {
        rows: thread_rows(session, &schedule, cancel)?,
        schedule,
    })
}

impl Threads {
    /// Returns the first and the last time of the steps and of the threads, which may have times
    /// before and after their steps.
    pub fn time_range(&self, index: &Index) -> Option<(u64, u64)> {
        let of_threads = self.rows.iter().filter_map(|row| row.times);
        of_threads
            .chain(index.info().time_range)
            .reduce(|(first, last), (from, to)| (first.min(from), last.max(to)))
    }
}

fn thread_rows(
    session: &Session,
    schedule: &Schedule,
    cancel: &Cancel,
) -> Result<Vec<ThreadRow>, QueryError> {
    // A map by name, because there may be thousands. Of two threads with one name the first counts.
    let all_known = session.index.source().known_threads();
    let known_threads: HashMap<_, _> = all_known
        .iter()
        .rev()
        .map(|known| (&known.name, known))
        .collect();
    let mut rows = Vec::new();
    for (number, info) in (0u16..).zip(session.index.threads()) {
        let known = known_threads.get(&info.name);
        let lane = schedule.threads.get(usize::from(number));
        let life = life(session, ThreadId(number), info, cancel)?;
        // Its steps may have times before and after those of the markers.
        let with_steps = |span| {
            let steps = life.into_iter().flat_map(|(first, last)| [first, last]);
            let mut times = steps.map(|step| SlotReader(&session.index).time_of(step));
            times.try_fold(span, |(first, last): (u64, u64), time| {
                Ok::<_, QueryError>(match time? {
                    Some(time) => (first.min(time), last.max(time)),
                    None => (first, last),
                })
            })
        };
        let span = lane.and_then(ThreadLane::span);
        let times = span.map(with_steps).transpose()?;
        rows.push(ThreadRow {
            thread: ThreadId(number),
            name: info.name.clone(),
            process: known.and_then(|known| known.process.clone()),
            is_idle: known.is_some_and(|known| known.is_idle),
            steps: info.steps,
            life,
            times,
            clock: TraceClock::of(&session.index),
            cores: lane
                .map(|lane| lane.cores.iter().copied().collect())
                .unwrap_or_default(),
            ending: ThreadEnding::Open,
        });
    }
    let ending = |row: &ThreadRow| {
        let lane = schedule.threads.get(usize::from(row.thread.0));
        let last_step = row.life.map(|(_, last)| last);
        ThreadEnding::of(row.thread, last_step, lane, &session.index)
    };
    let endings: Vec<ThreadEnding> = rows.iter().map(ending).collect();
    let left: HashSet<Option<String>> = rows
        .iter()
        .zip(&endings)
        .filter(|(_, end)| **end == ThreadEnding::ExitGroup)
        .map(|(row, _)| row.process.clone())
        .collect();
    for (row, ending) in rows.iter_mut().zip(endings) {
        let is_open = matches!(ending, ThreadEnding::Killed | ThreadEnding::Ended);
        row.ending = if is_open && left.contains(&row.process) {
            ThreadEnding::WithProcess
        } else {
            ending
        };
    }
    Ok(rows)
}

fn life(
    session: &Session,
    thread: ThreadId,
    info: &ThreadInfo,
    cancel: &Cancel,
) -> Result<Option<(Step, Step)>, QueryError> {
    let last = NearestStepOf::last(thread, session.index.end()).run(&session.index, cancel)?;
    Ok(info.first_step.zip(last))
}

impl ThreadRow {
    /// Returns the first and the last time. In a format without times of threads, these are the
    /// times of its first and last step.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn known_times(
        &self,
        index: &Index,
        cancel: &Cancel,
    ) -> Result<[Option<u64>; 2], QueryError> {
        if let Some((first, last)) = self.times {
            return Ok([Some(first), Some(last)]);
        }
        let time = |step| -> Result<Option<u64>, QueryError> {
            Ok(step_record(step, index, cancel)?.and_then(|record| record.time))
        };
        match self.life {
            Some((first, last)) => Ok([time(first)?, time(last)?]),
            None => Ok([None, None]),
        }
    }

    /// Returns the time between the first and the last recorded time.
    pub fn lasted(&self) -> Option<u64> {
        self.times.map(|(first, last)| last.saturating_sub(first))
    }

    /// Formats this time.
    pub fn lasted_text(&self) -> Option<String> {
        self.lasted().map(|span| self.clock.span_text(span))
    }

    /// Formats the cores as ranges: `0-3, 7`.
    pub fn cores_text(&self) -> String {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for core in &self.cores {
            match ranges.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(*core) => *last = *core,
                _ => ranges.push((*core, *core)),
            }
        }
        let text = |(first, last): &(u64, u64)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        ranges.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    /// Formats the row as copied text.
    pub fn line(&self) -> String {
        let mut parts = vec![say!("threads-name", name = &*self.name)];
        parts.extend(
            self.process
                .as_ref()
                .map(|process| say!("threads-process-of", process = process.to_string())),
        );
        parts.push(say!("threads-steps-of", count = self.steps));
        let (first, last) = self
            .life
            .map_or((None, None), |(first, last)| (Some(first), Some(last)));
        parts.extend(
            first
                .zip(last)
                .map(|(first, last)| say!("threads-to", first = first.0, last = last.0)),
        );
        parts.extend(self.lasted_text());
        if !self.cores.is_empty() {
            parts.push(say!("threads-cores-of", cores = self.cores_text()));
        }
        parts.push(ending_words(self.ending).to_owned());
        parts.retain(|part| !part.is_empty());
        parts.join(" · ")
    }
}

/// Names an ending for a column.
pub fn ending_words(ending: ThreadEnding) -> &'static str {
    match ending {
        ThreadEnding::Open => "",
        ThreadEnding::Exit => "exit",
        ThreadEnding::ExitGroup => "exit_group",
        ThreadEnding::WithProcess => say!("threads-with-the-process"),
        ThreadEnding::Ended => say!("threads-ended"),
        ThreadEnding::Killed => say!("threads-killed-or-cut-off"),
    }
}

/// Explains an ending.
pub fn ending_explained(ending: ThreadEnding) -> &'static str {
    match ending {
        ThreadEnding::Open => say!("threads-the-trace-does-not-say"),
        ThreadEnding::Exit => say!("threads-its-last-step-is-the"),
        ThreadEnding::ExitGroup => say!("threads-its-last-step-is-the-system"),
        ThreadEnding::WithProcess => say!("threads-another-thread-ended-the-process"),
        ThreadEnding::Ended => say!("threads-it-ended-the-trace-has"),
        ThreadEnding::Killed => say!("threads-guessed-it-ended-without-an"),
    }
}

#[cfg(test)]
mod tests {
    use stepback_generator::drmemtrace::{Container, SampleFile, TraceRecipe, TraceWriter, marker};

    use super::*;
    use crate::session::test_session::{overflow, recorded};

    /// A time in microseconds since 1601.
    const START: u64 = 13_400_000_000_000_000;

    fn lines(session: &Session) -> Vec<String> {
        let rows = threads_of(session, &Cancel::default())
            .expect("threads")
            .rows;
        rows.iter().map(ThreadRow::line).collect()
    }

    /// Builds the file of a thread that runs for some steps and then makes a system call.
    fn file(tid: u64, cpu: u64, (steps, call): (u64, Option<u64>)) -> SampleFile {
        let mut writer = TraceWriter::new(TraceRecipe {
            tid,
            pid: 1,
            ..TraceRecipe::default()
        });
        writer.time(START + tid, cpu);
        (0..steps).for_each(|number| writer.instruction(0x1000 + number, &[0x90]));
        writer.time(START + 1000, cpu + 1);
        call.into_iter()
            .for_each(|number| writer.marker(marker::SYSTEM_CALL, number));
        let records = writer.finish();
        let (bytes, truth) = (records.pack(Container::Plain), records.truth);
        SampleFile {
            name: format!("drmemtrace.app.{tid}.0001.trace"),
            bytes,
            truth,
        }
    }

    #[test]
    fn a_row_tells_where_a_thread_ran_and_how_it_ended() {
        let (session, _place) = recorded(&[file(1, 0, (3, Some(60))), file(2, 4, (5, Some(39)))]);
        let rows = lines(&session);
        assert_eq!(
            rows[0],
            "thread 1 · process 1 · 3 steps · 0 to 2 · 999 µs · cores 0-1 · exit"
        );
        assert_eq!(
            rows[1],
            "thread 2 · process 1 · 5 steps · 3 to 7 · 998 µs · cores 4-5 · killed or cut off"
        );
    }

    #[test]
    fn how_a_thread_without_system_calls_ended_is_not_guessed() {
        let (session, _place) = recorded(&[file(1, 0, (3, None))]);
        assert!(lines(&session)[0].ends_with("cores 0-1 · ended"));
    }

    #[test]
    fn a_process_that_ends_takes_its_threads_with_it() {
        let (session, _place) = recorded(&[file(1, 0, (3, Some(231))), file(2, 0, (5, None))]);
        let rows = lines(&session);
        assert!(
            rows[0].ends_with("exit_group") && rows[1].ends_with("with the process"),
            "{rows:?}"
        );
    }

    #[test]
    fn a_tarmac_trace_has_its_cpus() {
        assert_eq!(
            lines(&overflow()),
            ["thread cpu0 · 1,763 steps · 0 to 1,762"]
        );
    }
}
