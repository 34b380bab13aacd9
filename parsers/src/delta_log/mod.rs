//! Logs of changed registers: Tenet ([`Tenet`]), and the text of unidbg ([`Unidbg`]).

mod tenet;
mod unidbg;

pub(crate) use crate::delta_log::tenet::{Tenet, is_tenet_line};
pub(crate) use crate::delta_log::unidbg::{Unidbg, is_unidbg_line};
