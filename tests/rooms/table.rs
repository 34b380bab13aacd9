//! The rooms of each crate from lowest to highest, following "Rooms" in ARCHITECTURE.md.
//!
//! A room may use the lower rooms of the same crate; Cargo enforces the order of crates. Rooms of
//! one floor may not use each other. A new file in a listed folder belongs to the folder's room; a
//! new folder needs a line.

use std::cmp::Ordering;

use crate::rooms::workspace::CrateFile;

/// One room: its name and location.
pub struct Room {
    pub name: &'static str,
    /// Modules relative to the crate's folder: `calls` is `calls.rs` and all of `calls/`; the empty
    /// name is everything without another room. The longest match counts.
    pub places: &'static [&'static str],
}

/// The rooms of a crate.
pub struct CrateRooms {
    pub name: &'static str,
    pub folder: &'static str,
    /// Floors from lowest to highest.
    pub floors: &'static [&'static [Room]],
}

/// The parsed crates: each library, and the program.
pub const CRATES: &[CrateFile] = &[
    CrateFile {
        name: "stepback_machine",
        file: "machine/src/lib.rs",
    },
    CrateFile {
        name: "stepback_parsers",
        file: "parsers/src/lib.rs",
    },
    CrateFile {
        name: "stepback_index",
        file: "index/src/lib.rs",
    },
    CrateFile {
        name: "stepback_compare",
        file: "compare/src/lib.rs",
    },
    CrateFile {
        name: "stepback_debugger",
        file: "debugger/src/lib.rs",
    },
    CrateFile {
        name: "stepback_window",
        file: "window/src/lib.rs",
    },
    CrateFile {
        name: "stepback_terminal",
        file: "terminal/src/lib.rs",
    },
    CrateFile {
        name: "stepback",
        file: "src/main.rs",
    },
];

/// The crates from lowest to highest.
pub const ROOMS: &[CrateRooms] = &[
    CrateRooms {
        name: "machine",
        folder: "machine/src",
        floors: &[
            // Names for the numbers of an operating system, for all architectures.
            &[room("linux", &["linux"])],
            // Vocabulary that describes every architecture.
            &[room(
                "ground",
                &[
                    "set",
                    "view",
                    "bytes",
                    "address",
                    "endian",
                    "access_kind",
                    "lane_format",
                    "register_group",
                    "register_run",
                    "mode",
                    "branch",
                    "control",
                    "site",
                    "placement",
                    "privilege",
                    "abi",
                    "host_call",
                    "names",
                    "status",
                    "stub",
                    "target_description",
                    "dwarf_registers",
                    "text_flow",
                    "word",
                ],
            )],
            &[room(
                "meaning",
                &[
                    "meaning",
                    "exception_frame",
                    "expression",
                    "flags",
                    "selection",
                    "instruction",
                    "origins",
                    "register_use",
                    "description",
                    "disassembly",
                ],
            )],
            // The trait that an architecture implements.
            &[room("architecture", &["architecture"])],
            &[
                room("arm", &["arm"]),
                room("x86", &["x86"]),
                room("riscv", &["riscv"]),
                room("sparc", &["sparc"]),
                room("regdeps", &["regdeps"]),
                // The oracle's knowledge of instructions.
                room("naive", &["naive"]),
            ],
            // The table of architectures by instruction set, and its users.
            &[room("rows", &["rows", "registers", "decoder"])],
            // What other crates see.
            &[room(
                "facade",
                &[
                    "semantics",
                    "flow",
                    "banks",
                    "convention",
                    "exception",
                    "display",
                ],
            )],
        ],
    },
    CrateRooms {
        name: "parsers",
        folder: "parsers/src",
        floors: &[
            &[room(
                "ground",
                &[
                    "numbers",
                    "events",
                    "marker",
                    "gap",
                    "known_instruction",
                    "read_at",
                    "program_file",
                    "program_fit",
                    "source",
                    "scratch",
                    "error",
                    "decoded_text",
                    "facts",
                    "finding",
                    "distinct",
                    "problem",
                    // The damage that a problem reports.
                    "packed/kind",
                ],
            )],
            &[room("kept", &["kept"])],
            &[room("packed", &["packed"])],
            &[room("text", &["text"])],
            &[room("step_store", &["step_store"])],
            &[room("template", &["template"])],
            // Shared parts of several formats: paths reconstructed from branches, and texts with
            // lines for each step.
            &[
                room("text_log", &["text_log"]),
                room("reconstruct", &["reconstruct"]),
            ],
            &[
                room("tarmac", &["tarmac"]),
                room("drmemtrace", &["drmemtrace"]),
                room("rst", &["rst"]),
                room("btrace", &["btrace"]),
                room("stf", &["stf"]),
                room("commit_log", &["commit_log"]),
                room("qemu_log", &["qemu_log"]),
                room("delta_log", &["delta_log"]),
                room("described_log", &["described_log"]),
            ],
            &[room(
                "detect",
                &["detect", "foreign", "format", "parse_into"],
            )],
            // What other crates see.
            &[room("facade", &["check", "files", "stored"])],
        ],
    },
    CrateRooms {
        name: "index",
        folder: "index/src",
        floors: &[
            &[
                room("answers", &["answers", "cancel", "error"]),
                // Parallel work on the parts of a whole.
                room("in_order", &["in_order"]),
            ],
            &[room("store", &["store"])],
            &[room("index", &["index"])],
            &[room("read", &["read"])],
            &[room("inference", &["inference"])],
            &[room("query", &["query"])],
            &[room("builder", &["builder"])],
            &[room("oracle", &["oracle"])],
            // What users of the crate import.
            &[room("facade", &["answer", "build"])],
        ],
    },
    CrateRooms {
        name: "compare",
        folder: "compare/src",
        floors: &[
            // Plain data of answers, and the pairs of code and threads.
            &[
                room("region", &["region"]),
                room("slides", &["slides"]),
                room("threads", &["threads"]),
            ],
            &[room("align", &["align"])],
            &[room("divergence", &["divergence"])],
            // Rules forgive differences of values, and the pass applies them.
            &[room("values", &["values", "rules"])],
            &[room(
                "cause",
                &["cause", "cause_origin", "cause_unrecorded"],
            )],
            &[room("comparison", &["comparison"])],
        ],
    },
    CrateRooms {
        name: "debugger",
        folder: "debugger/src",
        floors: &[
            &[
                room("number", &["number"]),
                room("icons", &["icons"]),
                room("paths", &["paths"]),
                room("new_file", &["new_file"]),
            ],
            // The program's messages, in every language.
            &[room("messages", &["messages"])],
            &[room("clock", &["clock"])],
            &[
                room("image", &["image"]),
                room("source", &["source"]),
                room("syntax", &["syntax"]),
            ],
            // Notes that a user keeps about a trace.
            &[room("notes", &["notes"])],
            &[room("session", &["session"])],
            &[room("expression", &["expression"])],
            &[room("place", &["place"])],
            // The one action language of keys, menus, scripts and tests.
            &[room("action", &["action"])],
            &[room("analysis", &["analysis"])],
            &[
                room("model", &["model"]),
                // Other programs that follow the position.
                room("sync", &["sync"]),
                room("columns", &["columns"]),
                room("vcd", &["vcd"]),
                room("truncate", &["truncate", "cut"]),
            ],
            &[room("worker", &["worker"])],
            &[room("keymap", &["keymap"])],
            // Open traces and the queries on them.
            &[room("desk", &["desk"])],
            // The program's state: open, opening, saving and queued work; the interface of front
            // ends.
            &[room("program", &["program"])],
            // A view per panel.
            &[room("views", &["views"])],
        ],
    },
    CrateRooms {
        name: "window",
        folder: "window/src",
        floors: &[
            &[room("theme", &["theme"])],
            &[room("panels", &["panels"])],
            &[room("shell", &[""])],
        ],
    },
    CrateRooms {
        name: "terminal",
        folder: "terminal/src",
        floors: &[&[room("terminal", &[""])]],
    },
    CrateRooms {
        name: "src",
        folder: "src",
        floors: &[
            // Formatting that servers share with the command line.
            &[room(
                "text",
                &[
                    "cli/text",
                    "cli/json",
                    "cli/long_double",
                    "cli/variable_strings",
                    "cli/variable_text",
                ],
            )],
            // Questions that servers answer alike, and work that their clients stop.
            &[
                room("viewpoint", &["servers/viewpoint"]),
                room("pending", &["servers/pending"]),
            ],
            &[room("gdb", &["servers/gdb"]), room("dap", &["servers/dap"])],
            &[room("cli", &["cli"])],
            // The server for agents answers with the subcommands' own answers.
            &[room("servers", &["servers"])],
            &[room("main", &["main"])],
        ],
    },
];

