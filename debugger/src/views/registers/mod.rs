//! The registers at a position, for panels with a cursor that moves in two directions.

mod cursor;
mod gesture;
mod grid;
#[cfg(test)]
mod tests;
mod view;

pub use gesture::{RegisterGesture, address_of};
pub use grid::{
    CellSpot, GridLayout, GridRow, RegisterBlock, RegisterGrid, RowKind, lanes_per_row,
};
pub use view::RegistersView;
