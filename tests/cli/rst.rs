//! RST traces.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::support::Sandbox;

/// Copies a fixture, so that files generated next to the trace land in the sandbox.
fn put(sandbox: &Sandbox, name: &str) -> String {
    sandbox.file(name, std::fs::read(fixture(name)).unwrap())
}

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/rst")
        .join(name)
}

#[test]
fn records_are_listed_with_all_their_fields() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "alltypes.rst");
    let golden = std::fs::read_to_string(fixture("alltypes.golden.jsonl")).unwrap();
    let expected: Vec<Value> = golden
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let found = sandbox.json_lines(&["list", &trace, "--records"]);
    assert_eq!(found.len(), expected.len());
    for ((number, found), mut expected) in (1..).zip(&found).zip(expected) {
        let fields = expected.as_object_mut().unwrap();
        fields.remove("i");
        let kind = fields.remove("type").unwrap();
        let thread = fields.remove("cpuid").map(|cpu| format!("cpu{cpu}"));
        // Fields of more than 32 bits are strings, also where the golden list has a small number.
        for (name, value) in fields.iter_mut() {
            let is_text = found["fields"][name].is_string();
            if let Some(number) = value.as_u64().filter(|_| is_text) {
                *value = format!("{number:#x}").into();
            }
        }
        let whole = json!({ "record": number, "kind": kind, "thread": thread, "fields": fields });
        assert_eq!(*found, whole);
    }
    let instructions = found.iter().filter(|record| record["kind"] == "INSTR");
    assert!(instructions.clone().count() > 0);
    for record in instructions {
        assert!(record["fields"]["instr"].is_number() && record["fields"]["ea_va"].is_string());
    }
    let some = sandbox.json_lines(&["list", &trace, "--records", "--from", "r:5", "--count", "2"]);
    assert_eq!(some, found[4..6]);
}

#[test]
fn instructions_are_next_to_their_records() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "small.rz3.gz");
    let text = sandbox
        .run(&[
            "list",
            &trace,
            "--records",
            "--from",
            "r:60",
            "--count",
            "1",
        ])
        .out;
    assert!(text.contains("save %sp, -224, %sp"), "{text}");
    let first =
        &sandbox.json_lines(&["list", &trace, "--records", "--from", "4", "--count", "1"])[0];
    assert_eq!(
        (&first["kind"], &first["record"]),
        (&"INSTR".into(), &60.into())
    );
}

/// The rules are those of the specification, clause 2a. The steps are those of the whole file.
#[test]
fn a_damaged_header_costs_the_header_alone() {
    let whole = std::fs::read(fixture("small.rst")).unwrap();
    let damaged = |place: std::ops::Range<usize>| {
        let mut bytes = whole.clone();
        bytes[place].fill(b'?');
        bytes
    };
    for (place, rule) in [
        (0..1, "R-H01"),
        (0..24, "R-H01"),
        (3..4, "R-H04"),
        (4..14, "R-H03"),
    ] {
        let sandbox = Sandbox::new();
        let trace = sandbox.file("damaged.rst", damaged(place));
        assert_eq!(
            sandbox.json(&["info", &trace, "--format", "rst"])["steps"],
            1744,
            "{rule}"
        );
        let found = sandbox.json_lines(&["check", &trace, "--format", "rst"]);
        assert!(
            found.iter().any(|finding| finding["rule"] == rule),
            "{rule}: {found:?}"
        );
    }
    let sandbox = Sandbox::new();
    let text = sandbox.file(
        "text.rst",
        b"no trace at all, but long enough for some records of 24 bytes\n".repeat(9),
    );
    assert!(
        !sandbox
            .run(&["info", &text, "--format", "rst"])
            .err
            .is_empty()
    );
}

#[test]
fn registers_are_those_of_the_window() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "small.rst");
    let info = sandbox.json(&["info", &trace]);
    assert_eq!(
        (&info["format"], &info["steps"]),
        (&"rst".into(), &1744.into())
    );
    let hit = sandbox.json(&["find", &trace, "last-write", "i0", "--at", "11"]);
    assert_eq!(hit["hit"]["step"], 9, "{hit}");
    let hit = sandbox.json(&["find", &trace, "last-write", "w1.i0", "--at", "11"]);
    assert_eq!(hit["hit"]["step"], 9, "{hit}");
}

