//! A picture of the window, saved as PNG.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use egui::ColorImage;

use stepback_debugger::messages::say;
use stepback_debugger::worker::{JobLane, Ticket, Worker};

/// What lay over the panels when the picture was asked for, such as the palette, is gone after so many frames.
const FRAMES: u32 = 3;

/// A picture that was asked for.
pub struct PendingScreenshot {
    path: PathBuf,
    state: ScreenshotState,
}

enum ScreenshotState {
    /// Not asked for before so many frames are drawn.
    Wanted(u32),
    /// Asked for; the window system fills it in after the frame.
    Asked(Arc<Mutex<Option<Arc<ColorImage>>>>),
    /// It is packed and written beside the window's thread.
    Saving(Ticket<()>),
}

impl PendingScreenshot {
    /// A picture that will be saved to a path.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            state: ScreenshotState::Wanted(FRAMES),
        }
    }

    /// Asks for the picture, then saves it and says where. None while it is on its way; to be called once a frame.
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

/// A file that was there stays whole until the picture is.
fn save(image: &ColorImage, path: &Path) -> Result<()> {
    // What is a link or no file, such as a pipe, is written into.
    let refused = || say!("picture-not-saved", path = format!("{path:?}"));
    if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
        return write(image, File::create(path).with_context(refused)?, path);
    }
    // A file or link of this name that was there is somebody else's.
    let partial = path.with_added_extension(format!("{}.partial", std::process::id()));
    let file = File::create_new(&partial).with_context(refused)?;
    let saved = write(image, file, path)
        .and_then(|()| std::fs::rename(&partial, path).with_context(refused));
    if saved.is_err() {
        // It may not be there at all.
        let _left = std::fs::remove_file(&partial);
    }
    saved
}

/// Writes a picture into a file; errors bear the path that the user gave.
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
