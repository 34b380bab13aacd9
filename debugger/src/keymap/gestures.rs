//! Keys of panels and mouse gestures, for the page of keys.

/// Keys of panels with a cursor, for the page of keys: message id of the meaning, and the keys'
/// names. The panels handle them, since their meaning depends on the panel.
pub const PANEL_KEYS: [(&str, &[&str]); 17] = [
    ("keys-move-the-cursor", &["Arrows", "PageUp", "PageDown"]),
    ("keys-first-last", &["Ctrl+Home", "Ctrl+End"]),
    ("keys-last-write-travel", &["Enter"]),
    ("keys-next-write", &["Shift+Enter"]),
    ("keys-previous-next-change-of-a", &["Left", "Right"]),
    ("keys-show-memory-at-the-value", &["M"]),
    ("keys-follow-the-address-expression", &["E"]),
    ("keys-compare-memory", &["D"]),
    ("keys-next-previous-changed-byte", &["C", "Shift+C"]),
    ("keys-another-group-of-registers", &["V"]),
    ("keys-read-register-lanes-in-another", &["L"]),
    ("keys-last-write-of-so-many", &["1", "2", "4", "8"]),
    ("keys-rename-a-bookmark", &["F2"]),
    ("keys-note-of-a-bookmark", &["Shift+F2"]),
    ("keys-delete-a-bookmark", &["Delete"]),
    ("keys-zoom-the-flame-graph-out", &["Enter", "Backspace"]),
    ("keys-copy", &["Ctrl+C"]),
];

/// Mouse gestures of the timeline, for the page of keys and for tooltips: message ids of the
/// gesture and of its meaning.
pub const TIMELINE_GESTURES: [(&str, &str); 7] = [
    ("keys-click", "keys-travel-there"),
    ("keys-wheel", "keys-zoom"),
    ("keys-shift-wheel-middle-drag", "keys-move-in-time"),
    ("keys-alt-wheel-wheel-over-names", "keys-scroll-depths"),
    ("keys-double-click", "keys-zoom-to-a-call-or"),
    ("keys-shift-drag", "keys-select-a-range"),
    ("keys-right-click", "keys-what-can-be-done"),
];

/// Mouse gestures of lists and tabs, for the page of keys.
pub const MOUSE_GESTURES: [(&str, &str); 6] = [
    ("keys-double-click", "keys-travel-there"),
    ("keys-middle-or-ctrl-click", "keys-open-a-window-there"),
    ("keys-right-click", "keys-what-can-be-done"),
    ("keys-middle-click-tab", "keys-close-the-panel"),
    ("keys-drag-tab", "keys-move-the-panel"),
    ("keys-drop-files", "keys-open-them"),
];
