//! Ports of the programs that follow the position ([`SyncPorts`]).

use std::str::FromStr;

/// Loopback ports of the programs that follow the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncPorts {
    /// Port of the ret-sync plugin of a disassembler.
    pub disassembler: u16,
    /// Port of a waveform viewer.
    pub viewer: u16,
}

impl Default for SyncPorts {
    /// Returns the ports on which ret-sync and Surfer listen by default.
    fn default() -> Self {
        Self {
            disassembler: 9100,
            viewer: 54321,
        }
    }
}

impl FromStr for SyncPorts {
    type Err = String;

    /// Parses `PORT` or `PORT,PORT`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let port = |text: &str| {
            let port = text.trim().parse::<u16>().ok().filter(|port| *port > 0);
            port.ok_or_else(|| format!("{text:?} is no port: expected a number from 1 to 65535"))
        };
        let (disassembler, viewer) = match text.split_once(',') {
            Some((disassembler, viewer)) => (disassembler, Some(viewer)),
            None => (text, None),
        };
        Ok(Self {
            disassembler: port(disassembler)?,
            viewer: viewer.map_or(Ok(Self::default().viewer), port)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<[u16; 2], ()>) {
        let ports = text.parse::<SyncPorts>();
        let ports = ports.map(|ports| [ports.disassembler, ports.viewer]);
        assert_eq!(ports.map_err(|_| ()), expected);
    }

    #[test]
    fn ports_are_numbers() {
        check("9200", Ok([9200, 54321]));
        check("9200, 1234", Ok([9200, 1234]));
        check("", Err(()));
        check("0", Err(()));
        check("70000", Err(()));
        check("9100,x", Err(()));
    }
}
