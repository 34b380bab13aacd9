//! Connections to the programs that follow the position ([`SyncLinks`]).
//!
//! One thread owns both connections. It always sends the newest position: those that arrive while it
//! is busy are skipped. A program that is not running is looked for once a second.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use stepback_index::query::NearestVisit;
use stepback_index::{Cancel, Query as _};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::place::{SyncModule, SyncPlace};
use super::ports::SyncPorts;
use super::ret_sync::{self, BreakpointUse, DisassemblerCommand};
use super::waveform::{self, ViewerCommands};
use crate::session::Session;

/// Polling interval for what the other programs sent.
const POLL: Duration = Duration::from_millis(25);
/// Time between two attempts to connect.
const RETRY: Duration = Duration::from_secs(1);
/// Maximum time of an attempt to connect, and of sending a message.
const PATIENCE: Duration = Duration::from_millis(200);
/// Maximum length of a message of another program. A longer one ends the connection.
const LONGEST_MESSAGE: usize = 64 << 10;
/// Maximum number of commands that wait.
const COMMANDS: usize = 64;
/// Maximum number of breakpoints of the disassembler. A further one replaces the oldest.
const BREAKPOINTS: usize = 4096;

/// A move that another program requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncCommand {
    StepInto,
    StepOver,
    GoTo(Position),
}

/// The programs that follow the position, until this is dropped.
pub struct SyncLinks {
    shared: Arc<Shared>,
    ports: SyncPorts,
    thread: Option<JoinHandle<()>>,
    /// The position that was shown last.
    shown: Option<(Arc<Session>, Position)>,
}

struct Shared {
    inbox: Mutex<Inbox>,
    changed: Condvar,
    wake: Box<dyn Fn() + Send + Sync>,
}

/// Messages between the program and the thread.
#[derive(Default)]
struct Inbox {
    /// The position to show; none if it is shown already.
    wanted: Option<(Arc<Session>, Position)>,
    commands: Vec<SyncCommand>,
    is_over: bool,
}

impl std::fmt::Debug for SyncLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SyncLinks")
            .field("ports", &self.ports)
            .finish_non_exhaustive()
    }
}

impl SyncLinks {
    /// Starts to look for the programs. `wake` is called when a command arrives.
    pub fn start(ports: SyncPorts, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared {
            inbox: Mutex::default(),
            changed: Condvar::new(),
            wake: Box::new(wake),
        });
        let links = Links {
            shared: Arc::clone(&shared),
            disassembler: Link::new(ports.disassembler),
            viewer: Link::new(ports.viewer),
            at: None,
            place: None,
            is_new: false,
            breakpoints: Vec::new(),
            module: None,
            commands: ViewerCommands::default(),
        };
        let thread = std::thread::Builder::new().name("sync".to_owned());
        Self {
            shared,
            ports,
            thread: thread.spawn(move || links.run()).ok(),
            shown: None,
        }
    }

    /// Returns the ports.
    pub fn ports(&self) -> SyncPorts {
        self.ports
    }

    /// Shows a position in the other programs, unless it is shown already.
    pub fn show(&mut self, session: &Arc<Session>, position: Position) {
        let is_shown = self
            .shown
            .as_ref()
            .is_some_and(|(known, at)| Arc::ptr_eq(known, session) && *at == position);
        if !is_shown {
            let place = (Arc::clone(session), position);
            self.shown = Some(place.clone());
            self.shared.lock().wanted = Some(place);
            self.shared.changed.notify_one();
        }
    }

    /// Takes the commands that arrived.
    pub fn take_commands(&self) -> Vec<SyncCommand> {
        std::mem::take(&mut self.shared.lock().commands)
    }
}

