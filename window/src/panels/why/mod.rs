//! Why a cell has its value: the query, the followed dependences, and the steps that the value
//! comes from.

mod bar;
mod menu;
mod panel;
mod rows;

pub use panel::WhyPanel;
