//! `stepback gdbserver` over standard input and output, driven by a small client of the protocol.
//!
//! Replies follow GDB's manual, appendix "GDB Remote Serial Protocol". What they say of the program
//! is written in the trace below.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use stepback_generator::drmemtrace::{Container, TraceRecipe, TraceWriter, kind};

use crate::cli::gdb_client::{Client, TRACE, framed};
use crate::cli::support::{OVERFLOW, Sandbox, overflow_image};

const R0: usize = 0;
const R1: usize = 1;
const PC: usize = 15;

#[test]
fn the_registers_are_described() {
    let mut client = Client::of(TRACE);
    let features = client.ask("qSupported:multiprocess+;swbreak+;hwbreak+");
    for feature in ["ReverseStep+", "ReverseContinue+", "qXfer:features:read+"] {
        assert!(features.split(';').any(|one| one == feature), "{features}");
    }
    let description = client.ask("qXfer:features:read:target.xml:0,4000");
    assert!(description.starts_with('m'), "{description}");
    assert!(description.contains("<architecture>arm</architecture>"));
    assert!(description.contains("org.gnu.gdb.arm.core"));
    client.check("qXfer:features:read:other.xml:0,4000", "E00");
    assert!(client.ask("qXfer:memory-map:read::0,1000").contains("ram"));
}

/// GDB decodes T32 everywhere if the processor has `xpsr` (GDB's manual, "ARM Features").
#[test]
fn processors_of_the_m_profile_have_their_status_register() {
    let sandbox = Sandbox::new();
    for name in ["qemu/m3.log.zst", "cm3.tiny.tarmac"] {
        let mut client = Client::start(Sandbox::new(), &[&sandbox.fixture(name)]);
        let description = client.ask("qXfer:features:read:target.xml:0,2000");
        assert!(
            description.contains("arm.m-profile"),
            "{name}: {description}"
        );
        assert!(description.contains("\"xpsr\""), "{name}: {description}");
    }
}

#[test]
fn unknown_registers_and_bytes_are_unavailable() {
    let mut client = Client::of(TRACE);
    assert_eq!(client.register(R0), "xxxxxxxx");
    assert_eq!(client.register(PC), "00100000");
    client.check("m9000,4", "E0e");
    client.check("s", "T05thread:01;");
    client.check("m9000,4", "01000000");
    // The known bytes before the first unknown one.
    client.check("m9000,40", "0100000007000000");
    client.check("m8fff,4", "E0e");
    client.check("m9000,ffffffffffffffff", "0100000007000000");
}

#[test]
fn a_thread_steps_from_its_own_step_to_the_next() {
    let mut client = Client::of(TRACE);
    client.check("?", "T05thread:01;");
    client.check("qfThreadInfo", "m01,02");
    client.check("s", "T05thread:01;");
    assert_eq!(
        (client.position(), client.register(PC)),
        ("2".into(), "04100000".into())
    );
    client.check("vCont;s:1;c", "T05thread:01;");
    assert_eq!(
        (client.position(), client.register(R0)),
        ("3".into(), "00900000".into())
    );
    client.check("bs", "T05thread:01;");
    assert_eq!(
        (client.position(), client.register(R0)),
        ("2".into(), "xxxxxxxx".into())
    );
}

/// After `thread 2` gdb sends `Hg2` and a bare `bs`.
#[test]
fn the_thread_that_is_read_steps_back() {
    let mut client = Client::of(TRACE);
    client.check("Hc-1", "OK");
    let end = client.ask("c");
    assert_eq!(end, "T05thread:01;replaylog:end;");
    client.check("Hg2", "OK");
    client.ask("g");
    client.check("Hc0", "OK");
    client.check("bs", "T05thread:02;");
    assert_eq!(
        (client.position(), client.register(PC)),
        ("6".into(), "08200000".into())
    );
    client.check("bs", "T05thread:02;");
    assert_eq!(
        (client.position(), client.register(R1)),
        ("4".into(), "07000000".into())
    );
    client.check("Hc1", "OK");
    client.check("bs", "T05thread:01;");
    assert_eq!(client.position(), "3");
}

