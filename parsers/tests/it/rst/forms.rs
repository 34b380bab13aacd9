//! Byte orders, versions, and traces of several files.

use stepback_parsers::Source as _;
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::rst::{
    Instruction, RecordReader, Rst, RstContainer, RstHead, kind, push_json, push_line,
};

use super::{content, file, fixture, plain};

/// Order of bit fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Big,
    Little,
}

/// Packs numbers of given widths into a record, in the order of a C compiler's bit fields.
fn record(order: Order, numbers: &[(u32, u64)]) -> Vec<u8> {
    let mut bits = Vec::new();
    for (width, number) in numbers {
        let digits = (0..*width).map(|digit| number >> digit & 1 != 0);
        match order {
            Order::Big => bits.extend(digits.rev()),
            Order::Little => bits.extend(digits),
        }
    }
    bits.resize(192, false);
    let byte = |bits: &[bool]| match order {
        Order::Big => bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit)),
        Order::Little => bits
            .iter()
            .rev()
            .fold(0, |byte, bit| byte << 1 | u8::from(*bit)),
    };
    bits.chunks(8).map(byte).collect()
}

fn header(minor: u8) -> Vec<u8> {
    let mut bytes = format!("\x02\x02{}%RST Header v2.{minor}", char::from(minor)).into_bytes();
    bytes.resize(24, 0);
    bytes
}

fn instruction(order: Order, cpu: u64, pc: u64) -> Vec<u8> {
    let flags = [
        (1, 0),
        (1, 1),
        (1, 0),
        (1, 0),
        (1, 1),
        (1, 1),
        (1, 0),
        (1, 0),
    ];
    let rest = [
        (6, cpu & 63),
        (4, cpu >> 6),
        (6, 0),
        (32, 0x4000_0042),
        (64, pc),
        (64, pc + 8),
    ];
    record(order, &[&[(8, 3)][..], &flags, &rest].concat())
}

fn small_trace(order: Order, minor: u8) -> Vec<u8> {
    let trap = [
        (8, 7),
        (1, 1),
        (3, 0),
        (4, 3),
        (6, 37),
        (10, 0x16d),
        (16, 0x8016),
        (4, 10),
        (12, 2748),
    ];
    let registers = [
        (8, 9),
        (1, 1),
        (7, 37),
        (8, 1),
        (8, 8),
        (8, 14),
        (8, 117),
        (3, 5),
        (13, 0),
    ];
    let values = [(64, 0x1122_3344_5566_7788), (64, 7)];
    [
        header(minor),
        record(
            order,
            &[(8, 4), (8, 2), (16, 1), (32, 5), (64, 1_083_888_000)],
        ),
        record(
            order,
            &[(8, 4), (8, 3), (8, 0), (8, 1), (8, 0), (8, 1), (8, 1)],
        ),
        instruction(order, 677, 0x10_0074),
        record(
            order,
            &[&trap[..], &[(64, 0x10_0078), (64, 0x10_007c)]].concat(),
        ),
        record(order, &[&registers[..], &values].concat()),
    ]
    .concat()
}

