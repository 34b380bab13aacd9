//! What the operating system knows of this process and of files. None where it does not tell.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// CPU time of all threads of this process so far.
#[cfg(unix)]
pub fn cpu_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(
        u64::try_from(time.tv_sec).ok()?,
        u32::try_from(time.tv_nsec).ok()?,
    ))
}

/// CPU time of this thread so far.
#[cfg(unix)]
pub fn thread_cpu_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(
        u64::try_from(time.tv_sec).ok()?,
        u32::try_from(time.tv_nsec).ok()?,
    ))
}

/// Bytes that can still be written where a directory is.
#[cfg(unix)]
pub fn free_bytes(directory: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(directory).ok()?;
    Some(space.f_bavail.saturating_mul(space.f_frsize))
}

/// Asks that the pages of a file be dropped from the system's cache. It drops those alone that are clean and not mapped.
#[cfg(target_os = "linux")]
pub fn forget_pages(path: &Path) -> Option<()> {
    let file = File::open(path).ok()?;
    file.sync_all().ok()?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).ok()
}

/// CPU time of all threads of this process so far.
#[cfg(not(unix))]
pub fn cpu_time() -> Option<Duration> {
    None
}

/// CPU time of this thread so far.
#[cfg(not(unix))]
pub fn thread_cpu_time() -> Option<Duration> {
    None
}

/// Bytes that can still be written where a directory is.
#[cfg(not(unix))]
pub fn free_bytes(_directory: &Path) -> Option<u64> {
    None
}

/// Asks that the pages of a file be dropped from the system's cache.
#[cfg(not(target_os = "linux"))]
pub fn forget_pages(path: &Path) -> Option<()> {
    _ = File::open(path);
    None
}

/// A number of `/proc/self/status`: `VmHWM`, `RssAnon`.
pub fn status_kib(name: &str) -> Option<u64> {
    number_in("/proc/self/status", name)
}

/// Bytes that this process had to read from a disk so far.
pub fn read_bytes() -> Option<u64> {
    number_in("/proc/self/io", "read_bytes")
}

/// A number of a file that says `NAME: NUMBER` in a line.
pub(crate) fn number_in(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let rest = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    rest.split_whitespace().next()?.parse().ok()
}
