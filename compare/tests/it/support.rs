//! Indexes of traces in memory.

use std::fmt::Write as _;
use std::sync::Arc;

use stepback_compare::{CompareOptions, Comparison, ThreadComparison};
use stepback_index::answer::Program;
use stepback_index::build::{BuildOptions, index_in_memory, with_images};
use stepback_index::{Cancel, Index};
use stepback_machine::Address;
use stepback_parsers::{Format, TraceAssumptions};

/// Indexes a trace, in segments so small that several are needed.
pub fn index_of(text: Vec<u8>) -> Arc<Index> {
    index_in_segments(text, 64 << 10)
}

/// Indexes a trace in segments of this length.
pub fn index_in_segments(text: Vec<u8>, segment_bytes: u64) -> Arc<Index> {
    let format = Format::of_input(&text).unwrap();
    let source = format
        .open_text(Box::new(text), TraceAssumptions::default())
        .unwrap();
    let options = BuildOptions {
        segment_bytes,
        ..BuildOptions::default()
    };
    Arc::new(index_in_memory(source, &options).unwrap())
}

/// Indexes a trace of a program with this code.
pub fn index_with_code(text: &str, address: u64, code: &[u8]) -> Arc<Index> {
    let index = Arc::into_inner(index_of(text.as_bytes().to_vec())).unwrap();
    let mut program = Program::default();
    program.load_constant(Address(address), code.into(), code.len() as u64);
    Arc::new(with_images(index, program, &Cancel::default()))
}

pub fn compared(a: &Index, b: &Index) -> Comparison {
    Comparison::run(a, b, CompareOptions::default(), &Cancel::default()).unwrap()
}

/// Returns the comparison of the only thread.
pub fn only(comparison: &Comparison) -> &ThreadComparison {
    assert_eq!(comparison.compared.len(), 1);
    &comparison.compared[0]
}

/// A step of a synthetic trace.
#[derive(Clone, Copy, Debug)]
pub struct TestStep {
    pub pc: u64,
    /// Value that it writes to x1.
    pub value: Option<u64>,
}

/// Writes a trace of steps that do nothing but write x1.
pub fn trace_of(steps: &[TestStep]) -> Vec<u8> {
    let mut text = String::new();
    for (number, step) in steps.iter().enumerate() {
        let number = number + 1;
        // Each address has a different instruction, as in real code.
        let opcode = 0xd280_0000 | (step.pc >> 2 & 0xffff) << 5;
        writeln!(
            text,
            "{number} clk IT ({number}) {:016x} {opcode:08x} O EL1h_n : MOV",
            step.pc
        )
        .unwrap();
        if let Some(value) = step.value {
            writeln!(text, "{number} clk R X1 {value:016x}").unwrap();
        }
    }
    text.into_bytes()
}

/// Returns steps at some addresses.
pub fn steps_at(pcs: impl IntoIterator<Item = u64>) -> Vec<TestStep> {
    let step = |pc| TestStep { pc, value: None };
    pcs.into_iter().map(step).collect()
}