#[test]
fn why_of_physical_memory_begins_at_its_writer_and_goes_on_by_virtual_addresses() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "small.rst");
    let rows = |what: &str| sandbox.json_lines(&["why", &trace, what, "--at", "300"]);
    let (physical, plain) = (rows("phys::0x300801d6c:4"), rows("0x4000801d6c:4"));
    assert!(
        physical.len() > 3 && physical[0]["defines"][0]["cell"] == "0x4000801d6c:4",
        "{physical:?}"
    );
    assert_eq!(physical, plain);
    let untold = sandbox.run(&["why", &trace, "phys::0x900000000:4"]);
    untold
        .ends_misspelt()
        .says("which virtual page lies at this physical address");
}

#[test]
fn memory_is_requested_by_physical_address_too() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "small.rst");
    // `st %g1, [ %fp + 0x7fb ]` of step 7, in context 66.
    let memory = |position: &str, range: &str| {
        sandbox.json(&["at", &trace, position, "--mem", range])["memory"][0].clone()
    };
    let (physical, plain) = (
        memory("8", "phys::0x300801d6c:4"),
        memory("8", "0x4000801d6c:4"),
    );
    assert_eq!(
        (&physical["bytes"], &physical["sources"]),
        (&"00 00 30 39".into(), &"rrrr".into())
    );
    assert_eq!(
        (&physical["bytes"], &plain["physical"][0]["address"]),
        (&plain["bytes"], &"0x300801d6c".into())
    );
    let mapped = &physical["mapped"][0];
    assert_eq!(
        (&physical["space"], &mapped["address"]),
        (&"physical".into(), &"0x4000801d6c".into())
    );
    assert_eq!(
        (&mapped["thread"], &mapped["context"]),
        (&"cpu0".into(), &66.into())
    );
    let nowhere = memory("8", "pa::0x999000:2");
    assert_eq!(
        (
            &nowhere["bytes"],
            nowhere["mapped"].as_array().unwrap().len()
        ),
        (&"?? ??".into(), 0)
    );
    let ran = sandbox
        .run(&["at", &trace, "8", "--mem", "phys::0x999000"])
        .succeeds();
    assert!(
        ran.out
            .contains("no virtual page is mapped there at this position"),
        "{}",
        ran.out
    );
    let find = |kind: &str, what: &str| {
        sandbox.json(&["find", &trace, kind, what, "--at", "20"])["hit"].clone()
    };
    assert_eq!(find("last-write", "phys::0x300801d6c:4")["step"], 7);
    assert_eq!(
        find("next-write", "phys::0x300801d6c:4"),
        find("next-write", "0x4000801d6c:4")
    );
    assert_eq!(find("last-access", "phys::0x999000"), Value::Null);
    let translations = sandbox.json(&["info", &trace])["translations"].clone();
    assert!(
        translations["recorded"].as_u64() >= translations["pages"].as_u64(),
        "{translations}"
    );
    assert_eq!(translations["contexts"][1], 66);
}

/// Returns the records of a trace as those of another processor.
fn of_processor(records: &[u8], cpu: u8) -> Vec<u8> {
    let mut records = records.to_vec();
    for record in records.as_chunks_mut::<24>().0 {
        match record[0] {
            3 | 7 | 8 => record[2] = cpu << 2 | record[2] & 3,
            5 => record[4] = record[4] & 0xc0 | cpu,
            9 | 19 => record[1] = record[1] & 0x80 | cpu,
            17 => record[8] = cpu,
            26 => record[2] = cpu,
            _ => {}
        }
    }
    records
}

/// Writes a file for each of two processors, as simulators do.
fn put_two(sandbox: &Sandbox) -> [String; 2] {
    let records = std::fs::read(fixture("small.rst")).unwrap();
    std::fs::create_dir(sandbox.path("two")).unwrap();
    [0, 1].map(|cpu| sandbox.file(&format!("two/cpu{cpu}.rst"), of_processor(&records, cpu)))
}

