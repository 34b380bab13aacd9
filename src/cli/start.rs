//! What is opened in a window or a terminal, and where it begins.

use std::path::{Path, PathBuf};

/// What is opened, and where it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The trace.
    pub trace: Option<PathBuf>,
    /// Where in it to begin, in the language of positions.
    pub at: Option<String>,
}

/// Takes `TRACE@44012` apart, unless a file is called so.
pub fn trace_and_place(whole: Option<&Path>) -> Start {
    let Some(whole) = whole else {
        return Start::default();
    };
    let parts = whole
        .to_str()
        .filter(|_| !whole.exists())
        .and_then(|text| text.rsplit_once('@'));
    match parts.filter(|(trace, at)| !trace.is_empty() && !at.is_empty()) {
        Some((trace, at)) => Start {
            trace: Some(trace.into()),
            at: Some(at.to_owned()),
        },
        None => Start {
            trace: Some(whole.to_owned()),
            at: None,
        },
    }
}

/// Reads `1280x800`.
///
/// # Errors
/// Says how a size is written.
pub fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let sides = text
        .split_once(['x', 'X'])
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    sides
        .filter(|(width, height)| *width > 0 && *height > 0)
        .ok_or_else(|| "a size is written 1280x800".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_size(text: &str, expected: Option<(u32, u32)>) {
        assert_eq!(parse_size(text).ok(), expected, "{text}");
    }

    #[test]
    fn a_size_is_two_numbers_above_zero() {
        check_size("1280x800", Some((1280, 800)));
        check_size("0x800", None);
        check_size("1280", None);
        check_size("-1x5", None);
    }
}
