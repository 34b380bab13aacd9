//! The trace and the position to open in the window or the browser.

use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The trace to open.
    pub trace: Option<PathBuf>,
    /// Position to open it at, in the syntax of positions.
    pub at: Option<String>,
}

/// Splits `TRACE@44012`, unless a file has this name.
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

/// Parses `1280x800`.
///
/// # Errors
/// The text is not a size; the message shows the syntax.
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
