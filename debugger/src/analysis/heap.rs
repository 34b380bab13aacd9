//! Heap blocks, from recorded calls of the functions that allocate and free.

use std::collections::BTreeMap;

use stepback_compare::Allocator;
use stepback_index::answer::{BadFree, BlockRelease, Heap};
use stepback_index::query::{Allocations, HeapRole};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::drmemtrace::FunctionList;

use crate::image::Images;

/// Prefixes that allocators add to the C names of these functions.
const PREFIXES: [&str; 8] = [
    "__libc_",
    "__GI_",
    "__interceptor_",
    "tc_",
    "je_",
    "mi_",
    "rpl_",
    "__",
];

/// Maximum distance of a call from its function for the call to count as the allocator's own. glibc
/// uses `free` to return blocks that it cached for an ending thread, though the program had already
/// freed them.
const ALLOCATOR_BYTES: u64 = 8 << 10;

/// Returns the heap operation of each traced function, by the number in its markers.
pub fn heap_roles(functions: &FunctionList) -> BTreeMap<u64, HeapRole> {
    let functions = functions.functions.iter();
    functions
        .filter_map(|function| Some((function.id, role_of(function.symbol())?)))
        .collect()
}

/// Returns the functions of the images that allocate memory. Cost: the names of all functions.
pub fn allocators(images: &Images) -> Vec<Allocator> {
    let functions = images.functions("").filter_map(|symbol| {
        let size_arguments: &[usize] = match role_of(symbol.raw_name())? {
            HeapRole::Allocate => &[0],
            HeapRole::AllocateArray => &[0, 1],
            HeapRole::AllocateAligned | HeapRole::Reallocate => &[1],
            HeapRole::Free | HeapRole::AllocateUnseen => return None,
        };
        Some(Allocator {
            function: symbol.address,
            size_arguments,
        })
    });
    functions.collect()
}

fn role_of(symbol: &str) -> Option<HeapRole> {
    // A symbol version may follow the name.
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

/// Types of the parameters, mangled and not, after which an operator of C++ still uses the heap: those
/// of the standard (C++20, 17.6.3), and a hint for allocators. Operators with others, such as
/// placement new, belong to the program.
const HEAP_TAGS: [(&str, &str); 3] = [
    ("St11align_val_t", "align_val_t"),
    ("RKSt9nothrow_t", "nothrow_t"),
    ("12__hot_cold_t", "__hot_cold_t"),
];

/// Recognises the operators of C++, mangled (`_Znwm`, `_ZdaPvm`) or not.
fn operator_role(symbol: &str) -> Option<HeapRole> {
    let parameters = |starts: [&str; 2]| starts.iter().find_map(|start| symbol.strip_prefix(start));
    // Mangled types of sizes.
    let size = ['j', 'm', 'y'];
    if let Some(rest) = parameters(["_Znw", "_Zna"]) {
        return are_heap_tags(rest.strip_prefix(size)?).then_some(HeapRole::Allocate);
    }
    if let Some(rest) = parameters(["_ZdlPv", "_ZdaPv"]) {
        return are_heap_tags(rest.strip_prefix(size).unwrap_or(rest)).then_some(HeapRole::Free);
    }
    let (role, rest) = match symbol.strip_prefix("operator new") {
        Some(rest) => (HeapRole::Allocate, rest),
        None => (HeapRole::Free, symbol.strip_prefix("operator delete")?),
    };
    let rest = rest.strip_prefix("[]").unwrap_or(rest);
    if rest.is_empty() {
        return Some(role);
    }
    let mut others = rest
        .strip_prefix('(')?
        .strip_suffix(')')?
        .split(',')
        .skip(1);
    let is_of_heap = |parameter: &str| {
        HEAP_TAGS.iter().any(|(_, tag)| parameter.contains(tag))
            || role == HeapRole::Free && parameter.trim_start().starts_with("unsigned ")
    };
    others.all(is_of_heap).then_some(role)
}

/// Returns true if mangled parameters are a sequence of [`HEAP_TAGS`].
fn are_heap_tags(mut parameters: &str) -> bool {
    while let Some(rest) = HEAP_TAGS
        .iter()
        .find_map(|(tag, _)| parameters.strip_prefix(*tag))
    {
        parameters = rest;
    }
    parameters.is_empty()
}

/// Returns true if the trace records heap operations: some traced functions allocate or free.
pub fn has_heap(functions: Option<&FunctionList>) -> bool {
    functions.is_some_and(|functions| !heap_roles(functions).is_empty())
}

/// Returns all heap blocks. Reads all function markers, so it runs on a worker.
///
/// # Errors
/// See [`QueryError`].
pub fn heap(
    index: &Index,
    functions: Option<&FunctionList>,
    cancel: &Cancel,
) -> Result<Heap, QueryError> {
    let roles = functions.map(heap_roles).unwrap_or_default();
    if roles.is_empty() {
        return Ok(Heap::default());
    }
    Allocations { roles }.run(index, cancel)
}

/// Iterates over the calls that free a block a second time, except those from within the allocator.
/// Each comes with the earlier free of the block.
pub fn double_frees<'a>(
    heap: &'a Heap,
    functions: Option<&'a FunctionList>,
) -> impl Iterator<Item = (&'a BadFree, BlockRelease)> {
    let functions = functions.into_iter().flat_map(|list| &list.functions);
    let starts: BTreeMap<u64, u64> = functions
        .map(|function| (function.id, function.address))
        .collect();
    let is_own = move |bad: &BadFree| {
        starts
            .get(&bad.function)
            .is_some_and(|start| start.abs_diff(bad.return_address.0) < ALLOCATOR_BYTES)
    };
    heap.bad_frees
        .iter()
        .filter(move |bad| !is_own(bad))
        .filter_map(|bad| Some((bad, bad.freed_before?)))
}

