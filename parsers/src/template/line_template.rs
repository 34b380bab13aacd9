//! The layout of a text log, parsed from its TOML description ([`LineTemplate`]): patterns whose
//! named groups are the parts of a step, of an access or of a register write.

use std::str::FromStr;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use stepback_machine::{AccessKind, InstructionSet};

use crate::template::error::{PATTERNS, TemplateError, one_line};

/// Maximum size of a compiled pattern in bytes.
const PATTERN_BYTES: usize = 1 << 20;
/// Maximum bytes of an access.
const ACCESS_BYTES: u16 = 64;

/// Meaning of a named group in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineGroup {
    /// Address of the instruction; a line that has one begins a step.
    Pc,
    /// The encoding.
    Opcode,
    /// Any text that is only there if the instruction is a Thumb one.
    Thumb,
    /// The disassembly.
    Text,
    /// The timestamp.
    Time,
    /// The thread, core or hart.
    Thread,
    /// Name of a register that the step writes, or its number after the pattern's prefix.
    Register,
    /// Value of the register, or the bytes of the access.
    Value,
    /// Lowest address of an access.
    Address,
    /// Number of bytes of an access.
    Size,
    /// An exception.
    Exception,
    /// A text that is kept with the step.
    Note,
    /// The part of the line in which the line's items are searched.
    Items,
}

/// Names of the groups, in the order of [`LineGroup`].
const GROUP_NAMES: [&str; 13] = [
    "pc",
    "opcode",
    "thumb",
    "text",
    "time",
    "thread",
    "register",
    "value",
    "address",
    "size",
    "exception",
    "note",
    "items",
];

const GROUPS: [LineGroup; 13] = [
    LineGroup::Pc,
    LineGroup::Opcode,
    LineGroup::Thumb,
    LineGroup::Text,
    LineGroup::Time,
    LineGroup::Thread,
    LineGroup::Register,
    LineGroup::Value,
    LineGroup::Address,
    LineGroup::Size,
    LineGroup::Exception,
    LineGroup::Note,
    LineGroup::Items,
];

/// Order of the digits of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DigitOrder {
    /// Most significant digit first, as numbers are written.
    #[default]
    Number,
    /// The byte at the lowest address first, as in a dump of memory.
    Memory,
}

/// Direction of an access.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenAccess {
    Load,
    Store,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTemplate {
    instruction_set: String,
    time_unit: Option<String>,
    opcode_order: Option<DigitOrder>,
    value_order: Option<DigitOrder>,
    line: Vec<WrittenLayout>,
}

/// A pattern for lines or for items.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLayout {
    pattern: String,
    access: Option<WrittenAccess>,
    size: Option<u16>,
    #[serde(default)]
    register_prefix: String,
    #[serde(default)]
    decimal: Vec<LineGroup>,
    executed: Option<bool>,
    #[serde(default)]
    items: Vec<WrittenLayout>,
}

/// The layout of a text log.
#[derive(Clone, Debug, Default)]
pub struct LineTemplate {
    /// The description in TOML.
    pub(crate) source: String,
    /// Instruction set that the description names; none without a description.
    pub(crate) instruction_set: Option<InstructionSet>,
    /// Unit of the timestamps.
    pub(crate) time_unit: Option<String>,
    /// Order of the digits of encodings; none for the usual one of the instruction set.
    pub(crate) opcode_order: Option<DigitOrder>,
    /// Order of the digits of memory contents.
    pub(crate) value_order: DigitOrder,
    lines: Vec<LineLayout>,
}

/// A pattern for lines, or for items of a line.
#[derive(Clone, Debug)]
pub(crate) struct LineLayout {
    regex: Regex,
    /// The groups of the pattern, with their numbers.
    groups: Vec<(LineGroup, usize)>,
    /// Kind of the access that has the group `address`.
    pub access: AccessKind,
    /// Size of the access if no group states it.
    pub size: Option<u16>,
    /// Text that is put before the group `register`.
    pub register_prefix: String,
    /// Groups whose numbers are decimal.
    decimal: Vec<LineGroup>,
    /// False if the instructions of these lines were not executed.
    pub is_executed: bool,
    pub items: Vec<LineLayout>,
}

/// A matched line or item: its groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineParts<'a> {
    /// Offset of the match in the text.
    pub start: usize,
    groups: [Option<&'a [u8]>; GROUPS.len()],
}

