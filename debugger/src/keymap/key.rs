//! Keys and key strokes, independent of the front end, with their textual forms for files and for
//! menus.

use crate::messages;
use crate::messages::say;

/// Defines [`Key`]. The name of a key in files is its identifier, unless a literal follows it.
macro_rules! keys {
    ($($key:ident $(= $name:literal)?),+ $(,)?) => {
        /// A key that can be pressed by itself or together with [`Modifiers`](super::Modifiers).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $(#[doc = concat!("The key `", stringify!($key), "`.")] $key,)+
        }

        impl Key {
            pub const ALL: &'static [Self] = &[$(Self::$key),+];

            /// Returns the English name for files and menus.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$key => keys!(@name $key $($name)?),)+
                }
            }
        }
    };
    (@name $key:ident) => { stringify!($key) };
    (@name $key:ident $name:literal) => { $name };
}

keys! {
    ArrowDown = "Down", ArrowLeft = "Left", ArrowRight = "Right", ArrowUp = "Up",
    Home, End, PageUp, PageDown,
    Escape, Tab, Backspace, Enter, Insert, Delete, Space,
    Copy, Cut, Paste,
    Colon, Comma, Period, Semicolon, Slash, Pipe, Questionmark, Exclamationmark, Backtick, Quote,
    Minus = "-", Plus = "+", Equals = "=", Backslash = "\\",
    OpenBracket = "[", CloseBracket = "]", OpenCurlyBracket = "{", CloseCurlyBracket = "}",
    Less = "<", Greater = ">", Underscore = "_",
    Num0 = "0", Num1 = "1", Num2 = "2", Num3 = "3", Num4 = "4",
    Num5 = "5", Num6 = "6", Num7 = "7", Num8 = "8", Num9 = "9",
    A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z,
    F1, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12, F13, F14, F15, F16, F17, F18,
    F19, F20, F21, F22, F23, F24, F25, F26, F27, F28, F29, F30, F31, F32, F33, F34, F35,
    BrowserBack, BrowserForward, BrowserRefresh, BrowserSearch, BrowserHome, BrowserFavorites, BrowserStop,
    MediaPlayPause, MediaTrackNext, MediaTrackPrevious, MediaStop, AudioVolumeMute, AudioVolumeDown, AudioVolumeUp,
    LaunchMail, LaunchApp1, LaunchApp2,
    IntlBackslash, PrintScreen, Pause, Menu, Eject, Help, Power, Sleep, Clear,
}

/// Characters of keys whose names in files are words.
const SIGNS: [(char, Key); 11] = [
    (' ', Key::Space),
    (':', Key::Colon),
    (',', Key::Comma),
    ('.', Key::Period),
    (';', Key::Semicolon),
    ('/', Key::Slash),
    ('|', Key::Pipe),
    ('?', Key::Questionmark),
    ('!', Key::Exclamationmark),
    ('`', Key::Backtick),
    ('\'', Key::Quote),
];

/// Alternative names of some keys.
const OTHER_NAMES: [(&str, Key); 6] = [
    ("ArrowDown", Key::ArrowDown),
    ("ArrowLeft", Key::ArrowLeft),
    ("ArrowRight", Key::ArrowRight),
    ("ArrowUp", Key::ArrowUp),
    ("Esc", Key::Escape),
    ("Return", Key::Enter),
];

impl Key {
    /// Returns the key that types a letter (of either case), a digit or a punctuation character.
    pub fn of_char(typed: char) -> Option<Self> {
        let is_it = |key: &&Key| key.name().chars().eq([typed.to_ascii_uppercase()]);
        let sign = SIGNS
            .iter()
            .find(|(sign, _)| *sign == typed)
            .map(|(_, key)| *key);
        sign.or_else(|| Key::ALL.iter().find(is_it).copied())
    }

    /// Returns the letter (in upper case), digit or punctuation character that it types.
    pub fn typed(self) -> Option<char> {
        let sign = SIGNS
            .iter()
            .find(|(_, key)| *key == self)
            .map(|(sign, _)| *sign);
        let mut letters = self.name().chars();
        let single = letters.next().filter(|_| letters.as_str().is_empty());
        sign.or(single)
    }

    /// Returns the key with a name, in any case.
    pub fn of_name(name: &str) -> Option<Self> {
        let is_it = |key: &&Key| key.name().eq_ignore_ascii_case(name);
        let mut letters = name.chars();
        let sign = letters
            .next()
            .filter(|_| letters.as_str().is_empty())
            .and_then(Self::of_char);
        let other = || {
            OTHER_NAMES
                .iter()
                .find(|(other, _)| other.eq_ignore_ascii_case(name))
                .map(|(_, key)| *key)
        };
        Key::ALL.iter().find(is_it).copied().or(sign).or_else(other)
    }

    /// Returns true if it types a punctuation character, for which Shift may be needed.
    pub fn is_sign(self) -> bool {
        self.typed()
            .is_some_and(|typed| typed.is_ascii_punctuation())
    }

