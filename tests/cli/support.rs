//! A separate folder for each test, in which the program runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// Number of steps of [`OVERFLOW`].
pub const OVERFLOW_STEPS: u64 = 1763;
/// A buffer overflow breaks the function pointer at 0x80020010, and the last step jumps through it.
pub const OVERFLOW: &str = "overflow_bare.tiny.tarmac";
/// A trace of two cores.
pub const AMP: &str = "amp.head.tarmac";

/// A folder that is deleted after the test. It also serves as the user's home.
pub struct Sandbox {
    folder: TempDir,
}

/// Result of a run of the program.
#[derive(Debug)]
pub struct Ran {
    /// None if a signal ended it.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Sandbox {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Copies a fixture, so that no index appears next to the original.
    pub fn fixture(&self, name: &str) -> String {
        let copy = self.path(name.rsplit('/').next().unwrap_or(name));
        fs::copy(fixture_path(name), &copy).unwrap();
        text(&copy)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        text(&path)
    }

    /// Returns the command with the folder as its home and without a display.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stepback"));
        let home = self.path("home");
        command
            .args(arguments)
            .timeout(Duration::from_secs(120))
            .current_dir(self.folder.path());
        command
            .env("HOME", &home)
            .env("XDG_CACHE_HOME", home.join("cache"));
        for variable in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
            command.env_remove(variable);
        }
        command
    }

    /// Returns the command as a process that can be killed.
    pub fn process(&self, arguments: &[&str]) -> std::process::Command {
        let command = self.command(arguments);
        let mut process = std::process::Command::new(command.get_program());
        process
            .args(command.get_args())
            .current_dir(self.folder.path());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => process.env(name, value),
                None => process.env_remove(name),
            };
        }
        process
    }

    /// Returns a shell script whose `$0` is the program, with these arguments.
    pub fn shell(&self, script: &str, arguments: &[&str]) -> std::process::Command {
        let program = self.process(arguments);
        let mut shell = std::process::Command::new("sh");
        shell
            .args(["-c", script])
            .arg(program.get_program())
            .args(arguments)
            .current_dir(self.folder.path());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Runs the program with a limit on its memory (`ulimit -d`); allocations beyond it end the
    /// program.
    #[cfg(target_os = "linux")]
    pub fn run_within(&self, mebibytes: u64, arguments: &[&str]) -> Ran {
        let script = format!(
            "ulimit -d {} && exec timeout 60 \"$0\" \"$@\"",
            mebibytes << 10
        );
        let output = self.shell(&script, arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Runs a query with `--json --quiet` that must succeed, and parses its one value.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let lines = self.json_lines(arguments);
        assert_eq!(lines.len(), 1, "{arguments:?}");
        lines.into_iter().next().unwrap()
    }

    /// Runs a query with `--json --quiet` that must succeed, and parses its lines.
    #[track_caller]
    pub fn json_lines(&self, arguments: &[&str]) -> Vec<Value> {
        let ran = self.run(&[arguments, &["--json"]].concat()).succeeds();
        ran.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl Ran {
    #[track_caller]
    pub fn succeeds(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Expects one sentence on standard error with all these parts, and empty standard output.
    #[track_caller]
    pub fn fails_with(self, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        let errors: Vec<&str> = self
            .err
            .lines()
            .filter(|line| line.starts_with("error: "))
            .collect();
        assert_eq!(errors.len(), 1, "{self:?}");
        assert!(
            parts.iter().all(|part| errors[0].contains(part)),
            "{parts:?} in {self:?}"
        );
        self
    }

    /// Expects status 2, which means a usage error.
    #[track_caller]
    pub fn ends_misspelt(self) -> Self {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert!(
            self.err.starts_with("error: ") && self.out.is_empty(),
            "{self:?}"
        );
        self
    }

    #[track_caller]
    pub fn says(self, part: &str) -> Self {
        assert!(self.err.contains(part), "{part:?} in {self:?}");
        self
    }

    #[track_caller]
    pub fn prints(self, part: &str) -> Self {
        assert!(self.out.contains(part), "{part:?} in {self:?}");
        self
    }
}

/// Returns the path of the original fixture; tests write nothing next to it.
pub fn fixture_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

/// Returns the ELF file of the overflow traces.
pub fn overflow_image() -> String {
    text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/overflow_bare.elf"))
}

/// A path as an argument.
pub fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Copies a file, or a folder with its content.
pub fn copy_tree(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy_tree(&entry.path(), &to.join(entry.file_name()));
    }
}