impl<'a> LineParts<'a> {
    /// Returns what a group matched.
    pub fn get(&self, group: LineGroup) -> Option<&'a [u8]> {
        self.groups.get(group as usize).copied().flatten()
    }
}

impl PartialEq for LineTemplate {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for LineTemplate {}

impl LineTemplate {
    /// Returns the patterns of the lines, in the order in which they are tried.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.regex.as_str())
    }

    /// Returns the number of the first pattern that matches a line, and its groups.
    pub(crate) fn read<'a>(&self, line: &'a [u8]) -> Option<(usize, LineParts<'a>)> {
        self.lines
            .iter()
            .enumerate()
            .find_map(|(number, layout)| Some((number, layout.parts(line)?)))
    }

    /// Returns true if a pattern reads register writes.
    pub(crate) fn has_registers(&self) -> bool {
        self.layouts().any(|layout| layout.has(LineGroup::Register))
    }

    /// Returns true if a pattern reads accesses without their values.
    pub(crate) fn leaves_values_out(&self) -> bool {
        self.layouts()
            .any(|layout| layout.has(LineGroup::Address) && !layout.has(LineGroup::Value))
    }

    fn layouts(&self) -> impl Iterator<Item = &LineLayout> {
        let lines = self.lines.iter();
        lines.flat_map(|line| std::iter::once(line).chain(&line.items))
    }

    /// Returns the layout with a number.
    pub(crate) fn line(&self, number: usize) -> Option<&LineLayout> {
        self.lines.get(number)
    }
}

impl LineLayout {
    fn parts<'a>(&self, line: &'a [u8]) -> Option<LineParts<'a>> {
        self.regex
            .captures(line)
            .map(|captures| self.parts_of(&captures))
    }

    fn parts_of<'a>(&self, captures: &regex::bytes::Captures<'a>) -> LineParts<'a> {
        let mut groups = [None; GROUPS.len()];
        for (group, number) in &self.groups {
            if let (Some(found), Some(place)) =
                (captures.get(*number), groups.get_mut(*group as usize))
            {
                *place = Some(found.as_bytes());
            }
        }
        LineParts {
            start: captures.get_match().start(),
            groups,
        }
    }

    /// Iterates over all matches in a text, from left to right.
    pub fn all_parts<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = LineParts<'a>> {
        self.regex
            .captures_iter(text)
            .map(|captures| self.parts_of(&captures))
    }

    /// Returns true if a group has decimal numbers although they are usually hexadecimal.
    pub fn is_decimal(&self, group: LineGroup) -> bool {
        self.decimal.contains(&group)
    }

    fn has(&self, group: LineGroup) -> bool {
        self.groups.iter().any(|(found, _)| *found == group)
    }

    /// Compiles and checks a pattern of a line.
    fn of_line(written: WrittenLayout) -> Result<Self, TemplateError> {
        let (pattern, layout) = Self::of(written)?;
        layout
            .check_line()
            .map_err(|problem| problem.in_pattern(&pattern))?;
        Ok(layout)
    }

    fn of(written: WrittenLayout) -> Result<(String, Self), TemplateError> {
        let WrittenLayout {
            pattern,
            access,
            size,
            register_prefix,
            decimal,
            executed,
            items,
        } = written;
        let regex = RegexBuilder::new(&pattern)
            .size_limit(PATTERN_BYTES)
            .unicode(false)
            .build()
            .map_err(|error| PatternProblem::Regex(last_line(&error)).in_pattern(&pattern))?;
        let mut groups = Vec::new();
        for (number, name) in regex.capture_names().enumerate() {
            let Some(name) = name else { continue };
            let known = GROUP_NAMES.iter().position(|known| *known == name);
            let group = known
                .and_then(|place| GROUPS.get(place))
                .ok_or_else(|| PatternProblem::Group(name.to_owned()).in_pattern(&pattern))?;
            groups.push((*group, number));
        }
        let items = items
            .into_iter()
            .map(Self::of_item)
            .collect::<Result<_, _>>()?;
        let layout = Self {
            regex,
            groups,
            access: match access {
                Some(WrittenAccess::Load) => AccessKind::Read,
                Some(WrittenAccess::Store) | None => AccessKind::Write,
            },
            size,
            register_prefix,
            decimal,
            is_executed: executed.unwrap_or(true),
            items,
        };
        layout
            .check_effect(access)
            .map_err(|problem| problem.in_pattern(&pattern))?;
        Ok((pattern, layout))
    }

    fn of_item(written: WrittenLayout) -> Result<Self, TemplateError> {
        let (pattern, layout) = Self::of(written)?;
        let of_lines = [
            LineGroup::Pc,
            LineGroup::Opcode,
            LineGroup::Thumb,
            LineGroup::Text,
            LineGroup::Time,
            LineGroup::Thread,
            LineGroup::Items,
        ];
        let group = of_lines.into_iter().find(|group| layout.has(*group));
        let problem = match group {
            Some(group) => PatternProblem::OfLine(group),
            None if !layout.items.is_empty() => PatternProblem::ItemsInItem,
            None => return Ok(layout),
        };
        Err(problem.in_pattern(&pattern))
    }
}

