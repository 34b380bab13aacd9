//! Arbitrary bytes as the input of the gdb server: no panic, bounded memory, and every packet that is
//! read can be framed and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;

// The program is no library, and these two files use nothing else of it.
#[path = "../../src/servers/gdb/packets.rs"]
mod packets;
#[path = "../../src/servers/gdb/requests.rs"]
mod requests;

use packets::{ClientInput, PACKET_BYTES, PacketReader, framed};
use requests::{Handling, chosen_thread, handling, resumed_threads};

fn read(bytes: &[u8]) -> Vec<ClientInput> {
    let mut reader = PacketReader::default();
    bytes.iter().filter_map(|byte| reader.push(*byte)).collect()
}

fn check(packet: &[u8]) {
    let _ = chosen_thread(packet);
    let _ = resumed_threads(packet).count();
    if let Handling::Forward(forwarded) = handling(packet) {
        // A second look changes nothing.
        assert_eq!(handling(&forwarded), Handling::Forward(forwarded.clone()));
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    for input in read(bytes) {
        let ClientInput::Packet(packet) = input else {
            continue;
        };
        assert!(packet.len() <= PACKET_BYTES);
        assert_eq!(read(&framed(&packet)), [ClientInput::Packet(packet.clone())]);
        check(&packet);
    }
});
