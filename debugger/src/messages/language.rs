//! Languages of the user interface, one per thread.

use std::cell::Cell;

use serde::{Deserialize, Serialize};

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
    /// French.
    French,
}

thread_local! {
    static SPOKEN: Cell<Language> = const { Cell::new(Language::English) };
}

impl Language {
    /// All languages.
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
    /// Returns the language that the setting selects on a system with language `system`.
    pub fn of(self, system: Language) -> Language {
        match self {
            Self::System => system,
            Self::English => Language::English,
            Self::French => Language::French,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
