//! Texts by id in each language, the language of each thread, and the macro `say!` that looks up a
//! text.
//!
//! The files of a language are parsed once, at the first lookup. Texts without values are formatted
//! then, so that a lookup returns a `&'static str`. Typed text is matched after folding case and
//! accents.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use fluent_syntax::ast::Entry;
use serde::{Deserialize, Serialize};
use unic_langid::LanguageIdentifier;

/// Value that is filled into a text: words, or a number, which also selects the plural form.
pub type MessageValue<'a> = fluent_bundle::FluentValue<'a>;

static ENGLISH: LazyLock<MessageTable> = LazyLock::new(|| MessageTable::of(Language::English));
static FRENCH: LazyLock<MessageTable> = LazyLock::new(|| MessageTable::of(Language::French));

struct MessageTable {
    /// Texts without values, formatted once.
    plain: HashMap<String, &'static str>,
    all: FluentBundle<FluentResource>,
}

/// Returns a text without values in the language of the thread; the id if there is no such text.
pub fn spoken(id: &'static str) -> &'static str {
    find(id).unwrap_or_else(|| {
        debug_assert!(false, "there is no text {id:?}");
        id
    })
}

/// Returns a text without values in the language of the thread, if there is one.
pub fn find(id: &str) -> Option<&'static str> {
    table(Language::spoken()).plain.get(id).copied()
}

/// Returns a text without values in English, for output that other programs read.
pub fn in_english(id: &str) -> Option<&'static str> {
    ENGLISH.plain.get(id).copied()
}

/// Returns a text with values filled in, in the language of the thread.
pub fn spoken_with(id: &str, values: &[(&'static str, MessageValue<'_>)]) -> String {
    let all = &table(Language::spoken()).all;
    let Some(pattern) = all.get_message(id).and_then(|message| message.value()) else {
        debug_assert!(false, "there is no text {id:?}");
        return id.to_owned();
    };
    let values: FluentArgs<'_> = values
        .iter()
        .map(|(name, value)| (*name, value.clone()))
        .collect();
    let mut errors = Vec::new();
    let text = all
        .format_pattern(pattern, Some(&values), &mut errors)
        .into_owned();
    debug_assert!(errors.is_empty(), "{id}: {errors:?}");
    text
}

fn table(language: Language) -> &'static MessageTable {
    match language {
        Language::English => &ENGLISH,
        Language::French => &FRENCH,
    }
}

fn source(language: Language) -> &'static str {
    match language {
        Language::English => include_str!("../../../assets/messages/en.ftl"),
        Language::French => include_str!("../../../assets/messages/fr.ftl"),
    }
}

impl MessageTable {
    fn of(language: Language) -> Self {
        let tag: LanguageIdentifier = language.tag().parse().unwrap_or_default();
        let mut all = FluentBundle::new_concurrent(vec![tag]);
        // Isolation marks around values are for right-to-left scripts and would be drawn as boxes.
        all.set_use_isolating(false);
        all.set_formatter(Some(|value, _| match value {
            MessageValue::Number(number) => Some(grouped(number.value)),
            _ => None,
        }));
        // A test checks that the files are valid. In any case the valid part of a file is used.
        let texts =
            FluentResource::try_new(source(language).to_owned()).unwrap_or_else(|(read, _)| read);
        let ids: Vec<String> = ids(&texts).collect();
        let _doubles = all.add_resource(texts);
        let plain = ids
            .into_iter()
            .filter_map(|id| Some((plain(&all, &id)?, id)));
        // Once per language: the texts exist until the program ends.
        let plain = plain.map(|(text, id)| (id, &*text.leak())).collect();
        Self { plain, all }
    }
}

/// Returns the ids of a file, in order.
fn ids(texts: &FluentResource) -> impl Iterator<Item = String> {
    texts.entries().filter_map(|entry| match entry {
        Entry::Message(message) => Some(message.id.name.to_owned()),
        _ => None,
    })
}

/// Formats a text; none if it needs values.
fn plain(all: &FluentBundle<FluentResource>, id: &str) -> Option<String> {
    let pattern = all.get_message(id)?.value()?;
    let mut errors = Vec::new();
    let text = all.format_pattern(pattern, None, &mut errors).into_owned();
    errors.is_empty().then_some(text)
}

