//! Connections of clients: one after another over TCP, or one over standard input and output.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};

use anyhow::{Context as _, Result};

use crate::servers::gdb::session::{GdbSession, SessionEnd};
use crate::servers::gdb::target::TraceTarget;

/// A server that waits for clients.
pub struct Listener {
    listener: TcpListener,
    /// Address with the port in use.
    pub address: SocketAddr,
}

/// Begins to wait for clients. Port 0 means a free one.
///
/// # Errors
/// The address or the port cannot be used.
pub fn listen(address: IpAddr, port: u16) -> Result<Listener> {
    let wanted = SocketAddr::new(address, port);
    let listener = TcpListener::bind(wanted)
        .with_context(|| format!("{wanted}: no server can wait there for debuggers"))?;
    let address = listener.local_addr()?;
    Ok(Listener { listener, address })
}

impl Listener {
    /// Serves one client and returns when it has left.
    ///
    /// # Errors
    /// The trace could not be read. An error of the connection only ends the connection.
    pub fn serve_one(&self, target: &mut TraceTarget<'_>) -> Result<SessionEnd> {
        let (stream, _) = self.listener.accept()?;
        // Packets are small, and the client waits for each of them.
        stream.set_nodelay(true)?;
        talk(&stream, target)
    }
}

fn talk(stream: &TcpStream, target: &mut TraceTarget<'_>) -> Result<SessionEnd> {
    match GdbSession::new(target).talk(stream, stream) {
        Err(error) if error.is::<io::Error>() => Ok(SessionEnd::Detached),
        ended => ended,
    }
}

/// Serves the client that started this program.
///
/// # Errors
/// The trace could not be read, or the connection failed.
pub fn serve_stdio(target: &mut TraceTarget<'_>) -> Result<SessionEnd> {
    GdbSession::new(target).talk(io::stdin().lock(), io::stdout().lock())
}
