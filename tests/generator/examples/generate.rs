//! Writes a generated trace: `generate PROGRAM|HOSTILE|SCATTERED|STREAMING FM|ES BYTES FILE [SEED]`.
//! Another seed is another run of a similar program.
//!
//! `cargo run --release -p stepback-generator --example generate -- program fm 2000000000
//! /tmp/two.tarmac`

use std::fs::File;
use std::process::ExitCode;

use stepback_generator::{Recipe, Shape, Size, Style};

fn recipe(arguments: &[String]) -> Option<(Recipe, &str)> {
    let (arguments, seed) = match arguments {
        [first @ .., seed] if first.len() == 4 => (first, seed.parse().ok()?),
        _ => (arguments, 1),
    };
    let [shape, style, bytes, path] = arguments else {
        return None;
    };
    let shape = match shape.to_ascii_lowercase().as_str() {
        "program" => Shape::Program,
        "hostile" => Shape::Hostile,
        "scattered" => Shape::Scattered,
        "streaming" => Shape::Streaming,
        _ => return None,
    };
    let style = match style.to_ascii_lowercase().as_str() {
        "fm" => Style::FastModels,
        "es" => Style::Es,
        _ => return None,
    };
    Some((
        Recipe {
            shape,
            style,
            size: Size::Bytes(bytes.parse().ok()?),
            seed,
        },
        path,
    ))
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let Some((recipe, path)) = recipe(&arguments) else {
        eprintln!("generate program|hostile|scattered|streaming fm|es BYTES FILE");
        return ExitCode::from(2);
    };
    match File::create(path).and_then(|file| recipe.write(file)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}: {path}");
            ExitCode::FAILURE
        }
    }
}