impl Drop for SyncLinks {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_one();
        // A panic of the thread has been reported.
        _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// State of the thread.
struct Links {
    shared: Arc<Shared>,
    disassembler: Link,
    viewer: Link,
    /// The position that is shown.
    at: Option<(Arc<Session>, Position)>,
    /// The place to show.
    place: Option<SyncPlace>,
    /// The place was not shown before.
    is_new: bool,
    /// Breakpoints of the disassembler.
    breakpoints: Vec<(Address, BreakpointUse)>,
    /// Module that the disassembler shows.
    module: Option<SyncModule>,
    commands: ViewerCommands,
}

impl Links {
    fn run(mut self) {
        loop {
            let inbox = self.shared.lock();
            let is_idle = |inbox: &mut Inbox| inbox.wanted.is_none() && !inbox.is_over;
            let waited = self.shared.changed.wait_timeout_while(inbox, POLL, is_idle);
            let (mut inbox, _) = waited.unwrap_or_else(PoisonError::into_inner);
            let (wanted, is_over) = (inbox.wanted.take(), inbox.is_over);
            drop(inbox);
            if is_over {
                self.disassembler.send(&ret_sync::farewell());
                return;
            }
            self.is_new = wanted.is_some();
            if let Some((session, position)) = wanted {
                // An unreadable place is reported by the panels.
                let found = SyncPlace::at(&session, position, &Cancel::default());
                self.place = found.ok().flatten();
                self.at = Some((session, position));
            }
            self.serve_disassembler();
            self.serve_viewer();
        }
    }

    fn serve_disassembler(&mut self) {
        let link = &mut self.disassembler;
        let is_connected_now = link.connect();
        let is_due = self.is_new || is_connected_now;
        if is_connected_now {
            self.module = None;
            self.breakpoints.clear();
            link.send(&ret_sync::greeting());
        }
        if let Some(place) = self.place.as_ref().filter(|_| is_due) {
            link.send(&ret_sync::messages(place, self.module.as_ref()));
            self.module = Some(place.module.clone());
        }
        let lines = link.receive(b'\n');
        let commands = lines.iter().filter_map(|line| ret_sync::command(line));
        let commands: Vec<_> = commands
            .filter_map(|command| self.meaning(command))
            .collect();
        if !commands.is_empty() {
            let mut inbox = self.shared.lock();
            let room = COMMANDS.saturating_sub(inbox.commands.len());
            inbox.commands.extend(commands.into_iter().take(room));
            drop(inbox);
            (self.shared.wake)();
        }
    }

    /// Returns the move that a command requests, and keeps breakpoints.
    fn meaning(&mut self, command: DisassemblerCommand) -> Option<SyncCommand> {
        match command {
            DisassemblerCommand::StepInto => Some(SyncCommand::StepInto),
            DisassemblerCommand::StepOver => Some(SyncCommand::StepOver),
            DisassemblerCommand::Continue => self.next_stop().map(SyncCommand::GoTo),
            DisassemblerCommand::Break(address, used) => {
                self.breakpoints.retain(|(known, _)| *known != address);
                if self.breakpoints.len() == BREAKPOINTS {
                    self.breakpoints.remove(0);
                }
                self.breakpoints.push((address, used));
                None
            }
        }
    }

    /// Returns the position before the next execution of a breakpoint, or the end of the trace.
    fn next_stop(&mut self) -> Option<Position> {
        let (session, at) = self.at.as_ref()?;
        let index = &session.index;
        let from = Position(at.0.saturating_add(1));
        let mut nearest: Option<(Position, Address)> = None;
        for (address, _) in &self.breakpoints {
            let visit = NearestVisit::next(*address, from).run(index, &Cancel::default());
            let found = visit.ok().flatten();
            let found = found.map(|hit| (hit.record.step.before(), *address));
            nearest = nearest.into_iter().chain(found).min();
        }
        let Some((position, hit)) = nearest else {
            return Some(index.end());
        };
        self.breakpoints
            .retain(|(address, used)| *address != hit || *used == BreakpointUse::Always);
        Some(position)
    }

