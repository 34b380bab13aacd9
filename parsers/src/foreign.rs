//! Detection of formats that no parser reads, so that the error can name them.

/// Returns the name of the format of a file that begins with `head`, if it is one that is often
/// mistaken for ours.
pub(crate) fn foreign_format(head: &[u8]) -> Option<&'static str> {
    let by_magic = MAGICS
        .iter()
        .find(|(magic, _)| head.starts_with(magic))
        .map(|(_, name)| *name);
    by_magic.or_else(|| {
        let lines = head
            .split(|byte| *byte == b'\n')
            .take(LINES)
            .filter(|line| line.len() <= LONGEST);
        lines
            .filter_map(|line| std::str::from_utf8(line).ok())
            .find_map(|line| of_line(line.trim()))
    })
}

/// Number of lines examined: some formats begin with a header.
const LINES: usize = 64;
/// Length in bytes of the longest line that is examined.
const LONGEST: usize = 1 << 12;

/// First bytes, from the documentation or source code of the programs that write them.
const MAGICS: [(&[u8], &str); 7] = [
    // `index/src/store/layout.rs`.
    (b"Stepback", "the index of a trace (open the trace itself)"),
    // x64dbg: docs/developers/trace-file-format.
    (b"TRAC", "an x64dbg trace"),
    // Linux, tools/perf/Documentation/perf.data-file-format.txt.
    (b"PERFILE2", "a perf.data file (perf script prints it)"),
    // GTKWave, fstapi: the header block has type 0 and 329 bytes.
    (b"\0\0\0\0\0\0\0\x01\x49", "an FST waveform"),
    // Intel SDM volume 3, 33.4.2.17: a PSB packet.
    (b"\x02\x82\x02\x82\x02\x82", "a raw Intel PT stream"),
    // Common Trace Format 1.8, section 5.2.
    (b"\xc1\x1f\xfc\xc1", "a CTF trace (LTTng)"),
    (b"TTDF", "a WinDbg time travel trace"),
];

/// Recognises a line of another tool.
type LineTest = fn(&str) -> bool;

