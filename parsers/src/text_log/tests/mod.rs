mod commit_logs;
mod cut_logs;
mod delta_logs;
mod parts;
mod qemu_logs;
mod quick_logs;
mod recorder;