#[test]
fn files_of_several_processors_are_one_trace() {
    let sandbox = Sandbox::new();
    let [first, second] = put_two(&sandbox);
    let threads = |info: &Value| -> Vec<(Value, Value)> {
        info["threads"]
            .as_array()
            .unwrap()
            .iter()
            .map(|thread| (thread["id"].clone(), thread["steps"].clone()))
            .collect()
    };
    let expected: Vec<(Value, Value)> =
        vec![("cpu0".into(), 1744.into()), ("cpu1".into(), 1744.into())];
    let directory = sandbox.path("two").to_string_lossy().into_owned();
    for words in [
        vec![&*first, &*second],
        vec![&*first, "--with", &*second],
        vec![&*directory],
    ] {
        let info = sandbox.json(&[&["info"][..], &words].concat());
        assert_eq!(threads(&info), expected, "{words:?}");
        assert!(
            info["warnings"]["first"][0]["message"]
                .as_str()
                .unwrap()
                .contains("the order in which"),
            "{info}"
        );
    }
    // Positions may follow; each processor has separate registers.
    let alone = sandbox.json(&["at", &first, "end"]);
    let both = sandbox.json(&["at", &first, &second, "end", "--thread", "cpu1"]);
    assert_eq!(
        (&both["registers"], &both["position"]),
        (&alone["registers"], &3488.into())
    );
    // A single file is still a trace and keeps its index.
    assert_eq!(sandbox.json(&["info", &second])["steps"], 1744);
    let records = sandbox.json_lines(&["list", &directory, "--records"]);
    assert_eq!(
        records.len(),
        2 * sandbox.json_lines(&["list", &first, "--records"]).len()
    );
}

#[test]
fn traces_that_are_not_one_are_distinguished() {
    let sandbox = Sandbox::new();
    let records = std::fs::read(fixture("small.rst")).unwrap();
    std::fs::create_dir(sandbox.path("many")).unwrap();
    let first = sandbox.file("many/a.rst", records.clone());
    sandbox.file("many/b.rst", records);
    let directory = sandbox.path("many").to_string_lossy().into_owned();
    let listed = "2 traces are inside this directory, open one of them (or name all files of one trace): a.rst, b.rst";
    sandbox.run(&["info", &directory]).fails_with(&[listed]);
    let text = sandbox.file("t.tarmac", "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n");
    sandbox
        .run(&["info", &text, "--with", &first])
        .fails_with(&["a.rst"]);
    sandbox
        .run(&["info", &first, "--with", &first])
        .fails_with(&["this file was named twice"]);
}

#[test]
fn packed_traces_are_written_as_plain_records() {
    let sandbox = Sandbox::new();
    let expected = std::fs::read(fixture("small.rst")).unwrap();
    for name in ["small.rz2.gz", "small.rz3.gz"] {
        let trace = put(&sandbox, name);
        let target = sandbox
            .path(&format!("{name}.rst"))
            .to_string_lossy()
            .into_owned();
        let json = sandbox.json(&["convert", &trace, "--to", "rst", "-o", &target]);
        assert_eq!(
            json!([json["to"], json["records"], json["problems"]]),
            json!(["rst", 3550, []])
        );
        // rstzip 2 itself loses a few bits of state registers.
        let written = std::fs::read(&target).unwrap();
        assert!(
            written.len() == expected.len() && (written == expected || name.contains("rz2")),
            "{name}"
        );
    }
    let trace = put(&sandbox, "small_nv.rst.xz");
    let out = sandbox
        .command(&["convert", &trace, "--to", "rst"])
        .output()
        .unwrap();
    assert!(
        out.status.success() && out.stdout.starts_with(b"\x02\x02\x0d%RST Header"),
        "{out:?}"
    );
    let kept: Vec<_> = std::fs::read_dir(sandbox.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        kept.iter()
            .all(|name| !name.to_string_lossy().contains(".sbi")),
        "no index is made: {kept:?}"
    );
}

#[test]
fn files_of_several_processors_become_one() {
    let sandbox = Sandbox::new();
    let [first, second] = put_two(&sandbox);
    let target = sandbox.path("both.rst").to_string_lossy().into_owned();
    let ran = sandbox
        .run(&["convert", &first, &second, "--to", "rst", "-o", &target])
        .succeeds();
    assert!(
        ran.err
            .contains("the order in which their instructions were executed is unknown"),
        "{}",
        ran.err
    );
    let records = std::fs::read(&target).unwrap();
    let headers = records.chunks(24).filter(|record| record[0] == 2).count();
    assert_eq!((headers, records.len() / 24), (1, 2 * 3550 - 1));
    let registers = |words: &[&str]| {
        sandbox.json(&[&["at"][..], words, &["end", "--thread", "cpu1"]].concat())["registers"]
            .clone()
    };
    assert_eq!(registers(&[&target]), registers(&[&first, &second]));
}

