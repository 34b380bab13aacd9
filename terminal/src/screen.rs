//! Terminal screen ([`Screen`]): taken over, drawn to, and restored however the program ends. Only
//! changed cells are sent, a frame in one piece. Text is copied to the clipboard of the user's
//! terminal, local or remote, through the escape sequence OSC 52 (xterm, "Operating System
//! Commands", `Ps = 5 2`).

use std::cell::RefCell;
use std::io::{Stdout, Write, stdout};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, panic, thread};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{execute, queue};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

/// Reports presses, drags and the wheel, but not every pointer movement, which would be costly on a
/// slow link.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// True while the terminal is taken over, so that it is restored only once.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while the program owns it. Dropping it restores the terminal.
pub struct Screen {
    cells: ScreenCells<Stdout>,
}

impl Screen {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// The terminal cannot be written to, or there is none.
    pub fn enter() -> io::Result<Self> {
        take(&mut stdout())?;
        let cells = ScreenCells::over(stdout(), Viewport::Fullscreen)
            .inspect_err(|_| give_back(&mut stdout()))?;
        Ok(Self { cells })
    }

    /// Draws a frame. Only changed cells are sent, in one write.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub fn draw(&mut self, frame: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.cells.draw(frame)
    }

    /// Sends an escape sequence other than cells, for example a text for the clipboard.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub fn send(&mut self, sequence: &str) -> io::Result<()> {
        let mut out = stdout();
        out.write_all(sequence.as_bytes())?;
        out.flush()
    }

    /// Returns the terminal to the shell until the user continues the program.
    ///
    /// # Errors
    /// The terminal cannot be taken over again.
    pub fn suspend(&mut self) -> io::Result<()> {
        give_back(&mut stdout());
        super::signals::stop()?;
        self.resume()
    }

    /// Takes the terminal over again after a shell used it. The next frame draws everything.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub fn resume(&mut self) -> io::Result<()> {
        give_back(&mut stdout());
        take(&mut stdout())?;
        // `Terminal::clear` would query the cursor position, and the thread that reads keys would
        // receive the answer.
        self.cells = ScreenCells::over(stdout(), Viewport::Fullscreen)?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back(&mut stdout());
    }
}

/// Restores the terminal before a panic of this thread is reported. Panics of other threads become
/// answers, which are shown in their panes. The hook's output would land among the cells, so it is
/// suppressed while the program owns the terminal.
pub fn restore_on_panic() {
    let (ours, before) = (thread::current().id(), panic::take_hook());
    panic::set_hook(Box::new(move |panic| {
        if thread::current().id() == ours {
            give_back(&mut stdout());
        }
        if !IS_TAKEN.load(Ordering::Relaxed) {
            before(panic);
        }
    }));
}

fn take(out: &mut impl Write) -> io::Result<()> {
    IS_TAKEN.store(true, Ordering::Relaxed);
    enable_raw_mode()
        .and_then(|()| write_taking(out))
        .inspect_err(|_| give_back(&mut stdout()))
}

/// Errors are ignored: nobody is left to read them.
fn give_back(out: &mut impl Write) {
    if IS_TAKEN.swap(false, Ordering::Relaxed) {
        let _written = write_giving_back(out);
        let _is_cooked = disable_raw_mode();
    }
}

fn write_taking(out: &mut impl Write) -> io::Result<()> {
    execute!(
        out,
        EnterAlternateScreen,
        Clear(ClearType::All),
        EnableBracketedPaste,
        Print(MOUSE_ON),
        Hide
    )
}

fn write_giving_back(out: &mut impl Write) -> io::Result<()> {
    // The terminal must not wait for the end of an interrupted frame.
    execute!(
        out,
        EndSynchronizedUpdate,
        Print(MOUSE_OFF),
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    )
}

/// Cells of a terminal, and the output for their changes.
struct ScreenCells<W: Write> {
    terminal: Terminal<CrosstermBackend<FrameBuffer>>,
    frame: FrameBuffer,
    out: W,
}

