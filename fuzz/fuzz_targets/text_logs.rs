//! Arbitrary bytes as a text log of a RISC-V core, QEMU, Tenet or unidbg, or as a described log: no panic, no hang, and
//! chunks that are read separately yield the events of the whole run.
//!
//! The first byte chooses the format.

#![no_main]

mod recorder;

use libfuzzer_sys::fuzz_target;
use stepback_parsers::{Format, TraceAssumptions, template::Template};

use recorder::check_chunks;

/// Description for described logs.
const LAYOUT: &str = include_str!("../../fixtures/described/board.toml");

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = data.split_first() else {
        return;
    };
    let formats: Vec<_> = Format::all()
        .filter(|format| format.is_text() && *format != Format::Tarmac)
        .collect();
    let format = formats[usize::from(*choice) % formats.len()];
    let _ = stepback_parsers::detect(text);
    // Any description is read or refused.
    let _ = String::from_utf8_lossy(text).parse::<Template>();
    let assumed = TraceAssumptions {
        template: LAYOUT.parse().ok(),
        ..TraceAssumptions::default()
    };
    let log = format
        .open_text(Box::new(text.to_vec()), assumed)
        .expect("memory can be read");
    check_chunks(&*log);
});
