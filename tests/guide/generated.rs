//! Pages that the program knows: the keys and the commands. `UPDATE_GUIDE=1` writes them.
