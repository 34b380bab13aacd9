//! The blocks of the heap, where the recorder noted the functions that allocate and free.

use std::collections::BTreeMap;

use anyhow::Result;
use stepback_index::{Allocations, Cancel, Heap, HeapRole, Query as _};
use stepback_parsers::drmemtrace::FunctionList;
use stepback_parsers::{Address, Position};

use super::text::{counted, thousands};
use crate::session::Session;

/// What the traced functions do to the heap, by the numbers that their markers bear.
pub fn heap_roles(functions: &FunctionList) -> BTreeMap<u64, HeapRole> {
    let functions = functions.functions.iter();
    functions.filter_map(|function| Some((function.id, role_of(function.symbol())?))).collect()
}

fn role_of(name: &str) -> Option<HeapRole> {
    // Libraries export some under several names: `__libc_malloc`, `operator new(unsigned long)`, `_Znwm`.
    let name = name.strip_prefix("__libc_").or(name.strip_prefix("__")).unwrap_or(name);
    match name.split('(').next().unwrap_or(name).trim_end() {
        "malloc" | "valloc" | "operator new" | "operator new[]" | "_Znwm" | "_Znam" | "_Znwj" | "_Znaj" => {
            Some(HeapRole::Allocate)
        }
        "calloc" => Some(HeapRole::AllocateArray),
        "aligned_alloc" | "memalign" => Some(HeapRole::AllocateAligned),
        "realloc" => Some(HeapRole::Reallocate),
        "free" | "cfree" | "operator delete" | "operator delete[]" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => {
            Some(HeapRole::Free)
        }
        _ => None,
    }
}

/// Whether the trace tells of the heap.
pub fn has_heap(session: &Session) -> bool {
    session.companions.functions.as_ref().is_some_and(|functions| !heap_roles(functions).is_empty())
}

/// All blocks of the heap. Runs on a worker: it reads all markers of functions.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn heap(session: &Session, cancel: &Cancel) -> Result<Heap> {
    let roles = session.companions.functions.as_ref().map(heap_roles).unwrap_or_default();
    if roles.is_empty() {
        return Ok(Heap::default());
    }
    Ok(Allocations { roles }.run(&session.index, cancel)?)
}

/// Which block an address belongs to at a position: `24 bytes into the 64 allocated at step 1,234, freed at step 2,345`.
pub fn block_words(heap: &Heap, address: Address, position: Position) -> Option<String> {
    let block = heap.block_at(address, position)?;
    let offset = address.0 - block.address.0;
    let place = match offset {
        0 => "first of the".to_owned(),
        offset => format!("{} into the", counted(offset, "byte", "bytes")),
    };
    let step = |position: Position| {
        position.last_step().map_or_else(|| "the start".to_owned(), |step| format!("step {}", thousands(step.0)))
    };
    let end = match block.freed_at {
        Some(freed) if freed <= position => format!(", freed since at {}", step(freed)),
        Some(freed) => format!(", freed at {}", step(freed)),
        None => ", never freed".to_owned(),
    };
    let size = counted(block.size_bytes, "byte", "bytes");
    Some(format!("{place} {size} allocated at {}{end}", step(block.allocated_at)))
}

#[cfg(test)]
mod tests {
    use stepback_generator::drmemtrace::TraceWriter;

    use super::*;
    use crate::model::test_session::drmemtrace_with;

    // Sorts of markers.
    const FUNCTION: u16 = 4;
    const RETURN_ADDRESS: u16 = 5;
    const ARGUMENT: u16 = 6;
    const RETURN_VALUE: u16 = 7;

    const LIST: &str = "1,1,0x10,libc.so.6!malloc\n2,1,0x20,libc.so.6!free\n3,0,0x30,app!work\n";

    #[test]
    fn functions_of_the_heap_are_known_by_name() {
        let roles = heap_roles(&FunctionList::parse(LIST.as_bytes()));
        assert_eq!(roles, BTreeMap::from([(1, HeapRole::Allocate), (2, HeapRole::Free)]));
        let named = ["operator new(unsigned long)", "__libc_calloc", "_ZdlPv", "free_list", "mallocate"].map(role_of);
        let expected = [Some(HeapRole::Allocate), Some(HeapRole::AllocateArray), Some(HeapRole::Free), None, None];
        assert_eq!(named, expected);
    }

    #[test]
    fn an_address_says_which_block_it_is_in_and_how_long_that_lives() {
        let call = |writer: &mut TraceWriter, markers: &[(u16, u64)]| {
            writer.instruction(0x40_1000, &[0x90]);
            markers.iter().for_each(|(sort, value)| writer.marker(*sort, *value));
        };
        let (session, _place) = drmemtrace_with(LIST, |writer| {
            call(writer, &[(FUNCTION, 1), (RETURN_ADDRESS, 0x40_2000), (ARGUMENT, 64)]);
            call(writer, &[(FUNCTION, 1), (RETURN_VALUE, 0x5000)]);
            call(writer, &[]);
            call(writer, &[(FUNCTION, 2), (RETURN_ADDRESS, 0x40_2000), (ARGUMENT, 0x5000)]);
            call(writer, &[(FUNCTION, 2), (RETURN_VALUE, 0)]);
        });
        let heap = heap(&session, &Cancel::default()).unwrap();
        let words = |address, position| block_words(&heap, Address(address), Position(position));
        let freed = session.index.end();
        assert!(has_heap(&session));
        assert!(
            words(0x5018, 3).unwrap().starts_with("24 bytes into the 64 bytes allocated at step 1, freed at step ")
        );
        assert!(
            words(0x5000, freed.0).unwrap().starts_with("first of the 64 bytes allocated at step 1, freed since at ")
        );
        assert_eq!((words(0x5018, 1), words(0x5040, 3)), (None, None));
    }
}
