//! "Serve to gdb": the position is shared with a debugger, here a server that moves once.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Result;
use egui::Key;
use stepback_debugger::action::FileAction;
use stepback_debugger::session::Session;
use stepback_debugger::sync::{DebugServer, SharedPosition};
use stepback_parsers::Position;
use stepback_window::WindowOptions;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

struct Server;

impl DebugServer for Server {
    fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, 1234).into()
    }
}

fn start(_: Arc<Session>, position: Arc<SharedPosition>) -> Result<Box<dyn DebugServer>> {
    assert_eq!(position.shown(), Position(0));
    position.go_to(Position(2));
    Ok(Box::new(Server))
}

fn window(options: WindowOptions) -> Driver {
    let sandbox = Sandbox::new();
    let path = sandbox.file("a.tarmac", SHORT);
    let mut window = sandbox.window(options);
    window.perform(FileAction::OpenPath(path));
    window.wait();
    window.close_messages();
    window
}

#[test]
fn the_window_follows_a_debugger() {
    let mut window = window(WindowOptions {
        gdb_server: Some(start),
        ..WindowOptions::default()
    });
    window.command("Serve to gdb");
    window.wait();
    window.check_stated("the trace is served to gdb (target remote 127.0.0.1:1234)");
    assert_eq!(window.active().position, Position(2));
    window.close_messages();
    window.command("Serve to gdb");
    window.wait();
    window.check_stated("the trace is no longer served to gdb");
}

#[test]
fn gdb_is_disconnected_when_another_trace_is_shown() {
    let mut window = window(WindowOptions {
        gdb_server: Some(start),
        ..WindowOptions::default()
    });
    window.command("Serve to gdb");
    window.wait();
    window.close_messages();
    window.press_with(egui::Modifiers::COMMAND, Key::R);
    window.wait();
    let messages = window.messages().join("\n");
    assert!(
        messages.to_lowercase().contains("gdb was disconnected"),
        "{messages}"
    );
}

#[test]
fn a_program_without_a_server_says_so() {
    let mut window = window(WindowOptions::default());
    window.command("Serve to gdb");
    window.wait();
    window.check_stated("this build has no gdb server");
}