    /// Returns true for `F1`, `F2` and so on.
    pub fn is_function_key(self) -> bool {
        self.name()
            .strip_prefix('F')
            .is_some_and(|number| number.parse::<u8>().is_ok())
    }
}

/// Modifier keys that are held while a key is pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Modifiers {
    /// Ctrl; on a Mac also the command key.
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

impl Modifiers {
    /// No modifiers.
    pub const NONE: Self = Self {
        ctrl: false,
        alt: false,
        shift: false,
    };
    /// Only Ctrl.
    pub const CTRL: Self = Self {
        ctrl: true,
        ..Self::NONE
    };
    /// Only Alt.
    pub const ALT: Self = Self {
        alt: true,
        ..Self::NONE
    };
    /// Only Shift.
    pub const SHIFT: Self = Self {
        shift: true,
        ..Self::NONE
    };
    pub const CTRL_SHIFT: Self = Self {
        ctrl: true,
        shift: true,
        ..Self::NONE
    };
}

/// A key and its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyStroke {
    pub modifiers: Modifiers,
    pub key: Key,
}

impl KeyStroke {
    pub const fn new(modifiers: Modifiers, key: Key) -> Self {
        Self { modifiers, key }
    }

    /// Formats the key stroke in English, with the system's name for Ctrl.
    fn spelled(self, ctrl: &str) -> String {
        let Modifiers {
            ctrl: is_ctrl,
            alt,
            shift,
        } = self.modifiers;
        let held = [(is_ctrl, ctrl), (alt, "Alt+"), (shift, "Shift+")];
        let held: String = held
            .iter()
            .filter(|(is_held, _)| *is_held)
            .map(|(_, word)| *word)
            .collect();
        held + self.key.name()
    }
}

/// Formats a key stroke for menus: `Ctrl+Shift+P`, `Alt+Left`, `{`.
pub fn key_text(stroke: &KeyStroke) -> String {
    key_name(&stroke.spelled(if cfg!(target_os = "macos") {
        "Cmd+"
    } else {
        "Ctrl+"
    }))
}

/// Translates the English name of a key stroke to the language of the window: `Maj+Entrée` for
/// `Shift+Enter`.
pub fn key_name(english: &str) -> String {
    let name = |key: &str| {
        messages::find(&format!("key-{}", key.to_ascii_lowercase()))
            .unwrap_or(key)
            .to_owned()
    };
    english
        .split('+')
        .map(name)
        .collect::<Vec<String>>()
        .join("+")
}

/// Formats a key stroke for files, on every system and in every language: `Ctrl+Shift+P`.
pub fn written(stroke: &KeyStroke) -> String {
    stroke.spelled("Ctrl+")
}

/// Parses what [`written`] formats.
///
/// # Errors
/// The text is no key; a message.
pub fn read_key(text: &str) -> Result<KeyStroke, String> {
    let no_key = || say!("keys-no-key", text = format!("{text:?}"));
    let (mut modifiers, mut rest) = (Modifiers::NONE, text.trim());
    while let Some((word, after)) = rest.split_once('+').filter(|(_, after)| !after.is_empty()) {
        let held = match word.trim().to_ascii_lowercase().as_str() {
            "ctrl" | "cmd" => &mut modifiers.ctrl,
            "alt" => &mut modifiers.alt,
            "shift" => &mut modifiers.shift,
            _ => return Err(no_key()),
        };
        *held = true;
        rest = after.trim();
    }
    Ok(KeyStroke::new(
        modifiers,
        Key::of_name(rest).ok_or_else(no_key)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_by_its_name_and_by_what_it_types() {
        for key in Key::ALL {
            assert_eq!(Key::of_name(key.name()), Some(*key));
            assert_eq!(Key::of_name(&key.name().to_lowercase()), Some(*key));
        }
        for (name, key) in [
            ("return", Key::Enter),
            ("?", Key::Questionmark),
            ("q", Key::Q),
            ("ArrowUp", Key::ArrowUp),
        ] {
            assert_eq!(Key::of_name(name), Some(key), "{name}");
        }
        for (typed, key) in [
            ('g', Some(Key::G)),
            ('{', Some(Key::OpenCurlyBracket)),
            ('é', None),
            ('\0', None),
        ] {
            assert_eq!(Key::of_char(typed), key, "{typed:?}");
        }
    }
}

#[cfg(test)]
mod stroke_tests {
    use super::*;
    use crate::keymap::{command, commands};

    #[test]
    fn every_key_of_the_table_is_read_as_it_is_written() {
        for key in commands().iter().flat_map(|command| &command.default_keys) {
            assert_eq!(read_key(&written(key)).as_ref(), Ok(key));
        }
        for text in ["", "Ctrl+", "Hyper+A", "Ctrl+Nothing"] {
            assert!(read_key(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn keys_are_written_as_in_menus() {
        let written = |name| key_text(command(name).unwrap().keys().first().unwrap());
        assert_eq!(written("Commands…"), "Ctrl+Shift+P");
        assert_eq!(written("Fold all"), "{");
        assert_eq!(written("Back in history"), "Alt+Left");
    }
}
