//! Nodes: the moments into which Arm's Tarmac tools divide a trace. Reports that scripts read refer
//! to them.
//!
//! A node begins with a line whose time is later than all before it, and with an instruction after
//! another one at the same time. So a node has at most one instruction. Lines that a producer
//! stamps later than their instruction form a separate node.

use crate::tarmac::diagram_line::OpenDiagram;
use crate::tarmac::fused::RecordSplit;
use crate::tarmac::header::{LineHeader, LineKind};
use crate::tarmac::line::TarmacLine;
use crate::tarmac::register_line::LowerName;
use crate::tarmac::source::Tarmac;
use crate::text::lexer::Token;
use crate::text::window::{TextPart, without_return};

/// A moment of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TarmacNode {
    /// Start of its first line in the text.
    pub offset: usize,
    /// Number of lines of the text before it.
    pub line: u64,
    /// Time; never earlier than that of the node before.
    pub time: u64,
    /// Address of its instruction, with bit 0 set for Thumb; `None` without an instruction.
    pub pc: Option<u64>,
}

impl Tarmac {
    /// Returns the nodes of a text that begins with a step's chunk (or at the trace's start) and
    /// ends where another one begins. `time` is that of the step, or of the text before.
    pub fn nodes(&self, text: &[u8], time: u64) -> Vec<TarmacNode> {
        let mut nodes: Vec<TarmacNode> = Vec::new();
        let (mut at, mut number, mut open) = (0, 0, None);
        let (mut latest, mut written) = (time, time);
        while at < text.len() {
            let Some((line, next)) = (TextPart {
                text,
                is_last: true,
            })
            .line_at(at) else {
                break;
            };
            let (line, next, lines) = self.record(without_return(line), open, at, next);
            written = line.time().unwrap_or(written);
            let pc = match &line {
                TarmacLine::Instruction(_, instruction) => {
                    Some(instruction.set.marked_address(instruction.pc.0))
                }
                _ => None,
            };
            if pc.is_some() || is_event(&line) {
                let is_later = written > latest;
                latest = latest.max(written);
                match nodes
                    .last_mut()
                    .filter(|node| !is_later && (pc.is_none() || node.pc.is_none()))
                {
                    Some(node) => node.pc = node.pc.or(pc),
                    None => nodes.push(TarmacNode {
                        offset: at,
                        line: number,
                        time: latest,
                        pc,
                    }),
                }
            }
            open = line.open_diagram();
            at = next;
            number += lines;
        }
        nodes
    }

    /// Returns a record of the line from `start` to `next` in the text, the offset at which to continue, and the number of lines
    /// advanced. Of two records on one line it is the first, unless that one is cut off.
    fn record<'a>(
        &self,
        line: &'a [u8],
        open: Option<OpenDiagram>,
        start: usize,
        next: usize,
    ) -> (TarmacLine<'a>, usize, u64) {
        let single = |line| TarmacLine::read_single(line, open, self.settings().state_field);
        match TarmacLine::read(line, open, self.settings().state_field) {
            TarmacLine::Fused(RecordSplit {
                at: length,
                is_first_whole,
            }) => {
                let (first, second) = line.split_at_checked(length).unwrap_or_default();
                if is_first_whole {
                    (single(first), start + length, 0)
                } else {
                    (single(second), next, 1)
                }
            }
            line => (line, next, 1),
        }
    }
}

/// Returns whether the tools count a line other than an instruction.
fn is_event(line: &TarmacLine<'_>) -> bool {
    match line {
        TarmacLine::Other(header) => match header.kind {
            LineKind::Title => false,
            LineKind::Register => is_register_event(header),
            _ => true,
        },
        TarmacLine::Row(_) => true,
        TarmacLine::Blank
        | TarmacLine::Broken(_)
        | TarmacLine::Fused(_)
        | TarmacLine::Instruction(..) => false,
    }
}

fn is_register_event(header: &LineHeader<'_>) -> bool {
    let mut fields = header.fields;
    let Token::Word(word) = fields.next() else {
        return false;
    };
    LowerName::of(word).is_some_and(|name| is_noticed_register(name.as_bytes()))
}

