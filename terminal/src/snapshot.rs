//! Screen as text, for tests and documents.

use ratatui::buffer::Buffer;

/// Returns the text of the cells, one line per row, without trailing spaces.
pub fn text_of(buffer: &Buffer) -> String {
    let area = buffer.area;
    let row = |y: u16| -> String {
        let mut line = String::new();
        let mut x = area.x;
        while x < area.right() {
            let symbol = buffer.cell((x, y)).map_or(" ", |cell| cell.symbol());
            line.push_str(symbol);
            // The second half of a wide letter has no symbol.
            x = x.saturating_add(
                u16::try_from(super::clean::width(symbol))
                    .unwrap_or(1)
                    .max(1),
            );
        }
        line.truncate(line.trim_end().len());
        line + "\n"
    };
    (area.y..area.bottom()).map(row).collect()
}
