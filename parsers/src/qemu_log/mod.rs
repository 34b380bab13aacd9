//! Logs of QEMU: the plugin execlog ([`ExecLog`]), and `-d in_asm,exec,cpu` ([`CpuLog`]).

mod cpu_log;
mod dump;
mod exec_log;
mod listing;
mod text_set;

pub(crate) use crate::qemu_log::cpu_log::{CpuLog, is_cpu_log_line};
pub(crate) use crate::qemu_log::exec_log::{ExecLog, is_exec_log_line};
