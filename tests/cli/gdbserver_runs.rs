//! Runs of `stepback gdbserver`: interrupts, threads that run alone or have ended, and the stops
//! at watchpoints that clients other than gdb expect.
//!
//! Replies follow GDB's manual, appendix "GDB Remote Serial Protocol".

use std::fmt::Write as _;

use crate::cli::gdb_client::{Client, TRACE};
use crate::cli::support::{OVERFLOW, Sandbox, fixture_path, overflow_image, text};

/// Features of gdb 13, with the one that distinguishes it from LLDB.
const GDB: &str = "qSupported:swbreak+;hwbreak+;qRelocInsn+;vContSupported+";
/// Features of LLDB 22.
const LLDB: &str = "qSupported:xmlRegisters=i386,arm,mips,arc;multiprocess+;fork-events+";

/// "Interrupts received while the program is stopped are queued and the program will be interrupted
/// when it is resumed next time."
#[test]
fn an_interrupt_stops_the_next_run_of_any_kind() {
    let mut client = Client::of(TRACE);
    client.check("Z0,1004,4", "OK");
    client.check("c", "T05thread:01;swbreak:;");
    for run in ["c", "s", "bc", "bs", "vCont;c", "vCont;s:1;c"] {
        client.send(b"\x03");
        client.check(run, "T02thread:01;");
        assert_eq!(client.position(), "2", "{run}");
    }
    // Only once.
    client.check("c", "T05thread:01;swbreak:;");
    assert_eq!(client.position(), "5");
}

#[test]
fn a_run_that_goes_on_is_interrupted() {
    // The watched bytes after the stored ones are unknown, so each store is looked up.
    let mut trace = String::new();
    for time in 1..4000 {
        writeln!(
            trace,
            "{time} clk IT ({time}) 00001000 e5801000 A svc : STR r1,[r0]\n\
             {time} clk MW4 00009000 00000005"
        )
        .unwrap();
    }
    let mut client = Client::of(&trace);
    client.ask(GDB);
    client.check("Z2,9000,8", "OK");
    let first = client.ask("vCont;c");
    assert!(
        first.starts_with("T05") && first.contains("watch:"),
        "{first}"
    );
    client.send(b"$vCont;c#a8\x03");
    assert_eq!(client.reply(), "T02thread:01;");
    client.send(b"$bc#c5");
    let begin = client.reply();
    assert!(begin.starts_with("T05thread:01;"), "{begin}");
}

/// With scheduler-locking gdb sends `Hc2`, and expects that only this thread stops.
#[test]
fn the_thread_that_runs_alone_reaches_the_ends_of_the_trace() {
    let mut client = Client::of(TRACE);
    client.check("Hc2", "OK");
    client.check("c", "T05thread:02;replaylog:end;");
    client.check("bc", "T05thread:02;replaylog:begin;");
    assert_eq!(client.position(), "0");
}

#[test]
fn threads_that_do_not_exist_cannot_run() {
    let mut client = Client::of(TRACE);
    for packet in [
        "vCont;c:99",
        "vCont;s:3;c",
        "vCont;c:p1.3",
        "vCont;s:ffffffffff",
    ] {
        client.check(packet, "E16");
    }
    client.check("Hg99", "E16");
    client.check("Hc3", "E16");
    client.check("vCont;s:2;c:-1", "T05thread:02;");
}

/// Thread 1 ends with a return to an unknown address, and then thread 2 goes on.
const ENDED: &str = "\
1 clk cpu1 IT (1) 00002000 e1a00000 A usr : NOP
2 clk cpu1 IT (2) 00002004 e12fff1e A usr : BX lr
3 clk cpu0 IT (1) 00001000 e1a00000 A usr : NOP
4 clk cpu0 IT (2) 00001004 e1a00000 A usr : NOP
5 clk cpu0 IT (3) 00001008 e12fff1e A usr : BX lr
";

/// gdb refuses to step a thread without a program counter ("PC register is not available").
#[test]
fn a_thread_that_has_ended_can_step_back() {
    const PC: usize = 15;
    let mut client = Client::of(ENDED);
    client.monitor("at 4");
    client.check("Hg1", "OK");
    assert_eq!(client.register(PC), "04200000");
    client.check("pf", "04200000");
    assert_eq!(client.register(14), "xxxxxxxx");
    client.check("bs", "T05thread:01;");
    assert_eq!(
        (client.position(), client.register(PC)),
        ("1".into(), "04200000".into())
    );
    client.check("bs", "T05thread:01;");
    assert_eq!(
        (client.position(), client.register(PC)),
        ("0".into(), "00200000".into())
    );
}

/// LLDB steps over a watched store itself unless the processor stops after it, and goes on with
/// the stop at the position that the server reported.
#[test]
fn other_clients_stop_after_a_watched_store() {
    let mut client = Client::of(TRACE);
    client.ask(LLDB);
    client.check("qHostInfo", "watchpoint_exceptions_received:after;");
    client.check("Z2,9000,4", "OK");
    for position in ["1", "4"] {
        client.check("c", "T05thread:p01.01;watch:9000;");
        assert_eq!(client.position(), position);
    }
    client.check("c", "T05thread:p01.01;replaylog:end;");
    for position in ["3", "0"] {
        client.check("bc", "T05thread:p01.01;watch:9000;");
        assert_eq!(client.position(), position);
    }
}

/// gdb 13.1 ignores the whole list without the name space of each library.
#[test]
fn libraries_have_a_name_space() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let second = text(&fixture_path("small/two_helpers.elf"));
    let images = ["--image", &overflow_image(), "--image", &second];
    let mut client = Client::start(sandbox, &[&[&*trace], &images[..]].concat());
    let list = client.ask("qXfer:libraries-svr4:read::0,1000");
    assert_eq!(list.matches("<library ").count(), 1, "{list}");
    assert!(list.contains("two_helpers.elf\" lm=\"0x1\""), "{list}");
    assert!(list.contains(" lmid=\"0x0\"/>"), "{list}");
}
