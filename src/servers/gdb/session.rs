//! The conversation with one client.
//!
//! The protocol layer ends a conversation at a malformed packet. Here such a packet is answered with
//! an error, and a new protocol layer takes over that knows what the client negotiated.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use anyhow::{Error, Result, anyhow};
use gdbstub::conn::Connection;
use gdbstub::stub::state_machine::GdbStubStateMachine;
use gdbstub::stub::{DisconnectReason, GdbStub, GdbStubError, MultiThreadStopReason};

use crate::servers::gdb::interrupts::Interrupts;
use crate::servers::gdb::packets::{ClientInput, PACKET_BYTES, PacketReader, framed};
use crate::servers::gdb::requests::{Handling, chosen_thread, handling, resumed_threads};
use crate::servers::gdb::target::{ClientKind, TraceTarget, tid_of};
use crate::servers::pending::{WaitingRequest, WaitingRequests};

/// Room of the protocol layer for a packet with its frame.
const BUFFER_BYTES: usize = PACKET_BYTES + 4;

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The client detached, or closed the connection.
    Detached,
    /// The client requested the end of the program.
    Killed,
}

/// A conversation with a client.
pub struct GdbSession<'t, 'a> {
    target: &'t mut TraceTarget<'a>,
    replies: Replies,
    /// Features that the client negotiated, for the next protocol layer.
    negotiated: Negotiated,
}

#[derive(Default)]
struct Negotiated {
    /// The last `qSupported` packet.
    features: Option<Vec<u8>>,
    is_without_acknowledgements: bool,
}

/// Replies that wait to be written.
#[derive(Clone, Default)]
struct Replies {
    bytes: Rc<RefCell<Vec<u8>>>,
}

type Machine<'a> = GdbStubStateMachine<'static, TraceTarget<'a>, Replies>;
type MachineError = GdbStubError<Error, io::Error>;

impl Connection for Replies {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.bytes.borrow_mut().push(byte);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Replies {
    fn take(&self) -> Vec<u8> {
        self.bytes.take()
    }
}

impl<'t, 'a> GdbSession<'t, 'a> {
    /// Creates a conversation. The target keeps its position, but no stop points of others.
    pub fn new(target: &'t mut TraceTarget<'a>) -> Self {
        target.begin_session();
        Self {
            target,
            replies: Replies::default(),
            negotiated: Negotiated::default(),
        }
    }

    /// Talks with a client until it leaves.
    ///
    /// # Errors
    /// The trace or its index is damaged, or the connection failed.
    pub fn talk(
        &mut self,
        input: impl Read + Send + 'static,
        mut output: impl Write,
    ) -> Result<SessionEnd> {
        let mut machine = self.machine()?;
        let (sender, inputs) = channel();
        let interrupts = Arc::clone(&self.target.interrupts);
        let thread = thread::Builder::new().name("gdb input".to_owned());
        thread.spawn(move || read(input, &interrupts, &sender))?;
        for (client, _waiting) in inputs {
            machine = match client {
                Err(error) if is_closed(&error) => break,
                Err(error) => return Err(error.into()),
                Ok(client) => self.take(client, machine)?,
            };
            match output
                .write_all(&self.replies.take())
                .and_then(|()| output.flush())
            {
                Err(error) if is_closed(&error) => break,
                written => written?,
            }
            if let GdbStubStateMachine::Disconnected(done) = &machine {
                return Ok(match done.get_reason() {
                    DisconnectReason::Kill => SessionEnd::Killed,
                    _ => SessionEnd::Detached,
                });
            }
        }
        Ok(SessionEnd::Detached)
    }

