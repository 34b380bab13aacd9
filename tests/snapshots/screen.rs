//! An invisible screen.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// An X server that ends with the test.
pub struct Screen {
    server: Child,
    name: String,
}

impl Screen {
    /// Starts the server. None if there is no Xvfb.
    pub fn open() -> Option<Self> {
        let mut command = Command::new("Xvfb");
        // The server chooses a free number and writes it when ready.
        command.args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1600x1000x24",
            "-nolisten",
            "tcp",
        ]);
        let mut server = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut number = String::new();
        BufReader::new(server.stdout.take()?)
            .read_line(&mut number)
            .ok()?;
        let screen = Self {
            server,
            name: format!(":{}", number.trim()),
        };
        (!number.trim().is_empty()).then_some(screen)
    }

    /// Returns the value of `DISPLAY`.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The server may have ended already.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