#[test]
fn breakpoints_stop_in_both_directions() {
    let mut client = Client::of(TRACE);
    client.check("Z0,1004,4", "OK");
    client.check("c", "T05thread:01;swbreak:;");
    assert_eq!(client.position(), "2");
    client.check("c", "T05thread:01;swbreak:;");
    assert_eq!(client.position(), "5");
    client.check("c", "T05thread:01;replaylog:end;");
    client.check("bc", "T05thread:01;swbreak:;");
    client.check("bc", "T05thread:01;swbreak:;");
    assert_eq!(
        (client.position(), client.register(PC)),
        ("2".into(), "04100000".into())
    );
    client.check("bc", "T05thread:01;replaylog:begin;");
    client.check("z0,1004,4", "OK");
    client.check("Z1,2004,4", "OK");
    client.check("c", "T05thread:02;hwbreak:;");
    assert_eq!(client.position(), "4");
}

/// gdb expects an Arm processor to stop before the access, in the direction of travel, and makes the
/// step itself with its stop points removed.
/// GDB 13 hangs in its next request if the step over a breakpoint ends the history.
#[test]
fn a_step_over_a_breakpoint_ends_at_either_end_of_the_trace() {
    let mut client = Client::of(TRACE);
    client.check("Z0,1000,4", "OK");
    client.check("bc", "T05thread:01;replaylog:begin;");
    client.check("z0,1000,4", "OK");
    client.check("bs", "T05thread:01;");
    assert_eq!(client.position(), "0");
    client.check("Z0,1000,4", "OK");
    client.check("bs", "T05thread:01;replaylog:begin;");
    client.check("z0,1000,4", "OK");
    client.check("bc", "T05thread:01;replaylog:begin;");

    client.monitor("at 7");
    client.check("Z1,1000,4", "OK");
    client.check("z1,1000,4", "OK");
    client.ask("g");
    client.check("vCont;s:1;c", "T05thread:01;");
    client.check("vCont;s:1;c", "T05thread:01;replaylog:end;");
}

/// GDB wants an answer before it closes the connection.
#[test]
fn the_program_can_be_killed() {
    let mut client = Client::of(TRACE);
    client.check("vKill;1", "OK");
    client.send(&framed(b"k"));
}

/// Before `run`, gdb kills the program that it knows.
#[test]
fn run_begins_again_in_extended_mode() {
    let mut client = Client::of(TRACE);
    client.check("vRun;;", "");
    client.check("!", "OK");
    client.check("Z0,1004,4", "OK");
    client.check("c", "T05thread:01;swbreak:;");
    client.check("vKill;1", "OK");
    client.check("vRun;612e656c66;31", "T05thread:01;");
    assert_eq!(client.position(), "0");
    client.check("vAttach;7", "E16");
    client.check("Z0,1000,4", "OK");
    client.check("D;1", "OK");
    client.check("vRun;;", "T05thread:01;");
    client.check("Z0,1004,4", "OK");
    client.check("c", "T05thread:01;swbreak:;");
    assert_eq!(client.position(), "2");
}

#[test]
fn watchpoints_stop_at_every_access_once() {
    let mut client = Client::of(TRACE);
    client.check("Z2,9000,4", "OK");
    for position in ["0", "3"] {
        client.check("c", "T05thread:01;watch:9000;");
        assert_eq!(client.position(), position);
    }
    client.check("c", "T05thread:01;replaylog:end;");
    for position in ["4", "1"] {
        client.check("bc", "T05thread:01;watch:9000;");
        assert_eq!(client.position(), position);
    }
    client.check("bs", "T05thread:01;");
    assert_eq!(client.position(), "0");
    client.check("bc", "T05thread:01;replaylog:begin;");
    client.check("z2,9000,4", "OK");
    client.check("Z3,9002,1", "OK");
    client.check("c", "T05thread:02;rwatch:9002;");
    client.check("z3,9002,1", "OK");
    client.check("Z4,9004,4", "OK");
    client.check("bc", "T05thread:02;awatch:9004;");
    client.check("Z2,9000,0", "E16");
}

