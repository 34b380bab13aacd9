//! Progress of the index while a trace opens, as events for clients that support them.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value as Json, json};
use stepback_index::build::BuildProgress;

use super::output::Output;

/// Interval of the events.
const INTERVAL: Duration = Duration::from_millis(200);

/// Prefix of the progress number, before the number of the request.
const PREFIX: &str = "launch-";

/// Returns the number of the request that a progress belongs to.
pub fn request_of(progress: &str) -> Option<Json> {
    let number: u64 = progress.strip_prefix(PREFIX)?.parse().ok()?;
    Some(number.into())
}

/// Does some work and reports the progress of the index that it builds. Work without a build is not
/// reported.
pub fn reported<T>(output: &Output, request: &Json, work: impl FnOnce(&BuildProgress) -> T) -> T {
    let progress = BuildProgress::default();
    std::thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let report = ProgressReport {
            output,
            id: format!("{PREFIX}{request}"),
            request,
        };
        let progress = &progress;
        scope.spawn(move || report.watch(progress, &is_done));
        let result = work(progress);
        drop(done);
        result
    })
}

/// A progress that is reported.
struct ProgressReport<'a> {
    output: &'a Output,
    id: String,
    request: &'a Json,
}

impl ProgressReport<'_> {
    /// Reports until the work is done. A client that has gone hears nothing.
    fn watch(&self, progress: &BuildProgress, is_done: &Receiver<()>) {
        let mut shown = None;
        loop {
            let ended = is_done.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout);
            if let Some(percentage) = percentage(progress) {
                if shown.is_none() {
                    self.start();
                }
                if shown != Some(percentage) {
                    self.update(percentage, progress);
                }
                shown = Some(percentage);
            }
            if ended {
                if shown.is_some() {
                    self.event("progressEnd", json!({"progressId": self.id}));
                }
                return;
            }
        }
    }

    fn start(&self) {
        self.event(
            "progressStart",
            json!({
                "progressId": self.id,
                "title": "Indexing the trace",
                "requestId": self.request,
                "cancellable": true,
                "percentage": 0,
            }),
        );
    }

    fn update(&self, percentage: u64, progress: &BuildProgress) {
        let steps = progress.steps.load(Ordering::Relaxed);
        self.event(
            "progressUpdate",
            json!({
                "progressId": self.id,
                "message": crate::cli::text::counted(steps, "step"),
                "percentage": percentage,
            }),
        );
    }

    fn event(&self, name: &str, body: Json) {
        drop(self.output.event(name, body));
    }
}

/// Returns how much of the trace was read; none before the build begins.
fn percentage(progress: &BuildProgress) -> Option<u64> {
    let total = progress.bytes_total.load(Ordering::Relaxed);
    let done = progress.bytes_done.load(Ordering::Relaxed);
    (total > 0).then(|| (done.min(total) as u128 * 100 / u128::from(total)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progress_names_its_request() {
        assert_eq!(request_of("launch-12"), Some(12.into()));
        assert_eq!(request_of("launch-x"), None);
        assert_eq!(request_of("12"), None);
    }

    #[test]
    fn a_build_that_has_not_begun_has_no_percentage() {
        let progress = BuildProgress::default();
        assert_eq!(percentage(&progress), None);
        progress.bytes_total.store(u64::MAX, Ordering::Relaxed);
        progress.bytes_done.store(u64::MAX / 2, Ordering::Relaxed);
        assert_eq!(percentage(&progress), Some(49));
        progress.bytes_total.store(10, Ordering::Relaxed);
        assert_eq!(percentage(&progress), Some(100));
    }
}
