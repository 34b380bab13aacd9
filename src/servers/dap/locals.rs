//! Local variables and arguments of a frame, with the members of structures, arrays and pointers.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value as Json, json};
use stepback_debugger::image::VariableKind;
use stepback_debugger::model::frame_place::{FrameLevel, FramePlace};
use stepback_debugger::model::local_names::named_value;
use stepback_debugger::model::local_variables::local_variables;
use stepback_debugger::model::typed_value::TypedValue;
use stepback_debugger::model::variable_values::ValueReader;
use stepback_index::Cancel;
use stepback_parsers::Position;

use super::program::{FrameNumber, TracedProgram};
use crate::cli::variable_text::ValueText;

/// Maximum number of values whose members a client may request at a position.
const SEEN_VALUES: usize = 1 << 16;

/// A value whose members a client may request.
#[derive(Clone, Debug)]
pub struct SeenValue {
    frame: FrameNumber,
    /// Path from a variable to the value: `h->id`.
    path: String,
    value: TypedValue,
}

/// A variable or member to show.
struct ShownValue {
    /// Name; none for an anonymous member.
    name: Option<String>,
    seen: SeenValue,
}

impl TracedProgram {
    pub fn level_of(&self, frame: FrameNumber) -> FrameLevel {
        FrameLevel {
            position: self.position,
            thread: frame.thread,
            level: frame.level,
            inlined: frame.inlined,
        }
    }

    /// Returns the place of a frame; none if there is no such frame.
    fn frame_place(&self, frame: FrameNumber, cancel: &Cancel) -> Result<Option<FramePlace>> {
        Ok(FramePlace::find(
            &self.session,
            self.level_of(frame),
            cancel,
        )?)
    }

    /// Lists the variables of a kind in the function of a frame.
    pub fn local_variables(
        &self,
        frame: FrameNumber,
        kind: VariableKind,
        cancel: &Cancel,
    ) -> Result<Vec<Json>> {
        let Some(place) = self.frame_place(frame, cancel)? else {
            return Ok(Vec::new());
        };
        let reader = ValueReader {
            session: &self.session,
            place: &place,
            cancel,
        };
        let mut shown = Vec::new();
        let variables = local_variables(&self.session, &place, cancel)?;
        let own = variables.iter().filter(|one| one.function == frame.inlined);
        for variable in own.clone().filter(|one| one.kind == kind) {
            // Those of inner scopes come first.
            let visible = own.clone().find(|one| one.name == variable.name);
            let is_visible = visible.is_some_and(|one| std::ptr::eq(one, variable));
            shown.push(self.shown_json(
                ShownValue {
                    name: Some(variable.name.clone()),
                    seen: SeenValue {
                        frame,
                        path: match is_visible {
                            true => variable.name.clone(),
                            false => String::new(),
                        },
                        value: variable.value.clone(),
                    },
                },
                &reader,
            )?);
        }
        Ok(shown)
    }

    /// Returns the path of a variable that is shown under a name; empty for one that another variable
    /// shadows.
    pub fn path_of_shown(
        &self,
        frame: FrameNumber,
        kind: VariableKind,
        name: &str,
        cancel: &Cancel,
    ) -> Result<String> {
        let place = self.frame_place(frame, cancel)?;
        let address = place.and_then(|place| place.address);
        let found = address.and_then(|address| self.session.images.variables_at(address));
        let variables = found.iter().flat_map(|found| found.variables());
        let named = variables.filter(|one| one.function == frame.inlined && one.name == name);
        let named: Vec<_> = named.collect();
        ensure!(
            named.iter().any(|one| one.kind == kind),
            "there is no variable {name} here"
        );
        // Those of inner scopes come first, and hide the others.
        let visible = named.first().filter(|first| first.kind == kind);
        Ok(visible.map_or_else(String::new, |shown| shown.name.clone()))
    }

    /// Returns true if a frame has variables of a kind.
    pub fn has_locals(
        &self,
        frame: FrameNumber,
        kind: VariableKind,
        cancel: &Cancel,
    ) -> Result<bool> {
        let place = self.frame_place(frame, cancel)?;
        let address = place.and_then(|place| place.address);
        let found = address.and_then(|address| self.session.images.variables_at(address));
        let mut variables = found.iter().flat_map(|found| found.variables());
        Ok(variables.any(|variable| variable.function == frame.inlined && variable.kind == kind))
    }

    /// Lists some members of a value that was shown.
    pub fn member_variables(
        &self,
        number: u64,
        skipped: u64,
        count: u64,
        cancel: &Cancel,
    ) -> Result<Vec<Json>> {
        let seen = self.seen_value(number)?;
        let Some(place) = self.frame_place(seen.frame, cancel)? else {
            return Ok(Vec::new());
        };
        let reader = ValueReader {
            session: &self.session,
            place: &place,
            cancel,
        };
        let mut shown = Vec::new();
        for member in reader.members(&seen.value, skipped, count)? {
            let path = member_path(&seen, &member.name);
            shown.push(self.shown_json(
                ShownValue {
                    name: Some(member.name).filter(|name| !name.is_empty()),
                    seen: SeenValue {
                        path,
                        value: member.value,
                        frame: seen.frame,
                    },
                },
                &reader,
            )?);
        }
        Ok(shown)
    }