/// Error in a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum PatternProblem {
    #[error("{0}")]
    Regex(String),
    #[error("there is no group {0:?}: known are {known}", known = GROUP_NAMES.join(", "))]
    Group(String),
    #[error("an address needs access = \"load\" or access = \"store\"")]
    Direction,
    #[error("access needs a group address")]
    NoAddress,
    #[error(
        "the size of the access is missing: add a group size, a hexadecimal value, or a key size"
    )]
    Size,
    #[error("an access has 1 to {ACCESS_BYTES} bytes, not {0}")]
    ImpossibleSize(u16),
    #[error("a value needs a group register or address")]
    Value,
    #[error("a register and an address share one value: describe one of them in items")]
    TwoValues,
    #[error("the group {name:?} belongs in the pattern of the line", name = GROUP_NAMES[*.0 as usize])]
    OfLine(LineGroup),
    #[error("an item has no items of its own")]
    ItemsInItem,
    #[error("the group {name:?} needs a group pc", name = GROUP_NAMES[*.0 as usize])]
    OfStep(LineGroup),
}

impl PatternProblem {
    fn in_pattern(self, pattern: &str) -> TemplateError {
        TemplateError::Pattern {
            pattern: pattern.to_owned(),
            problem: self.to_string(),
        }
    }
}

impl LineLayout {
    /// Checks the groups of a line.
    fn check_line(&self) -> Result<(), PatternProblem> {
        let of_steps = [
            LineGroup::Opcode,
            LineGroup::Thumb,
            LineGroup::Text,
            LineGroup::Time,
            LineGroup::Thread,
        ];
        let lonely = of_steps
            .into_iter()
            .find(|group| self.has(*group) && !self.has(LineGroup::Pc));
        lonely.map_or(Ok(()), |group| Err(PatternProblem::OfStep(group)))
    }

    /// Checks the groups of a register write, or of an access with the direction that the user
    /// stated.
    fn check_effect(&self, stated: Option<WrittenAccess>) -> Result<(), PatternProblem> {
        let has = |group| self.has(group);
        let has_direction = stated.is_some();
        // Decimal digits do not show the number of bytes.
        let has_sized_value = has(LineGroup::Value) && !self.is_decimal(LineGroup::Value);
        let is_sized = self.size.is_some() || has(LineGroup::Size) || has_sized_value;
        match self.size {
            Some(size) if !(1..=ACCESS_BYTES).contains(&size) => {
                return Err(PatternProblem::ImpossibleSize(size));
            }
            _ => {}
        }
        match (has(LineGroup::Register), has(LineGroup::Address)) {
            (true, true) => Err(PatternProblem::TwoValues),
            (false, true) if !has_direction => Err(PatternProblem::Direction),
            (false, true) if !is_sized => Err(PatternProblem::Size),
            (_, false) if has_direction => Err(PatternProblem::NoAddress),
            (false, false) if has(LineGroup::Value) => Err(PatternProblem::Value),
            _ => Ok(()),
        }
    }
}

impl FromStr for LineTemplate {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let written: WrittenTemplate =
            toml::from_str(text).map_err(|error| TemplateError::Lines(one_line(&error, text)))?;
        let instruction_set = set_named(written.instruction_set)?;
        let count = written.line.iter().map(|line| 1 + line.items.len()).sum();
        if count > PATTERNS {
            return Err(TemplateError::PatternCount(count));
        }
        let lines = written
            .line
            .into_iter()
            .map(LineLayout::of_line)
            .collect::<Result<Vec<_>, _>>()?;
        if !lines.iter().any(|line| line.has(LineGroup::Pc)) {
            return Err(TemplateError::NoStep);
        }
        Ok(Self {
            source: text.to_owned(),
            instruction_set: Some(instruction_set),
            time_unit: written.time_unit,
            opcode_order: written.opcode_order,
            value_order: written.value_order.unwrap_or_default(),
            lines,
        })
    }
}

