//! drmemtrace on the command line: small generated traces, and real ones from the folder
//! `drmemtrace/` in `STEPBACK_TRACES`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use stepback_generator::drmemtrace::{
    Architecture, Container, Sample, TraceRecipe, TraceWriter, kind, marker,
};

use super::support::{OVERFLOW, Sandbox};

/// Writes the files of a sample into a folder of the sandbox and returns its path.
fn put(sandbox: &Sandbox, folder: &str, sample: Sample, container: Container) -> String {
    let directory = sandbox.path(folder);
    fs::create_dir_all(&directory).unwrap();
    for file in sample.files(container) {
        fs::write(directory.join(file.name), file.bytes).unwrap();
    }
    directory.to_str().unwrap().to_owned()
}

const PLAIN: Sample = Sample::Plain(7, Architecture::X86_64);

#[test]
fn every_container_opens_as_a_file_and_by_its_directories() {
    let containers = [
        Container::Zip,
        Container::Gzip,
        Container::Lz4,
        Container::Snappy,
        Container::Plain,
    ];
    for container in containers {
        let sandbox = Sandbox::new();
        let top = sandbox
            .path("drmemtrace.app.1.0001.dir")
            .to_str()
            .unwrap()
            .to_owned();
        let inner = put(
            &sandbox,
            "drmemtrace.app.1.0001.dir/trace",
            PLAIN,
            container,
        );
        let truth = &PLAIN.files(container)[0];
        let file = format!("{inner}/{}", truth.name);
        for path in [&file, &inner, &top] {
            let info = sandbox.json(&["info", path]);
            assert_eq!(info["format"], "drmemtrace");
            assert_eq!(info["steps"], truth.truth.instructions, "{path}");
            assert_eq!(info["drmemtrace"]["files"], 1);
        }
        let left: Vec<_> = fs::read_dir(&inner)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(
            left,
            [truth.name.as_str()],
            "nothing of ours lies among the files of the trace"
        );
    }
}

#[test]
fn threads_are_counted_and_listed_each() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "a", Sample::Threads, Container::Zip);
    let counts = sandbox.json(&["counts", &trace]);
    let truth: u64 = Sample::Threads
        .files(Container::Zip)
        .iter()
        .map(|file| file.truth.instructions)
        .sum();
    assert_eq!(counts["instructions"], truth);
    let threads = counts["threads"].as_array().unwrap();
    assert_eq!(threads.len(), 3);
    assert_eq!(
        threads
            .iter()
            .map(|thread| thread["instructions"].as_u64().unwrap())
            .sum::<u64>(),
        truth
    );
    let text = sandbox.run(&["counts", &trace]).out;
    assert!(
        text.starts_with("Total counts:\n") && text.contains("           3 total threads\n"),
        "{text}"
    );
}

