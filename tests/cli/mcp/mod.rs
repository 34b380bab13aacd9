//! `stepback mcp` as a client sees it.

mod answers;
mod client;
#[cfg(target_os = "linux")]
mod hostile;
mod hunts;
mod pages;
mod protocol;
