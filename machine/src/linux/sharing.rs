//! System calls after which memory may change without a store by the program (`man 2`).

use crate::linux::names::SystemCallNumbering;

/// Bits of the mapping flags that select the sharing mode (`MAP_TYPE`).
const KIND_OF_MAPPING: u64 = 0xf;
/// Private (`MAP_PRIVATE`).
const PRIVATE: u64 = 2;
/// The kernel must use exactly the requested address (`MAP_FIXED`, `MAP_FIXED_NOREPLACE`).
const FIXED: u64 = 0x10_0010;
/// `PROT_WRITE`.
const PROTECTION_WRITE: u64 = 2;

/// Memory that others may change after a system call. Fields are argument numbers, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySharing {
    /// Memory at the result, unless the flags make the mapping private.
    Mapped {
        /// Length.
        length: usize,
        /// Protection.
        protection: usize,
        /// Flags.
        flags: usize,
    },
    /// Memory at the result, if the memory at its old address is shared.
    Moved {
        /// Old address.
        from: usize,
        /// Old length; a length of 0 also leaves the old mapping in place.
        length: usize,
        /// New length.
        new_length: usize,
    },
    /// Memory at the result, of unknown length.
    Attached,
    /// Memory given by address and length.
    Area {
        /// Address.
        address: usize,
        /// Length.
        length: usize,
    },
    /// Any memory, at any time until the requested operation is complete.
    Anywhere,
}

/// Returns true if the mapping flags make the mapping private.
pub fn is_own_mapping(flags: u64) -> bool {
    flags & KIND_OF_MAPPING == PRIVATE
}

/// Returns true if the mapping flags require the requested address.
pub fn is_fixed_mapping(flags: u64) -> bool {
    flags & FIXED != 0
}

/// Returns true if the protection allows stores.
pub fn may_be_written(protection: u64) -> bool {
    protection & PROTECTION_WRITE != 0
}

/// Returns the memory that others may change after this system call; none if there is none.
pub(crate) fn sharing(numbers: SystemCallNumbering, number: u64) -> Option<MemorySharing> {
    Some(match numbers.name(number)? {
        // This is the old `mmap`, whose arguments are in memory.
        "mmap"
            if matches!(
                numbers,
                SystemCallNumbering::X86_32 | SystemCallNumbering::Arm
            ) =>
        {
            MemorySharing::Anywhere
        }
        // A single number multiplexes all System V IPC, including shared memory. The program does
        // not see when the kernel maps pages or reads files.
        "ipc" if numbers == SystemCallNumbering::Sparc => MemorySharing::Anywhere,
        "shmsys" | "kaio" if numbers == SystemCallNumbering::Solaris => MemorySharing::Anywhere,
        "mmap" | "mmap2" | "mmap64" => MemorySharing::Mapped {
            length: 1,
            protection: 2,
            flags: 3,
        },
        "mremap" => MemorySharing::Moved {
            from: 0,
            length: 1,
            new_length: 2,
        },
        "shmat" => MemorySharing::Attached,
        // The kernel writes there each time it returns to the thread.
        "rseq" => MemorySharing::Area {
            address: 0,
            length: 1,
        },
        "io_uring_setup" | "io_submit" => MemorySharing::Anywhere,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_others_change_memory_is_known_by_number() {
        assert_eq!(
            sharing(SystemCallNumbering::X86_64, 9),
            Some(MemorySharing::Mapped {
                length: 1,
                protection: 2,
                flags: 3
            })
        );
        assert_eq!(
            sharing(SystemCallNumbering::Generic, 222),
            Some(MemorySharing::Mapped {
                length: 1,
                protection: 2,
                flags: 3
            })
        );
        assert_eq!(
            sharing(SystemCallNumbering::Arm, 192),
            Some(MemorySharing::Mapped {
                length: 1,
                protection: 2,
                flags: 3
            })
        );
        assert_eq!(
            sharing(SystemCallNumbering::X86_64, 334),
            Some(MemorySharing::Area {
                address: 0,
                length: 1
            })
        );
        assert_eq!(
            sharing(SystemCallNumbering::X86_64, 425),
            Some(MemorySharing::Anywhere)
        );
        assert_eq!(sharing(SystemCallNumbering::X86_64, 0), None);
    }

    #[test]
    fn flags_tell_mappings_of_one_s_own_from_shared_ones() {
        assert_eq!(
            [0x22, 0x21, 0x802, 0x3, 0].map(is_own_mapping),
            [true, false, true, false, false]
        );
        assert_eq!(
            [0x32, 0x22, 0x10_0002].map(is_fixed_mapping),
            [true, false, true]
        );
    }
}
