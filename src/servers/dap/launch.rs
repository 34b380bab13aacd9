//! The trace that a launch request names.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde_json::{Map, Value as Json};
use stepback_debugger::image::ImageSpec;
use stepback_debugger::place::PositionName;
use stepback_debugger::session::{OpenOptions, demo_path};
use stepback_debugger::source::SourceMapping;
use stepback_machine::{Endian, InstructionSet};
use stepback_parsers::Format;

use super::arguments::Arguments;

/// Maximum number of images, and of other lists.
const LIST_LIMIT: usize = 1024;

/// Arguments that clients add for themselves.
const CLIENT_ARGUMENTS: [&str; 14] = [
    "name",
    "type",
    "request",
    "noDebug",
    "preLaunchTask",
    "postDebugTask",
    "internalConsoleOptions",
    "debugServer",
    "presentation",
    "console",
    "cwd",
    "serverReadyAction",
    "suppressMultipleSessionWarning",
    "sessionId",
];

/// Arguments of a launch request.
#[derive(Debug)]
pub struct LaunchedTrace {
    pub options: OpenOptions,
    /// Position to begin at.
    pub position: PositionName,
    /// Arguments without a meaning, to be reported.
    pub unknown: Vec<String>,
}

impl LaunchedTrace {
    /// Reads the arguments of a launch request. `named` has the options of the command line, with
    /// an empty path if it names no trace.
    ///
    /// # Errors
    /// An argument has another form, or no trace is named.
    pub fn read(arguments: &Map<String, Json>, named: &OpenOptions) -> Result<Self> {
        let known = Arguments(arguments);
        let mut options = named.clone();
        let mut position = PositionName::Start;
        let mut unknown = Vec::new();
        let is_named = !named.path.as_os_str().is_empty();
        for name in arguments.keys() {
            match name.as_str() {
                "trace" | "program" => {
                    let path = PathBuf::from(known.required_text(name)?);
                    ensure!(
                        !is_named || path == named.path,
                        "the command line names another trace: {:?}",
                        named.path
                    );
                    options.path = path;
                }
                "demo" => {
                    if known.is_set(name)? {
                        ensure!(
                            !is_named,
                            "the command line names a trace: {:?}",
                            named.path
                        );
                        options.path = demo_path()?;
                    }
                }
                "with" => {
                    options.more = texts(known, name)?.into_iter().map(PathBuf::from).collect()
                }
                "index" => options.index = Some(PathBuf::from(known.required_text(name)?)),
                "sysroots" => {
                    options.sysroots = texts(known, name)?.into_iter().map(PathBuf::from).collect();
                }
                "format" => {
                    let format = known.required_text(name)?;
                    let found = Format::named(format);
                    options.format =
                        Some(found.with_context(|| format!("there is no format {format:?}"))?);
                }
                "recordLayout" => {
                    options.record_layout = Some(PathBuf::from(known.required_text(name)?));
                }
                "bigEndian" => {
                    options.endian = Some(match known.is_set(name)? {
                        true => Endian::Big,
                        false => Endian::Little,
                    });
                }
                "implicitThumb" => options.implicit_thumb = known.is_set(name)?,
                "arch" => options.arch = Some(instruction_set(known.required_text(name)?)?),
                "sourceMap" => options.source_map.extend(source_map(known, name)?),
                "position" => position = position_of(arguments.get(name))?,
                // Read below, because one applies to the other.
                "images" | "loadOffset" => {}
                _ if CLIENT_ARGUMENTS.contains(&name.as_str()) || name.starts_with("__") => {}
                // Every session begins with a stop.
                "stopOnEntry" => {}
                _ => unknown.push(name.clone()),
            }
        }
        if let Some(offset) = known.count("loadOffset")? {
            options.load_offset = offset;
        }
        for text in texts(known, "images")? {
            let spec: ImageSpec = text.parse()?;
            let has_offset = spec.path.as_os_str() != text;
            let offset = if has_offset {
                spec.offset
            } else {
                options.load_offset
            };
            options.images.push(ImageSpec { offset, ..spec });
        }
        ensure!(
            !options.path.as_os_str().is_empty(),
            "no trace is named: add \"trace\" to the configuration, or name it on the command line"
        );
        Ok(Self {
            options,
            position,
            unknown,
        })
    }
}

