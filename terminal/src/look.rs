//! Styles by meaning, for terminals with any number of colours or none.
//!
//! The terminal keeps its own background, and the program cannot know whether that is dark or
//! light. Every colour therefore has a medium lightness that is readable on both. Colour is never
//! the only mark: everything important also has an attribute or a sign.

use ratatui::style::{Color, Modifier, Style};
use stepback_debugger::model::TextRole;

use super::clean::CharacterSet;

/// Number of colours of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorDepth {
    /// No colours: only bold, underlined and reversed.
    None,
    /// The 16 colours of the terminal's theme.
    Sixteen,
    /// A cube of 216 colours, and greys.
    Cube,
    /// 24-bit colours.
    True,
}

/// Colours and characters of the terminal.
#[derive(Clone, Copy, Debug)]
pub struct TerminalStyle {
    pub colors: ColorDepth,
    pub signs: CharacterSet,
}

/// The user's choice of characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CharacterSetChoice {
    /// Detected from the terminal and the locale.
    #[default]
    Detected,
    Ascii,
}

/// Purpose of a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StyleRole {
    /// Text with a meaning.
    Text(TextRole),
    /// A value changed by the last move.
    Changed,
    /// An item of a position, by the position's number.
    Position(u32),
    Hit,
    Bookmark,
    Error,
    Warning,
    /// Bar above a pane.
    Title,
    /// Bar above the focused pane.
    TitleFocus,
    /// Cursor of the focused pane.
    Cursor,
    /// Cursor of a pane without focus.
    CursorAway,
    /// A picked line.
    Picked,
    Key,
}

impl TerminalStyle {
    /// Detects the terminal's abilities from the environment.
    ///
    /// ```
    /// use stepback_terminal::{ColorDepth, TerminalStyle, CharacterSetChoice};
    ///
    /// let look = TerminalStyle::of(|name| (name == "TERM").then(|| "xterm-256color".to_owned()), CharacterSetChoice::Detected);
    /// assert_eq!(look.colors, ColorDepth::Cube);
    /// ```
    pub fn of(variable: impl Fn(&str) -> Option<String>, signs: CharacterSetChoice) -> Self {
        let value = |name: &str| variable(name).unwrap_or_default();
        Self {
            colors: colors(&value),
            signs: if signs == CharacterSetChoice::Ascii {
                CharacterSet::Ascii
            } else {
                known_signs(&value)
            },
        }
    }

    pub fn style(&self, role: StyleRole) -> Style {
        let RolePaint { tone, attributes } = paint(role);
        let style = Style::new().add_modifier(attributes);
        let Some(tone) = tone else { return style };
        match self.colors {
            ColorDepth::None => style,
            ColorDepth::Sixteen => style.fg(tone.named),
            ColorDepth::Cube => style.fg(Color::Indexed(nearest_of_cube(tone.rgb))),
            ColorDepth::True => style.fg(Color::Rgb(tone.rgb[0], tone.rgb[1], tone.rgb[2])),
        }
    }

    pub fn text(&self, meaning: TextRole) -> Style {
        self.style(StyleRole::Text(meaning))
    }
}

/// Returns true if the terminal can move its cursor, which the program needs.
pub fn can_draw(term: &str) -> bool {
    !matches!(term, "" | "dumb" | "unknown")
}

fn colors(value: &impl Fn(&str) -> String) -> ColorDepth {
    let term = value("TERM");
    match () {
        () if !value("NO_COLOR").is_empty() || !can_draw(&term) => ColorDepth::None,
        () if term.starts_with("vt") => ColorDepth::None,
        // The Linux console accepts other colours, but shows one of its sixteen instead.
        () if term == "linux" => ColorDepth::Sixteen,
        () if matches!(value("COLORTERM").as_str(), "truecolor" | "24bit")
            || term.ends_with("-direct") =>
        {
            ColorDepth::True
        }
        () if term.ends_with("-256color")
            || matches!(term.as_str(), "alacritty" | "foot" | "xterm-kitty") =>
        {
            ColorDepth::Cube
        }
        () => ColorDepth::Sixteen,
    }
}

