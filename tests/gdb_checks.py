"""Checks one debugged trace; run by gdb for `tests/gdb.sh`.

Compares what gdb shows with the answers of `stepback`, which read the index on their own:
  cells    registers and bytes at random positions are equal, or unavailable if unknown
  frames   backtraces have the functions of `stepback at --stack`
  watch    `watch -l` and `reverse-continue` find the last step that changed the value
  watches  `watch`, `rwatch` and `awatch` stop at each access of a word, in both directions
  finish   `reverse-finish` leads to the call
  step     `reverse-step` and `step` change the line
  threads  each thread steps back to its own last step
  start    the program shows its first function
  locals   `info locals` and `info args` have the values of `stepback locals`
"""

import json
import os
import random
import re
import struct
import subprocess
import time

import gdb

ROUNDS = int(os.environ.get("STEPBACK_ROUNDS", "150"))
CHECKS = os.environ["STEPBACK_CHECKS"].split()
# Backtraces that may differ where sp or lr is unknown, and those that are printed.
ALLOWED = 0
SHOWN = 5
with open(os.environ["STEPBACK_ARGUMENTS"], encoding="utf-8") as file:
    PROGRAM, *TRACE = file.read().splitlines()

# gdb's name of a register and ours, where they differ.
NAMES = {"cpsr": "psr", "xpsr": "psr", "eflags": "rflags"}
# Functions without unwind information, of which gdb does not find the caller.
NO_UNWIND = {"main", "_init", "_fini", "frame_dummy", "register_tm_clones", "deregister_tm_clones"}
counts = {}


def say(text):
    with open(os.environ["STEPBACK_RESULTS"], "a", encoding="utf-8") as results:
        results.write(f"   {text}\n")


def run(text):
    return gdb.execute(text, to_string=True)


def ask(command, *arguments):
    answer = subprocess.run(
        [PROGRAM, command, *TRACE, *arguments, "--json", "--quiet"],
        check=True,
        capture_output=True,
        text=True,
    )
    return [json.loads(line) for line in answer.stdout.splitlines()]


def at(position, *arguments):
    return ask("at", str(position), "--thread", thread_name(), *arguments)[0]


def thread_name():
    """Returns the trace's name of the selected thread."""
    return THREADS[gdb.selected_thread().ptid[1] - 1]


def position():
    return int(re.match(r"position ([\d,]+)", run("monitor position"))[1].replace(",", ""))


def go(to):
    run(f"monitor at {to}")
    run("maintenance flush register-cache")
    run("maintenance flush dcache")
    return position()


def check(holds, message):
    if not holds:
        raise gdb.GdbError(message)


def count(what, number=1):
    counts[what] = counts.get(what, 0) + number


def register(name):
    """Returns the value of a register as a number, None if it is unavailable."""
    value = gdb.selected_frame().read_register(name)
    try:
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_UNION:
            halves = [int(value["v2_int64"][place]) % (1 << 64) for place in (0, 1)]
            return halves[1] << 64 | halves[0]
        return int(value.cast(gdb.lookup_type("unsigned long long"))) % (1 << 8 * value.type.sizeof)
    except gdb.error as error:
        check("not available" in str(error), f"{name}: {error}")
        return None


def is_integer(name):
    """Returns true for registers that are numbers or vectors of 16 bytes."""
    kind = gdb.selected_frame().read_register(name).type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_UNION:
        return any(field.name == "v2_int64" for field in kind.fields())
    return kind.code not in (gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_ARRAY)


def cells():
    names = [one.name for one in gdb.selected_frame().architecture().registers()]
    for _ in range(ROUNDS):
        here = go(random.randint(0, STEPS - 1))
        truth = at(here)
        for name in names:
            ours = truth["registers"].get(NAMES.get(name, name), "none")
            if ours == "none":
                continue
            if not is_integer(name):
                continue
            known = register(name)
            if ours is None or "?" in ours:
                check(known is None, f"{here}: {name} is {known}, but it is unknown")
            else:
                # A status register of 8 bytes has 4 in gdb.
                mask = (1 << 8 * gdb.selected_frame().read_register(name).type.sizeof) - 1
                check(known == int(ours, 16) & mask, f"{here}: {name} is {known}, but not {ours}")
            count("registers")
        bytes_at(here, truth)