/// Adds the key of a launch configuration to an error that names options of the command line.
pub fn with_key(error: anyhow::Error) -> anyhow::Error {
    let text = format!("{error:#}");
    match text.contains("--") {
        true => {
            anyhow!("{text} (an option such as --record-layout is the key \"recordLayout\" here)")
        }
        false => error,
    }
}

/// Returns the texts of a list, or one text.
fn texts<'a>(arguments: Arguments<'a>, name: &str) -> Result<Vec<&'a str>> {
    if let Some(Json::String(text)) = arguments.0.get(name) {
        return Ok(vec![text]);
    }
    let list = arguments.list(name)?;
    ensure!(
        list.len() <= LIST_LIMIT,
        "the argument {name:?} is too long"
    );
    let text = |value: &'a Json| {
        value
            .as_str()
            .with_context(|| format!("the argument {name:?} must contain strings"))
    };
    list.iter().map(text).collect()
}

/// Reads `{"FROM": "TO"}` or `["FROM=TO"]`.
fn source_map(arguments: Arguments<'_>, name: &str) -> Result<Vec<SourceMapping>> {
    let Some(Json::Object(map)) = arguments.0.get(name) else {
        let texts = texts(arguments, name)?;
        return texts.into_iter().map(str::parse).collect();
    };
    let mapping = |(from, to): (&String, &Json)| match to {
        Json::String(to) if !from.is_empty() => Ok(SourceMapping {
            from: from.clone(),
            to: PathBuf::from(to),
        }),
        _ => bail!("the argument {name:?} must map directories to directories"),
    };
    map.iter().map(mapping).collect()
}

fn instruction_set(name: &str) -> Result<InstructionSet> {
    let mut sets = InstructionSet::CHOICES.iter();
    let found = sets.find(|set| set.names().choice.is_some_and(|choice| choice.name == name));
    found
        .copied()
        .with_context(|| format!("there is no instruction set {name:?}"))
}

/// Parses a position that is a number or a text.
pub fn position_of(value: Option<&Json>) -> Result<PositionName> {
    match value {
        Some(Json::String(text)) => text.parse(),
        Some(Json::Number(number)) => number.to_string().parse(),
        _ => bail!("the argument \"position\" must be a number or a string"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(arguments: &str, named: &str) -> Result<LaunchedTrace> {
        let arguments: Json = serde_json::from_str(arguments).unwrap();
        LaunchedTrace::read(arguments.as_object().unwrap(), &OpenOptions::new(named))
    }

    #[test]
    fn a_launch_names_a_trace_and_its_images() {
        let launched = launched(
            r#"{"trace": "a.tarmac", "images": ["a.elf@0x10", "b.elf"], "loadOffset": 32,
                "position": "50%", "type": "stepback", "colour": 1, "recordLayout": "a.toml",
                "bigEndian": true, "implicitThumb": true}"#,
            "",
        )
        .unwrap();
        let OpenOptions {
            record_layout,
            endian,
            implicit_thumb,
            ..
        } = &launched.options;
        assert_eq!(*record_layout, Some(PathBuf::from("a.toml")));
        assert_eq!((*endian, *implicit_thumb), (Some(Endian::Big), true));
        assert_eq!(launched.options.path, PathBuf::from("a.tarmac"));
        let offsets: Vec<u64> = launched
            .options
            .images
            .iter()
            .map(|one| one.offset)
            .collect();
        assert_eq!(offsets, [16, 32]);
        assert_eq!(launched.unknown, ["colour"]);
    }

    #[test]
    fn the_trace_of_the_command_line_is_not_replaced() {
        assert!(launched(r#"{"trace": "b.tarmac"}"#, "a.tarmac").is_err());
        assert!(launched("{}", "a.tarmac").is_ok());
        assert!(launched("{}", "").is_err());
    }
}
