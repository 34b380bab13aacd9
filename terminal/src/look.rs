//! How things look by what they mean: in as many colours as the terminal has, and without any.
//!
//! The terminal's own background stays, and nothing tells whether it is dark or light: every colour is of a middle
//! lightness that reads on both. Nothing is told by colour alone: what matters has an attribute or a sign, too.

use ratatui::style::{Color, Modifier, Style};

use super::clean::Signs;
use stepback_debugger::model::Meaning;

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    /// None: bold, underlined and reversed alone.
    None,
    /// The 16 of the terminal's own theme.
    Sixteen,
    /// A cube of 216, and greys.
    Cube,
    /// Any.
    True,
}

/// How everything looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// In which colours.
    pub colors: Colors,
    /// With which characters.
    pub signs: Signs,
}

/// What the user chose about characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignsChoice {
    /// What the terminal and the locale say.
    #[default]
    Detected,
    /// ASCII alone.
    Ascii,
}

/// What is to look like something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A piece of text by its meaning.
    Text(Meaning),
    /// What the last move changed.
    Changed,
    /// What belongs to a position, by its number.
    Position(u32),
    /// A hit of the search.
    Hit,
    /// A bookmark.
    Bookmark,
    /// What went wrong.
    Error,
    /// What may be wrong.
    Warning,
    /// The bar above a pane.
    Title,
    /// The bar above the pane that has the keyboard.
    TitleFocus,
    /// The cursor where keys go.
    Cursor,
    /// The cursor of a pane that has not the keyboard.
    CursorAway,
    /// A line that was picked.
    Picked,
    /// A key in a help text.
    Key,
}

impl Look {
    /// What the terminal shows, by the environment.
    ///
    /// ```
    /// use stepback_terminal::{Colors, Look, SignsChoice};
    ///
    /// let look = Look::of(|name| (name == "TERM").then(|| "xterm-256color".to_owned()), SignsChoice::Detected);
    /// assert_eq!(look.colors, Colors::Cube);
    /// ```
    pub fn of(variable: impl Fn(&str) -> Option<String>, signs: SignsChoice) -> Self {
        let value = |name: &str| variable(name).unwrap_or_default();
        Self {
            colors: colors(&value),
            signs: if signs == SignsChoice::Ascii {
                Signs::Ascii
            } else {
                known_signs(&value)
            },
        }
    }

    /// The style of something.
    pub fn style(&self, role: Role) -> Style {
        let Paint { tone, attributes } = paint(role);
        let style = Style::new().add_modifier(attributes);
        let Some(tone) = tone else { return style };
        match self.colors {
            Colors::None => style,
            Colors::Sixteen => style.fg(tone.named),
            Colors::Cube => style.fg(Color::Indexed(nearest_of_cube(tone.rgb))),
            Colors::True => style.fg(Color::Rgb(tone.rgb[0], tone.rgb[1], tone.rgb[2])),
        }
    }

    /// The style of a text by its meaning.
    pub fn text(&self, meaning: Meaning) -> Style {
        self.style(Role::Text(meaning))
    }
}

/// Whether the terminal can move its cursor, which everything here needs.
pub fn can_draw(term: &str) -> bool {
    !matches!(term, "" | "dumb" | "unknown")
}

fn colors(value: &impl Fn(&str) -> String) -> Colors {
    let term = value("TERM");
    match () {
        () if !value("NO_COLOR").is_empty() || !can_draw(&term) => Colors::None,
        () if term.starts_with("vt") => Colors::None,
        // The console of Linux takes other colours, and shows one of its sixteen instead.
        () if term == "linux" => Colors::Sixteen,
        () if matches!(value("COLORTERM").as_str(), "truecolor" | "24bit")
            || term.ends_with("-direct") =>
        {
            Colors::True
        }
        () if term.ends_with("-256color")
            || matches!(term.as_str(), "alacritty" | "foot" | "xterm-kitty") =>
        {
            Colors::Cube
        }
        () => Colors::Sixteen,
    }
}

/// The first of the locale's variables that is set decides.
fn known_signs(value: &impl Fn(&str) -> String) -> Signs {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .map(value)
        .into_iter()
        .find(|locale| !locale.is_empty());
    let codes = locale.unwrap_or_default().to_ascii_lowercase();
    // Without a locale nothing speaks against what nearly every terminal can.
    let is_utf8 =
        codes.is_empty() && cfg!(windows) || codes.contains("utf-8") || codes.contains("utf8");
    if is_utf8 && value("TERM") != "linux" {
        Signs::Unicode
    } else {
        Signs::Ascii
    }
}

/// A colour that reads on black and on white.
#[derive(Clone, Copy)]
struct Tone {
    rgb: [u8; 3],
    /// The one of sixteen: neither blue, which is too dark on black, nor yellow, which is too light on white.
    named: Color,
}

