//! Normalisation of paths in debug information.

use std::borrow::Cow;

/// Removes `.` and each `..` that follows a directory from a path: build systems leave long chains
/// of them.
pub fn clean_path(path: &str) -> Cow<'_, str> {
    let is_clean = path.split('/').all(|part| part != "." && part != "..");
    // With backslashes a `..` is too rare to justify the rules of drives.
    if is_clean {
        return Cow::Borrowed(path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            (".", _) => {}
            ("..", Some(last)) if !last.is_empty() && *last != ".." => {
                parts.pop();
            }
            // The parent of the root is the root.
            ("..", Some(&"")) if parts.len() == 1 => {}
            _ => parts.push(part),
        }
    }
    Cow::Owned(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_are_left_out_and_what_leads_outside_is_kept() {
        for (path, expected) in [
            ("/a/b.c", "/a/b.c"),
            ("/build/arm/../../lib/./a.c", "/lib/a.c"),
            ("/../a.c", "/a.c"),
            ("../x/../a.c", "../a.c"),
            ("../../a.c", "../../a.c"),
            ("./a.c", "a.c"),
            ("C:\\w\\a.c", "C:\\w\\a.c"),
            ("", ""),
        ] {
            assert_eq!(clean_path(path), expected, "{path}");
        }
    }
}
