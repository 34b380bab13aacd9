//! Picture of the window, saved as PNG.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use egui::ColorImage;
use stepback_debugger::messages::say;
use stepback_debugger::worker::{JobLane, Ticket, Worker};

/// Number of frames after which overlays such as the palette are gone.
const FRAMES: u32 = 3;

/// A requested picture.
pub struct PendingScreenshot {
    path: PathBuf,
    state: ScreenshotState,
}

enum ScreenshotState {
    /// Not yet requested; the number of frames to wait for.
    Wanted(u32),
    /// Requested; the window system fills it in after the frame.
    Asked(Arc<Mutex<Option<Arc<ColorImage>>>>),
    /// Being encoded and written by a worker thread.
    Saving(Ticket<()>),
}

impl PendingScreenshot {
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            state: ScreenshotState::Wanted(FRAMES),
        }
    }

    /// Requests the picture, then saves it and returns its path. Returns none while it is pending.
    /// Call it once per frame.
    pub fn advance(
        &mut self,
        context: &egui::Context,
        worker: &Worker,
    ) -> Option<Result<PathBuf, String>> {
        match &mut self.state {
            ScreenshotState::Wanted(0) => {
                let place = Arc::new(Mutex::new(None));
                self.state = ScreenshotState::Asked(place.clone());
                let again = context.clone();
                context.request_screenshot(move |image| {
                    *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(image);
                    again.request_repaint();
                });
                None
            }
            ScreenshotState::Wanted(frames) => {
                *frames -= 1;
                context.request_repaint();
                None
            }
            ScreenshotState::Asked(place) => {
                let image = place
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take()?;
                let path = self.path.clone();
                self.state = ScreenshotState::Saving(
                    worker.spawn(JobLane::Short, move |_| save(&image, &path)),
                );
                context.request_repaint();
                None
            }
            ScreenshotState::Saving(ticket) => {
                let saved = ticket.take()?.map(|()| self.path.clone());
                Some(saved.map_err(|error| format!("{error:#}")))
            }
        }
    }
}

/// Saves the picture. An existing file is replaced only when the new one is complete.
fn save(image: &ColorImage, path: &Path) -> Result<()> {
    // Links and special files, such as pipes, are written to directly.
    let refused = || say!("picture-not-saved", path = format!("{path:?}"));
    if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
        return write(image, File::create(path).with_context(refused)?, path);
    }
    // An existing file or link of this name belongs to somebody else.
    let partial = path.with_added_extension(format!("{}.partial", std::process::id()));
    let file = File::create_new(&partial).with_context(refused)?;
    let saved = write(image, file, path)
        .and_then(|()| std::fs::rename(&partial, path).with_context(refused));
    if saved.is_err() {
        // It may not exist.
        let _left = std::fs::remove_file(&partial);
    }
    saved
}

/// Writes a picture to a file; errors name the path that the user gave.
fn write(image: &ColorImage, file: File, path: &Path) -> Result<()> {
    let refused = || say!("picture-not-saved", path = format!("{path:?}"));
    let [width, height] = image.size.map(u32::try_from);
    let mut encoder = png::Encoder::new(BufWriter::new(file), width?, height?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let bytes: Vec<u8> = image
        .pixels
        .iter()
        .flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()])
        .collect();
    let mut writer = encoder.write_header().with_context(refused)?;
    writer.write_image_data(&bytes).with_context(refused)?;
    writer.finish().with_context(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_a_png_of_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        save(&ColorImage::filled([3, 2], egui::Color32::RED), &path).unwrap();
        let reader = png::Decoder::new(std::io::BufReader::new(File::open(&path).unwrap()))
            .read_info()
            .unwrap();
        assert_eq!((reader.info().width, reader.info().height), (3, 2));
    }

    #[test]
    fn a_picture_that_cannot_be_saved_names_its_path() {
        let error = save(
            &ColorImage::filled([1, 1], egui::Color32::RED),
            Path::new("/nowhere/a.png"),
        )
        .unwrap_err();
        assert!(format!("{error:#}").contains("/nowhere/a.png"));
    }
}
