//! Connections of clients: one after another over TCP, or one over standard input and output.
//!
//! A client on another machine must first send a line with a token. GDB's protocol has no packet for
//! that, so gdb connects through a pipe that sends it.

use std::io::{self, Read, Write as _};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Error, Result};

use crate::servers::gdb::packets::{ClientInput, PACKET_BYTES, PacketReader, framed};
use crate::servers::gdb::session::{GdbSession, SessionEnd};
use crate::servers::gdb::target::TraceTarget;

/// Time within which a client must send the token.
const TOKEN_TIME: Duration = Duration::from_secs(10);
/// Time within which a refused client must send its first packet, and then close the connection.
const REFUSAL_TIME: Duration = Duration::from_millis(500);
/// Answer to the first packet of a refused client. GDB shows errors that begin with `E.` as text.
const OCCUPIED: &[u8] = b"E.another debugger is connected to this trace: disconnect it first";
/// Polling interval for clients to refuse.
const REFUSAL_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum number of clients that may send the token at the same time.
const CANDIDATES: usize = 64;
/// Maximum length of a token.
const TOKEN_BYTES: usize = 128;

/// A server that waits for clients.
pub struct Listener {
    listener: TcpListener,
    /// Address with the port in use.
    pub address: SocketAddr,
    /// First line that a client must send.
    pub token: Option<String>,
}

/// Checks a token on the command line.
pub fn parse_token(text: &str) -> Result<String, String> {
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match is_word && (8..=TOKEN_BYTES).contains(&text.len()) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "a token must be 8 to {TOKEN_BYTES} letters and digits"
        )),
    }
}

/// Begins to wait for clients. Port 0 means a free one. Unless only this machine can connect, there
/// is a token: the given one, or a random one.
///
/// # Errors
/// The address or the port cannot be used.
pub fn listen(address: IpAddr, port: u16, token: Option<&str>) -> Result<Listener> {
    let token = match token {
        Some(token) => Some(token.to_owned()),
        None if address.is_loopback() => None,
        None => Some(random_token()?),
    };
    let wanted = SocketAddr::new(address, port);
    let listener = TcpListener::bind(wanted)
        .with_context(|| format!("{wanted}: no server can wait there for debuggers"))?;
    let address = listener.local_addr()?;
    Ok(Listener {
        listener,
        address,
        token,
    })
}

fn random_token() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the system gave no random number for a token")?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

impl Listener {
    /// Serves one client and returns when it has left. Those without the token are turned away.
    ///
    /// # Errors
    /// The trace could not be read. An error of the connection only ends the connection.
    pub fn serve_one(&self, target: &mut TraceTarget<'_>) -> Result<SessionEnd> {
        let stream = match &self.token {
            None => self.accept()?,
            Some(token) => self.accept_with_token(token)?,
        };
        self.refuse_others_during(|| talk(&stream, target))
    }

