//! A debugger that shares the position of the active window ([`ServedTrace`]).
//!
//! The server itself is passed in by the program ([`StartServer`]): this crate knows no debugger's
//! protocol. When the debugger moves, so does the window. When the window moves, the debugger stays
//! until the user has it follow: it caches registers, and would mix old and new values.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use stepback_parsers::Position;

use crate::session::Session;

/// Starts a server for a debugger. Its first client begins at the shared position.
pub type StartServer = fn(Arc<Session>, Arc<SharedPosition>) -> Result<Box<dyn DebugServer>>;

/// A running server, which ends when it is dropped.
pub trait DebugServer {
    /// Returns the address at which debuggers connect.
    fn address(&self) -> SocketAddr;
}

/// The position that a window and a debugger share.
pub struct SharedPosition {
    places: Mutex<Places>,
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Clone, Copy)]
struct Places {
    /// Position of the active window.
    shown: Position,
    /// Position of the debugger, until the window has moved there.
    wanted: Option<Position>,
}

impl SharedPosition {
    /// Creates a position. `wake` is called when the debugger moves.
    fn new(shown: Position, wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            places: Mutex::new(Places {
                shown,
                wanted: None,
            }),
            wake: Box::new(wake),
        }
    }

    /// Returns the position of the active window.
    pub fn shown(&self) -> Position {
        self.places().shown
    }

    /// Moves the active window.
    pub fn go_to(&self, position: Position) {
        self.places().wanted = Some(position);
        (self.wake)();
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A trace that is served to a debugger.
pub struct ServedTrace {
    session: Arc<Session>,
    position: Arc<SharedPosition>,
    server: Box<dyn DebugServer>,
}

impl ServedTrace {
    /// Starts to serve a trace. `wake` is called when the debugger moves.
    ///
    /// # Errors
    /// The debugger does not know the trace's processor, or no port is free.
    pub fn start(
        start: StartServer,
        session: &Arc<Session>,
        shown: Position,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self> {
        let position = Arc::new(SharedPosition::new(shown, wake));
        let server = start(Arc::clone(session), Arc::clone(&position))?;
        Ok(Self {
            session: Arc::clone(session),
            position,
            server,
        })
    }

    /// Returns the address at which debuggers connect.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Returns true if this is the trace that is served.
    pub fn is_of(&self, session: &Arc<Session>) -> bool {
        Arc::ptr_eq(&self.session, session)
    }

    /// Notes the position of the active window, and returns the one to which the debugger moved.
    pub fn exchange(&self, shown: Position) -> Option<Position> {
        let mut places = self.position.places();
        places.shown = shown;
        places.wanted.take().filter(|wanted| *wanted != shown)
    }
}
