//! Tolerant reading of saved data: an unreadable entry loses only itself.

use serde::de::DeserializeOwned;

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
