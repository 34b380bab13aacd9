//! Signals that end the program: unfinished output files are removed first.

#[cfg(unix)]
pub use unix::remove_files_on_signals;

/// Does nothing: there are no signals.
#[cfg(not(unix))]
pub fn remove_files_on_signals() {}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::sync::Once;
    use std::thread::Builder;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use stepback_debugger::new_file::remove_unfinished;

    static LISTENER: Once = Once::new();

    /// Removes unfinished output files when a signal ends the program. Without handlers, which the
    /// system may refuse, the files stay.
    pub fn remove_files_on_signals() {
        LISTENER.call_once(|| _ = listen());
    }

    fn listen() -> std::io::Result<()> {
        let ignored = ignored_signals();
        // `nohup` and background jobs of scripts ignore signals, and a handler would change that.
        let caught = [SIGTERM, SIGHUP, SIGINT]
            .into_iter()
            .filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let mut signals = Signals::new(caught)?;
        Builder::new().name("signals".to_owned()).spawn(move || {
            if let Some(signal) = signals.forever().next() {
                // The parent process sees the signal.
                remove_unfinished(|| _ = emulate_default_handler(signal));
            }
        })?;
        Ok(())
    }

    /// Returns a bit for each signal that the program was started to ignore. Only Linux says.
    fn ignored_signals() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mut lines = status.lines();
        lines
            .find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok())
            .unwrap_or(0)
    }
}
