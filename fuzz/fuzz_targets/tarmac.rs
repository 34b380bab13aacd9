//! Arbitrary bytes as a Tarmac trace: no panic, no hang, and chunks that are read separately yield
//! the events of the whole run.
//!
//! The first byte chooses byte order, implicit Thumb, and the style of the conversion.

#![no_main]

mod recorder;

use libfuzzer_sys::fuzz_target;
use stepback_machine::Endian;
use stepback_parsers::{Flow, Tarmac, TarmacOptions, tarmac::TarmacStyle};

use recorder::{assert_same, check_chunks, events};

fn open(text: &[u8], options: TarmacOptions) -> Tarmac {
    Tarmac::open(Box::new(text.to_vec()), options).expect("memory can be read")
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = data.split_first() else {
        return;
    };
    let _ = stepback_parsers::detect(text);
    let endian = if choice & 1 == 0 {
        Endian::Little
    } else {
        Endian::Big
    };
    let options = TarmacOptions {
        endian,
        implicit_thumb: choice & 2 != 0,
    };
    let whole = check_chunks(&open(text, options));
    assert_same(
        &events(&open(text, options).slowly(), 0..text.len() as u64).events,
        &whole.events,
    );
    // Small limits change which lines are too long and how far a run may reach, so these runs are
    // compared with each other only.
    let small = || open(text, options).through_small_window();
    let whole = check_chunks(&small());
    assert_same(
        &events(&small().slowly(), 0..text.len() as u64).events,
        &whole.events,
    );
    let style = if choice & 4 == 0 {
        TarmacStyle::Es
    } else {
        TarmacStyle::FastModels
    };
    let mut converted = Vec::new();
    open(text, options)
        .convert(style, &mut converted, &mut |_| Flow::Continue)
        .expect("memory can be written");
    events(&open(&converted, options), 0..converted.len() as u64);
});