/// Returns the only format to which a line can belong.
fn of_line(line: &str) -> Option<&'static str> {
    // Each function returns whether a line most likely belongs to the format.
    let rows: [(LineTest, &'static str); 6] = [
        (
            is_qemu,
            "a log of QEMU without executed instructions (-d exec,cpu adds them)",
        ),
        (
            is_instruction_tracer,
            "the instruction trace of a CVA6 core (its rvfi trace can be read)",
        ),
        (is_gum_trace, "a GumTrace log"),
        (
            is_gem5,
            "a gem5 Exec trace (gem5's TarmacTracer writes what can be read)",
        ),
        (is_vcd, "a VCD waveform"),
        (is_perf_script, "the output of perf script"),
    ];
    rows.iter()
        .find(|(is_so, _)| is_so(line))
        .map(|(_, name)| *name)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hex(word: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether a word is a hexadecimal number with the prefix `0x`.
fn is_prefixed(word: &str) -> bool {
    word.starts_with("0x") && is_hex(word)
}

/// `Trace 0: 0x7f12 [00000000/0000000000401000/…]` of `-d exec`, `IN: main` of `-d in_asm`,
/// and `0, 0xa12, 0xf8012400, "movs r4, #0"` of the plugin execlog.
fn is_qemu(line: &str) -> bool {
    let of_exec = || {
        line.strip_prefix("Trace ")
            .is_some_and(|rest| rest.contains(": 0x") && rest.contains(" ["))
    };
    let of_plugin = || {
        let mut fields = line.splitn(4, ", ");
        let is_numbered = fields.next().is_some_and(is_number);
        is_numbered
            && fields.next().is_some_and(is_prefixed)
            && fields.next().is_some_and(is_prefixed)
    };
    line == "IN:" || line.starts_with("IN: ") || of_exec() || of_plugin()
}

/// `  1234 0x80000000 M (0x00000297) DASM(00000297)`.
fn is_instruction_tracer(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words
        .next()
        .is_some_and(|time| is_number(time.trim_end_matches("ns")))
        && words.next().is_some_and(is_prefixed)
        && words
            .next()
            .is_some_and(|mode| matches!(mode, "M" | "S" | "U"))
        && words.next().is_some_and(|word| word.starts_with("(0x"))
}

/// `[libnative.so] 0x40001234!0x1234 sub sp, sp, #0x30; …`.
fn is_gum_trace(line: &str) -> bool {
    let Some((module, rest)) = line.split_once("] ") else {
        return false;
    };
    let place = rest.split(' ').next().and_then(|word| word.split_once('!'));
    module.starts_with('[')
        && place.is_some_and(|(address, offset)| is_prefixed(address) && is_prefixed(offset))
}

/// `1000: system.cpu: A0 T0 : 0x400078 @_start : mov fp, #0 : IntAlu : D=0x0`.
fn is_gem5(line: &str) -> bool {
    let Some((time, rest)) = line.split_once(": ") else {
        return false;
    };
    is_number(time)
        && rest.contains(" : ")
        && (rest.contains(".cpu") || rest.starts_with("cpu"))
        && rest.contains(" T")
}

/// The sections that a value change dump begins with (IEEE 1364-2005, 18.2).
fn is_vcd(line: &str) -> bool {
    ["$date", "$version", "$timescale", "$comment"]
        .iter()
        .any(|section| {
            line.strip_prefix(section)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        })
}

/// `prog  1234 [001] 123.456789:     1 instructions:u:   401000 main+0x0 (/bin/prog)`.
fn is_perf_script(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_time = |word: &str| {
        let time = word.strip_suffix(':').and_then(|time| time.split_once('.'));
        time.is_some_and(|(seconds, rest)| is_number(seconds) && is_number(rest))
    };
    let is_event = |word: &&str| word.len() > 1 && word.ends_with(':');
    words
        .iter()
        .take(6)
        .position(|word| is_time(word))
        .is_some_and(|at| at > 0 && words.iter().skip(at + 1).any(is_event))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &[u8], expected: &str) {
        let found = foreign_format(head).unwrap_or_default();
        assert!(
            !found.is_empty() && found.contains(expected),
            "{found:?} for {expected}"
        );
    }

    #[test]
    fn formats_of_others_are_known_by_their_first_lines() {
        check(
            b"----------------\nIN: main\n0x00401000:  55  pushq %rbp\n",
            "QEMU",
        );
        check(
            b"Trace 0: 0x7f3c [00000000/0000000000401000/00000000/00000000] main\n",
            "QEMU",
        );
        check(b"0, 0xa12, 0xf8012400, \"movs r4, #0\"\n", "QEMU");
        check(
            b"   1000: system.cpu: A0 T0 : 0x400078 @_start    : mov   fp, #0  : IntAlu :  D=0x0\n",
            "gem5",
        );
        check(
            b"system started\n  500: system.cpu T0 : 0x400078 : nop : IntAlu :\n",
            "gem5",
        );
        check(
            b"  1234 0x80000000 M (0x00000297) DASM(00000297)
",
            "CVA6",
        );
        check(
            b"[libn.so] 0x40001234!0x1234 sub sp, sp, #0x30
",
            "GumTrace",
        );
        check(b"$date\n   today\n$end\n$timescale 1ps $end\n", "VCD");
        check(
            b"ls  1234 [001]  123.456789:          1 instructions:u:      401000 main+0x0 (/bin/ls)\n",
            "perf script",
        );
        check(b"\0\0\0\0\0\0\0\x01\x49\0\0", "FST");
        check(b"TRAC\x10\0\0\0{\"ver\":1}", "x64dbg");
    }

    #[test]
    fn prose_and_code_are_nobodys() {
        for head in [
            &b"Dear Sir,\nit is late: come home.\n"[..],
            b"fn main() {}\n",
            b"",
            b"a=1,b=2\n",
            b"[section]\nkey: \"x\"\n",
        ] {
            assert_eq!(foreign_format(head), None);
        }
    }
}
