//! A table of calls that is not part of an index file.

use std::fs::File;
use std::io;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use crate::store::calls::encoder::{TableEncoder, encode_sorted};
use crate::store::calls::frame::Frame;
use crate::store::calls::layout::{CallLayout, StackSwitch};
use crate::store::data::Data;

/// Where such a table lies: in a file without a name, so it is gone when nobody uses it, or in memory.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a> {
    /// Where the file is made; none for an index in memory.
    pub folder: Option<&'a Path>,
}

impl Beside<'_> {
    /// The table of frames that come in its order; they may be asked for twice.
    /// Memory: 56 bytes a frame where no file can be made or filled, else only the frames that are open at once.
    pub fn table<I: Iterator<Item = Frame>>(
        self,
        frames: impl Fn() -> I,
        switches: &[StackSwitch],
    ) -> (Data, CallLayout) {
        let in_file = self.folder.and_then(|folder| written(frames(), switches, folder).ok());
        in_file.unwrap_or_else(|| {
            let (bytes, layout) = encode_sorted(frames(), switches.to_vec());
            (Data::Memory(bytes), layout)
        })
    }
}

fn written(
    frames: impl Iterator<Item = Frame>,
    switches: &[StackSwitch],
    folder: &Path,
) -> io::Result<(Data, CallLayout)> {
    let file: File = tempfile::tempfile_in(folder)?;
    let mut encoder = TableEncoder::default();
    let mut writer = BufWriter::new(&file);
    for frame in frames {
        writer.write_all(&encoder.record(&frame))?;
    }
    writer.flush()?;
    drop(writer);
    Ok((Data::map(&file)?, encoder.layout(switches.to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::call::{Entered, Evidence, Left};

    fn frame(step: u64) -> Frame {
        Frame {
            thread: 0,
            stack: 0,
            function: 0x1000 + step,
            call_step: Some(step),
            entry_step: Some(step + 1),
            exit_step: Some(1_000 - step),
            entered: Entered::Call,
            left: Left::Return,
            evidence: Evidence::Link,
        }
    }

    #[test]
    fn a_table_is_the_same_in_a_file_and_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let frames = || (0..400).map(frame);
        let table = |folder| Beside { folder }.table(frames, &[]);
        let ((in_file, layout), (in_memory, expected)) = (table(Some(folder.path())), table(None));
        let (missing, _) = table(Some(&folder.path().join("missing")));
        assert!(matches!((&in_file, &missing), (Data::Map(_), Data::Memory(_))));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        assert_eq!(in_file.get(0..in_file.len()), in_memory.get(0..in_memory.len()));
        assert_eq!((layout.parts, missing.len()), (expected.parts, in_memory.len()));
    }
}
