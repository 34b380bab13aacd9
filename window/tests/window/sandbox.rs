//! A separate folder for each test, and the windows opened in it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::{env, fs};

use egui_kittest::Harness;
use stepback_debugger::desk::TraceChoice;
use stepback_debugger::session::OpenOptions;
use stepback_window::{App, WindowOptions};
use tempfile::TempDir;

use crate::support::{Copied, Driver, remember_copied};

/// Twelve steps: a call of a function of two steps, and writes of x2 by the steps 1 and 9.
pub const SHORT: &str = "\
1 clk IT (0) 00001000 d2800020 O EL1h_n : MOV x0,#1
1 clk R X0 0000000000000001
2 clk IT (1) 00001004 d2800042 O EL1h_n : MOV x2,#2
2 clk R X2 0000000000000002
3 clk IT (2) 00001008 9400003e O EL1h_n : BL 0x1100
3 clk R X30 000000000000100c
4 clk IT (3) 00001100 d2800003 O EL1h_n : MOV x3,#0
4 clk R X3 0000000000000000
5 clk IT (4) 00001104 d65f03c0 O EL1h_n : RET
6 clk IT (5) 0000100c d503201f O EL1h_n : NOP
7 clk IT (6) 00001010 d503201f O EL1h_n : NOP
8 clk IT (7) 00001014 d503201f O EL1h_n : NOP
9 clk IT (8) 00001018 d503201f O EL1h_n : NOP
10 clk IT (9) 0000101c d2800062 O EL1h_n : MOV x2,#3
10 clk R X2 0000000000000003
11 clk IT (10) 00001020 d503201f O EL1h_n : NOP
12 clk IT (11) 00001024 d503201f O EL1h_n : NOP
";

/// Input files of a test, in a folder that is deleted after it.
pub struct Sandbox {
    folder: Arc<TempDir>,
}

impl Sandbox {
    pub fn new() -> Self {
        Self {
            folder: Arc::new(tempfile::tempdir().unwrap()),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Copies a fixture, so that no index appears next to the original.
    pub fn fixture(&self, name: &str) -> PathBuf {
        let original = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .join("fixtures")
            .join(name);
        let copy = self.path(name);
        fs::copy(original, &copy).unwrap();
        copy
    }

    /// Unpacks the files of the demo.
    pub fn demo(&self) -> PathBuf {
        let assets = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("assets/demo");
        fs::copy(
            assets.join("overflow_bare.elf"),
            self.path("overflow_bare.elf"),
        )
        .unwrap();
        let packed = fs::read(assets.join("overflow_bare.small.tarmac.zst")).unwrap();
        self.file(
            "overflow_bare.small.tarmac",
            zstd::decode_all(packed.as_slice()).unwrap(),
        )
    }

    /// Opens a window of 1280 x 800.
    pub fn window(&self, options: WindowOptions) -> Driver {
        self.window_of([1280.0, 800.0], options)
    }

    /// Opens a window of any size.
    pub fn window_of(&self, size: [f32; 2], options: WindowOptions) -> Driver {
        self.kept_window(size, options, None)
    }

    /// Opens a window of any size with the saved state of an earlier one.
    pub fn kept_window(
        &self,
        size: [f32; 2],
        options: WindowOptions,
        storage: Option<&'static dyn eframe::Storage>,
    ) -> Driver {
        // Each answer of the worker takes a frame, and fading in takes some more, which come one by
        // one on a busy machine. Endless redrawing is still detected.
        let builder = Harness::builder()
            .with_size(size)
            .with_step_dt(1.0 / 60.0)
            .with_max_steps(300);
        let copied = Copied::default();
        let clipboard = copied.clone();
        let harness = builder.build_eframe(move |cc| {
            cc.storage = storage;
            cc.egui_ctx.on_end_pass(
                "clipboard",
                Arc::new(move |ui| remember_copied(ui, &clipboard)),
            );
            App::deterministic(cc, options)
        });
        Driver {
            harness,
            folder: self.folder.clone(),
            copied,
        }
    }

    /// Opens the window with a trace.
    #[track_caller]
    pub fn open(&self, path: &Path) -> Driver {
        self.open_in([1280.0, 800.0], path)
    }

    /// Opens a window of any size with a trace.
    #[track_caller]
    pub fn open_in(&self, size: [f32; 2], path: &Path) -> Driver {
        let trace = Some(TraceChoice::of(OpenOptions::new(path)));
        let mut window = self.window_of(
            size,
            WindowOptions {
                trace,
                ..WindowOptions::default()
            },
        );
        window.wait();
        assert!(
            window.app().workspace().is_some(),
            "{:?}",
            window.app().toasts()
        );
        window
    }
}

/// Runs a test in a separate process with a separate home, since it writes into the user's
/// directories. `name` is the test's path, for example `demo::it_opens`.
#[track_caller]
pub fn in_own_home(name: &str, test: impl FnOnce()) {
    const MARK: &str = "STEPBACK_TEST_HOME";
    if env::var_os(MARK).is_some() {
        return test();
    }
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args([name, "--exact", "--nocapture"])
        .env(MARK, home.path())
        .env("HOME", home.path());
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        command.env(variable, home.path().join(variable));
    }
    let ran = command.output().unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}