/// Detects the character set. The first locale variable that is set decides.
fn known_signs(value: &impl Fn(&str) -> String) -> CharacterSet {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .map(value)
        .into_iter()
        .find(|locale| !locale.is_empty());
    let codes = locale.unwrap_or_default().to_ascii_lowercase();
    // On Windows without a locale, UTF-8 is assumed: nearly every terminal supports it.
    let is_utf8 =
        codes.is_empty() && cfg!(windows) || codes.contains("utf-8") || codes.contains("utf8");
    if is_utf8 && value("TERM") != "linux" {
        CharacterSet::Unicode
    } else {
        CharacterSet::Ascii
    }
}

/// A colour that is readable on black and on white.
#[derive(Clone, Copy)]
struct RoleColor {
    rgb: [u8; 3],
    /// Replacement among the sixteen colours: neither blue (too dark on black) nor yellow (too
    /// light on white).
    named: Color,
}

#[derive(Clone, Copy)]
struct RolePaint {
    tone: Option<RoleColor>,
    attributes: Modifier,
}

const fn tone(red: u8, green: u8, blue: u8, named: Color) -> RoleColor {
    RoleColor {
        rgb: [red, green, blue],
        named,
    }
}

const BLUE: RoleColor = tone(0x00, 0x75, 0xe3, Color::Cyan);
const PINK: RoleColor = tone(0xcc, 0x2f, 0xb5, Color::Magenta);
const TEAL: RoleColor = tone(0x27, 0x85, 0x6e, Color::Green);
const SAND: RoleColor = tone(0x90, 0x73, 0x1c, Color::Red);
const AMBER: RoleColor = tone(0xb1, 0x63, 0x00, Color::Magenta);
const ROSE: RoleColor = tone(0xee, 0x00, 0x2a, Color::Red);
const SEA: RoleColor = tone(0x2c, 0x83, 0x7c, Color::Cyan);
const VIOLET: RoleColor = tone(0x89, 0x50, 0xff, Color::Magenta);
const SLATE: RoleColor = tone(0x59, 0x79, 0x9b, Color::Reset);
const SKY: RoleColor = tone(0x14, 0x79, 0xcf, Color::Reset);
const LEAF: RoleColor = tone(0x54, 0x83, 0x35, Color::Green);
const GREY: RoleColor = tone(0x74, 0x76, 0x7a, Color::Reset);
const RED: RoleColor = tone(0xeb, 0x19, 0x00, Color::Red);

/// Returns the window's colour with the same hue, if it has one.
fn paint(role: StyleRole) -> RolePaint {
    const NONE: Modifier = Modifier::empty();
    let (tone, attributes) = match role {
        StyleRole::Text(meaning) => return paint_of(meaning),
        StyleRole::Changed => (Some(AMBER), Modifier::BOLD),
        StyleRole::Position(number) => (
            Some([BLUE, PINK, TEAL, SAND][place_of(number)]),
            Modifier::BOLD,
        ),
        StyleRole::Hit => (Some(SAND), Modifier::BOLD.union(Modifier::UNDERLINED)),
        StyleRole::Bookmark => (Some(SAND), Modifier::BOLD),
        StyleRole::Error => (Some(RED), Modifier::BOLD),
        StyleRole::Warning => (Some(SAND), NONE),
        StyleRole::Title => (Some(GREY), NONE),
        StyleRole::TitleFocus => (Some(BLUE), Modifier::BOLD.union(Modifier::REVERSED)),
        StyleRole::Cursor => (None, Modifier::REVERSED),
        StyleRole::CursorAway => (None, Modifier::UNDERLINED),
        StyleRole::Picked => (None, Modifier::REVERSED),
        StyleRole::Key => (None, Modifier::BOLD),
    };
    RolePaint { tone, attributes }
}

fn paint_of(meaning: TextRole) -> RolePaint {
    const NONE: Modifier = Modifier::empty();
    let (tone, attributes) = match meaning {
        TextRole::Plain => (None, NONE),
        TextRole::Second => (Some(SLATE), NONE),
        TextRole::Label | TextRole::Punctuation | TextRole::Comment => (Some(GREY), NONE),
        TextRole::Branch => (Some(VIOLET), NONE),
        TextRole::Register => (Some(SKY), NONE),
        TextRole::Number => (Some(LEAF), NONE),
        TextRole::Symbol => (Some(SAND), NONE),
        TextRole::Read => (Some(SEA), NONE),
        TextRole::External => (Some(ROSE), Modifier::UNDERLINED),
        TextRole::Write => (Some(AMBER), NONE),
        TextRole::Taken => (Some(SLATE), NONE),
        TextRole::Inferred => (Some(SLATE), Modifier::ITALIC),
        TextRole::Unknown => (Some(GREY), Modifier::DIM),
        TextRole::Exception => (Some(RED), Modifier::BOLD),
    };
    RolePaint { tone, attributes }
}