#[test]
fn records_are_numbered_and_are_positions() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "a", PLAIN, Container::Zip);
    let records = sandbox.json_lines(&["list", &trace, "--records"]);
    let numbers: Vec<_> = records
        .iter()
        .map(|record| record["record"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    for record in records.iter().step_by(7) {
        let at = sandbox.json(&["at", &trace, &format!("r:{}", record["record"])]);
        assert_eq!(at["position"], record["instruction"], "{record}");
    }
    let instruction = records
        .iter()
        .find(|record| record["instruction"] == 3 && record["pc"].is_string())
        .unwrap();
    let step = &sandbox.json_lines(&["list", &trace, "--from", "2", "--count", "1"])[0];
    assert_eq!(
        (&step["pc"], &step["line"]),
        (&instruction["pc"], &Value::Null)
    );
    let refused = sandbox.run(&["at", &trace, "r:999999"]);
    assert!(
        refused
            .err
            .contains("record 999999 is past the end of the trace"),
        "{}",
        refused.err
    );
    assert_eq!(sandbox.json(&["at", &trace, "i:3"])["position"], 3);
}

/// Writes a trace of one file with these records after a header.
fn put_records(sandbox: &Sandbox, write: impl FnOnce(&mut TraceWriter)) -> String {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(13_400_000_000_000_000, 0);
    write(&mut writer);
    writer.exit();
    sandbox.file(
        "drmemtrace.app.100.0001.trace",
        writer.stop().pack(Container::Plain),
    )
}

#[test]
fn ticks_of_an_idle_core_are_listed_one_by_one_and_not_numbered() {
    let sandbox = Sandbox::new();
    let trace = put_records(&sandbox, |writer| {
        writer.instruction(0x40_1000, &[0x90]);
        (0..3000).for_each(|_| writer.marker(marker::CORE_IDLE, 0));
        writer.instruction(0x40_1001, &[0x90]);
    });
    let records = sandbox.json_lines(&["list", &trace, "--records"]);
    let (ticks, others): (Vec<_>, Vec<_>) = records
        .iter()
        .partition(|record| record["marker"] == "core_idle");
    let numbers = |records: &[&Value]| -> Vec<_> {
        records
            .iter()
            .map(|record| record["record"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(
        numbers(&others),
        (1..=others.len() as u64).collect::<Vec<_>>()
    );
    // A scheduler inserted these records, which show the number of the previous record.
    let first = records
        .iter()
        .find(|record| record["pc"] == "0x401000")
        .unwrap();
    assert_eq!(
        numbers(&ticks),
        vec![first["record"].as_u64().unwrap(); 3000]
    );
    let text = sandbox
        .run(&["list", &trace, "--records", "--count", "100"])
        .out;
    assert_eq!(text.lines().count(), 100, "{text}");
    assert!(
        !text
            .lines()
            .any(|line| line.trim_end_matches('>').ends_with(" times")),
        "{text}"
    );
}

#[test]
fn prefetches_and_flushes_are_told_as_the_stock_tool_tells_them() {
    let sandbox = Sandbox::new();
    let trace = put_records(&sandbox, |writer| {
        writer.instruction(0x40_1000, &[0x90]);
        writer.record(3, 1, 0x5000);
        writer.record(6, 1, 0x5040);
        writer.record(32, 1, 0x5080);
        writer.record(18, 0, 0x7000);
        writer.record(19, 0, 0x7100);
        // The instruction of this access was filtered out.
        writer.record(kind::INSTRUCTION, 0, 0x40_2000);
        writer.record(41, 1, 0x50c0);
    });
    let text = sandbox.run(&["list", &trace, "--records"]).out;
    for line in [
        "pref-r-L1    1 byte(s) @ 0x0000000000005000 by PC 0x0000000000401000",
        "pref-NTA     1 byte(s) @ 0x0000000000005040 by PC 0x0000000000401000",
        "pref-r-L1-NT 1 byte(s) @ 0x0000000000005080 by PC 0x0000000000401000",
        "iflush      256 byte(s) @ 0x0000000000007000 by PC 0x0000000000401000",
        "pref-w-L1    1 byte(s) @ 0x00000000000050c0 by PC 0x0000000000402000",
    ] {
        assert!(
            text.contains(&format!(" W0.T100 {line}\n")),
            "{line}\n{text}"
        );
    }
    let records = sandbox.json_lines(&["list", &trace, "--records"]);
    let hints: Vec<_> = records
        .iter()
        .filter(|record| record["address"].is_string())
        .collect();
    let stated = |record: &Value| {
        ["kind", "pc", "address"].map(|key| record[key].as_str().unwrap().to_owned())
    };
    assert_eq!(stated(hints[0]), ["pref_r_l1", "0x401000", "0x5000"]);
    assert_eq!(hints[0]["size"], 1);
    assert_eq!(stated(hints[3]), ["iflush", "0x401000", "0x7000"]);
    assert_eq!(hints[3]["size"], 256);
    assert_eq!(stated(hints[4]), ["pref_w_l1", "0x402000", "0x50c0"]);
}

#[test]
fn what_other_formats_are_for_is_refused_with_what_to_do() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "a", PLAIN, Container::Zip);
    for (arguments, expected) in [
        (vec!["vcd", &trace], "use calltree or flamegraph"),
        (vec!["truncate", &trace], "only Tarmac traces can be cut"),
        (
            vec!["convert", "--to", "fm", &trace],
            "only Tarmac traces can be converted",
        ),
    ] {
        sandbox.run(&arguments).ends_misspelt().says(expected);
    }
    let ran = sandbox.run(&["info", &trace, "--format", "tarmac"]);
    ran.fails_with(&["a Tarmac trace is one file"]);
}

#[test]
fn a_directory_without_a_trace_says_what_to_do() {
    let sandbox = Sandbox::new();
    let check = |folder: &str, expected: &str| {
        let ran = sandbox.run(&["info", sandbox.path(folder).to_str().unwrap()]);
        assert_eq!(ran.code, Some(1));
        assert!(ran.err.contains(expected), "{}", ran.err);
    };
    fs::create_dir_all(sandbox.path("rec/drmemtrace.app.1.0001.dir/raw")).unwrap();
    fs::write(
        sandbox.path("rec/drmemtrace.app.1.0001.dir/raw/drmemtrace.app.1.raw.lz4"),
        "x",
    )
    .unwrap();
    check("rec/drmemtrace.app.1.0001.dir", "drraw2trace -indir");
    check(
        "rec/drmemtrace.app.1.0001.dir/raw/drmemtrace.app.1.raw.lz4",
        "drraw2trace -indir",
    );
    check("rec", "a trace is inside this directory");
    fs::create_dir(sandbox.path("empty")).unwrap();
    check("empty", "holds no trace");
}

#[test]
fn every_special_trace_answers_each_question() {
    for sample in Sample::SPECIAL {
        let sandbox = Sandbox::new();
        let trace = put(&sandbox, "a", sample, Container::Zip);
        for question in [
            &["info"][..],
            &["list"],
            &["list", "--records"],
            &["counts"],
            &["syscalls"],
            &["syscalls", "--list"],
            &["calltree"],
            &["callinfo", "0x1000"],
            &["profile"],
            &["flamegraph"],
        ] {
            for json in [&[][..], &["--json"]] {
                let arguments = [&question[..1], &[trace.as_str()], &question[1..], json].concat();
                let ran = sandbox.run(&arguments);
                assert_eq!(ran.code, Some(0), "{sample:?} {arguments:?}: {}", ran.err);
            }
        }
    }
}

#[test]
fn a_search_by_value_says_that_inferred_values_are_passed_over() {
    let sandbox = Sandbox::new();
    let unrecorded = put(&sandbox, "a", PLAIN, Container::Zip);
    for (kind, what) in [("value", "5"), ("bytes", "05")] {
        let ran = sandbox.run(&["find", &unrecorded, kind, what, "--json"]);
        ran.ends_misspelt().says("does not record values");
    }
    // This log has values of memory but not of registers.
    let trace = sandbox.fixture("logs/qmix.x86_64.execlog.log.zst");
    for (kind, what) in [("value", "5"), ("bytes", "05")] {
        let arguments = ["find", &trace, kind, what];
        assert_eq!(
            sandbox.json(&arguments)["note"],
            "inferred values are not searched"
        );
        assert!(
            sandbox
                .run(&arguments)
                .err
                .contains("note: inferred values are not searched")
        );
        assert!(
            !sandbox
                .run(&[&arguments[..], &["-q"]].concat())
                .err
                .contains("inferred")
        );
    }
    assert!(sandbox.json(&["find", &trace, "text", "nowhere"])["note"].is_null());
    let recorded = sandbox.fixture(OVERFLOW);
    assert!(sandbox.json(&["find", &recorded, "value", "5"])["note"].is_null());
}

fn real_traces() -> Option<PathBuf> {
    let traces =
        std::env::var_os("STEPBACK_TRACES").map(|folder| Path::new(&folder).join("drmemtrace"));
    if traces.is_none() {
        println!("skipped: STEPBACK_TRACES names no folder of traces");
    }
    traces
}

const REAL: [&str; 4] = ["tiny", "crash", "threads4", "sortsha30m"];

#[test]
fn counts_and_system_calls_are_those_of_the_stock_tools() {
    let Some(traces) = real_traces() else { return };
    for name in REAL {
        let sandbox = Sandbox::new();
        let index = sandbox.path("a.sbi").to_str().unwrap().to_owned();
        let trace = traces.join(name).to_str().unwrap().to_owned();
        let expected =
            |file: &str| fs::read_to_string(traces.join(name).join("expected").join(file)).unwrap();
        let counts = sandbox
            .run(&["counts", &trace, "--index", &index, "-q"])
            .out;
        assert_eq!(
            format!("Basic counts tool results:\n{counts}"),
            expected("basic_counts.txt"),
            "{name}"
        );
        let calls = sandbox.json(&["syscalls", &trace, "--index", &index, "-q"]);
        let numbers = |row: &Value| {
            (
                row["number"].as_u64().unwrap(),
                row["count"].as_u64().unwrap(),
            )
        };
        let calls: BTreeMap<_, _> = calls["syscalls"]
            .as_array()
            .unwrap()
            .iter()
            .map(numbers)
            .collect();
        let row = |line: &str| {
            let (count, number) = line.split_once(" : ").unwrap();
            (
                number.trim().parse().unwrap(),
                count.trim().parse().unwrap(),
            )
        };
        let mix: BTreeMap<u64, u64> = expected("syscall_mix.txt")
            .lines()
            .skip(2)
            .map(row)
            .collect();
        assert_eq!(calls, mix, "{name}");
    }
}

/// The stock tool prints each call of a traced function in order. In traces of several threads it
/// omits calls whose markers another thread interrupts, so only traces of one thread are compared.
#[test]
fn function_markers_are_those_of_the_stock_tools() {
    let Some(traces) = real_traces() else { return };
    for name in ["tiny", "crash"] {
        let sandbox = Sandbox::new();
        let index = sandbox.path("a.sbi").to_str().unwrap().to_owned();
        let trace = traces.join(name).to_str().unwrap().to_owned();
        let view = traces.join(name).join("expected/func_view.txt.zst");
        let view = Command::new("zstd").arg("-dc").arg(&view).output().unwrap();
        let view = String::from_utf8(view.stdout).unwrap();
        let entered = view
            .lines()
            .filter(|line| line.contains(" => ") && line.contains('!'));
        let expected: Vec<(String, String)> = entered.filter_map(entry_of).collect();
        let list = fs::read(traces.join(name).join("raw/funclist.log")).unwrap();
        let list = stepback_parsers::drmemtrace::FunctionList::parse(&list);
        let mut found = Vec::new();
        let mut function = BTreeMap::new();
        for record in sandbox.json_lines(&["list", &trace, "--records", "--index", &index, "-q"]) {
            let thread = record["thread"].as_str().unwrap().to_owned();
            let value =
                || u64::from_str_radix(&record["value"].as_str().unwrap()[2..], 16).unwrap();
            match record["marker"].as_str() {
                Some("func_id") => drop(function.insert(thread, value())),
                Some("func_retaddr") => {
                    let named = list.name_of(function[&thread]).unwrap().to_owned();
                    found.push((thread, named));
                }
                _ => {}
            }
        }
        assert_eq!(found.len(), expected.len(), "{name}");
        assert_eq!(found, expected, "{name}");
    }
}

/// Parses the thread and the function from `T20249       0x7f4a211fb1dd => tiny!fib(0xb)`.
fn entry_of(line: &str) -> Option<(String, String)> {
    let (thread, rest) = line.strip_prefix('T')?.split_once(' ')?;
    let name = rest.split_once("=> ")?.1.split('(').next()?;
    Some((thread.to_owned(), name.to_owned())).filter(|(_, name)| name.contains('!'))
}

#[test]
fn markers_are_found_by_name_value_and_thread_in_either_direction() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "a", Sample::Threads, Container::Zip);
    let find = |arguments: &[&str]| sandbox.json_lines(&[&["find", &trace], arguments].concat());
    let calls = find(&["marker", "syscall=1", "--all"]);
    let listed = sandbox.json_lines(&["list", &trace, "--records"]);
    let recorded = listed
        .iter()
        .filter(|record| record["marker"] == "syscall")
        .count();
    assert_eq!((calls.len(), recorded), (9, 9));
    assert!(
        calls
            .iter()
            .all(|hit| hit["marker"] == "syscall" && hit["value"] == "0x1")
    );
    assert!(
        calls
            .iter()
            .all(|hit| hit["step"].is_u64() && hit["pc"].is_string())
    );
    let mut back = find(&["last-marker", "syscall", "--all"]);
    back.reverse();
    assert_eq!(back, calls);
    assert_eq!(
        find(&["marker", "syscall=2-1", "--all", "--thread", "101"]).len(),
        3
    );
    assert_eq!(find(&["marker", "syscall=2", "--all"]), [] as [Value; 0]);
    assert_eq!(find(&["marker", "syscall=2"])[0]["hit"], Value::Null);
    assert_eq!(
        find(&["marker", "syscall", "--all", "--limit", "2"]),
        calls[..2]
    );
    // Finds the hits one by one by moving `--at`.
    let (mut at, mut one_by_one) = ("start".to_owned(), Vec::new());
    while let Some(hit) = find(&["marker", "syscall", "--at", &at])[0]
        .get("hit")
        .filter(|hit| !hit.is_null())
    {
        at = hit["position"].to_string();
        one_by_one.push(hit.clone());
    }
    assert_eq!(one_by_one, calls);
}