/// Writes a trace of two processes with separate memory. Each stores to the same address and loads
/// from it: process 100 in steps 1 and 4, process 200 in steps 3 and 5.
pub fn two_processes(sandbox: &Sandbox) -> String {
    let folder = sandbox.path("two");
    std::fs::create_dir(&folder).unwrap();
    for (pid, number) in [(100, 42), (200, 7)] {
        let mut writer = TraceWriter::new(TraceRecipe {
            tid: pid,
            pid,
            ..TraceRecipe::default()
        });
        writer.time(13_400_000_000_000_000 + pid, 0);
        writer.instruction(0x40_1000, &[0xb8, number, 0, 0, 0]); // mov eax, NUMBER
        writer.instruction(0x40_1005, &[0x48, 0x89, 4, 0x25, 0xa0, 0x90, 0x60, 0]); // mov [0x6090a0], rax
        writer.record(kind::WRITE, 8, 0x60_90a0);
        writer.time(13_400_000_000_001_000 + pid, 0);
        writer.instruction(0x40_100d, &[0x48, 0x8b, 0x1c, 0x25, 0xa0, 0x90, 0x60, 0]); // mov rbx, [0x6090a0]
        writer.record(kind::READ, 8, 0x60_90a0);
        writer.exit();
        let name = format!("drmemtrace.app.{pid}.0001.trace");
        std::fs::write(folder.join(name), writer.stop().pack(Container::Plain)).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

#[test]
fn a_watchpoint_is_in_the_memory_of_the_selected_thread() {
    for (thread, stops) in [("1", ["2", "5"]), ("2", ["4", "6"])] {
        let sandbox = Sandbox::new();
        let trace = two_processes(&sandbox);
        let mut client = Client::start(sandbox, &[&trace]);
        for position in stops {
            client.check(&format!("Hg{thread}"), "OK");
            client.check("Z4,6090a0,8", "OK");
            client.check("c", &format!("T05thread:0{thread};awatch:6090a0;"));
            assert_eq!(client.position(), position);
            client.check("z4,6090a0,8", "OK");
        }
        client.check("c", "T05thread:02;replaylog:end;");
    }
}

/// gdb sets its watchpoints again after each stop, whatever thread has stopped.
#[test]
fn a_watchpoint_stays_in_its_process() {
    let sandbox = Sandbox::new();
    let trace = two_processes(&sandbox);
    let mut client = Client::start(sandbox, &[&trace]);
    client.check("Hg1", "OK");
    client.check("Z4,6090a0,8", "OK");
    client.check("c", "T05thread:01;awatch:6090a0;");
    client.check("z4,6090a0,8", "OK");
    client.check("vCont;s:2", "T05thread:02;");
    client.check("Z4,6090a0,8", "OK");
    client.check("c", "T05thread:01;awatch:6090a0;");
    assert_eq!(client.position(), "5");
    // One that is set after a run without it belongs to the thread that stopped.
    client.check("z4,6090a0,8", "OK");
    client.check("bc", "T05thread:01;replaylog:begin;");
    client.check("Hg2", "OK");
    client.check("Z4,6090a0,8", "OK");
    client.check("c", "T05thread:02;awatch:6090a0;");
    assert_eq!(client.position(), "4");
}

/// gdb removes its watchpoints to step over the access that it was told of, then runs on.
#[test]
fn each_watchpoint_that_a_step_hits_stops() {
    let mut client = Client::of(TRACE);
    let halves = ["9000,2", "9002,2"];
    let all = |client: &mut Client, action: &str| {
        for half in halves {
            client.check(&format!("{action}2,{half}"), "OK");
        }
    };
    let step_over = |client: &mut Client, step: &str, position: &str| {
        all(client, "z");
        client.check("Hc1", "OK");
        client.check(step, "T05thread:01;");
        client.check("Hc-1", "OK");
        assert_eq!(client.position(), position);
        all(client, "Z");
    };
    all(&mut client, "Z");
    for (before, after) in [("0", "1"), ("3", "4")] {
        for address in ["9000", "9002"] {
            client.check("c", &format!("T05thread:01;watch:{address};"));
            assert_eq!(client.position(), before);
            step_over(&mut client, "s", after);
        }
    }
    client.check("c", "T05thread:01;replaylog:end;");
    for (after, before) in [("4", "3"), ("1", "0")] {
        for address in ["9000", "9002"] {
            client.check("bc", &format!("T05thread:01;watch:{address};"));
            assert_eq!(client.position(), after);
            step_over(&mut client, "bs", before);
        }
    }
    // A run in the other direction meets both again.
    client.check("c", "T05thread:01;watch:9000;");
    step_over(&mut client, "s", "1");
    client.check("bc", "T05thread:01;watch:9000;");
    step_over(&mut client, "bs", "0");
    client.check("bc", "T05thread:01;watch:9002;");
    step_over(&mut client, "bs", "0");
    client.check("bc", "T05thread:01;replaylog:begin;");
}

#[test]
fn a_thread_may_run_alone() {
    let mut client = Client::of(TRACE);
    client.check("Z0,1004,4", "OK");
    client.check("Z0,2008,4", "OK");
    client.check("vCont;c:2", "T05thread:02;swbreak:;");
    assert_eq!(client.position(), "6");
    client.check("vCont;c", "T05thread:01;replaylog:end;");
    client.check("Hc2", "OK");
    client.check("bc", "T05thread:02;swbreak:;");
}

#[test]
fn nothing_can_be_written() {
    let mut client = Client::of(TRACE);
    client.check("s", "T05thread:01;");
    client.check("M9000,1:ff", "E1e");
    client.check("X9000,1:a", "E1e");
    client.check("m9000,4", "01000000");
    let registers = client.ask("g");
    let written = client.ask(&format!("G{}", "00".repeat(registers.len() / 2)));
    assert_eq!(written, "E1e");
    assert_eq!(client.ask("P0=00000000"), "");
    assert_eq!(client.ask("g"), registers);
}

#[test]
fn no_file_is_served() {
    let mut client = Client::of(TRACE);
    for packet in [
        "vFile:open:2f6574632f686f73746e616d65,0,0",
        "vFile:setfs:0",
        "vRun;",
        "vAttach;1",
    ] {
        client.check(packet, "");
    }
}

#[test]
fn monitor_commands_answer_questions() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::start(sandbox, &[&trace, "--image", &overflow_image()]);
    assert!(client.monitor("help").contains("monitor why"));
    assert!(
        client
            .monitor("at end")
            .starts_with("position 1,762 of 1,763\n")
    );
    let last = client.monitor("last-write 0x80020010:8");
    assert!(last.contains("write 0x8002001"), "{last}");
    let why = client.monitor("why x2");
    assert!(why.contains("x2 = u64["), "{why}");
    assert!(why.lines().count() <= 20, "{why}");
    let unknown = client.monitor("why nonsense");
    assert!(
        unknown.contains("nonsense") && unknown.contains("local variables"),
        "{unknown}"
    );
    for malformed in ["last-write 0x80000000:0", "why [sp"] {
        let answer = client.monitor(malformed);
        assert!(!answer.contains("local variables"), "{answer}");
    }
    assert!(client.monitor("fly").contains("monitor help"));
    assert!(client.monitor("at 99999999").contains("99"));
    assert!(
        client
            .monitor("at 50%")
            .starts_with("position 881 of 1,763\n")
    );
    let path = client.ask("qXfer:exec-file:read:1:0,1000");
    assert!(path.ends_with("overflow_bare.elf"), "{path}");
}

#[test]
fn malformed_packets_are_answered_with_an_error() {
    let mut client = Client::of(TRACE);
    let hostile = [
        "m",
        "mzz,4",
        "m0,",
        "m,",
        "m0,zz",
        "Hg",
        "Hgzz",
        "Hg-1",
        "Hg7fffffffffffffff",
        "T",
        "Tx",
        "T0",
        "Z0",
        "Z0,",
        "Z0,0",
        "Z9,0,0",
        "Z2,ffffffffffffffff,ffffffffffffffff",
        "z0,,",
        "vCont",
        "vCont;",
        "vCont;x",
        "vCont;s:zz",
        "vCont;t",
        "qSupported:;;",
        "qSupported:+;-",
        "qXfer:features:read:target.xml:0",
        "qXfer:features:read:target.xml:zz,1",
        "qXfer:features:read:target.xml:ffffffffffffffff,ffffffffffffffff",
        "qXfer:auxv:read::,",
        "qRcmd,zz",
        "qRcmd,",
        "qThreadExtraInfo,zz",
        "G",
        "Gzz",
        "M0,1",
        "X0,1",
        "P",
        "p",
        "D;",
        "QTDP",
    ];
    for packet in hostile {
        client.send(&framed(packet.as_bytes()));
        let mut reply = client.reply();
        while reply.starts_with('O') && reply != "OK" {
            reply = client.reply();
        }
    }
    client.check("Hg1", "OK");
    assert_eq!(client.register(PC).len(), 8);
    // Noise between packets, a wrong checksum, and a packet that is too long.
    client.send(b"+-\x00\xff#00");
    client.send(b"$g#00");
    client.check("Hg1", "OK");
    client.send(&framed(&vec![b'm'; 1 << 20]));
    assert_eq!(client.reply(), "E16");
    client.check("Hg1", "OK");
}

#[test]
fn the_negotiated_form_outlives_a_malformed_packet() {
    let mut client = Client::of(TRACE);
    client.ask("qSupported:multiprocess+");
    client.check("QStartNoAckMode", "OK");
    client.check("mzz,4", "E16");
    client.check("?", "T05thread:p01.01;");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Every byte sequence leaves the server in order: it ends with status 0.
    #[test]
    fn random_packets_do_no_harm(
        packets in prop::collection::vec(
            (
                prop::sample::select(vec![
                    "", "m", "M", "X", "g", "G", "p", "P", "H", "T", "Z", "z", "c", "C", "s", "S", "bs",
                    "bc", "vCont;", "vCont;s:", "qXfer:", "qXfer:features:read:", "qSupported:",
                    "qRcmd,", "qThreadExtraInfo,", "QStartNoAckMode", "?", "qOffsets", "vFile:",
                ]),
                prop::collection::vec(any::<u8>(), 0..24),
                "[0-9a-f,:;.p-]{0,24}",
            ),
            0..200,
        )
    ) {
        let mut client = Client::of(TRACE);
        let mut sent = Vec::new();
        for (head, noise, tail) in packets {
            let mut body = head.as_bytes().to_vec();
            body.extend(noise.iter().filter(|byte| !b"$#".contains(byte)));
            sent.extend(framed(&body));
            sent.extend(framed(format!("{head}{tail}").as_bytes()));
        }
        // The server writes while it reads.
        let mut input = client.input.take().unwrap();
        let writer = std::thread::spawn(move || {
            // It may have left: `k` and `D` end the conversation.
            let _sent = input.write_all(&sent);
        });
        let mut output = Vec::new();
        client.output.read_to_end(&mut output).unwrap();
        writer.join().unwrap();
    }
}

#[test]
fn registers_can_be_read_one_by_one() {
    let mut client = Client::of(TRACE);
    // r0 and r1 are not known at the start: `x` is what GDB and LLDB take for unavailable.
    client.check("p0", "x");
    client.check("p1", "x");
    // The program counter is inferred from the next step.
    client.check("pf", "00100000");
    client.check("p1000", "E0e");
    // After its second step cpu0 has r0.
    client.check("vCont;s:1", "T05thread:01;");
    client.check("vCont;s:1", "T05thread:01;");
    client.check("p0", "00900000");
    // The processor has 32 bits: regions are not supported, and LLDB uses the memory map.
    client.check("qMemoryRegionInfo:0", "");
}

#[test]
fn only_addresses_that_no_processor_maps_are_free() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let mut client = Client::start(sandbox, &[&trace]);
    let all = "start:0;size:800000000000;permissions:rwx;";
    client.check("qMemoryRegionInfo:80000000", all);
    client.check(
        "qMemoryRegionInfo:dead0fff00000000",
        "start:800000000000;size:ffff000000000000;",
    );
    client.check(
        "qMemoryRegionInfo:ffffffffffffffff",
        "start:ffff800000000000;size:800000000000;permissions:rwx;",
    );
}