#[test]
fn a_conversion_never_overwrites_the_trace() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "small.rz3.gz");
    let before = std::fs::read(&trace).unwrap();
    sandbox
        .run(&["convert", &trace, "--to", "rst", "-o", &trace])
        .fails_with(&["overwrite the trace"]);
    assert_eq!(std::fs::read(&trace).unwrap(), before);
    let cut = sandbox.file("cut.rz3.gz", &before[..3000]);
    let target = sandbox.path("cut.rst").to_string_lossy().into_owned();
    let ran = sandbox
        .run(&["convert", &cut, "--to", "rst", "-o", &target])
        .succeeds();
    assert!(ran.err.contains("note: "), "{}", ran.err);
    let text = sandbox.file("t.tarmac", "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n");
    assert_eq!(
        sandbox
            .run(&["convert", &text, "--to", "rst", "-o", &target])
            .code,
        Some(2)
    );
}

#[test]
fn system_calls_have_their_names_arguments_and_results() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "small.rst");
    let calls = sandbox.json_lines(&["syscalls", &trace, "--list"]);
    let stated = |call: &Value| {
        serde_json::json!([call["name"], call["number"], call["args"], call["result"]])
    };
    let expected = [
        serde_json::json!(["write", 4, ["0x1", "0x1005b8", "0xd"], "0xd"]),
        serde_json::json!(["write", 4, ["0x1", "0x4000801d40", "0x4"], "0x4"]),
        serde_json::json!(["exit", 1, ["0x0"], null]),
    ];
    assert_eq!(calls.iter().map(stated).collect::<Vec<_>>(), expected);
    // The carry flag shows failure, which this trace does not record.
    let totals = sandbox.json(&["syscalls", &trace]);
    assert_eq!(
        (&totals["count"], &totals["syscalls"][0]["failed"]),
        (&3.into(), &Value::Null)
    );
    let text = sandbox.run(&["syscalls", &trace, "--list"]).succeeds().out;
    assert!(
        text.contains("write(0x1, 0x4000801d40, 0x4) = 0x4"),
        "{text}"
    );
}

#[test]
fn frames_of_traps_have_their_names() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "small.rst");
    let calls = sandbox.json_lines(&["calltree", &trace]);
    let traps: Vec<&Value> = calls
        .iter()
        .filter(|call| call["entered"] == "exception")
        .collect();
    let stated = |call: &Value| {
        serde_json::json!([call["trap"]["number"], call["trap"]["system_call"]["name"]])
    };
    assert_eq!(stated(traps[0]), serde_json::json!([0x16d, "write"]));
    assert_eq!(
        stated(traps[traps.len() - 1]),
        serde_json::json!([0x16d, "exit"])
    );
    let text = sandbox
        .run(&["calltree", &trace, "--all-frames"])
        .succeeds()
        .out;
    assert!(text.contains("trap 0x16d system call write"), "{text}");
    let stack = sandbox
        .run(&["at", &trace, "1736", "--stack"])
        .succeeds()
        .out;
    assert!(stack.contains("trap 0x16d system call write"), "{stack}");
    let found = sandbox.json_lines(&["find", &trace, "marker", "trap", "--all"]);
    assert_eq!(found.len(), traps.len());
}

#[test]
fn an_image_in_the_byte_order_of_its_trace_is_no_matter_to_mention() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, "cti.rst");
    std::fs::copy(fixture("../btrace/cti.elf"), sandbox.path("cti.elf")).unwrap();
    let ran = sandbox.run(&["info", &trace]).succeeds();
    assert!(
        ran.err.contains("cti.elf") && !ran.err.contains("endian"),
        "{}",
        ran.err
    );
}

/// Returns a record with the given bytes at their offsets, and 0 elsewhere.
fn record(bytes: &[(usize, &[u8])]) -> [u8; 24] {
    let mut record = [0; 24];
    for (place, bytes) in bytes {
        record[*place..place + bytes.len()].copy_from_slice(bytes);
    }
    record
}

fn instruction_record(pc: u64, word: u32) -> [u8; 24] {
    let is_trap = word >> 30 == 2 && word >> 19 & 63 == 0x3a;
    // The flags say that the effective address is valid, that it branched and, for a trap, that it
    // trapped.
    let bits = if is_trap { 0x40 | 0x20 | 4 } else { 0 };
    record(&[
        (0, &[3, bits]),
        (4, &word.to_be_bytes()),
        (8, &pc.to_be_bytes()),
    ])
}

/// Returns a record of two registers, each given by kind and number, after the last instruction.
fn register_record([first, second]: [(u8, u8); 2], values: [u64; 2]) -> [u8; 24] {
    let head = [9, 0x80, first.0, second.0, first.1, second.1];
    record(&[
        (0, &head),
        (8, &values[0].to_be_bytes()),
        (16, &values[1].to_be_bytes()),
    ])
}