#[test]
fn a_marker_before_the_first_step_has_no_step_and_an_address_stands_for_its_page() {
    let sandbox = Sandbox::new();
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(1 << 54, 0);
    writer.marker(15, 0x9_8123);
    writer.marker(17, 0x60_0123);
    writer.instruction(0x1000, b"\x90");
    let trace = sandbox.file("a.trace", writer.finish().pack(Container::Plain));
    let hit = |what: &str| sandbox.json(&["find", &trace, "marker", what])["hit"].clone();
    let version = serde_json::json!(
        {"thread": "100", "position": 0, "marker": "version", "value": "0x7"}
    );
    assert_eq!(hit("version"), version);
    assert_eq!(hit("physical_address=0x98fff")["value"], "0x98123");
    assert_eq!(hit("physical_address=0x99000"), Value::Null);
    assert_eq!(hit("virtual_address=0x600000")["value"], "0x600123");
    sandbox
        .run(&["find", &trace, "marker", "version"])
        .succeeds()
        .prints("before the first step of thread 100");
    sandbox
        .run(&["find", &trace, "marker", "nosuch=1"])
        .ends_misspelt()
        .says("no marker has the name \"nosuch\", only ")
        .says("signal, signal_number");
    sandbox
        .run(&["find", &trace, "marker", "syscall=(1"])
        .ends_misspelt();
    sandbox.run(&["find", &trace, "marker"]).ends_misspelt();
}

