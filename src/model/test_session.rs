//! A session over a trace of the fixtures, for tests.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use tempfile::TempDir;

use crate::session::{OpenOptions, Session, open};

/// 1,763 steps of a server that dies in a function it should not call; without symbols.
pub fn overflow() -> Arc<Session> {
    static SESSION: LazyLock<(Arc<Session>, TempDir)> = LazyLock::new(|| {
        let place = tempfile::tempdir().expect("a directory for the index");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/overflow_bare.tiny.tarmac");
        let options = OpenOptions { index: Some(place.path().join("overflow.sbi")), ..OpenOptions::new(path) };
        let session = open(&options, &Default::default(), &Default::default()).expect("a fixture");
        (Arc::new(session), place)
    });
    Arc::clone(&SESSION.0)
}
