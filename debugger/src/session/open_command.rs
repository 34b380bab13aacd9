//! Command line that opens a trace with the current options.

use std::path::{Path, PathBuf};

use stepback_machine::Endian;
use stepback_parsers::Position;

use super::OpenOptions;

/// Shell syntax for quoting text as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoting {
    /// A Unix shell.
    Posix,
    /// PowerShell and the command prompt; the quoting suits both where possible.
    Windows,
}

impl OpenOptions {
    /// Returns a command such as `stepback TRACE@44012 --image /x.elf@0x1000`, with absolute paths
    /// and all options that affect what is shown.
    pub fn command(&self, position: Position) -> String {
        let quoting = if cfg!(windows) {
            Quoting::Windows
        } else {
            Quoting::Posix
        };
        let words = self.words(position);
        let words = words.iter().map(|word| quoting.quoted(word));
        std::iter::once("stepback".to_owned())
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn words(&self, position: Position) -> Vec<String> {
        let mut words = vec![format!("{}@{}", whole(&self.path).display(), position.0)];
        let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        self.more
            .iter()
            .for_each(|path| option("with", whole(path).display().to_string()));
        let images = if self.images.is_empty() {
            &self.remembered_images
        } else {
            &self.images
        };
        for image in images {
            let mut image = image.clone();
            image.path = whole(&image.path);
            option("image", image.to_string());
        }
        // Named images have their own offsets.
        if images.is_empty() && self.load_offset > 0 {
            option("load-offset", format!("{:#x}", self.load_offset));
        }
        self.sysroots()
            .iter()
            .for_each(|root| option("sysroot", whole(root).display().to_string()));
        self.source_map
            .iter()
            .for_each(|mapping| option("source-map", mapping.to_string()));
        self.format
            .iter()
            .for_each(|format| option("format", format.name().to_owned()));
        let choice = self.arch.and_then(|arch| arch.names().choice);
        choice
            .iter()
            .for_each(|choice| option("arch", choice.name.to_owned()));
        self.record_layout
            .iter()
            .for_each(|file| option("record-layout", whole(file).display().to_string()));
        let flags = [
            ("--bi", self.endian == Some(Endian::Big)),
            ("--implicit-thumb", self.implicit_thumb),
        ]
        .into_iter();
        words.extend(
            flags
                .filter(|(_, is_set)| *is_set)
                .map(|(flag, _)| flag.to_owned()),
        );
        words
    }
}

impl Quoting {
    fn quoted(self, text: &str) -> String {
        let plain = match self {
            Self::Posix => "/._-+@:,=",
            // PowerShell makes lists with commas.
            Self::Windows => r"/\._-+@:=",
        };
        let is_plain = |letter: char| letter.is_alphanumeric() || plain.contains(letter);
        match self {
            _ if text.chars().all(is_plain) => text.to_owned(),
            Self::Posix => format!("'{}'", text.replace('\'', r"'\''")),
            // PowerShell would expand these in double quotes. The command prompt has no other
            // quotes.
            Self::Windows if text.contains(['$', '`']) => format!("'{}'", text.replace('\'', "''")),
            // A backslash before the closing quote would escape it.
            Self::Windows => {
                let last = text.len() - text.trim_end_matches('\\').len();
                format!("\"{text}{}\"", "\\".repeat(last))
            }
        }
    }
}

fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::ImageSpec;

    #[test]
    fn a_shell_reads_a_quoted_path_as_one_word() {
        let texts =
            ["/a/b.tarmac@7", "/a b@7", "/it's@7", "/a,b"].map(|text| Quoting::Posix.quoted(text));
        assert_eq!(
            texts,
            ["/a/b.tarmac@7", "'/a b@7'", r"'/it'\''s@7'", "/a,b"]
        );
        assert_eq!(Quoting::Windows.quoted(r"C:\a b\"), "\"C:\\a b\\\\\"");
        let texts = [
            r"C:\a\b.tarmac@7",
            r"C:\a b@7",
            r"C:\it's@7",
            r"C:\a,b",
            r"C:\a $b's",
        ];
        let texts = texts.map(|text| Quoting::Windows.quoted(text));
        assert_eq!(
            texts,
            [
                r"C:\a\b.tarmac@7",
                "\"C:\\a b@7\"",
                "\"C:\\it's@7\"",
                "\"C:\\a,b\"",
                r"'C:\a $b''s'"
            ]
        );
    }

    #[test]
    #[cfg(unix)]
    fn what_changes_what_is_shown_is_named() {
        let options = OpenOptions {
            more: vec!["/cpu1.tarmac".into()],
            remembered_images: vec![ImageSpec {
                path: "/my app.elf".into(),
                offset: 0x1000,
            }],
            remembered_sysroots: vec!["/root".into()],
            implicit_thumb: true,
            endian: Some(Endian::Big),
            ..OpenOptions::new("/cpu0.tarmac")
        };
        let expected = "stepback /cpu0.tarmac@7 --with /cpu1.tarmac --image '/my app.elf@0x1000' --sysroot /root \
                        --bi --implicit-thumb";
        assert_eq!(options.command(Position(7)), expected);
        let options = OpenOptions {
            load_offset: 16,
            ..OpenOptions::new("/a")
        };
        assert_eq!(
            options.command(Position(0)),
            "stepback /a@0 --load-offset 0x10"
        );
    }
}
