//! Writes small drmemtrace traces of every container, version and kind, a folder each: `drmemtrace
//! FOLDER`.
//!
//! `cargo run -p stepback-generator --example drmemtrace -- fixtures/drmemtrace`

use std::path::Path;
use std::{env, fs, io};

use stepback_generator::drmemtrace::fixtures;

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1) else {
        return Err(io::Error::other(
            "give the folder for the traces: drmemtrace FOLDER",
        ));
    };
    for (name, sample, container) in fixtures() {
        let folder = Path::new(&folder).join(name).join("trace");
        fs::create_dir_all(&folder)?;
        sample
            .files(container)
            .iter()
            .try_for_each(|file| fs::write(folder.join(&file.name), &file.bytes))?;
    }
    Ok(())
}
