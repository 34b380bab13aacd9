//! Errors of queries in the language of the thread ([`error_words`]).

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
        // `{:#}` puts the whole chain of contexts on one line.
        _ => format!("{error:#}"),
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Position;

    use super::*;
    use crate::messages::Language;

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
