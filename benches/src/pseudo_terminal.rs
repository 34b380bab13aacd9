//! A program in a pseudo-terminal: its output for typed keys, and the cost.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::Result;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A program in a terminal. Dropping it ends the program.
pub struct PseudoTerminal {
    child: Child,
    keys: File,
    sent: Receiver<(Instant, Vec<u8>)>,
}

/// Output of a program until it was quiet.
#[derive(Debug, Default)]
pub struct Sent {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// Time of the first byte.
    pub first: Option<Instant>,
    /// Time of the last byte.
    pub last: Option<Instant>,
}

impl PseudoTerminal {
    /// Starts a program in a terminal of a size: columns and rows.
    ///
    /// # Errors
    /// The program does not exist, or no terminal is available.
    pub fn run(mut command: Command, (columns, rows): (u16, u16)) -> Result<Self> {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        tcsetwinsize(
            &ours,
            Winsize {
                ws_row: rows,
                ws_col: columns,
                ws_xpixel: 0,
                ws_ypixel: 0,
            },
        )?;
        let name = std::ffi::OsString::from_vec(ptsname(&ours, Vec::new())?.into_bytes());
        let theirs = File::options().read(true).write(true).open(name)?;
        let child = command
            .stdin(theirs.try_clone()?)
            .stdout(theirs.try_clone()?)
            .stderr(theirs)
            .spawn()?;
        let keys = File::from(ours);
        let mut screen = keys.try_clone()?;
        let (sender, sent) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(length @ 1..) = screen.read(&mut buffer) {
                let bytes = buffer.get(..length).unwrap_or_default().to_vec();
                if sender.send((Instant::now(), bytes)).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, keys, sent })
    }

    /// Types keys.
    ///
    /// # Errors
    /// The program has ended.
    pub fn send(&mut self, keys: &[u8]) -> Result<()> {
        Ok(self.keys.write_all(keys)?)
    }

    /// Collects output until none has arrived for a while.
    pub fn until_quiet(&self, quiet: Duration) -> Sent {
        let mut sent = Sent::default();
        while let Ok((at, bytes)) = self.sent.recv_timeout(quiet) {
            sent.first.get_or_insert(at);
            sent.last = Some(at);
            sent.bytes.extend(bytes);
        }
        sent
    }

    /// Waits for a text, for at most a minute. Returns the time at which it arrived.
    pub fn until(&self, text: &str) -> Option<Instant> {
        let (limit, mut seen) = (Instant::now() + Duration::from_secs(60), Vec::new());
        while let Some(left) = limit.checked_duration_since(Instant::now()) {
            let (at, bytes) = self.sent.recv_timeout(left).ok()?;
            seen.extend(bytes);
            if memchr::memmem::find(&seen, text.as_bytes()).is_some() {
                return Some(at);
            }
        }
        None
    }

    /// Returns the CPU time of all its running threads.
    pub fn cpu_time(&self) -> Option<Duration> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).ok()?;
        let of_task = |task: std::fs::DirEntry| {
            let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<u64>().ok()
        };
        Some(Duration::from_nanos(
            tasks.flatten().filter_map(of_task).sum(),
        ))
    }

    /// Returns a number of its `/proc/PID/status`: `RssAnon`, `VmHWM`.
    pub fn status_kib(&self, name: &str) -> Option<u64> {
        crate::system::number_in(&format!("/proc/{}/status", self.child.id()), name)
    }
}

impl Drop for PseudoTerminal {
    fn drop(&mut self) {
        // The program may have ended already.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
