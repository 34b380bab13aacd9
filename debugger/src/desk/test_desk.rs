//! Creates a desk over a session that several tests share.

use std::sync::Arc;

use stepback_parsers::Position;

use super::{Desk, OpenedTrace, SavedSession};
use crate::model::Windows;
use crate::session::test_session::tarmac;
use crate::session::{OpenOptions, Session};
use crate::worker::Worker;

/// Trace that a desk is created with before the test replaces it.
const SMALL: &str = "0 clk IT (0) 00010000 d503201f A svc_s : NOP\n";

/// Creates a desk over a session, with one window at a position. Queries are answered
/// synchronously.
#[expect(clippy::expect_used, reason = "only tests ask for it")]
pub fn desk_over(session: Arc<Session>, position: u64) -> Desk {
    let (small, _place) = tarmac(SMALL);
    let small = Arc::into_inner(small).expect("the only reference");
    let options = OpenOptions::new(session.path.clone());
    let opened = OpenedTrace {
        session: small,
        options,
        is_demo: false,
        kept: SavedSession::default(),
        other: None,
    };
    let mut desk = Desk::new(opened, Arc::new(Worker::synchronous()));
    desk.windows = Windows::new(session.index.step_count());
    desk.session = session;
    desk.windows.active_mut().begin_at(Position(position));
    desk
}
