//! Images to load, and their load offsets.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::number::number;

/// An ELF file and the offset added to its addresses: `ELF[@OFFSET]` on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct ImageSpec {
    #[serde(with = "crate::paths")]
    pub path: PathBuf,
    /// Added to every address of the file, modulo 2^64: `@0xffffffffffff0000` moves it down by 64
    /// KiB.
    pub offset: u64,
}

impl FromStr for ImageSpec {
    type Err = anyhow::Error;

    /// Parses `ELF[@OFFSET]`. The last `@` begins the offset only if a number in C syntax follows:
    /// `libs@2/a.elf` is a path.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let with_offset = text
            .rsplit_once('@')
            .and_then(|(path, offset)| Some((path, number(offset).ok()?)));
        let (path, offset) = with_offset.unwrap_or((text, 0));
        anyhow::ensure!(
            !path.is_empty(),
            "{text:?}: expected ELF or ELF@OFFSET, but the file name is missing"
        );
        Ok(Self {
            path: PathBuf::from(path),
            offset,
        })
    }
}

impl fmt::Display for ImageSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.offset == 0 {
            Ok(())
        } else {
            write!(f, "@{:#x}", self.offset)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, path: &str, offset: u64) {
        let spec: ImageSpec = text.parse().expect("a spec");
        assert_eq!(
            (spec.path.to_str(), spec.offset),
            (Some(path), offset),
            "{text}"
        );
    }

    #[test]
    fn the_offset_follows_the_last_at_sign() {
        check("a.elf", "a.elf", 0);
        check("a.elf@0x1000", "a.elf", 0x1000);
        check("a.elf@4096", "a.elf", 4096);
        check("a.elf@010", "a.elf", 8);
        check("dir@2/a.elf@16", "dir@2/a.elf", 16);
        check("a@1@2", "a@1", 2);
    }

    #[test]
    fn an_at_sign_before_anything_but_a_number_belongs_to_the_path() {
        for path in [
            "libs@2/a.elf",
            "a.elf@home",
            "a.elf@",
            "a.elf@0x",
            "a@b",
            "a.elf@1g",
            "a.elf@-1",
        ] {
            check(path, path, 0);
        }
    }

    #[test]
    fn a_spec_without_a_file_is_refused() {
        for text in ["", "@0x1000"] {
            let error = text.parse::<ImageSpec>().expect_err("no file");
            assert!(error.to_string().contains("name is missing"), "{error}");
        }
    }

    #[test]
    fn a_spec_prints_as_it_is_given() {
        for text in ["a.elf", "b@c/d.elf@0x1000"] {
            assert_eq!(text.parse::<ImageSpec>().expect("a spec").to_string(), text);
        }
    }
}
