//! Rows for a client: the JSON values of the command line without null, empty lists and what is
//! usual, with a position and a provenance for each fact, and cut to a size ([`Compactor`]).

use serde_json::{Map, Value as Json, json};
use stepback_debugger::session::Session;
use stepback_machine::Address;

/// Mark at the end of a text that was cut.
const MARK: &str = "…";
/// Maximum size of a row in bytes.
const ROW_BYTES: usize = 1400;
/// Lengths of texts in bytes, and of lists, to which a large row is cut: the first that suffices.
const CUTS: [(usize, usize); 4] = [(240, 16), (120, 8), (60, 4), (24, 2)];

/// Makes rows of the values of one trace.
#[derive(Clone, Copy)]
pub struct Compactor<'a> {
    session: &'a Session,
}

impl<'a> Compactor<'a> {
    /// Creates rows of this trace.
    pub fn new(session: &'a Session) -> Self {
        Self { session }
    }

    /// Makes a row of at most [`ROW_BYTES`].
    pub fn row(self, value: Json) -> Json {
        cut_to(self.fact(value), ROW_BYTES)
    }

    /// Makes a fact: drops nulls and what is usual, writes addresses in full width, adds the
    /// position after a step, the function of its address, and the provenance of a value.
    pub fn fact(self, value: Json) -> Json {
        match value {
            Json::Array(values) => values.into_iter().map(|value| self.fact(value)).collect(),
            Json::Object(fields) => Json::Object(self.fields(fields)),
            other => other,
        }
    }

    fn fields(self, mut fields: Map<String, Json>) -> Map<String, Json> {
        let provenance = take_provenance(&mut fields);
        let mut row = Map::new();
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("value", Json::Null) => drop(row.insert(name, Json::Null)),
                (_, Json::Null) => {}
                (_, Json::Array(list)) if list.is_empty() => {}
                ("thread", _) if self.session.index.threads().len() == 1 => {}
                ("executed" | "decoded", Json::Bool(is_so)) if is_so == (name == "executed") => {}
                // The cell names both.
                ("address" | "size", _) if row.contains_key("cell") => {}
                ("function", Json::Object(function)) => name_function(&mut row, &function),
                ("pc", Json::String(pc)) => {
                    let function = self.function_at(&pc);
                    row.insert(name, full_width(&pc).into());
                    row.extend(function.map(|function| ("function".to_owned(), function.into())));
                }
                (_, Json::String(text)) if is_address_field(&name) => {
                    row.insert(name, full_width(&text).into());
                }
                ("cell", Json::String(cell)) => drop(row.insert(name, full_cell(&cell).into())),
                ("step", step) => {
                    let after = step.as_u64().and_then(|step| step.checked_add(1));
                    row.insert(name, step);
                    row.extend(after.map(|after| ("position".to_owned(), after.into())));
                }
                (_, value) => drop(row.insert(name, self.fact(value))),
            }
        }
        row.extend(provenance.map(|word| ("provenance".to_owned(), word.into())));
        // A call: its arguments are in the registers before its first step.
        let call = row.get("call_step").and_then(Json::as_u64);
        let entry = row.get("entry_step").and_then(Json::as_u64);
        let entry = entry.or_else(|| call?.checked_add(1));
        if let Some(entry) = entry.filter(|_| !row.contains_key("position")) {
            row.insert("position".to_owned(), entry.into());
        }
        row
    }

    /// Returns the function that contains an address, as `main+0x10`.
    fn function_at(self, pc: &str) -> Option<String> {
        let number = u64::from_str_radix(pc.strip_prefix("0x")?, 16).ok()?;
        let found = self.session.images.code_at(Address(number))?;
        Some(found.to_string())
    }
}

/// Removes the fields that say where a value comes from, and returns the word for them. None if the
/// object has no such fields.
fn take_provenance(fields: &mut Map<String, Json>) -> Option<&'static str> {
    let is_effect = fields.contains_key("reg") && fields.contains_key("value");
    if let Some(register) = fields.shift_remove("reg") {
        let rest = std::mem::take(fields);
        fields.insert("cell".to_owned(), register);
        fields.extend(rest);
    }
    let inferred = fields.shift_remove("inferred");
    let external = fields.shift_remove("external");
    if inferred.is_none() && !is_effect {
        return None;
    }
    let is_set = |flag: Option<Json>| flag == Some(Json::Bool(true));
    Some(match fields.get("value").is_none_or(Json::is_null) {
        true => "unknown",
        false if is_set(external) => "external",
        false if is_set(inferred) => "inferred",
        false => "recorded",
    })
}

