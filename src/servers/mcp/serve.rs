//! The server ([`serve`]): a thread reads messages and answers all but calls of tools, a thread
//! opens the trace, and a worker answers the calls in their order.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Map, Value as Json, json};
use stepback_index::build::BuildProgress;

use super::catalog::{self, Tool};
use super::cursor::AnswerKey;
use super::failure::{ErrorKind, ToolError};
use super::message::{
    ID_LIMIT_BYTES, INVALID_PARAMS, LINE_LIMIT_BYTES, LineReader, METHOD_NOT_FOUND, Message,
    Refusal, Request, RequestId, parse,
};
use super::opened::OpeningTrace;
use super::other_trace::OtherTrace;
use super::output::Output;
use super::page::ToolCall;
use super::tool_arguments::ToolArguments;
use super::tool_result::tool_result;
use crate::cli::mcp::McpArguments;
use crate::cli::options::ReportOptions;
use crate::cli::progress;
use crate::cli::question::TraceArguments;
use crate::servers::pending::{PendingWork, WaitingRequest, WaitingRequests, WorkControl};

/// Versions of the protocol, newest first.
const VERSIONS: [&str; 3] = ["2025-11-25", "2025-06-18", "2024-11-05"];
/// Time after which a query is stopped.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// Maximum time that the server waits for the trace after the end of its input.
const OPENING_TIME: Duration = Duration::from_secs(2);
/// Interval between notifications of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// For the client's model, at the start.
const INSTRUCTIONS: &str = "\
Answers questions about a recorded instruction trace; nothing is executed again. Position n is the \
moment after n steps: before step n, after step n-1. Any position in an answer can be passed on. \
Begin with overview: how the trace ends and which cell is to blame. Then why on that cell: each row \
is a step that the value comes from. find and values locate accesses of a register or of memory \
(ADDR:LEN), state shows registers, memory and the stack, list shows steps with their effects, calls \
the functions, and compare the first difference to a second trace. Ask narrow questions; follow \
next_cursor only if needed.";

/// Answers requests on standard input until it ends.
///
/// # Errors
/// The trace cannot be opened, or the input cannot be read.
pub fn serve(arguments: &McpArguments) -> Result<()> {
    if arguments.options.only_index {
        return progress::open(&arguments.open_options(), &ReportOptions::default()).map(drop);
    }
    let server = Arc::new(Server::new(arguments));
    let (sender, works) = channel();
    let (opener, opened) = (Arc::clone(&server), sender.clone());
    let options = arguments.open_options();
    let is_part_wanted = arguments.options.so_far;
    thread::spawn(move || {
        let opened_trace = match is_part_wanted {
            true => opener
                .trace
                .finish(progress::open_so_far(&options, &opener.common.report)),
            false => opener.trace.open(&options),
        };
        if let Err(error) = opened_trace {
            // The worker has ended if nobody receives this.
            drop(opened.send(Work::Failure(error)));
        }
    });
    let reader = Arc::clone(&server);
    thread::spawn(move || reader.read(&sender));
    server.work(&works)
}

/// Work for the worker.
enum Work {
    Call(Box<PendingCall>, WaitingRequest),
    /// The input has ended, or could not be read.
    End(io::Result<()>),
    /// The trace could not be opened.
    Failure(anyhow::Error),
}

/// A call of a tool that waits.
struct PendingCall {
    id: RequestId,
    tool: &'static Tool,
    arguments: Map<String, Json>,
    /// For notifications of progress, if the client wants them.
    progress_token: Option<Json>,
    control: WorkControl,
}

struct Server {
    common: TraceArguments,
    trace: OpeningTrace,
    other: OtherTrace,
    output: Output,
    pending: PendingWork<RequestId>,
    waiting: Arc<WaitingRequests>,
}