/// Formats a count or a step with the thousands separators of the thread's language: `1,250`. A
/// displayed number can be typed, see [`crate::number::whole_digits`].
pub fn thousands(number: u64) -> String {
    let separator = match Language::spoken() {
        Language::English => ',',
        Language::French => '\u{202f}',
    };
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 * separator.len_utf8());
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// Formats a number of tenths with one decimal, in the way of the thread's language: `1,250.5`.
pub fn with_decimal(tenths: u128) -> String {
    let whole = u64::try_from(tenths / 10).unwrap_or(u64::MAX);
    format!("{}{}{}", thousands(whole), decimal_mark(), tenths % 10)
}

/// Returns the mark before the decimals in the thread's language.
pub fn decimal_mark() -> char {
    match Language::spoken() {
        Language::English => '.',
        Language::French => ',',
    }
}

/// Formats a number in a message.
fn grouped(number: f64) -> String {
    let whole = number as u64;
    if whole as f64 == number {
        thousands(whole)
    } else {
        number.to_string()
    }
}

/// A language of the user interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English; scripts and the command line always use it.
    #[default]
    English,
    French,
}

/// Language setting of the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LanguageChoice {
    /// The language of the system.
    #[default]
    System,
    English,
    French,
}

thread_local! {
    static SPOKEN: Cell<Language> = const { Cell::new(Language::English) };
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::French];

    /// Returns the language of this thread.
    pub fn spoken() -> Self {
        SPOKEN.get()
    }

    /// Sets the language of this thread.
    pub fn speak(self) {
        SPOKEN.set(self);
    }

    /// Returns the language of the user's system if it is supported, else English.
    pub fn of_system() -> Self {
        Self::of_environment(|name| std::env::var(name).ok())
    }

    /// Reads the first variable that is not empty, as POSIX specifies.
    fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let said = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .filter_map(variable)
            .find(|said| !said.is_empty());
        match said
            .as_deref()
            .and_then(|said| said.split(['_', '.', '@']).next())
        {
            Some("fr") => Self::French,
            _ => Self::English,
        }
    }

    /// Returns the BCP 47 tag.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::French => "fr",
        }
    }
}

impl LanguageChoice {
    /// Names in the settings file.
    pub const NAMES: [(&str, Self); 3] = [
        ("system", Self::System),
        ("english", Self::English),
        ("french", Self::French),
    ];

    /// Reads the setting from the settings file. A file that cannot be read, or that names no
    /// language, selects the language of the system.
    pub fn saved(settings: &Path) -> Self {
        let text = std::fs::read_to_string(settings).unwrap_or_default();
        Self::in_settings(&text).unwrap_or_default()
    }

    fn in_settings(text: &str) -> Option<Self> {
        let settings: toml::Table = text.parse().ok()?;
        let name = settings.get("language")?.as_str()?;
        let found = Self::NAMES.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, choice)| choice)
    }

    /// Returns the language that the setting selects on a system with language `system`.
    pub fn of(self, system: Language) -> Language {
        match self {
            Self::System => system,
            Self::English => Language::English,
            Self::French => Language::French,
        }
    }
}
/// Returns a text in lower case without accents. Maps character by character, so that character
/// indexes stay valid.
pub fn folded(text: &str) -> String {
    text.chars().map(folded_letter).collect()
}

/// Returns a character in lower case without its accent.
pub fn folded_letter(letter: char) -> char {
    match letter.to_lowercase().next().unwrap_or(letter) {
        'à' | 'â' => 'a',
        'ç' => 'c',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'î' | 'ï' => 'i',
        'ô' => 'o',
        'ù' | 'û' => 'u',
        '’' => '\'',
        '\u{a0}' => ' ',
        letter => letter,
    }
}
/// Returns a text in the language of the thread: `&'static str`, or `String` if values are filled
/// in.
#[macro_export]
macro_rules! say {
    ($id:literal) => {
        $crate::messages::spoken($id)
    };
    ($id:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::messages::spoken_with($id, &[$((stringify!($name), $crate::messages::MessageValue::from($value))),+])
    };
}
pub use say;

