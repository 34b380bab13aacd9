//! Colours of a theme, named by meaning.

use std::cell::Cell;

use egui::Color32;
use stepback_debugger::notes::BookmarkColor;

/// The colours of one theme.
///
/// ```
/// let dark = stepback_window::theme::ThemeColors::of(egui::Theme::Dark);
/// assert_ne!(dark.position(1), dark.position(2));
/// assert_eq!(dark.position(1), dark.position(5));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ThemeColors {
    pub is_dark: bool,
    /// The gaps between tiles.
    pub bg0: Color32,
    /// Content: lists and fields.
    pub bg1: Color32,
    /// Bars, tab strips, cards, menus, group rows, scroll tracks.
    pub bg2: Color32,
    /// Controls, and bars under the pointer.
    pub bg3: Color32,
    /// Pressed controls, the chosen segment, the track of a progress bar.
    pub bg4: Color32,
    /// The row under the pointer.
    pub hover: Color32,
    /// The selected row, and the step just executed.
    pub sel: Color32,
    /// Hairlines.
    pub line: Color32,
    /// Strong lines, guides, edges of cards.
    pub line2: Color32,
    /// Edges of fields and boxes.
    pub ctl: Color32,
    /// Text of content.
    pub t1: Color32,
    /// Secondary text.
    pub t2: Color32,
    /// Labels, gutter, steps that were not executed.
    pub t3: Color32,
    /// Leading zeros and disabled controls only.
    pub t4: Color32,
    /// Colours of positions 1 to 4; later positions repeat them. Use [`ThemeColors::position`].
    pub positions: [Color32; 4],
    /// The accent, which is the colour of position 1 and of links.
    pub accent: Color32,
    /// Text on the accent or on any position's colour.
    pub on_accent: Color32,
    /// Focus ring.
    pub focus: Color32,
    /// Changed by the last move.
    pub changed: Color32,
    /// Background of `changed`.
    pub changed_bg: Color32,
    /// An unknown value.
    pub unknown: Color32,
    /// An inferred value; dotted underline in `t3`.
    pub inferred: Color32,
    /// Changed by something outside the traced program.
    pub external: Color32,
    /// Background of `external`.
    pub external_bg: Color32,
    /// Loads.
    pub read: Color32,
    /// Stores.
    pub write: Color32,
    /// Mnemonics of calls, returns, branches.
    pub call: Color32,
    /// `↓ taken`.
    pub taken: Color32,
    /// Register names.
    pub register: Color32,
    /// Numbers in code.
    pub number: Color32,
    pub symbol: Color32,
    /// Punctuation in code.
    pub punctuation: Color32,
    pub comment: Color32,
    /// A search hit: marks only, in the light theme no text.
    pub hit: Color32,
    /// Background of `hit`.
    pub hit_bg: Color32,
    /// A bookmark: ribbons only.
    pub bookmark: Color32,
    /// A warning.
    pub warn: Color32,
    /// Background of `warn`.
    pub warn_bg: Color32,
    /// An error or an exception of the traced program.
    pub err: Color32,
    /// Background of `err`.
    pub err_bg: Color32,
    /// Something that is done.
    pub done: Color32,
    /// Frames of the flame chart. Use [`ThemeColors::flame`].
    pub flames: [Color32; 8],
    /// Names on the flame colours.
    pub flame_text: Color32,
    /// The shadow of menus, cards, dialogs.
    pub shadow: Color32,
    /// Overlay on the window under the palette and dialogs.
    pub veil: Color32,
}

impl ThemeColors {
    /// Returns the colour of a bookmark's ribbon.
    pub fn ribbon(&self, color: BookmarkColor) -> Color32 {
        match color {
            BookmarkColor::Yellow => self.bookmark,
            BookmarkColor::Red => self.err,
            BookmarkColor::Green => self.done,
            BookmarkColor::Blue => self.accent,
            BookmarkColor::Pink => self.position(2),
            BookmarkColor::Grey => self.t3,
        }
    }

