//! Parts of one JSON value as the head and the rows of an answer.

use serde_json::{Map, Value as Json};

/// Name of the field that says of which kind a row is.
pub const ROW: &str = "row";

/// Moves fields into the head of an answer.
pub fn head_of(value: &mut Map<String, Json>, names: &[&str]) -> Json {
    let head = names.iter().filter_map(|name| {
        let field = value.shift_remove(*name)?;
        Some(((*name).to_owned(), field))
    });
    Json::Object(head.collect())
}

/// Returns the objects of a list as rows of a kind. Other values become the field `value`.
pub fn rows_of(list: Option<Json>, kind: &'static str) -> impl Iterator<Item = Json> {
    let list = match list {
        Some(Json::Array(list)) => list,
        Some(Json::Null) | None => Vec::new(),
        Some(one) => vec![one],
    };
    list.into_iter().map(move |value| row(kind, value))
}

/// Returns a row of a kind.
pub fn row(kind: &'static str, value: Json) -> Json {
    let mut row = Map::from_iter([(ROW.to_owned(), kind.into())]);
    match value {
        Json::Object(fields) => row.extend(fields),
        other => drop(row.insert("value".to_owned(), other)),
    }
    row.into()
}
