//! Heap blocks, from recorded calls of the functions that allocate and free.

use std::collections::BTreeMap;

use stepback_index::answer::{BadFree, BlockRelease, Heap};
use stepback_index::query::{Allocations, HeapRole};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::drmemtrace::FunctionList;

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

/// Recognises the operators of C++, mangled (`_Znwm`, `_ZdaPvm`) or not.
fn operator_role(symbol: &str) -> Option<HeapRole> {
    let is = |name: &str| {
        symbol
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('(') || rest.starts_with("[]"))
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
pub fn double_frees<'a>(
    heap: &'a Heap,
    functions: Option<&'a FunctionList>,
) -> impl Iterator<Item = DoubleFree<'a>> {
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
        .filter_map(|bad| {
            Some(DoubleFree {
                bad,
                before: bad.freed_before?,
            })
        })
}

/// A call that frees a block a second time.
#[derive(Clone, Copy, Debug)]
pub struct DoubleFree<'a> {
    pub bad: &'a BadFree,
    /// The earlier free of the block.
    pub before: BlockRelease,
}

/// Returns the maximum number of bytes allocated at once. Memory: 8 bytes per block.
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
    freed.retain(|place| freed_at(*place).is_some());
    freed.sort_unstable_by_key(|place| freed_at(*place));
    let size = |place: u32| block(place).map_or(0, |block| block.size_bytes);
    let (mut now, mut most, mut freed) = (0u64, 0, freed.into_iter().peekable());
    for place in allocated {
        // At one position, frees precede allocations.
        while let Some(gone) = freed.next_if(|gone| freed_at(*gone) <= allocated_at(place)) {
            now = now.saturating_sub(size(gone));
        }
        now = now.saturating_add(size(place));
        most = most.max(now);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

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
                "_ZnamRKSt9nothrow_t",
                "operator new[](unsigned long)",
            ],
            Some(HeapRole::Allocate),
        );
        check(
            &[
                "free",
                "__libc_free@GLIBC_2.2.5",
                "_ZdlPvm",
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
                "freeze",
                "",
            ],
            None,
        );
    }
}
