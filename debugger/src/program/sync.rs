//! Keeps other programs at the position of the active window, and performs what they request.

use std::sync::Arc;

use super::shell::{Shell, in_desk};
use super::state::Program;
use crate::action::{Action, Direction, TravelAction};
use crate::messages::say;
use crate::sync::{SyncCommand, SyncLinks, SyncPorts};

impl Program {
    /// Starts to keep other programs at the position.
    pub fn start_sync(&mut self, ports: SyncPorts) {
        let wake = Arc::clone(&self.wake);
        self.sync_ports = ports;
        self.sync = Some(SyncLinks::start(ports, move || wake()));
    }

    /// Shows the position of the active window in other programs, and queues what they request.
    pub(super) fn sync_position(&mut self) {
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
