//! The JSON answer of `stepback compare`.

use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_compare::{Forgiven, TraceSide};

use crate::cli::answer_forms::AnswerForms;
use crate::cli::compare_json_threads::{ComparePage, ThreadPairJson};
use crate::cli::compare_words::{distance_text, rule_text};
use crate::cli::compared_traces::ComparedTraces;
use crate::cli::json::{FunctionJson, hex};
use crate::cli::question::problems_text;
use crate::cli::report::Report;

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<CompareJson>()
}

/// The comparison of two traces. Steps are those of the two traces; an interval contains its start
/// and not its end.
#[derive(Serialize, JsonSchema)]
pub struct CompareJson {
    equal: bool,
    a: ComparedTraceJson,
    b: ComparedTraceJson,
    /// Address of code in B minus that in A; negative if B is lower. None if it did not move, or if
    /// its parts moved by different distances.
    slide: Option<String>,
    /// Parts of the code that moved.
    moved_code: Vec<MovedCodeJson>,
    /// Pairs of threads.
    thread_pairs: Vec<ThreadPairJson>,
    /// Threads without a partner.
    only_in_a: Vec<String>,
    only_in_b: Vec<String>,
    /// Differences that rules ignored.
    forgiven: Vec<ForgivenJson>,
    /// Functions with other numbers of calls or steps, by their addresses in A, those with the
    /// greatest difference of steps first. Empty if the traces are equal.
    function_differences: Vec<FunctionDifferenceJson>,
}

#[derive(Serialize, JsonSchema)]
struct FunctionDifferenceJson {
    #[serde(flatten)]
    function: FunctionJson,
    calls_in_a: u64,
    calls_in_b: u64,
    /// Steps without those of called functions.
    self_steps_in_a: u64,
    self_steps_in_b: u64,
}

#[derive(Serialize, JsonSchema)]
struct ComparedTraceJson {
    trace: String,
    steps: u64,
    /// Number of places of the trace that could not be read as its format says.
    problem_count: u64,
    /// The first of them.
    first_problem: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct MovedCodeJson {
    /// First instruction in B.
    address: String,
    /// Address after the last one.
    end: String,
    distance: String,
}

#[derive(Serialize, JsonSchema)]
struct ForgivenJson {
    rule: String,
    /// Number of differing values.
    forgiven_values: u64,
    /// Number of values that are computed from those alone; left out if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    forgiven_computed: Option<u64>,
    /// Number of steps without a partner.
    forgiven_steps: u64,
}

impl CompareJson {
    /// Describes a comparison.
    pub fn new(
        traces: &ComparedTraces<'_>,
        page: ComparePage,
        report: &Report<'_>,
    ) -> Result<Self> {
        let comparison = traces.comparison;
        let trace = |side| {
            let session = traces.session(side);
            ComparedTraceJson {
                trace: session.path.display().to_string(),
                steps: session.index.step_count(),
                problem_count: session.index.info().warning_count,
                first_problem: problems_text(session),
            }
        };
        let moved: Vec<_> = comparison.slides.moved().collect();
        let first = moved.first().map(|part| part.distance);
        let is_one = moved.iter().all(|part| Some(part.distance) == first);
        let mut thread_pairs = Vec::new();
        for threads in &comparison.compared {
            thread_pairs.push(ThreadPairJson::new(traces, threads, page, report)?);
        }
        let names = |side, threads: &[stepback_index::answer::ThreadId]| {
            let index = &traces.session(side).index;
            threads
                .iter()
                .map(|thread| index.thread_name(*thread).to_owned())
                .collect()
        };
        Ok(Self {
            equal: comparison.is_equal(),
            a: trace(TraceSide::A),
            b: trace(TraceSide::B),
            slide: first.filter(|_| is_one).map(distance_text),
            moved_code: moved
                .iter()
                .map(|part| MovedCodeJson {
                    address: hex(part.first),
                    end: hex(part.end),
                    distance: distance_text(part.distance),
                })
                .collect(),
            thread_pairs,
            only_in_a: names(TraceSide::A, &comparison.threads.only_in_a),
            only_in_b: names(TraceSide::B, &comparison.threads.only_in_b),
            forgiven: comparison.forgiven.iter().map(ForgivenJson::new).collect(),
            function_differences: traces
                .functions
                .iter()
                .map(|found| FunctionDifferenceJson {
                    function: FunctionJson::new(found.function, traces.a),
                    calls_in_a: found.in_a.calls,
                    calls_in_b: found.in_b.calls,
                    self_steps_in_a: found.in_a.self_steps,
                    self_steps_in_b: found.in_b.self_steps,
                })
                .collect(),
        })
    }
}

impl ForgivenJson {
    fn new(forgiven: &Forgiven) -> Self {
        Self {
            rule: rule_text(&forgiven.rule),
            forgiven_values: forgiven.values,
            forgiven_computed: (forgiven.computed > 0).then_some(forgiven.computed),
            forgiven_steps: forgiven.steps,
        }
    }
}