impl Server {
    fn new(arguments: &McpArguments) -> Self {
        Self {
            common: arguments.trace_arguments(),
            trace: OpeningTrace::default(),
            other: OtherTrace::new(arguments.other_options(), arguments.rules.clone()),
            output: Output::new(),
            pending: PendingWork::default(),
            waiting: Arc::default(),
        }
    }

    /// Reads messages until the input ends or the client goes away.
    fn read(&self, works: &Sender<Work>) {
        let mut lines = LineReader::new(io::stdin().lock(), LINE_LIMIT_BYTES);
        let ended = loop {
            let read = match lines.next_line() {
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
                Ok(Some(line)) => match parse(&line) {
                    Ok(None | Some(Message::Response)) => Ok(()),
                    Ok(Some(Message::Notification { method, params })) => {
                        self.notified(&method, &params);
                        Ok(())
                    }
                    Ok(Some(Message::Request(request))) => {
                        self.requested(request, line.len_bytes(), works)
                    }
                    Err(refusal) => self.output.refusal(&refusal),
                },
            };
            // Nobody reads the answers any more.
            if read.is_err() {
                break Ok(());
            }
        };
        drop(works.send(Work::End(ended)));
    }

    fn notified(&self, method: &str, params: &Map<String, Json>) {
        if method == "notifications/cancelled"
            && let Some(id) = params.get("requestId").and_then(RequestId::new)
        {
            self.pending.withdraw(&id);
        }
    }

    fn requested(
        &self,
        request: Request,
        len_bytes: usize,
        works: &Sender<Work>,
    ) -> io::Result<()> {
        let Request { id, method, params } = request;
        match method.as_str() {
            "initialize" => self.output.result(&id, &self.introduction(&params)),
            "ping" => self.output.result(&id, &json!({})),
            "tools/list" => self.output.result(&id, &catalog::list()),
            "tools/call" => match self.call(&id, params) {
                // The worker has ended with an error if nobody receives the call.
                Ok(call) => works
                    .send(Work::Call(Box::new(call), self.waiting.add(len_bytes)))
                    .map_err(|_| io::ErrorKind::BrokenPipe.into()),
                Err(message) => self.refuse(id, INVALID_PARAMS, message),
            },
            _ => self.refuse(id, METHOD_NOT_FOUND, "there is no such method"),
        }
    }

    fn refuse(&self, id: RequestId, code: i64, message: &'static str) -> io::Result<()> {
        self.output.refusal(&Refusal {
            id: Some(id),
            code,
            message,
        })
    }

    /// Returns the result of `initialize`: the newest version that is not newer than the client's.
    fn introduction(&self, params: &Map<String, Json>) -> Json {
        let wanted = params.get("protocolVersion").and_then(Json::as_str);
        let [newest, .., oldest] = VERSIONS;
        let version = match wanted.filter(|wanted| is_version(wanted)) {
            None => newest,
            Some(wanted) => VERSIONS
                .into_iter()
                .find(|version| *version <= wanted)
                .unwrap_or(oldest),
        };
        json!({
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {
                "name": "stepback",
                "title": "Stepback",
                "version": env!("CARGO_PKG_VERSION"),
            },
            "instructions": INSTRUCTIONS,
        })
    }

