//! Scenes to draw: one per panel, and the overlays.

/// Content of a picture.
pub struct Scene {
    /// Name of its file, followed by the theme.
    pub name: &'static str,
    /// Script lines to run before drawing.
    pub lines: &'static str,
}

/// Groups that need separate windows: overlays and marks persist in a window.
pub const RUNS: [&[Scene]; 5] = [&PANELS, &WHY, &KEYS, &PALETTE, &SETTINGS];

const PANELS: [Scene; 24] = [
    Scene {
        name: "debug",
        lines: "",
    },
    Scene {
        name: "profile",
        lines: "Use layout Profile",
    },
    Scene {
        name: "source",
        lines: "Use layout Source",
    },
    Scene {
        name: "trace",
        lines: "Raw text",
    },
    Scene {
        name: "registers",
        lines: "Raw text\nShow registers\nLast write x2",
    },
    Scene {
        name: "memory",
        lines: "Show memory x0",
    },
    Scene {
        name: "calls",
        lines: "Show calls",
    },
    Scene {
        name: "warnings",
        lines: "Show warnings",
    },
    Scene {
        name: "stack",
        lines: "Show stack",
    },
    Scene {
        name: "externals",
        lines: "Show external changes",
    },
    Scene {
        name: "threads",
        lines: "Show threads",
    },
    Scene {
        name: "accesses",
        lines: "Show accesses 80020340:8",
    },
    Scene {
        name: "values",
        lines: "All values x2",
    },
    Scene {
        name: "watches",
        lines: "Watch x0\nWatch [sp+8] u32\nShow watches",
    },
    Scene {
        name: "heap",
        lines: "Show heap",
    },
    Scene {
        name: "heat",
        lines: "Show heat",
    },
    Scene {
        name: "flame",
        lines: "Show flame graph",
    },
    Scene {
        name: "findings",
        lines: "Show findings",
    },
    Scene {
        name: "find",
        lines: "Find decode_field",
    },
    Scene {
        name: "bookmarks",
        lines: "Bookmark writes behind the buffer\nShow bookmarks",
    },
    Scene {
        name: "regions",
        lines: "Show memory regions",
    },
    Scene {
        name: "stack-memory",
        lines: "Show stack memory",
    },
    Scene {
        name: "hits",
        lines: "Find decode_field\nOnly hits",
    },
    // Last: the second trace window stays. The first shows all steps again. Both come from afar, so
    // that the scroll position does not depend on how the second was opened.
    Scene {
        name: "compare",
        lines: "Only hits\nCompare before and after this call\nWindows move together\nGo to 100\nGo to 43985",
    },
];

// Drawn in a separate window: its marks stay in the list of steps and in the timeline.
const WHY: [Scene; 2] = [
    Scene {
        name: "why",
        lines: "Go to end\nWhy x2",
    },
    Scene {
        name: "why-tree",
        lines: "Go to end\nWhy x2\nSlice as a tree\nOnly steps of the slice",
    },
];

const KEYS: [Scene; 1] = [Scene {
    name: "keys",
    lines: "Keys",
}];

const PALETTE: [Scene; 1] = [Scene {
    name: "palette",
    lines: "Commands…",
}];

const SETTINGS: [Scene; 1] = [Scene {
    name: "settings",
    lines: "Settings…",
}];