/// Adds the name and the address of a called function.
fn name_function(row: &mut Map<String, Json>, function: &Map<String, Json>) {
    let address = function
        .get("address")
        .and_then(Json::as_str)
        .unwrap_or_default();
    let address = full_width(address);
    let name = function.get("name").and_then(Json::as_str);
    row.insert("function".to_owned(), name.unwrap_or(&address).into());
    row.insert("address".to_owned(), address.clone().into());
    if let Some(source) = function.get("source").filter(|source| !source.is_null()) {
        row.insert("source".to_owned(), source.clone());
    }
}

/// Returns true for the fields that hold an address and nothing else.
fn is_address_field(name: &str) -> bool {
    matches!(
        name,
        "address" | "end" | "executing_at" | "load_offset" | "page" | "pc_a" | "pc_b" | "target"
    )
}

/// Writes an address with 16 digits. Other texts stay unchanged.
fn full_width(text: &str) -> String {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    match u64::from_str_radix(digits, 16) {
        Ok(number) if digits.len() <= 16 => format!("{number:#018x}"),
        _ => text.to_owned(),
    }
}

/// Writes the address of a range of memory with 16 digits: `0x0000000080020010:4`.
fn full_cell(cell: &str) -> String {
    match cell.split_once(':') {
        Some((address, len)) if address.starts_with("0x") => {
            format!("{}:{len}", full_width(address))
        }
        _ => full_width(cell),
    }
}

/// Cuts a value until it has at most `limit` bytes as JSON.
pub fn cut_to(value: Json, limit: usize) -> Json {
    if len_bytes(&value) <= limit {
        return value;
    }
    for (text, list) in CUTS {
        let cut = cut(&value, text, list);
        if len_bytes(&cut) <= limit {
            return cut;
        }
    }
    json!({"cut": MARK, "position": value.get("position")})
}

/// Returns the length of a value as JSON inside a text of JSON, where each quote is escaped.
pub fn len_bytes(value: &Json) -> usize {
    let json = value.to_string();
    let escaped = json.bytes().filter(|byte| matches!(byte, b'"' | b'\\'));
    json.len() + escaped.count()
}

fn cut(value: &Json, text: usize, list: usize) -> Json {
    match value {
        Json::String(long) => cut_text(long, text).into(),
        Json::Array(values) => {
            let more = values.len().saturating_sub(list);
            let mut shown: Vec<Json> = values
                .iter()
                .take(list)
                .map(|value| cut(value, text, list))
                .collect();
            if more > 0 {
                shown.push(format!("{MARK} {more} more").into());
            }
            shown.into()
        }
        Json::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), cut(value, text, list)))
            .collect(),
        other => other.clone(),
    }
}

/// Cuts a text to a number of bytes and adds a mark with the number of bytes left out.
pub fn cut_text(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let shown = text
        .get(..text.floor_char_boundary(limit))
        .unwrap_or_default();
    format!("{shown}{MARK} {} bytes more", text.len() - shown.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_sixteen_digits() {
        assert_eq!(full_width("0x80000390"), "0x0000000080000390");
        assert_eq!(full_width("main"), "main");
        assert_eq!(full_width("0x"), "0x");
        assert_eq!(full_cell("0x80000390:4"), "0x0000000080000390:4");
        assert_eq!(full_cell("x0<7:0>"), "x0<7:0>");
    }

    #[test]
    fn long_texts_and_lists_are_cut_with_a_mark() {
        assert_eq!(cut_text("äöü", 3), "ä… 4 bytes more");
        let value = json!({"text": "a".repeat(4000), "for": (0..1000).collect::<Vec<_>>()});
        let cut = cut_to(value, 300);
        assert!(len_bytes(&cut) <= 300, "{cut}");
        assert_eq!(
            cut["for"].as_array().and_then(|list| list.last()),
            Some(&json!("… 992 more"))
        );
    }

    #[test]
    fn the_provenance_of_a_value_is_one_word() {
        let word = |value: Json| {
            let mut fields = value.as_object().unwrap().clone();
            take_provenance(&mut fields)
        };
        assert_eq!(word(json!({"reg": "x0", "value": "0x1"})), Some("recorded"));
        assert_eq!(word(json!({"reg": "x0", "value": null})), Some("unknown"));
        assert_eq!(
            word(json!({"cell": "x0", "value": "0x1", "inferred": true})),
            Some("inferred")
        );
        let external = json!({"value": "0x1", "inferred": false, "external": true});
        assert_eq!(word(external), Some("external"));
        assert_eq!(word(json!({"step": 1})), None);
    }
}