/// Returns an ELF file with one code segment at an address.
fn elf(address: u64, code: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let halves = |bytes: &mut Vec<u8>, values: &[u16]| {
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()))
    };
    let words = |bytes: &mut Vec<u8>, values: &[u32]| {
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()))
    };
    let longs = |bytes: &mut Vec<u8>, values: &[u64]| {
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()))
    };
    // A program for x86-64, its entry, and the offsets of the segment and section tables.
    halves(&mut bytes, &[2, 62]);
    words(&mut bytes, &[1]);
    longs(&mut bytes, &[address, 64, 0]);
    words(&mut bytes, &[0]);
    halves(&mut bytes, &[64, 56, 1, 64, 0, 0]);
    // A loaded segment that is readable and executable.
    words(&mut bytes, &[1, 5]);
    longs(
        &mut bytes,
        &[
            120,
            address,
            address,
            code.len() as u64,
            code.len() as u64,
            1,
        ],
    );
    bytes.extend(code);
    bytes
}

#[test]
fn instructions_without_bytes_come_from_the_image_and_say_so_without_one() {
    let sandbox = Sandbox::new();
    let trace = put(
        &sandbox,
        "a",
        Sample::Plain(1, Architecture::X86_64),
        Container::Zip,
    );
    let texts = |arguments: &[&str]| -> Vec<String> {
        let lines = sandbox.json_lines(&[&["list", &trace, "--count", "3"], arguments].concat());
        lines
            .iter()
            .map(|step| step["text"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        texts(&[]),
        [
            "(1 byte, not recorded)",
            "(3 bytes, not recorded)",
            "(5 bytes, not recorded)"
        ]
    );
    let notes = sandbox.json(&["info", &trace])["drmemtrace"]["notes"].to_string();
    assert!(
        notes.contains("--image") && notes.contains("--sysroot"),
        "{notes}"
    );
    let image = sandbox.file("a.elf", elf(0x40_1000, b"\x55\x48\x89\xe5\xb9\x03\0\0\0"));
    assert_eq!(
        texts(&["--image", &image]),
        ["push rbp", "mov rbp, rsp", "mov ecx, 3"]
    );
    let hits = sandbox.json_lines(&[
        "find",
        &trace,
        "text",
        "^mov rbp, rsp$",
        "--all",
        "--image",
        &image,
    ]);
    assert_eq!(hits.len(), 5);
    let write = &sandbox.json(&[
        "find",
        &trace,
        "last-write",
        "rbp",
        "--at",
        "9",
        "--image",
        &image,
    ])["hit"];
    assert_eq!(
        write["text"], "(2 bytes, not recorded)",
        "what is not known may write any register"
    );
}

/// Every call that the stock tool prints as `T1 0x… => libc.so.6!malloc(0x10) => 0x7f…` is a block
/// with that address and size.
#[test]
fn blocks_of_the_heap_are_those_of_the_stock_tools() {
    let Some(traces) = real_traces() else { return };
    let sandbox = Sandbox::new();
    let index = sandbox.path("a.sbi").to_str().unwrap().to_owned();
    let trace = traces.join("tiny").to_str().unwrap().to_owned();
    let view = traces.join("tiny/expected/func_view.txt.zst");
    let view = Command::new("zstd").arg("-dc").arg(&view).output().unwrap();
    let view = String::from_utf8(view.stdout).unwrap();
    let lines = sandbox.json_lines(&["heap", &trace, "--index", &index, "-q"]);
    let (blocks, findings): (Vec<_>, Vec<_>) =
        lines.iter().partition(|line| line["address"].is_string());
    assert_eq!(findings, Vec::<&Value>::new());
    // Nested calls would be blocks of the outer call; in this trace no calls are nested.
    let mut expected = Vec::new();
    let mut frees = 0;
    for line in view.lines().filter(|line| line.contains(" => libc.so.6!")) {
        let call = line.split_once("libc.so.6!").unwrap().1;
        let (name, rest) = call.split_once('(').unwrap();
        let (arguments, result) = rest.split_once(')').unwrap();
        let number =
            |text: &str| u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).unwrap();
        let arguments: Vec<u64> = arguments.split(',').map(number).collect();
        let size = match name {
            "malloc" => arguments[0],
            "calloc" => arguments[0] * arguments[1],
            "realloc" => arguments[1],
            _ => {
                frees += usize::from(name == "free" && arguments[0] != 0);
                continue;
            }
        };
        if let Some(result) = result.trim().strip_prefix("=> ") {
            expected.push((name.to_owned(), number(result), size));
        }
    }
    let address =
        |block: &Value| u64::from_str_radix(&block["address"].as_str().unwrap()[2..], 16).unwrap();
    let found: Vec<_> = blocks
        .iter()
        .map(|block| {
            (
                block["allocated_with"].as_str().unwrap().to_owned(),
                address(block),
                block["size"].as_u64().unwrap(),
            )
        })
        .collect();
    assert!(expected.len() > 30, "{expected:?}");
    assert_eq!(found, expected);
    let freed = blocks
        .iter()
        .filter(|block| block["freed_with"] == "free")
        .count();
    assert_eq!(freed, frees);
}

/// At the end of a thread glibc frees again what it had cached of the thread's frees.
#[test]
fn what_the_allocator_gives_back_is_not_freed_twice() {
    let Some(traces) = real_traces() else { return };
    let sandbox = Sandbox::new();
    let index = sandbox.path("a.sbi").to_str().unwrap().to_owned();
    let trace = traces.join("threads4").to_str().unwrap().to_owned();
    let lines = sandbox.json_lines(&["heap", &trace, "--index", &index, "-q"]);
    assert_eq!(
        lines.len(),
        241 + 4,
        "the stock tool counts as many calls of malloc and calloc"
    );
    assert!(
        lines.iter().all(|line| line["address"].is_string()),
        "{lines:?}"
    );
}

#[test]
fn all_accesses_of_a_range_are_found() {
    let Some(traces) = real_traces() else { return };
    let sandbox = Sandbox::new();
    let index = sandbox.path("a.sbi").to_str().unwrap().to_owned();
    let trace = traces.join("tiny").to_str().unwrap().to_owned();
    let find = [
        "find",
        &trace,
        "next-access",
        "0x7f4a212018f0:8",
        "--all",
        "--index",
        &index,
    ];
    let ran = sandbox.run(&find).succeeds();
    assert!(ran.err.contains("note: 17 hits"), "{}", ran.err);
    let hits = sandbox.json_lines(&find);
    let instructions: Vec<_> = hits
        .iter()
        .map(|hit| hit["step"].as_u64().unwrap() + 1)
        .collect();
    let expected = [
        155548, 155551, 155606, 155606, 155732, 155732, 155876, 155876, 156020, 156020, 156164,
        156164, 156308, 156308, 156368, 157072, 157077,
    ];
    assert_eq!(instructions, expected);
    let of_thread = sandbox.json_lines(&[&find[..], &["--thread", "20249"]].concat());
    assert_eq!(of_thread, hits);
    let heap = sandbox
        .run(&["heap", &trace, "0x7f4a212018f0", "--index", &index, "-q"])
        .succeeds()
        .out;
    assert!(
        heap.contains("64 bytes into the 128 that calloc returned at step "),
        "{heap}"
    );
}

#[test]
fn threads_and_pages_are_listed() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "a", Sample::Threads, Container::Zip);
    let threads = sandbox.json_lines(&["threads", &trace]);
    assert_eq!(threads.len(), 3);
    assert_eq!(
        sandbox.json(&["info", &trace])["threads"],
        Value::from(threads.clone())
    );
    assert!(
        threads
            .iter()
            .all(|thread| thread["first_step"].is_number() && thread["cpus"].is_array()),
        "{threads:?}"
    );
    let counts = sandbox.json(&["counts", &trace]);
    let pages = sandbox.json_lines(&["heat", &trace]);
    let sum = |name: &str| {
        pages
            .iter()
            .map(|page| page[name].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(
        (Value::from(sum("reads")), Value::from(sum("writes"))),
        (counts["loads"].clone(), counts["stores"].clone())
    );
    let one = sandbox
        .run(&[
            "heat", &trace, "--limit", "1", "--from", "start", "--to", "end",
        ])
        .succeeds()
        .out;
    assert_eq!(
        one.lines().count(),
        if pages.is_empty() { 2 } else { 3 },
        "{one}"
    );
    let none = sandbox.run(&["heap", &trace]).succeeds();
    assert!(none.err.contains("has no heap events"), "{}", none.err);
}

/// Version 1 has no file type.
#[test]
fn the_architecture_can_be_named_where_the_trace_does_not_say_it() {
    let sandbox = Sandbox::new();
    let mut writer = TraceWriter::new(TraceRecipe {
        version: 1,
        ..TraceRecipe::default()
    });
    writer.time(1 << 54, 0);
    writer.instruction(0x1000, &[0x1f, 0x20, 0x03, 0xd5]);
    let trace = sandbox.file("a.trace", writer.finish().pack(Container::Plain));
    let arch =
        |arguments: &[&str]| sandbox.json(&[&["info", &trace], arguments].concat())["arch"].clone();
    assert_eq!(arch(&[]), "x86_64");
    assert_eq!(arch(&["--arch", "aarch64"]), "aarch64");
    assert_eq!(arch(&["--arch", "riscv64"]), "riscv64");
    assert_eq!(
        arch(&[]),
        "x86_64",
        "an index with another assumption is not used"
    );
    let notes =
        sandbox.json(&["info", &trace, "--arch", "aarch64"])["drmemtrace"]["notes"].to_string();
    assert!(notes.contains("does not state its architecture"), "{notes}");
}

/// The trace records no values, but the instruction contains the stored immediate.
#[test]
fn a_stored_immediate_is_shown_where_the_instruction_tells_it() {
    let sandbox = Sandbox::new();
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(13_400_000_000_000_000, 0);
    // mov qword ptr [rax], 0x10
    writer.instruction(0x40_1000, &[0x48, 0xc7, 0x00, 0x10, 0, 0, 0]);
    writer.write(0x5000, 8);
    writer.instruction(0x40_1007, &[0x90]);
    let trace = sandbox.file(
        "drmemtrace.app.100.0001.trace",
        writer.finish().pack(Container::Plain),
    );
    let hit = &sandbox.json(&["find", &trace, "next-write", "0x5000:8"])["hit"];
    assert_eq!(hit["access"]["value"], "0x0000000000000010", "{hit}");
    let memory = &sandbox.json(&["at", &trace, "1", "--mem", "0x5000:8"])["memory"][0];
    assert_eq!(
        (memory["bytes"].as_str(), memory["sources"].as_str()),
        (Some("10 00 00 00 00 00 00 00"), Some("iiiiiiii"))
    );
}

#[test]
fn a_problem_of_a_binary_file_has_no_line() {
    let sandbox = Sandbox::new();
    let file = PLAIN.files(Container::Plain).remove(0);
    let cut = &file.bytes[..file.bytes.len() - 5];
    let trace = sandbox.file(&file.name, cut);
    let ran = sandbox.run(&["info", &trace]).succeeds();
    assert!(
        ran.err.contains("in the trace, the first: ") && !ran.err.contains("line 1"),
        "{}",
        ran.err
    );
    assert!(!ran.out.contains("line 1"), "{}", ran.out);
    assert_eq!(
        sandbox.json(&["info", &trace])["warnings"]["first"][0]["line"],
        1
    );
}

#[test]
fn a_list_of_records_begins_with_the_one_that_is_named() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "a", PLAIN, Container::Zip);
    let all = sandbox.json_lines(&["list", &trace, "--records"]);
    for number in [1, 2, 7, 40] {
        let found = sandbox.json_lines(&[
            "list",
            &trace,
            "--records",
            "--from",
            &format!("r:{number}"),
            "--count",
            "3",
        ]);
        assert_eq!(found, all[number - 1..number + 2], "{number}");
    }
}