const O0: (u8, u8) = (1, 8);
const G1: (u8, u8) = (1, 1);
const NO_REGISTER: (u8, u8) = (5, 0);
const CCR: (u8, u8) = (4, 2);

/// `ta number` to a kernel that returns `%o0` and, if recorded, the condition codes.
struct Requested {
    trap: u8,
    number: u64,
    result: Option<u64>,
    conditions: Option<u64>,
}

/// Returns a program that makes system calls one after another, without records of the kernel.
fn program_that_asks(requested: &[Requested]) -> Vec<u8> {
    const MOV_G1: u32 = 0x8210_2000;
    const MOV_O0: u32 = 0x9010_2000;
    const NOP: u32 = 0x0100_0000;
    let mut bytes = record(&[(0, b"\x02\x02\x0d%RST Header v2.13")]).to_vec();
    let mut pc = 0x1000_u64;
    for Requested {
        trap,
        number,
        result,
        conditions,
    } in requested
    {
        bytes.extend(instruction_record(pc, MOV_G1 | *number as u32));
        bytes.extend(register_record([G1, NO_REGISTER], [*number, 0]));
        bytes.extend(instruction_record(pc + 4, MOV_O0 | 3));
        bytes.extend(register_record([O0, NO_REGISTER], [3, 0]));
        let pcs = [pc + 8, pc + 12].map(u64::to_be_bytes);
        let trap_type = (0x100 | u16::from(*trap)).to_be_bytes();
        bytes.extend(record(&[
            (0, &[7]),
            (2, &trap_type),
            (5, &[0x92]),
            (8, &pcs[0]),
            (16, &pcs[1]),
        ]));
        bytes.extend(instruction_record(pc + 8, 0x91d0_2000 | u32::from(*trap)));
        if let Some(result) = result {
            bytes.extend(register_record([O0, NO_REGISTER], [*result, 0]));
        }
        if let Some(conditions) = conditions {
            bytes.extend(register_record([CCR, NO_REGISTER], [*conditions, 0]));
        }
        bytes.extend(instruction_record(pc + 12, NOP));
        pc += 16;
    }
    bytes
}

#[test]
fn a_system_call_that_failed_names_the_error_of_its_kernel() {
    let sandbox = Sandbox::new();
    let requested = |trap, number, result, conditions| Requested {
        trap,
        number,
        result,
        conditions,
    };
    let close = 6;
    let trace = program_that_asks(&[
        requested(0x6d, close, Some(9), Some(0x11)),
        requested(0x6d, close, Some(0), Some(0)),
        requested(0x6d, close, Some(90), Some(0x11)),
        // Solaris leaves the 64-bit carry unchanged.
        requested(0x40, close, Some(90), Some(0x01)),
        requested(0x08, close, Some(0), Some(0x10)),
        // Unrecorded results are unknown.
        requested(0x6d, close, Some(9), None),
        requested(0x6d, close, None, None),
    ]);
    let trace = sandbox.file("asks.rst", trace);
    let calls = sandbox.json_lines(&["syscalls", &trace, "--list"]);
    let stated = |call: &Value| {
        serde_json::json!([call["name"], call["result"], call["errno"], call["error"]])
    };
    let all_ones = format!("{:#x}", u64::MAX);
    let expected = [
        serde_json::json!(["close", all_ones, 9, "EBADF"]),
        serde_json::json!(["close", "0x0", null, null]),
        serde_json::json!(["close", all_ones, 90, "ENOSYS"]),
        serde_json::json!(["close", all_ones, 90, "ELOOP"]),
        serde_json::json!(["close", "0x0", null, null]),
        serde_json::json!(["close", "0x9", null, null]),
        serde_json::json!(["close", null, null, null]),
    ];
    assert_eq!(calls.iter().map(stated).collect::<Vec<_>>(), expected);
    let text = sandbox.run(&["syscalls", &trace, "--list"]).succeeds().out;
    assert!(
        text.contains("close(0x3) = -1 EBADF") && text.contains("close(0x3) = -1 ELOOP"),
        "{text}"
    );
    let steps = sandbox.run(&["list", &trace]).succeeds().out;
    assert!(
        steps.contains("syscall_failed 90 ENOSYS") && steps.contains("syscall_failed 90 ELOOP"),
        "{steps}"
    );
}

