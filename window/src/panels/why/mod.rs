//! Why a cell has its value: the question, what is followed, and the steps that the value comes from.

mod bar;
mod columns;
mod kept;
mod menu;
mod panel;
mod rows;

pub use panel::WhyPanel;