/// An inferred value is the same in every command.
#[test]
fn a_slice_has_the_values_that_follow() {
    let sandbox = Sandbox::new();
    let trace = put_records(&sandbox, |writer| {
        writer.instruction(0x40_1000, &[0xba, 1, 0, 0, 0]); // mov edx, 1
        writer.instruction(0x40_1005, &[0x48, 0x89, 0xd1]); // mov rcx, rdx
        writer.instruction(0x40_1008, &[0xb1, 5]); // mov cl, 5
        writer.instruction(0x40_100a, &[0x90]);
    });
    let rows = sandbox.json_lines(&["why", &trace, "rcx", "--at", "2"]);
    let values: Vec<_> = rows
        .iter()
        .filter_map(|row| row["defines"].as_array())
        .flatten()
        .collect();
    assert!(
        values.iter().all(|given| given["inferred"] == true),
        "{values:?}"
    );
    let of = |cell: &str| {
        values
            .iter()
            .find(|given| given["cell"] == cell)
            .map(|given| given["value"].clone())
    };
    assert_eq!(of("rcx"), Some("0x0000000000000001".into()), "{values:?}");
    assert_eq!(of("rdx"), Some("0x0000000000000001".into()), "{values:?}");
    // A write of a partial register leaves the other bits unchanged (Intel SDM, volume 1, 3.4.1.1).
    let at = sandbox.json(&["at", &trace, "3", "--regs"]);
    assert_eq!(at["registers"]["rcx"], "0x0000000000000005");
    let hit = sandbox.json(&["find", &trace, "last-write", "rcx", "--at", "2"]);
    assert_eq!(hit["hit"]["access"]["value"], "0x0000000000000001");
}

