//! The server ([`serve`]): a thread reads messages and cancels what the client withdraws, and a
//! worker answers requests in their order.

use std::io::{self, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use anyhow::{Result, anyhow};
use serde_json::{Value as Json, json};
use stepback_debugger::session::OpenOptions;
use stepback_index::{Cancel, QueryError};

use super::adapter::{Adapter, Answer, Events, Next};
use super::framing::{Frame, FrameReader};
use super::message::{Message, Request, parse};
use super::output::Output;
use super::progress::request_of;
use super::running::RunRequest;
use crate::servers::pending::{PendingWork, WaitingRequest, WaitingRequests, WorkControl};

/// Answers requests on standard input until the client leaves. `named` has the options of the
/// command line, with an empty path if it names no trace.
///
/// # Errors
/// The input cannot be read.
pub fn serve(named: OpenOptions) -> Result<()> {
    let output = Arc::new(Output::new(Box::new(io::stdout())));
    let pending = Arc::new(Pending::default());
    let (sender, works) = channel();
    let reader = Reader {
        output: Arc::clone(&output),
        pending: Arc::clone(&pending),
        waiting: Arc::default(),
        works: sender,
    };
    thread::spawn(move || reader.read());
    let mut worker = Worker {
        adapter: Adapter::new(named, Arc::clone(&output)),
        output,
        pending,
    };
    match worker.work(&works) {
        // The client has gone.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        ended => Ok(ended?),
    }
}

/// Work that the client may stop.
#[derive(Default)]
struct Pending {
    /// Requests without an answer, by their numbers.
    requests: PendingWork<Json>,
    /// The runs of the same requests. A request has one as soon as it is read, so that `pause` also
    /// stops a run that has not begun.
    runs: PendingWork<()>,
}

/// Controls of a request.
struct RequestControls {
    request: WorkControl,
    /// Controls the run that the request may begin.
    run: WorkControl,
}

impl Pending {
    fn begin(&self, request: &Request) -> RequestControls {
        RequestControls {
            request: self.requests.begin(request.seq.clone()),
            run: self.runs.begin(()),
        }
    }

    fn end(&self, controls: &RequestControls) {
        self.requests.end(&controls.request);
        self.runs.end(&controls.run);
    }

    /// Stops everything: the client leaves.
    fn withdraw_all(&self) {
        self.requests.withdraw_all();
        self.runs.withdraw_all();
    }
}

/// Work for the worker.
enum Work {
    Request(Box<Request>, RequestControls, WaitingRequest),
    /// The input has ended, or could not be read.
    End(io::Result<()>),
}

struct Reader {
    output: Arc<Output>,
    pending: Arc<Pending>,
    waiting: Arc<WaitingRequests>,
    works: Sender<Work>,
}

impl Reader {
    /// Reads messages until the input ends or the client goes away.
    fn read(&self) {
        let mut frames = FrameReader::new(BufReader::new(io::stdin()));
        let ended = loop {
            let taken = match frames.next_frame() {
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
                Ok(Some(Frame::Body(body))) => self.take(&body),
                Ok(Some(Frame::TooLong(len_bytes))) => self
                    .output
                    .note(&format!("a message of {len_bytes} bytes is too long")),
                Ok(Some(Frame::Damaged)) => self.output.note("a message has no usable length"),
            };
            if taken.is_err() {
                break Ok(());
            }
        };
        self.pending.withdraw_all();
        // The worker has ended if nobody receives this.
        drop(self.works.send(Work::End(ended)));
    }

    fn take(&self, body: &[u8]) -> io::Result<()> {
        let request = match parse(body) {
            Message::Request(request) => request,
            Message::Other => return Ok(()),
            Message::Damaged => return self.output.note("a message is no request"),
        };
        match request.command.as_str() {
            "cancel" => {
                if let Some(seq) = request.arguments.get("requestId") {
                    self.pending.requests.withdraw(seq);
                }
                let progress = request.arguments.get("progressId");
                if let Some(seq) = progress.and_then(Json::as_str).and_then(request_of) {
                    self.pending.requests.withdraw(&seq);
                }
                return self.output.response(&request, json!({}));
            }
            "pause" => self.pending.runs.withdraw_all(),
            "disconnect" | "terminate" => self.pending.withdraw_all(),
            _ => {}
        }
        let waiting = self.waiting.add(body.len());
        let controls = self.pending.begin(&request);
        self.works
            .send(Work::Request(Box::new(request), controls, waiting))
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

struct Worker {
    adapter: Adapter,
    output: Arc<Output>,
    pending: Arc<Pending>,
}

/// The next step of the worker.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AfterRequest {
    Serve,
    Leave,
}

impl Worker {
    fn work(&mut self, works: &Receiver<Work>) -> io::Result<()> {
        while let Ok(work) = works.recv() {
            match work {
                Work::End(ended) => return ended,
                Work::Request(request, controls, _waiting) => {
                    let next = self.serve(&request, &controls)?;
                    self.pending.end(&controls);
                    if next == AfterRequest::Leave {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Answers a request once, then does what it asks for.
    fn serve(&mut self, request: &Request, controls: &RequestControls) -> io::Result<AfterRequest> {
        let cancel = &controls.request.cancel;
        if cancel.is_cancelled() {
            self.output.cancelled(request)?;
            return Ok(AfterRequest::Serve);
        }
        let answered = catch_unwind(AssertUnwindSafe(|| self.adapter.answer(request, cancel)))
            .unwrap_or_else(|_| Err(anyhow!("the request failed because of an internal error")));
        let Answer { body, next } = match answered {
            Ok(answer) => answer,
            Err(_) if cancel.is_cancelled() => {
                self.output.cancelled(request)?;
                return Ok(AfterRequest::Serve);
            }
            Err(error) => {
                self.output.failure(request, &format!("{error:#}"))?;
                return Ok(AfterRequest::Serve);
            }
        };
        match next {
            Next::Nothing => self.output.response(request, body)?,
            Next::Events(events) => {
                self.output.response(request, body)?;
                for (name, body) in events {
                    self.output.event(name, body)?;
                }
            }
            Next::Run(run) => {
                self.output.response(request, body)?;
                let events = self.run(run, &controls.run.cancel);
                for (name, body) in events {
                    self.output.event(name, body)?;
                }
            }
            Next::End => {
                self.output.response(request, body)?;
                self.output.event("terminated", json!({}))?;
                return Ok(AfterRequest::Leave);
            }
        }
        Ok(AfterRequest::Serve)
    }

    fn run(&mut self, run: RunRequest, cancel: &Cancel) -> Events {
        let ran = catch_unwind(AssertUnwindSafe(|| self.adapter.run(run, cancel)));
        match ran {
            Ok(Ok(events)) => events,
            Ok(Err(QueryError::Cancelled)) => self.adapter.paused("Interrupted"),
            Ok(Err(error)) => self
                .adapter
                .paused(&format!("The trace could not be read: {error}")),
            Err(_) => self.adapter.paused("An internal error ended the run"),
        }
    }
}
