//! Keeps other programs at the position of the active window, and performs what they request; serves
//! the trace to gdb.

use std::sync::Arc;

use super::shell::{Shell, in_desk, report};
use super::state::Program;
use crate::action::{Action, Direction, TravelAction};
use crate::messages::say;
use crate::sync::{ServedTrace, SyncCommand, SyncLinks, SyncPorts};

impl Program {
    /// Starts to keep other programs at the position.
    pub fn start_sync(&mut self, ports: SyncPorts) {
        let wake = Arc::clone(&self.wake);
        self.sync_ports = ports;
        self.sync = Some(SyncLinks::start(ports, move || wake()));
    }

    /// Shows the position of the active window in other programs, and queues what they request.
    pub(super) fn sync_position(&mut self) {
        self.share_with_gdb();
        let (Some(links), Some(desk)) = (&mut self.sync, &self.desk) else {
            return;
        };
        let window = desk.windows.active();
        links.show(&desk.session, window.position);
        for command in links.take_commands() {
            let action = match command {
                SyncCommand::StepInto => TravelAction::StepInto(Direction::Forward),
                SyncCommand::StepOver => TravelAction::StepOver(Direction::Forward),
                SyncCommand::GoTo(position) => TravelAction::Travel(window.id, position),
            };
            self.queue.push(Action::Travel(action));
        }
    }

    /// Moves the active window to the position of gdb. Another trace is no longer served.
    fn share_with_gdb(&mut self) {
        let Some(served) = &self.served else {
            return;
        };
        match &mut self.desk {
            Some(desk) if served.is_of(&desk.session) => {
                let window = desk.windows.active();
                if let Some(position) = served.exchange(window.position) {
                    let travel = TravelAction::Travel(window.id, position);
                    self.queue.push(Action::Travel(travel));
                }
            }
            changed => {
                self.served = None;
                if let Some(desk) = changed {
                    desk.inform(say!("gdb-trace-changed"));
                }
            }
        }
    }
}

/// Starts to serve the trace to gdb, or stops.
pub(super) fn toggle_gdb_server(shell: &mut dyn Shell) {
    let program = shell.program_mut();
    if program.served.take().is_some() {
        return in_desk(shell, |desk| desk.inform(say!("gdb-off")));
    }
    let Some(desk) = &program.desk else {
        return;
    };
    let Some(start) = program.start_gdb_server else {
        return report(shell, say!("gdb-not-built-in"));
    };
    if !desk.session.index.is_whole() {
        return report(shell, say!("gdb-needs-the-whole-trace"));
    }
    let (wake, shown) = (Arc::clone(&program.wake), desk.windows.active().position);
    match ServedTrace::start(start, &desk.session, shown, move || wake()) {
        Ok(served) => {
            let words = say!("gdb-on", address = served.address().to_string());
            program.served = Some(served);
            in_desk(shell, |desk| desk.inform(&words));
        }
        Err(error) => report(shell, &format!("{error:#}")),
    }
}

/// Starts to keep other programs at the position, or stops.
pub(super) fn toggle_sync(shell: &mut dyn Shell) {
    let program = shell.program_mut();
    let ports = program.sync_ports;
    let words = match program.sync.take() {
        Some(_) => say!("sync-off").to_owned(),
        None => {
            program.start_sync(ports);
            let (disassembler, viewer) = (ports.disassembler, ports.viewer);
            say!(
                "sync-on",
                disassembler = disassembler.to_string(),
                viewer = viewer.to_string()
            )
        }
    };
    in_desk(shell, |desk| desk.inform(&words));
}