    /// Returns the colours of the dark or the light theme, in the palette of this thread.
    pub fn of(theme: egui::Theme) -> &'static ThemeColors {
        match (theme, PALETTE.get()) {
            (egui::Theme::Dark, ColorPalette::Usual) => &DARK,
            (egui::Theme::Light, ColorPalette::Usual) => &LIGHT,
            (egui::Theme::Dark, ColorPalette::Safe) => &SAFE_DARK,
            (egui::Theme::Light, ColorPalette::Safe) => &SAFE_LIGHT,
        }
    }

    /// Returns the colours of the theme that a `Ui` currently shows.
    pub fn current(ui: &egui::Ui) -> &'static ThemeColors {
        ThemeColors::of(egui::Theme::from_dark_mode(ui.visuals().dark_mode))
    }

    /// Returns the colour of a thread or core in lanes; neighbours differ. Text on it is
    /// `flame_text`.
    pub fn lane(&self, number: u64) -> Color32 {
        // Below 8.
        self.flames[(number % 8) as usize]
    }

    /// Returns the colour of a position, by the number of its trace window (from 1).
    pub fn position(&self, number: u32) -> Color32 {
        let place = number.saturating_sub(1) % 4;
        usize::try_from(place)
            .ok()
            .and_then(|place| self.positions.get(place))
            .copied()
            .unwrap_or(self.accent)
    }

    /// Returns the colour of a function's frames, which is stable across runs. It is chosen by a
    /// hash of the name: FNV-1a with a final mix, because numeric names differ in few bits.
    pub fn flame(&self, name: &str) -> Color32 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in name.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        hash = (hash ^ (hash >> 30)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = usize::try_from((hash >> 32) % 8).unwrap_or(0);
        self.flames.get(place).copied().unwrap_or(self.bg4)
    }
}

/// Colour palette of the themes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorPalette {
    /// As designed.
    #[default]
    Usual,
    /// No distinction relies on red and green: it uses blue and orange, light and dark.
    Safe,
}

thread_local! {
    static PALETTE: Cell<ColorPalette> = const { Cell::new(ColorPalette::Usual) };
}

impl ColorPalette {
    /// Sets the palette of this thread's themes. The styles must be installed again.
    pub fn take_effect(self) {
        PALETTE.set(self);
    }
}

const fn rgb(hex: u32) -> Color32 {
    let [_, red, green, blue] = hex.to_be_bytes();
    Color32::from_rgb(red, green, blue)
}

static DARK: ThemeColors = USUAL_DARK;

const USUAL_DARK: ThemeColors = ThemeColors {
    is_dark: true,
    bg0: rgb(0x0E1116),
    bg1: rgb(0x14181E),
    bg2: rgb(0x1A1F27),
    bg3: rgb(0x232A34),
    bg4: rgb(0x2E3743),
    hover: rgb(0x1D242D),
    sel: rgb(0x19314B),
    line: rgb(0x272E38),
    line2: rgb(0x3B4552),
    ctl: rgb(0x66737F),
    t1: rgb(0xE3E8EF),
    t2: rgb(0xADB7C4),
    t3: rgb(0x8E9AA9),
    t4: rgb(0x5F6B79),
    positions: [rgb(0x5CB0FF), rgb(0xE58FD8), rgb(0x5FD0B4), rgb(0xE0C060)],
    accent: rgb(0x5CB0FF),
    on_accent: rgb(0x0B1017),
    focus: rgb(0x8CC8FF),
    changed: rgb(0xFFB454),
    changed_bg: rgb(0x3A2C17),
    unknown: rgb(0x7D8995),
    inferred: rgb(0xADB7C4),
    external: rgb(0xFF8FA3),
    external_bg: rgb(0x43202A),
    read: rgb(0x5FC9C0),
    write: rgb(0xF2A154),
    call: rgb(0xC3A6FF),
    taken: rgb(0x9FB3C8),
    register: rgb(0x9ACBF5),
    number: rgb(0xA9D18E),
    symbol: rgb(0xDEC58A),
    punctuation: rgb(0x98A3B1),
    comment: rgb(0x8E9AA9),
    hit: rgb(0xF5E663),
    hit_bg: rgb(0x45421A),
    bookmark: rgb(0xF0C94A),
    warn: rgb(0xF0C94A),
    warn_bg: rgb(0x352D16),
    err: rgb(0xFF7B6B),
    err_bg: rgb(0x3B1D1C),
    done: rgb(0x74C991),
    flames: [
        rgb(0x35506B),
        rgb(0x4A4770),
        rgb(0x2F5B5A),
        rgb(0x5C4660),
        rgb(0x4B5A3A),
        rgb(0x66503A),
        rgb(0x3A4F7A),
        rgb(0x5A3F4A),
    ],
    flame_text: rgb(0xE9EEF4),
    shadow: Color32::from_black_alpha(140),
    veil: Color32::from_black_alpha(90),
};