/// Returns the maximum number of bytes allocated at once: a lower bound where several blocks are
/// allocated or freed at one position. Memory: 8 bytes per block.
pub fn most_bytes(heap: &Heap) -> u64 {
    let places = || 0..u32::try_from(heap.blocks().len()).unwrap_or(u32::MAX);
    let block = |place: u32| heap.get(place);
    let freed_at = |place: u32| {
        block(place)
            .and_then(|block| block.freed)
            .map(|freed| freed.at)
    };
    let allocated_at = |place: u32| block(place).map(|block| block.allocated_at);
    let (mut allocated, mut freed): (Vec<u32>, Vec<u32>) = (places().collect(), places().collect());
    allocated.sort_unstable_by_key(|place| allocated_at(*place));
    // A block that is freed where it is allocated counts only there.
    let has_lifetime = |place: u32| freed_at(place) != allocated_at(place);
    freed.retain(|place| freed_at(*place).is_some() && has_lifetime(*place));
    freed.sort_unstable_by_key(|place| freed_at(*place));
    let size = |place: u32| block(place).map_or(0, |block| block.size_bytes);
    let (mut now, mut most, mut freed) = (0u64, 0, freed.into_iter().peekable());
    for place in allocated {
        // At one position, frees precede allocations.
        while let Some(gone) = freed.next_if(|gone| freed_at(*gone) <= allocated_at(place)) {
            now = now.saturating_sub(size(gone));
        }
        let with_block = now.saturating_add(size(place));
        most = most.max(with_block);
        if has_lifetime(place) {
            now = with_block;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::drmemtrace_with;

    const LIST: &str = "1,1,0x10,libc.so.6!malloc\n2,1,0x20,libc.so.6!free\n3,0,0x30,app!work\n";

    #[test]
    fn functions_of_the_heap_are_known_by_name() {
        let roles = heap_roles(&FunctionList::parse(LIST.as_bytes()));
        assert_eq!(
            roles,
            BTreeMap::from([(1, HeapRole::Allocate), (2, HeapRole::Free)])
        );
        let named = [
            "operator new(unsigned long)",
            "__libc_calloc",
            "_ZdlPv",
            "free_list",
            "mallocate",
        ]
        .map(role_of);
        let expected = [
            Some(HeapRole::Allocate),
            Some(HeapRole::AllocateArray),
            Some(HeapRole::Free),
            None,
            None,
        ];
        assert_eq!(named, expected);
    }

    #[test]
    fn a_block_that_is_freed_where_it_was_allocated_does_not_stay() {
        // Numbers of marker kinds.
        const FUNCTION: u16 = 4;
        const RETURN_ADDRESS: u16 = 5;
        const ARGUMENT: u16 = 6;
        const RETURN_VALUE: u16 = 7;
        let (session, _place) = drmemtrace_with(LIST, |writer| {
            for _ in 0..3 {
                writer.instruction(0x40_1000, &[0x90]);
                for (kind, value) in [
                    (FUNCTION, 1),
                    (RETURN_ADDRESS, 0x40_2000),
                    (ARGUMENT, 64),
                    (FUNCTION, 1),
                    (RETURN_VALUE, 0x5000),
                    (FUNCTION, 2),
                    (RETURN_ADDRESS, 0x40_2000),
                    (ARGUMENT, 0x5000),
                ] {
                    writer.marker(kind, value);
                }
            }
        });
        let functions = session.companions.functions.as_ref();
        let heap = heap(&session.index, functions, &Cancel::default()).unwrap();
        assert_eq!((heap.blocks().len(), most_bytes(&heap)), (3, 64));
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
            &[
                "malloc",
                "__libc_malloc",
                "tc_malloc",
                "_Znwm",
                "_Znaj",
                "_ZnamRKSt9nothrow_t",
                "_ZnwmSt11align_val_t",
                "_ZnwmSt11align_val_tRKSt9nothrow_t",
                "_Znwm12__hot_cold_t",
                "operator new",
                "operator new(unsigned long, std::align_val_t, std::nothrow_t const&)",
                "operator new[](unsigned long)",
            ],
            Some(HeapRole::Allocate),
        );
        check(
            &[
                "free",
                "__libc_free@GLIBC_2.2.5",
                "_ZdlPvm",
                "_ZdaPvSt11align_val_t",
                "_ZdlPvmSt11align_val_t",
                "operator delete[](void*, unsigned long, std::align_val_t)",
                "operator delete(void*)",
            ],
            Some(HeapRole::Free),
        );
        check(&["calloc"], Some(HeapRole::AllocateArray));
        check(
            &["memalign", "__libc_memalign", "aligned_alloc"],
            Some(HeapRole::AllocateAligned),
        );
        check(&["realloc"], Some(HeapRole::Reallocate));
        check(&["posix_memalign"], Some(HeapRole::AllocateUnseen));
        check(
            &[
                "mmap",
                "fib",
                "malloc_usable_size",
                "operator newish",
                // Placement forms, and those of a program's class.
                "_ZnwmPv",
                "_ZnamPv",
                "_ZdlPvS_",
                "_ZdaPvS_",
                "operator new(unsigned long, void*)",
                "operator new[](unsigned long, Arena&)",
                "operator delete(void*, void*)",
                "_Znwm5Arena",
                "freeze",
                "",
            ],
            None,
        );
    }
}
