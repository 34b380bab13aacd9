//! Packets that need an answer before the protocol layer sees them, or another form.

/// Maximum number of bytes of memory in one answer.
const MEMORY_BYTES: u64 = 4096;

/// How a packet is handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handling {
    /// Pass these bytes to the protocol layer.
    Forward(Vec<u8>),
    /// Answer with this text.
    Answer(&'static str),
    /// Answer with one register, by its number.
    Register(u64),
    /// Answer with the region of memory around an address.
    Region(u64),
}

/// A thread that a client names in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedThread {
    All,
    Any,
    /// Number of the thread, from 1.
    One(u64),
}

/// Operations for which a client chooses a thread with `H`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadUse {
    /// `Hg`: registers and memory.
    Reading,
    /// `Hc`: running.
    Running,
}

/// Decides what to do with a packet.
pub fn handling(packet: &[u8]) -> Handling {
    // All threads cannot be read, and which of them step is decided elsewhere.
    match chosen_thread(packet) {
        Some((ThreadUse::Reading, NamedThread::All)) => return Handling::Answer("E16"),
        Some((ThreadUse::Running, NamedThread::All)) => return Handling::Forward(b"Hc0".to_vec()),
        Some(_) | None => {}
    }
    // LLDB reads registers one by one: with `g` it shows unavailable ones as if they had values.
    if let Some(register) = packet.strip_prefix(b"p").and_then(number) {
        return Handling::Register(register);
    }
    // LLDB would take an AArch64 processor to stop before the access, in both directions.
    if packet == b"qHostInfo" {
        return Handling::Answer("watchpoint_exceptions_received:after;");
    }
    // Nothing runs. GDB closes the connection itself, but first wants this answer.
    if packet.starts_with(b"vKill;") {
        return Handling::Answer("OK");
    }
    if let Some(address) = packet.strip_prefix(b"qMemoryRegionInfo:").and_then(number) {
        return Handling::Region(address);
    }
    let length = || {
        let (address, length) = split_once(packet.strip_prefix(b"m")?, b',')?;
        Some((number(address)?, number(length)?))
    };
    match length() {
        Some((_, 0)) => Handling::Answer(""),
        Some((address, length)) => {
            Handling::Forward(format!("m{address:x},{:x}", length.min(MEMORY_BYTES)).into_bytes())
        }
        None => Handling::Forward(packet.to_vec()),
    }
}

/// Returns the thread that a packet chooses for following packets.
pub fn chosen_thread(packet: &[u8]) -> Option<(ThreadUse, NamedThread)> {
    let (thread_use, thread) = match packet {
        [b'H', b'g', thread @ ..] => (ThreadUse::Reading, thread),
        [b'H', b'c', thread @ ..] => (ThreadUse::Running, thread),
        _ => return None,
    };
    Some((thread_use, named_thread(thread)?))
}

/// Returns the threads that a `vCont` packet names.
pub fn resumed_threads(packet: &[u8]) -> impl Iterator<Item = NamedThread> {
    let actions = packet.strip_prefix(b"vCont;").unwrap_or_default();
    let actions = actions.split(|byte| *byte == b';');
    actions.filter_map(|action| named_thread(split_once(action, b':')?.1))
}

fn named_thread(thread: &[u8]) -> Option<NamedThread> {
    // With several processes a thread is `pPROCESS.THREAD`.
    let thread = match thread.strip_prefix(b"p") {
        Some(both) => split_once(both, b'.').map_or(&b"-1"[..], |(_, thread)| thread),
        None => thread,
    };
    match (thread, number(thread)) {
        (b"-1", _) => Some(NamedThread::All),
        (_, Some(0)) => Some(NamedThread::Any),
        (_, Some(number)) => Some(NamedThread::One(number)),
        (_, None) => None,
    }
}

fn split_once(bytes: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let place = bytes.iter().position(|byte| *byte == separator)?;
    Some((bytes.get(..place)?, bytes.get(place + 1..)?))
}

fn number(digits: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(digits).ok()?;
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(packet: &str, expected: Handling) {
        assert_eq!(handling(packet.as_bytes()), expected, "{packet}");
    }

    fn forward(packet: &str) -> Handling {
        Handling::Forward(packet.as_bytes().to_vec())
    }

    #[test]
    fn requests_for_memory_are_bounded() {
        check("m80000000,40", forward("m80000000,40"));
        check(
            "mffffffffffffffff,ffffffffffffffff",
            forward("mffffffffffffffff,1000"),
        );
        check("m0,0", Handling::Answer(""));
        check("m0", forward("m0"));
        check("m+1,4", forward("m+1,4"));
    }

    #[test]
    fn registers_and_regions_are_named_by_a_number() {
        check("p1f", Handling::Register(31));
        check("p", forward("p"));
        check("pxx", forward("pxx"));
        check("qMemoryRegionInfo:8000", Handling::Region(0x8000));
        check("qMemoryRegionInfo:", forward("qMemoryRegionInfo:"));
    }

    #[test]
    fn all_threads_are_never_chosen() {
        check("Hg-1", Handling::Answer("E16"));
        check("Hc-1", forward("Hc0"));
        check("Hcp1.-1", forward("Hc0"));
        check("Hgp1.2", forward("Hgp1.2"));
    }

    #[test]
    fn a_thread_is_chosen_by_its_number() {
        let chosen = |packet: &str| chosen_thread(packet.as_bytes());
        assert_eq!(
            chosen("Hgp1.1f"),
            Some((ThreadUse::Reading, NamedThread::One(31)))
        );
        assert_eq!(
            chosen("Hc2"),
            Some((ThreadUse::Running, NamedThread::One(2)))
        );
        assert_eq!(chosen("Hg0"), Some((ThreadUse::Reading, NamedThread::Any)));
        assert_eq!(chosen("g"), None);
        assert_eq!(chosen("Hgx"), None);
    }
}
