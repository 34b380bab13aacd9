//! A strict reader of value change dumps.

use std::collections::HashMap;

/// A validated dump.
pub struct Waveform {
    /// Maps `CPU.x0` to the index of the signal.
    places: HashMap<String, usize>,
    signals: Vec<Signal>,
    /// The last stamp.
    pub end: u64,
}

struct Signal {
    kind: Kind,
    /// Times and values of the changes: `101x`, or a text without its escapes.
    changes: Vec<(u64, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bits(usize),
    Text,
}

impl Waveform {
    /// Parses a dump. Panics if it breaks a rule of the format.
    pub fn read(text: &str) -> Self {
        let (header, body) = text
            .split_once("$enddefinitions $end\n$dumpvars\n")
            .unwrap();
        let (places, ids, mut signals) = declarations(header);
        let body = body.strip_suffix("$end\n").unwrap();
        let mut now = None;
        for line in body.lines() {
            let (kind, rest) = line.split_at(1);
            if kind == "#" {
                let stamp: u64 = rest.parse().unwrap();
                assert!(now.is_none_or(|now| now < stamp), "{line} after {now:?}");
                now = Some(stamp);
                continue;
            }
            let (value, id) = match kind {
                "b" | "s" => rest.split_once(' ').unwrap(),
                _ => (kind, rest),
            };
            let signal = &mut signals[ids[id]];
            let value = match signal.kind {
                Kind::Bits(bits) => {
                    assert!(
                        kind != "s"
                            && value.len() == bits
                            && value.chars().all(|bit| "01xz".contains(bit)),
                        "{line}"
                    );
                    value.to_owned()
                }
                Kind::Text => {
                    assert!(
                        kind == "s" && value.bytes().all(|byte| byte.is_ascii_graphic()),
                        "{line}"
                    );
                    unescaped(value)
                }
            };
            signal.changes.push((now.unwrap(), value));
        }
        Self {
            places,
            signals,
            end: now.unwrap(),
        }
    }

    /// Returns the scopes, sorted.
    pub fn scopes(&self) -> Vec<&str> {
        let mut scopes: Vec<&str> = self
            .places
            .keys()
            .filter_map(|name| Some(name.split_once('.')?.0))
            .collect();
        scopes.sort_unstable();
        scopes.dedup();
        scopes
    }

    pub fn declares(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    pub fn changes(&self, name: &str) -> &[(u64, String)] {
        &self.signals[self.places[name]].changes
    }

    /// Returns the value of a signal at a time; empty before its first change.
    pub fn at(&self, name: &str, time: u64) -> &str {
        let changes = self.changes(name);
        let after = changes.partition_point(|(at, _)| *at <= time);
        after.checked_sub(1).map_or("", |last| &changes[last].1)
    }

    /// Returns the value of a signal at a time as a number.
    pub fn number_at(&self, name: &str, time: u64) -> Option<u64> {
        u64::from_str_radix(self.at(name, time), 2).ok()
    }
}

type Declarations = (HashMap<String, usize>, HashMap<String, usize>, Vec<Signal>);

fn declarations(header: &str) -> Declarations {
    let (mut places, mut ids, mut signals) = (HashMap::new(), HashMap::new(), Vec::new());
    let mut scope = None;
    for line in header.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["$scope", "module", name, "$end"] => assert!(scope.replace(name).is_none()),
            ["$upscope", "$end"] => assert!(scope.take().is_some()),
            ["$var", kind, bits, id, name, "$end"] => {
                let kind = if kind == "string" {
                    Kind::Text
                } else {
                    Kind::Bits(bits.parse().unwrap())
                };
                assert!(
                    places
                        .insert(format!("{}.{name}", scope.unwrap()), signals.len())
                        .is_none(),
                    "{name} twice"
                );
                assert!(
                    ids.insert(id.to_owned(), signals.len()).is_none(),
                    "{id} twice"
                );
                signals.push(Signal {
                    kind,
                    changes: Vec::new(),
                });
            }
            _ => {}
        }
    }
    assert!(scope.is_none() && !signals.is_empty());
    (places, ids, signals)
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        rest = match (first, others) {
            (b'\\', [b'\\', others @ ..]) => {
                bytes.push(b'\\');
                others
            }
            (b'\\', octal) => {
                let digits = std::str::from_utf8(&octal[..3]).unwrap();
                bytes.push(u8::from_str_radix(digits, 8).unwrap());
                &octal[3..]
            }
            _ => {
                bytes.push(*first);
                others
            }
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