def pointers_in(truth):
    """Returns the values of registers that may be pointers, in a random order."""
    pointers = [int(value, 16) for value in truth["registers"].values() if value and "?" not in value]
    limit = 1 << 8 * gdb.lookup_type("void").pointer().sizeof
    pointers = [value for value in pointers if 0x1000 <= value < limit - 0x1000]
    random.shuffle(pointers)
    return pointers


def bytes_at(here, truth):
    """Compares some bytes around registers that may be pointers."""
    pointers = pointers_in(truth)
    starts = [pointer - random.randint(0, 16) for pointer in pointers[:4]]
    wanted = [argument for start in starts for argument in ("--mem", f"{start:#x}:32")]
    for start, ours in zip(starts, at(here, *wanted)["memory"]):
        for offset, byte in enumerate(ours["bytes"].split()):
            try:
                seen = gdb.selected_inferior().read_memory(start + offset, 1)[0]
                seen = seen[0] if isinstance(seen, bytes) else seen
            except gdb.MemoryError:
                seen = None
            known = None if "?" in byte else int(byte, 16)
            check(seen == known, f"{here}: {start + offset:#x} is {seen}, but not {byte}")
            count("bytes")


def functions():
    """Returns the functions of gdb's backtrace, innermost first, without inlined ones."""
    names, frame = [], gdb.newest_frame()
    while frame:
        if frame.type() == gdb.NORMAL_FRAME:
            names.append(frame.name())
        frame = frame.older()
    return names


def frames():
    different = 0
    for _ in range(ROUNDS):
        here = go(random.randint(1, STEPS - 1))
        # A part of a function that the compiler moved has the function's name in gdb.
        symbols = [frame["function"].get("symbol") or "" for frame in at(here, "--stack")["stack"]]
        ours = [symbol.split(".")[0] for symbol in symbols]
        theirs = [name or "" for name in functions()]
        if theirs[:1] != ours[:1] and theirs[1:] == ours[1:]:
            # After a tail call gdb shows the function that runs, and we the one that was called.
            count("backtraces after tail calls")
            continue
        # Without unwind information, as of main and start-up code, gdb does not find the callers.
        known = theirs[:-1] if theirs[-1:] == [""] else theirs
        is_cut = known == ours[: len(known)] and known[-1:] and known[-1] in NO_UNWIND
        # In longjmp the registers already are those of the function that it jumps to.
        is_jump = "longjmp" in ours[0] and theirs[0] == ours[0] and ours[1 - len(theirs) :] == theirs[1:]
        if theirs != ours and not is_cut and not is_jump:
            different += 1
            if different <= SHOWN:
                say(f"{here}: gdb {theirs}, stepback {ours}")
        count("backtraces")
    check(different <= ALLOWED, f"{different} backtraces differ")


def changed(address, size, before):
    """Returns the last step before a position that changed some bytes."""
    while True:
        hit = ask("find", "last-write", f"{address:#x}:{size}", "--at", str(before))[0]["hit"]
        if hit is None:
            return None
        step = hit["step"]
        content = [at(one, "--mem", f"{address:#x}:{size}")["memory"][0]["bytes"] for one in (step, step + 1)]
        if content[0] != content[1] and "?" not in content[0]:
            return step
        before = step


