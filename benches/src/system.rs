//! Facts of the operating system about this process and about files. None on systems that do not
//! report them.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Returns the CPU time that all threads of this process have used.
#[cfg(unix)]
pub fn cpu_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(
        u64::try_from(time.tv_sec).ok()?,
        u32::try_from(time.tv_nsec).ok()?,
    ))
}

/// Returns the CPU time that this thread has used.
#[cfg(unix)]
pub fn thread_cpu_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(
        u64::try_from(time.tv_sec).ok()?,
        u32::try_from(time.tv_nsec).ok()?,
    ))
}

/// Returns the number of free bytes on the disk of a directory.
#[cfg(unix)]
pub fn free_bytes(directory: &Path) -> Option<u64> {
    let space = rustix::fs::statvfs(directory).ok()?;
    Some(space.f_bavail.saturating_mul(space.f_frsize))
}

/// Requests that the system drop the pages of a file from its cache. Only clean pages that are not
/// mapped are dropped.
#[cfg(target_os = "linux")]
pub fn forget_pages(path: &Path) -> Option<()> {
    let file = File::open(path).ok()?;
    file.sync_all().ok()?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).ok()
}

/// Returns the CPU time that all threads of this process have used.
#[cfg(not(unix))]
pub fn cpu_time() -> Option<Duration> {
    None
}

/// Returns the CPU time that this thread has used.
#[cfg(not(unix))]
pub fn thread_cpu_time() -> Option<Duration> {
    None
}

/// Returns the number of free bytes on the disk of a directory.
#[cfg(not(unix))]
pub fn free_bytes(_directory: &Path) -> Option<u64> {
    None
}

/// Requests that the system drop the pages of a file from its cache.
#[cfg(not(target_os = "linux"))]
pub fn forget_pages(path: &Path) -> Option<()> {
    _ = File::open(path);
    None
}

/// Returns a number of `/proc/self/status`: `VmHWM`, `RssAnon`.
pub fn status_kib(name: &str) -> Option<u64> {
    number_in("/proc/self/status", name)
}

/// Runs something, and returns its result with the largest anonymous memory of the process
/// meanwhile, in KiB, looked at every 4 ms.
pub fn with_peak_memory<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let (is_done, anonymous) = (AtomicBool::new(false), AtomicU64::new(0));
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                anonymous.fetch_max(status_kib("RssAnon").unwrap_or_default(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(4));
            }
        });
        let result = run();
        is_done.store(true, Ordering::Relaxed);
        result
    });
    (result, anonymous.into_inner())
}

/// Returns the number of bytes that this process has read from disk.
pub fn read_bytes() -> Option<u64> {
    number_in("/proc/self/io", "read_bytes")
}

/// Returns a number from a file with lines `NAME: NUMBER`.
pub(crate) fn number_in(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let rest = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    rest.split_whitespace().next()?.parse().ok()
}