/// Returns records of an instruction that continues, traps or branches.
fn instruction(flags: u8, pc: u64, word: u32, ea: u64) -> Vec<u8> {
    [
        &[3, flags, 0, 0][..],
        &word.to_be_bytes(),
        &pc.to_be_bytes(),
        &ea.to_be_bytes(),
    ]
    .concat()
}

fn trap(number: u16, pc: u64) -> Vec<u8> {
    let [high, low] = number.to_be_bytes();
    [
        &[7, 0, high, low, 0, 0x12, 0, 0][..],
        &pc.to_be_bytes(),
        &(pc + 4).to_be_bytes(),
    ]
    .concat()
}

fn rst(records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"\x02\x02\x0d%RST Header v2.13".to_vec();
    bytes.resize(24, 0);
    records.iter().for_each(|record| bytes.extend(record));
    bytes
}

const TRAPPED: u8 = 0x20;
const TAKEN: u8 = 0x44;
const NOP: u32 = 0x0100_0000;
const SAVE: u32 = 0x9de3_bf50;
const RETRY: u32 = 0x83f0_0000;

/// Returns a `save` that first spills a window. The record of the trap may be missing.
fn spill(record: Option<Vec<u8>>) -> Vec<u8> {
    let mut records = vec![instruction(0, 0x1000, NOP, 0)];
    records.extend(record);
    records.extend([
        instruction(TRAPPED, 0x1004, SAVE, 0),
        instruction(0, 0xf000_1000, NOP, 0),
        instruction(TAKEN, 0xf000_1004, RETRY, 0x1004),
        instruction(0, 0x1004, SAVE, 0),
        instruction(0, 0x1008, NOP, 0),
    ]);
    rst(&records)
}

/// Rules R-T01 and R-T02 of `check`: the bit says that the instruction trapped. It executes when it
/// occurs again.
#[test]
fn an_instruction_that_trapped_was_not_executed_whether_or_not_a_record_says_which_trap() {
    for record in [Some(trap(0x80, 0x1004)), None] {
        let sandbox = Sandbox::new();
        let trace = sandbox.file("spill.rst", spill(record));
        let steps = sandbox.json_lines(&["list", &trace]);
        let executed: Vec<_> = steps
            .iter()
            .map(|step| step["executed"].as_bool().unwrap())
            .collect();
        assert_eq!(executed, [true, false, true, true, true, true]);
        let findings = sandbox.json_lines(&["check", &trace]);
        assert!(
            findings.iter().all(|finding| finding["rule"] != "path"),
            "{findings:?}"
        );
        let calls = sandbox.json_lines(&["calltree", &trace]);
        let frames: Vec<_> = calls
            .iter()
            .map(|call| (&call["entered"], &call["entry_step"], &call["exit_step"]))
            .collect();
        let (root, exception) = (Value::from("root"), Value::from("exception"));
        assert_eq!(
            frames,
            [
                (&root, &0.into(), &Value::Null),
                (&exception, &2.into(), &3.into())
            ]
        );
        // The function begins with `save`, which was reached twice but entered once.
        let visits = sandbox.json_lines(&["callinfo", &trace, "0x1004"]);
        assert_eq!(
            visits
                .iter()
                .map(|visit| &visit["step"])
                .collect::<Vec<_>>(),
            [&Value::from(4)]
        );
    }
}

#[test]
fn the_first_instruction_of_a_handler_is_where_no_instruction_leads() {
    let sandbox = Sandbox::new();
    // An interrupt: the bit is on the first instruction of the handler.
    let trace = sandbox.file(
        "interrupt.rst",
        rst(&[
            instruction(0, 0x1000, NOP, 0),
            instruction(TRAPPED, 0xf000_0820, NOP, 0),
            instruction(TAKEN, 0xf000_0824, RETRY, 0x1004),
            instruction(0, 0x1004, NOP, 0),
        ]),
    );
    let steps = sandbox.json_lines(&["list", &trace]);
    assert!(
        steps.iter().all(|step| step["executed"] == true),
        "{steps:?}"
    );
    let findings = sandbox.json_lines(&["check", &trace]);
    assert!(
        findings.iter().all(|finding| finding["rule"] != "path"),
        "{findings:?}"
    );
    let calls = sandbox.json_lines(&["calltree", &trace]);
    assert_eq!(
        calls
            .iter()
            .map(|call| &call["entered"])
            .collect::<Vec<_>>(),
        ["root", "exception"]
    );
}