/// `getpid` has no buffer and `write` only reads one, so memory is unchanged (`man 2`).
#[test]
fn memory_stays_known_across_calls_that_cannot_reach_it() {
    let sandbox = Sandbox::new();
    let memory = |number: u64, arguments: &[u8]| {
        let trace = put_records(&sandbox, |writer| {
            writer.instruction(0x40_1000, &[0xb8, 0x44, 0x33, 0x22, 0x11]); // mov eax, 0x11223344
            writer.instruction(0x40_1005, &[0x89, 4, 0x25, 0xa0, 0x90, 0x60, 0]); // mov [0x6090a0], eax
            writer.record(kind::WRITE, 4, 0x60_90a0);
            writer.instruction(0x40_100c, arguments);
            let after = 0x40_100c + arguments.len() as u64;
            writer.instruction(after, &[0x0f, 5]); // syscall
            writer.marker(marker::SYSTEM_CALL, number);
            writer.instruction(after + 2, &[0x90]);
        });
        let at = sandbox.json(&["at", &trace, "end", "--mem", "0x6090a0:4"]);
        at["memory"][0]["bytes"].clone()
    };
    let buffer = [0xbe, 0xa0, 0x90, 0x60, 0]; // mov esi, 0x6090a0
    let elsewhere = [0xbe, 0, 0, 0x70, 0]; // mov esi, 0x700000
    assert_eq!(memory(39, &[0x90]), "44 33 22 11", "getpid");
    assert_eq!(memory(1, &buffer), "44 33 22 11", "write");
    assert_eq!(memory(0, &buffer), "?? ?? ?? ??", "read");
    assert_eq!(
        memory(228, &elsewhere),
        "44 33 22 11",
        "clock_gettime elsewhere"
    );
    assert_eq!(memory(228, &buffer), "?? ?? ?? ??", "clock_gettime");
}