#[derive(Clone, Copy)]
struct Paint {
    tone: Option<Tone>,
    attributes: Modifier,
}

const fn tone(red: u8, green: u8, blue: u8, named: Color) -> Tone {
    Tone {
        rgb: [red, green, blue],
        named,
    }
}

const BLUE: Tone = tone(0x00, 0x75, 0xe3, Color::Cyan);
const PINK: Tone = tone(0xcc, 0x2f, 0xb5, Color::Magenta);
const TEAL: Tone = tone(0x27, 0x85, 0x6e, Color::Green);
const SAND: Tone = tone(0x90, 0x73, 0x1c, Color::Red);
const AMBER: Tone = tone(0xb1, 0x63, 0x00, Color::Magenta);
const ROSE: Tone = tone(0xee, 0x00, 0x2a, Color::Red);
const SEA: Tone = tone(0x2c, 0x83, 0x7c, Color::Cyan);
const VIOLET: Tone = tone(0x89, 0x50, 0xff, Color::Magenta);
const SLATE: Tone = tone(0x59, 0x79, 0x9b, Color::Reset);
const SKY: Tone = tone(0x14, 0x79, 0xcf, Color::Reset);
const LEAF: Tone = tone(0x54, 0x83, 0x35, Color::Green);
const GREY: Tone = tone(0x74, 0x76, 0x7a, Color::Reset);
const RED: Tone = tone(0xeb, 0x19, 0x00, Color::Red);

/// The colours of the window where it has them, with the same hue.
fn paint(role: Role) -> Paint {
    const NONE: Modifier = Modifier::empty();
    let (tone, attributes) = match role {
        Role::Text(meaning) => return paint_of(meaning),
        Role::Changed => (Some(AMBER), Modifier::BOLD),
        Role::Position(number) => (
            Some([BLUE, PINK, TEAL, SAND][place_of(number)]),
            Modifier::BOLD,
        ),
        Role::Hit => (Some(SAND), Modifier::BOLD.union(Modifier::UNDERLINED)),
        Role::Bookmark => (Some(SAND), Modifier::BOLD),
        Role::Error => (Some(RED), Modifier::BOLD),
        Role::Warning => (Some(SAND), NONE),
        Role::Title => (Some(GREY), NONE),
        Role::TitleFocus => (Some(BLUE), Modifier::BOLD.union(Modifier::REVERSED)),
        Role::Cursor => (None, Modifier::REVERSED),
        Role::CursorAway => (None, Modifier::UNDERLINED),
        Role::Picked => (None, Modifier::REVERSED),
        Role::Key => (None, Modifier::BOLD),
    };
    Paint { tone, attributes }
}

fn paint_of(meaning: Meaning) -> Paint {
    const NONE: Modifier = Modifier::empty();
    let (tone, attributes) = match meaning {
        Meaning::Plain => (None, NONE),
        Meaning::Second => (Some(SLATE), NONE),
        Meaning::Label | Meaning::Punctuation | Meaning::Comment => (Some(GREY), NONE),
        Meaning::Branch => (Some(VIOLET), NONE),
        Meaning::Register => (Some(SKY), NONE),
        Meaning::Number => (Some(LEAF), NONE),
        Meaning::Symbol => (Some(SAND), NONE),
        Meaning::Read => (Some(SEA), NONE),
        Meaning::External => (Some(ROSE), Modifier::UNDERLINED),
        Meaning::Write => (Some(AMBER), NONE),
        Meaning::Taken => (Some(SLATE), NONE),
        Meaning::Inferred => (Some(SLATE), Modifier::ITALIC),
        Meaning::Unknown => (Some(GREY), Modifier::DIM),
        Meaning::Exception => (Some(RED), Modifier::BOLD),
    };
    Paint { tone, attributes }
}

/// Positions 1 to 4 have a colour each; from 5 on they repeat.
fn place_of(number: u32) -> usize {
    number.saturating_sub(1) as usize % 4
}

