//! A session over a trace of the fixtures, for tests.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use stepback_index::{BuildOptions, Index};
use stepback_parsers::{AnySource, Tarmac};

use crate::image::Images;
use crate::session::Session;

/// 1,763 steps of a server that dies in a function it should not call; without symbols.
pub fn overflow() -> Arc<Session> {
    static SESSION: LazyLock<Arc<Session>> = LazyLock::new(|| Arc::new(open("fixtures/overflow_bare.tiny.tarmac")));
    Arc::clone(&SESSION)
}

/// A session whose index lives in memory.
fn open(path: &str) -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    from_bytes(std::fs::read(&path).expect("a fixture"))
}

/// The same for a text of a trace.
pub fn from_bytes(bytes: Vec<u8>) -> Session {
    let source = Tarmac::open(Box::new(bytes), Default::default()).expect("a trace");
    let index = Index::in_memory(Arc::new(AnySource::Tarmac(source)), &BuildOptions::default()).expect("an index");
    Session {
        index: Arc::new(index),
        images: Images::default(),
        path: "test.tarmac".into(),
        index_path: None,
        notices: Vec::new(),
        is_built_now: true,
    }
}
