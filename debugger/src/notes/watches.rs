//! Watches: expressions and the interpretation of their values.

use serde::{Deserialize, Serialize};

use crate::messages::say;

/// Maximum number of watches.
const MOST_WATCHES: usize = 200;
/// Maximum number of characters of an expression.
const LONGEST: usize = 400;

/// Interpretation of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WatchType {
    /// Hexadecimal with leading zeros.
    #[default]
    Hex,
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
    /// ASCII characters up to a 0.
    Ascii,
    /// UTF-8 characters up to a 0.
    Utf8,
}

impl WatchType {
    /// All types, in the order of menus.
    pub const ALL: [Self; 13] = [
        Self::Hex,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::F32,
        Self::F64,
        Self::Ascii,
        Self::Utf8,
    ];

    /// Returns the name that users type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hex => "hex",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Ascii => "ascii",
            Self::Utf8 => "utf8",
        }
    }

    /// Returns the number of bytes; none if it takes all available bytes.
    pub fn size_bytes(self) -> Option<u16> {
        match self {
            Self::Hex | Self::Ascii | Self::Utf8 => None,
            Self::U8 | Self::I8 => Some(1),
            Self::U16 | Self::I16 => Some(2),
            Self::U32 | Self::I32 | Self::F32 => Some(4),
            Self::U64 | Self::I64 | Self::F64 => Some(8),
        }
    }

    /// Returns true for characters up to a 0.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Ascii | Self::Utf8)
    }
}

fn too_many() -> String {
    say!("watches-too-many", most = MOST_WATCHES.to_string())
}

/// A watched expression.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Watch {
    /// A register, memory or an expression.
    pub expression: String,
    /// Interpretation of its value.
    #[serde(rename = "type")]
    pub kind: WatchType,
}

impl Watch {
    /// Parses what the user typed: an expression, with a type before or after it: `[sp+8] u32`,
    /// `u32 x0`.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let named = |word: &str| {
            WatchType::ALL
                .into_iter()
                .find(|kind| kind.name().eq_ignore_ascii_case(word))
        };
        let after = text
            .rsplit_once(char::is_whitespace)
            .and_then(|(rest, word)| Some((rest, named(word)?)));
        let before = || {
            text.split_once(char::is_whitespace)
                .and_then(|(word, rest)| Some((rest, named(word)?)))
        };
        let (expression, kind) = after.or_else(before).unwrap_or((text, WatchType::Hex));
        Self {
            expression: expression.trim().chars().take(LONGEST).collect(),
            kind,
        }
    }

    /// Returns the text that [`Self::parse`] reads.
    pub fn text(&self) -> String {
        match self.kind {
            WatchType::Hex => self.expression.clone(),
            kind => format!("{} {}", self.expression, kind.name()),
        }
    }
}

/// Change to a list of watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WatchChange {
    /// Adds a watch, from its text.
    Add(String),
    /// Replaces the watch at an index, from its text.
    Edit(usize, String),
    /// Changes the type of the watch at an index.
    Read(usize, WatchType),
    /// Moves a watch up.
    MoveUp(usize),
    /// Moves a watch down.
    MoveDown(usize),
    Remove(usize),
    /// Removes all watches.
    Clear,
}

/// All watches of a trace, in the user's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watches {
    list: Vec<Watch>,
}

impl Watches {
    /// Creates a list of watches, up to the maximum.
    pub fn of(mut list: Vec<Watch>) -> Self {
        list.truncate(MOST_WATCHES);
        list.retain(|watch| !watch.expression.trim().is_empty());
        Self { list }
    }

    /// Returns all watches.
    pub fn list(&self) -> &[Watch] {
        &self.list
    }

    /// Swaps two watches if both exist.
    fn swap(&mut self, one: Option<usize>, other: usize) {
        let len = self.list.len();
        if let Some(one) = one.filter(|one| *one < len && other < len) {
            self.list.swap(one, other);
        }
    }

    /// Makes a change. A watch that already exists is not added again.
    ///
    /// # Errors
    /// The maximum number of watches is reached.
    pub fn change(&mut self, change: &WatchChange) -> Result<(), String> {
        match change {
            WatchChange::Add(text) => {
                let watch = Watch::parse(text);
                if watch.expression.is_empty() || self.list.contains(&watch) {
                    return Ok(());
                }
                if self.list.len() >= MOST_WATCHES {
                    return Err(too_many());
                }
                self.list.push(watch);
            }
            WatchChange::Edit(place, text) => {
                let watch = Watch::parse(text);
                if let Some(known) = self
                    .list
                    .get_mut(*place)
                    .filter(|_| !watch.expression.is_empty())
                {
                    *known = watch;
                }
            }
            WatchChange::Read(place, kind) => {
                if let Some(known) = self.list.get_mut(*place) {
                    known.kind = *kind;
                }
            }
            WatchChange::MoveUp(place) => self.swap(place.checked_sub(1), *place),
            WatchChange::MoveDown(place) => self.swap(place.checked_add(1), *place),
            WatchChange::Remove(place) if *place < self.list.len() => {
                drop(self.list.remove(*place))
            }
            WatchChange::Remove(_) => {}
            WatchChange::Clear => self.list.clear(),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expression: &str, kind: WatchType) {
        assert_eq!(
            Watch::parse(text),
            Watch {
                expression: expression.to_owned(),
                kind
            }
        );
    }

    #[test]
    fn a_type_is_before_or_after_the_expression() {
        check("x0", "x0", WatchType::Hex);
        check(" [sp + 8] u32 ", "[sp + 8]", WatchType::U32);
        check("i64 x19 - x22", "x19 - x22", WatchType::I64);
        check("u32[sp+8]", "u32[sp+8]", WatchType::Hex);
        check("name utf8", "name", WatchType::Utf8);
        check("u8", "u8", WatchType::Hex);
    }

    #[test]
    fn watches_are_added_moved_and_removed() {
        let mut watches = Watches::default();
        for text in ["x0", "x1 u32", "x0", "[sp]", ""] {
            watches.change(&WatchChange::Add(text.to_owned())).unwrap();
        }
        watches.change(&WatchChange::MoveUp(2)).unwrap();
        watches.change(&WatchChange::MoveUp(0)).unwrap();
        watches
            .change(&WatchChange::Read(1, WatchType::I8))
            .unwrap();
        watches.change(&WatchChange::Remove(7)).unwrap();
        let texts: Vec<String> = watches.list().iter().map(Watch::text).collect();
        assert_eq!(texts, ["x0", "[sp] i8", "x1 u32"]);
        watches.change(&WatchChange::Remove(0)).unwrap();
        watches
            .change(&WatchChange::Edit(0, "x7 f64".to_owned()))
            .unwrap();
        assert_eq!(watches.list()[0].text(), "x7 f64");
        for number in 0..MOST_WATCHES - 2 {
            watches
                .change(&WatchChange::Add(format!("{number}")))
                .unwrap();
        }
        assert_eq!(
            watches.change(&WatchChange::Add("x30".to_owned())),
            Err(too_many())
        );
    }
}