/// The colour among the 216 that is nearest.
fn nearest_of_cube(rgb: [u8; 3]) -> u8 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let level = |part: u8| {
        (0u8..)
            .zip(LEVELS)
            .min_by_key(|(_, level)| level.abs_diff(part))
            .map_or(0, |(place, _)| place)
    };
    let [red, green, blue] = rgb.map(level);
    16 + 36 * red + 6 * green + blue
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(variables: &[(&str, &str)]) -> Look {
        let value = |name: &str| {
            variables
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        };
        Look::of(value, SignsChoice::Detected)
    }

    #[track_caller]
    fn check_colors(variables: &[(&str, &str)], expected: Colors) {
        assert_eq!(look(variables).colors, expected);
    }

    #[test]
    fn the_environment_says_how_many_colours_there_are() {
        check_colors(&[("TERM", "xterm")], Colors::Sixteen);
        check_colors(&[("TERM", "tmux-256color")], Colors::Cube);
        check_colors(
            &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")],
            Colors::True,
        );
        check_colors(&[("TERM", "xterm-direct")], Colors::True);
        check_colors(
            &[("TERM", "linux"), ("COLORTERM", "truecolor")],
            Colors::Sixteen,
        );
        check_colors(&[("TERM", "vt220")], Colors::None);
        check_colors(
            &[("TERM", "dumb"), ("COLORTERM", "truecolor")],
            Colors::None,
        );
        check_colors(&[], Colors::None);
        check_colors(
            &[("TERM", "xterm-256color"), ("NO_COLOR", "1")],
            Colors::None,
        );
        check_colors(
            &[("TERM", "xterm-256color"), ("NO_COLOR", "")],
            Colors::Cube,
        );
    }

    #[track_caller]
    fn check_signs(variables: &[(&str, &str)], expected: Signs) {
        assert_eq!(look(variables).signs, expected);
    }

    #[test]
    fn the_locale_says_which_characters_there_are() {
        check_signs(
            &[("LANG", "en_US.UTF-8"), ("TERM", "xterm")],
            Signs::Unicode,
        );
        check_signs(&[("LANG", "C.utf8")], Signs::Unicode);
        check_signs(&[("LANG", "en_US.UTF-8"), ("LC_ALL", "C")], Signs::Ascii);
        check_signs(
            &[("LANG", "C"), ("LC_CTYPE", "de_DE.UTF-8")],
            Signs::Unicode,
        );
        check_signs(&[("LANG", "en_US.UTF-8"), ("TERM", "linux")], Signs::Ascii);
        let value = |_: &str| Some("en_US.UTF-8".to_owned());
        assert_eq!(Look::of(value, SignsChoice::Ascii).signs, Signs::Ascii);
    }

    const ROLES: [Role; 18] = [
        Role::Text(Meaning::Plain),
        Role::Text(Meaning::External),
        Role::Text(Meaning::Inferred),
        Role::Text(Meaning::Unknown),
        Role::Text(Meaning::Exception),
        Role::Text(Meaning::Branch),
        Role::Text(Meaning::Register),
        Role::Text(Meaning::Number),
        Role::Text(Meaning::Read),
        Role::Text(Meaning::Write),
        Role::Changed,
        Role::Position(1),
        Role::Position(2),
        Role::Position(3),
        Role::Hit,
        Role::Error,
        Role::Title,
        Role::TitleFocus,
    ];

    #[test]
    fn without_colours_nothing_has_one_and_what_matters_still_differs() {
        let look = look(&[("TERM", "xterm"), ("NO_COLOR", "1")]);
        assert!(
            ROLES
                .iter()
                .all(|role| look.style(*role).fg.is_none() && look.style(*role).bg.is_none())
        );
        let text = |meaning| look.text(meaning);
        let values = [
            text(Meaning::Plain),
            text(Meaning::External),
            text(Meaning::Inferred),
            text(Meaning::Unknown),
            look.style(Role::Changed),
            look.style(Role::Cursor),
        ];
        assert!(
            values
                .iter()
                .enumerate()
                .all(|(place, one)| !values[place + 1..].contains(one)),
            "{values:?}"
        );
    }

    fn luminance(rgb: [u8; 3]) -> f64 {
        let linear = rgb.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    /// The contrast with black and with white, whichever is less.
    fn contrast(rgb: [u8; 3]) -> f64 {
        let light = luminance(rgb);
        ((light + 0.05) / 0.05).min(1.05 / (light + 0.05))
    }

    fn of_cube(number: u8) -> [u8; 3] {
        let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
        let number = number - 16;
        [level(number / 36), level(number / 6 % 6), level(number % 6)]
    }

    #[test]
    fn every_colour_reads_on_black_and_on_white() {
        let tones = [
            BLUE, PINK, TEAL, SAND, AMBER, ROSE, SEA, VIOLET, SLATE, SKY, LEAF, GREY, RED,
        ];
        for tone in tones {
            let cube = of_cube(nearest_of_cube(tone.rgb));
            assert!(
                contrast(tone.rgb) > 4.2,
                "{:02x?}: {}",
                tone.rgb,
                contrast(tone.rgb)
            );
            assert!(
                contrast(cube) > 3.2,
                "{:02x?}: {cube:02x?} {}",
                tone.rgb,
                contrast(cube)
            );
        }
    }

    #[test]
    fn a_position_has_its_colour_and_from_five_on_they_repeat() {
        let look = look(&[("TERM", "xterm-direct")]);
        let color = |number| look.style(Role::Position(number)).fg;
        assert_ne!(color(1), color(2));
        assert_eq!(color(1), color(5));
    }
}
