//! Signals of Unix.

use std::io;
use std::thread::Builder;

use rustix::io::ioctl_fionread;
use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::signal::Signal;

/// Reports each signal, on a separate thread, until the program ends.
///
/// # Errors
/// The signal handlers cannot be installed.
pub fn listen(tell: impl Fn(Signal) + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
    Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in &mut signals {
            tell(match signal {
                SIGTSTP => Signal::Suspend,
                SIGCONT => Signal::Resume,
                number => Signal::End(number),
            });
        }
    })?;
    Ok(())
}

/// Stops the program until it is continued.
///
/// # Errors
/// The program cannot be stopped.
pub fn stop() -> io::Result<()> {
    emulate_default_handler(SIGTSTP)
}

/// Ends the program as the signal would have, so that the parent process sees the signal.
///
/// # Errors
/// The signal does not exist.
pub fn die_of(signal: i32) -> io::Result<()> {
    emulate_default_handler(signal)
}

/// Makes the terminal report its unread bytes again.
///
/// crossterm waits for an edge (`EPOLLET`), reads 1,024 bytes and waits for the next edge, even if
/// more bytes are there: a long paste or many repeated keys stall. Setting the attributes that the
/// terminal already has wakes its readers (Linux, `n_tty_set_termios`), which is such an edge.
///
/// # Errors
/// Standard input is not a terminal.
pub fn signal_unread_input() -> io::Result<()> {
    if ioctl_fionread(stdin())? > 0 {
        tcsetattr(stdin(), OptionalActions::Now, &tcgetattr(stdin())?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_signal_is_reported() {
        let (tell, stated) = channel();
        listen(move |signal| {
            let _is_heard = tell.send(signal);
        })
        .unwrap();
        signal_hook::low_level::raise(SIGCONT).unwrap();
        assert_eq!(
            stated.recv_timeout(Duration::from_secs(20)),
            Ok(Signal::Resume)
        );
    }
}
