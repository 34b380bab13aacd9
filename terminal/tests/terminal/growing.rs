//! A trace that is still being written.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{Driver, look};

fn steps(range: std::ops::Range<u64>) -> String {
    let step = |time: u64| {
        format!(
            "{time} clk IT ({time}) {:08x} e1a00000 A svc : NOP\n",
            0x8000 + 4 * time
        )
    };
    range.map(step).collect()
}

fn append(path: &Path, text: &str) {
    OpenOptions::new()
        .append(true)
        .open(path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

/// Draws until the screen contains a text.
#[track_caller]
fn sees(it: &mut Driver, text: &str) {
    let limit = Instant::now() + Duration::from_secs(60);
    while !it.screen().contains(text) {
        assert!(
            Instant::now() < limit,
            "{text:?} is not on the screen:\n{}",
            it.screen()
        );
        it.wait();
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_trace_that_grows_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tarmac");
    std::fs::write(&path, steps(0..50)).unwrap();
    let mut it = Driver::with(&path, None, look());
    it.press("C-S-End");
    sees(&mut it, "Following");
    // A user at the end follows the trace as it grows.
    append(&path, &steps(50..80));
    sees(&mut it, "After step 79 · position 80 of 80 so far");
    it.check("following");
    it.press("Up Up");
    append(&path, &steps(80..90));
    sees(&mut it, "position 78 of 90 so far");
    it.press("Escape");
    sees(&mut it, "After step 77 · position 78  ");
    it.check("followed");
}

#[test]
fn a_trace_that_has_grown_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tarmac");
    std::fs::write(&path, steps(0..50)).unwrap();
    let mut it = Driver::with(&path, None, look());
    append(&path, &steps(50..60));
    sees(&mut it, "grown");
    it.press("C-r");
    sees(&mut it, "Before step 0 · position 0 ");
}