impl<W: Write> ScreenCells<W> {
    fn over(out: W, viewport: Viewport) -> io::Result<Self> {
        let frame = FrameBuffer::default();
        let terminal = Terminal::with_options(
            CrosstermBackend::new(frame.clone()),
            TerminalOptions { viewport },
        )?;
        Ok(Self {
            terminal,
            frame,
            out,
        })
    }

    fn draw(&mut self, frame: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        queue!(self.frame, BeginSynchronizedUpdate)?;
        let drawn = self.terminal.draw(frame).map(|_| ());
        queue!(self.frame, EndSynchronizedUpdate)?;
        self.out.write_all(&self.frame.0.take())?;
        drawn.and(self.out.flush())
    }
}

/// Buffer for a frame, so that it is sent in one piece.
#[derive(Clone, Default)]
struct FrameBuffer(Rc<RefCell<Vec<u8>>>);

impl Write for FrameBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Maximum text length in bytes. Terminals drop longer sequences: xterm and tmux keep about 100 kB.
const LONGEST: usize = 74_994;

/// Returns the sequence that copies a text to the clipboard, or none if the text is too long.
pub fn copy_sequence(text: &str) -> Option<String> {
    (text.len() <= LONGEST).then(|| format!("\x1b]52;c;{}\x07", STANDARD.encode(text)))
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;

    fn cells() -> ScreenCells<Vec<u8>> {
        ScreenCells::over(Vec::new(), Viewport::Fixed(Rect::new(0, 0, 20, 4))).unwrap()
    }

    fn sent(cells: &mut ScreenCells<Vec<u8>>, text: &'static str) -> String {
        cells
            .draw(|frame| frame.render_widget(text, frame.area()))
            .unwrap();
        String::from_utf8(std::mem::take(&mut cells.out)).unwrap()
    }

    #[test]
    fn only_changed_cells_are_sent_between_the_marks_of_a_frame() {
        let mut cells = cells();
        assert!(sent(&mut cells, "step_1249").contains("step_1249"));
        let second = sent(&mut cells, "step_1250");
        assert!(
            second.starts_with("\x1b[?2026h") && second.ends_with("\x1b[?2026l"),
            "{second:?}"
        );
        assert!(
            second.contains("50") && !second.contains("step") && second.len() < 80,
            "{second:?}"
        );
    }

    #[test]
    fn what_is_turned_on_is_turned_off() {
        let (mut on, mut off) = (Vec::new(), Vec::new());
        write_taking(&mut on).unwrap();
        write_giving_back(&mut off).unwrap();
        let modes = |bytes: Vec<u8>, end: char| -> Vec<String> {
            let text = String::from_utf8(bytes).unwrap();
            let mut modes: Vec<String> = text
                .split("\x1b[?")
                .filter_map(|mode| Some(mode.split_once(end)?.0.to_owned()))
                .collect();
            // Modes of the other kind are followed by other characters than digits.
            modes.retain(|mode| mode.bytes().all(|digit| digit.is_ascii_digit()));
            modes.sort();
            modes
        };
        // Hiding the cursor and the frame mark have no counterparts.
        let (hidden, frame) = ("25".to_owned(), "2026".to_owned());
        let mut turned_on = modes(on.clone(), 'h');
        turned_on.push(frame);
        turned_on.sort();
        assert_eq!(turned_on, modes(off.clone(), 'l'));
        assert_eq!(
            (modes(on, 'l'), modes(off, 'h')),
            (vec![hidden.clone()], vec![hidden])
        );
    }
}

#[cfg(test)]
mod clipboard_tests {
    use super::*;

    #[test]
    fn a_text_is_sent_as_base64() {
        assert_eq!(
            copy_sequence("x0 ← 1").as_deref(),
            Some("\x1b]52;c;eDAg4oaQIDE=\x07")
        );
        assert_eq!(copy_sequence(&"a".repeat(LONGEST + 1)), None);
    }
}