static LIGHT: ThemeColors = USUAL_LIGHT;

const USUAL_LIGHT: ThemeColors = ThemeColors {
    is_dark: false,
    bg0: rgb(0xDFE4EA),
    bg1: rgb(0xFFFFFF),
    bg2: rgb(0xF3F5F8),
    bg3: rgb(0xE8ECF1),
    bg4: rgb(0xD9E0E8),
    hover: rgb(0xEFF3F8),
    sel: rgb(0xD8E9FB),
    line: rgb(0xDCE1E8),
    line2: rgb(0xB3BDC9),
    ctl: rgb(0x7F8B99),
    t1: rgb(0x18202A),
    t2: rgb(0x465160),
    t3: rgb(0x5A6675),
    t4: rgb(0x8792A0),
    positions: [rgb(0x0B63C4), rgb(0xA3298F), rgb(0x0B7A62), rgb(0x7D6108)],
    accent: rgb(0x0B63C4),
    on_accent: rgb(0xFFFFFF),
    focus: rgb(0x0B63C4),
    changed: rgb(0x934900),
    changed_bg: rgb(0xFFEBCF),
    unknown: rgb(0x65707C),
    inferred: rgb(0x465160),
    external: rgb(0xB3123B),
    external_bg: rgb(0xFFE1E6),
    read: rgb(0x00706A),
    write: rgb(0x9A4D00),
    call: rgb(0x6B3FB5),
    taken: rgb(0x4A6078),
    register: rgb(0x0A558F),
    number: rgb(0x3B6B1B),
    symbol: rgb(0x75560A),
    punctuation: rgb(0x566270),
    comment: rgb(0x5A6675),
    hit: rgb(0x8F7A00),
    hit_bg: rgb(0xFFF3A0),
    bookmark: rgb(0xA06E00),
    warn: rgb(0x8A5A00),
    warn_bg: rgb(0xFFF4D6),
    err: rgb(0xB3261E),
    err_bg: rgb(0xFDE7E4),
    done: rgb(0x1E7A3C),
    flames: [
        rgb(0xBFD7EE),
        rgb(0xD0CCEC),
        rgb(0xBFE3DF),
        rgb(0xE3CFE6),
        rgb(0xD5E3C2),
        rgb(0xF0DCC3),
        rgb(0xC6D2F2),
        rgb(0xEBCED6),
    ],
    flame_text: rgb(0x1C2530),
    shadow: Color32::from_black_alpha(50),
    veil: Color32::from_black_alpha(64),
};

/// Based on the palette of Okabe and Ito, where it is legible on a dark background.
static SAFE_DARK: ThemeColors = ThemeColors {
    positions: [rgb(0x5CB0FF), rgb(0xE8A0CC), rgb(0xF0E442), rgb(0xF5F5F5)],
    changed: rgb(0xFFA62B),
    changed_bg: rgb(0x3A2A10),
    external: rgb(0xF0A8D8),
    external_bg: rgb(0x40263A),
    read: rgb(0x66B8F0),
    write: rgb(0xFFB03A),
    number: rgb(0xD9D2A0),
    bookmark: rgb(0xF0E442),
    warn: rgb(0xF0E442),
    warn_bg: rgb(0x35321A),
    err: rgb(0xFF8A3C),
    err_bg: rgb(0x40240F),
    done: rgb(0x66B8F0),
    flames: [
        rgb(0x2A4E74),
        rgb(0x5A4A1E),
        rgb(0x38466E),
        rgb(0x6B4A20),
        rgb(0x45607E),
        rgb(0x4E4534),
        rgb(0x2F3F58),
        rgb(0x64512E),
    ],
    ..USUAL_DARK
};

