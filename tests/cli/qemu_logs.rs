//! Logs of QEMU 7.2 in `fixtures/qemu`, whose sources say which calls and exceptions happen, and
//! excerpts of other logs.

use crate::cli::support::Sandbox;

fn fixture_calls(log: &str) -> Vec<String> {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(&format!("qemu/{log}.log.zst"));
    calls(&sandbox, &trace)
}

/// Returns the calls of a log: depth, kind of the entry, address, and kind of the exit.
fn calls(sandbox: &Sandbox, trace: &str) -> Vec<String> {
    let calls = sandbox.json_lines(&["calltree", trace]);
    calls
        .iter()
        .map(|call| {
            let [entered, left] =
                [&call["entered"], &call["left"]].map(|one| one.as_str().unwrap());
            let function = call["function"]["address"].as_str().unwrap();
            format!("{} {entered} {function} {left}", call["depth"])
        })
        .collect()
}

#[test]
fn interrupts_and_supervisor_calls_of_a_cortex_m_are_frames() {
    let (work, svc) = ("1 call 0x6a return", "1 exception 0x50 return");
    let all = [
        "0 root 0x90 open",
        "1 exception 0x40 return",
        work,
        svc,
        work,
        svc,
        work,
        svc,
        work,
        // The timer interrupts the last call of `work`.
        "2 exception 0x40 return",
        svc,
    ];
    assert_eq!(fixture_calls("m3"), all);
}

#[test]
fn traps_of_riscv_are_frames() {
    let recursion = (1..=5).map(|depth| format!("{depth} call 0x80000042 return"));
    let trap = "1 exception 0x8000006c return".to_owned();
    let mut all = vec![
        "0 root 0x1000 return".to_owned(),
        "0 root 0x80000000 open".to_owned(),
    ];
    all.extend(recursion);
    all.extend([trap.clone(), trap]);
    assert_eq!(fixture_calls("riscv64"), all);
}

/// A log without registers shows the processor only in its disassembly.
#[test]
fn the_disassembly_tells_the_processor() {
    let sandbox = Sandbox::new();
    for (lines, expected) in [
        (
            "0x00401530:  31 ed                    xorl     %ebp, %ebp\n\
             0x00401532:  49 89 d1                 movq     %rdx, %r9\n",
            "x86_64",
        ),
        (
            "0x00401530:  022000ef          jal                     ra,34\n",
            "riscv32",
        ),
        (
            "0x0000000000401530:  87aa              mv                      a5,a0\n",
            "riscv64",
        ),
        (
            "0x00401530:  f04f 0b00  mov.w    fp, #0\n0x00401534:  bc02       pop      {r1}\n",
            "aarch32",
        ),
        ("0x00401530:  d280001d  mov      x29, #0\n", "aarch64"),
    ] {
        let log = format!(
            "----------------\nIN: _start\n{lines}\n\
             Trace 0: 0x7f5380000100 [0000000000000000/0000000000401530/1040c0b3/00000200] _start\n"
        );
        let trace = sandbox.file("a.log", &log);
        let format = sandbox.json(&["info", &trace])["arch"].clone();
        assert_eq!(format, expected, "{lines}");
    }
}

/// Some tracers write what an instruction stores, and not what it loads.
#[test]
fn tenet_logs_without_reads_have_returns() {
    let log = "rax=0x0,rsp=0x1000,rip=0x400000\n\
               rsp=0xff8,rip=0x401000,mw=0xff8:0500400000000000\n\
               rax=0x1,rip=0x401002\n\
               rsp=0x1000,rip=0x400005\n\
               rax=0x2,rip=0x400007\n";
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tenet", log);
    let all = ["0 root 0x400000 open", "1 call 0x401000 return"];
    assert_eq!(calls(&sandbox, &trace), all);
}

/// `mrw` is a read and a write; its bytes are those of the write.
#[test]
fn tenet_logs_have_instructions_that_read_and_write() {
    let log = "rax=0x1,rip=0x400000\nrip=0x400003,mrw=0x2000:05000000\nrip=0x400004\n";
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tenet", log);
    for kind in ["next-write", "next-read"] {
        let hit = sandbox.json(&["find", &trace, kind, "0x2000:4", "--at", "start"]);
        assert_eq!(hit["hit"]["step"], 0, "{kind}: {hit}");
    }
}

/// A repeated string instruction is a block for each iteration.
#[test]
fn iterations_of_a_string_instruction_do_not_leave_the_path() {
    let block = |pc: u32, line: &str| {
        format!(
            "----------------\nIN: f\n0x{pc:08x}:  {line}\n\n\
             Trace 0: 0x7f5380000100 [0000000000000000/{pc:016x}/1040c0b3/00000200] f\n"
        )
    };
    let stos = block(
        0x40_1000,
        "f3 48 ab                 rep stosq %rax, %es:(%rdi)",
    );
    let next = block(0x40_1003, "90                       nop");
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.log", [&*stos, &*stos, &*stos, &*next].concat());
    sandbox
        .run(&["check", &trace])
        .succeeds()
        .prints("no findings");
}
