//! Run loop of the browser: in a terminal, or without one for a script that ends in a picture. It
//! draws after input, news from the workers and signals, and waits briefly for a move, so that most
//! moves are drawn once.

use std::io;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event;
use ratatui::crossterm::event::Event as Input;
use ratatui::layout::Rect;
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::messages::{Language, LanguageChoice};
use stepback_debugger::new_file::NewFile;
use stepback_debugger::program::Wake;
use stepback_debugger::sync::{StartServer, SyncPorts};
use stepback_debugger::worker::Worker;

use crate::browser::TerminalBrowser;
use crate::look::{CharacterSetChoice, TerminalStyle, can_draw};
use crate::pen::text_of;
use crate::screen::{Screen, restore_on_panic};
use crate::signals;
use crate::signals::Signal;

/// Number of worker threads that answer queries.
const WORKERS: usize = 3;
/// Redraw interval of content that changes without input.
const TICK: Duration = Duration::from_millis(100);
/// Maximum wait for a move before a frame is drawn. Most moves arrive by then, so that nothing is
/// drawn twice.
const PATIENCE: Duration = Duration::from_millis(8);
/// Columns and rows of a picture without a terminal.
const PICTURE: (u16, u16) = (100, 40);
/// Maximum wait for an answer that a picture needs.
const ANSWER: Duration = Duration::from_secs(600);

/// Event that wakes the run loop.
enum WakeEvent {
    Input(io::Result<Input>),
    Signal(Signal),
    News,
}

/// Runs the browser until the user leaves it.
///
/// # Errors
/// The script is wrong or a line of it failed, the picture could not be saved, or the terminal
/// cannot be used.
pub fn run(options: BrowserOptions) -> Result<BrowserOutcome> {
    let signs = if options.is_ascii {
        CharacterSetChoice::Ascii
    } else {
        CharacterSetChoice::Detected
    };
    let look = TerminalStyle::of(|name| std::env::var(name).ok(), signs);
    if options.quit {
        return run_unseen(options, look);
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(BrowserOutcome::NoTerminal(
            "standard input or output is not a terminal".to_owned(),
        ));
    }
    let term = std::env::var("TERM").unwrap_or_default();
    if cfg!(unix) && !can_draw(&term) {
        return Ok(BrowserOutcome::NoTerminal(no_cursor(&term)));
    }
    if !options.is_scripted() {
        let saved = options.settings_file.as_deref().map(LanguageChoice::saved);
        let language = saved.unwrap_or_default().of(Language::of_system());
        language.speak();
    }
    run_in_terminal(options, look)
}

/// Returns the reason for refusing a terminal that cannot move its cursor.
fn no_cursor(term: &str) -> String {
    let what = match term {
        "" => "TERM is not set".to_owned(),
        term => format!("a terminal of type {term:?} cannot move its cursor"),
    };
    format!("{what}: set TERM to the type of the terminal, for example xterm-256color")
}

/// Runs the script without a terminal and saves the screen.
fn run_unseen(options: BrowserOptions, look: TerminalStyle) -> Result<BrowserOutcome> {
    let (columns, rows) = options.size.unwrap_or(PICTURE);
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    let picture = options.screenshot.clone();
    let (wake, news) = channel::<()>();
    let wake: Wake = Arc::new(move || {
        // The receiver may already be gone at the end of the program.
        let _unheard = wake.send(());
    });
    let mut browser = new_browser(options, look, &wake);
    loop {
        settle(&mut browser, &mut buffer, &news)?;
        if browser.is_over() || !browser.next_of_script() {
            break;
        }
    }
    if let Some(place) = picture {
        save(&place, &text_of(&buffer))?;
    }
    browser.close();
    browser
        .failure()
        .map_or(Ok(BrowserOutcome::Done), |error| Err(anyhow!(error)))
}

fn new_browser(options: BrowserOptions, look: TerminalStyle, wake: &Wake) -> TerminalBrowser {
    let woken = Arc::clone(wake);
    TerminalBrowser::new(
        options,
        look,
        Worker::new(WORKERS, move || woken()),
        Arc::clone(wake),
    )
}