    /// Returns true for a value that was shown and has no members of a kind: `named` or `indexed`.
    pub fn has_only_others(&self, number: u64, kind: &str, cancel: &Cancel) -> Result<bool> {
        let seen = self.seen_value(number)?;
        let Some(place) = self.frame_place(seen.frame, cancel)? else {
            return Ok(false);
        };
        let reader = ValueReader {
            session: &self.session,
            place: &place,
            cancel,
        };
        let own = match reader.has_elements(&seen.value)? {
            true => "indexed",
            false => "named",
        };
        Ok(own != kind)
    }

    fn seen_value(&self, number: u64) -> Result<SeenValue> {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        let seen = self.seen.borrow().get(place).cloned();
        let reference = Self::reference_of_value(number);
        seen.with_context(|| format!("there are no variables {reference} at this position"))
    }

    /// Describes a variable, and keeps it if it has members.
    fn shown_json(&self, shown: ShownValue, reader: &ValueReader<'_>) -> Result<Json> {
        let ShownValue { name, seen } = shown;
        let mut json = self.value_json(&seen, reader)?;
        if let Some(fields) = json.as_object_mut() {
            let value = fields.remove("result").unwrap_or_default();
            fields.insert("value".to_owned(), value);
            if name.is_some() && !seen.path.is_empty() {
                fields.insert("evaluateName".to_owned(), seen.path.into());
            }
            let name = name.unwrap_or_else(|| "(anonymous)".to_owned());
            fields.insert("name".to_owned(), name.into());
        }
        Ok(json)
    }

    /// Describes a value, and keeps it if it has members.
    fn value_json(&self, seen: &SeenValue, reader: &ValueReader<'_>) -> Result<Json> {
        let text = ValueText(reader).with_source(&seen.value)?;
        let members = reader.member_count(&seen.value)?;
        let mut json = json!({
            "result": text,
            "type": seen.value.type_name(),
            "variablesReference": 0,
            "presentationHint": {"attributes": ["readOnly"]},
        });
        if members > 0 {
            json["variablesReference"] = self.keep(seen.clone())?.into();
            let kind = match reader.has_elements(&seen.value)? {
                true => "indexedVariables",
                false => "namedVariables",
            };
            json[kind] = members.into();
        }
        let target = match seen.value.is_pointer() {
            true => reader.signed_number(&seen.value)?,
            false => {
                let referred = reader.referred(&seen.value)?;
                let address = referred.and_then(|value| value.address());
                address.map(|address| address.0)
            }
        };
        if let Some(address) = target {
            json["memoryReference"] = format!("{address:#x}").into();
        }
        Ok(json)
    }

    /// Keeps a value and returns the reference to its members.
    fn keep(&self, value: SeenValue) -> Result<u64> {
        let mut seen = self.seen.borrow_mut();
        ensure!(
            seen.len() < SEEN_VALUES,
            "too many values were shown at this position"
        );
        seen.push(value);
        Ok(Self::reference_of_value(seen.len() as u64 - 1))
    }

    /// Describes the value of a variable or of a part of one in a frame; none if the text names
    /// none.
    pub fn evaluated_local(
        &self,
        text: &str,
        frame: FrameNumber,
        cancel: &Cancel,
    ) -> Result<Option<Json>> {
        let Some(place) = self.frame_place(frame, cancel)? else {
            return Ok(None);
        };
        let reader = ValueReader {
            session: &self.session,
            place: &place,
            cancel,
        };
        let Some(value) = named_value(text, &reader)? else {
            return Ok(None);
        };
        let seen = SeenValue {
            frame,
            path: text.to_owned(),
            value,
        };
        self.value_json(&seen, &reader).map(Some)
    }

    /// Formats the value of a variable or of a part of one at a position; none if the text names
    /// none.
    pub fn local_text(
        &self,
        text: &str,
        frame: FrameNumber,
        position: Position,
        cancel: &Cancel,
    ) -> Result<Option<String>> {
        let level = FrameLevel {
            position,
            ..self.level_of(frame)
        };
        let Some(place) = FramePlace::find(&self.session, level, cancel)? else {
            return Ok(None);
        };
        let reader = ValueReader {
            session: &self.session,
            place: &place,
            cancel,
        };
        match named_value(text, &reader)? {
            Some(value) => ValueText(&reader).text(&value).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the frame and the path of a member of a value that was shown.
    pub fn member_of(&self, number: u64, name: &str) -> Result<MemberPath> {
        let seen = self.seen_value(number)?;
        Ok(MemberPath {
            frame: seen.frame,
            path: member_path(&seen, name),
        })
    }
}

/// A member with its frame.
pub struct MemberPath {
    pub frame: FrameNumber,
    pub path: String,
}

/// Returns the path of a member; empty if the value has none. That of an anonymous member is the
/// path of its structure, which has the same members.
fn member_path(seen: &SeenValue, name: &str) -> String {
    let path = &seen.path;
    match (path.strip_prefix('*'), name) {
        _ if name.is_empty() || path.is_empty() => path.clone(),
        (_, "*") => format!("*{path}"),
        (None, _) if name.starts_with('[') => format!("{path}{name}"),
        (None, _) => format!("{path}.{name}"),
        (Some(_), _) if name.starts_with('[') => format!("({path}){name}"),
        (Some(pointer), _) if pointer.starts_with('*') => format!("({path}).{name}"),
        // A member of the target of a pointer.
        (Some(pointer), _) => format!("{pointer}->{name}"),
    }
}
