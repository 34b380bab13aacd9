//! Requests of the operating system to end. They close the window as its button does, so that the
//! session is saved.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Signal that closed the window, for the end of the program.
#[derive(Clone, Debug, Default)]
pub struct EndingSignal(Arc<AtomicI32>);

impl EndingSignal {
    /// Calls `close` on a separate thread when the program is to end. A second signal ends it at
    /// once, without saving. Without handlers a signal does so anyway.
    pub fn listen(&self, close: impl Fn() + Send + 'static) {
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
            let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT])
            else {
                return;
            };
            let first = self.clone();
            let wait = move || {
                for signal in &mut signals {
                    if first.0.swap(signal, Ordering::Relaxed) != 0 {
                        first.end();
                    }
                    close();
                }
            };
            let builder = std::thread::Builder::new().name("signals".to_owned());
            // Without the thread the handlers are gone, and signals act as before.
            let _started = builder.spawn(wait);
        }
        #[cfg(not(unix))]
        drop(close);
    }

    /// Ends the program as the signal would have, if there was one, so that the parent process sees
    /// the signal.
    pub fn end(&self) {
        #[cfg(unix)]
        if let signal @ 1.. = self.0.load(Ordering::Relaxed) {
            // The signal exists, since it arrived.
            let _ended = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}
