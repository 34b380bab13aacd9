//! Picture of the window, saved as PNG.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use egui::ColorImage;
use stepback_debugger::messages::say;
use stepback_debugger::new_file::NewFile;
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
    Requested(Arc<Mutex<Option<Arc<ColorImage>>>>),
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
                self.state = ScreenshotState::Requested(place.clone());
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
            ScreenshotState::Requested(place) => {
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
    let encode = || -> Result<()> {
        let mut file = NewFile::create(path)?;
        write(image, &mut file)?;
        Ok(file.finish()?)
    };
    encode().with_context(|| say!("picture-not-saved", path = format!("{path:?}")))
}

/// Writes a picture as PNG.
fn write(image: &ColorImage, out: &mut NewFile) -> Result<()> {
    let [width, height] = image.size.map(u32::try_from);
    let mut encoder = png::Encoder::new(out, width?, height?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let bytes: Vec<u8> = image
        .pixels
        .iter()
        .flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()])
        .collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    Ok(writer.finish()?)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

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