    /// Reads a call of a tool.
    ///
    /// # Errors
    /// The tool or the form of its arguments is wrong.
    fn call(
        &self,
        id: &RequestId,
        mut params: Map<String, Json>,
    ) -> Result<PendingCall, &'static str> {
        let name = params.get("name").and_then(Json::as_str);
        let tool = name
            .and_then(catalog::tool)
            .ok_or("there is no such tool: tools/list names them")?;
        let arguments = match params.remove("arguments") {
            None | Some(Json::Null) => Map::new(),
            Some(Json::Object(arguments)) => arguments,
            Some(_) => return Err("\"arguments\" must be an object"),
        };
        let progress_token = params.remove("_meta").and_then(|meta| {
            let token = meta.get("progressToken")?;
            let is_short = |text: &str| text.len() <= ID_LIMIT_BYTES;
            let is_token = token.as_str().is_some_and(is_short) || token.is_number();
            is_token.then(|| token.clone())
        });
        Ok(PendingCall {
            id: id.clone(),
            tool,
            arguments,
            progress_token,
            control: self.pending.begin(id.clone()),
        })
    }

    /// Answers calls until there are no more.
    fn work(&self, works: &Receiver<Work>) -> Result<()> {
        while let Ok(work) = works.recv() {
            match work {
                Work::Call(call, _waiting) => {
                    let answered = self.answer(&call);
                    self.pending.end(&call.control);
                    // Nobody reads the answers any more.
                    if answered.is_err() {
                        break;
                    }
                }
                Work::End(ended) => {
                    self.wait_for_opening(works)?;
                    return Ok(ended?);
                }
                Work::Failure(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits a moment for the trace, whose opening may still fail although no more requests come.
    fn wait_for_opening(&self, works: &Receiver<Work>) -> Result<()> {
        match self.trace.has_part() {
            true => Ok(()),
            // The channel closes as soon as the trace is open.
            false => match works.recv_timeout(OPENING_TIME) {
                Ok(Work::Failure(error)) => Err(error),
                _ => Ok(()),
            },
        }
    }

    /// Answers a call, unless the client has withdrawn it.
    fn answer(&self, call: &PendingCall) -> io::Result<()> {
        if call.control.is_withdrawn() {
            return Ok(());
        }
        let found = catch_unwind(AssertUnwindSafe(|| self.found(call)));
        let found = found.unwrap_or_else(|_| {
            Err(ToolError::of_kind(
                ErrorKind::Internal,
                "the query failed; this is a defect of stepback",
            ))
        });
        if call.control.is_withdrawn() {
            return Ok(());
        }
        let result = tool_result(found);
        self.output.result(&call.id, &result)
    }

    fn found(&self, call: &PendingCall) -> Result<Json, ToolError> {
        let properties = call.tool.properties();
        let arguments = ToolArguments::new(&call.arguments, &properties)?;
        let session = self.trace.session()?;
        let progress = BuildProgress::default();
        let identity = format!(
            "{} {}",
            session.index.info().trace_bytes,
            session.index.info().format
        );
        let tool_call = ToolCall {
            session: &session,
            common: &self.common,
            other: &self.other,
            arguments,
            control: &call.control,
            progress: &progress,
            key: AnswerKey::new(call.tool.name, &call.arguments, &identity),
        };
        thread::scope(|scope| {
            let (done, is_done) = channel::<()>();
            let progress = &progress;
            scope.spawn(move || self.watch(call, progress, &is_done));
            let answer = (call.tool.run)(&tool_call);
            drop(done);
            answer
        })
    }

    /// Reports the progress of a call, and stops it when its time is over.
    fn watch(&self, call: &PendingCall, progress: &BuildProgress, is_done: &Receiver<()>) {
        let began = Instant::now();
        let mut reported = 0;
        while is_done.recv_timeout(PROGRESS_INTERVAL) == Err(RecvTimeoutError::Timeout) {
            if began.elapsed() > TIME_LIMIT {
                return call.control.cancel.cancel();
            }
            let total = progress.bytes_total.load(Ordering::Relaxed);
            let now = match total {
                // The extent of the work is unknown.
                0 => began.elapsed().as_secs(),
                _ => progress.bytes_done.load(Ordering::Relaxed),
            };
            let Some(token) = call.progress_token.as_ref().filter(|_| now > reported) else {
                continue;
            };
            reported = now;
            let mut params = json!({"progressToken": token, "progress": now});
            if let Some(fields) = params.as_object_mut().filter(|_| total > 0) {
                fields.insert("total".to_owned(), total.into());
            }
            // If the client has gone, the answer cannot be sent either.
            drop(self.output.notification("notifications/progress", &params));
        }
    }
}

/// Returns true for a date such as `2025-06-18`.
fn is_version(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}
