//! Valid and invalid companion files of a trace.

use proptest::prelude::*;

use crate::drmemtrace::companion::{FunctionList, PhysicalPages};
use crate::drmemtrace::modules_log::ModulesLog;
use crate::problem::{CompanionFault, ProblemKind};

/// Lists the segments: first segment of the module, addresses, offset, preferred base, length of
/// the contents, path.
fn modules_text(log: &ModulesLog) -> String {
    let mut text = String::new();
    for segment in &log.segments {
        let range = segment
            .addresses
            .as_ref()
            .map(|range| format!("{:x}..{:x}", range.start, range.end));
        let numbers = [segment.offset, segment.preferred_base]
            .map(|number| number.map(|number| format!("{number:x}")));
        let [offset, base] = numbers.map(|number| number.unwrap_or("-".into()));
        let range = range.unwrap_or("-".into());
        text += &format!(
            "{} {range} {offset} {base} {} {}\n",
            segment.first,
            segment.contents.len(),
            segment.path
        );
    }
    text + &log
        .problems
        .first
        .iter()
        .map(|problem| format!("{problem}\n"))
        .collect::<String>()
}

#[track_caller]
fn check(text: &[u8], expected: &str) {
    assert_eq!(modules_text(&ModulesLog::parse(text)), expected);
}

#[test]
fn every_version_of_the_module_table_is_read() {
    check(
        b"Module Table: 2\n 0, 4096, /bin/a\n 1, 8192, /lib/b, c\n",
        "0 - - - 0 /bin/a\n1 - - - 0 /lib/b, c\n",
    );
    let columns = |text: &str| format!("Module Table: version {text}");
    let two = columns(
        "2, count 1\nColumns: id, start, end, entry, path\n 0, 0x1000, 0x2000, 0x1010, /bin/a\n",
    );
    check(two.as_bytes(), "0 1000..2000 - - 0 /bin/a\n");
    let three = columns(
        "3, count 2\nColumns: x\n 0, 0, 0x1000, 0x2000, 0x0, /a\n 1, 0, 0x2000, 0x3000, 0x0, /a\n",
    );
    check(
        three.as_bytes(),
        "0 1000..2000 - - 0 /a\n0 2000..3000 - - 0 /a\n",
    );
    let four =
        columns("4, count 1\nColumns: x\n 0, 0, 0x1000, 0x2000, 0x0, 00002000, v#1,0, /a b\n");
    check(four.as_bytes(), "0 1000..2000 2000 - 0 /a b\n");
    let five = columns(
        "5, count 1\nColumns: x\n 0, 0, 0x1000, 0x2000, 0x0, 0x2000, 0x400000, v#1,0, /a\n",
    );
    check(five.as_bytes(), "0 1000..2000 2000 400000 0 /a\n");
}

#[test]
fn bytes_of_any_kind_may_are_in_an_entry() {
    let text = b"Module Table: version 5, count 2\nColumns: x\n  0,  0, 0x1000, 0x2000, 0x0, 0, 0, v#1,7,\n,\0\xff\n 9 [vdso]\n  1,  1, 0x3000, 0x4000, 0x0, 0, 0, v#1,0, /a\n";
    check(text, "0 1000..2000 0 0 7 [vdso]\n1 3000..4000 0 0 0 /a\n");
}

#[test]
fn windows_adds_two_fields_and_others_a_text_before_the_path() {
    let windows = b"Module Table: version 5, count 1\r\nColumns: x\r\n 0, 0, 0x1000, 0x2000, 0x0, 0, 0, 0x0000abcd, 0x5f000000, v#1,0, C:\\a\\b.dll\r\n";
    check(windows, "0 1000..2000 0 0 0 C:\\a\\b.dll\n");
    let other = b"Module Table: version 5, count 1\nColumns: x\n 0, 0, 0x1000, 0x2000, 0x0, 0, 0, v#1,0,mine, /lib/x\n";
    check(other, "0 1000..2000 0 0 0 /lib/x\n");
}

#[test]
fn a_damaged_entry_costs_itself() {
    let text = b"Module Table: version 3, count 3\nColumns: x\n 0, 0, 0x1000, 0x2000, 0x0, /a\n 1, 0, zebra, 0x3000, 0x0, /a\n 2, 0, 0x3000, 0x4000, 0x0, /a\n";
    check(
        text,
        "0 1000..2000 - - 0 /a\n0 3000..4000 - - 0 /a\nbyte 76: its start is not a number: \"zebra\"\n",
    );
    let ends = b"Module Table: version 5, count 9\nColumns: x\n 0, 0, 0x1000, 0x2000, 0x0, 0, 0, v#1,99, /a\n";
    check(
        ends,
        "byte 45: its custom field is longer than the file\nbyte 89: the file ends after 1 of 9 entries\n",
    );
    check(
        b"junk",
        "byte 0: no line \"Module Table: version N, count N\" begins it\n",
    );
    let backwards = b"Module Table: version 2, count 1\nColumns: x\n 0, 0x2000, 0x1000, 0x0, /a\n";
    check(
        backwards,
        "byte 45: it ends at 0x1000, before its start at 0x2000\n",
    );
}

