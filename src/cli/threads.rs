//! `stepback threads`: the activity of each thread and how it ended. `stepback tasks`: the tasks
//! that an operating system schedules, and the time that each ran.

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::tasks::{Task, has_os_threads, running_task, tasks};
use stepback_debugger::model::threads::{ThreadRow, threads_of};

use crate::cli::error::CommandError;
use crate::cli::json::{FunctionJson, ThreadRangeJson, Time, value_hex};
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::report::Report;
use crate::cli::text::{FunctionNames, NameOptions, counted, grouped, printable};

/// A thread, also used by `info`.
#[derive(Serialize, JsonSchema)]
pub struct ThreadJson {
    id: String,
    steps: u64,
    process: Option<String>,
    first_step: Option<u64>,
    last_step: Option<u64>,
    first_time: Option<Time>,
    last_time: Option<Time>,
    cpus: Vec<u64>,
    /// `ended`, `exit`, `exit_group`, `with_process`, `killed`. None if the trace records no end.
    end: Option<&'static str>,
    /// True for a core that has nothing to run.
    idle: bool,
}

impl ThreadJson {
    /// Describes a thread.
    pub fn new(row: &ThreadRow, report: &Report<'_>) -> Result<Self> {
        let (first, last) = row.life.unzip();
        let [first_time, last_time] = row.known_times(&report.session.index, &report.cancel)?;
        Ok(Self {
            id: row.name.clone(),
            steps: row.steps,
            process: row.process.clone(),
            first_step: first.map(|step| step.0),
            last_step: last.map(|step| step.0),
            first_time: first_time.map(Time),
            last_time: last_time.map(Time),
            cpus: row.cores.clone(),
            end: row.ending.word(),
            idle: row.is_idle,
        })
    }
}

/// Returns the forms of the JSON output of `threads`.
pub fn thread_forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<ThreadJson>().by_line()
}

/// Returns the forms of the JSON output of `tasks`.
pub fn task_forms(forms: AnswerForms) -> AnswerForms {
    forms
        .or::<TaskJson<'_>>()
        .or::<ThreadRangeJson<'_>>()
        .by_line()
}

/// Prints one thread per line, in order of appearance.
pub fn threads_answer(report: &mut Report<'_>) -> Result<()> {
    let rows = threads_of(report.session, &report.cancel)?.rows;
    rows.iter().try_for_each(|row| match report.is_json {
        true => report.json(&ThreadJson::new(row, report)?),
        false => report.text(&format!("{}\n", printable(&row.line()))),
    })
}

/// Help text below the options.
pub const HELP: &str = "\
A task is one of several stacks that a thread of the trace switches between. A switch is detected
where an exception returns with another stack pointer, or where code sets the stack pointer and
returns. Steps of exception handlers are counted separately, for the task that they interrupt.
In a trace of the threads of an operating system, these are the tasks: use threads instead.
If an image has a pointer to the running task (pxCurrentTCB, _tx_thread_current_ptr, OSTCBCur,
OSTCBCurPtr), its value identifies the control block.";

#[derive(Debug, Args)]
pub struct TasksArguments {
    /// List every run of every task in order, instead of one line per task.
    #[arg(long)]
    pub runs: bool,
    #[command(flatten)]
    pub common: TraceArguments,
}

impl Command for TasksArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| tasks_answer(self, report))
    }
}

#[derive(Serialize, JsonSchema)]
struct TaskJson<'a> {
    thread: &'a str,
    task: u32,
    /// Function of the task's outermost known frame.
    function: FunctionJson,
    /// Value of `pxCurrentTCB` or a similar variable where the task first runs.
    control_block: Option<String>,
    runs: usize,
    /// Position where the first run begins.
    first_from: Option<u64>,
    last_to: Option<u64>,
    steps: u64,
    handler_steps: u64,
    time: Option<Time>,
    calls: u64,
}

/// Prints a line for each task, or for each run.
fn tasks_answer(arguments: &TasksArguments, report: &mut Report<'_>) -> Result<()> {
    if has_os_threads(&report.session.index) {
        bail!(CommandError::Usage(
            "the tasks of this trace are its threads: use threads, which lists their steps, times and CPUs".to_owned()
        ));
    }
    let tasks = tasks(
        &report.session.index,
        running_task(&report.session.images),
        &report.cancel,
    )?;
    match arguments.runs {
        true => print_runs(&tasks, report),
        false => tasks.iter().try_for_each(|task| print_task(task, report)),
    }
}

fn print_task(task: &Task, report: &mut Report<'_>) -> Result<()> {
    let thread = report.session.index.thread_name(task.thread);
    if report.is_json {
        return report.json(&TaskJson {
            thread,
            task: task.number,
            function: FunctionJson::new(task.function, report.session),
            control_block: task
                .control_block
                .as_ref()
                .and_then(|known| value_hex(&known.value)),
            runs: task.runs.len(),
            first_from: task.runs.first().map(|run| run.start.0),
            last_to: task.runs.last().map(|run| run.end.0),
            steps: task.steps,
            handler_steps: task.handler_steps,
            time: task.time.map(Time),
            calls: task.calls,
        });
    }
    let names = FunctionNames::new(&report.session.images, NameOptions::default());
    let (name, runs) = (
        names.name_or_address(task.function),
        counted(task.runs.len() as u64, "run"),
    );
    let block = task
        .control_block
        .as_ref()
        .and_then(|known| value_hex(&known.value));
    let block = block.map_or_else(String::new, |block| format!(" (control block {block})"));
    let time = task
        .time
        .map_or_else(String::new, |time| format!(", time {}", grouped(time)));
    let text = format!(
        "{thread} task {} {name}{block}: {runs}, {}, {} in handlers{time}, {}",
        task.number,
        counted(task.steps, "step"),
        counted(task.handler_steps, "step"),
        counted(task.calls, "call"),
    );
    report.text(&format!("{}\n", printable(&text)))
}

fn print_runs(tasks: &[Task], report: &mut Report<'_>) -> Result<()> {
    let mut runs: Vec<_> = tasks
        .iter()
        .flat_map(|task| task.runs.iter().map(move |run| (run, task)))
        .collect();
    runs.sort_by_key(|(run, task)| (run.start, task.thread));
    for (
        run,
        Task {
            thread,
            number: task,
            ..
        },
    ) in runs
    {
        let (thread, task, from, to) = (
            report.session.index.thread_name(*thread),
            *task,
            run.start.0,
            run.end.0,
        );
        match report.is_json {
            true => report.json(&ThreadRangeJson {
                thread,
                task: Some(task),
                from,
                to,
            })?,
            false => report.text(&format!(
                "{} {} {thread} task {task}\n",
                grouped(from),
                grouped(to)
            ))?,
        }
    }
    Ok(())
}