/// A server at a port, which ends after one client, and the command that it prints for gdb.
fn listening(sandbox: &Sandbox, options: &[&str]) -> (Child, String) {
    let trace = sandbox.file("t.tarmac", TRACE);
    let arguments = [&["gdbserver", &trace, "--port", "0", "--once"], options].concat();
    let mut server = sandbox
        .process(&arguments)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("target remote") {
        line.clear();
        assert_ne!(said.read_line(&mut line).unwrap(), 0);
    }
    (server, line.trim().to_owned())
}

/// Sends bytes and returns the answers, until the server closes the connection.
fn answers(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes).unwrap();
    let mut replies = String::new();
    // A server that has not read everything resets the connection.
    let _reset = stream.read_to_string(&mut replies);
    replies
}

#[test]
fn clients_connect_to_a_port_of_this_machine() {
    let sandbox = Sandbox::new();
    let (mut server, said) = listening(&sandbox, &[]);
    let address = said.rsplit(' ').next().unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{said}");
    let replies = answers(address, b"$?#3f$D#44");
    assert_eq!(replies, "+$T05thread:01;#07+$OK#9a");
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[test]
fn a_second_client_is_refused() {
    let sandbox = Sandbox::new();
    let (mut server, said) = listening(&sandbox, &[]);
    let address = said.rsplit(' ').next().unwrap();
    let mut first = TcpStream::connect(address).unwrap();
    first.write_all(b"$?#3f").unwrap();
    first.read_exact(&mut [0; 4]).unwrap();
    let request = b"$qSupported:swbreak+#8b";
    let reason = "another debugger is connected to this trace: disconnect it first";
    let replies = answers(address, request);
    assert!(replies.starts_with(&format!("+$E.{reason}#")), "{replies}");
    assert_eq!(answers(address, b""), "");
    first.write_all(b"$D#44").unwrap();
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[test]
fn other_machines_need_the_token() {
    let sandbox = Sandbox::new();
    let (mut server, said) = listening(&sandbox, &["--listen", "0.0.0.0"]);
    // target remote | (echo TOKEN; cat) | nc HOST PORT
    let (_, command) = said.split_once("target remote | (echo ").unwrap();
    let (token, rest) = command.split_once("; cat) | nc HOST ").unwrap();
    assert_eq!(token.len(), 32, "{said}");
    let address = format!("127.0.0.1:{rest}");
    let packets = b"$?#3f$D#44";
    let wrong = "0".repeat(32);
    for refused in [
        "",
        "\n",
        "$?#3f\n",
        &token[1..],
        &wrong,
        &"x".repeat(1 << 16),
    ] {
        let sent = [refused.as_bytes(), b"\n", packets].concat();
        assert_eq!(answers(&address, &sent), "", "{refused:?}");
    }
    let sent = [token.as_bytes(), b"\n", packets].concat();
    assert_eq!(answers(&address, &sent), "+$T05thread:01;#07+$OK#9a");
    assert_eq!(server.wait().unwrap().code(), Some(0));
    // A token of the user's choice, on this machine too.
    let (mut server, said) = listening(&sandbox, &["--token", "correcthorse"]);
    assert!(
        said.contains("(echo correcthorse; cat) | nc 127.0.0.1 "),
        "{said}"
    );
    let address = format!("127.0.0.1:{}", said.rsplit(' ').next().unwrap());
    assert_eq!(answers(&address, b"wrong horse\n$?#3f$D#44"), "");
    let sent = b"correcthorse\n$?#3f$D#44";
    assert_eq!(answers(&address, sent), "+$T05thread:01;#07+$OK#9a");
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let trace = sandbox.file("t.tarmac", TRACE);
    for short_or_odd in ["short", "spaces in it", "$(reboot) now"] {
        let refused = sandbox.run(&["gdbserver", &trace, "--token", short_or_odd]);
        let refused = refused.ends_misspelt();
        refused.says("a token must be 8 to 128 letters and digits");
    }
}

/// A port scanner, or a client that waits for the other side.
#[test]
fn a_silent_client_keeps_no_other_one_waiting() {
    let sandbox = Sandbox::new();
    let (mut server, said) = listening(&sandbox, &["--token", "correcthorse"]);
    let address = format!("127.0.0.1:{}", said.rsplit(' ').next().unwrap());
    let silent = TcpStream::connect(&address).unwrap();
    let began = Instant::now();
    let replies = answers(&address, b"correcthorse\n$?#3f$D#44");
    assert_eq!(replies, "+$T05thread:01;#07+$OK#9a");
    // The silent client has 10 seconds.
    assert!(began.elapsed() < Duration::from_secs(8));
    drop(silent);
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[test]
fn a_port_in_use_is_no_fault_of_the_trace() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let sandbox = Sandbox::new();
    let trace = sandbox.file("t.tarmac", TRACE);
    let refused = sandbox.run(&["gdbserver", &trace, "--port", &port]);
    assert_eq!(refused.code, Some(1));
    let said = format!("error: 127.0.0.1:{port}: no server can wait there");
    refused
        .says(&said)
        .says("choose another port, or --port 0 for a free one");
}

#[test]
fn wrong_arguments_are_refused() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("t.tarmac", TRACE);
    let run = |arguments: &[&str]| sandbox.run(&[&["gdbserver", &*trace], arguments].concat());
    run(&["--json", "--stdio"]).ends_misspelt();
    run(&["--port", "70000"]).ends_misspelt();
    run(&["--port", "1", "--stdio"]).ends_misspelt();
    run(&["--listen", "nowhere"]).ends_misspelt();
    let empty = sandbox.file("empty.tarmac", "# nothing\n");
    assert_ne!(sandbox.run(&["gdbserver", &empty, "--stdio"]).code, Some(0));
}
