//! Arbitrary bytes as the input of `stepback dap`: no panic, bounded memory, and every message that is
//! read can be framed and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;

// The program is no library, and these two files use nothing else of it.
#[path = "../../src/servers/dap/framing.rs"]
mod framing;
#[path = "../../src/servers/dap/message.rs"]
mod message;

use framing::{BODY_LIMIT_BYTES, Frame, FrameReader, framed};
use message::parse;

fuzz_target!(|bytes: &[u8]| {
    let _ = parse(bytes);
    let mut reader = FrameReader::new(bytes);
    while let Ok(Some(frame)) = reader.next_frame() {
        let Frame::Body(body) = frame else {
            continue;
        };
        assert!(body.len() as u64 <= BODY_LIMIT_BYTES);
        let again = FrameReader::new(&framed(&body)[..]).next_frame();
        assert!(matches!(again, Ok(Some(Frame::Body(again))) if again == body));
        let _ = parse(&body);
    }
});
