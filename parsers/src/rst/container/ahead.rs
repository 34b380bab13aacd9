//! Unpacks a file on a separate thread, a bounded number of buffers ahead of the reader.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use crate::packed::{Damage, ForwardReader};
use crate::read_at::ReadAt;

/// Number of bytes unpacked at once.
const BUFFER_BYTES: usize = 256 << 10;
/// Maximum number of unpacked buffers that wait for the reader.
const AHEAD: usize = 8;

/// Sequential reader of the unpacked bytes of a file.
pub struct ReadAheadReader {
    /// None only while the reader is dropped.
    parts: Option<Receiver<ReadAheadMessage>>,
    idle: Sender<Vec<u8>>,
    worker: Option<JoinHandle<()>>,
    buffer: Vec<u8>,
    used: usize,
    offset: u64,
    /// The reason why the bytes end, if that is not the end of the file.
    damage: Option<Damage>,
    is_over: bool,
}

/// A message from the unpacking thread.
enum ReadAheadMessage {
    Bytes(Vec<u8>),
    /// The end of the unpacked bytes, with the damage if there is any.
    End(Option<Damage>),
    Failure(io::Error),
}

impl ReadAheadReader {
    /// Starts to unpack a file.
    ///
    /// # Errors
    /// The file could not be read, or the thread could not be started.
    pub fn open(file: Arc<dyn ReadAt>) -> io::Result<Self> {
        let mut input = ForwardReader::open(file, 0)?;
        let (sender, parts) = sync_channel(AHEAD);
        let (idle, idle_buffers) = channel();
        let work = move || {
            // A panic in a library must not look like the end of the file.
            let end = catch_unwind(AssertUnwindSafe(|| {
                hand_over(&mut input, &sender, &idle_buffers)
            }));
            // The receiver is gone if the reader was dropped.
            _ = sender.send(match end {
                Ok(Ok(())) => ReadAheadMessage::End(input.damage().cloned()),
                Ok(Err(error)) => ReadAheadMessage::Failure(error),
                Err(_) => {
                    ReadAheadMessage::Failure(io::Error::other("what unpacks the trace has failed"))
                }
            });
        };
        let worker = std::thread::Builder::new()
            .name("unpack".to_owned())
            .spawn(work)?;
        Ok(Self {
            parts: Some(parts),
            idle,
            worker: Some(worker),
            buffer: Vec::new(),
            used: 0,
            offset: 0,
            damage: None,
            is_over: false,
        })
    }

    /// Returns the number of bytes read until now.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Takes the reason why the bytes ended, if the file is damaged there.
    pub fn take_damage(&mut self) -> Option<Damage> {
        self.damage.take()
    }

    /// Appends the next `count` bytes; fewer only at the end.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn read_into(&mut self, out: &mut Vec<u8>, mut count: usize) -> io::Result<()> {
        while count > 0 && self.has_more()? {
            let rest = self.buffer.get(self.used..).unwrap_or_default();
            let part = rest.get(..count.min(rest.len())).unwrap_or(rest);
            out.extend_from_slice(part);
            count -= part.len();
            self.used += part.len();
            self.offset = self.offset.saturating_add(part.len() as u64);
        }
        Ok(())
    }

    /// Returns false at the end.
    fn has_more(&mut self) -> io::Result<bool> {
        while self.used == self.buffer.len() && !self.is_over {
            // The receiver is gone when the whole file is unpacked.
            _ = self.idle.send(std::mem::take(&mut self.buffer));
            self.used = 0;
            match self.parts.as_ref().and_then(|parts| parts.recv().ok()) {
                Some(ReadAheadMessage::Bytes(bytes)) => self.buffer = bytes,
                Some(ReadAheadMessage::End(damage)) => (self.damage, self.is_over) = (damage, true),
                Some(ReadAheadMessage::Failure(error)) => return Err(error),
                None => {
                    return Err(io::Error::other(
                        "the thread that unpacks the trace has ended",
                    ));
                }
            }
        }
        Ok(self.used < self.buffer.len())
    }
}

impl Drop for ReadAheadReader {
    fn drop(&mut self) {
        self.parts = None; // disconnects the channel, so the thread ends
        if let Some(worker) = self.worker.take() {
            _ = worker.join();
        }
    }
}

/// Sends all unpacked buffers, until the receiver is gone.
fn hand_over(
    input: &mut ForwardReader,
    parts: &SyncSender<ReadAheadMessage>,
    idle: &Receiver<Vec<u8>>,
) -> io::Result<()> {
    loop {
        let mut buffer = idle.try_recv().unwrap_or_default();
        buffer.resize(BUFFER_BYTES, 0);
        let count = input.read(&mut buffer)?;
        buffer.truncate(count);
        let is_last = count == 0;
        if is_last || parts.send(ReadAheadMessage::Bytes(buffer)).is_err() {
            return Ok(());
        }
    }
}
