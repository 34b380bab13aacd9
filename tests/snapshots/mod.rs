//! Pictures of each panel in both themes. The program draws itself under Xvfb, and the saved
//! pictures are compared with those in this folder. Without Xvfb or OpenGL the test prints a note
//! and compares nothing.
//!
//! After an intended change, inspect the new pictures and keep them: `UPDATE_SNAPSHOTS=1 cargo test
//! --test program snapshots` (needs ImageMagick).

#![expect(clippy::print_stderr, reason = "what was skipped")]
mod scenes;
mod screen;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use self::scenes::{RUNS, Scene};
use self::screen::Screen;

/// Maximum number of differing pixels in ten thousand. Renderer versions round the edges of letters
/// differently, and the stored pictures have fewer colours. A row of text has more pixels.
const DIFFERENT: usize = 6;
/// Maximum difference of two channel values that look the same.
const SAME: u8 = 40;

#[test]
fn each_panel_looks_as_it_did_in_the_dark() {
    check("dark");
}

#[test]
fn each_panel_looks_as_it_did_in_the_light() {
    check("light");
}

/// Draws all scenes in a theme and compares each.
fn check(theme: &str) {
    let Some(screen) = Screen::open() else {
        return eprintln!("skipped: there is no Xvfb");
    };
    let home = tempfile::tempdir().unwrap();
    for scenes in RUNS {
        let ran = draw(&screen, scenes, theme, home.path());
        let said = String::from_utf8_lossy(&ran.stderr);
        if said.contains("OpenGL is not available") {
            return eprintln!("skipped: there is no OpenGL under Xvfb");
        }
        assert!(ran.status.success(), "{said}");
    }
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let is_updating = env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut wrong = String::new();
    for scene in RUNS.iter().copied().flatten() {
        let name = format!("{}-{theme}.png", scene.name);
        let drawn = home.path().join(&name);
        if is_updating {
            keep(&drawn, &kept.join(&name));
        } else if let Err(error) = compare(&drawn, &kept.join(&name)) {
            let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name);
            fs::copy(&drawn, &place).unwrap();
            writeln!(wrong, "{name}: {error}; it is now {}", place.display()).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs the program once with default settings. It leaves one picture per scene in `home`.
fn draw(screen: &Screen, scenes: &[Scene], theme: &str, home: &Path) -> Output {
    let mut script = format!("Theme {theme}\n");
    for scene in scenes {
        // Every scene begins at the same position in the same panels.
        writeln!(script, "Use layout Debug\nGo to 43990").unwrap();
        let lines = scene
            .lines
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        lines.for_each(|line| writeln!(script, "{line}").unwrap());
        writeln!(
            script,
            "Save picture {}",
            home.join(format!("{}-{theme}.png", scene.name)).display()
        )
        .unwrap();
    }
    let file = home.join("scenes.run");
    fs::write(&file, script).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
    command
        .args(["--demo", "--size", "1280x800", "--quit", "--run"])
        .arg(&file);
    command
        .env("DISPLAY", screen.name())
        .env("LIBGL_ALWAYS_SOFTWARE", "1")
        .env_remove("WAYLAND_DISPLAY");
    command.env("LC_ALL", "C.UTF-8");
    for variable in ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env(variable, home);
    }
    command.output().unwrap()
}

/// Stores a picture in few colours: a quarter of the size, without visible difference.
fn keep(drawn: &Path, kept: &Path) {
    let mut command = Command::new("convert");
    command
        .arg(drawn)
        .args(["-strip", "+dither", "-colors", "160"])
        .arg(format!("PNG8:{}", kept.display()));
    assert!(command.status().expect("ImageMagick").success());
}

/// Describes the difference between two pictures.
fn compare(drawn: &Path, kept: &Path) -> Result<(), String> {
    let [drawn, kept] = [drawn, kept].map(|path| Pixels::read(path.to_owned()));
    let (drawn, kept) = (drawn?, kept?);
    if drawn.size != kept.size {
        return Err(format!("its size was {:?}", kept.size));
    }
    let pixels = || drawn.bytes.chunks_exact(3).zip(kept.bytes.chunks_exact(3));
    let differs = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > SAME);
    let different = pixels().filter(differs).count();
    match different * 10_000 > pixels().count() * DIFFERENT {
        true => Err(format!("{different} of {} pixels differ", pixels().count())),
        false => Ok(()),
    }
}

/// A picture with three bytes per pixel.
struct Pixels {
    size: (u32, u32),
    bytes: Vec<u8>,
}

impl Pixels {
    fn read(path: PathBuf) -> Result<Self, String> {
        let stated = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let file = fs::File::open(&path).map_err(|error| stated(&error))?;
        let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().map_err(|error| stated(&error))?;
        let mut bytes = vec![
            0;
            reader
                .output_buffer_size()
                .ok_or_else(|| stated(&"too large"))?
        ];
        let info = reader
            .next_frame(&mut bytes)
            .map_err(|error| stated(&error))?;
        Ok(Self {
            size: (info.width, info.height),
            bytes,
        })
    }
}
