//! The traces stored as files in `fixtures/drmemtrace`.

use super::{Architecture, Container, Sample};

/// Returns the stored traces: the name of the folder, the sample and its container.
pub fn fixtures() -> Vec<(String, Sample, Container)> {
    let plain = Sample::Plain(7, Architecture::X86_64);
    let mut fixtures: Vec<_> = Container::ALL
        .iter()
        .map(|container| (format!("{container:?}"), plain, *container))
        .collect();
    // The newest version and the most common architecture already appear in every container.
    let versions = (1..7).map(|version| {
        (
            format!("version{version}"),
            Sample::Plain(version, Architecture::X86_64),
        )
    });
    let architectures = Architecture::ALL
        .into_iter()
        .filter(|architecture| *architecture != Architecture::X86_64);
    let architectures = architectures
        .map(|architecture| (format!("{architecture:?}"), Sample::Plain(7, architecture)));
    let special = Sample::SPECIAL
        .into_iter()
        .map(|sample| (format!("{sample:?}"), sample));
    let zipped = versions.chain(architectures).chain(special);
    fixtures.extend(zipped.map(|(name, sample)| (name, sample, Container::Zip)));
    fixtures
        .into_iter()
        .map(|(name, sample, container)| (name.to_ascii_lowercase(), sample, container))
        .collect()
}
