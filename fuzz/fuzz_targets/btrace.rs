//! Arbitrary bytes as a recording of branches, in both forms, with and without the program: no
//! panic, and times never decrease.
//!
//! The first byte selects the program and the form: records, lines of text, or a description of a
//! layout followed by records in that layout.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use stepback_parsers::btrace::{BranchLayout, Btrace, BtraceHead, BtraceOptions, HEADING};
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::template::RecordTemplate;
use stepback_parsers::{
    CodePart, EventSink, ParseScratch, ProgramFile, Source as _, StepEvent, TraceFile,
};

/// Every kind of control transfer, each with a delay slot.
const PROGRAM: [u32; 24] = [
    0x0100_0000,
    0x4000_0004,
    0x8200_6001,
    0x3080_0002,
    0x0100_0000,
    0x1268_0003,
    0x8200_6001,
    0x22c8_4003,
    0x0100_0000,
    0x0980_0003,
    0x0100_0000,
    0x2d58_0003,
    0x0100_0000,
    0x81c0_4000,
    0x1080_0004,
    0x9fc0_4000,
    0x0100_0000,
    0x81c3_e008,
    0x0100_0000,
    0x81cf_e008,
    0x0100_0000,
    0x0000_0007,
    0x0100_0000,
    0x2080_0002,
];

#[derive(Default)]
struct Times {
    last: u64,
    steps: u64,
}

impl EventSink for Times {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        if let Some(time) = step.time {
            assert!(time >= self.last || self.steps == 0);
            self.last = time;
        }
        self.steps += 1;
    }
}

fn read(bytes: &[u8], options: BtraceOptions) {
    let file = TraceFile {
        name: "a".to_owned(),
        data: Arc::new(bytes.to_vec()),
    };
    BtraceHead::of(&file).expect("memory can be read");
    let Ok(trace) = Btrace::open(file, options, CacheFileOptions::default()) else {
        return;
    };
    trace
        .store()
        .wait_for(u64::MAX)
        .expect("the store can be written");
    trace.grow().expect("the store can be read");
    trace
        .parse(
            0..trace.length(),
            &mut ParseScratch::default(),
            &mut Times::default(),
        )
        .expect("the store can be read");
    trace
        .made_lines(0..trace.length().min(1 << 16), &mut |_| ())
        .expect("the store can be read");
}

fuzz_target!(|bytes: &[u8]| {
    let Some((form, bytes)) = bytes.split_first() else {
        return;
    };
    let code: Vec<u8> = PROGRAM.iter().flat_map(|word| word.to_be_bytes()).collect();
    let parts = vec![CodePart {
        address: 0x1_0000,
        bytes: code.into(),
    }];
    let program = vec![ProgramFile {
        name: "p".to_owned(),
        entry: Some(0x1_0000),
        parts,
    }];
    let layout = Some(BranchLayout::own(0));
    match form % 5 {
        0 => read(bytes, BtraceOptions { program, layout }),
        1 => read(
            bytes,
            BtraceOptions {
                program: Vec::new(),
                layout,
            },
        ),
        2 => read(
            bytes,
            BtraceOptions {
                program,
                layout: None,
            },
        ),
        3 => read(
            &[HEADING.as_bytes(), b"\n", bytes].concat(),
            BtraceOptions::default(),
        ),
        _ => {
            // A description of a layout, then records in that layout.
            let (text, records) = bytes.split_at(bytes.len() / 2);
            let template = String::from_utf8_lossy(text).parse::<RecordTemplate>();
            let layout = template.and_then(|template| BranchLayout::of(&template));
            layout.into_iter().for_each(|layout| {
                read(
                    records,
                    BtraceOptions {
                        program: program.clone(),
                        layout: Some(layout),
                    },
                )
            });
        }
    }
});
