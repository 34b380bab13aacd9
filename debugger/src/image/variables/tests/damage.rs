//! Damaged debug information of a compiler.

use std::collections::HashMap;

use crate::image::lines::{SectionReader, read_section};
use crate::image::variables::array_lengths::{FrameLengths, LengthReader};
use crate::image::variables::debug_entries::DebugEntries;
use crate::image::variables::evaluation::EvaluationState;
use crate::image::variables::image_variables::catch_panic;
use crate::image::variables::location::VariablePlace;
use crate::image::variables::scopes::CodeScope;
use crate::image::variables::test_unit::entries_of;
use crate::image::variables::tests::support::{reader_at, types};
use crate::image::variables::types::{TypeReader, TypeShape, VariableType};

/// Reads everything of the variables at an address, and returns the number of those with a place.
fn read_all(entries: &DebugEntries, address: u64) -> usize {
    let Some(function) = entries.function_at(address) else {
        return 0;
    };
    for name in ["sessions", "KINDS", "a::b"] {
        entries.names_of(&function.unit).named(name);
        entries.globals().named(name);
    }
    let mut placed = 0;
    let state = EvaluationState::default();
    let types = types(entries);
    for variable in CodeScope::at(entries, &function, address).variables {
        let of_type = VariableType::of(entries.type_of(&variable.entry));
        types.name_of(of_type);
        if let TypeShape::Record { members, .. } = types.describe(of_type).shape {
            members.iter().for_each(|member| {
                types.describe(member.of_type);
            });
        }
        let reader = reader_at(entries, &function, address, &state);
        let constant = FrameLengths::default();
        let lengths = LengthReader {
            types: TypeReader {
                lengths: &constant,
                ..types
            },
            locations: &reader,
        };
        let lengths = lengths.lengths_in(of_type).unwrap();
        let types = TypeReader {
            lengths: &lengths,
            ..types
        };
        let size_bytes = types.size_of(of_type);
        let place = reader.place_of(&variable.entry, size_bytes).unwrap();
        placed += usize::from(place != VariablePlace::OptimisedAway);
    }
    placed
}

#[test]
fn damaged_information_is_read_without_a_panic() {
    let path = std::path::Path::new("../assets/demo/overflow_bare.elf");
    let content = |id: gimli::SectionId| {
        use gimli::Reader as _;
        let section: SectionReader = read_section(path, id).unwrap().content;
        section.to_slice().unwrap().into_owned()
    };
    let ids = [
        gimli::SectionId::DebugInfo,
        gimli::SectionId::DebugAbbrev,
        gimli::SectionId::DebugLine,
        gimli::SectionId::DebugStr,
        gimli::SectionId::DebugLineStr,
        gimli::SectionId::DebugLoc,
        gimli::SectionId::DebugLocLists,
        gimli::SectionId::DebugRngLists,
    ];
    let sections: HashMap<gimli::SectionId, Vec<u8>> =
        ids.into_iter().map(|id| (id, content(id))).collect();
    let addresses = || (0x8000_0000..0x8000_0b00).step_by(0x3c);
    let entries = entries_of(sections.clone());
    let placed: usize = addresses().map(|address| read_all(&entries, address)).sum();
    assert!(placed > 50, "{placed}");
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for round in 0..150 {
        let mut sections = sections.clone();
        for _ in 0..=round % 20 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let id = match random & 7 {
                0 => gimli::SectionId::DebugAbbrev,
                1 => gimli::SectionId::DebugLocLists,
                2 => gimli::SectionId::DebugRngLists,
                _ => gimli::SectionId::DebugInfo,
            };
            let bytes = sections.get_mut(&id).unwrap();
            if bytes.is_empty() {
                continue;
            }
            let place = (random >> 16) as usize % bytes.len();
            bytes[place] = (random >> 8) as u8;
        }
        let read = catch_panic(|| {
            let entries = entries_of(sections);
            addresses().for_each(|address| {
                read_all(&entries, address);
            });
        });
        assert!(read.is_some(), "round {round}");
    }
}