/// Draws until all answers are drawn.
fn settle(browser: &mut TerminalBrowser, buffer: &mut Buffer, news: &Receiver<()>) -> Result<()> {
    let limit = Instant::now() + ANSWER;
    let mut quiet = 0;
    while quiet < 3 {
        let before = browser.questions();
        browser.advance();
        buffer.reset();
        browser.draw_into(buffer);
        if let Some(error) = browser.failure() {
            return Err(anyhow!(error));
        }
        if browser.is_idle() {
            quiet = if browser.questions() == before {
                quiet + 1
            } else {
                0
            };
            continue;
        }
        quiet = 0;
        if Instant::now() > limit {
            return Err(anyhow!("no answer came for {} seconds", ANSWER.as_secs()));
        }
        // The next frame checks for answers in both cases: after a timeout and after a wake-up.
        let _woken = news.recv_timeout(TICK);
    }
    Ok(())
}

/// Writes the screen as text; `-` is standard output.
fn save(place: &Path, text: &str) -> Result<()> {
    if place.as_os_str() == "-" {
        return Ok(io::stdout().write_all(text.as_bytes())?);
    }
    NewFile::write_whole(place, text.as_bytes()).map_err(|error| {
        anyhow!(
            "{}: the screen could not be saved ({error})",
            place.display()
        )
    })
}

fn run_in_terminal(options: BrowserOptions, look: TerminalStyle) -> Result<BrowserOutcome> {
    let (sender, events) = channel();
    let wake = waker(&sender);
    let picture = options.screenshot.clone();
    restore_on_panic();
    let mut screen =
        Screen::enter().map_err(|error| anyhow!("the terminal cannot be used: {error}"))?;
    let stated = sender.clone();
    signals::listen(move |signal| {
        let _unheard = stated.send(WakeEvent::Signal(signal));
    })?;
    read_input(sender)?;
    let mut running = RunningBrowser {
        browser: new_browser(options, look, &wake),
        screen: &mut screen,
        events,
        ended_by: None,
    };
    let drawn = running.run(picture.as_deref());
    running.browser.close();
    let (failure, ended_by) = (running.browser.failure(), running.ended_by);
    drop(screen);
    drawn?;
    if let Some(signal) = ended_by {
        signals::die_of(signal)?;
    }
    failure.map_or(Ok(BrowserOutcome::Done), |error| Err(anyhow!(error)))
}

fn waker(sender: &Sender<WakeEvent>) -> Wake {
    let sender = sender.clone();
    Arc::new(move || {
        // The receiver may already be gone at the end of the program.
        let _unheard = sender.send(WakeEvent::News);
    })
}