#[test]
fn an_address_has_a_module_an_offset_and_an_own_address() {
    let text = b"Module Table: version 5, count 3\nColumns: x\n 0, 0, 0x10000, 0x11000, 0x0, 0, 0x400000, /bin/old\n \
        1, 1, 0x10000, 0x11000, 0x0, 0, 0x0, /lib/new.so\n 2, 1, 0x12000, 0x13000, 0x0, 2dd0, 0x3000, /lib/new.so\n";
    let log = ModulesLog::parse(text);
    let at = |address: u64| {
        let segment = log.segment_at(address)?;
        Some((
            log.name_of(address)?,
            segment.file_offset(address)?,
            segment.own_address(address)?,
        ))
    };
    // The later module replaced the first.
    assert_eq!(at(0x10004), Some(("new.so+0x4".into(), 4, 4)));
    // The mapping starts at the page that contains the offset.
    assert_eq!(at(0x12f00), Some(("new.so+0x2f00".into(), 0x2f00, 0x3f00)));
    assert_eq!(at(0x11000), None);
    assert_eq!(
        log.modules()
            .map(|module| module.file_name())
            .collect::<Vec<_>>(),
        ["old", "new.so"]
    );
    assert_eq!(log.extent_of(&log.segments[1]), Some(0x10000..0x13000));
}

#[test]
fn functions_have_flags_and_names_with_commas() {
    let text = b"0,1,0x1000,tiny!fib\n7,1,0x2000,noret,libc.so.6!free\r\n8,2,0x3000,a!f<int, char>\nnonsense\n\n9,0,0x4000,noret,new,b!g<x,y>\n";
    let list = FunctionList::parse(text);
    let shown: Vec<String> = list
        .functions
        .iter()
        .map(|f| {
            format!(
                "{} {} {:x} {} {}",
                f.id,
                f.argument_count,
                f.address,
                f.is_return_traced,
                f.symbol()
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "0 1 1000 true fib",
            "7 1 2000 false free",
            "8 2 3000 true f<int, char>",
            "9 0 4000 false g<x,y>"
        ]
    );
    assert_eq!(
        (list.name_of(8), list.name_of(1)),
        (Some("a!f<int, char>"), None)
    );
    let fault = CompanionFault::NoFunction;
    assert_eq!(
        list.problems.first[0],
        ProblemKind::Companion { offset: 79, fault }
    );
    assert_eq!(FunctionList::parse(b""), FunctionList::default());
}

#[test]
fn physical_pages_leave_out_what_is_zero() {
    let text = b"# proto-file: v2p.proto\npage_size: 0x1000 # bytes\naddress_mapping {\n physical_address: 8192\n}\n\
        address_mapping { \n virtual_address: 0x5000\n physical_address: 0x2000\n}\npage_count: 2\nphysical_address: zebra\n";
    let pages = PhysicalPages::parse(text);
    assert_eq!(
        (
            pages.physical(0x12),
            pages.physical(0x5fff),
            pages.physical(0x6000)
        ),
        (Some(0x2012), Some(0x2fff), None)
    );
    assert_eq!(
        pages.virtual_addresses(0x2001).collect::<Vec<_>>(),
        [1, 0x5001]
    );
    assert_eq!(pages.problems.count, 1);
    let sizeless = PhysicalPages::parse(b"virtual_address: 1\nphysical_address: 2\n");
    assert_eq!(
        (
            sizeless.physical(1),
            sizeless.virtual_addresses(2).count(),
            sizeless.problems.count
        ),
        (None, 0, 1)
    );
}

proptest! {
    #[test]
    fn anything_is_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300), version in 0u8..7) {
        let head = format!("Module Table: version {version}, count 99\nColumns: x\n");
        ModulesLog::parse(&[head.as_bytes(), &bytes].concat());
        ModulesLog::parse(&bytes);
        FunctionList::parse(&bytes);
        PhysicalPages::parse(&bytes);
    }

    #[test]
    fn damaged_entries_are_survived(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<proptest::sample::Index>(),
    ) {
        let entry = " 0, 7, 0x1000, 0x2000, 0x0, 0x0, 0x0, v#1,4,abcd /a\n";
        let mut bytes = format!("Module Table: version 5, count 9\nColumns: x\n{}", entry.repeat(3)).into_bytes();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let log = ModulesLog::parse(&bytes[..cut.index(bytes.len())]);
        for segment in &log.segments {
            log.extent_of(log.first_of(segment));
        }
    }
}
