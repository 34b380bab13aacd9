//! A screen that nobody sees.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// An X server of the test's own, which ends with it.
pub struct Screen {
    server: Child,
    name: String,
}

impl Screen {
    /// Starts it; none where there is no Xvfb.
    pub fn open() -> Option<Self> {
        let mut command = Command::new("Xvfb");
        // It chooses a number that is free, and writes it when it is ready.
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

    /// What `DISPLAY` calls it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
