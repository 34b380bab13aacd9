//! README and guide against the program: every command block is run and its output compared, and
//! every link leads somewhere.
//!
//! A block of the language `console` holds commands (`$ …`) and what they print. A line `...`
//! matches any lines. `UPDATE_GUIDE=1` writes what the program prints today into the pages.
//! The commands of a page run one after the other in one folder, which holds [`SAMPLES`].

mod page;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::cli::support::{copy_tree, fixture_path};
use page::{Page, is_like};

/// Names that pages use, and the fixtures that they are.
const SAMPLES: [(&str, &str); 26] = [
    ("two-cores.tarmac", "amp.head.tarmac"),
    ("m3.tarmac", "cm3.tiny.tarmac"),
    ("rtos.tarmac", "small/tasks.tarmac"),
    ("other.tarmac", "images/t.tarmac"),
    ("other.elf", "images/dup.elf"),
    ("app.dir", "drmemtrace/threads"),
    ("small.rst", "rst/small.rst"),
    ("small.rz3.gz", "rst/small.rz3.gz"),
    ("hello.btf", "btrace/hello.btf"),
    ("hello.elf", "btrace/hello.elf"),
    ("lossy.btf", "btrace/hello_gap.btf"),
    ("tiny.zstf", "stf/rvtiny.zstf"),
    ("riscv.log", "logs/rvtrap.spike.log.zst"),
    ("qemu.log", "logs/qmix.x86_64.execlog.log.zst"),
    ("tenet.log", "logs/qmix.x86_64.tenet.log.zst"),
    ("bench.log", "described/bench.log.zst"),
    ("bench.toml", "described/bench.toml"),
    ("hook.log", "described/hook.log.zst"),
    ("hook.toml", "described/hook.toml"),
    ("board.log", "described/board.log.zst"),
    ("board.toml", "described/board.toml"),
    ("qsort.tarmac", "qsort.es.tiny.tarmac"),
    ("calm.tarmac", "pairs/qsort-irq3/a.tarmac.zst"),
    ("interrupted.tarmac", "pairs/qsort-irq3/b.tarmac.zst"),
    ("spike.log", "pairs/sra-path/a.log.zst"),
    ("model.log", "pairs/sra-path/b.log.zst"),
];

/// A temporary folder with the samples and a home directory.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, fixture) in SAMPLES {
            let (from, to) = (fixture_path(fixture), folder.path().join(name));
            // Readers meet these as text.
            match fixture.starts_with("described/") && fixture.ends_with(".zst") {
                true => {
                    fs::write(to, zstd::decode_all(&*fs::read(from).unwrap()).unwrap()).unwrap()
                }
                false => copy_tree(&from, &to),
            }
        }
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    /// Returns what a command prints, on standard output and standard error.
    fn printed(&self, command: &str) -> String {
        let home = self.folder.path().join("home");
        let program = Path::new(env!("CARGO_BIN_EXE_stepback"));
        let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
        let output = Command::new("bash")
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", path)
            .envs([("LC_ALL", "C.UTF-8"), ("TERM", "dumb")])
            .env("HOME", &home)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let text = text.replace(home.to_str().unwrap(), "~");
        text.replace(self.folder.path().to_str().unwrap(), "/traces")
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the README, the tour and the pages of the guide.
fn pages() -> Vec<Page> {
    let guide = fs::read_dir(root().join("docs/guide/src")).unwrap();
    let guide = guide.map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = [root().join("README.md"), root().join("docs/tour.md")]
        .into_iter()
        .chain(guide.filter(|path| path.extension().is_some_and(|end| end == "md")))
        .collect();
    paths.sort();
    paths.into_iter().map(Page::read).collect()
}

fn updates() -> bool {
    std::env::var_os("UPDATE_GUIDE").is_some()
}

#[test]
fn command_blocks_print_what_the_pages_show() {
    let mut wrong = Vec::new();
    for page in pages() {
        let machine = Machine::new();
        let changed = page.with_outputs(|command, shown| {
            let printed = machine.printed(command);
            if is_like(shown, &printed) {
                return shown.to_owned();
            }
            wrong.push(format!(
                "{}: $ {command}\nshows:\n{shown}\nprints:\n{printed}",
                page.path.display()
            ));
            printed
        });
        if updates() {
            fs::write(&page.path, changed).unwrap();
        }
    }
    assert!(wrong.is_empty() || updates(), "{}", wrong.join("\n"));
}

#[test]
fn commands_that_are_not_run_start_the_window_or_the_browser() {
    // All others belong into a block of the language `console`, where they are checked.
    for page in pages() {
        for line in page.unchecked_commands() {
            let words: Vec<_> = line.split_whitespace().collect();
            let is_window = words.get(1).is_some_and(|word| {
                ["browse", "--demo"].contains(word) || word.contains(['.', '@'])
            });
            assert!(is_window, "{}: {line}", page.path.display());
        }
    }
}

#[test]
fn links_lead_to_files_and_headings() {
    for page in pages() {
        for link in page.links() {
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let path = match file {
                "" => page.path.clone(),
                file => page.path.parent().unwrap().join(file),
            };
            assert!(path.exists(), "{}: {link}", page.path.display());
            if !heading.is_empty() {
                let target = Page::read(path);
                let headings = target.headings();
                assert!(
                    headings.iter().any(|found| found == heading),
                    "{}: {link}: {headings:?}",
                    page.path.display()
                );
            }
        }
    }
}

#[test]
fn the_command_reference_lists_every_command() {
    let machine = Machine::new();
    let help = machine.printed("stepback --help");
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.map_while(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let reference = Page::read(root().join("docs/guide/src/commands.md"));
    let listed = reference.headings();
    for command in commands {
        assert!(listed.contains(&format!("stepback-{command}")), "{command}");
    }
}

#[test]
fn examples_of_the_help_run() {
    let machine = Machine::new();
    let names = machine.printed("stepback --help");
    let names = names
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1);
    let names = names.map_while(|line| line.strip_prefix("  ")?.split_whitespace().next());
    // A server waits for clients without end.
    for name in names.filter(|name| *name != "gdbserver") {
        let help = machine.printed(&format!("stepback {name} -h"));
        let examples = help.lines().skip_while(|line| *line != "Examples:").skip(1);
        for example in examples.take_while(|line| !line.is_empty()) {
            // An explanation follows after two spaces. Traces of the reader cannot be opened here.
            let command = example.trim().split("  ").next().unwrap();
            let is_ours = command.contains("--demo") && name != "browse";
            let printed = machine.printed(&format!("{command} >/dev/null || echo failed"));
            assert!(
                !is_ours || !printed.contains("failed"),
                "{command}: {printed}"
            );
        }
    }
}

#[test]
fn the_summary_lists_every_page() {
    let summary = Page::read(root().join("docs/guide/src/SUMMARY.md"));
    let links: Vec<String> = summary.links();
    for page in pages() {
        let name = page.path.file_name().unwrap().to_str().unwrap();
        if page.path.starts_with(root().join("docs/guide")) && name != "SUMMARY.md" {
            assert!(links.iter().any(|link| link == name), "{name}");
        }
    }
}
