//! Icons: code points of the Phosphor font, equal in the regular and the filled face.

/// Open a trace.
pub const OPEN: char = '\u{e256}';
/// Back in the history.
pub const BACK: char = '\u{e058}';
/// Forward in the history.
pub const FORWARD: char = '\u{e06c}';
pub const START: char = '\u{e5a4}';
pub const END: char = '\u{e5a6}';
/// One step back; also a caret to the left.
pub const STEP_BACK: char = '\u{e138}';
/// One step forward; also a caret to the right.
pub const STEP: char = '\u{e13a}';
/// Back over a call.
pub const OVER_BACK: char = '\u{e014}';
/// Over a call.
pub const OVER: char = '\u{e016}';
/// Back out of a function. For the forward direction it is painted upside down.
pub const OUT: char = '\u{e066}';
/// Out of a function, forwards: [`OUT`] turned by 180 degrees.
pub const OUT_FORWARD: char = '\u{e05c}';
pub const LAST_WRITE: char = '\u{e062}';
pub const NEXT_WRITE: char = '\u{e064}';
/// A bookmark; filled: a ribbon.
pub const BOOKMARK: char = '\u{e0ea}';
pub const SIDE_BY_SIDE: char = '\u{e546}';
pub const COMPARE: char = '\u{e27c}';
pub const GO_TO: char = '\u{e1d6}';
pub const SEARCH: char = '\u{e30c}';
/// The call tree.
pub const CALLS: char = '\u{e67c}';
/// The call stack.
pub const STACK: char = '\u{e466}';
pub const THREADS: char = '\u{e5a2}';
/// Tasks: a board of columns.
pub const TASKS: char = '\u{eb54}';
/// Reads and writes of memory.
pub const ACCESSES: char = '\u{e098}';
/// A block of the heap.
pub const HEAP: char = '\u{e390}';
/// Regions of memory: a map.
pub const REGIONS: char = '\u{e31a}';
/// The memory of the stack.
pub const STACK_MEMORY: char = '\u{e468}';
pub const EFFECTS: char = '\u{e2de}';
pub const HEAT: char = '\u{e5c6}';
pub const FUNCTIONS: char = '\u{ebe4}';
/// Differences: a crossed-out equals sign.
pub const DIFFERENCES: char = '\u{eda6}';
/// Values in columns.
pub const VALUES: char = '\u{e476}';
pub const REGISTERS: char = '\u{e610}';
pub const MEMORY: char = '\u{e9c4}';
pub const WATCH: char = '\u{e220}';
/// A pin; filled: pinned.
pub const PIN: char = '\u{e3e2}';
/// Synchronised windows or panels.
pub const LINK: char = '\u{e2e2}';
pub const SWAP: char = '\u{e83c}';
pub const FILTER: char = '\u{e266}';
/// A list; also the trace.
pub const LIST: char = '\u{e2f0}';
pub const MORE: char = '\u{e1fe}';
/// A source file.
pub const SOURCE: char = '\u{e1bc}';
/// A warning; filled: an exception.
pub const WARNING: char = '\u{e4e0}';
pub const ERROR: char = '\u{e4e2}';
/// Something worth knowing.
pub const INFO: char = '\u{e2ce}';
pub const CLOSE: char = '\u{e4f6}';
/// The light theme.
pub const SUN: char = '\u{e472}';
/// The dark theme.
pub const MOON: char = '\u{e330}';
/// The theme of the desktop.
pub const DESKTOP: char = '\u{e560}';
pub const FILE: char = '\u{e230}';
/// Run the demo.
pub const PLAY: char = '\u{e3d0}';
pub const COPY: char = '\u{e1ca}';
/// A caret downwards.
pub const CARET_DOWN: char = '\u{e136}';
/// A caret upwards.
pub const CARET_UP: char = '\u{e13c}';
pub const CARET_RIGHT: char = '\u{e13a}';
/// An empty panel.
pub const EMPTY: char = '\u{e4aa}';
/// Keys.
pub const KEYBOARD: char = '\u{e2d8}';
pub const COMMAND: char = '\u{e1c4}';
/// A chosen item.
pub const CHECK: char = '\u{e182}';
/// Do again.
pub const RELOAD: char = '\u{e094}';
pub const UNDO: char = '\u{e038}';
pub const REDO: char = '\u{e036}';
pub const FOLD: char = '\u{e32a}';
pub const UNFOLD: char = '\u{e3d4}';
pub const TEXT_SIZE: char = '\u{e6ee}';
/// Joining paths: the origin of a cell's value.
pub const WHY: char = '\u{e280}';
pub const FLAME: char = '\u{e242}';
pub const HELP: char = '\u{e3e8}';