    fn serve_viewer(&mut self) {
        let link = &mut self.viewer;
        if link.connect() {
            self.commands = ViewerCommands::default();
            link.send(&waveform::greeting());
        }
        let mut is_greeted = false;
        for message in link.receive(0) {
            if let Some(commands) = waveform::viewer_message(&message).commands() {
                (self.commands, is_greeted) = (commands, true);
            }
        }
        let time = self.place.as_ref().and_then(|place| place.time);
        if let Some(time) = time.filter(|_| self.is_new || is_greeted) {
            link.send(&waveform::messages(time, self.commands));
        }
    }
}

/// A connection to a program, which may not be running.
struct Link {
    port: u16,
    stream: Option<TcpStream>,
    /// Time of the last attempt to connect.
    tried: Option<Instant>,
    /// Received bytes of an incomplete message.
    rest: Vec<u8>,
}

impl Link {
    fn new(port: u16) -> Self {
        Self {
            port,
            stream: None,
            tried: None,
            rest: Vec::new(),
        }
    }

    /// Connects if there is no connection and the last attempt is long ago. Returns true for a new
    /// connection.
    fn connect(&mut self) -> bool {
        let is_soon = self.tried.is_some_and(|tried| tried.elapsed() < RETRY);
        if self.stream.is_some() || is_soon {
            return false;
        }
        self.tried = Some(Instant::now());
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let connected = TcpStream::connect_timeout(&address, PATIENCE).and_then(|stream| {
            stream.set_nodelay(true)?;
            stream.set_write_timeout(Some(PATIENCE))?;
            stream.set_read_timeout(Some(Duration::from_millis(1)))?;
            Ok(stream)
        });
        self.rest.clear();
        self.stream = connected.ok();
        self.stream.is_some()
    }

    /// Sends a text. A connection that takes no more is closed.
    fn send(&mut self, text: &str) {
        if let Some(stream) = &mut self.stream
            && stream.write_all(text.as_bytes()).is_err()
        {
            self.stream = None;
        }
    }

