//! A second trace: its differences by region, and the steps at which it differs.

use std::path::Path;

use crate::support::Driver;

#[test]
fn a_second_trace_is_compared_and_its_differences_are_visited() {
    let pair = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/pairs/recurse-depth"
    ));
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("b.tarmac.zst");
    std::fs::copy(pair.join("b.tarmac.zst"), &other).unwrap();
    let mut it = Driver::of("pairs/recurse-depth/a.tarmac.zst", None);
    it.resize(100, 32).press(": \"show differences\" Return");
    it.check("differences-none");
    it.press(&format!(
        ": \"compare with trace {}\" Return",
        other.display()
    ));
    it.check("differences");
    // The first row is the first divergence, and the second the first other value.
    it.press("Return");
    assert_eq!(it.position(), 300);
    it.press("Down Return");
    assert_eq!(it.position(), 25);
    it.press("j j");
    assert_eq!(it.position(), 27);
    it.press(": \"show both traces\" Return");
    it.check("both-traces");
}