const fn room(name: &'static str, places: &'static [&'static str]) -> Room {
    Room { name, places }
}

/// A room by its crate, floor and number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoomId {
    pub rank: usize,
    pub floor: usize,
    pub number: usize,
}

impl RoomId {
    /// Returns the room of a file.
    pub fn of(path: &str) -> Option<Self> {
        let (rank, one) = ROOMS
            .iter()
            .enumerate()
            .find(|(_, one)| inside(path, one.folder).is_some())?;
        let module = inside(path, one.folder)?
            .trim_end_matches(".rs")
            .trim_end_matches("/mod");
        let mut best: Option<(usize, Self)> = None;
        for (floor, rooms) in one.floors.iter().enumerate() {
            for (number, room) in rooms.iter().enumerate() {
                let fitting = room.places.iter().filter(|place| {
                    place.is_empty() || module == **place || inside(module, place).is_some()
                });
                let length = fitting.map(|place| place.len()).max();
                if length.is_some_and(|length| best.is_none_or(|(longest, _)| length > longest)) {
                    best = length.map(|length| {
                        (
                            length,
                            Self {
                                rank,
                                floor,
                                number,
                            },
                        )
                    });
                }
            }
        }
        best.map(|(_, room)| room)
    }

    pub fn room(self) -> &'static Room {
        &ROOMS[self.rank].floors[self.floor][self.number]
    }

    /// Formats `index/query`.
    pub fn name(self) -> String {
        format!("{}/{}", ROOMS[self.rank].name, self.room().name)
    }

    /// Returns the reason why this room may not use another. None if it may.
    pub fn barred_from(self, other: Self) -> Option<&'static str> {
        match self.floor.cmp(&other.floor) {
            _ if self.rank != other.rank || self == other => None,
            Ordering::Less => Some("upward"),
            Ordering::Equal => Some("its neighbour"),
            Ordering::Greater => None,
        }
    }
}

fn inside<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}