#[test]
fn markers_have_plain_names() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "a", Sample::Threads, Container::Zip);
    let find = |kind: &str, name: &str| sandbox.json_lines(&["find", &trace, kind, name, "--all"]);
    let calls = find("marker", "syscall");
    assert_eq!(calls.len(), 9);
    for name in ["system call", "System_Calls", "syscalls"] {
        assert_eq!(find("markers", name), calls, "{name}");
    }
    assert_eq!(find("marker", "cpu"), find("marker", "cpu_id"));
    sandbox
        .run(&["find", &trace, "markers", "signal"])
        .succeeds()
        .prints("this trace has no marker signal_number, only ");
}

#[test]
fn a_printed_date_is_a_position() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "a", Sample::Threads, Container::Zip);
    let info = sandbox.run(&["info", &trace]).succeeds().out;
    let dates = info
        .lines()
        .find_map(|line| line.strip_prefix("time "))
        .unwrap()
        .trim()
        .rsplit_once(',')
        .unwrap()
        .0;
    let times = &sandbox.json(&["info", &trace])["time"];
    for (date, name) in dates.split(" to ").zip(["first", "last"]) {
        let at =
            |time: &str| sandbox.json(&["at", &trace, &format!("time:{time}")])["position"].clone();
        assert_eq!(at(date), at(&times[name].to_string()), "{date}");
        assert_eq!(at(&date.replace(' ', "T")), at(date));
        assert!(at(date).as_u64().unwrap() > 0);
    }
    let tarmac = sandbox.fixture(OVERFLOW);
    sandbox
        .run(&["at", &tarmac, "time:2026-11-22 02:18:29.000123"])
        .ends_misspelt()
        .says("the times of this trace are plain numbers");
    sandbox
        .run(&["at", &trace, "time:2026-11-31"])
        .ends_misspelt()
        .says("is not a date");
}
