//! Calls and stacks, compared with the emulator's.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use stepback_index::answer::{Call, CallId, FrameEntry, FrameExit};
use stepback_parsers::{Position, Step};

use super::{Golden, number};

/// A call: the kind of entry or exit, the calling, first and last steps, and the function.
type Edge = (&'static str, u64, u64, Option<u64>, String);

impl Golden<'_> {
    /// Compares all calls, regardless of how they were left.
    pub fn calls(&mut self, golden: &[Json]) {
        let expected: BTreeSet<Edge> = golden
            .iter()
            .filter_map(|record| self.expected_edge(record))
            .collect();
        let calls = self.index.plain_calls();
        let frames = (0..calls.len()).filter_map(|id| calls.get(CallId(id)));
        let is_call =
            |call: &Call| !matches!(call.entered, FrameEntry::Root | FrameEntry::Exception);
        let own = frames.filter(|call| call.thread == self.thread && is_call(call));
        let found: BTreeSet<Edge> = own.map(|call| found_edge(&call)).collect();
        let missing: Vec<_> = expected.difference(&found).take(5).collect();
        let extra: Vec<_> = found.difference(&expected).take(5).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{}: missing {missing:?}, extra {extra:?}",
            self.name
        );
        self.compared.calls += found.len() as u64;
    }

    /// Compares the tail calls. Apart from these, the frames they split are the calls.
    pub fn tails(&mut self, golden: &[Json]) {
        let (whole, calls) = (self.index.plain_calls(), self.index.calls());
        let frames = (0..calls.len()).filter_map(|id| calls.get(CallId(id)));
        let own: Vec<Call> = frames.filter(|call| call.thread == self.thread).collect();
        let tails = own.iter().filter(|call| call.entered == FrameEntry::Tail);
        let found: BTreeSet<_> = tails
            .map(|call| {
                (
                    call.call_step.unwrap().0,
                    call.depth.into(),
                    format!("{:x}", call.function.0),
                )
            })
            .collect();
        let expected: BTreeSet<_> = golden
            .iter()
            .filter(|record| record["kind"] == "tail")
            .map(|record| {
                let jump = self.step(number(&record["tail_idx"])).0;
                (
                    jump,
                    number(&record["depth"]),
                    record["to"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        assert_eq!(found, expected, "{}: tail calls", self.name);
        self.compared.tails += found.len() as u64;
        let mut joined: Vec<Call> = own
            .iter()
            .copied()
            .filter(|call| call.entered != FrameEntry::Tail)
            .collect();
        for call in &mut joined {
            while call.left == FrameExit::Tail {
                let next = own.iter().find(|next| {
                    next.entered == FrameEntry::Tail && next.call_step == call.exit_step
                });
                let next = next.unwrap();
                assert_eq!(
                    (next.depth, next.entry_step.unwrap().0),
                    (call.depth, call.exit_step.unwrap().0 + 1)
                );
                (call.exit_step, call.left) = (next.exit_step, next.left);
            }
        }
        let whole = (0..whole.len())
            .filter_map(|id| whole.get(CallId(id)))
            .filter(|call| call.thread == self.thread);
        let edges = |calls: Vec<Call>| -> Vec<_> {
            calls
                .iter()
                .map(|call| (call.call_step, call.exit_step, call.left, call.depth))
                .collect()
        };
        assert_eq!(
            edges(joined),
            edges(whole.collect()),
            "{}: frames without tail calls",
            self.name
        );
    }

    fn expected_edge(&self, record: &Json) -> Option<Edge> {
        let step = |name: &str| self.step(number(&record[name])).0;
        let how = match record["how"].as_str()? {
            "ret" => "return",
            "unwound" => "skipped",
            "longjmp" => "longjmp",
            "open" => "open",
            how => panic!("{}: a call left by {how}", self.name),
        };
        let call = step("call_idx");
        // The trace may end with the call.
        let entry = usize::try_from(number(&record["entry_idx"])).unwrap();
        let entry = self.steps.get(entry - 1).map_or(u64::MAX, |step| step.0);
        let exit = (how != "open").then(|| step("exit_idx"));
        Some((
            how,
            call,
            entry,
            exit,
            record["callee"].as_str()?.to_owned(),
        ))
    }

    /// Compares the frames on the stack at a position.
    pub fn stack(&mut self, position: Position, record: &Json) {
        let calls = self.index.plain_calls();
        let path = calls.path_at(self.thread, position);
        let context = format!("{}: stack at {}", self.name, position.0);
        assert_eq!(
            self.index.calls().path_at(self.thread, position).len(),
            path.len(),
            "{context}"
        );
        // After a trapped instruction the handler is on the stack already, if the trace shows a step
        // of it. The emulator adds it there only at the end of the trace.
        let is_handler = |id: &&CallId| {
            let call = calls.get(**id).unwrap();
            call.entered == FrameEntry::Exception
                && call.entry_step.map(Step::before) == Some(position)
        };
        let is_trapped = record["executed"] == false;
        let entered = usize::from(is_trapped && path.last().iter().any(is_handler));
        let path = &path[..path.len() - entered];
        let golden = record["stack"].as_array().unwrap();
        let is_new = |frame: &&Json| frame["trap"] == true && frame["call_idx"] == record["idx"];
        let added = usize::from(is_trapped && golden.first().iter().any(is_new));
        let depth = 1 + number(&record["depth"]) - added as u64;
        assert_eq!(path.len() as u64, depth, "{context}");
        let frames = path.iter().rev().filter_map(|id| calls.get(*id));
        for (frame, golden) in frames.zip(golden.iter().skip(added)) {
            if golden["trap"] != true {
                assert_eq!(
                    frame.call_step,
                    Some(self.step(number(&golden["call_idx"]))),
                    "{context}"
                );
            }
            assert_eq!(
                format!("{:x}", frame.function.0),
                golden["callee"].as_str().unwrap(),
                "{context}"
            );
            self.compared.frames += 1;
        }
    }
}

fn found_edge(call: &Call) -> Edge {
    let left = match call.left {
        FrameExit::Return => "return",
        FrameExit::Skipped => "skipped",
        FrameExit::Longjmp => "longjmp",
        FrameExit::Open => "open",
        FrameExit::Tail => "tail",
        FrameExit::Gap => "gap",
    };
    let entry = call.entry_step.map_or(u64::MAX, |step| step.0);
    (
        left,
        call.call_step.unwrap().0,
        entry,
        call.exit_step.map(|step| step.0),
        format!("{:x}", call.function.0),
    )
}
