//! Logs of changed registers: Tenet ([`Tenet`]), which is also written ([`TenetWriter`]), and the
//! text of unidbg ([`Unidbg`]).

mod tenet;
mod unidbg;
mod writer;

pub(crate) use crate::delta_log::tenet::{Tenet, is_tenet_line};
pub(crate) use crate::delta_log::unidbg::{Unidbg, is_unidbg_line};
pub use crate::delta_log::writer::TenetWriter;