    /// Returns the messages that arrived, which end with a byte.
    fn receive(&mut self, end: u8) -> Vec<String> {
        let Some(stream) = &mut self.stream else {
            return Vec::new();
        };
        let mut bytes = [0; 4096];
        let is_open = match stream.read(&mut bytes) {
            Ok(0) => false,
            Ok(count) => {
                self.rest
                    .extend_from_slice(bytes.get(..count).unwrap_or_default());
                true
            }
            Err(error) => matches!(
                error.kind(),
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
            ),
        };
        let mut messages = Vec::new();
        while let Some(length) = self.rest.iter().position(|byte| *byte == end) {
            let message: Vec<u8> = self.rest.drain(..=length).take(length).collect();
            messages.push(String::from_utf8_lossy(&message).into_owned());
        }
        if !is_open || self.rest.len() > LONGEST_MESSAGE {
            self.stream = None;
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;

    use super::*;
    use crate::session::test_session::overflow_with_image;

    /// Longer than any answer takes.
    const WAIT: Duration = Duration::from_secs(20);

    fn listeners() -> (SyncPorts, [TcpListener; 2]) {
        let listeners = [(); 2].map(|()| TcpListener::bind(("127.0.0.1", 0)).unwrap());
        let [disassembler, viewer] =
            [0, 1].map(|place: usize| listeners[place].local_addr().unwrap().port());
        let ports = SyncPorts {
            disassembler,
            viewer,
        };
        (ports, listeners)
    }

    fn accepted(listener: &TcpListener) -> BufReader<TcpStream> {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(WAIT)).unwrap();
        BufReader::new(stream)
    }

    fn next(reader: &mut BufReader<TcpStream>, end: u8) -> String {
        let mut bytes = Vec::new();
        reader.read_until(end, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(end));
        String::from_utf8(bytes).unwrap()
    }

    /// The first segment of the demo's image is at 0x7fff0000 and its entry at 0x80000000; a step of its fixture has the time of its
    /// number plus one.
    #[test]
    fn both_programs_follow_a_thousand_positions() {
        let session = overflow_with_image();
        let (ports, [disassembler, viewer]) = listeners();
        let mut links = SyncLinks::start(ports, || {});
        links.show(&session, Position(0));
        let (mut ida, mut surfer) = (accepted(&disassembler), accepted(&viewer));
        assert!(next(&mut ida, b'\n').contains("\"type\":\"new_dbg\""));
        assert!(next(&mut ida, b'\n').contains("overflow_bare.elf"));
        assert!(next(&mut surfer, 0).contains("\"type\":\"greeting\""));
        let greeting = b"{\"type\":\"greeting\",\"version\":\"0\",\"commands\":[\"set_cursor\"]}\0";
        surfer.get_mut().write_all(greeting).unwrap();
        let (base, entry) = (0x7fff_0000, 0x8000_0000_u64);
        let first = format!("[sync]{{\"type\":\"loc\",\"base\":{base},\"offset\":{entry}}}");
        assert_eq!(next(&mut ida, b'\n'), first);
        let mut times = Vec::new();
        for position in 1..=1000 {
            let place = SyncPlace::at(&session, Position(position), &Cancel::default());
            let place = place.unwrap().unwrap();
            let began = Instant::now();
            links.show(&session, Position(position));
            let expected = format!("\"offset\":{}}}", place.pc.0);
            let line = next(&mut ida, b'\n');
            assert!(line.ends_with(&expected), "{line}");
            let cursor = format!("\"set_cursor\",\"timestamp\":{}}}", place.time.unwrap());
            while !next(&mut surfer, 0).ends_with(&cursor) {}
            times.push(began.elapsed());
        }
        // A busy machine may delay some.
        times.sort_unstable();
        let median = times[times.len() / 2];
        assert!(median < Duration::from_millis(50), "{median:?}");
        drop(links);
        assert!(next(&mut ida, b'\n').contains("\"type\":\"dbg_quit\""));
    }

    #[test]
    fn a_disassembler_steps_the_trace() {
        let (ports, [disassembler, _viewer]) = listeners();
        let (woken, waker) = std::sync::mpsc::channel();
        let mut links = SyncLinks::start(ports, move || _ = woken.send(()));
        links.show(&overflow_with_image(), Position(1230));
        let mut ida = accepted(&disassembler);
        while !next(&mut ida, b'\n').contains("\"loc\"") {}
        // Step 1254 branches back to 0x800003f0, and step 1256 is at 0x800003f4.
        let others: String = (0..200)
            .map(|word| format!("b *{:#x}\n", 4 * word))
            .collect();
        let text = format!("{others}si\nshell ls\ntb *0x800003f4\nni\ncontinue\n");
        ida.get_mut().write_all(text.as_bytes()).unwrap();
        let mut commands = Vec::new();
        while commands.len() < 3 {
            waker.recv_timeout(WAIT).unwrap();
            commands.extend(links.take_commands());
        }
        let go_to = SyncCommand::GoTo(Position(1256));
        assert_eq!(
            commands,
            [SyncCommand::StepInto, SyncCommand::StepOver, go_to]
        );
    }

    #[test]
    fn a_program_that_comes_back_is_found_again() {
        let session = overflow_with_image();
        let (ports, [disassembler, _viewer]) = listeners();
        let mut links = SyncLinks::start(ports, || {});
        links.show(&session, Position(7));
        let mut ida = accepted(&disassembler);
        assert!(next(&mut ida, b'\n').contains("new_dbg"));
        // A message without an end does not grow for ever.
        let endless = vec![b'x'; 2 * LONGEST_MESSAGE];
        _ = ida.get_mut().write_all(&endless);
        drop(ida);
        let mut again = accepted(&disassembler);
        assert!(next(&mut again, b'\n').contains("new_dbg"));
        assert!(next(&mut again, b'\n').contains("overflow_bare.elf"));
        assert!(next(&mut again, b'\n').contains("\"type\":\"loc\""));
    }
}
