//! System calls from which on memory changes though no instruction of the program stores there (`man 2`).

use crate::linux::names::SystemCallNumbering;

/// The bits of the flags of a mapping that say who sees what is stored there (`MAP_TYPE`).
const KIND_OF_MAPPING: u64 = 0xf;
/// They say: nobody else (`MAP_PRIVATE`).
const PRIVATE: u64 = 2;
/// The address is exactly what the program asked for (`MAP_FIXED`, `MAP_FIXED_NOREPLACE`).
const FIXED: u64 = 0x10_0010;
/// `PROT_WRITE`.
const PROTECTION_WRITE: u64 = 2;

/// What a system call makes others change. Arguments are told by their number, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySharing {
    /// Memory at the result, as long as one argument says, unless another has the flags of a mapping of one's own.
    Mapped {
        /// How long.
        length: usize,
        /// What may be done there.
        protection: usize,
        /// The flags.
        flags: usize,
    },
    /// Memory at the result, if what was there at an argument is shared.
    Moved {
        /// Where it was.
        from: usize,
        /// How long it was; what is 0 bytes long stays there as well.
        length: usize,
        /// How long it is from here on.
        new_length: usize,
    },
    /// Memory at the result; its length is not told.
    Attached,
    /// The memory of an argument, as long as another says.
    Area {
        /// Where.
        address: usize,
        /// How long.
        length: usize,
    },
    /// Any memory, whenever what was asked for is done.
    Anywhere,
}

/// Whether the flags of a mapping say that it is the program's own.
pub fn is_own_mapping(flags: u64) -> bool {
    flags & KIND_OF_MAPPING == PRIVATE
}

/// Whether they say that it lies where the program asked for.
pub fn is_fixed_mapping(flags: u64) -> bool {
    flags & FIXED != 0
}

/// Whether what may be done with a mapping includes storing.
pub fn may_be_written(protection: u64) -> bool {
    protection & PROTECTION_WRITE != 0
}

/// What the system call of a number makes others change; none for nothing.
pub(crate) fn sharing(numbers: SystemCallNumbering, number: u64) -> Option<MemorySharing> {
    Some(match numbers.name(number)? {
        // Where this is the older one of two, its arguments are in memory.
        "mmap"
            if matches!(
                numbers,
                SystemCallNumbering::X86_32 | SystemCallNumbering::Arm
            ) =>
        {
            MemorySharing::Anywhere
        }
        // One number for all that is shared by number; pages are mapped and files read behind the program's back.
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
        // The kernel writes there whenever the thread comes back from it.
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
