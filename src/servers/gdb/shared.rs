//! A server that shares its position with a window ([`serve_shared`]).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::Duration;

use anyhow::Result;
use stepback_debugger::session::Session;
use stepback_debugger::sync::{DebugServer, SharedPosition};
use stepback_index::Cancel;

use crate::servers::gdb::server::{listen, talk};
use crate::servers::gdb::target::TraceTarget;

/// Port that gdb's users expect. Another one is used if it is taken.
const PORT: u16 = 1234;
/// Polling interval for a client.
const POLL: Duration = Duration::from_millis(50);

/// Serves a trace to one client after another, until the server is dropped.
///
/// # Errors
/// GDB does not know the instruction set, or no port is free.
pub fn serve_shared(
    session: Arc<Session>,
    position: Arc<SharedPosition>,
) -> Result<Box<dyn DebugServer>> {
    // Refused now rather than when a client connects.
    TraceTarget::new(&session)?;
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let listener = listen(here, PORT, None).or_else(|_| listen(here, 0, None))?;
    let connection = Arc::new(ClientConnection::default());
    let mut server = SharedServer {
        address: listener.address,
        connection: Arc::clone(&connection),
        thread: None,
    };
    let serving = move || {
        while !connection.cancel.is_cancelled() {
            // An error of one client does not concern the next.
            if let Ok(stream) = listener.do_not_wait().and_then(|()| listener.accept()) {
                let serve = || serve_client(stream, &session, &position, &connection);
                drop(listener.refuse_others_during(serve));
            }
            sleep(POLL);
        }
    };
    let thread = std::thread::Builder::new().name("gdb".to_owned());
    server.thread = Some(thread.spawn(serving)?);
    Ok(Box::new(server))
}

fn serve_client(
    stream: TcpStream,
    session: &Session,
    position: &Arc<SharedPosition>,
    connection: &ClientConnection,
) -> Result<()> {
    connection.open(stream.try_clone()?);
    let mut target = TraceTarget::new(session)?;
    target.share(Arc::clone(position), connection.cancel.clone())?;
    let ended = talk(&stream, &mut target);
    connection.close();
    ended.map(drop)
}

struct SharedServer {
    address: SocketAddr,
    connection: Arc<ClientConnection>,
    thread: Option<JoinHandle<()>>,
}

impl DebugServer for SharedServer {
    fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for SharedServer {
    fn drop(&mut self) {
        self.connection.cancel.cancel();
        self.connection.close();
        // A panic of the thread has been reported.
        _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The connection of the current client, so that another thread can end it.
#[derive(Default)]
struct ClientConnection {
    stream: Mutex<Option<TcpStream>>,
    /// The server ends.
    cancel: Cancel,
}

impl ClientConnection {
    fn open(&self, stream: TcpStream) {
        *self.stream.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
        // The server may have ended in between.
        if self.cancel.is_cancelled() {
            self.close();
        }
    }

    fn close(&self) {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = stream
            .as_ref()
            .map(|stream| stream.shutdown(Shutdown::Both));
        // The client may have closed it first.
        drop::<Option<io::Result<()>>>(closed);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use stepback_debugger::session::{IndexPolicy, OpenOptions, open};
    use stepback_debugger::sync::ServedTrace;
    use stepback_index::build::BuildProgress;
    use stepback_parsers::Position;

    use super::*;
    use crate::servers::gdb::packets::framed;

    const TRACE: &str = "\
1 clk IT (1) 00001000 e1a00000 A usr : NOP
2 clk IT (2) 00001004 e1a00000 A usr : NOP
3 clk IT (3) 00001008 e1a00000 A usr : NOP
4 clk IT (4) 0000100c e1a00000 A usr : NOP
";

    fn session() -> Arc<Session> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.tarmac");
        std::fs::write(&path, TRACE).unwrap();
        let options = OpenOptions {
            policy: IndexPolicy::InMemory,
            ..OpenOptions::new(path)
        };
        Arc::new(open(&options, &BuildProgress::default(), &Cancel::default()).unwrap())
    }

    fn ask(client: &mut TcpStream, packet: &[u8]) -> String {
        client.write_all(&framed(packet)).unwrap();
        reply(client)
    }

    fn reply(client: &mut TcpStream) -> String {
        let (mut reply, mut byte) = (Vec::new(), [0]);
        while byte != *b"#" {
            client.read_exact(&mut byte).unwrap();
            reply.extend(byte);
        }
        client.read_exact(&mut [0; 2]).unwrap();
        String::from_utf8(reply).unwrap()
    }

    fn hex(text: &str) -> String {
        text.bytes().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Sends a command of Stepback and checks the beginning of its answer.
    #[track_caller]
    fn check_monitor(client: &mut TcpStream, command: &str, expected: &str) {
        let mut answer = ask(client, format!("qRcmd,{}", hex(command)).as_bytes());
        while !answer.ends_with("OK#") {
            answer += &reply(client);
        }
        assert!(answer.contains(&hex(expected)), "{answer}");
    }

    #[test]
    fn a_debugger_and_a_window_share_a_position() {
        let session = session();
        let served = ServedTrace::start(serve_shared, &session, Position(1), || ()).unwrap();
        let mut client = TcpStream::connect(served.address()).unwrap();
        ask(&mut client, b"QStartNoAckMode");
        // The debugger begins at the window's position, and the window follows its moves.
        let stop = ask(&mut client, b"vCont;s:1");
        assert!(stop.contains("T05"), "{stop}");
        assert_eq!(served.exchange(Position(1)), Some(Position(2)));
        assert_eq!(served.exchange(Position(2)), None);
        ask(&mut client, b"bs");
        assert_eq!(served.exchange(Position(2)), Some(Position(1)));
        // A move of the window changes nothing in the debugger until it asks.
        assert_eq!(served.exchange(Position(3)), None);
        check_monitor(&mut client, "position", "position 1 of 4");
        check_monitor(&mut client, "here", "position 3 of 4");
        check_monitor(&mut client, "position", "position 3 of 4");
        drop(served);
        // The server closes the connection.
        assert_eq!(client.read(&mut [0]).unwrap(), 0);
    }
}
