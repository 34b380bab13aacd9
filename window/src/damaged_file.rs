//! Recovery of damaged saved data: readable entries are kept, and the original file is put aside.
//!
//! An unreadable entry loses only itself. A truncated one keeps its complete fields.

use std::collections::HashMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::de::DeserializeOwned;

use crate::storage_file::StorageNotice;

/// Maximum number of damaged files kept.
const KEPT: usize = 99;

/// Puts a damaged file aside and leaves the readable entries in its place. Returns a notice for the
/// user, or none if the file is intact or missing. Reads at most `limit` bytes.
///
/// # Errors
/// The file could not be put aside, and is unchanged.
pub fn mend_damaged(path: &Path, limit: u64) -> io::Result<Option<StorageNotice>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?.take(limit).read_to_end(&mut bytes)?,
    };
    let text = std::str::from_utf8(&bytes).ok();
    if text.is_some_and(|text| ron::from_str::<HashMap<String, String>>(text).is_ok()) {
        return Ok(None);
    }
    let aside = put_aside(path, &bytes)?;
    let kept = salvaged(&bytes);
    fs::write(path, ron::to_string(&kept).map_err(io::Error::other)?)?;
    Ok(Some(if kept.is_empty() {
        StorageNotice::Lost(aside)
    } else {
        StorageNotice::Salvaged(aside)
    }))
}

/// Copies the file to a free name; older copies are kept because they may hold more.
///
/// # Errors
/// The file could not be copied.
pub fn put_aside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let plain = path.with_added_extension("damaged");
    let numbered = (2..=KEPT).map(|number| plain.with_added_extension(number.to_string()));
    for place in std::iter::once(plain.clone()).chain(numbered) {
        match File::create_new(&place) {
            Ok(mut file) => return io::Write::write_all(&mut file, bytes).map(|()| place),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many damaged files are kept already"))
}

/// Returns the readable entries. A truncated entry keeps its complete fields.
fn salvaged(bytes: &[u8]) -> HashMap<String, String> {
    let text = bytes
        .utf8_chunks()
        .next()
        .map_or("", |chunk| chunk.valid())
        .trim();
    let Some(inside) = text.strip_prefix('{') else {
        return HashMap::new();
    };
    let read = |entry: &str| ron::from_str::<HashMap<String, String>>(&format!("{{{entry}}}")).ok();
    let whole = |entry: &str| read(entry).or_else(|| read(entry.strip_suffix('}')?));
    entries(inside)
        .filter_map(|entry| whole(entry).or_else(|| read(&cut_off(entry)?)))
        .flatten()
        .collect()
}

/// Repairs an entry that ends within its value: keeps the value up to its last complete field.
fn cut_off(entry: &str) -> Option<String> {
    let (name, value) = entry.split_once(':')?;
    let raw = value.trim().strip_prefix('"')?;
    // A truncated escape sequence is dropped.
    let slashes = raw.len() - raw.trim_end_matches('\\').len();
    let raw = raw.get(..raw.len() - slashes % 2)?;
    let value: String = ron::from_str(&format!("\"{raw}\"")).ok()?;
    ron::to_string(&closed(&value)?)
        .ok()
        .map(|value| format!("{name}:{value}"))
}

/// Returns the text up to its last comma outside strings, with all open brackets closed; none
/// without a comma.
fn closed(text: &str) -> Option<String> {
    let (mut open, mut is_string, mut is_escaped, mut last) = (Vec::new(), false, false, None);
    for (place, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_string => is_escaped = true,
            '"' => is_string = !is_string,
            _ if is_string => {}
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' => drop(open.pop()),
            ',' => last = Some((place, open.clone())),
            _ => {}
        }
    }
    let (place, open) = last?;
    Some(
        text.get(..place)?
            .chars()
            .chain(open.into_iter().rev())
            .collect(),
    )
}

/// Maximum length of the text; longer ones were not written by the program.
const LIMIT_BYTES: usize = 4 << 20;
/// Maximum number of fields, or list entries, that are tried one by one.
const LIMIT_ENTRIES: usize = 256;

/// Reads a structure from RON. If the whole text is invalid, its fields are read one by one, and
/// lists entry by entry. Unreadable ones get their defaults. Returns none if nothing can be read.
pub fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    if text.len() > LIMIT_BYTES {
        return None;
    }
    ron::from_str(text).ok().or_else(|| {
        let mut kept = String::new();
        for field in entries(inside(text, '(', ')')?) {
            if is_good::<T>(&format!("{kept}{field},")) {
                kept.push_str(&format!("{field},"));
            } else if let Some((name, list)) = field.split_once(':') {
                kept.push_str(&good_entries::<T>(&kept, name, list).unwrap_or_default());
            }
        }
        ron::from_str(&format!("({kept})")).ok()
    })
}

/// Returns a field with the readable entries of its list; none if it is no list.
fn good_entries<T: DeserializeOwned>(before: &str, name: &str, list: &str) -> Option<String> {
    let mut kept = String::new();
    for entry in entries(inside(list, '[', ']')?) {
        if is_good::<T>(&format!("{before}{name}:[{kept}{entry},],")) {
            kept.push_str(&format!("{entry},"));
        }
    }
    Some(format!("{name}:[{kept}],")).filter(|field| is_good::<T>(&format!("{before}{field}")))
}