/// Based on the palette of Okabe and Ito, for a light background.
static SAFE_LIGHT: ThemeColors = ThemeColors {
    positions: [rgb(0x0B63C4), rgb(0x9C2F78), rgb(0x6B5D00), rgb(0x3A4450)],
    changed: rgb(0x9A4600),
    changed_bg: rgb(0xFFE9CC),
    external: rgb(0x92246E),
    external_bg: rgb(0xFBE3F3),
    read: rgb(0x00609A),
    write: rgb(0x9A4600),
    number: rgb(0x5E5200),
    bookmark: rgb(0x8A7400),
    warn: rgb(0x6B5D00),
    warn_bg: rgb(0xFFF7CC),
    err: rgb(0xA84300),
    err_bg: rgb(0xFFE8D6),
    done: rgb(0x00609A),
    flames: [
        rgb(0xBBD7F2),
        rgb(0xF3DDAE),
        rgb(0xC9D3F0),
        rgb(0xF5D2A8),
        rgb(0xD3E4F2),
        rgb(0xE6DFCB),
        rgb(0xABC8E8),
        rgb(0xEBD9A0),
    ],
    ..USUAL_LIGHT
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the linear light of red, green and blue, each 0 to 1.
    fn linear(color: Color32) -> [f64; 3] {
        let [red, green, blue, _] = color.to_array();
        [red, green, blue].map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    /// Returns the contrast ratio of two colours, 1 to 21, as defined by WCAG 2.
    fn contrast(one: Color32, other: Color32) -> f64 {
        let light = |color| {
            let [red, green, blue] = linear(color);
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        };
        let (one, other) = (light(one), light(other));
        one.max(other) / one.min(other)
    }

    #[test]
    fn texts_of_every_theme_are_legible() {
        for (name, tok) in [
            ("dark", &DARK),
            ("light", &LIGHT),
            ("safe dark", &SAFE_DARK),
            ("safe light", &SAFE_LIGHT),
        ] {
            let texts = [
                tok.t1,
                tok.t2,
                tok.t3,
                tok.changed,
                tok.external,
                tok.read,
                tok.write,
                tok.call,
                tok.register,
            ];
            let more = [
                tok.number, tok.symbol, tok.warn, tok.err, tok.done, tok.accent,
            ];
            for text in texts.into_iter().chain(more).chain(tok.positions) {
                let on_ground = contrast(text, tok.bg1);
                assert!(on_ground >= 4.5, "{name}: {text:?} has {on_ground:.1}");
            }
            for flame in tok.flames {
                let on_flame = contrast(tok.flame_text, flame);
                assert!(on_flame >= 4.5, "{name}: {flame:?} has {on_flame:.1}");
            }
        }
    }

    /// Returns a colour as seen without green or without red cones (Viénot, Brettel and Mollon
    /// 1999): the mix of red and green light, and blue.
    fn seen(color: Color32, green_share: [f64; 2]) -> [f64; 2] {
        let [red, green, blue] = linear(color);
        let [of_red, of_green] = green_share;
        [(of_red * red + of_green * green).cbrt(), blue.cbrt()]
    }

    #[test]
    fn marks_of_the_safe_themes_are_distinguished_without_red_and_green() {
        for tok in [&SAFE_DARK, &SAFE_LIGHT] {
            for share in [[0.29, 0.71], [0.11, 0.89]] {
                let apart = |one, other| {
                    let ([a, b], [c, d]) = (seen(one, share), seen(other, share));
                    (a - c).hypot(b - d)
                };
                let [first, second, third, _] = tok.positions;
                for (one, other) in [
                    (tok.read, tok.write),
                    (tok.done, tok.err),
                    (first, second),
                    (first, third),
                    (second, third),
                ] {
                    assert!(
                        apart(one, other) > 0.12,
                        "{one:?} {other:?}: {:.2}",
                        apart(one, other)
                    );
                }
            }
        }
    }

    #[test]
    fn names_that_are_numbers_get_all_colours() {
        let mut seen = [0u32; 8];
        for function in 0..64u32 {
            let color = DARK.flame(&format!("{:x}", 0x8000_0000 + function * 0x74));
            let place = DARK
                .flames
                .iter()
                .position(|flame| *flame == color)
                .expect("a flame colour");
            seen[place] += 1;
        }
        assert!(
            seen.iter().all(|count| (3..=16).contains(count)),
            "{seen:?}"
        );
    }
}
