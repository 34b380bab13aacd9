//! The browser without a terminal: keys go in, whole screens come out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Rect;
use stepback_debugger::desk::{Desk, TraceChoice};
use stepback_debugger::image::ImageSpec;
use stepback_debugger::session::OpenOptions;
use stepback_debugger::worker::Worker;
use stepback_terminal::{
    BrowserOptions, CharacterSet, ColorDepth, TerminalBrowser, TerminalStyle, text_of,
};
use tempfile::TempDir;

/// Longer than any wait takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser under test, with a separate screen.
pub struct Driver {
    pub browser: TerminalBrowser,
    /// Folder of its index, deleted with the driver.
    _folder: TempDir,
    buffer: Buffer,
    cursor: Option<(u16, u16)>,
}

impl Driver {
    /// Opens the small fixture with its program, on a screen of 80 columns and 24 rows.
    #[track_caller]
    pub fn overflow() -> Self {
        Self::of(
            "overflow_bare.tiny.tarmac",
            Some("assets/demo/overflow_bare.elf"),
        )
    }

    /// Opens a fixture.
    #[track_caller]
    pub fn of(fixture: &str, image: Option<&str>) -> Self {
        Self::with(&root().join("fixtures").join(fixture), image, look())
    }

    /// Opens a trace given as text.
    #[track_caller]
    pub fn text(trace: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tarmac");
        std::fs::write(&path, trace).unwrap();
        Self::with(&path, None, look())
    }

    #[track_caller]
    pub fn with(path: &Path, image: Option<&str>, look: TerminalStyle) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let images = image
            .iter()
            .map(|image| ImageSpec {
                path: root().join(image),
                offset: 0,
            })
            .collect();
        let options = OpenOptions {
            index: Some(folder.path().join("it.sbi")),
            images,
            ..OpenOptions::new(path)
        };
        let options = BrowserOptions {
            trace: Some(TraceChoice::of(options)),
            ..BrowserOptions::default()
        };
        let browser = TerminalBrowser::new(options, look, Worker::synchronous(), Arc::new(|| {}));
        let mut driver = Self {
            browser,
            _folder: folder,
            buffer: Buffer::empty(Rect::new(0, 0, 80, 24)),
            cursor: None,
        };
        driver.wait();
        assert!(
            driver.browser.desk().is_some(),
            "{:?}",
            driver.browser.message()
        );
        driver
    }

    /// Resizes the screen.
    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        self.wait();
        self
    }

    pub fn desk(&self) -> &Desk {
        self.browser.desk().unwrap()
    }

    pub fn position(&self) -> u64 {
        self.desk().windows.active().position.0
    }

    /// Draws until no work is pending.
    #[track_caller]
    pub fn wait(&mut self) {
        let limit = Instant::now() + PATIENCE;
        let mut quiet = 0;
        while quiet < 3 {
            let before = self.browser.questions();
            self.browser.advance();
            self.draw();
            let is_quiet = self.browser.is_idle() && self.browser.questions() == before;
            quiet = if is_quiet { quiet + 1 } else { 0 };
            if quiet == 0 {
                assert!(
                    Instant::now() < limit,
                    "something is still on its way:\n{}",
                    self.screen()
                );
                std::thread::yield_now();
            }
        }
    }

    fn draw(&mut self) {
        self.buffer.reset();
        self.cursor = self.browser.draw_into(&mut self.buffer);
    }

    /// Presses keys, each after the effect of the previous one is drawn: `Down`, `PgUp`, `C-l`,
    /// `F1`, `{`, and `"text"` letter by letter.
    #[track_caller]
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for event in events(keys) {
            self.browser.press(event);
            self.wait();
        }
        self
    }

    /// Sends keys in one go, like a held key.
    pub fn hold(&mut self, key: &str, times: usize) -> &mut Self {
        let event = events(key)[0];
        (0..times).for_each(|_| self.browser.press(event));
        self.wait();
        self
    }

    /// Clicks with the mouse.
    pub fn click(&mut self, x: u16, y: u16) -> &mut Self {
        self.mouse(MouseEventKind::Down(MouseButton::Left), x, y);
        self.mouse(MouseEventKind::Up(MouseButton::Left), x, y)
    }

    pub fn mouse(&mut self, kind: MouseEventKind, x: u16, y: u16) -> &mut Self {
        self.browser.touch(MouseEvent {
            kind,
            column: x,
            row: y,
            modifiers: KeyModifiers::NONE,
        });
        self.wait();
        self
    }

    /// Returns the screen as text.
    pub fn screen(&self) -> String {
        text_of(&self.buffer)
    }

    /// Returns a row of the screen.
    pub fn line(&self, row: usize) -> String {
        self.screen()
            .lines()
            .nth(row)
            .unwrap_or_default()
            .to_owned()
    }

    /// Returns the bottom line.
    pub fn bottom(&self) -> String {
        self.screen().lines().last().unwrap_or_default().to_owned()
    }

    /// Returns the number of the row that contains a text.
    #[track_caller]
    pub fn row_with(&self, text: &str) -> u16 {
        let screen = self.screen();
        let row = screen.lines().position(|line| line.contains(text));
        u16::try_from(row.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{screen}")))
            .unwrap()
    }

    /// Returns the position of the cursor while text is typed.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        self.cursor
    }

    /// Compares the whole screen with the stored one of this name in `screens`. `UPDATE_SCREENS=1`
    /// stores it again: inspect the difference before you commit it.
    #[track_caller]
    pub fn check(&mut self, name: &str) -> &mut Self {
        let path = root()
            .join("terminal/tests/terminal/screens")
            .join(format!("{name}.txt"));
        let screen = self.screen();
        if std::env::var_os("UPDATE_SCREENS").is_some() {
            std::fs::write(&path, &screen).unwrap();
            return self;
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == screen,
            "another screen than in {path:?}:\n{screen}\nit was:\n{kept}"
        );
        self
    }
}

