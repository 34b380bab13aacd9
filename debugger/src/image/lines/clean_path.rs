//! Paths without detours.

use std::borrow::Cow;

/// The same path without `.` and without `..` behind a directory: build systems leave long chains of them.
pub fn clean_path(path: &str) -> Cow<'_, str> {
    let is_clean = path.split('/').all(|part| part != "." && part != "..");
    // Where backslashes divide, a `..` is too rare to be worth knowing the rules of drives.
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
            // Above the root there is the root.
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