    /// Accepts the first client that sends the token. Each has a thread that waits for it, so that
    /// a silent client keeps no other one waiting.
    fn accept_with_token(&self, token: &str) -> Result<TcpStream> {
        self.listener.set_nonblocking(true)?;
        let waiting = Arc::new(());
        let (sender, welcome) = channel();
        let stream = loop {
            if let Ok(stream) = welcome.recv_timeout(REFUSAL_INTERVAL) {
                break stream;
            }
            if Arc::strong_count(&waiting) > CANDIDATES {
                continue;
            }
            let stream = match self.accept() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                accepted => accepted?,
            };
            let (sender, waiting) = (sender.clone(), Arc::clone(&waiting));
            let token = token.to_owned();
            thread::Builder::new().spawn(move || {
                if is_welcome(&stream, &token) {
                    // Another client may have been accepted meanwhile.
                    drop(sender.send(stream));
                }
                drop(waiting);
            })?;
        };
        self.listener.set_nonblocking(false)?;
        Ok(stream)
    }

    /// Refuses further clients, who would wait without an answer. Afterwards [`Self::accept`] waits.
    ///
    /// # Errors
    /// The conversation failed.
    pub fn refuse_others_during<T>(&self, conversation: impl FnOnce() -> Result<T>) -> Result<T> {
        self.listener.set_nonblocking(true)?;
        let ended = thread::scope(|scope| {
            let (done, is_done) = channel::<()>();
            scope.spawn(move || {
                while is_done.recv_timeout(REFUSAL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    // A client who does not read the answer misses it.
                    drop(self.accept().and_then(|stream| refuse(&stream)));
                }
            });
            let ended = conversation();
            drop(done);
            ended
        });
        self.listener.set_nonblocking(false)?;
        ended
    }

    #[cfg(any(feature = "window", feature = "terminal"))]
    /// Makes [`Self::accept`] return at once if no client is waiting.
    pub fn do_not_wait(&self) -> io::Result<()> {
        self.listener.set_nonblocking(true)
    }

    /// Accepts a client.
    pub fn accept(&self) -> io::Result<TcpStream> {
        let (stream, _) = self.listener.accept()?;
        stream.set_nonblocking(false)?;
        // Packets are small, and the client waits for each of them.
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

/// Returns true if a client sends the token.
fn is_welcome(stream: &TcpStream, token: &str) -> bool {
    let line = first_line(stream);
    line.is_ok_and(|line| is_same(line.as_bytes(), token.as_bytes()))
        && stream.set_read_timeout(None).is_ok()
}

/// Reads the first line of a client, and nothing after it.
fn first_line(stream: &TcpStream) -> io::Result<String> {
    let mut line = Vec::new();
    read_until(stream, TOKEN_TIME, TOKEN_BYTES + 1, |byte| {
        line.push(byte);
        (byte == b'\n').then_some(())
    })?;
    Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
}

/// Gives a client the reason for which it is not served, and closes the connection.
fn refuse(mut stream: &TcpStream) -> io::Result<()> {
    let mut reader = PacketReader::default();
    read_until(stream, REFUSAL_TIME, PACKET_BYTES, |byte| {
        reader
            .push(byte)
            .filter(|input| matches!(input, ClientInput::Packet(_)))
    })?;
    stream.write_all(&[b"+", &framed(OCCUPIED)[..]].concat())?;
    stream.shutdown(Shutdown::Write)?;
    // Bytes that nobody reads would reset the connection before the client has read the answer.
    read_until(stream, REFUSAL_TIME, PACKET_BYTES, |_| None)
}

/// Reads the bytes of a client until one completes a value.
fn read_until<T>(
    mut stream: &TcpStream,
    time: Duration,
    limit_bytes: usize,
    mut take: impl FnMut(u8) -> Option<T>,
) -> io::Result<T> {
    let began = Instant::now();
    let mut byte = [0];
    for _ in 0..limit_bytes {
        let left = time.saturating_sub(began.elapsed());
        if left.is_zero() {
            break;
        }
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        stream.read_exact(&mut byte)?;
        if let Some(complete) = byte.into_iter().find_map(&mut take) {
            return Ok(complete);
        }
    }
    Err(io::ErrorKind::PermissionDenied.into())
}

/// Compares two texts in a time that does not depend on where they differ.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Talks with a client until it leaves.
///
/// # Errors
/// The trace could not be read. An error of the connection only ends the connection.
pub fn talk(stream: &TcpStream, target: &mut TraceTarget<'_>) -> Result<SessionEnd> {
    let ended = stream
        .try_clone()
        .map_err(Error::from)
        .and_then(|input| GdbSession::new(target).talk(input, stream));
    // Ends the thread that reads. The client may have closed the connection.
    drop(stream.shutdown(Shutdown::Both));
    match ended {
        Err(error) if error.is::<io::Error>() => Ok(SessionEnd::Detached),
        ended => ended,
    }
}

/// Serves the client that started this program.
///
/// # Errors
/// The trace could not be read, or the connection failed.
pub fn serve_stdio(target: &mut TraceTarget<'_>) -> Result<SessionEnd> {
    GdbSession::new(target).talk(io::stdin(), io::stdout().lock())
}