/// Returns the style with colours and all characters.
pub fn look() -> TerminalStyle {
    TerminalStyle {
        colors: ColorDepth::True,
        signs: CharacterSet::Unicode,
    }
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Parses the key notation of the tests.
#[track_caller]
fn events(keys: &str) -> Vec<KeyEvent> {
    let mut events = Vec::new();
    let mut rest = keys.trim();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (text, after) = quoted.split_once('"').expect("a closing quote");
            events.extend(
                text.chars()
                    .map(|letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)),
            );
            rest = after.trim_start();
            continue;
        }
        let (key, after) = rest.split_once(' ').unwrap_or((rest, ""));
        events.push(event(key));
        rest = after.trim_start();
    }
    events
}

#[track_caller]
fn event(key: &str) -> KeyEvent {
    let (mut held, mut name) = (KeyModifiers::NONE, key);
    for (prefix, holds) in [("C-", KeyModifiers::CONTROL), ("S-", KeyModifiers::SHIFT)] {
        if let Some(rest) = name
            .strip_prefix(prefix)
            .filter(|rest| !rest.is_empty() && name != "S-Tab")
        {
            (held, name) = (held | holds, rest);
        }
    }
    let code = match name {
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "Tab" => KeyCode::Tab,
        "S-Tab" => KeyCode::BackTab,
        "Return" => KeyCode::Enter,
        "Escape" => KeyCode::Esc,
        "Backspace" => KeyCode::Backspace,
        "Delete" => KeyCode::Delete,
        name if name.len() > 1 && name.starts_with('F') => {
            KeyCode::F(name[1..].parse().expect("a number"))
        }
        name => {
            let mut letters = name.chars();
            let letter = letters.next().expect("a key");
            assert!(letters.next().is_none(), "no key: {name:?}");
            KeyCode::Char(letter)
        }
    };
    KeyEvent::new(code, held)
}
