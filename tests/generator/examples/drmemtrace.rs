//! Writes small drmemtrace traces of every container, version and kind, a folder each: `drmemtrace FOLDER`.
//!
//! `cargo run -p stepback-generator --example drmemtrace -- /tmp/traces`

use std::io;
use std::path::Path;

use stepback_generator::drmemtrace::{Architecture, Container, Sample};

fn write(folder: &Path, name: &str, sample: Sample, container: Container) -> io::Result<()> {
    let folder = folder.join(name.to_ascii_lowercase()).join("trace");
    std::fs::create_dir_all(&folder)?;
    sample.files(container).iter().try_for_each(|file| std::fs::write(folder.join(&file.name), &file.bytes))
}

fn main() -> io::Result<()> {
    let Some(folder) = std::env::args_os().nth(1) else {
        return Err(io::Error::other("give the folder for the traces: drmemtrace FOLDER"));
    };
    let folder = Path::new(&folder);
    for container in Container::ALL {
        write(folder, &format!("{container:?}"), Sample::Plain(7, Architecture::X86_64), container)?;
    }
    for version in 1..=7 {
        write(folder, &format!("version{version}"), Sample::Plain(version, Architecture::X86_64), Container::Zip)?;
    }
    for architecture in Architecture::ALL {
        write(folder, &format!("{architecture:?}"), Sample::Plain(7, architecture), Container::Zip)?;
    }
    Sample::SPECIAL.iter().try_for_each(|sample| write(folder, &format!("{sample:?}"), *sample, Container::Zip))
}
