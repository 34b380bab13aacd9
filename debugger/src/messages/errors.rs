//! Errors of queries in the language of the thread ([`error_words`]).

use std::io::{self, ErrorKind};

use anyhow::Error;
use stepback_index::QueryError;

use crate::messages::say;

/// Describes an error on one line, with all its causes. Those that only readers of a format meet
/// are in English.
pub fn error_words(error: &Error) -> String {
    match error.downcast_ref::<QueryError>() {
        Some(QueryError::Cancelled) => say!("query-cancelled").to_owned(),
        Some(QueryError::Source(cause)) => say!("query-unreadable", error = cause.to_string()),
        Some(QueryError::TraceChanged) => say!("query-trace-changed").to_owned(),
        Some(QueryError::Damaged { part }) => say!("query-damaged", part = part.as_str()),
        Some(QueryError::BeyondEnd { requested, end }) => {
            say!("query-beyond-end", position = requested.0, end = end.0)
        }
        Some(QueryError::TooManyPages(count)) => {
            say!("query-too-many-pages", count = *count as u64)
        }
        Some(QueryError::TooLong { requested, limit }) => {
            say!("query-too-long", bytes = *requested, limit = *limit)
        }
        Some(QueryError::NoThread(name)) => say!("query-no-thread", name = name.as_str()),
        _ => chain_words(error),
    }
}

/// Describes an error on one line, with all its causes. The system's own words and numbers of
/// common causes are replaced ([`system_words`]).
pub fn chain_words(error: &Error) -> String {
    let link = |link: &(dyn std::error::Error + 'static)| match link.downcast_ref() {
        Some(error) => system_words(error),
        None => link.to_string(),
    };
    error.chain().map(link).collect::<Vec<_>>().join(": ")
}

/// Describes an error of the system and, if it is a common one, the way out.
pub fn system_words(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => say!("system-not-found").to_owned(),
        ErrorKind::PermissionDenied => say!("system-permission").to_owned(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => say!("system-full").to_owned(),
        ErrorKind::ReadOnlyFilesystem => say!("system-read-only").to_owned(),
        ErrorKind::IsADirectory => say!("system-directory").to_owned(),
        ErrorKind::NotADirectory => say!("system-no-directory").to_owned(),
        _ => {
            let words = error.to_string();
            let code = error.raw_os_error();
            let number = code.map(|code| format!(" (os error {code})"));
            let plain = number.and_then(|number| words.strip_suffix(&number).map(str::to_owned));
            plain.unwrap_or(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Position;

    use super::*;
    use crate::messages::Language;

    /// The numbers are those of Linux: 2 ENOENT, 28 ENOSPC, 110 ETIMEDOUT.
    #[test]
    fn errors_of_the_system_come_without_their_numbers() {
        let words = |number| {
            let error = io::Error::from_raw_os_error(number);
            chain_words(&anyhow::Error::new(error).context("a.txt"))
        };
        assert_eq!(words(2), "a.txt: no such file or directory: check the path");
        assert_eq!(
            words(28),
            "a.txt: the disk is full: free some space, or choose another place"
        );
        assert_eq!(words(110), "a.txt: Connection timed out");
    }

    #[test]
    fn errors_of_queries_are_in_the_language_of_the_user() {
        let beyond = || QueryError::BeyondEnd {
            requested: Position(12),
            end: Position(9),
        };
        for error in [
            QueryError::TraceChanged,
            beyond(),
            QueryError::NoThread("cpu7".to_owned()),
        ] {
            let english = error.to_string();
            assert_eq!(error_words(&error.into()), english);
        }
        Language::French.speak();
        assert_eq!(
            error_words(&beyond().into()),
            "la position 12 est après la fin de la trace, qui est la position 9"
        );
        let context = anyhow::anyhow!("one").context("two");
        assert_eq!(error_words(&context), "two: one");
        Language::English.speak();
    }
}