/// Returns whether the tools count a register, given its lower-case name. They ignore those that
/// they do not know, among them nearly all system registers.
pub fn is_noticed_register(name: &[u8]) -> bool {
    let split = name
        .iter()
        .position(|byte| byte.is_ascii_digit() || *byte == b'_')
        .unwrap_or(name.len());
    let (class, rest) = name.split_at(split);
    let number = || {
        let digits = rest.strip_prefix(b"_").unwrap_or(rest);
        let end = digits
            .iter()
            .position(|byte| !byte.is_ascii_digit())
            .unwrap_or(digits.len());
        digits
            .get(..end)
            .and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<u32>().ok())
    };
    match class {
        b"r" => number().is_some_and(|number| number < 16),
        b"w" | b"x" => number().is_some_and(|number| number < 31),
        b"v" | b"q" | b"d" | b"s" | b"z" | b"p" => number().is_some_and(|number| number < 32),
        b"wsp" | b"xsp" | b"psr" | b"fpscr" | b"fpcr" | b"fpsr" | b"vpr" | b"pc" => rest.is_empty(),
        b"sp" => rest.is_empty() || rest.starts_with(b"_"),
        b"e" => !rest.is_empty(),
        _ => [&b"msp"[..], b"lr", b"cpsr"]
            .iter()
            .any(|known| name.starts_with(known)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tarmac::source::TarmacOptions;

    /// Expects `line:time:pc` for each node; lines are counted from 0.
    #[track_caller]
    fn check(text: &str, time: u64, expected: &[&str]) {
        let tarmac =
            Tarmac::open(Box::new(text.as_bytes().to_vec()), TarmacOptions::default()).unwrap();
        let node = |node: &TarmacNode| {
            let pc = node.pc.map_or("-".to_owned(), |pc| format!("{pc:x}"));
            format!("{}:{}:{pc}", node.line, node.time)
        };
        let nodes = tarmac.nodes(text.as_bytes(), time);
        assert_eq!(nodes.iter().map(node).collect::<Vec<_>>(), expected);
    }

    const NOP: &str = "IT (1) 00001000 e1a00000 A usr : NOP";

    #[test]
    fn lines_of_one_time_are_one_node_with_one_instruction() {
        check(
            &format!("5 {NOP}\n5 R r0 00000001\nR r1 00000002\n5 {NOP}\n"),
            5,
            &["0:5:1000", "3:5:1000"],
        );
        check(
            &format!("5 {NOP}\n6 R r0 00000001\n6 {NOP}\n"),
            5,
            &["0:5:1000", "1:6:1000"],
        );
    }

    #[test]
    fn what_is_stamped_later_than_its_instruction_is_a_node_without_one() {
        check(
            &format!("5 {NOP}\n6 R r0 00000001\n7 R r1 00000001\n"),
            5,
            &["0:5:1000", "1:6:-", "2:7:-"],
        );
    }

    #[test]
    fn time_never_goes_back() {
        check(
            &format!("5 {NOP}\n3 R r0 00000001\n4 {NOP}\n"),
            9,
            &["0:9:1000", "2:9:1000"],
        );
    }

    #[test]
    fn lines_that_the_tools_overlook_begin_no_node() {
        let text = format!(
            "Tarmac Text Rev 3t\n5 {NOP}\n6 R SPSR_EL1 00000001\n7 R IC IVAU 0\n8 R NZCV 00000000\n"
        );
        check(&text, 0, &["1:5:1000"]);
        check(
            &format!("5 {NOP}\n6 R MSP 00000001\n"),
            0,
            &["0:5:1000", "1:6:-"],
        );
    }

    #[test]
    fn two_records_on_a_line_are_two() {
        check(
            &format!("5 clk {NOP}6 clk {NOP}\n7 clk {NOP}\n"),
            5,
            &["0:5:1000", "0:6:1000", "1:7:1000"],
        );
    }

    #[test]
    fn thumb_shows_in_bit_0() {
        check("5 IT (1) 00001000 46c0 T thread : NOP\n", 0, &["0:5:1001"]);
    }

    #[test]
    fn rows_of_a_diagram_belong_to_its_first() {
        let rows = "ES (1000:e1a00000) A usr : NOP\n  ST 1000 00000000 ........ ........ ........\n     1010 00000000 ........ ........ ........\n";
        check(rows, 4, &["0:4:1000"]);
    }
}