/// Formats the records of a trace, one per line.
fn lines(traces: &[Vec<u8>]) -> String {
    let mut reader = RecordReader::new(
        traces
            .iter()
            .map(|bytes| file("trace", bytes.clone()))
            .collect(),
    );
    let mut out = Vec::new();
    while let Some(batch) = reader.next_batch().unwrap() {
        for (number, record) in (batch.first..).zip(batch.records()) {
            push_json(&mut out, number, &record);
            out.push(b'\n');
        }
        batch
            .problems
            .iter()
            .for_each(|problem| out.extend(format!("{}\n", problem.kind).bytes()));
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn a_dump_of_a_little_endian_machine_says_the_same() {
    let [big, little] = [Order::Big, Order::Little].map(|order| small_trace(order, 13));
    assert_ne!(big, little);
    assert_eq!(little[72..76], [3, 0b0011_0010, 37 | 2 << 6, 2]);
    let expected = lines(&[big]);
    assert_eq!(lines(&[little]), expected);
    assert!(
        expected.contains(
            r#""kind":"INSTR","thread":"cpu677","fields":{"notused":0,"ea_valid":1,"tr":0"#
        ),
        "{expected}"
    );
    assert!(expected.contains(r#""tl":3,"cpuid_lo":37,"ttype":365,"pstate":32790,"cpuid_hi":10"#));
    assert!(expected.contains(r#""reg0":"0x1122334455667788","reg1":"0x7"}}"#));
}

#[test]
fn the_byte_order_is_told_by_instructions_where_nothing_else_tells_it() {
    for order in [Order::Big, Order::Little] {
        let pcs = [0x10_0000, 0x10_0004, 0x10_0008, 0x10_0400];
        let trace = [
            vec![header(13)],
            pcs.map(|pc| instruction(order, 0, pc)).to_vec(),
        ]
        .concat()
        .concat();
        assert!(
            lines(&[trace]).contains(r#""pc_va":"0x100400","ea_va":"0x100408"}}"#),
            "{order:?}"
        );
    }
}

#[test]
fn the_byte_order_is_told_where_there_are_no_instructions() {
    for order in [Order::Big, Order::Little] {
        let trace = small_trace(order, 13)[..72].to_vec();
        assert!(
            lines(&[trace]).contains(r#""level":1,"val32":5,"time64":"0x409ad180""#),
            "{order:?}"
        );
    }
}

/// Returns the widths in bits of a record's fields, in the order of the format; none for texts.
fn widths(record: &[u8]) -> &'static [u32] {
    match record[0] {
        4 if record[1] == 3 => &[8, 8, 8, 8, 8, 8, 8, 64, 64],
        26 if record[1] & 0x80 != 0 => &[1, 1, 1, 3, 2, 8, 8, 32, 64, 64],
        3 => &[1, 1, 1, 1, 1, 1, 1, 1, 6, 4, 6, 32, 64, 64],
        4 => &[8, 16, 32, 64, 64],
        5 => &[1, 1, 6, 16, 2, 6, 4, 4, 16, 64, 64],
        6 => &[8, 16, 32, 64],
        7 => &[1, 3, 4, 6, 10, 16, 4, 12, 64, 64],
        8 => &[8, 6, 4, 6, 32, 64, 64],
        9 => &[1, 7, 8, 8, 8, 8, 3, 13, 64, 64],
        11 => &[40, 16, 64, 64],
        12 => &[56, 32, 32, 32, 32],
        13 => &[7, 1, 16, 32, 64],
        15 => &[8, 16, 32],
        16 => &[8, 16, 32],
        17 => &[8, 16, 8, 8, 16, 8, 2, 54, 16, 16, 16, 16],
        18 => &[1, 7, 3, 45, 64, 64],
        19 => &[1, 7, 3, 13, 16, 16, 64, 64],
        22 => &[1, 7, 8, 8, 2, 30, 64, 64],
        23 => &[8, 8, 8],
        24 => &[
            7, 1, 8, 8, 16, 16, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
        ],
        25 => &[1, 7, 8, 8, 16, 16, 64, 64],
        26 => &[1, 1, 1, 3, 2, 8, 4, 4, 32, 64, 64],
        27 => &[1, 1, 1, 1, 4, 6, 10, 1, 1, 20, 10, 64, 64],
        28 => &[8, 16, 32, 64, 16],
        29 => &[7, 1, 6, 10, 32, 64, 64],
        30 => &[8, 48, 64],
        31 => &[10, 6, 8, 8, 1, 5, 18, 64, 64],
        32 => &[10, 1, 13, 32, 64, 64],
        34 => &[1, 1, 1, 1, 1, 3, 10, 6, 32, 64, 64],
        _ => &[],
    }
}

/// Converts a record of a big-endian machine to little-endian.
fn swapped(record_bytes: &[u8]) -> Vec<u8> {
    let widths = widths(record_bytes);
    if widths.is_empty() {
        return record_bytes.to_vec();
    }
    let bit = |place: u32| u64::from(record_bytes[place as usize / 8] >> (7 - place % 8) & 1);
    let mut numbers = vec![(8, u64::from(record_bytes[0]))];
    let mut place = 8;
    for width in widths {
        numbers.push((
            *width,
            (place..place + width).fold(0, |number, place| number << 1 | bit(place)),
        ));
        place += width;
    }
    record(Order::Little, &numbers)
}

#[test]
fn whole_traces_of_a_little_endian_machine_say_the_same() {
    for name in [
        "small.rst",
        "small_nv.rst.xz",
        "cti.rst",
        "hello.rst.zst",
        "alltypes.rst",
    ] {
        let big = content(&fixture(name));
        let little: Vec<u8> = big.chunks(24).flat_map(swapped).collect();
        assert_ne!(big, little);
        assert!(lines(&[big]) == lines(&[little]), "{name}");
    }
}

/// If processor numbers have six bits and nothing else is in their place, all versions are equal.
#[test]
fn traces_of_older_versions_say_the_same() {
    let newest = content(&fixture("small.rst"));
    let without_header = |bytes: Vec<u8>| lines(&[bytes]).split_once('\n').unwrap().1.to_owned();
    let expected = without_header(newest.clone());
    for (major, minor) in [
        (1, 4),
        (1, 9),
        (1, 10),
        (2, 0),
        (2, 5),
        (2, 6),
        (2, 11),
        (2, 12),
        (2, 15),
    ] {
        let mut bytes = newest.clone();
        bytes[1..3].copy_from_slice(&[major, minor]);
        bytes[4..24].fill(0);
        let text = format!("RST Header v{major}.{minor:02}");
        bytes[4..4 + text.len()].copy_from_slice(text.as_bytes());
        assert!(without_header(bytes) == expected, "{text}");
    }
}

#[test]
fn processors_have_six_bits_before_version_2_12() {
    let numbers = |minor| {
        let text = lines(&[small_trace(Order::Big, minor)]);
        text.matches(r#""thread":"cpu677""#).count() * 10
            + text.matches(r#""thread":"cpu37""#).count()
    };
    assert_eq!(
        (numbers(13), numbers(12), numbers(11), numbers(9)),
        (30, 30, 3, 3)
    );
}

#[test]
fn files_of_a_trace_are_read_as_one() {
    let whole = content(&fixture("cti.rst"));
    let (first, second) = whole.split_at(24 * 40);
    let packed = zstd::encode_all(second, 3).unwrap();
    assert_eq!(lines(&[first.to_vec(), packed]), lines(&[whole]));
}

#[test]
fn unknown_types_keep_their_bytes() {
    let mut trace = [header(13), vec![35; 24]].concat();
    trace[47] = 0xfe;
    let expected = format!(
        "{{\"record\":2,\"kind\":\"UNKNOWN\",\"thread\":null,\"fields\":{{\"rtype\":35,\"bytes\":\"{}fe\"}}}}\n",
        "23".repeat(23)
    );
    assert!(lines(&[trace]).ends_with(&expected));
}

#[test]
fn what_begins_otherwise_is_reported() {
    let stated = |bytes: &[u8]| {
        plain("t", bytes.to_vec())
            .1
            .iter()
            .map(|problem| problem.kind.to_string())
            .collect::<String>()
    };
    assert!(
        stated(b"RZ1 -- Rstzip1 compressed").contains("rstzip 1, whose format was never published")
    );
    assert!(stated(&[9; 48]).contains(
        "\"t\", after record 0, byte 48 of the unpacked data: it does not begin with a header"
    ));
    assert!(
        stated(&[&header(13)[..], &[3; 25]].concat()).contains(
            "after record 2, byte 49 of the unpacked data: the file ends inside a record: 1 byte is left out"
        )
    );
    assert!(
        stated(b"RZ3 5948486328$\0\x03\x0e\0\0\0\0\0\0")
            .contains("rstzip 3.14 is not known, only 3.15 to 3.20")
    );
    assert!(stated(b"RZ2 -- Rstzip2").contains("cut off"));
    assert!(stated(b"RZ3 59").contains("cut off"));
    assert_eq!(stated(&header(13)), "");
}

#[test]
fn files_are_known_by_their_first_bytes() {
    let head = |name: &str| {
        RstHead::of(&file(name, std::fs::read(fixture(name)).unwrap()))
            .unwrap()
            .unwrap()
            .container
    };
    assert_eq!(head("cti.rst"), RstContainer::Plain);
    assert_eq!(head("hello.rst.zst"), RstContainer::Plain);
    assert_eq!(head("small_nv.rst.xz"), RstContainer::Plain);
    assert_eq!(head("cti.rz2.gz"), RstContainer::Rstzip2);
    assert_eq!(head("cti.rz3.gz"), RstContainer::Rstzip3);
    for other in [
        &b"\x02\x02\x0d%SRT Header"[..],
        b"",
        b"1 clk IT (1) 00008000",
        b"RZ4 ",
    ] {
        assert_eq!(RstHead::of(&file("other", other.to_vec())).unwrap(), None);
    }
    let snap = [&b"\x0eRFS v1.00 RST-FMT SNAP\0"[..], &[0; 24]].concat();
    assert!(RstHead::of(&file("snap", snap)).unwrap().is_some());
}

/// Formats the records of a fixture as text.
fn text(name: &str) -> Vec<String> {
    let mut reader = RecordReader::new(vec![file(name, content(&fixture(name)))]);
    let (mut lines, mut instructions) = (Vec::new(), 0);
    while let Some(batch) = reader.next_batch().unwrap() {
        for (number, record) in (batch.first..).zip(batch.records()) {
            instructions += u64::from(record.kind() == kind::INSTRUCTION);
            let mut line = Vec::new();
            push_line(&mut line, number, instructions, &record);
            lines.push(String::from_utf8(line).unwrap());
        }
    }
    lines
}

#[test]
fn records_have_lines_for_people() {
    let lines = text("alltypes.rst");
    assert_eq!(lines.len(), 46);
    let line = |number: usize| lines[number - 1].split_once(": ").unwrap().1;
    assert_eq!(
        lines[6],
        "           7           2:     cpu677 ifetch       4 byte(s) @ 0xdcba4fcc00112233 de0fbfe9 ea 0x1047e8"
    );
    assert_eq!(
        line(1),
        "           rstheader majorVer 2 minorVer 13 percent 37 header_str \"RST Header v2.13\""
    );
    assert_eq!(line(4), "           text…    \"hex digits F-0: FEDCBA9\"");
    assert_eq!(
        line(14),
        "    cpu677 itlb     unmap 2.4660 va 0x30016054000 context 0xaaa tte 0xc000000000e00064"
    );
    assert_eq!(
        line(17),
        "    cpu677 trap     0x16d async at level 3 pc 0x3643b8 npc 0x3643bc pstate 0x8016 system call 2748"
    );
    assert_eq!(
        line(19),
        "    cpu677 register after %o6 0x1122334455667788 %l5@3 0x99aabbccddeeff00"
    );
    assert_eq!(
        line(28),
        "    cpu677 state    tl 0x1 tt 0xd pstate 0x16 asi 0x80 contexts 0x598 0x1 0x598 0x2"
    );
    assert_eq!(
        line(30),
        "    cpu677 pa - va  context 0x598 pc + 0x1300000, data context 0x599 ea + 0xff00768000"
    );
    assert_eq!(
        line(35),
        "    cpu677 memory       8 byte(s) @ 0x0000004000801621 0xcafebabedeadbeef"
    );
    assert_eq!(
        line(36),
        "    cpu677 memory      16 byte(s) @ 0xfffff81765432100 0x0000000000000001 0x0000000000000002"
    );
    assert_eq!(
        line(37),
        "    cpu677 memory      16 byte(s) @ (after the last) physical 0x0000000000000003 0x0000000000000004"
    );
}

/// Returns a time record of a processor.
fn time(order: Order, cpu: u64, timestamp: u64) -> Vec<u8> {
    record(
        order,
        &[(8, 11), (40, 0), (16, cpu), (64, 0), (64, timestamp)],
    )
}

/// Returns a trace of one processor: this number of consecutive instructions, with times before
/// some.
fn of_processor(order: Order, cpu: u64, count: u64, times: &[(u64, u64)]) -> Vec<u8> {
    let mut trace = [
        header(13),
        record(
            order,
            &[(8, 4), (8, 2), (16, 1), (32, 5), (64, 1_083_888_000)],
        ),
    ]
    .concat();
    for number in 0..count {
        let before = times.iter().filter(|(at, _)| *at == number);
        before.for_each(|(_, timestamp)| trace.extend(time(order, cpu, *timestamp)));
        trace.extend(instruction(
            order,
            cpu,
            0x10_0000 + cpu * 0x1_0000 + 4 * number,
        ));
    }
    trace
}

/// Returns runs of instructions by processor, and the problems.
fn turns(traces: &[Vec<u8>]) -> (Vec<(u16, usize)>, Vec<String>) {
    let files = (0..)
        .zip(traces)
        .map(|(number, bytes)| file(&format!("cpu{number}.rst"), bytes.clone()));
    let mut reader = RecordReader::new(files.collect());
    let (mut turns, mut stated) = (Vec::<(u16, usize)>::new(), Vec::new());
    let mut records = 0;
    while let Some(batch) = reader.next_batch().unwrap() {
        assert_eq!(batch.first, records + 1);
        records += batch.records().len() as u64;
        for record in batch.records() {
            if record.kind() != kind::INSTRUCTION {
                continue;
            }
            let instruction = Instruction::of(&record);
            match turns.last_mut().filter(|(cpu, _)| *cpu == instruction.cpu) {
                Some((_, count)) => *count += 1,
                None => turns.push((instruction.cpu, 1)),
            }
        }
        stated.extend(
            batch
                .problems
                .iter()
                .map(|problem| problem.kind.to_string()),
        );
    }
    assert_eq!(
        records,
        traces
            .iter()
            .map(|trace| trace.len() as u64 / 24)
            .sum::<u64>()
    );
    (turns, stated)
}

#[test]
fn files_of_two_processors_take_turns() {
    for order in [Order::Big, Order::Little] {
        let traces = [
            of_processor(order, 0, 2500, &[]),
            of_processor(order, 1, 1200, &[]),
        ];
        let (turns, stated) = turns(&traces);
        assert_eq!(
            turns,
            [(0, 1000), (1, 1000), (0, 1000), (1, 200), (0, 500)],
            "{order:?}"
        );
        assert_eq!(stated.len(), 1);
        assert!(
            stated[0].contains("the order in which their instructions were executed"),
            "{stated:?}"
        );
        assert!(stepback_parsers::rst::are_one_trace(&named(&traces)).unwrap());
    }
}

#[test]
fn files_with_times_are_read_by_them() {
    let first = of_processor(Order::Big, 3, 6, &[(0, 100), (2, 200), (4, 300)]);
    let second = of_processor(Order::Little, 700, 5, &[(0, 150), (3, 300)]);
    assert_eq!(
        turns(&[first, second]),
        (vec![(3, 2), (700, 3), (3, 4), (700, 2)], vec![])
    );
}

#[test]
fn what_is_before_the_instructions_of_all_files_comes_first() {
    let traces = [
        of_processor(Order::Big, 0, 3, &[]),
        of_processor(Order::Big, 1, 3, &[]),
    ];
    let text = lines(&traces);
    let kinds: Vec<_> = text
        .lines()
        .filter_map(|line| line.split("\"kind\":\"").nth(1)?.split('"').next())
        .collect();
    assert_eq!(
        kinds[..5],
        ["RSTHEADER", "TRACEINFO", "RSTHEADER", "TRACEINFO", "INSTR"]
    );
}

#[test]
fn files_that_begin_anew_with_the_same_processor_are_read_one_after_the_other() {
    let traces = [
        of_processor(Order::Big, 0, 2, &[]),
        of_processor(Order::Big, 0, 3, &[]),
    ];
    let (turns, stated) = turns(&traces);
    assert_eq!(turns, [(0, 5)]);
    assert_eq!(
        stated,
        [
            "\"cpu1.rst\": it starts again with processors of the files before it, and is read after them"
        ]
    );
    assert!(!stepback_parsers::rst::are_one_trace(&named(&traces)).unwrap());
}

#[test]
fn parts_without_a_header_go_on_with_the_file_of_their_processor() {
    let whole = of_processor(Order::Big, 0, 4, &[]);
    let (first, second) = whole.split_at(24 * 4);
    let other = of_processor(Order::Big, 1, 4, &[]);
    let traces = [first.to_vec(), other, second.to_vec()];
    assert_eq!(turns(&traces).0, [(0, 4), (1, 4)]);
    assert!(stepback_parsers::rst::are_one_trace(&named(&traces)).unwrap());
    assert!(
        !stepback_parsers::rst::are_one_trace(&named(&traces[2..])).unwrap(),
        "the beginning is missing"
    );
}

fn named(traces: &[Vec<u8>]) -> Vec<stepback_parsers::TraceFile> {
    traces
        .iter()
        .map(|bytes| file("trace", bytes.clone()))
        .collect()
}

/// Returns a virtual memory value of 8 bytes at `0x8000`, or one that continues the record before.
fn memory_value(is_continued: bool, value: u64) -> Vec<u8> {
    let flags = [(1, 0), (1, 1), (1, u64::from(is_continued)), (5, 0)];
    let rest = [(8, 0), (4, 0), (4, 8), (32, 0), (64, 0x8000), (64, value)];
    record(Order::Big, &[&[(8, 26)][..], &flags, &rest].concat())
}

#[test]
fn a_memory_value_continues_only_the_record_before_it() {
    let step = instruction(Order::Big, 0, 0x1000);
    let shown = |records: &[Vec<u8>]| {
        let trace = [header(13), records.concat()].concat();
        let trace = Rst::open(vec![file("t", trace)], CacheFileOptions::default()).unwrap();
        trace.store().wait_for(u64::MAX).unwrap();
        let mut text = Vec::new();
        trace.read_raw(0..trace.grow().unwrap(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines = text.lines().filter(|line| line.contains("@"));
        lines
            .map(|line| line.trim_start_matches("cpu0").trim().to_owned())
            .collect::<Vec<_>>()
    };
    let (first, second) = (memory_value(false, 1), memory_value(true, 2));
    assert_eq!(
        shown(&[step.clone(), first.clone(), second.clone()]),
        [
            "read 8 @ 0000000000008000 0000000000000001",
            "read 8 @ 0000000000008008 0000000000000002"
        ]
    );
    assert_eq!(
        shown(&[step.clone(), first, step, second]),
        [
            "read 8 @ 0000000000008000 0000000000000001",
            "memory       8 byte(s) @ (after the last) 0x2"
        ]
    );
}
