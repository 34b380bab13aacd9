//! Text cut into lines.

/// The line that starts at `start`: its text without line end, and where the next one starts.
/// None when it has no newline before `text` ends and `is_last` is false.
pub(crate) fn split_line(text: &[u8], start: usize, is_last: bool) -> Option<(&[u8], usize)> {
    let rest = text.get(start..)?;
    let (line, next) = match memchr::memchr(b'\n', rest) {
        Some(length) => (rest.get(..length)?, start + length + 1),
        None if is_last => (rest, text.len()),
        None => return None,
    };
    Some((line, next))
}

/// The line without the carriage returns at its end.
pub(crate) fn without_return(line: &[u8]) -> &[u8] {
    let mut line = line;
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}
