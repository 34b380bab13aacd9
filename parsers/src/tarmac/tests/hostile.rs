//! Input that is not a trace: the parser never panics, and a damaged line costs only that line.

use proptest::prelude::*;
use stepback_machine::Endian;

use crate::source::Source as _;
use crate::tarmac::source::TarmacOptions;
use crate::tarmac::tests::support::{Recorder, SMALL, events, fixtures, open, parse};
use crate::text::window::LINE_LIMIT;

/// Reads a text on both paths, through a small window, with all options.
fn read_in_all_ways(text: &[u8]) -> Recorder {
    for options in [
        TarmacOptions::default(),
        TarmacOptions {
            endian: Endian::Big,
            implicit_thumb: false,
        },
        TarmacOptions {
            endian: Endian::Little,
            implicit_thumb: true,
        },
    ] {
        let length = text.len() as u64;
        let (quick, _) = parse(&open(text, options), 0..length);
        let (slow, _) = parse(&open(text, options).slowly(), 0..length);
        assert_eq!(
            quick.events,
            slow.events,
            "{:?}",
            String::from_utf8_lossy(text)
        );
        parse(&open(text, options).with_limits(SMALL), 0..length);
    }
    events(text)
}

#[test]
fn real_traces_are_read_without_a_problem_and_alike_in_both_ways() {
    for (name, text) in fixtures() {
        let recorder = read_in_all_ways(&text);
        assert!(recorder.chunks.len() > 1000, "{name}");
        let problem = recorder
            .events
            .iter()
            .find(|event| event.text.starts_with("problem"));
        assert_eq!(problem, None, "{name}");
    }
}

const GOOD: &str = "9 clk IT (1) 00001000 e1a00000 A usr : NOP";

/// Real lines of all kinds.
const LINES: [&str; 20] = [
    "5 clk IT (2366) 0044a52c b40000a0 O EL0t_n : CBZ      x0,{pc}+0x14 ; 0x44a540",
    "5 clk IS (17) 000080dc d000 T thread : BEQ      {pc}+0x4 ; 0x80e0",
    "5 clk cpu1 IT (1275) a00004dc:0000a00004dc_NS b8004443 O EL3h_s : STR      w3,[x2],#4",
    "         10 tic ES  (0000000080000284:54ffff09) O el3h_s:  CCFAIL B.LS     {pc}-0x20 ; 0x80000264",
    "          0 tic ES  (000204f0:e92d4830) A svc_s:          PUSH     {r4,r5,r11,lr}",
    "                    ST 000ffff0 0002015c 00000000 ..##.... 00000000    S:00000ffff0    nGnRnE OSH",
    "                    LD 000000008ffff800 ......00 ........ ........ ........    S:0008ffff800    nGnRnE OSH",
    "                    R SP_SVC 000ffff0",
    "                    BR (000204f0) A",
    "5 clk R X0 00000000_00000000",
    "5 clk R cpsr 600003cd",
    "5 clk R q7 0123456789abcdef0123456789ABCDEF",
    "5 clk R V0<127:64> 0011223344556677",
    "5 clk R SP_EL3 000000008FFFF660",
    "5 clk R Z0 00112233_44556677:8899aabb_ccddeeff",
    "5 clk MR8 00508798:000000508798 00000000_00000000",
    "5 clk MW16 8ffff658:00008ffff658 00000000000000008899aabbccddeeff",
    "5 clk MR1 00001000 11",
    "5 clk E 80000000:000080000000 00000000 CoreEvent_Reset",
    "1.5us cpu0 R x1 xxxxxxxx--------",
];

#[test]
fn every_line_may_end_anywhere() {
    for line in LINES {
        for end in 0..=line.len() {
            let text = format!("{GOOD}\n{}\n{GOOD}\n", &line[..end]);
            assert_eq!(
                read_in_all_ways(text.as_bytes())
                    .text()
                    .matches("step 9 1000")
                    .count(),
                2,
                "{text}"
            );
            read_in_all_ways(&line.as_bytes()[..end]);
        }
    }
}

#[test]
fn every_byte_may_are_anywhere() {
    for line in LINES {
        for place in 0..line.len() {
            for byte in [
                0, 9, 10, 13, 0x10, b' ', b'-', b'.', b':', b'(', b'_', b'g', b'x', b'0', b'F',
                0x7f, 0x80, 0xff,
            ] {
                let mut damaged = line.as_bytes().to_vec();
                damaged[place] = byte;
                let text = [
                    GOOD.as_bytes(),
                    b"\n5 clk R X0 0000000000000001\n",
                    &damaged,
                    b"\n",
                    GOOD.as_bytes(),
                ]
                .concat();
                assert_eq!(
                    read_in_all_ways(&text)
                        .text()
                        .matches("step 9 1000")
                        .count(),
                    2,
                    "{line} {place} {byte}"
                );
            }
        }
    }
}

