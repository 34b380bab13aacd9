//! The terminal as a screen: taken over, drawn, and given back as it was, whatever ends the program.

use std::cell::RefCell;
use std::io::{self, Stdout, Write, stdout};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{panic, thread};

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

/// Presses, drags and the wheel, without every move of the pointer, which would cost a slow link.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// Whether the terminal is taken over: it is given back once.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while it is ours. Dropped, it is as it was.
pub struct Screen {
    cells: ScreenCells<Stdout>,
}

impl Screen {
    /// Takes the terminal over.
    ///
    /// # Errors
    /// When the terminal cannot be written to, or there is none.
    pub fn enter() -> io::Result<Self> {
        take(&mut stdout())?;
        let cells = ScreenCells::over(stdout(), Viewport::Fullscreen)
            .inspect_err(|_| give_back(&mut stdout()))?;
        Ok(Self { cells })
    }

    /// Draws a frame. Only the cells that differ from the last one are sent, all at once.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn draw(&mut self, frame: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.cells.draw(frame)
    }

    /// Sends something that is no cell: a text for the clipboard.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn send(&mut self, sequence: &str) -> io::Result<()> {
        let mut out = stdout();
        out.write_all(sequence.as_bytes())?;
        out.flush()
    }

    /// Gives the terminal to the shell until the user comes back.
    ///
    /// # Errors
    /// When the terminal cannot be taken over again.
    pub fn suspend(&mut self) -> io::Result<()> {
        give_back(&mut stdout());
        super::signals::stop()?;
        self.resume()
    }

    /// Takes the terminal over again and draws everything with the next frame: a shell had it meanwhile.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn resume(&mut self) -> io::Result<()> {
        give_back(&mut stdout());
        take(&mut stdout())?;
        // Asking ratatui to clear would ask the terminal where its cursor is, whose answer whoever reads the keys would get.
        self.cells = ScreenCells::over(stdout(), Viewport::Fullscreen)?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back(&mut stdout());
    }
}

/// Gives the terminal back before a panic of this thread is told. Other threads' panics become answers, which are shown in
/// their place: what the hook would print lands amid the cells, so it is left out while the terminal is ours.
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

/// Errors are of no use here: whoever would read of them is gone.
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
    // A frame that was cut short must not keep the terminal waiting for its end.
    execute!(
        out,
        EndSynchronizedUpdate,
        Print(MOUSE_OFF),
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    )
}

/// The cells of a terminal, and where changes of them go.
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

/// Keeps what is written until the frame is whole, so that it goes out in one piece.
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
            // What follows a mode of the other kind is no number.
            modes.retain(|mode| mode.bytes().all(|digit| digit.is_ascii_digit()));
            modes.sort();
            modes
        };
        // The cursor is hidden, and the mark of a frame has no counterpart.
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