fn is_good<T: DeserializeOwned>(fields: &str) -> bool {
    ron::from_str::<T>(&format!("({fields})")).is_ok()
}

/// Returns the text between two brackets at its ends.
fn inside(text: &str, open: char, close: char) -> Option<&str> {
    text.trim().strip_prefix(open)?.strip_suffix(close)
}

/// Splits a text at the commas outside brackets and strings.
pub(super) fn entries(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut is_string, mut is_escaped) = (0i64, false, false);
    let parts = text.split(move |letter| {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_string => is_escaped = true,
            '"' => is_string = !is_string,
            _ if is_string => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' => return depth == 0,
            _ => {}
        }
        false
    });
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .take(LIMIT_ENTRIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: &str =
        r#"(theme:Dark,zoom:1.25,recent:[(path:"/a,b",kind:"x"),(path:"/c",kind:"y")],last:1)"#;

    fn whole() -> String {
        format!(
            "{{\n    \"egui\": \"(a:1)\",\n    \"app\": {},\n}}",
            ron::to_string(SETTINGS).unwrap()
        )
    }

    #[track_caller]
    fn check(end: &str, app: &str) {
        let whole = whole();
        let cut = whole
            .find(end)
            .map(|place| &whole[..place + end.len()])
            .unwrap();
        let kept = salvaged(cut.as_bytes());
        assert_eq!(kept.get("egui").map(String::as_str), Some("(a:1)"), "{cut}");
        assert_eq!(
            kept.get("app").map(String::as_str),
            Some(app).filter(|app| !app.is_empty()),
            "{cut}"
        );
    }

    #[test]
    fn of_a_file_that_is_cut_off_the_whole_fields_are_kept() {
        check("theme:Da", "");
        check("zoom:1.2", "(theme:Dark)");
        check(
            "/a,b\\\",ki",
            "(theme:Dark,zoom:1.25,recent:[(path:\"/a,b\")])",
        );
        check(
            "kind:\\\"x\\\"),(path:\\",
            "(theme:Dark,zoom:1.25,recent:[(path:\"/a,b\",kind:\"x\")])",
        );
        check("last:1)\"", SETTINGS);
        assert_eq!(salvaged(b"\xff\xfe rubbish"), HashMap::new());
    }

    #[test]
    fn a_damaged_file_is_put_aside_and_none_before_it_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.ron");
        assert_eq!(mend_damaged(&path, 1000).unwrap(), None);
        fs::write(&path, whole()).unwrap();
        assert_eq!(mend_damaged(&path, 1000).unwrap(), None);
        let cut = &whole()[..60];
        fs::write(&path, cut).unwrap();
        let notice = mend_damaged(&path, 1000).unwrap().unwrap().to_string();
        assert!(
            notice.starts_with("the settings file was damaged: the readable part is used"),
            "{notice}"
        );
        assert!(notice.ends_with("app.ron.damaged\""), "{notice}");
        assert_eq!(
            fs::read_to_string(folder.path().join("app.ron.damaged")).unwrap(),
            cut
        );
        assert_eq!(
            mend_damaged(&path, 1000).unwrap(),
            None,
            "what is left is good"
        );
        fs::write(&path, "").unwrap();
        let notice = mend_damaged(&path, 1000).unwrap().unwrap().to_string();
        assert!(
            notice.contains("nothing in it could be read")
                && notice.ends_with("app.ron.damaged.2\""),
            "{notice}"
        );
        assert_eq!(
            fs::read_to_string(folder.path().join("app.ron.damaged")).unwrap(),
            cut
        );
    }
}

#[cfg(test)]
mod salvage_tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct SampleRecord {
        size: f32,
        names: Vec<String>,
        pairs: Vec<(u8, u8)>,
    }

    #[track_caller]
    fn check(text: &str, expected: Option<SampleRecord>) {
        assert_eq!(read::<SampleRecord>(text), expected, "{text}");
    }

    #[test]
    fn what_cannot_be_read_costs_itself_alone() {
        let names = vec!["a,b)".to_owned(), "c\"".to_owned()];
        let whole = || SampleRecord {
            size: 2.0,
            names: names.clone(),
            pairs: vec![(1, 2)],
        };
        let list = r#"names:["a,b)","c\""]"#;
        check(&format!("(size:2.0,{list},pairs:[(1,2)])"), Some(whole()));
        check(
            &format!("(size:big,{list},pairs:[(1,2)])"),
            Some(SampleRecord {
                size: 0.0,
                ..whole()
            }),
        );
        check(
            &format!("(size:2.0,{list},pairs:[(1,2),(1,999),7])"),
            Some(whole()),
        );
        check(
            &format!("(size:2.0,{list},pairs:7)"),
            Some(SampleRecord {
                pairs: Vec::new(),
                ..whole()
            }),
        );
        check("(size:2.0,names:[", None);
        check("rubbish", None);
    }
}
