//! The blocks of the heap, where the recorder noted the functions that allocate and free.

use std::collections::BTreeMap;

use anyhow::Result;
use stepback_index::{Allocations, BadFree, Cancel, Freed, Heap, HeapRole, Query as _};
use stepback_machine::Address;
use stepback_parsers::{Position, Source as _, Step, drmemtrace::FunctionList};

use super::text::{counted, thousands};
use super::traced_call::{CallNames, Callee};
use crate::session::Session;

/// What allocators put before the names that C gives these functions.
const PREFIXES: [&str; 8] = ["__libc_", "__GI_", "__interceptor_", "tc_", "je_", "mi_", "rpl_", "__"];

/// Calls from so near are those of the allocator: glibc gives back by `free` what it kept for a thread that ends,
/// though the program had freed that before.
const ALLOCATOR_BYTES: u64 = 8 << 10;

/// What the traced functions do to the heap, by the numbers that their markers bear.
pub fn heap_roles(functions: &FunctionList) -> BTreeMap<u64, HeapRole> {
    let functions = functions.functions.iter();
    functions.filter_map(|function| Some((function.id, role_of(function.symbol())?))).collect()
}

fn role_of(symbol: &str) -> Option<HeapRole> {
    // Versions stand behind it.
    let symbol = symbol.split('@').next().unwrap_or(symbol);
    if let Some(role) = operator_role(symbol) {
        return Some(role);
    }
    let mut name = symbol;
    while let Some(rest) = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)) {
        name = rest;
    }
    match name {
        "malloc" | "valloc" | "pvalloc" => Some(HeapRole::Allocate),
        "calloc" => Some(HeapRole::AllocateArray),
        "aligned_alloc" | "memalign" => Some(HeapRole::AllocateAligned),
        "realloc" => Some(HeapRole::Reallocate),
        "free" | "cfree" | "free_sized" | "free_aligned_sized" => Some(HeapRole::Free),
        "posix_memalign" => Some(HeapRole::AllocateUnseen),
        _ => None,
    }
}

/// The operators of C++, mangled (`_Znwm`, `_ZdaPvm`) or not.
fn operator_role(symbol: &str) -> Option<HeapRole> {
    let is = |name: &str| {
        symbol.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('(') || rest.starts_with("[]"))
    };
    let has_any = |starts: &[&str]| starts.iter().any(|start| symbol.starts_with(start));
    if is("operator new") || has_any(&["_Znwm", "_Znam", "_Znwj", "_Znaj"]) {
        Some(HeapRole::Allocate)
    } else if is("operator delete") || has_any(&["_ZdlPv", "_ZdaPv"]) {
        Some(HeapRole::Free)
    } else {
        None
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

/// The name of a traced function: `malloc`.
pub fn function_name(session: &Session, id: u64) -> String {
    let functions = session.companions.functions.as_ref();
    CallNames { functions, set: session.index.source().traits().instruction_set }.callee(Callee::Function(id))
}

/// Which block an address belongs to at a position: `24 bytes into the 64 that malloc returned at step 7, freed at step 9`.
pub fn block_words(session: &Session, heap: &Heap, address: Address, position: Position) -> Option<String> {
    let block = heap.block_at(address, position)?;
    let (offset, size) = (address.0.saturating_sub(block.address.0), thousands(block.size_bytes));
    let place = match offset {
        0 => format!("the first of the {size}"),
        offset => format!("{} into the {size}", counted(offset, "byte", "bytes")),
    };
    let end = match block.freed {
        Some(freed) if freed.at <= position => format!("freed since at {}", step_words(freed.step)),
        Some(freed) => format!("freed at {}", step_words(freed.step)),
        None => "never freed".to_owned(),
    };
    let function = function_name(session, block.function);
    Some(format!("{place} that {function} returned at {}, {end}", step_words(block.allocated_step)))
}

/// The calls that free what was freed before, each with how that was.
pub fn double_frees<'a>(session: &'a Session, heap: &'a Heap) -> impl Iterator<Item = (&'a BadFree, Freed)> {
    let functions = session.companions.functions.iter().flat_map(|list| &list.functions);
    let starts: BTreeMap<u64, u64> = functions.map(|function| (function.id, function.address)).collect();
    let is_own = move |bad: &BadFree| {
        starts.get(&bad.function).is_some_and(|start| start.abs_diff(bad.return_address.0) < ALLOCATOR_BYTES)
    };
    heap.bad_frees.iter().filter(move |bad| !is_own(bad)).filter_map(|bad| Some((bad, bad.freed_before?)))
}

/// What is wrong with a free of what was freed before.
pub fn double_free_words(session: &Session, bad: &BadFree, before: Freed) -> String {
    let [function, freer] = [bad.function, before.function].map(|id| function_name(session, id));
    format!("{function} is given {}, which {freer} freed at {} already", bad.address, step_words(before.step))
}

fn step_words(step: Option<Step>) -> String {
    step.map_or_else(|| "the start".to_owned(), |step| format!("step {}", thousands(step.0)))
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
        let words = |address, position| block_words(&session, &heap, Address(address), Position(position));
        let freed = session.index.end();
        assert!(has_heap(&session));
        assert!(
            words(0x5018, 3)
                .unwrap()
                .starts_with("24 bytes into the 64 that malloc returned at step 1, freed at step ")
        );
        assert!(
            words(0x5000, freed.0)
                .unwrap()
                .starts_with("the first of the 64 that malloc returned at step 1, freed since at ")
        );
        assert_eq!((words(0x5018, 1), words(0x5040, 3)), (None, None));
    }

    #[track_caller]
    fn check(symbols: &[&str], expected: Option<HeapRole>) {
        for symbol in symbols {
            assert_eq!(role_of(symbol), expected, "{symbol}");
        }
    }

    #[test]
    fn the_names_of_the_heap_have_many_spellings() {
        check(
            &["malloc", "__libc_malloc", "tc_malloc", "_Znwm", "_ZnamRKSt9nothrow_t", "operator new[](unsigned long)"],
            Some(HeapRole::Allocate),
        );
        check(&["free", "__libc_free@GLIBC_2.2.5", "_ZdlPvm", "operator delete(void*)"], Some(HeapRole::Free));
        check(&["calloc"], Some(HeapRole::AllocateArray));
        check(&["memalign", "__libc_memalign", "aligned_alloc"], Some(HeapRole::AllocateAligned));
        check(&["realloc"], Some(HeapRole::Reallocate));
        check(&["posix_memalign"], Some(HeapRole::AllocateUnseen));
        check(&["mmap", "fib", "malloc_usable_size", "operator newish", "freeze", ""], None);
    }
}
