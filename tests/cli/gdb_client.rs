//! A small client of GDB's remote serial protocol, and the server that it talks to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::cli::support::Sandbox;

/// Two cores. cpu0 stores 1 and later 2 to 0x9000 in a loop; cpu1 stores to 0x9004 and loads
/// 0x9000.
pub const TRACE: &str = "\
1 clk cpu0 IT (1) 00001000 e5801000 A usr : STR r1,[r0]
1 clk cpu0 MW4 00009000 00000001
2 clk cpu1 IT (1) 00002000 e5801004 A usr : STR r1,[r0,#4]
2 clk cpu1 MW4 00009004 00000007
2 clk cpu1 R r1 00000007
3 clk cpu0 IT (2) 00001004 eafffffd A usr : B 0x1000
3 clk cpu0 R r0 00009000
4 clk cpu0 IT (3) 00001000 e5801000 A usr : STR r1,[r0]
4 clk cpu0 MW4 00009000 00000002
5 clk cpu1 IT (2) 00002004 e5901000 A usr : LDR r1,[r0]
5 clk cpu1 MR4 00009000 00000002
6 clk cpu0 IT (4) 00001004 eafffffd A usr : B 0x1000
7 clk cpu1 IT (3) 00002008 e1a00000 A usr : NOP
8 clk cpu0 IT (5) 00001000 e1a00000 A usr : NOP
";

/// A client with its server.
pub struct Client {
    pub server: Child,
    pub input: Option<ChildStdin>,
    pub output: BufReader<ChildStdout>,
    _sandbox: Sandbox,
}

impl Client {
    /// Starts a server for a trace of this text.
    pub fn of(trace: &str) -> Self {
        let sandbox = Sandbox::new();
        let trace = sandbox.file("t.tarmac", trace);
        Self::start(sandbox, &[&trace])
    }

    pub fn start(sandbox: Sandbox, trace: &[&str]) -> Self {
        let arguments = [&["gdbserver"], trace, &["--stdio", "--quiet"]].concat();
        let mut server = sandbox
            .process(&arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (server.stdin.take(), server.stdout.take().unwrap());
        Self {
            server,
            input,
            output: BufReader::new(output),
            _sandbox: sandbox,
        }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Reads a reply; empty when the server has ended.
    pub fn reply(&mut self) -> String {
        let mut skipped = Vec::new();
        self.output.read_until(b'$', &mut skipped).unwrap();
        let mut body = Vec::new();
        self.output.read_until(b'#', &mut body).unwrap();
        assert_eq!(body.pop(), Some(b'#'), "the server has ended");
        let mut sum = [0; 2];
        self.output.read_exact(&mut sum).unwrap();
        assert_eq!(sum, checksum(&body)[..], "{body:?}");
        expanded(&body)
    }

    pub fn ask(&mut self, packet: &str) -> String {
        self.send(&framed(packet.as_bytes()));
        self.reply()
    }

    #[track_caller]
    pub fn check(&mut self, packet: &str, expected: &str) {
        assert_eq!(self.ask(packet), expected, "{packet}");
    }

    /// Returns a register of AArch32 by its number: the first 17 have 4 bytes each.
    pub fn register(&mut self, number: usize) -> String {
        let registers = self.ask("g");
        registers[8 * number..8 * number + 8].to_owned()
    }

    /// Returns the number of steps before the position.
    pub fn position(&mut self) -> String {
        let text = self.monitor("position");
        let number = text.strip_prefix("position ").unwrap().split(' ').next();
        number.unwrap().to_owned()
    }

    pub fn monitor(&mut self, command: &str) -> String {
        let hex: String = command.bytes().map(|byte| format!("{byte:02x}")).collect();
        let mut reply = self.ask(&format!("qRcmd,{hex}"));
        let mut text = String::new();
        while let Some(output) = reply.strip_prefix('O').filter(|output| *output != "K") {
            text.push_str(&String::from_utf8(bytes(output)).unwrap());
            reply = self.reply();
        }
        assert_eq!(reply, "OK");
        text
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        let ended = self.server.wait().unwrap();
        if !std::thread::panicking() {
            assert_eq!(ended.code(), Some(0));
        }
    }
}

fn checksum(body: &[u8]) -> Vec<u8> {
    let sum = body.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    format!("{sum:02x}").into_bytes()
}

pub fn framed(body: &[u8]) -> Vec<u8> {
    [b"$", body, b"#", &checksum(body)].concat()
}

/// Undoes run-length encoding: `0*"` is four zeros.
fn expanded(body: &[u8]) -> String {
    let mut text = Vec::new();
    let mut rest = body.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'*' => {
                let count = usize::from(*rest.next().unwrap()) - 29;
                let last = *text.last().unwrap();
                text.resize(text.len() + count, last);
            }
            byte => text.push(*byte),
        }
    }
    String::from_utf8(text).unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}