#[test]
fn all_byte_values_are_no_trace() {
    let text: Vec<u8> = (0..=255).cycle().take(5000).collect();
    assert_eq!(read_in_all_ways(&text).chunks, [0u64; 0]);
}

#[test]
fn a_line_that_is_too_long_costs_that_line() {
    for length in [
        LINE_LIMIT - 100,
        LINE_LIMIT + 1,
        1 << 20,
        (1 << 20) + 77,
        3 << 20,
    ] {
        let text = format!("{GOOD}\n{GOOD} {}\n{GOOD}\n", "x".repeat(length));
        let (found, parsed) = parse(
            &open(text.as_bytes(), TarmacOptions::default()),
            0..text.len() as u64,
        );
        let is_long = length > LINE_LIMIT;
        assert_eq!(found.chunks.len(), if is_long { 2 } else { 3 }, "{length}");
        assert_eq!(
            found
                .text()
                .contains("problem 0 longer than 65536 bytes: skipped"),
            is_long
        );
        assert_eq!((parsed.lines, parsed.end), (3, text.len() as u64));
        assert_eq!(found.events.last().map(|event| event.line), Some(2));
    }
}

#[test]
fn a_last_line_that_is_too_long_ends_the_trace() {
    let text = format!("{GOOD}\n{}", "x".repeat(3 << 20));
    let (found, parsed) = parse(
        &open(text.as_bytes(), TarmacOptions::default()),
        0..text.len() as u64,
    );
    assert_eq!(
        (found.events.len(), parsed.lines, parsed.end),
        (2, 2, text.len() as u64)
    );
}

#[test]
fn a_last_line_that_is_too_long_is_reported_alike_through_any_window() {
    let text = format!("{GOOD}\n{}", "x".repeat(400));
    let small = || open(text.as_bytes(), TarmacOptions::default()).with_limits(SMALL);
    for start in [0, 43] {
        let problem = parse(&small(), start..text.len() as u64)
            .0
            .events
            .pop()
            .unwrap();
        assert_eq!(problem.text, "problem 0 longer than 65536 bytes: skipped");
    }
}

#[test]
fn threads_and_registers_have_a_limit() {
    let mut text = String::new();
    for number in 0..32_774 {
        text += &format!("5 clk cpu{number} IT 00001000 e1a00000 A usr : NOP\n  R r0 00000001\n");
    }
    let found = events(text.as_bytes());
    assert_eq!((found.threads.len(), found.chunks.len()), (32_768, 32_768));
    assert_eq!(
        found
            .text()
            .matches("more than 32768 threads: line dropped")
            .count(),
        12
    );
    let text: String = (0..5000)
        .map(|number| format!("R SYS{number} 00000001\n"))
        .collect();
    let found = events(text.as_bytes());
    assert_eq!(found.registers.len(), 4096);
    assert_eq!(
        found.text().matches("more than 4096 registers").count(),
        904
    );
}

#[test]
fn each_line_of_an_unknown_type_is_complained_about() {
    let text: String = (0..100)
        .map(|number| format!("5 clk FOO{number} x\n5 clk FOO{number} x\n"))
        .collect();
    let found = events(text.as_bytes()).text();
    assert_eq!(
        (
            found.matches("unknown Tarmac").count(),
            found.matches("note").count()
        ),
        (200, 200)
    );
}

#[test]
fn a_file_that_became_shorter_ends_where_it_ends() {
    let text = format!("{GOOD}\n");
    let tarmac = open(text.as_bytes(), TarmacOptions::default());
    let (found, parsed) = parse(&tarmac, 0..text.len() as u64 + 500);
    assert_eq!((found.chunks.len(), parsed.end), (1, text.len() as u64));
    let (found, parsed) = parse(&tarmac, 700..900);
    assert_eq!((found.chunks.len(), parsed.lines), (0, 0));
    assert_eq!(tarmac.length_now().unwrap(), tarmac.length());
}

proptest! {
    #[test]
    fn mutated_lines_never_panic_and_cost_themselves(
        lines in prop::collection::vec((0..LINES.len(), 0..120usize, any::<u8>(), 0..4u8), 1..20),
    ) {
        let mut text = Vec::new();
        for (line, place, byte, how) in lines {
            let mut line = LINES[line].as_bytes().to_vec();
            let place = place % line.len();
            match how {
                0 => line[place] = byte,
                1 => line.insert(place, byte),
                2 => drop(line.remove(place)),
                _ => {}
            }
            text.extend(line);
            text.push(b'\n');
            text.extend(GOOD.as_bytes());
            text.push(b'\n');
        }
        let good = text.windows(GOOD.len()).filter(|window| *window == GOOD.as_bytes()).count();
        let steps = read_in_all_ways(&text).text().matches("step 9 1000 A32 e1a00000/4").count();
        prop_assert!(steps >= good, "{} of {}", steps, good);
    }

    #[test]
    fn random_bytes_never_panic(text in prop::collection::vec(any::<u8>(), 0..300)) {
        read_in_all_ways(&text);
        let _ = crate::detect::detect(&text);
    }
}