#[cfg(test)]
mod tests {
    use fluent_syntax::ast::{
        Expression, InlineExpression, Pattern, PatternElement, Variant, VariantKey,
    };

    use super::*;

    fn names(pattern: &Pattern<&str>, wanted: &str) -> bool {
        pattern.elements.iter().any(|element| {
            matches!(element, PatternElement::Placeable {
                expression: Expression::Inline(InlineExpression::VariableReference { id })
            } if id.name == wanted)
        })
    }

    /// In French `[one]` also covers 0: a literal `1` in the text would be wrong.
    #[test]
    fn one_in_french_names_the_number_that_others_name() {
        let texts =
            FluentResource::try_new(source(Language::French).to_owned()).expect("a whole file");
        let messages = texts.entries().filter_map(|entry| match entry {
            Entry::Message(message) => Some((message.id.name, message.value.as_ref()?)),
            _ => None,
        });
        let mut selectors = 0;
        for (message, text) in messages {
            for element in &text.elements {
                let PatternElement::Placeable {
                    expression: Expression::Select { selector, variants },
                } = element
                else {
                    continue;
                };
                let InlineExpression::VariableReference { id } = selector else {
                    continue;
                };
                let is_one = |variant: &&Variant<&str>| {
                    matches!(variant.key, VariantKey::Identifier { name: "one" })
                };
                let one = variants.iter().find(is_one);
                let other = variants.iter().find(|variant| variant.default);
                let (Some(one), Some(other)) = (one, other) else {
                    continue;
                };
                assert!(
                    names(&one.value, id.name) || !names(&other.value, id.name),
                    "{message}: ${}",
                    id.name
                );
                selectors += 1;
            }
        }
        assert!(selectors > 60, "{selectors}");
    }
}

#[cfg(test)]
mod language_tests {
    use super::*;

    #[test]
    fn digits_are_grouped_as_the_language_does() {
        let check = |number, english: &str, french: &str| {
            for (language, text) in [(Language::English, english), (Language::French, french)] {
                language.speak();
                assert_eq!(thousands(number), text, "{language:?}");
                let digits = crate::number::whole_digits(text);
                assert_eq!(
                    digits,
                    Some(number.to_string()),
                    "a shown number can be typed"
                );
            }
            Language::English.speak();
        };
        check(7, "7", "7");
        check(999, "999", "999");
        check(20_345, "20,345", "20\u{202f}345");
        check(1_600_000, "1,600,000", "1\u{202f}600\u{202f}000");
    }

    #[test]
    fn numbers_in_messages_are_grouped_as_the_language_does() {
        Language::French.speak();
        let text = say!("goto-position", position = 20_345_u64);
        Language::English.speak();
        assert!(text.contains("20\u{202f}345"), "{text}");
    }

    #[test]
    fn the_settings_file_names_the_language() {
        let check = |text, choice| assert_eq!(LanguageChoice::in_settings(text), choice);
        check("language = \"french\"\n", Some(LanguageChoice::French));
        check("theme = \"dark\"\n", None);
        check("language = \"german\"\n", None);
        check("language = 7\n", None);
        check("language =", None);
        let missing = Path::new("/no/such/settings.toml");
        assert_eq!(LanguageChoice::saved(missing), LanguageChoice::System);
    }

    #[test]
    fn the_first_variable_that_says_anything_tells_the_language() {
        let of = |variables: &[(&str, &str)]| {
            Language::of_environment(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, said)| (*said).to_owned())
            })
        };
        assert_eq!(of(&[]), Language::English);
        assert_eq!(of(&[("LANG", "fr_FR.UTF-8")]), Language::French);
        assert_eq!(
            of(&[("LC_ALL", ""), ("LC_MESSAGES", "fr"), ("LANG", "de_DE")]),
            Language::French
        );
        assert_eq!(
            of(&[("LC_ALL", "C.UTF-8"), ("LANG", "fr_CA@euro")]),
            Language::English
        );
        assert_eq!(of(&[("LANG", "fro")]), Language::English);
    }
}