def watch():
    for _ in range(max(5, ROUNDS // 20)):
        here = go(random.randint(STEPS // 2, STEPS - 1))
        stores = ask("find", "last-write", f"{register_value('sp'):#x}:64", "--at", str(here))
        hit = stores[0]["hit"]
        if hit is None:
            continue
        address = int(hit["access"]["address"], 16)
        size = 4
        if "?" in at(here, "--mem", f"{address:#x}:{size}")["memory"][0]["bytes"]:
            continue
        expected = changed(address, size, here)
        if expected is None:
            continue
        run(f"watch -l *(unsigned int *) {address:#x}")
        began = time.monotonic()
        run("reverse-continue")
        took = time.monotonic() - began
        check(position() == expected, f"{here}: {address:#x} changed at {position()}, but not {expected}")
        run("delete")
        count("watchpoints")
        counts["slowest watchpoint in ms"] = max(counts.get("slowest watchpoint in ms", 0), int(1000 * took))


# Number of accesses of a word whose stops are compared.
ACCESSES = range(4, 80)
WORDS = {4: "unsigned int", 8: "unsigned long long"}


def accesses_of(address, size):
    """Returns the accesses of a word; none if one of them has an unknown value, another size or another cause."""
    hits = ask("find", "next-access", f"{address:#x}:{size}", "--all", "--at", "1")
    for hit in hits:
        access = hit["access"]
        if access["cell"] != f"{address:#x}:{size}" or access["external"] or "?" in (access["value"] or "?"):
            return []
        # The ends of the trace stop gdb too.
        if not 1 < hit["step"] < STEPS - 2:
            return []
    return hits


def stops(command, place, goal):
    """Returns the positions at which gdb stops on the way to the start or the end of the trace."""
    go(1 if goal == "continue" else STEPS - 1)
    run(f"{command} {place}")
    found = []
    while len(found) <= 2 * len(ACCESSES):
        run(goal)
        if position() in (0, STEPS - 1, STEPS):
            break
        found.append(position())
    run("delete")
    return found


def watches():
    done = 0
    for _ in range(ROUNDS):
        if done >= max(2, ROUNDS // 50):
            break
        here = go(random.randint(1, STEPS - 1))
        pointers = pointers_in(at(here))
        if not pointers:
            continue
        near = ask("find", "next-access", f"{pointers[0] & ~7:#x}:64", "--at", str(here))[0]["hit"]
        if not near or near["access"]["size"] not in WORDS:
            continue
        address, size = int(near["access"]["address"], 16), near["access"]["size"]
        hits = accesses_of(address, size)
        if len(hits) not in ACCESSES:
            continue
        value = at(1, "--mem", f"{address:#x}:{size}")["memory"][0]["bytes"].replace(" ", "")
        value = None if "?" in value else int.from_bytes(bytes.fromhex(value), order())
        steps = {"watch": [], "rwatch": [], "awatch": [hit["step"] for hit in hits]}
        for hit in hits:
            known, value = value, int(hit["access"]["value"], 16)
            if hit["access"]["kind"] == "read":
                steps["rwatch"].append(hit["step"])
            elif known != value:
                steps["watch"].append(hit["step"])
        place = f"*({WORDS[size]} *) {address:#x}"
        for command, hit in steps.items():
            for goal, expected in (("continue", [step + 1 for step in hit]), ("reverse-continue", hit[::-1])):
                found = stops(command, place, goal)
                check(found == expected, f"{command} {address:#x}, {goal}: at {found}, not at {expected}")
                count(f"stops of {command}", len(found))
        done += 1
    check(done > 0, "no word to watch")


def register_value(name):
    return int(gdb.parse_and_eval(f"${name}"))


def finish():
    done = 0
    for _ in range(ROUNDS):
        if done >= max(5, ROUNDS // 20):
            break
        here = go(random.randint(1, STEPS - 1))
        # Of an inlined function gdb only leaves the inlined code.
        if gdb.newest_frame().type() != gdb.NORMAL_FRAME:
            continue
        stack = at(here, "--stack")["stack"]
        names = functions()
        if len(names) < 2 or len(stack) < 2 or names[0] != stack[0]["function"].get("symbol"):
            continue
        call = stack[0]["call_step"]
        if call is None or stack[0]["entered"] != "call" or names[1] != stack[1]["function"].get("symbol"):
            continue
        run("reverse-finish")
        # gdb stops at the last entry of the function, which may be a tail call since the call.
        entered = ask("list", "--from", str(position()), "--count", "2")[-1]["pc"]
        is_entry = position() > call and int(entered, 16) == int(stack[0]["function"]["address"], 16)
        check(
            position() == call or is_entry,
            f"{here}: reverse-finish leads to {position()}, but not to the call {call}",
        )
        done += 1
        count("reverse-finish")
    check(done > 0, "no place for reverse-finish")


def step():
    done = 0
    for _ in range(ROUNDS):
        if done >= max(5, ROUNDS // 20):
            break
        here = go(random.randint(STEPS // 3, STEPS - 1))
        place = gdb.selected_frame().find_sal()
        if not place.symtab:
            continue
        run("reverse-step")
        check(position() < here, f"{here}: reverse-step does not lead back")
        back = position()
        run("step")
        # gdb steps into an inlined function without moving.
        if position() == back and gdb.selected_frame().type() == gdb.INLINE_FRAME:
            run("step")
        check(position() > back, f"{here}: step does not lead on from {back}")
        done += 1
        count("reverse-step")


# Frames whose variables are compared, and elements of arrays.
DEPTH = 3
ELEMENTS = 8
# Nesting depth of the members that `stepback locals` lists.
LEVELS = 4
NOT_IN_GDB = "but gdb does not know it"


def variables_of(frame):
    """Returns the variables of a physical frame by function and name, the innermost first."""
    found = {}
    while frame:
        block, function = frame.block(), frame.function()
        while block:
            for symbol in block:
                if symbol.is_variable or symbol.is_argument:
                    found.setdefault((plain_name(function), symbol.name), []).append((symbol, frame))
            if block.function:
                break
            block = block.superblock
        if frame.type() == gdb.NORMAL_FRAME:
            break
        frame = frame.older()
    return found, frame


def plain_name(function):
    """Returns the name of a function without namespaces and parameters."""
    return short_name(function.name)


def short_name(name):
    name = re.sub(r"(?<!operator)\(.*", "", name or "")
    return re.split(r"::(?![^<]*>)", name)[-1]


def chain_of(frame):
    """Returns names and lines of the functions of a physical frame, the innermost inlined one first."""
    chain = []
    while frame:
        name = plain_name(frame.function()) if frame.function() else None
        chain.append((name, frame.find_sal().line))
        if frame.type() == gdb.NORMAL_FRAME:
            break
        frame = frame.older()
    return chain


def check_chain(here, level, frame, ours):
    """Compares the functions that are inlined in a frame, and the lines of their calls."""
    theirs = chain_of(frame)
    names = [short_name(one["name"]) for one in ours]
    known = [(name, int((one["source"] or ":0").rsplit(":", 1)[1])) for name, one in zip(names, ours)]
    # gdb leaves out a function whose first instruction is next. Of the lines of an instruction, and of the one after a
    # call, it may choose another.
    known = known[len(known) - len(theirs) :] if level == 0 else known
    same = [name for name, _ in theirs] == [name for name, _ in known] and theirs[1:] == known[1:]
    count("functions", len(theirs))
    if not same:
        say(f"{here}, frame {level}: gdb has the functions {theirs}, but ours are {known}")
        count("variables that differ")


def is_known(ours):
    return ours["bytes"] is not None and "?" not in ours["bytes"]


def order():
    return "big" if "big endian" in run("show endian") else "little"


def variable_difference(symbol, frame, ours):
    """Returns how a variable of gdb differs from ours; None if it does not."""
    if ours.get("problem"):
        count("variables in unsupported locations")
        return None
    try:
        return difference(symbol.value(frame), ours)
    except gdb.error as error:
        if "DWARF-2 expression error" not in str(error):
            raise
        count("variables that gdb fails to read")
        return None


def difference(value, ours, levels=LEVELS):
    """Returns how a value of gdb differs from ours; None if it does not."""
    if levels < 0:
        return None
    if ours.get("problem"):
        count("variables in unsupported locations")
        return None
    try:
        if value.is_optimized_out:
            count("variables that only the trace knows" if is_known(ours) else "variables optimised away")
            return None
        kind = value.type.strip_typedefs()
        if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            parts = {member["name"]: member for member in ours.get("members", [])}
            # A virtual base class has no constant place.
            fields = [field for field in kind.fields() if field.name and hasattr(field, "bitpos")]
            pairs = [(value[field], parts.get(field.name)) for field in fields]
        elif kind.code == gdb.TYPE_CODE_ARRAY:
            first, last = kind.range()
            members = ours.get("members", [])
            places = range(first, min(last, ELEMENTS - 1) + 1)
            pairs = [(value[place], members[place] if place < len(members) else None) for place in places]
        elif kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            address = int(value.referenced_value().address)
            content = bytes.fromhex(ours["bytes"].replace(" ", "")) if is_known(ours) else None
            count("variables")
            if content is None or int.from_bytes(content, order()) != address:
                return f"{ours['value']}, but a reference to {address:#x} in gdb"
            return None
        else:
            return scalar(value, kind, ours)
        for part, member in pairs:
            if member is None and levels > 0:
                return "no member"
            wrong = difference(part, member, levels - 1)
            # gdb reads a structure as a whole.
            partly = not is_known(ours) or "not supported" in ours["value"]
            if wrong and not (wrong.endswith(NOT_IN_GDB) and partly):
                return wrong
        return None
    except gdb.MemoryError:
        unknown = True
    except gdb.error as error:
        if not re.search("not available|optimized out|Cannot access", str(error)):
            raise
        unknown = True
    count("variables that are unknown")
    unknown = unknown and "not supported" not in (ours["value"] or "")
    return f"{ours['value']}, {NOT_IN_GDB}" if unknown and is_known(ours) else None


def is_derived(name, frame):
    """Returns true for a variable by its value at the entry, which gdb derives from the caller's state."""
    frame.select()
    return "entry_value" in run(f"info address {name}")


def scalar(value, kind, ours):
    codes = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_PTR)
    if kind.code == gdb.TYPE_CODE_FLT and kind.sizeof in (4, 8):
        known = float(value)
        if is_known(ours):
            content = bytes.fromhex(ours["bytes"].replace(" ", ""))
            number = struct.unpack(("<" if order() == "little" else ">") + "_fd"[kind.sizeof // 4], content)[0]
            same = number == known or number != number and known != known
    elif kind.code in codes and kind.sizeof <= 8:
        known = int(value) % (1 << 8 * kind.sizeof)
        if is_known(ours):
            content = bytes.fromhex(ours["bytes"].replace(" ", ""))
            number = int.from_bytes(content, order())
            same = len(content) == kind.sizeof and number == known
    else:
        return None
    count("variables")
    if not is_known(ours):
        return f"unknown, but {known} in gdb"
    return None if same else f"{ours['value']} ({ours['bytes']}), but {known} in gdb"


def locals_at(here, level, frame):
    """Compares the variables of a frame; returns the frame around it."""
    theirs, physical = variables_of(frame)
    answer = ask("locals", "--at", str(here), "--thread", thread_name(), "--frame", str(level))[0]
    pc = int(answer["pc"], 16) if answer["pc"] else None
    # The frames of gdb and ours are not the same after tail calls, nor without unwind information.
    if pc is None or not (physical.pc() == pc if level == 0 else 0 < physical.pc() - pc <= 16):
        count("frames elsewhere")
        return None
    check_chain(here, level, frame, answer["function_chain"])
    ours = {}
    for variable in answer["variables"]:
        ours.setdefault((variable["declared_in"], variable["name"]), []).append(variable)
    # Of a function that is inlined in itself the frames are not the same.
    inlined = {variable["declared_in"] for variable in answer["variables"] if variable["inlined"]}
    recursive = inlined & {variable["declared_in"] for variable in answer["variables"] if not variable["inlined"]}
    for key, symbols in theirs.items():
        if key[0] in recursive:
            count("variables of recursive functions")
            continue
        for (symbol, owner), variable in zip(symbols, ours.get(key, [])):
            wrong = variable_difference(symbol, owner, variable)
            if wrong and is_derived(symbol.name, owner):
                count("values at the entry that gdb derives otherwise")
            elif wrong:
                say(f"{here}, frame {level}: {key[0]}: {key[1]} is {wrong}")
                count("variables that differ")
        missing = [symbol for symbol in symbols[len(ours.get(key, [])) :]]
        for symbol, owner in missing:
            nothing = {"bytes": None, "value": "missing", "members": []}
            if variable_difference(symbol, owner, nothing):
                say(f"{here}, frame {level}: {key[0]}: {key[1]} is missing")
                count("variables that differ")
    for key in ours:
        if key not in theirs:
            count("variables that gdb does not list")
    try:
        return physical.older()
    except gdb.error as error:
        # gdb finds no callers of Arm code without the status register, which the trace may not show yet.
        if "Register 25 is not available" not in str(error):
            raise
        count("frames without a status register")
        return None


def local_variables():
    # Each frame asks the program once: a process each.
    for _ in range(ROUNDS // 3):
        here = go(random.randint(0, STEPS - 1))
        frame = gdb.newest_frame()
        for level in range(DEPTH):
            # gdb invents frames of functions that were left by a tail call; their registers are those of the caller.
            while frame and frame.type() == gdb.TAILCALL_FRAME:
                frame = frame.older()
            # Code without debug information has no blocks.
            if not frame or not frame.function() or not frame.find_sal().symtab:
                break
            frame = locals_at(here, level, frame)
            if not frame:
                break
    check("variables that differ" not in counts, f"{counts.get('variables that differ')} variables differ")


def threads():
    for _ in range(max(5, ROUNDS // 20)):
        here = go(random.randint(STEPS // 2, STEPS - 1))
        run("info threads")
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            here = position()
            name = thread_name()
            before = ask("list", "--from", str(max(0, here - 200)), "--count", str(min(here, 200)))
            steps = [one["step"] for one in before if one["thread"] == name]
            if not steps:
                continue
            run("reverse-stepi")
            check(
                position() == steps[-1],
                f"{here}: {name} steps back to {position()}, but not to {steps[-1]}",
            )
            check(gdb.selected_thread().num == thread.num, f"{here}: gdb left thread {name}")
            count("steps of threads")


def start():
    check("_start" in run("info symbol $pc"), "the first function is not _start")
    run("break start_c")
    run("continue")
    check("start_c" in run("info symbol $pc"), "no breakpoint at start_c")
    run("delete")
    run("reverse-continue")
    check(position() == 0, "reverse-continue does not lead to the start")


random.seed(int(os.environ.get("STEPBACK_SEED", "1")))
for setting in ("backtrace past-main on", "confirm off", "pagination off", "width 0", "height 0"):
    run(f"set {setting}")
run(f"target remote {os.environ['STEPBACK_SERVER']}")
STEPS = int(re.search(r"of ([\d,]+)", run("monitor position"))[1].replace(",", ""))
THREADS = [thread["id"] for thread in ask("info")[0]["threads"]]
for name in CHECKS:
    try:
        {
            "cells": cells,
            "frames": frames,
            "watch": watch,
            "watches": watches,
            "finish": finish,
            "step": step,
            "threads": threads,
            "start": start,
            "locals": local_variables,
        }[name]()
    except (gdb.GdbError, gdb.error) as error:
        say(f"{name}: {error}")
        gdb.execute("detach")
        gdb.execute("quit 1")
say(", ".join(f"{number} {what}" for what, number in counts.items()) or "done")
run("detach")
