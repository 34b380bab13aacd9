//! The browser in a terminal: what the window shows, drawn in cells, for machines without a display.