/// Reads keys on a separate thread until the program ends.
fn read_input(sender: Sender<WakeEvent>) -> io::Result<()> {
    let job = move || {
        loop {
            let input = next_input();
            let is_last = input.is_err();
            if sender.send(WakeEvent::Input(input)).is_err() || is_last {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("keys".to_owned())
        .spawn(job)
        .map(drop)
}

/// Waits for an event.
fn next_input() -> io::Result<Input> {
    if !event::poll(Duration::ZERO)? {
        signals::signal_unread_input()?;
    }
    event::read()
}

/// The browser while it runs in a terminal.
struct RunningBrowser<'a> {
    browser: TerminalBrowser,
    screen: &'a mut Screen,
    events: Receiver<WakeEvent>,
    /// The signal that ended the run.
    ended_by: Option<i32>,
}

impl RunningBrowser<'_> {
    fn run(&mut self, picture: Option<&Path>) -> Result<()> {
        let mut picture = picture;
        while !self.browser.is_over() {
            self.browser.advance();
            self.draw()?;
            if self.browser.is_idle()
                && !self.browser.next_of_script()
                && let Some(place) = picture.take()
            {
                self.save_picture(place)?;
            }
            self.wait()?;
        }
        Ok(())
    }

    fn draw(&mut self) -> Result<()> {
        let browser = &mut self.browser;
        self.screen.draw(|frame| browser.draw(frame))?;
        for sequence in self.browser.take_sequences() {
            self.screen.send(&sequence)?;
        }
        if let Some(place) = self.browser.take_snapshot() {
            self.save_picture(&place)?;
        }
        Ok(())
    }

    fn save_picture(&mut self, place: &Path) -> Result<()> {
        let browser = &mut self.browser;
        let mut text = String::new();
        self.screen.draw(|frame| {
            browser.draw(frame);
            text = text_of(frame.buffer_mut());
        })?;
        match save(place, &text) {
            Ok(()) => self.browser.tell_saved_picture(place),
            Err(error) => self.browser.report(&error.to_string()),
        }
        Ok(())
    }

    /// Waits for an event and handles all pending ones. Keys repeated while the last frame was
    /// being drawn lead to one frame.
    fn wait(&mut self) -> Result<()> {
        let first = match self.browser.is_counting() || self.browser.has_script() {
            true => self.events.recv_timeout(TICK),
            false => self
                .events
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        };
        match first {
            Ok(event) => self.take(event)?,
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => return Err(anyhow!("no more keys can be read")),
        }
        self.drain()?;
        // A move that was just requested is nearly complete.
        let limit = Instant::now() + PATIENCE;
        self.browser.advance();
        while self.browser.is_moving() {
            let Some(left) = limit.checked_duration_since(Instant::now()) else {
                break;
            };
            let Ok(event) = self.events.recv_timeout(left) else {
                break;
            };
            self.take(event)?;
            self.drain()?;
            self.browser.advance();
        }
        Ok(())
    }

    fn drain(&mut self) -> Result<()> {
        while let Ok(event) = self.events.try_recv() {
            self.take(event)?;
        }
        Ok(())
    }

    fn take(&mut self, event: WakeEvent) -> Result<()> {
        match event {
            WakeEvent::Input(input) => self.take_input(input?),
            WakeEvent::Signal(Signal::End(number)) => {
                self.ended_by = Some(number);
                self.browser.end();
            }
            WakeEvent::Signal(Signal::Suspend) => self.screen.suspend()?,
            WakeEvent::Signal(Signal::Resume) => self.screen.resume()?,
            WakeEvent::News => {}
        }
        if self.browser.take_suspension() {
            self.screen.suspend()?;
        }
        Ok(())
    }

    fn take_input(&mut self, input: Input) {
        match input {
            Input::Key(key) => self.browser.press(key),
            Input::Mouse(event) => self.browser.touch(event),
            Input::Paste(text) => self.browser.paste(&text),
            // The next frame queries the terminal size.
            Input::Resize(..) | Input::FocusGained | Input::FocusLost => {}
        }
    }
}

/// Options of a run in the terminal.
#[derive(Clone, Debug, Default)]
pub struct BrowserOptions {
    /// The trace; without one the screen shows how to open a trace.
    pub trace: Option<TraceChoice>,
    /// Initial position, in the language of the command line.
    pub at: Option<String>,
    /// A second trace to compare with.
    pub compare: Option<PathBuf>,
    /// Ports of other programs to keep at the position.
    pub sync: Option<SyncPorts>,
    /// Starts a server for gdb.
    pub gdb_server: Option<StartServer>,
    /// Path of a script of actions.
    pub script: Option<PathBuf>,
    /// Path for a text picture of the screen after the script; `-` is standard output.
    pub screenshot: Option<PathBuf>,
    /// Columns and rows of the screen if there is no terminal.
    pub size: Option<(u16, u16)>,
    /// Quits after the script and the picture.
    pub quit: bool,
    /// Restricts output to ASCII.
    pub is_ascii: bool,
    /// The user's settings file. Only its language is read, and never in a scripted run.
    pub settings_file: Option<PathBuf>,
}

impl BrowserOptions {
    /// Returns true if the run is unattended: errors then end the program, and nothing is saved.
    pub fn is_scripted(&self) -> bool {
        self.script.is_some() || self.screenshot.is_some() || self.quit
    }
}

/// Outcome of a run in the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrowserOutcome {
    /// The user quit, or the script ended.
    Done,
    /// No terminal is available; the reason is one sentence without a full stop.
    NoTerminal(String),
}