/// Returns the colour index: positions 1 to 4 have their own colours, later ones repeat them.
fn place_of(number: u32) -> usize {
    number.saturating_sub(1) as usize % 4
}

/// Returns the nearest of the 216 colours of the cube.
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

    fn look(variables: &[(&str, &str)]) -> TerminalStyle {
        let value = |name: &str| {
            variables
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        };
        TerminalStyle::of(value, CharacterSetChoice::Detected)
    }

    #[track_caller]
    fn check_colors(variables: &[(&str, &str)], expected: ColorDepth) {
        assert_eq!(look(variables).colors, expected);
    }

    #[test]
    fn the_environment_says_how_many_colours_there_are() {
        check_colors(&[("TERM", "xterm")], ColorDepth::Sixteen);
        check_colors(&[("TERM", "tmux-256color")], ColorDepth::Cube);
        check_colors(
            &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")],
            ColorDepth::True,
        );
        check_colors(&[("TERM", "xterm-direct")], ColorDepth::True);
        check_colors(
            &[("TERM", "linux"), ("COLORTERM", "truecolor")],
            ColorDepth::Sixteen,
        );
        check_colors(&[("TERM", "vt220")], ColorDepth::None);
        check_colors(
            &[("TERM", "dumb"), ("COLORTERM", "truecolor")],
            ColorDepth::None,
        );
        check_colors(&[], ColorDepth::None);
        check_colors(
            &[("TERM", "xterm-256color"), ("NO_COLOR", "1")],
            ColorDepth::None,
        );
        check_colors(
            &[("TERM", "xterm-256color"), ("NO_COLOR", "")],
            ColorDepth::Cube,
        );
    }

    #[track_caller]
    fn check_signs(variables: &[(&str, &str)], expected: CharacterSet) {
        assert_eq!(look(variables).signs, expected);
    }

    #[test]
    fn the_locale_says_which_characters_there_are() {
        check_signs(
            &[("LANG", "en_US.UTF-8"), ("TERM", "xterm")],
            CharacterSet::Unicode,
        );
        check_signs(&[("LANG", "C.utf8")], CharacterSet::Unicode);
        check_signs(
            &[("LANG", "en_US.UTF-8"), ("LC_ALL", "C")],
            CharacterSet::Ascii,
        );
        check_signs(
            &[("LANG", "C"), ("LC_CTYPE", "de_DE.UTF-8")],
            CharacterSet::Unicode,
        );
        check_signs(
            &[("LANG", "en_US.UTF-8"), ("TERM", "linux")],
            CharacterSet::Ascii,
        );
        let value = |_: &str| Some("en_US.UTF-8".to_owned());
        assert_eq!(
            TerminalStyle::of(value, CharacterSetChoice::Ascii).signs,
            CharacterSet::Ascii
        );
    }

    const ROLES: [StyleRole; 18] = [
        StyleRole::Text(TextRole::Plain),
        StyleRole::Text(TextRole::External),
        StyleRole::Text(TextRole::Inferred),
        StyleRole::Text(TextRole::Unknown),
        StyleRole::Text(TextRole::Exception),
        StyleRole::Text(TextRole::Branch),
        StyleRole::Text(TextRole::Register),
        StyleRole::Text(TextRole::Number),
        StyleRole::Text(TextRole::Read),
        StyleRole::Text(TextRole::Write),
        StyleRole::Changed,
        StyleRole::Position(1),
        StyleRole::Position(2),
        StyleRole::Position(3),
        StyleRole::Hit,
        StyleRole::Error,
        StyleRole::Title,
        StyleRole::TitleFocus,
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
            text(TextRole::Plain),
            text(TextRole::External),
            text(TextRole::Inferred),
            text(TextRole::Unknown),
            look.style(StyleRole::Changed),
            look.style(StyleRole::Cursor),
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

    /// Returns the lower of the contrasts with black and with white.
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
        let color = |number| look.style(StyleRole::Position(number)).fg;
        assert_ne!(color(1), color(2));
        assert_eq!(color(1), color(5));
    }
}
