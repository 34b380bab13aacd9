//! The languages, and which one a thread speaks.

use std::cell::Cell;

use serde::{Deserialize, Serialize};

/// A language that the window speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English, which scripts and the command line speak as well.
    #[default]
    English,
    /// French.
    French,
}

/// Which language is wished for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LanguageChoice {
    /// That of the system.
    #[default]
    System,
    /// English.
    English,
    /// French.
    French,
}

thread_local! {
    static SPOKEN: Cell<Language> = const { Cell::new(Language::English) };
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::English, Self::French];

    /// The one that this thread speaks.
    pub fn spoken() -> Self {
        SPOKEN.get()
    }

    /// From now on this thread speaks it.
    pub fn speak(self) {
        SPOKEN.set(self);
    }

    /// The language of the user's system, as far as it is one of ours.
    pub fn of_system() -> Self {
        Self::of_environment(|name| std::env::var(name).ok())
    }

    /// The first variable that says anything counts, as POSIX has it.
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

    /// As the standard BCP 47 calls it.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::French => "fr",
        }
    }
}

impl LanguageChoice {
    /// The language that is meant, on a system of another.
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