    /// Answers something that the client sent.
    fn take(&mut self, client: ClientInput, machine: Machine<'a>) -> Result<Machine<'a>> {
        match client {
            ClientInput::Packet(packet) => self.answer(&packet, machine),
            // The reading thread has passed it on.
            ClientInput::Interrupt => Ok(machine),
            ClientInput::Damaged => {
                if !self.negotiated.is_without_acknowledgements {
                    self.replies.bytes.borrow_mut().push(b'-');
                }
                Ok(machine)
            }
            ClientInput::TooLong => {
                self.reply(b"E16");
                Ok(machine)
            }
        }
    }

    fn answer(&mut self, packet: &[u8], machine: Machine<'a>) -> Result<Machine<'a>> {
        let chosen = chosen_thread(packet);
        let mut named = resumed_threads(packet).chain(chosen.map(|(_, named)| named));
        if named.any(|named| self.target.is_missing(named)) {
            self.reply(b"E16");
            return Ok(machine);
        }
        if let Some((thread_use, named)) = chosen {
            self.target.choose_thread(thread_use, named);
        }
        self.target.is_extended |= packet == b"!";
        if self.target.is_extended && matches!(packet, [b'D'] | [b'D', b';', ..]) {
            // The connection stays, for another `run`.
            self.target.forget_points();
            self.reply(b"OK");
            return Ok(machine);
        }
        let forwarded = match handling(packet) {
            Handling::Answer(text) => {
                self.reply(text.as_bytes());
                return Ok(machine);
            }
            Handling::Register(number) => {
                let register = self.target.register_text(number)?;
                self.reply(register.as_bytes());
                return Ok(machine);
            }
            Handling::Region(address) => {
                self.reply(self.target.region_text(address).as_bytes());
                return Ok(machine);
            }
            Handling::Forward(forwarded) => self.resumed(&forwarded)?.unwrap_or(forwarded),
        };
        match self.pass(&forwarded, machine) {
            Ok(machine) => {
                self.note(packet);
                Ok(machine)
            }
            Err(error) if error.is_target_error() => Err(error
                .into_target_error()
                .unwrap_or_else(|| anyhow!("a query failed"))),
            Err(_) => {
                // Discard the incomplete answer of the protocol layer.
                self.replies.take();
                self.reply(b"E16");
                let replies = self.replies.take();
                let machine = self.machine()?;
                self.replies.bytes.borrow_mut().extend(replies);
                Ok(machine)
            }
        }
    }

    /// Returns the new form of the old packets that let the program run. They refer to the thread
    /// of an earlier packet.
    fn resumed(&self, packet: &[u8]) -> Result<Option<Vec<u8>>> {
        let only = self.target.running_thread();
        let text = match (packet.first(), only) {
            (Some(b'c' | b'C'), None) => "vCont;c".to_owned(),
            (Some(b'c' | b'C'), Some(thread)) => format!("vCont;c:{:x}", tid_of(thread)),
            (Some(b's' | b'S'), None) => {
                format!("vCont;s:{:x};c", tid_of(self.target.current_thread()?))
            }
            (Some(b's' | b'S'), Some(thread)) => format!("vCont;s:{:x}", tid_of(thread)),
            _ => return Ok(None),
        };
        Ok(Some(text.into_bytes()))
    }

    /// Passes a packet to the protocol layer and lets the program run if it says so.
    fn pass(&mut self, packet: &[u8], machine: Machine<'a>) -> Result<Machine<'a>, MachineError> {
        let mut machine = machine;
        for byte in framed(packet) {
            machine = match machine {
                GdbStubStateMachine::Idle(idle) => idle.incoming_data(self.target, byte)?,
                other => other,
            };
        }
        loop {
            machine = match machine {
                GdbStubStateMachine::Running(running) => {
                    let reason = match self.target.run() {
                        Ok(reason) => reason,
                        Err(error) => {
                            self.failure(&error);
                            stopped_where_it_was(self.target)
                        }
                    };
                    running.report_stop(self.target, reason)?
                }
                GdbStubStateMachine::CtrlCInterrupt(interrupt) => {
                    let nothing = None::<MultiThreadStopReason<u64>>;
                    interrupt.interrupt_handled(self.target, nothing)?
                }
                other => return Ok(other),
            };
        }
    }

    /// Notes what a packet negotiated.
    fn note(&mut self, packet: &[u8]) {
        if packet.starts_with(b"qSupported") {
            self.negotiated.features = Some(packet.to_vec());
            // Of the two, only gdb understands this packet.
            let is_gdb = packet
                .split(|byte| b":;".contains(byte))
                .any(|feature| feature == b"qRelocInsn+");
            self.target.client = match is_gdb {
                true => ClientKind::Gdb,
                false => ClientKind::Lldb,
            };
        } else if packet == b"QStartNoAckMode" {
            self.negotiated.is_without_acknowledgements = true;
        }
    }

    /// Creates a protocol layer in the negotiated state.
    fn machine(&mut self) -> Result<Machine<'a>> {
        let stub = GdbStub::builder(self.replies.clone())
            .packet_buffer_size(BUFFER_BYTES)
            .build()
            .map_err(|error| anyhow!("{error}"))?;
        let mut machine = stub.run_state_machine(self.target).map_err(cause)?;
        let features = self.negotiated.features.clone();
        let acknowledgements = self
            .negotiated
            .is_without_acknowledgements
            .then(|| b"QStartNoAckMode".to_vec());
        for packet in features.into_iter().chain(acknowledgements) {
            machine = self.pass(&packet, machine).map_err(cause)?;
        }
        self.replies.take();
        Ok(machine)
    }

    /// Writes a reply without the protocol layer.
    fn reply(&self, body: &[u8]) {
        let mut replies = self.replies.bytes.borrow_mut();
        if !self.negotiated.is_without_acknowledgements {
            replies.push(b'+');
        }
        replies.extend(framed(body));
    }

    /// Shows an error on the client's console.
    fn failure(&self, error: &stepback_index::QueryError) {
        let text = format!("the trace could not be read: {error}\n");
        let mut body = vec![b'O'];
        body.extend(
            text.bytes()
                .flat_map(|byte| format!("{byte:02x}").into_bytes()),
        );
        self.replies.bytes.borrow_mut().extend(framed(&body));
    }
}

/// Reads the input of a client until it ends or the conversation is over. Interrupts take effect at
/// once, also while an answer is being computed.
fn read(
    mut input: impl Read,
    interrupts: &Interrupts,
    sender: &Sender<(io::Result<ClientInput>, WaitingRequest)>,
) {
    let waiting = Arc::new(WaitingRequests::default());
    let mut reader = PacketReader::default();
    let mut buffer = [0; 4096];
    loop {
        let count = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                interrupts.request();
                // The conversation may be over.
                drop(sender.send((Err(error), waiting.add(0))));
                return;
            }
        };
        let completed = buffer.iter().take(count);
        for client in completed.filter_map(|byte| reader.push(*byte)) {
            if client == ClientInput::Interrupt {
                interrupts.request();
                continue;
            }
            let len_bytes = match &client {
                ClientInput::Packet(packet) => packet.len(),
                _ => 0,
            };
            let waiting = waiting.add(len_bytes);
            if sender.send((Ok(client), waiting)).is_err() {
                return;
            }
        }
    }
    // Nobody waits for the answer any more.
    interrupts.request();
}

fn stopped_where_it_was(target: &TraceTarget<'_>) -> MultiThreadStopReason<u64> {
    match target.current_thread() {
        Ok(thread) => MultiThreadStopReason::SignalWithThread {
            tid: tid_of(thread),
            signal: gdbstub::common::Signal::SIGTRAP,
        },
        Err(_) => MultiThreadStopReason::DoneStep,
    }
}

fn cause(error: MachineError) -> Error {
    anyhow!("{error}")
}

fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
    )
}