/// Returns the instruction set with a name: one of those that the user can choose, or Thumb for
/// programs that execute nothing else.
fn set_named(name: String) -> Result<InstructionSet, TemplateError> {
    let choices = InstructionSet::CHOICES
        .into_iter()
        .filter_map(|set| Some((set.names().choice?.name, set)));
    let known: Vec<_> = choices.chain([("thumb", InstructionSet::T32)]).collect();
    let found = known.iter().find(|(choice, _)| *choice == name);
    found.map(|(_, set)| *set).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(choice, _)| *choice).collect();
        TemplateError::InstructionSet {
            name,
            known: names.join(", "),
        }
    })
}

/// Returns the message of a pattern's error; the lines before it show the pattern again.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: &str = "instruction_set = 'arm'\n[[line]]\npattern = '^(?<pc>\\w+) (?<items>.*)'\n";

    #[test]
    fn the_first_pattern_that_matches_reads_a_line() {
        let text = format!("{STEP}[[line]]\npattern = '^(?<note>.*)'\n");
        let template: LineTemplate = text.parse().unwrap();
        let (number, parts) = template.read(b"80 r1=2").unwrap();
        let found =
            [LineGroup::Pc, LineGroup::Items, LineGroup::Note].map(|group| parts.get(group));
        assert_eq!(
            (number, found),
            (0, [Some(&b"80"[..]), Some(b"r1=2"), None])
        );
        let (number, parts) = template.read(b"- -").unwrap();
        assert_eq!((number, parts.get(LineGroup::Note)), (1, Some(&b"- -"[..])));
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let error = text.parse::<LineTemplate>().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn what_is_wrong_with_a_description_is_reported() {
        refused("line = 1", "it is not a description of lines: ");
        refused(
            "instruction_set = 'arm'\n[[line]]\npattern = 1",
            "(line 3, column 11)",
        );
        refused(
            "instruction_set = 'arm'\n[[line]]\npattern = '^x'",
            "needs a pattern with a group pc",
        );
        refused(
            "instruction_set = 'pdp11'\n[[line]]\npattern = '^(?<pc>.)'",
            "no instruction set \"pdp11\": known are x86_64, ",
        );
        for (keys, expected) in [
            ("pattern = '('", "the pattern \"(\": unclosed group"),
            (
                "pattern = '(?<addr>.)'",
                "no group \"addr\": known are pc, opcode,",
            ),
            ("pattern = '(?<address>.)'", "an address needs access = "),
            (
                "pattern = '(?<address>.)'\naccess = 'store'",
                "the size of the access is missing",
            ),
            (
                "pattern = '(?<pc>.)'\naccess = 'store'",
                "access needs a group address",
            ),
            (
                "pattern = '(?<value>.)'",
                "a value needs a group register or address",
            ),
            (
                "pattern = '(?<register>.)(?<address>.)(?<value>.)'",
                "a register and an address share one value",
            ),
            (
                "pattern = '(?<text>.)'",
                "the group \"text\" needs a group pc",
            ),
            (
                "pattern = '(?<address>.)'\naccess = 'load'\nsize = 65",
                "an access has 1 to 64 bytes, not 65",
            ),
            (
                "pattern = '(?<pc>.)'\nitems = [{ pattern = '(?<pc>.)' }]",
                "the group \"pc\" belongs in the pattern of the line",
            ),
            (
                "pattern = '(?<address>.)(?<value>.)'\naccess = 'store'\ndecimal = ['value']",
                "the size of the access is missing",
            ),
            ("pattern = '(?<pc>.)'\nkind = 1", "unknown field `kind`"),
            (
                &format!(
                    "pattern = '(?<pc>.)'\nitems = [{}]",
                    "{ pattern = 'x' },".repeat(200)
                ),
                "found 201",
            ),
        ] {
            let text = format!("instruction_set = 'arm'\n[[line]]\n{keys}");
            refused(&text, expected);
        }
    }
}
