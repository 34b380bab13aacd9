//! Readers of test units.

use std::sync::LazyLock;

use crate::image::variables::array_lengths::FrameLengths;
use crate::image::variables::debug_entries::{DebugEntries, Entry};
use crate::image::variables::evaluation::EvaluationState;
use crate::image::variables::frame_rules::FrameRules;
use crate::image::variables::frame_values::FrameValues;
use crate::image::variables::location::{LocationReader, VariablePlace};
use crate::image::variables::scopes::CodeScope;
use crate::image::variables::test_unit::{BigEndianFrame, OUTER, TestFrame, TestUnit, VARIABLE};
use crate::image::variables::types::{TypeReader, VariableType};

/// `DW_OP_call_frame_cfa`.
pub const CFA: [u8; 1] = [0x9c];

/// Distance between the addresses of the image and those in memory.
pub const MOVED: u64 = 0x10_0000;

static NO_LENGTHS: LazyLock<FrameLengths> = LazyLock::new(FrameLengths::default);

static NO_RULES: LazyLock<FrameRules> = LazyLock::new(|| {
    let none = std::path::Path::new("none");
    FrameRules::read(none, none, 8)
});

/// Returns a reader of locations in a function at an address.
pub fn reader_at<'a>(
    entries: &'a DebugEntries,
    function: &'a Entry,
    address: u64,
    state: &'a EvaluationState,
) -> LocationReader<'a> {
    LocationReader {
        entries,
        rules: &NO_RULES,
        function,
        address,
        offset: MOVED,
        frame: &TestFrame,
        state,
    }
}

/// Describes the place of the first variable of a function in a frame.
fn place_in(entries: &DebugEntries, frame: &dyn FrameValues) -> String {
    let function = entries.function_at(OUTER).unwrap();
    let variables = CodeScope::at(entries, &function, OUTER).variables;
    let state = EvaluationState::default();
    let reader = LocationReader {
        frame,
        ..reader_at(entries, &function, OUTER, &state)
    };
    match reader.place_of(&variables[0].entry, Some(4)).unwrap() {
        VariablePlace::Memory(address) => format!("at {address:#x}"),
        VariablePlace::Content(content) => {
            let byte =
                |value: Option<u8>| value.map_or("??".to_owned(), |one| format!("{one:02x}"));
            let bytes: Vec<String> = content
                .first_bytes(64)
                .iter()
                .map(|one| byte(one.value))
                .collect();
            bytes.join(" ")
        }
        VariablePlace::OptimisedAway => "optimised away".to_owned(),
        VariablePlace::Unsupported(kind) => format!("unsupported {kind:?}"),
        VariablePlace::Unreadable => "unreadable".to_owned(),
        VariablePlace::Unknown => "unknown".to_owned(),
    }
}

/// Compares the place of an `int` with this location in a frame.
#[track_caller]
fn check_frame(frame: &dyn FrameValues, frame_base: &[u8], location: &[u8], expected: &str) {
    let mut unit = TestUnit::new();
    let int = unit.int();
    unit.outer(frame_base);
    unit.begin(VARIABLE)
        .text("x")
        .to(int)
        .expression(location)
        .end();
    assert_eq!(
        place_in(&unit.entries(), frame),
        expected,
        "{location:02x?}"
    );
}

/// Compares the place of an `int` with this location in a function with this frame base.
#[track_caller]
pub fn check_with(frame_base: &[u8], location: &[u8], expected: &str) {
    check_frame(&TestFrame, frame_base, location, expected);
}

#[track_caller]
pub fn check(location: &[u8], expected: &str) {
    check_with(&CFA, location, expected);
}

#[track_caller]
pub fn check_big_endian(location: &[u8], expected: &str) {
    check_frame(&BigEndianFrame, &CFA, location, expected);
}

/// Returns the type of the first variable of a function, with its name.
pub fn first_type(entries: &DebugEntries) -> (VariableType, String) {
    let function = entries.function_at(OUTER).unwrap();
    let variables = CodeScope::at(entries, &function, OUTER).variables;
    let of_type = VariableType::of(entries.type_of(&variables[0].entry));
    (of_type, types(entries).name_of(of_type))
}

pub fn types(entries: &DebugEntries) -> TypeReader<'_> {
    TypeReader {
        entries,
        is_big_endian: false,
        lengths: &NO_LENGTHS,
    }
}

/// Returns the type of a variable whose type `add` adds to a unit.
pub fn type_in(
    mut unit: TestUnit,
    add: impl FnOnce(&mut TestUnit) -> u32,
) -> (DebugEntries, String) {
    let of_type = add(&mut unit);
    unit.outer(&CFA);
    unit.begin(VARIABLE)
        .text("x")
        .to(of_type)
        .expression(&CFA)
        .end();
    let entries = unit.entries();
    let (_, name) = first_type(&entries);
    (entries, name)
}
