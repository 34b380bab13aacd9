# The texts of the window in English. The same ids and variables stand in fr.ftl; a test sees to it.
#
# `command-…` are the names of the commands, as `src/keymap` and scripts write them.

## commands names

command-open = Open…
command-open-directory = Open directory…
command-open-the-demo = Open the demo
command-open-session = Open session…
command-built-in-file-browser = Built-in file browser
command-save-session = Save session
command-save-session-as = Save session as…
command-save-selection-as-a-trace = Save selection as a trace…
command-save-picture = Save picture…
command-add-image = Add image…
command-add-directory-of-images = Add directory of images…
command-map-sources = Map sources…
command-forget-source-directories = Forget source directories
command-reload = Reload
command-compare-with-trace = Compare with trace…
command-compare-by-rules = Compare by rules…
command-sync-other-programs = Sync other programs
command-serve-to-gdb = Serve to gdb
command-follow = Follow
command-cancel-indexing = Cancel indexing
command-continue-indexing = Continue indexing
command-close-trace = Close trace
command-clear-recent-list = Clear recent list
command-quit = Quit
command-undo = Undo
command-redo = Redo
command-copy-position = Copy position
command-copy-cell-name = Copy cell name
command-find = Find…
command-find-next = Find next
command-find-previous = Find previous
command-find-more-hits = Find more hits
command-save-search-as = Save search as…
command-run-search = Run search…
command-search-in-a-new-panel = Search in a new panel…
command-rename-search = Rename search…
command-delete-search = Delete search…
command-only-hits = Only hits
command-steps-around-hits = Steps around hits…
command-clear-hits = Clear hits
command-settings = Settings…
command-change-keys = Change keys…
command-import-keys = Import keys…
command-export-keys = Export keys…
command-reset-keys = Reset keys
command-theme-colour-blind-dark = Theme colour-blind dark
command-theme-colour-blind-light = Theme colour-blind light
command-go-to = Go to…
command-go-to-start = Go to start
command-go-to-end = Go to end
command-back-in-history = Back in history
command-forward-in-history = Forward in history
command-last-write = Last write
command-next-write = Next write
command-last-read = Last read
command-next-read = Next read
command-last-external-change = Last external change
command-next-external-change = Next external change
command-next-exception = Next exception
command-next-where-new-condition = Next where, new condition…
command-forget-condition = Forget condition
command-previous-exception = Previous exception
command-where-it-went-wrong = Where it went wrong
command-next-difference = Next difference
command-previous-difference = Previous difference
command-next-call-of-function = Next call of function
command-previous-call-of-function = Previous call of function
command-group-accesses-by-call-stack = Group accesses by call stack
command-all-values = All values…
command-cancel-search = Cancel search
command-all-executions = All executions…
command-next-execution-of-line = Next execution of line…
command-last-execution-of-line = Last execution of line…
command-step = Step
command-step-back = Step back
command-step-over = Step over
command-step-back-over = Step back over
command-step-out = Step out
command-step-back-out = Step back out
command-step-to-next-line = Step to next line
command-step-to-previous-line = Step to previous line
command-step-into-next-line = Step into next line
command-step-back-into-line = Step back into line
command-next-execution-of-this-step = Next execution of this step
command-previous-execution-of-this-step = Previous execution of this step
command-next-where = Next where…
command-previous-where = Previous where…
command-next-step-of-thread = Next step of thread
command-previous-step-of-thread = Previous step of thread
command-stay-in-thread = Stay in thread
command-next-row = Next row
command-previous-row = Previous row
command-next-page = Next page
command-previous-page = Previous page
command-fold-call = Fold call
command-unfold-call = Unfold call
command-fold-calls-inside = Fold calls inside
command-unfold-calls-inside = Unfold calls inside
command-fold-all = Fold all
command-unfold-all = Unfold all
command-fold-window-spills-and-fills = Fold window spills and fills
command-raw-text = Raw text
command-source-lines-in-rows = Source lines in rows
command-why = Why…
command-why-this-value = Why this value
command-show-why-panel = Show why panel
command-slice-follows-addresses = Slice follows addresses
command-slice-follows-flags = Slice follows flags
command-slice-follows-control = Slice follows control
command-slice-back-to-where-the-value-comes-from = Slice back to where the value comes from
command-slice-forward-to-where-the-value-went = Slice forward to where the value went
command-slice-as-a-chain = Slice as a chain
command-slice-as-a-tree = Slice as a tree
command-slice-with-everything = Slice with everything
command-more-of-the-slice = More of the slice
command-only-steps-of-the-slice = Only steps of the slice
command-save-slice-as = Save slice as…
command-run-slice = Run slice…
command-slice-in-a-new-panel = Slice in a new panel…
command-rename-slice = Rename slice…
command-delete-slice = Delete slice…
command-clear-slice = Clear slice
command-watch = Watch…
command-waveform = Waveform…
command-show-memory = Show memory…
command-register-lanes = Register lanes…
command-filter-registers = Filter registers…
command-functions-of-the-selection = Functions of the selection
command-functions-of-the-whole-trace = Functions of the whole trace
command-flame-graph-by-steps = Flame graph by steps
command-flame-graph-by-time = Flame graph by time
command-timeline-calls = Timeline calls
command-timeline-threads = Timeline threads
command-timeline-cores = Timeline cores
command-timeline-calls-and-threads = Timeline calls and threads
command-timeline-calls-and-cores = Timeline calls and cores
command-timeline-without-waveforms = Timeline without waveforms
command-zoom-timeline-to-current-call = Zoom timeline to current call
command-timeline-whole-trace = Timeline whole trace
command-timeline-to-the-position = Timeline to the position
command-timeline-to-the-selection = Timeline to the selection
command-timeline-without-selection = Timeline without selection
command-find-in-memory = Find in memory…
command-dismiss-notifications = Dismiss notifications
command-show-indexing-progress = Show indexing progress
command-theme-dark = Theme dark
command-theme-light = Theme light
command-theme-system = Theme system
command-language-system = Language system
command-language-english = Language English
command-language-french = Language French
command-larger-text = Larger text
command-larger-interface-text = Larger interface text
command-smaller-interface-text = Smaller interface text
command-normal-interface-text = Normal interface text
command-interface-font = Interface font…
command-fixed-width-font = Fixed-width font…
command-built-in-interface-font = Built-in interface font
command-built-in-fixed-width-font = Built-in fixed-width font
command-smaller-text = Smaller text
command-normal-text = Normal text
command-bookmark = Bookmark
command-bookmark-selection = Bookmark selection
command-bookmark-memory = Bookmark memory…
command-note = Note…
command-next-bookmark = Next bookmark
command-previous-bookmark = Previous bookmark
command-delete-all-bookmarks = Delete all bookmarks
command-new-trace-window = New trace window
command-side-by-side = Side by side
command-windows-move-together = Windows move together
command-compare = Compare
command-compare-with = Compare with…
command-compare-before-and-after-this-call = Compare before and after this call
command-show-trace = Show trace
command-show-registers = Show registers
command-show-memory-panel = Show memory panel
command-show-calls = Show calls
command-show-comparison = Show comparison
command-show-warnings = Show warnings
command-show-stack = Show stack
command-show-external-changes = Show external changes
command-show-source = Show source
command-show-threads = Show threads
command-show-accesses = Show accesses
command-show-watches = Show watches
command-show-heap = Show heap
command-show-memory-regions = Show memory regions
command-show-stack-memory = Show stack memory
command-effects-of-this-call = Effects of this call
command-effects-of-this-iteration = Effects of this iteration
command-effects-of-steps = Effects of steps…
command-compare-with-the-previous-call-of-this-function = Compare with the previous call of this function
command-compare-with-the-next-call-of-this-function = Compare with the next call of this function
command-compare-with-the-call-at = Compare with the call at…
command-show-effects = Show effects
command-show-heat = Show heat
command-show-tasks = Show tasks
command-show-functions = Show functions
command-show-flame-graph = Show flame graph
command-show-findings = Show findings
command-show-differences = Show differences
command-show-both-traces = Show both traces
command-show-state-of-both-traces = Show state of both traces
command-show-find-panel = Show find panel
command-show-bookmarks = Show bookmarks
command-new-registers-panel = New registers panel
command-new-memory-panel = New memory panel
command-new-calls-panel = New calls panel
command-new-stack-panel = New stack panel
command-new-source-panel = New source panel
command-new-watches-panel = New watches panel
command-next-panel = Next panel
command-previous-panel = Previous panel
command-pin-panel-here = Pin panel here
command-panel-follows-window = Panel follows window…
command-panel-shows-thread = Panel shows thread…
command-duplicate-panel = Duplicate panel
command-move-panel-to-its-own-window = Move panel to its own window
command-put-panels-back = Put panels back
command-close-panel = Close panel
command-layout-debug = Layout debug
command-layout-compare = Layout compare
command-layout-profile = Layout profile
command-layout-source = Layout source
command-use-layout = Use layout…
command-save-layout-as = Save layout as…
command-delete-layout = Delete layout…
command-reset-layout = Reset layout
command-commands = Commands…
command-keys = Keys
command-about-stepback = About Stepback
area-file = File
area-edit = Edit
area-go = Go
area-step = Step
area-view = View
area-bookmarks = Bookmarks
area-window = Window
area-help = Help
ask-path-of-a-trace = Path of a trace
ask-path-of-rules = Path of a file of rules (TOML)
ask-path-of-a-session = Path of a session
ask-path-of-the-file = Path of the file
ask-path-of-the-new-trace = Path of the new trace
ask-path-of-the-picture = Path of the picture (PNG)
ask-elf-or-elf-offset = ELF or ELF@OFFSET
ask-directory-with-the-programs-files = Directory with the program's files
ask-from-to-a-directory-in = FROM=TO, a directory in the image and here
ask-step-50-line-n-i = Step, 50%, line:N, i:N, r:N, time:T, pc:ADDR, start or end
ask-file-line = FILE:LINE
ask-name-of-the-search = Name of the search
ask-name-of-the-slice = Name of the slice
ask-name-of-a-kept-slice = Name of a saved slice
ask-name-of-a-kept-search = Name of a saved search
ask-old-name-new-name = OLD NAME = NEW NAME
ask-steps-around-each-hit = Steps shown before and after each hit: 0, 1, 3, 10
ask-name-of-a-thread-or = Name of a thread, or empty for the thread at the position
ask-address-numbers-registers-symbols = Address: numbers, registers, symbols
ask-a-part-of-the-name = Part of the name, or - for all
ask-bytes-a-number-or-a-text = Bytes (67 64 62), a number or a text
ask-name-of-the-bookmark = Name of the bookmark
ask-address-length-and-a-name = ADDRESS:LENGTH and a name
ask-note-of-the-positions-bookmark = Note for the bookmark at the position
ask-step-at-which-it-opens = Step to open it at
ask-step-function-address-50-100 = Step, function, address, 50% or +100, as in Go to
ask-number-of-a-trace-window = Number of a trace window, or "active"
ask-name-of-a-thread-or-for = Name of a thread, or - for the thread at the position
ask-name-of-a-layout = Name of a layout
ask-name-of-the-layout = Name of the layout
ask-name-of-a-layout-of = Name of a custom layout
keys-move-the-cursor = Move the cursor
keys-first-last = First, last row; plain Home and End go to the start and end of the trace
keys-last-write-travel = Last write; go there
keys-next-write = Next write
keys-previous-next-change-of-a = Previous, next change of a watch
keys-show-memory-at-the-value = Show memory at the value
keys-follow-the-address-expression = Follow the address expression
keys-compare-memory = Compare memory with another position
keys-next-previous-changed-byte = Next, previous changed byte
keys-another-group-of-registers = Switch register group
keys-read-register-lanes-in-another = Change how register lanes are shown
keys-last-write-of-so-many = Last write of 1, 2, 4 or 8 bytes
keys-rename-a-bookmark = Rename a bookmark
keys-note-of-a-bookmark = Edit the note of a bookmark
keys-delete-a-bookmark = Delete a bookmark
keys-zoom-the-flame-graph-out = Zoom into the flame graph; zoom out
keys-copy = Copy
keys-click = Click
keys-travel-there = go there
keys-wheel = Wheel
keys-zoom = zoom
keys-shift-wheel-middle-drag = Shift+wheel, middle drag
keys-move-in-time = pan
keys-alt-wheel-wheel-over-names = Alt+wheel, wheel over names
keys-scroll-depths = scroll call depths
keys-double-click = Double click
keys-zoom-to-a-call-or = zoom to a call, or zoom out
keys-shift-drag = Shift+drag
keys-select-a-range = select a range
keys-right-click = Right click
keys-what-can-be-done = show the context menu
ask-register-or-address-length = Register, or ADDRESS:LENGTH
ask-hex-unsigned-signed-or-float = hex, unsigned, signed or float, and the bits of a lane: hex 32
ask-core-single-double-vector-sve = core, single, double, vector, sve or system
ask-address-length-or-nothing-for = ADDRESS:LENGTH, or empty for all memory
ask-word-regex-0x1f-address-length = Word, /regex/, 0x1f, ADDRESS:LENGTH, function; or value: bytes: pc: access: and what
ask-name-of-a-function-or = Name of a function, or its address with 0x; empty for the selected one
ask-condition-x0-0-u8-sp = Condition: { $first } == 0, u8[sp+8] > 7, pc == main && { $second } != 0
ask-register-address-or-sum-and = Register, [address] or expression, and a type: [sp+8] u32, name utf8
ask-address-function-offset-or-file = Address, function+offset, or FILE:LINE
ask-address-length-or-address-length = ADDRESS:LENGTH, or ADDRESS:LENGTH of THREAD
line-quoted = "{ $text }"
line-there-is-no-command = no command matches { $line }
line-needs-an-open-trace = { $command } needs an open trace
line-is-not-possible-here = { $command } is not available here
command-no-raw-text = raw text is not available for this format
line-needs-an-argument = { $command } needs an argument: { $question }
line-takes-no-argument-but-follows = { $command } takes no argument, but got { $argument }
line-not-a-number-of-bytes = not a number of bytes: { $length }
line-not-an-address-in-hex = not a hexadecimal address: { $text }
line-no-trace-is-open = no trace is open
line-a-source-line-is-given = expected a source line as FILE:LINE, got { $text }
line-is-no-way-to-read = { $text } is not a lane format: use { $ways }
line-is-no-group = { $text } is not a register group: use one of { $groups }
line-is-no-step-number = { $text } is not a step number
line-no-panel-has-the-keyboard = no panel has the keyboard focus
line-is-neither-active-nor-the = { $text } is neither "active" nor the number of a trace window
line-the-length-after-the-colon = the length after the colon must be a number above 0: { $text }

## menus

menu-theme = Theme
menu-language = Language
menu-memory-by = Memory by
menu-new-panel = New panel
menu-panels = Panels
menu-folding = Folding
menu-slice = Slice
menu-memory = Memory
menu-registers = Registers
menu-timeline = Timeline
menu-functions = Functions
menu-flame-graph = Flame graph
menu-colour = Colour
menu-effects = Effects
menu-compare-calls = Compare calls
menu-layout = Layout
menu-recent = Recent
menu-trace-window-at = Trace window { $number } at { $position }
menu-indexing = indexing
line-of-cell = { $command } of { $cell }
palette-type-a-command = Type a command
palette-in-the-trace = In the trace
palette-recent = Recent
key-enter = Enter
palette-command = Command
palette-no-command-fits-try-a = No command matches. Try part of a command name, or a step number.
palette-enter-run-esc-back = Enter run   Esc back
palette-choose-enter-run-tab-argument = ↑ ↓ choose   Enter run   Tab argument   Esc close
palette-refused = { $command } · { $reason }
palette-of-commands = { $shown } of { $all } commands
page-keys = Keys
page-close-page = Close page
page-keys-in-grey-belong-to = Keys in grey belong to the focused panel; F6 moves the focus to the next panel.
page-in-registers-memory-calls-and = In registers, memory, calls and lists
page-in-the-timeline = In the timeline
page-key-said = { $command }: { $keys }
page-or = { " " }or{ " " }
page-about-stepback = About Stepback
page-a-time-travel-debugger-for = A time-travel debugger for recorded instruction traces.
page-nothing-is-executed-again-every = Nothing is executed again: every answer comes from the trace, which is never changed.
page-licence-mit-or-apache-2 = Licence: MIT or Apache-2.0.
page-faces-inter-and-jetbrains-mono = Fonts: Inter and JetBrains Mono (OFL-1.1); icons: Phosphor (MIT).

## keys

key-shift = Shift
key-left = Left
key-right = Right
key-up = Up
key-down = Down
key-arrows = Arrows
key-pageup = PageUp
key-pagedown = PageDown
key-pgup = PgUp
key-pgdn = PgDn
key-return = Return
key-home = Home
key-end = End
key-delete = Delete
key-backspace = Backspace
key-space = Space
key-escape = Escape
key-esc = Esc

## tl

timeline-what-is-shown = What the timeline shows: calls, or which thread ran on which core

## files

files-close = Close file browser
files-above = Parent folder
files-above-key = Parent folder   Backspace
files-path = Path
files-hide = Hide hidden files
files-show = Show hidden files
files-part-hint = Type part of a name
files-part = Part of a name
files-choose-another = Choose another folder, or type a path.
files-reading = Reading…
files-empty = This folder is empty
files-all-hidden = All files here are hidden: press Ctrl+H to show them
files-none-so = No name matches
files-no-such-file = No file with this name here. Look in another folder, or show all files
files-show-all = Show all files
files-show-only = Only { $name }
files-opens-file = Opens { $name }
files-opens-folder = Opens the trace in { $name }
files-shows-folder = Shows the folder { $name }
files-name = File name
files-overwrite = Overwrite
files-choose-folder = Choose this folder
files-save = Save
files-open = Open
files-cancel = Cancel
files-size = Size
files-changed = Modified
files-name-label = Name
files-is-there = { $name } already exists. Overwrite it?
files-folder = folder { $name }
files-trace = { $name }, { $format } trace
files-chosen = { $number } files selected, to open as one trace
files-shown-of-first = { $shown } of the first { $all } entries
files-entries = { $all ->
    [one] { $all } entry
   *[other] { $all } entries
}
files-shown-of = { $shown } of { $all } entries
files-nothing-begins-so = no name starts with { $text }
files-folder-wanted = expected a folder, but this is a file: { $name }
files-choose-one = choose a file
files-name-wanted = enter a file name
files-home = Home
files-of-trace = Trace folder
files-working = Working directory
files-system = Whole file system
files-dialog-is-open = A file dialog is already open, or has not answered yet
files-traces-inside = This folder holds { $number ->
    [one] { $number } trace
   *[other] { $number } traces
}. Choose one.
files-no-dialog = No system file dialog found
files-own-instead = Using the built-in file browser until you quit.
files-open-trace = Open trace
files-compare-trace = Compare with trace
files-comparison-rules = Rules of the comparison
sync-on = IDA, Ghidra and Binary Ninja (port { $disassembler }) and Surfer (port { $viewer }) follow the position
sync-off = Other programs no longer follow the position
gdb-on = The trace is served to gdb (target remote { $address })
gdb-off = The trace is no longer served to gdb
gdb-trace-changed = gdb was disconnected: another trace is shown. “Serve to gdb” serves it.
gdb-not-built-in = This build has no gdb server
gdb-needs-the-whole-trace = gdb needs the whole trace: wait until it is indexed
files-open-directory = Open trace directory
files-sysroot = Directory with the program's files
files-add-image = Add program image
files-open-session = Open session
files-where-is-trace = Locate the trace of the session
files-save-session = Save session
files-save-part = Save the selection as a trace
files-save-picture = Save a picture of the window
files-locate = Locate { $name }
files-save-name = Save { $name }

## settings

ask-keys = Command = Ctrl+F5, N; leave it empty after = to remove its keys
ask-path-of-font = Path of a font (.ttf or .otf)
ask-path-of-keys = Path of a file of keys
files-font = Choose a font
files-import-keys = Import keys
settings-title = Settings
settings-look = Appearance and files
settings-system = Same as system
settings-dark = Dark
settings-light = Light
settings-safe-dark = Colour-blind safe, dark
settings-safe-light = Colour-blind safe, light
settings-of-system = Same as system
settings-size = Text size
settings-smaller = Smaller
settings-normal = Normal
settings-larger = Larger
settings-fonts = Fonts
settings-built-in = Built-in
settings-built-in-of = { $font }: built-in
settings-interface-font = Interface
settings-fixed-width-font = Code and numbers
settings-choose = Choose…
settings-choose-of = { $font }: choose a font…
settings-interface-text = Interface text relative to code
settings-interface-smaller = Smaller interface text
settings-interface-normal = Normal interface text
settings-interface-larger = Larger interface text
font-refused = the font cannot be used, keeping the current one: { $error }
font-not-read = the font cannot be used, using the built-in one instead: { $error }
font-no-font = not a font file (.ttf or .otf)
font-no-letters = it has no letters or digits
font-not-fixed-width = it is not a fixed-width font
dialog-fonts = Fonts
settings-more = Trace and files
settings-row-lines = Show source lines in the trace
settings-own-browser = Always use the built-in file browser
settings-place = Saved in { $path }, which you can edit by hand.
settings-copy-path = Copy path
settings-filter = Command or key
settings-import = Import…
settings-export = Export…
settings-reset-all = Reset all
settings-no-command = No command matches. Try part of its name, or a key.
settings-how = Choose “Change”, then press the new key. Ctrl+C, Ctrl+X and Ctrl+V are reserved for the clipboard.
settings-press = Press the key for “{ $command }”, or Escape
settings-conflict = { $key } is already “{ $command }”.
settings-take = Reassign
settings-leave = Cancel
settings-change = Change
settings-change-of = Change the key of { $command }
settings-add = Add
settings-add-of = Add a key to { $command }
settings-remove = Remove
settings-remove-of = Remove the keys of { $command }
settings-reset = Reset
settings-reset-of = Reset the keys of { $command }
settings-put-aside = The settings file could not be read and was moved to { $path }
settings-imported = Keys imported
toasts-more = { $number } more
toasts-close-all = Dismiss all

## tabs and windows

page-mouse = With the mouse
keys-middle-or-ctrl-click = Middle click, Ctrl+click
keys-open-a-window-there = open a trace window there
keys-middle-click-tab = Middle click on a tab
keys-close-the-panel = close the panel
keys-drag-tab = Drag a tab
keys-move-the-panel = move the panel, or detach it
keys-drop-files = Drop files
keys-open-them = open them
strip-more = { $number } more
strip-more-said = { $number ->
    [one] { $number } more panel
   *[other] { $number } more panels
}
strip-tear-off = Move to its own window
strip-put-back = Put back
torn-title = { $panel } – { $trace }
torn-many = At most { $number } panels can have their own window
torn-last = The last panel must stay in the main window

## window

banner-none-of-the-programs-files = none of the program's files was found, so functions have no names
banner-close-the-note = Dismiss
banner-give-the-programs-files = Add the program's files…
lookup-is-called-here = call of { $function }
lookup-is-called-here-of = call { $number } of { $count } of { $function }
lookup-is-not-called-before = no earlier call of { $function }
lookup-is-not-called-after = no later call of { $function }
lookup-no-function-is-called = no function is named { $name }
lookup-no-call-is-around = the position is not inside a call
demo-1-go-to-the-end = 1  Go to the end
demo-2-ask-why = 2  In Registers, click x2 and ask why
demo-3-go-to-the-store = 3  In Why, click the step that stored it
demo-solved = Solved: decode_field wrote past the end of its buffer, over the function pointer that dispatch calls
demo-close-the-hint = Dismiss the hint
demo-a-server-dies-by-an = A server crashes on an overwritten pointer: what overwrote it?
dock-panels = Panels
lookup-there-is-no-call-around = the position is not inside a call
lookup-is-no-address = { $text } is not an address
lookup-no-external-before = no earlier external change
lookup-no-external-after = no later external change
lookup-no-external-of-before = no earlier external change of memory at { $address }
lookup-no-external-of-after = no later external change of memory at { $address }
dialog-saved = Saved { $path }
dialog-all-files = All files
dialog-traces-of-format = { $format } traces, plain or compressed
dialog-nothing-is-done = cannot open a file that Stepback wrote: { $path }
dialog-other-name = expected a file named { $name }, got { $path }
find-find = Find
find-find-in-the-trace = Find in the trace
goto-forms = Step, function, address, file:line
goto-go-to = Go to
goto-step-counter = Step counter
goto-steps-done-of-all-click = Steps done, of all. Click to type a step
goto-step = Step
lookup-no-hit-before = No earlier hit of { $text }
lookup-no-hit-after = No later hit of { $text }
kept-file-missing = a file that the session names is missing: { $first }
kept-files-missing = files that the session names are missing: { $first } and { $more } more
kept-trace-file-missing = a file of the session's trace is missing: { $file }
layouts-unknown = there is no layout { $name }: choose one of { $known }
layouts-this-name-is-taken-choose = this is the name of a built-in layout: choose another one
layouts-saved = Layout saved: { $name }, in the Window menu
layouts-forgotten = Layout deleted: { $name }
layouts-unread = the layout { $name } cannot be read, because another version of Stepback saved it; it is left unchanged
layouts-not-own = there is no custom layout named { $name }
lookup-instruction-before = no earlier execution of this instruction
lookup-instruction-after = no later execution of this instruction
lookup-no-line-before = no other source line is executed before this position
lookup-no-line-after = no other source line is executed after this position
lookup-no-lines = no source lines: add an image that was compiled with -g
lookup-not-true-before = no earlier position where { $condition }
lookup-not-true-after = no later position where { $condition }
lookup-no-change-before = no earlier change of { $watch }
lookup-no-change-after = no later change of { $watch }
moving-failed = could not go to the position: { $error }
opened-the-trace-could-not-be = The trace could not be opened
opened-indexing-was-cancelled = Indexing was cancelled
opened-opening-was-cancelled = Opening was cancelled
opened-the-trace-changed = The trace changed
opened-the-trace-has-grown = The trace has grown
opened-locate = Locate…
opened-say-where = Choose where { $trace } is on this machine.
opened-the-trace-of-the-session = The session's trace was not found
opened-reload = Reload
opened-indexing-stopped = Indexing stopped
opened-what-is-shown-belongs-to = This is the old version of the file.
opened-follow = Follow
opened-time-runs-backwards = Time runs backwards
opened-lines-not-read = { $count ->
        [one] 1 line
       *[other] { $count } lines
    } could not be read
opened-places-not-read = { $count ->
        [one] 1 place
       *[other] { $count } places
    } could not be read
opened-first = First: { $warning }.
opened-show-list = Show list
opening-the-demo = the demo
opening-thread-ended = the trace could not be opened: its thread stopped unexpectedly
part-not-shown = the indexed part of the trace could not be shown: { $error }
start-path-of-a-trace = Path of a trace
moves-nothing-called-this-function-the = This function has no caller: the trace begins inside it
moves-this-function-does-not-return = This function does not return: the trace ends inside it
moves-no-return-so-far = This function has not returned yet: { $caveat }
moves-this-thread-has-no-step = No earlier step of this thread
moves-this-thread-has-no-step-after = no later step of this thread
part-advice = On the command line, "list --records" prints a part, and DynamoRIO's record_filter copies one.
part-shift-drag-in-the-timeline = Shift+drag in the timeline to select a range.
part-nothing-is-selected-in-the = No selection in the timeline
part-only-a-part-of-a = Saving part of a trace works for Tarmac traces only
part-only-a-part-of-a-tarmac = saving part of a trace works for Tarmac traces only
part-the-part-is-not-written = cannot overwrite the trace that the part comes from: choose another file
part-saved = Saved { $steps ->
        [one] 1 step
       *[other] { $steps } steps
    } as { $path }
sources-the-source-lines-are-still = source lines are still being read
start-recent-traces = Recent traces
start-clear-list = Clear list
start-look-up-any-moment-of = Inspect any moment of a recorded execution.
start-a-trace-that-consists-of = A trace of several files, as DynamoRIO writes it
start-what-was-marked-named-and = Bookmarks, names and layout saved for a trace: TRACE.session.toml, also from another machine
start-open = Open { $name }
start-steps = steps
start-changed-since = changed since
start-file-not-found = file not found
start-forget-this-trace = Remove from list
start-drop-a-trace-here-a = Drop a trace here: a file or a directory, with its ELF next to it if you have one
start-formats = { $formats } – plain or compressed (.gz, .zst, .xz, .zip, .lz4, .sz)
status-no-trace-open = No trace open
status-where = where { $condition }
status-where-tip = F8 goes to the next position where { $condition }. Click to change the condition
status-forget-condition = Forget the condition
status-of = { $position } of { $end }
status-after-step = After step { $step } · position
status-before-first = Before step 0 · position
status-line = Line
status-record = Record
status-time = Time
status-thread = Thread
status-in = In
status-depth = Depth
status-warnings = { $count ->
        [one] 1 warning
       *[other] { $count } warnings
    }
status-lines-that-could-not-be = Lines that could not be read
status-externals = { $count ->
        [one] 1 external change
       *[other] { $count } external changes
    }
status-reads-that-differ-from-the = Reads that differ from the last write: something outside the trace wrote to that memory
status-order-between-threads-is-known = Order between threads is only as exact as the timestamps
status-order-by-timestamps = Ordered by timestamp
status-order-here = { $whole }; here { $others }
status-stays-in = Staying in { $thread }
status-steps-of-other-threads-are = Steps of other threads are skipped. Click to step through all threads
status-no-symbols = No symbols
status-functions-have-no-names = Functions have no names. Open the trace with --image ELF, or put the ELF next to it under the same name.
status-symbols = Symbols { $name }{ $more }
status-symbols-come-from = Symbols from { $paths }
status-the-trace-is-read-as = The trace is read as it grows. Click to finish its index
status-answers-are-so-far-the = Results are partial: the rest of the trace is not indexed
status-go-on = Continue
status-index-the-rest-of-the = Index the rest of the trace
status-stop-finding-tail-calls = Stop finding tail calls
status-do-without-calls-stay-as = Skip this: keep the calls that the trace itself shows
status-finding-tail-calls = Finding tail calls
status-the-call-tree-gains-calls = Adds calls made by a jump at the end of a function
status-stop-indexing = Stop indexing
status-cancel-indexing-what-is-indexed = Cancel indexing and keep what is indexed
status-indexing = Indexing
status-show-the-indexing-card = Show indexing progress
stepping-no-thread = the trace has no thread { $name }: choose one of { $known }
timeline-height-of-the-timeline = height of the timeline
timeline-drag-height-of-the-timeline = Drag to resize the timeline; double click to reset
toasts-copy = Copy
toasts-close-message = Dismiss
watches-full = cannot add more watches: { $error }
watches-the-watch-was-removed = Watch removed
watches-all-watches-were-removed = All watches removed
watches-undo = Undo
summary-threads = { $count } threads
summary-steps = { $what } · { $count } steps
words-1-byte = 1 byte
words-bytes = { $count } bytes
words-tb = TB
words-gb = GB
words-mb = MB
words-kb = kB
words-size = { $amount } { $unit }
words-just-now = just now
words-minutes-ago = { $count } min ago
words-hours-ago = { $count } h ago
words-yesterday = yesterday
month-jan = Jan
month-feb = Feb
month-mar = Mar
month-apr = Apr
month-may = May
month-jun = Jun
month-jul = Jul
month-aug = Aug
month-sep = Sep
month-oct = Oct
month-nov = Nov
month-dec = Dec
tabs-at = at { $position }
tabs-what-the-panel-follows = what the panel follows
tabs-follows-active = Follows the active trace window, now { $number }, { $at }
tabs-follows = Follows trace window { $number }, { $at }
tabs-pinned = Pinned { $at }
tabs-the-active-window = the active window
tabs-window = window { $number }
tabs-this-position-for-good = this position permanently
tabs-what-and-click = { $what }
    Click: { $then }
tabs-panel-menu = { $panel } panel menu
tabs-follow-the-active-window = Follow the active window
tabs-follow-window = Follow window { $number }
tabs-pin-at = Pin at { $position }
tabs-duplicate = Duplicate
tabs-close = Close
lookup-no-function-no-position = { $text } is neither a function nor a position. Try 1234, 50%, end or the name of a function
lookup-is-memory = { $text } is not a position; the address { $address } is memory without executed code: type it in Memory or Accesses
lookup-best = { $title }: { $note }
lookup-line-before = no earlier execution of line { $line } of { $file }
lookup-line-after = no later execution of line { $line } of { $file }
lookup-other-thread = thread changed: { $thread } executes line { $line } here
lookup-from-line = the value of { $cell } comes from line { $line }, before the first step
lookup-read-doubt = read of { $cell }: { $doubt }
lookup-write-doubt = write of { $cell }: { $doubt }
lookup-not-read-before = no earlier read of { $cell }
lookup-not-read-after = no later read of { $cell }
lookup-not-written-before = no earlier write of { $cell }
lookup-not-written-after = no later write of { $cell }
lookup-not-read-between = no read of { $cell } between { $from } and { $until }
lookup-not-written-between = no write of { $cell } between { $from } and { $until }
lookup-byte-at = the byte at { $address }
lookup-memory-at = memory at { $address } ({ $length } bytes)
lookup-is-no-cell = { $text } is neither a register nor memory
frame-drop-the-trace-a-file = Drop the trace, a file or a directory, to open it; two traces are compared
kept-not-kept = No session file can be created next to the trace. Save the session under a name to keep it.
kept-what-is-marked-is-not = Bookmarks are not saved
kept-the-panels-of-the-session = the panels of the session could not be read: the default layout is shown, and the file stays unchanged until you save the session
kept-save-session-as = Save session as…
kept-session-saved = Session saved: { $path }
kept-elsewhere = The folder of the trace is not writable. The session was saved as { $path }.
kept-the-session-made-way = The previous session of this trace was kept
kept-as = It is in { $path } until the next one replaces it.
kept-open-it-again = Open it again
kept-the-session-has-another-place = The session was saved elsewhere
kept-of-another = { $path } holds the session of another window or user and was left unchanged.
kept-replace-it = Replace it
kept-the-session-is-not-saved = The session was not saved
marks-full = cannot add more bookmarks: { $error }
marks-the-bookmark-was-deleted = Bookmark deleted
marks-the-bookmark-and-its-note = Bookmark and note deleted
marks-deleted = { $count ->
        [one] 1 bookmark
       *[other] { $count } bookmarks
    } deleted
marks-undo = Undo
marks-drag-with-shift-in-the = Shift+drag in the timeline, then press Shift+B.
marks-no-part-of-the-trace = No selection in the timeline
marks-there-is-no-bookmark-before = No earlier bookmark
marks-there-is-no-bookmark-behind = No later bookmark
marks-there-is-nothing-to-undo = Nothing to undo
marks-there-is-nothing-to-redo = Nothing to redo
apply-no-window = there is no trace window { $number }: { $count } are open
apply-no-sve = This trace has no SVE registers
apply-no-general = This trace has no general registers
apply-no-single = This trace has no single-precision registers
apply-no-double = This trace has no double-precision registers
apply-no-vector = This trace has no vector registers
apply-no-system = This trace has no system registers
apply-click-a-register-or-a = Click a register or a byte, or type "Last write x2" in the palette.
apply-commands = Commands
apply-no-cell-is-selected = No cell is selected
apply-no-cell-is-selected-2 = no cell is selected
apply-the-last-trace-window-stays = The last trace window cannot be closed
card-indexing = Indexing { $name }
card-of = { $done } of { $total }
card-steps = { $count } steps
card-left = about { $time } left
card-the-trace-can-be-read = You can already work with the trace.
card-the-trace-opens-when-its = The trace opens once its first part is indexed.
card-cancel = Cancel
card-hide = Hide

## panels 1

key-click = click
key-double-click = double click
list-vertical-scroll = vertical scroll
list-loading = Loading…
list-an-empty-filter = Clear the filter to show all rows.
list-how-to-find = Press / and type a text, a /regular expression/, a number, an address, a function or bytes; ? searches backwards.
list-how-to-list-accesses = Select a register or memory, then run the command "Accesses" (:), or "All executions…" for code.
row-to-step = to step { $text }
row-copy = Copy
thread-of-the-position = Thread of the position
thread-thread = thread { $shown }
thread-this-thread-wherever-the-position = Always this thread
thread-the-thread-that-executes-at = The thread that runs at the position
warnings-at-line = warning at line { $line }
warnings-message = warning { $message }
warnings-line-head = Line { $line }
warnings-travel-to-its-line = Go to its line
warnings-warnings = Warnings
warnings-no-warnings = No warnings
warnings-all-lines-of-the-trace = All lines of the trace could be read.
warnings-all-records-of-the-trace = All records of the trace could be read.
warnings-no-warnings-so-far = No warnings so far
warnings-all-lines-that-are-indexed = All lines indexed so far could be read.
warnings-all-records-that-are-indexed = All records indexed so far could be read.
warnings-lines = { $count ->
        [one] 1 unreadable or doubtful line
       *[other] { $count } unreadable or doubtful lines
    }
warnings-places = { $count ->
        [one] 1 unreadable or doubtful place
       *[other] { $count } unreadable or doubtful places
    }
warnings-one-is-listed = of one kind
warnings-that-differ = of { $count } kinds
bookmarks-bookmark = Bookmark
bookmarks-bookmark-the-selection = Bookmark the selection
bookmarks-bookmark-this-memory = Bookmark this memory
bookmarks-rename-bookmark = Rename bookmark…
bookmarks-note = Note…
bookmarks-make-yellow = Make it yellow
bookmarks-make-red = Make it red
bookmarks-make-green = Make it green
bookmarks-make-blue = Make it blue
bookmarks-make-pink = Make it pink
bookmarks-make-grey = Make it grey
bookmarks-delete-bookmark = Delete bookmark
bookmarks-select-it-in-the-timeline = Select it in the timeline
bookmarks-compare-its-ends = Compare its start and end
bookmarks-show-memory = Show memory
bookmarks-list-all-accesses = List all accesses
bookmarks-copy-command-that-opens-it = Copy command that opens it
bookmarks-travel-there = Go there
bookmarks-open-window-there = Open window there
bookmarks-count = { $count ->
        [one] 1 bookmark
       *[other] { $count } bookmarks
    }
bookmarks-shown = { $shown } of { $all }
bookmarks-place = Place
bookmarks-name = Name
bookmarks-note-2 = Note
bookmarks-what-is-there = Contents
bookmarks-name-of-the-bookmark = Name of the bookmark
bookmarks-note-of-the-bookmark = Note of the bookmark
bookmarks-bookmarks = Bookmarks
bookmarks-nothing-is-marked = No bookmarks
bookmarks-b-marks-the-position-shift = B bookmarks the position, Shift+B the timeline selection. To bookmark memory, use its context menu.
bookmarks-no-bookmark-holds-the-text = No bookmark matches
bookmarks-take-something-out-of-the = Shorten the filter above.
bookmarks-row = bookmark { $title }
calls-steps = Steps
calls-elapsed = Elapsed
calls-inside = Calls
calls-position = Position
calls-call = Call
calls-caller = Caller
calls-travel-to-its-entry = Go to its entry
calls-travel-to-its-end = Go to its end
calls-open-window-at-its-entry = Open window at its entry
calls-compare-before-and-after-it = Compare before and after it
calls-close = Close
calls-open = Open
calls-unfold-it-in-the-trace = Unfold it in the trace
calls-fold-it-in-the-trace = Fold it in the trace
calls-copy-name = Copy name
calls-in = in { $names }
calls-count = { $count ->
        [one] 1 call
       *[other] { $count } calls
    }
calls-in-steps = { $calls } in steps { $first } – { $last }
calls-list-calls-of-the-whole = List calls of the whole trace
calls-back-to-the-calls-of = Back to all calls of the trace
calls-calls = Calls
calls-find-a-function = Find a function
calls-no-such-call = No call matches
calls-try-a-part-of-the = Try part of a function name.
calls-row-times = call { $name } ×{ $times }
calls-row = call { $name }
calls-called-by = { $name }({ $arguments }), called by { $caller }
calls-close-row = close { $name }
calls-open-row = open { $name }
calls-more = … { $count } more
calls-more-2 = … more
compare-swap-sides = Swap sides
compare-filter-cells = Filter cells
compare-side = compare { $side }: window { $number }
compare-window-at = Window { $number } at { $position }
compare-the-two-positions-are-the = The two positions are the same
compare-move-one-of-the-windows = Move one of the windows to compare them.
compare-compare = Comparison
compare-nothing-to-compare-yet = Nothing to compare yet
compare-open-a-second-trace-window = Open a second trace window: Side by side (Ctrl+B).
compare-before = before
compare-after = after
compare-cell = Cell
compare-last-written-by = Last written by
compare-means = Meaning
compare-meant = { $side } (W)
compare-instruction = Instruction
compare-source = Source
compare-writes-between = Writes between
compare-head = window { $first } { $left }, window { $second } { $right }
compare-close-group = close group { $title }
compare-open-group = open group { $title }
compare-difference = difference { $cell }
compare-no-step = no step
compare-travel-to-its-last-write = Go to its last write
compare-open-window-there = Open window there
compare-next-write = Next write
compare-show-memory-there = Show memory there
compare-show-memory-at = Show memory at { $symbol }
compare-copy-value-at-the-left = Copy left value
compare-copy-value-at-the-right = Copy right value
compare-copy-as-text = Copy as text
externals-list-from-the-position = List from the position
externals-list-from-the-start = List from the start
externals-reads = { $count ->
        [one] 1 read
       *[other] { $count } reads
    }
externals-head = { $reads } { $count ->
        [one] differs
       *[other] differ
    } from the last write: DMA, a device or a system call
externals-from = { $summary }; from step { $step } on
externals-no-external-change-from-there = No external change from this position on
externals-list-from-the-start-of = List from the start of the trace instead.
externals-more = … more
externals-external-changes = External changes
externals-no-external-changes = No external changes
externals-every-read-agrees-with-the = Every read returns what was last written.
externals-no-values = This format records no values, so reads and writes cannot be compared.
externals-not-recorded = External changes are not recorded
externals-step = Step
externals-address = Address
externals-was = Was
externals-read = Read
externals-symbol = Symbol
externals-row = external change at step { $step }
externals-travel-to-the-read = Go to the read
findings-checking-the-trace = Checking the trace…
findings-progress = Checking the trace… { $share }%
findings-cancel = Cancel
findings-the-trace-is-not-checked = The trace has not been checked
findings-enter-goes-through-all-of = Press Enter to check all of it and list what breaks a rule.
findings-check = Check
findings-no-findings = No findings
findings-the-trace-keeps-the-rules = The trace is well formed and consistent.
findings-findings = Findings
findings-travel-to-it = Go to it
findings-copy = Copy
differences-differences = Differences
differences-both-traces = Both traces
differences-side-by-side = Both side by side
differences-ignored = Ignored
differences-ignored-values = { $count ->
    [one] { $count } value
   *[other] { $count } values
}
differences-ignored-computed = { $count ->
    [one] { $count } computed value
   *[other] { $count } computed values
}
differences-ignored-steps = { $count ->
    [one] { $count } step without a partner
   *[other] { $count } steps without partners
}
differences-counters = counters
differences-ignore = Ignore { $name }
differences-count = No longer ignore { $name }
differences-no-second-trace = No second trace
differences-choose = Compare with trace… chooses a second trace
differences-waiting = Waiting until the trace is indexed
differences-opening = Opening { $name }: { $share } %
differences-comparing = Comparing with { $name }: { $share } %
differences-none-after = No difference after this position
differences-none-before = No difference before this position
differences-head-difference = Difference
both-states-both-states = State of both traces
both-states-head-cell = Register or memory
both-states-head-relation = Relation
both-states-different = differs
both-states-same-pointers = same object
both-states-equal = equal
both-states-summary = { $count ->
    [0] Nothing differs
    [one] 1 value differs
   *[other] { $count } values differ
}, B at { $position }
differences-head-state-a = In A
differences-head-state-b = In B
differences-head-in-a = Steps in A
differences-head-count-a = Number in A
differences-head-in-b = Steps in B
differences-head-count-b = Number in B
differences-head-values = Values
differences-equal = { $count ->
        [one] Equal to { $name }: 1 step
       *[other] Equal to { $name }: { $count } steps
    }
differences-matched = { $count ->
        [one] B is { $name }: 1 step matches
       *[other] B is { $name }: { $count } steps match
    }
differences-steps-differ = { $count ->
        [one] 1 step with different values
       *[other] { $count } steps with different values
    }
differences-regions = { $count ->
        [one] 1 region without partners
       *[other] { $count } regions without partners
    }
differences-threads = { $count ->
        [one] 1 thread only in { $side }
       *[other] { $count } threads only in { $side }
    }
differences-first-divergence = First divergence
differences-first-value = First different value
differences-cause = Cause
differences-then = then
differences-before-first-step = Before the first step
differences-same = Same steps
differences-other-steps = Other steps
differences-only-in-a = Only in A
differences-only-in-b = Only in B
differences-not-aligned = Not aligned (too long and too different)
differences-same-values = same values
differences-before-step = before { $step }
differences-goes-to = A goes to { $a }, B to { $b }
differences-the-end = the end
differences-chain = { $count ->
        [one] 1 step with different values leads to the divergence
       *[other] { $count } steps with different values lead to the divergence
    }
differences-nothing-after = nothing differs after it
differences-heals = { $count ->
        [one] 1 value differs for a while, then agrees again
       *[other] { $count } values differ for a while, then agree again
    }
differences-after = { $count ->
        [one] 1 value differs after it
       *[other] { $count } values differ after it
    }
differences-not-compared-after = the values after it are not compared
differences-rows-left = { $count ->
        [one] 1 row is not listed
       *[other] { $count } rows are not listed
    }
differences-more = { $count ->
        [one] 1 more
       *[other] { $count } more
    }
differences-cell = { $place }: { $a } in A, { $b } in B
differences-instruction = instruction at { $place }
differences-condition = condition at { $place }
differences-read-address = read address
differences-read = read at { $place }
differences-write-address = written address
differences-write = write at { $place }
differences-executed = executed
differences-not-executed = not executed
differences-not-recorded = not recorded
differences-exception-in-a = A takes an exception
differences-exception-in-b = B takes an exception
differences-cause-not-recorded = no recorded value that differs led to it
differences-origin-instruction = the instruction is different
differences-origin-result = the result differs, the recorded inputs do not
differences-origin-unrecorded-result = its result is not recorded
differences-origin-register-initial = { $place } differs before the first step
differences-origin-register-unknown = { $place } before the first step is not recorded
differences-origin-memory = it loads from memory, which is not recorded
differences-origin-system-call = the system call returned something else
differences-origin-ignored = a value that it reads differs, which a rule ignores
differences-origin-unknown = its reason is not recorded
differences-origin-initial = the value at { $place } was there before the trace began
differences-origin-image = the value at { $place } is that of the image
differences-origin-external = the value at { $place } was written from outside
differences-origin-system = the value at { $place } was supplied by the system
differences-origin-thread = the value at { $place } was written by step { $step } of { $thread }
differences-origin-limit = the search ended here; earlier steps may differ
differences-origin-unrecorded = the value at { $place } comes from a write that is not recorded
list-escape-cancels = Escape cancels
functions-functions-of = functions of: { $shown }
functions-shift-drag-in-the-timeline = Shift+drag in the timeline to select a range; calls are cut at its ends
functions-whole-trace = Whole trace
functions-selected-range = Selected range
functions-working = Counting: { $share } %
functions-stop = Stop
functions-go-on = Continue
functions-the-functions-were-not-worked = Counting was stopped
functions-go-on-above-begins-again = Choose "Continue" above to start again.
functions-looking-at-all-calls = Reading all calls…
functions-escape-or-stop-gives-it = Press Escape or "Stop" to cancel.
flame-find-in-the-graph = Find in the graph
flame-zoom-out-backspace = Zoom out   Backspace
flame-by-time = By time
flame-by-steps = By steps
flame-no-function-is-called-so = No function matches
flame-sought = { $count ->
        [one] 1 function
       *[other] { $count } functions
    }, { $share } of all { $measure }
flame-steps = steps
flame-time = time
flame-flame-graph = Flame graph
flame-no-function-was-called = No calls
flame-the-trace-has-no-calls = The trace has no calls.
flame-flame-graph-2 = flame graph
flame-box = flame { $name }
flame-self = { $name } itself, outside the functions that it calls
flame-too-narrow = { $count } stacks, each too narrow to show
flame-zoom-to-it = Zoom to it
flame-zoom-out = Zoom out
flame-travel-to-the-first-such = Go to the first such call
flame-next-call = Next call
flame-previous-call = Previous call
flame-copy-stack = Copy stack
functions-nobody-called-it = No callers
functions-callers = Callers
functions-it-called-nobody = No callees
functions-callees = Callees
functions-steps = Steps
functions-time = Time
functions-share = Share
functions-calls = Calls
functions-near = near { $name }
functions-choose-this-function = Select this function
functions-travel-to-the-first-such = Go to the first call
functions-copy-name = Copy name
functions-a-click-chooses-it-a = Click to select, double click to go to the first call
functions-no-function-was-called = No calls

## panels 2

registers-core = Core
registers-sve = SVE
registers-system = System
registers-filter-registers = Filter registers
registers-group = register group { $title }
registers-in-another-panel = { $group } in a new panel
registers-which-registers-v = Register group   V
registers-lanes = lanes { $name }
registers-lanes-hex = hex { $bits }
registers-lanes-unsigned = unsigned { $bits }
registers-lanes-signed = signed { $bits }
registers-lanes-float = float { $bits }
registers-how-values-are-read-l = Value format   L
registers-row = register { $name }
registers-inferred = inferred: { $reason }
registers-unknown = unknown
registers-thread-mode = thread mode
registers-last-write = Last write
registers-next-write = Next write
registers-all-values-of = All values of { $name }
registers-watch = Watch { $name }
registers-show-memory-at = Show memory at { $address }
registers-copy-value = Copy value
registers-copy-name = Copy name
registers-copy-as-text = Copy as text
registers-mode = mode { $mode }
registers-flags = flags
detail-never-before = never before
detail-never-again = never again
detail-written-by = written by
detail-next-write = next write
detail-next-read = next read
detail-known-by = known by
detail-but = but
registers-hide-group = hide { $title }
registers-show-group = show { $title }
tab-registers = Registers
tab-single-precision = Single precision
tab-double-precision = Double precision
tab-vectors = Vectors
source-newer-than-the-image = newer than the image
source-bar = source { $place } { $said }
source-cut = { $path }, truncated because it is very long
source-inlined-at = { $function } inlined at { $file }:{ $line }
source-in = in { $function }
source-calls = calls { $function }, which has no source line
source-no-line-of = { $address } has no source line
source-no-source-line-here = no source line here
source-no-program-image = No program image
source-add-the-elf-file-that = Add the ELF file that was traced, compiled with -g.
source-the-image-has-no-source = The image has no source lines
source-add-one-that-was-compiled = Add one that was compiled with -g and not stripped.
source-no-source-line-here-2 = No source line here
source-neither-this-instruction-nor-a = Neither this instruction nor any enclosing call has one. Step on, or add another image.
source-add-image = Add image…
source-not-found = { $file } was not found
source-compiled-as = It was compiled as { $name }.
source-locate = Locate…
source-source = Source
source-line = source line { $line }
source-next-execution-of = next execution of line { $line }
source-which-the-trace-never-reaches = The trace never reaches it
source-next-hint = Next execution of line { $line } (Shift: previous)
source-line-head = Line { $line }
source-next-execution = Next execution
source-previous-execution = Previous execution
source-copy-place = Copy location
source-copy-line = Copy line
stack-from-step = from step
stack-found-because = { $left } · evidence: { $evidence }
stack-travel-to-its-call = Go to its call
stack-travel-to-its-entry = Go to its entry
stack-open-window-at-its-entry = Open window at its entry
stack-copy-stack = Copy stack
stack-no-calls-here = No calls here
stack-the-thread-has-not-executed = The thread has not executed a step yet.
stack-frames = { $count ->
        [one] 1 frame
       *[other] { $count } frames
    }
stack-at = at { $position }
stack-return-to-it = Return to it
stack-travel-back-to-where-this = Go back to the position of this stack
stack-stack = Stack
stack-function = Function
stack-arguments-at-its-entry = Arguments at entry
stack-called-from = Called from
stack-step = Step
stack-frame = frame { $place } { $name }
stack-nothing = start of thread
accesses-all = All
accesses-reads-and-writes = Reads and writes
accesses-reads = Reads
accesses-reads-alone = Reads only
accesses-writes = Writes
accesses-writes-alone = Writes only: every value it took
accesses-register-address-length-code-or = Register, address:length, code or file:line
accesses-list-from-the-position = List from the position
accesses-list-from-the-start = List from the start
accesses-from-here = From here
accesses-from-start = From start
accesses-bytes = { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    }
export-copy-or-save-the-list = Copy or save the list
export-copy-as-csv = Copy as CSV
export-copy-as-json = Copy as JSON
export-save-as-csv = Save as CSV…
export-save-as-json = Save as JSON…
export-copy-or-save-the-list-as = Copy or save the list as filtered and sorted
table-accesses = Accesses
table-heap = Heap
table-heat = Heat
table-tasks = Tasks
table-functions = Functions
table-find = Find
table-travel-to-the-first-call = Go to the first call
table-travel-there = Go there
table-no-register-memory-or-code = No register, memory or code selected
table-type-above-or-right-click = Type one above, or right-click a register, a byte or a step.
table-the-trace-does-not-tell = This trace has no heap events
table-record-it-again-with-record = Record it again with -record_heap, and keep funclist.log next to the trace.
table-format-records-no-heap = This format does not record calls of heap functions.
table-the-trace-has-no-loads = This format does not record memory accesses.
table-the-trace-has-no-steps = The trace has no steps.
table-the-trace-has-no-calls = The trace has no calls.
table-nothing-is-looked-for = Nothing to search for
table-ask-for-more-bytes-for = Try more bytes, all threads, or start from the beginning of the trace.
table-no-function-that-allocates-returns = No allocation function returns in the trace.
table-no-row-holds-the-text = No row matches
table-take-something-out-of-the = Shorten the filter above.
table-sort-by = Sort by { $column }; click again to reverse
table-open-in-a-new-window = Open in a new window
table-show-memory = Show memory
table-next-call = Next call
table-previous-call = Previous call
table-watch = Watch [{ $address }]
table-copy = Copy
threads-sort-by = sort by { $name }
threads-threads = Threads
threads-count = { $count ->
        [one] 1 thread
       *[other] { $count } threads
    }
threads-on-cores = { $threads } on { $count ->
        [one] 1 core
       *[other] { $count } cores
    }
threads-step-through-all-threads = Step through all threads
threads-stay-in-the-thread-of = Stay in the thread at the position
threads-thread = Thread
threads-process = Process
threads-steps = Steps
threads-first-step = First step
threads-last-step = Last step
threads-cores = Cores
threads-end = End
threads-time = Time
threads-started = Started
threads-row = thread { $name } with { $count ->
        [one] 1 step
       *[other] { $count } steps
    }
threads-head = Thread { $name }
threads-travel-to-its-first-step = Go to its first step
threads-travel-to-its-last-step = Go to its last step
threads-stay-in-this-thread = Stay in this thread
watches-unknown = unknown
watches-last-write = Last write
watches-next-write = Next write
watches-previous-change = Previous change
watches-next-change = Next change
watches-all-values = All values
watches-show-memory-at = Show memory at { $address }
watches-read-as = Show as
watches-change = Change…
watches-move-up = Move up
watches-move-down = Move down
watches-remove-watch = Remove watch
watches-copy-value = Copy value
watches-hint = Watch { $first }, [sp+8] u32, name utf8
watches-watches = Watches
watches-nothing-is-watched = No watches
watches-type-a-register-address-or = Type a register, [address] or expression above, or press O on a register or byte.
watches-row = watch { $expression } = { $value }
watches-means-nothing = not an expression
watches-step = step
watches-before-the-start = before the start
watches-never-written = never written
watches-is-unknown = { $watch } is unknown
watches-next-write-step = next write: step { $step }
watches-never-written-again = never written again
registers-core-registers = Core registers
registers-single-precision-registers = Single-precision registers
registers-double-precision-registers = Double-precision registers
registers-vector-registers = Vector registers
registers-sve-registers = SVE registers
registers-system-registers = System registers

## extra

find-where-it-begins = start of the search
find-where-it-ends = end of the search

## model 1

externals-line = step { $step }: { $address }{ $place } was { $was }, read { $read }
fatal-load = { $count ->
        [0] No exit: most likely a fatal signal. The recorder does not record these well: the load from { $address } looks completed
        [one] No exit: most likely a fatal signal. The recorder does not record these well: the load from { $address } looks completed, and the step after it may not have run
       *[other] No exit: most likely a fatal signal. The recorder does not record these well: the load from { $address } looks completed, and the { $count } steps after it may not have run
    }
fatal-store = { $count ->
        [0] No exit: most likely a fatal signal. The recorder does not record these well: the store to { $address } looks completed
        [one] No exit: most likely a fatal signal. The recorder does not record these well: the store to { $address } looks completed, and the step after it may not have run
       *[other] No exit: most likely a fatal signal. The recorder does not record these well: the store to { $address } looks completed, and the { $count } steps after it may not have run
    }
fatal-raised = No exit: most likely a fatal signal that the program sent itself with { $call }

## How a trace ends badly: the card that opens with it
ending-no-code = Jumped to { $target }, where there is no code ({ $exception })
ending-jump = Ends in an exception after a jump to { $target }: { $exception }
ending-exception = Ends in an exception: { $exception }
ending-handler = Ends in { $handler }, after an exception: { $exception }
ending-watchdog = A watchdog timer expired: ends in { $handler }
ending-signal = Ends in the handler of { $signal }
ending-assertion = Ends in { $function }: the program gave up
ending-lost = The last records of the trace were lost
ending-fatal-load = Most likely killed by a signal: load from { $address }
ending-fatal-store = Most likely killed by a signal: store to { $address }
ending-raised = Most likely killed by a signal that it sent itself with { $call }
ending-place = step { $step }, { $place }: { $code }
ending-close = Dismiss
ending-why = Why
ending-end = End
ending-go = Go there
ending-go-to-step = Go to this step
ending-writes = All writes
ending-writes-of = List what was written to { $cell }, which held the value
watches-the-trace-does-not-tell = the trace does not record what was written
watches-nothing-wrote-it-before-this = no write before this position
head-page = Page
head-reads = Reads
head-writes = Writes
head-share = Share
head-symbol = Symbol
heat-no-access = No memory accesses
heat-pages = { $count ->
        [one] 1 page
       *[other] { $count } pages
    } of { $size }
heat-busiest = { $summary }, the busiest { $count } of them
heat-page = page { $address }
tasks-count = { $tasks ->
        [one] 1 task
       *[other] { $tasks } tasks
    }, { $runs ->
        [one] 1 run
       *[other] { $runs } runs
    }
tasks-os-threads = The tasks of this trace are its threads: see Threads
tasks-first-rows = { $summary }, the first { $count } rows
tasks-name = task { $task } { $function }
tasks-run = task { $task } from { $from }
tasks-task = Task
tasks-function = First function
tasks-control-block = Control block
tasks-runs = Runs
tasks-from = First step
tasks-to = Last step
tasks-steps = Steps
tasks-handler-steps = In handlers
tasks-time = Time
tasks-calls = Calls
order-one = thread { $thread } ran at the same time
order-and = { $first } and { $last }
order-more = { $first } and { $count } more
order-several = threads { $threads } ran at the same time
order-explained =
    Each thread recorded the time occasionally: at system calls, and when a buffer was full.
    Steps of different threads are ordered by these times.
    Between two such times the order is unknown, so "last write" may name
    the wrong one of two threads that used the same memory at the same time.
order-at-position = At this position { $others }.
order-nobody = At this position no other thread ran.
frame-the-first-frame-of-its = the first frame of its thread
frame-entered-by-a-call = entered by a call
frame-entered-by-a-jump-from = entered by a jump from the end of another function (a tail call)
frame-entered-by-an-exception-or = entered by an exception or interrupt
frame-entered-by-a-switch-to = entered by a switch to another stack (another task)
frame-entered-before = entered before the trace begins
frame-first-after-a-gap = the first frame after a gap in the trace
frame-returned = returned
frame-skipped-by-a-later-return = skipped by a later return of one of its callers
frame-left-by-a-jump-out = left by a jump out of several frames (longjmp)
frame-never-left-the-trace-ends = never left: the trace ends inside
frame-left-by-a-jump-to = left by a jump to another function, which returned in its place (a tail call)
frame-left-in-a-gap = unknown: a gap in the trace follows its last step
frame-last-step = { $words }, last step { $step }
frame-it-is-where-the-thread = the thread begins here
frame-the-calling-step-wrote-the = the calling step wrote the address of the next instruction to the link register
frame-control-came-back-to-its = control came back to its return address with the same stack pointer
frame-the-calling-step-is-a = the calling step is a branch to the start of another function
frame-the-trace-says-so-in = the trace says so explicitly
frame-control-went-on-elsewhere-after = control continued elsewhere after an instruction that does not branch
frame-the-stack-pointer-was-moved = the stack pointer was moved to another stack
frame-the-traces-records-say-so = the trace's records say so
frame-a-return-of-no-recorded-call = a return that belongs to no recorded call went there
frame-mark-tail = tail call
frame-mark-task = task
frame-mark-skipped = skipped
frame-mark-open = open
frame-mark-gap = gap
frame-mark-exception = exception
bookmarks-behind-the-end-of-the = past the end of the trace
bookmarks-not-indexed-yet = not indexed yet
sofar-stopped = Indexed up to step { $step } ({ $share } %)
sofar-following = Following: { $count ->
        [one] 1 step
       *[other] { $count } steps
    }
sofar-following-share = Following: { $count ->
        [one] 1 step
       *[other] { $count } steps
    } ({ $share } %)
sofar-caveat = the trace is indexed up to step { $step } ({ $share } %)
sofar-so-far = { $text } so far
sofar-not-left = not returned yet: { $caveat }
sofar-nothing = { $sentence } so far: { $caveat }
text-bytes = { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    }
text-kib = KiB
text-mib = MiB
text-gib = GiB
text-tib = TiB
text-pib = PiB
text-eib = EiB
effect-unknown = unknown
effect-taken = ↓ taken
effect-taken-2 = ↑ taken
effect-not-taken = not taken
tick-read = read
tick-written = written
tick-external-change-memory-differs-from = external change: memory differs from what was last known
tick-exception-trap-interrupt-or-signal = exception, trap, interrupt or signal
tick-of-the-search = of the search
tick-gap-instructions-are-missing-here = gap: instructions are missing here
timeline-own = { $steps }, { $own } self
step-rounds = { $count ->
        [one] 1 iteration
       *[other] { $count } iterations
    }
step-not-executed = not executed
step-reconstructed = reconstructed
step-inferred = inferred
step-reconstructed-what-is-recorded-leads = reconstructed: not recorded, but the path must pass here
step-inferred-likely-but-nothing-recorded = inferred: likely, but not proven by the recording
step-in-a-delay-slot = in a delay slot
step-annulled = annulled
step-more-in-lines = and { $count } more, in the lines of the trace
step-more-in-records = and { $count } more, in list --records
warnings-placed = line { $line }, byte { $byte }: { $message }
heap-block-freed-since = { $offset ->
        [0] the first of the { $size } that { $function } returned at { $step }, freed since at { $freed }
        [one] 1 byte into the { $size } that { $function } returned at { $step }, freed since at { $freed }
       *[other] { $offset } bytes into the { $size } that { $function } returned at { $step }, freed since at { $freed }
    }
heap-block-freed-at = { $offset ->
        [0] the first of the { $size } that { $function } returned at { $step }, freed at { $freed }
        [one] 1 byte into the { $size } that { $function } returned at { $step }, freed at { $freed }
       *[other] { $offset } bytes into the { $size } that { $function } returned at { $step }, freed at { $freed }
    }
heap-block-never-freed = { $offset ->
        [0] the first of the { $size } that { $function } returned at { $step }, never freed
        [one] 1 byte into the { $size } that { $function } returned at { $step }, never freed
       *[other] { $offset } bytes into the { $size } that { $function } returned at { $step }, never freed
    }
heap-double-free = { $function } gets { $address }, which { $freer } already freed at { $step }
heap-the-start = the start
heap-step = step { $step }
compare-below-the-stack-pointer = below the stack pointer (guess)
compare-stack-guessed = stack (guess)
compare-nothing-differs = No differences
compare-differ = { $registers ->
        [one] 1 register
       *[other] { $registers } registers
    } · { $bytes ->
        [one] 1 byte
       *[other] { $bytes } bytes
    } differ
compare-of-differ = { $count } of { $all } differ
compare-registers = Registers
compare-region = { $first } – { $last }, { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    } differ
compare-from = from { $address }
compare-unknown = unknown
findings-error = error
findings-warning = warning
findings-note = note
findings-errors = { $count ->
        [one] 1 error
       *[other] { $count } errors
    }
findings-warnings = { $count ->
        [one] 1 warning
       *[other] { $count } warnings
    }
findings-notes = { $count ->
        [one] 1 note
       *[other] { $count } notes
    }
findings-no-findings-2 = no findings
findings-step = step { $number }
findings-line = line { $number }
findings-record = record { $number }
findings-in-the-trace = in the trace
findings-clause = , { $clause } of the specification
rule-damaged = part of the trace could not be read
rule-damaged-meaning = the file is damaged or cut off, or its writer does not follow the format: this part is missing
rule-blocks = each line of the log is a block of instructions
rule-blocks-meaning = it was recorded without one-insn-per-tb: registers are known only between blocks
rule-image = an image does not contain the executed instructions
rule-image-meaning = an image is of another build or program, or was loaded elsewhere: names, lines and memory of it are wrong
rule-image-changed = an image does not contain the executed instructions
rule-image-changed-meaning = the program was patched or changed itself, or a debugger set breakpoints
rule-time-backwards = the time of a thread runs backwards
rule-time-backwards-meaning = parts of the trace are in the wrong order or were put together, or the clock was set
rule-path = a thread continues at an unexpected address
rule-path-meaning = steps are missing, or an interrupt, an exception or a context switch is not recorded
rule-register-unwritten = a register changed without a write
rule-register-unwritten-meaning = the trace lacks an instruction or an exception, or the line belongs to another step or processor
rule-memory-unwritten = a read did not return the last write
rule-memory-unwritten-meaning = a device wrote there (DMA), a store is missing from the trace, or the address now maps to other memory
rule-memory-outside = a read did not return the last write
rule-memory-outside-meaning = usually a write by a system call, an interrupt, a device or another processor, which the trace does not show
rule-bad-ending = the trace ends in a failure
rule-bad-ending-meaning = the program crashed, was killed or gave up, or the recorder lost its last steps
rule-thread-without-start = a later thread was not created by a system call
rule-thread-without-start-meaning = the recorder was attached while the thread was already running, or the part with its start is missing
rule-thread-without-step = a thread has no instruction, or does not begin with one
rule-thread-without-step-meaning = its name is damaged, or the trace was cut out of a longer one, or filtered by thread
check-path = { $thread } is at { $pc }, where the instruction at { $from } leads to { $expected }
check-time = the time of { $thread } falls from { $before } to { $after }
check-no-instruction = { $thread } has no instruction
check-early-access = { $thread } accesses { $address } before its first instruction
check-register = { $register } changes from { $before } to { $after } at { $pc }, where { $instruction } does not write it
check-a-register = a register
check-thread = thread { $thread } starts, but no earlier system call created it ({ $begun } started, { $made } created)
check-read = a read at { $address } finds { $read }, where { $known } was known
image-cause-changed = the program was patched, changed itself, or had breakpoints
image-cause-base = it would fit at another address: append { $base } to its name
image-cause-build = it seems to be another build of the program
image-cause-program = it seems to be another program
image-cause-processor = it is for another processor
image-misfit-everywhere = it contains no executed instruction; { $cause }
image-misfit = { $other } of { $all } executed instructions differ in the image; { $cause }
image-misfit-from = { $other } of { $all } executed instructions differ in the image, the first at { $pc } (step { $step }: { $executed } executed, { $held } in the image); { $cause }
image-left-out = the image does not fit the trace and is left out: { $why }: { $image }
image-memory-not-used = the image does not fit the trace, so names and lines may be wrong, and its memory is not used: { $why }: { $image }
image-doubtful = the image does not fit the trace, so names, lines and memory may be wrong: { $why }: { $image }
image-differs = the image differs from the trace: { $why }: { $image }
image-copies-data = the image copies its data after reset, so memory holds it where it was loaded until then: { $image }
image-without-accesses = the trace does not record accesses to memory, so memory that the program can write is unknown: { $image }
image-begins-late = the trace does not start at the program's entry point, so memory that it can write is unknown until the trace shows it: { $image }
notice-companion-damaged =
    { $more ->
        [0] a file next to the trace is damaged, { $problem }: { $file }
       *[other] a file next to the trace is damaged, { $problem } ({ $more } more like this): { $file }
    }
notice-companion-unreadable = a file next to the trace could not be read ({ $error }): { $file }
notice-companion-too-long = it is too long
notice-no-directory = this is not a directory, so no images are searched for in it: { $directory }
notice-image-big-endian = the image is big-endian, the trace is read as little-endian
notice-image-little-endian = the image is little-endian, the trace is read as big-endian
notice-image-damaged = the image is damaged: { $problem }: { $image }
notice-unknown-processor = one that is not known
notice-foreign-image = the image is for another processor ({ $other }) than the trace ({ $traced }): { $image }
notice-foreign-image-left-out = the image is for another processor ({ $other }) than the trace ({ $traced }) and is left out: { $image }
notice-last-image-left-out = an image of the last session is left out: { $why }
notice-image-beside-left-out = the image next to the trace is left out: { $why }
notice-symbols-of-last-image = symbols come from an image of the last session: { $image }
notice-symbols-of-image-beside = symbols come from the image next to the trace: { $image }
notice-missing-program = { $missing }: with the right one (--image ELF[@OFFSET], or next to the trace) every instruction between them is
notice-index-damaged = the index was damaged and was rebuilt
notice-copy-damaged = the copy of the trace's records was damaged and was made again
notice-no-tail-calls = tail calls could not be distinguished from other jumps: { $error }
notice-partial-index = only a part of the trace is indexed, the first { $steps } steps: answers are preliminary: { $index }
notice-stale-index = the index is stale and answers may be wrong: { $why }: { $index }
notice-index-elsewhere = { $refusal }; it is kept at { $index }
notice-index-resumed = { $percent } % of the index was there from an earlier run: { $index }
notice-index-unwritable = the index cannot be written to { $index } ({ $error })
notice-no-place-for-index = there is no place for the index
notice-index-in-memory = { $refusal }; it is kept in memory and will be built again next time
notice-more-files =
    { $count ->
        [one] another file lies next to this one: to see all threads of the trace, open the directory: { $directory }
       *[other] more files lie next to this one: to see all threads of the trace, open the directory: { $directory }
    }
notice-files-merged = { $count } files were merged by their times: lines count in the merged text
notice-more-windows =
    { $count ->
        [one] this trace has one more window of time; open each by its directory; shown is { $directory }
       *[other] this trace has { $count } more windows of time; open each by its directory; shown is { $directory }
    }
notice-no-such-module = no traced module has this name, so it is loaded at the addresses in the file: { $image }
notice-other-build-left-out = a build other than the traced one is left out: { $image }
notice-other-build = this seems to be another build of the traced program: { $image }
notice-module-missing = { $module } was not found on this machine, so it has no symbols: give the directory that holds it with --sysroot DIR, or the file with --image
notice-and-more = { $names } and { $count } more
notice-and-last = { $names } and { $last }
notice-modules-missing = { $modules } were not found on this machine, so they have no symbols: give the directory that holds them with --sysroot DIR, or the files with --image
open-no-regular-file = a trace must be a regular file (random access is needed), so save this pipe or device to one first
open-empty = the file is empty
open-no-such-file = there is no such file
open-not-permitted = the file may not be read by this user
open-failed = the file could not be opened ({ $error })
open-directory-unreadable = the directory cannot be read: { $error }
session-foreign = another session is there and will not be overwritten
session-no-session = this file is not a session and will not be overwritten
session-not-saved = the session is not saved ({ $error })
-records-damaged = records are missing or damaged, or the program that wrote them has an error
rule-R-H01 = the first record is not a header
rule-R-H01-meaning = the beginning of the trace is missing, or it is not an RST trace
rule-R-H02 = a header record comes after the first record
rule-R-H02-meaning = several complete traces were concatenated
rule-R-H03 = the text of the header does not begin with "RST Header"
rule-R-H03-meaning = the file was written by another program, or is damaged
rule-R-H04 = the header has no % before its text
rule-R-H04-meaning = the file was written by another program, or is damaged
rule-R-H05 = the second record does not state which tool made the trace (TRACEINFO)
rule-R-H05-meaning = a tool that filtered the trace dropped it, or the tool is older than version 2.06
rule-R-H06 = the third record does not state processors and dates (TRACEINFO)
rule-R-H06-meaning = the tool is older than this requirement, which is new in the specification
rule-R-H07 = what the trace says about its processors and dates is wrong
rule-R-H07-meaning = the trace was filtered or merged, and its head was not updated
rule-R-G01 = reserved bits are not 0
rule-R-G01-meaning = the writer did not clear its records, or the bytes are damaged; packed, the trace is larger
rule-R-E03 = a record's type does not exist in the version of the header
rule-R-E03-meaning = the header states an older version than the writer's, or the bytes are damaged
rule-R-S01 = a part of a text is followed by neither the next part nor its end
rule-R-S01-meaning = records of a text were dropped, or processors were merged record by record
rule-R-S02 = the end of a text is not followed by a zero
rule-R-S02-meaning = the text is cut off, or its last part was written as a part in between
rule-R-I01 = no text before the first instruction states the MMU's type
rule-R-I01-meaning = a simulator of whole systems left it out: how addresses are translated is not known
rule-R-I02 = no text before the first instruction states the processor's type
rule-R-I02-meaning = the tool is older than this requirement, which is new in the specification
rule-R-I03 = no text before the first instruction states the number of register windows
rule-R-I03-meaning = readers assume eight windows, and show wrong registers if there are others
rule-R-I04 = a processor's state is not recorded before its first instruction (PREG, and TT, TPC, TNPC in a trap)
rule-R-I04-meaning = the trace was cut out of a longer one without what its beginning needs
rule-R-I05 = the contents of the TLBs are not recorded before the first instruction
rule-R-I05-meaning = the trace was cut out of a longer one: its physical addresses are unknown at the start
rule-R-I06 = no PAVADIFF comes before the first instruction of a processor
rule-R-I06-meaning = physical addresses are unknown up to the first PAVADIFF
rule-R-A01 = an annulled instruction has no address, or has an effective address
rule-R-A01-meaning = the writer left the address of another instruction in the record
rule-R-A02 = a branch that is neither annulled nor trapped does not say where control goes
rule-R-A02-meaning = the targets of jumps through registers are unknown
rule-R-A03 = an instruction other than a load, a store or a control transfer has an effective address
rule-R-A03-meaning = the writer did not clear it
rule-R-A04 = an instruction that is neither a control transfer nor trapped is marked as taken
rule-R-A04-meaning = the writer did not clear the mark
rule-R-A05 = a load or store that is neither annulled nor trapped has no address
rule-R-A05-meaning = the memory that it accesses is unknown
rule-R-A06 = an instruction that misses in the data MMU has an effective address
rule-R-A06-meaning = the writer gives an address that was never translated
rule-R-A07 = a branch does not go where its encoding and its mark as taken lead
rule-R-A07-meaning = the mark of a taken branch, the address or the instruction is wrong
rule-R-A08 = with 32-bit addresses (PSTATE.AM), an address is 2^32 or higher
rule-R-A08-meaning = the writer did not mask the address, or the recorded state is wrong
rule-R-A09 = the instruction that a branch annuls is not in the trace, or not marked
rule-R-A09-meaning = the writer leaves annulled instructions out, or does not mark them: they look executed
rule-R-P01 = a processor does not continue where its last instruction leads
rule-R-P01-meaning = records are missing, a trap or a context switch is not recorded, or a target is wrong
rule-R-V01 = a translation that changes with the page is not recorded right before the instruction
rule-R-V01-meaning = records were dropped or inserted in between: physical addresses before the next PAVADIFF are wrong
rule-R-V02 = the PAVADIFF before an instruction without effective address has a translation of data
rule-R-V02-meaning = the writer left the translation of another instruction in it
rule-R-V03 = the difference of physical and virtual addresses is not a multiple of a page
rule-R-V03-meaning = the record is damaged, or is not a translation of pages
rule-R-V04 = no PAVADIFF with the translation of data follows a change of the data context
rule-R-V04-meaning = physical addresses of data may be those of another process
rule-R-T01 = the first instruction after a TRAP is not marked as trapped
rule-R-T01-meaning = records are missing between the two, or the trap belongs to another processor
rule-R-T02 = a synchronous trap is not followed by its instruction, or another trap by its handler
rule-R-T02-meaning = records are missing between the two, or the trap's kind is wrong
rule-R-T03 = an instruction without a TRAP before it is marked as trapped
rule-R-T03-meaning = the TRAP was dropped: the handler's frame is missing in the calls
rule-R-T04 = a TRAP has the wrong trap level, occurs twice, or names an unknown system call
rule-R-T04-meaning = instructions between two traps are missing, or trap levels were not tracked
rule-R-T05 = no PREG with the level and type of the trap comes before done or retry
rule-R-T05-meaning = the state after the trap is not recorded, or the record belongs to another trap
rule-R-T06 = the registers of the trap level are not recorded after done or retry
rule-R-T06-meaning = recommended: the values of TL, TT, TPC and TNPC after the trap are not recorded
rule-R-T07 = no TRAPEXIT follows done or retry
rule-R-T07-meaning = recommended, not required: tools that look for it miss the end of the trap
rule-R-T08 = a write of %tl makes a TRAP or a TRAPEXIT
rule-R-T08-meaning = the writer mistakes a change of the trap level for a trap
rule-R-R01 = %g0 is not 0
rule-R-R01-meaning = the number of the register is wrong, or the bytes are damaged
rule-R-R02 = the kind of a register is not one of 1 to 9
rule-R-R02-meaning = the writer did not fill the record in, or the bytes are damaged
rule-R-M01 = a value of memory does not have 1 to 8 bytes
rule-R-M01-meaning = the bytes are damaged
rule-R-M02 = a continued value of memory does not follow one of the same processor
rule-R-M02-meaning = the record that it continues was dropped: the place of the value is unknown
rule-R-D01 = delimiters do not come in pairs, or do not nest
rule-R-D01-meaning = one of a pair was dropped, or the trace ends in between
rule-R-F01 = the file ends inside a record
rule-R-F01-meaning = the file is cut off, or something was appended to it
rule-R-C01 = before version 2.12, a processor has a number of 64 or higher
rule-R-C01-meaning = the header states an older version than the writer's, or the bytes are damaged
rule-B-FIT = a record does not belong to an instruction that the program has at this address
rule-B-FIT-meaning = the record is damaged, the program is a different one, or it was loaded elsewhere
rule-B-TIME = the times of a thread run backwards
rule-B-TIME-meaning = the record is damaged, or recordings were concatenated
rule-B-LOST = a branch on the path of a thread has no record
rule-B-LOST-meaning = records were lost, or control was diverted by a signal or longjmp
rule-B-OUT = control leaves the program's files
rule-B-OUT-meaning = a library is missing among the images
rule-B-START = a thread does not start at the program's entry point
rule-B-START-meaning = tracing began later, or the thread was started by another one: how it got there is not recorded
rule-B-RETURN = a return does not go to the instruction after a call that is still open
rule-B-RETURN-meaning = records may be missing where the addresses do not show it
rule-B-JUMP = two times of a thread are far apart
rule-B-JUMP-meaning = the thread waited, or records are missing where the addresses do not show it
rule-B-COUNT = the file does not have as many whole records as its header says
rule-B-COUNT-meaning = the file was cut off, or its writer did not finish
rule-stf-target-without-branch = a branch target is recorded for an instruction that is not a branch
rule-stf-target-without-branch-meaning = the record belongs to another instruction, or the opcode is wrong
rule-stf-branch-without-target = a branch was taken and its target is not recorded
rule-stf-branch-without-target-meaning = the next address is that of the following instruction, which is wrong
rule-stf-wrong-target = the recorded target of a branch is not the one in its opcode
rule-stf-wrong-target-meaning = the record, the opcode or the address is wrong
rule-stf-chunk-start = a chunk does not begin at the address that the index states
rule-stf-chunk-start-meaning = the index is wrong, or instructions before the chunk are missing
rule-stf-chunk-length = the number of instructions in a chunk differs from the header
rule-stf-chunk-length-meaning = the numbers of instructions by which other tools seek are wrong
rule-D-TYPE = the kinds of content that the file type names contradict each other
rule-D-TYPE-meaning = the header is damaged, or traces were concatenated
rule-D-HEADER = a thread does not begin with the size of cache lines and pages
rule-D-HEADER-meaning = the beginning of the file is damaged or was cut off
rule-D-CONTENT = the records are not of the kinds that the file type names
rule-D-CONTENT-meaning = the header is damaged, or a tool changed the records and not the header
rule-D-COUNT = a filtered trace does not count its instructions, or the counts fall
rule-D-COUNT-meaning = { -records-damaged }
rule-D-VECTOR = a vector is not 16 to 256 bytes long, or is not on AArch64
rule-D-VECTOR-meaning = { -records-damaged }
rule-D-CHUNK = chunks are not numbered from 0, or do not have as many instructions as the header says
rule-D-CHUNK-meaning = a part of the file is lost, or files in the archive are in the wrong order
rule-D-RAW = a record has the raw form
rule-D-RAW-meaning = only a part of the trace was post-processed
rule-D-EXIT = a thread does not end with its exit
rule-D-EXIT-meaning = the program was killed, the file is cut off, or the recorder was stopped
rule-D-EMPTY = a thread ends without an instruction
rule-D-EMPTY-meaning = { -records-damaged }
rule-D-SYSCALL = a system call lacks its instruction, the records of time and CPU, or its number, in this order
rule-D-SYSCALL-meaning = { -records-damaged }
rule-D-BLOCKING = a record that a call may block does not follow its system call
rule-D-BLOCKING-meaning = { -records-damaged }
rule-D-FUNCTION = a traced function is entered or left without a branch, or does not return to the instruction after its call
rule-D-FUNCTION-meaning = records are missing, or a function was left by longjmp
rule-D-ACCESS = an instruction does not have as many loads and stores as its encoding says
rule-D-ACCESS-meaning = { -records-damaged }
rule-D-SIZE = an access has a length of 0 bytes
rule-D-SIZE-meaning = the recorder did not know the instruction: lengths are derived from the instruction where possible
rule-D-BRANCH = a branch does not say where it goes, or the instruction there does not follow it
rule-D-BRANCH-meaning = { -records-damaged }
rule-D-FLOW = a thread does not continue where its branches and system calls lead
rule-D-FLOW-meaning = records are missing, or a signal or a context switch is not recorded
rule-D-EVENT = a signal or interrupt does not come where the thread was
rule-D-EVENT-meaning = { -records-damaged }
rule-D-RETURN = a handler does not return to where the thread was interrupted
rule-D-RETURN-meaning = the handler changed the context, as debuggers and runtimes do, or records are missing
rule-D-RSEQ = a restartable sequence does not end with its last instruction, a branch or a recorded abort
rule-D-RSEQ-meaning = { -records-damaged }
rule-D-KERNEL = the kernel's part of a system call does not follow its number, is incomplete, or does not end with a branch back
rule-D-KERNEL-meaning = { -records-damaged }
rule-D-SWITCH = the kernel's part of a context switch is incomplete, or does not end with a branch
rule-D-SWITCH-meaning = { -records-damaged }
rule-D-HARDWARE = interrupts or exceptions of the processor are in a trace that does not cover the whole system
rule-D-HARDWARE-meaning = { -records-damaged }
rule-D-PHYSICAL = a physical address does not come right before its virtual one, or is at another place in its page
rule-D-PHYSICAL-meaning = { -records-damaged }
rule-D-FILTER = a trace whose beginning is filtered does not say where that ends, or another trace does
rule-D-FILTER-meaning = { -records-damaged }
rule-D-REGDEPS = a trace of synthetic instructions contains something about the real processor or its system calls
rule-D-REGDEPS-meaning = the tool that made the trace anonymous left something out
query-cancelled = cancelled
query-unreadable = the trace could not be read: { $error }
query-trace-changed = the trace changed since it was indexed: reload it
query-damaged = the index is damaged ({ $part }): rebuild it
query-beyond-end = position { $position } is past the end of the trace, which is position { $end }
query-too-many-pages = this memory was remapped more than { $count } times: request fewer bytes
query-too-long = { $bytes } bytes exceed the limit of a slice: request at most { $limit }
query-no-thread = the trace has no thread "{ $name }"
reason-returned = return address of the call at step { $step }
reason-constant = constant of step { $step }
reason-computed = computed by step { $step } from { $fact }
reason-moved = moved by step { $step } from { $fact }
reason-loaded = loaded by step { $step }: { $fact }
reason-loaded-from = loaded by step { $step } from what step { $source } accessed: { $fact }
fact-constant = a constant of step { $step }
fact-address = the address of the access of step { $step }
fact-target = where step { $step } branched to
fact-stated = what the trace states at step { $step }
findings-rule = { $id }{ $clause }
    { $title }
    Possible cause: { $meaning }
findings-more = and { $count } more
memory-bytes = { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    }
memory-bytes-of-thread = { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    } of thread { $thread }
memory-the-last-write = the last write at step { $step }
memory-what-was-known = the last known value
memory-external = external: the read at step { $step } differs from { $last }: was { $was }, read { $now }
head-step = Step
head-thread = Thread
head-count = Count
head-call-stack = Call stack
head-before = Before
head-value = Value
head-bytes = Bytes
head-address = Address
head-code = Code
head-caller = Caller
head-instruction = Instruction
head-operands = Operands
head-effects = Effects
accesses-read = read
accesses-write = write
accesses-at-step = { $access } at step { $step }
accesses-execution-at-step = execution at step { $step }
accesses-unknown = unknown
doubt-system-call = system call { $number }
doubt-overwritten = possibly overwritten since by { $name } at step { $step }
doubt-overwritten-late = possibly overwritten since by { $name } of step { $step }, which returned at step { $returned }
doubt-overwritten-open = possibly overwritten since by { $name } of step { $step }, which had not returned
doubt-signal = a later signal, or the return from its handler, may have changed it: after step { $step }
doubt-gap = the trace has a gap after step { $step }: code that ran meanwhile may have changed it
doubt-a-later-system-call-may = a later system call may have written this memory: the trace does not record which calls were made
doubt-the-trace-leaves-out-instructions = the trace omits instructions or accesses
doubt-the-trace-does-not-say = the trace does not record the mode: it may be another register of that name
doubt-guessed-the-instruction-cannot-be = guessed: the instruction cannot be decoded, so it may use any register
doubt-guessed-the-instruction-is-conditional = guessed: the instruction is conditional, and the trace does not record whether it was executed
registers-floating-point-registers = Floating-point registers
physical-physical-address-not-told = physical address unknown
physical-also = { $summary }; also
physical-other-context = { $address } was mapped to physical { $physical }, but another context followed: "at --mem phys::{ $physical }" shows what is there
physical-also-at = { $summary }; also at { $address }
physical-also-at-in-context = { $summary }; also at { $address }, context { $context }
physical-more = { $summary } and { $count } more
physical-none = no virtual page is mapped to physical { $address } at this position
physical-told = physical { $address }, page { $page }, mapped at position { $position }
physical-other = { $summary }; { $address }
physical-context-other = { $summary }; { $address } in context { $context }
physical-context-same = { $summary }; also in context { $context }
physical-told-in-context = physical { $address }, context { $context }, page { $page }, mapped at position { $position }
threads-name = thread { $name }
threads-process-of = process { $process }
threads-steps-of = { $count } steps
threads-to = { $first } to { $last }
threads-cores-of = cores { $cores }
threads-with-the-process = with the process
threads-ended = ended
threads-killed-or-cut-off = killed or cut off
threads-the-trace-does-not-say = The trace does not record that this thread ended
threads-its-last-step-is-the = Its last step is the system call exit
threads-its-last-step-is-the-system = Its last step is the system call exit_group, which ended the whole process
threads-another-thread-ended-the-process = Another thread ended the process with exit_group
threads-it-ended-the-trace-has = It ended; the trace has no system calls that would show how
threads-guessed-it-ended-without-an = Guess: it ended without an exit system call, because of a signal or because the recording stopped
source-recorded = recorded
source-inferred = inferred
source-external-change = external change
source-unknown = unknown
source-recorded-the-trace-states-it = recorded: the trace has it at or before the position
source-inferred-a-later-read-with = inferred from the program image, or from a later read with no write between
source-external-a-read-differs-from = external: a read differs from the last write, so something else wrote there
source-unknown-nothing-states-it = unknown: nothing in the trace shows it
names-system-call = trap { $number } system call { $name }
names-trap = trap { $number } { $name }
names-trap-plain = trap { $number }
head-state = State
head-allocated-at = Allocated at
head-by = By
head-freed-at = Freed at
heap-blocks = { $count ->
        [one] 1 block
       *[other] { $count } blocks
    }
heap-the-first-blocks = The first { $count ->
        [one] 1 block
       *[other] { $count } blocks
    }
heap-alive = { $summary }, { $count } allocated here with { $size }
heap-listed = { $summary }; { $count } are listed
heap-to-come = not yet allocated
heap-freed = freed
heap-allocated = allocated
heap-never = never
heap-row = block { $address } of { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    }
lane-core = core { $core }
lane-several-cores = several cores
lane-thread = thread { $thread }
lane-several-threads = several threads
lane-runs-on = runs on { $who }
lane-runs-who = runs { $who }
lane-runs = runs
lane-does-not-run-here = does not run here
lane-system-calls = { $count ->
        [one] 1 system call
       *[other] { $count } system calls
    }
lane-kernel = { $count ->
        [one] 1 part
       *[other] { $count } parts
    } of the kernel
lane-signals = { $count ->
        [one] 1 signal or abort
       *[other] { $count } signals, aborts and others
    }
lane-position = position { $position }
source-no-code-of-file = no image contains code of a file named { $file }
source-no-code-at-line = line { $line } of { $file } has no code
functions-steps-of = Steps { $first } – { $last }
functions-step-count = { $count ->
        [one] 1 step
       *[other] { $count } steps
    }
functions-time-of = time { $time }
functions-call-count = { $count ->
        [one] 1 call
       *[other] { $count } calls
    }
functions-total = total { $taken }
functions-self = self { $taken }
head-function = Function
head-module = Module
head-calls = Calls
head-self = Self
head-self-percent = Self %
head-total = Total
head-total-percent = Total %
head-self-time = Self time
head-time = Time
head-time-percent = Time %
functions-none-in = No function in { $steps ->
        [one] 1 step
       *[other] { $steps } steps
    }
functions-in = { $count ->
        [one] 1 function
       *[other] { $count } functions
    } in { $steps ->
        [one] 1 step
       *[other] { $steps } steps
    }
functions-most = { $summary }; the { $count } that took most
functions-merged = { $summary }; { $count ->
        [one] 1 call is
       *[other] { $count } calls are
    } merged into the enclosing call
functions-row = function { $name }
accesses-no-thread = there is no thread { $name }
accesses-the-first = The first { $rows }
accesses-of-bytes = { $summary } of { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    } at { $address }
accesses-of = { $summary } of { $what }
accesses-by-thread = { $summary } by thread { $thread }
accesses-from-step = { $summary } from step { $step } on
accesses-no-read = No read
accesses-no-write = No write
accesses-no-access = No access
accesses-no-execution = No execution
accesses-count-reads = { $count ->
        [one] 1 read
       *[other] { $count } reads
    }
accesses-count-writes = { $count ->
        [one] 1 write
       *[other] { $count } writes
    }
accesses-count = { $count ->
        [one] 1 access
       *[other] { $count } accesses
    }
accesses-count-executions = { $count ->
        [one] 1 execution
       *[other] { $count } executions
    }
accesses-in-stacks = { $summary } in { $count ->
        [one] 1 call stack
       *[other] { $count } call stacks
    }
accesses-by-stack = { $count } by { $stack }
accesses-in-no-call = unknown call stack
accesses-in-other-stacks = other call stacks, beyond the maximum number
accesses-more-callers = { " " }← { $count } more
accesses-more-not-listed = … { $count } more, counted but not listed
accesses-group-by-call-stack = Group by call stack
accesses-by-call-stack = By call stack
accesses-open-group = open { $name }
accesses-close-group = close { $name }
effects-no-call = the position is not inside a call with steps
effects-no-loop = the position is not inside a loop
effects-no-other-call = there is no other call of { $function }
effects-the-same-call = both positions are in the same call of { $function }
effects-round = an iteration of the loop at { $head } in { $function }
effects-summary = { $what }, steps { $from } to { $to }: { $steps ->
        [one] 1 step
       *[other] { $steps } steps
    }, { $inputs ->
        [one] 1 input
       *[other] { $inputs } inputs
    }, { $outputs ->
        [one] 1 output
       *[other] { $outputs } outputs
    }
effects-undecoded = { $summary }; the registers of { $count ->
        [one] 1 step
       *[other] { $count } steps
    } are unknown
effects-left-out = { $summary }; too much memory is used: { $count ->
        [one] 1 access is
       *[other] { $count } accesses are
    } omitted
effects-more = … { $count } more memory ranges
effects-row = { $kind } { $name }
effects-comparison = { $function } at { $one } and at { $other }: { $inputs ->
        [one] 1 input
       *[other] { $inputs } inputs
    } and { $outputs ->
        [one] 1 output
       *[other] { $outputs } outputs
    } differ; { $partings ->
        [0] control flow is the same
        [one] control flow diverges once
       *[other] control flow diverges { $partings } times
    }
effects-cut = { $summary }; the list is incomplete
effects-one-sided = { $summary }; { $count } unknown on one side
effects-input = input
effects-output = output
effects-input-one-sided = input, unknown on one side
effects-output-one-sided = output, unknown on one side
effects-way = path
effects-goes-to = to { $place }
effects-ends = ends
effects-entry = entry
effects-meet = rejoin at { $place }
effects-meet-no-more = never rejoin
effects-what-these-steps = Effects of these steps
effects-compare-with-previous = Compare with the previous call of this function
effects-compare-with-next = Compare with the next call of this function
effects-compare-with-position = Compare with the call of this function at the position
effects-nothing-was-used = These steps use no registers or memory
table-effects = Effects
table-no-steps-are-chosen = No steps selected
table-choose-a-call-or-steps = Right-click a call and choose "Effects of this call", or a range in the timeline and choose "Effects of these steps"
list-how-to-list-effects = Run one of the commands "Effects of this call", "Effects of this iteration", "Effects of steps…" (:).
head-first-call = First call
head-second-call = Second call
ask-first-position-last-position = First and last position
ask-position-in-another-call = A position in the other call
ask-two-positions = two positions, such as 1190 1255
ask-a-position = a position, such as 1250
detail-more-writes = more than { $count } writes
detail-writes = { $count ->
        [one] 1 write
       *[other] { $count } writes
    } in all
goto-never-called = never called
goto-position = position { $position }
goto-after-step = after step { $step }
goto-before-step = before step { $step }
goto-at-position = position { $position }
goto-start = start of the trace
goto-end = end of the trace
goto-in-function = in { $name }, { $executions }
goto-address = address { $address }
goto-memory = memory { $address }
goto-in-memory = no code, shown in Memory
goto-line-of = line { $line } of { $file }
goto-its-next-execution = its next execution
goto-function = function, { $calls }
goto-calls = { $count ->
        [one] 1 call
       *[other] { $count } calls
    }
goto-calls-over = over { $count } calls
goto-executions = { $count ->
        [one] 1 execution
       *[other] { $count } executions
    }
goto-executions-over = over { $count } executions
table-the-start = the start
stack-from-step-at = from step { $step } at { $place }
stack-name-at = { $name } at { $address }
stack-the-trace-shows-no-step = the trace has no step of it
stack-found = evidence: { $evidence }
calls-entered-from = { $entered } from step { $step }
calls-the-first = the first: { $entered }
calls-steps-of = { $count ->
        [one] 1 step
       *[other] { $count } steps
    }
calls-steps-of-thread = { $count ->
        [one] 1 step
       *[other] { $count } steps
    } of this thread, { $all } in all
call-failed = failed { $error }
call-returned = returned { $result }
call-function = function { $number }
call-system-call = system call { $number }
find-ends-before = the search begins at { $from } but ends earlier, at { $to }
find-auto = Auto
find-text = Text
find-regex = Regex
find-value = Value
find-bytes = Bytes
find-address-pc = Address (pc)
find-accesses = Accesses
find-function = Function
find-text-of = text { $text }
find-or = or { $text }
find-value-of = value { $text }
find-bytes-of = bytes { $bytes }
find-bytes-at = { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    } at { $address }
find-bytes-at-physical = { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    } at physical { $address }
find-reads-of = reads of { $of }
find-writes-of = writes of { $of }
find-accesses-of = accesses of { $of }
find-entries-of = entries of { $function }
find-entries-of-several = entries of { $count } functions with { $text }
find-steps-at-named = steps at { $address } ({ $name })
find-steps-at = steps at { $address }
find-steps-of = steps of { $text }
find-hits = { $count ->
        [one] 1 hit
       *[other] { $count } hits
    }
find-so-far = { $hits } so far: { $what }, up to step { $searched } ({ $share } %)
flag-negative = negative
flag-zero = zero
flag-carry = carry
flag-overflow = overflow
flag-saturated = saturated
find-more-not-kept = { $summary }; further hits are not listed: narrow the search
find-the-first = The first { $hits }: { $what }, up to step { $searched }
find-stopped = { $hits } up to step { $searched }, then stopped: { $what }
find-stopped-before-any-hit = Stopped before anything was found
find-from-step = { $hits }: { $what } from step { $step } on
find-up-to-step = { $hits }: { $what } up to step { $step }
find-between-steps = { $hits }: { $what } between steps { $from } and { $to }
find-done = { $hits }: { $what }
find-looking-for = Searching for { $what }
find-no-hit-up-to = No hit up to step { $step }: { $what }
find-no-hit-in-range = No hit in this range: { $what }
find-no-hit = No hit: { $what }
find-read-as-words = { $words }. Searched as words: { $reason }
find-no-values = { $words }. The trace records no values
head-match = Match
find-hit-at-step = hit at step { $step }
marker-time = time { $micros } µs
marker-cpu = cpu { $cpu }
marker-gap-missing = gap: { $reason } ({ $count } instructions are missing)
marker-thread-ends = thread { $thread } ends
marker-is-physical-in-context = { $address } is physical { $physical } in context { $context }
marker-kernel-part-ends = the kernel's part of { $call } ends
marker-kernel-part-begins = the kernel's part of { $call } begins
marker-moved = moved from cpu { $from } to { $to }
marker-the-kernel-restored-the-state = the kernel restored the state from before the signal
marker-window = tracing window { $number } begins here
marker-the-filtered-part-ends-here = the filtered part ends here
marker-restartable = restartable sequence up to { $place }
marker-context-switch-begins = context switch begins
marker-context-switch-ends = context switch ends
marker-exception = exception or interrupt at { $place }
marker-back-from-the-exception-or = back from the exception or interrupt
marker-masked = an access was masked out @ { $address }
marker-is-physical = { $address } is physical { $physical }
marker-in-context = { $address } in context { $context }
marker-no-physical-address-is-known = no physical address is known any more
marker-no-physical = { $address } has no known physical address
marker-idle = the core is idle: { $count } times
marker-vectors-have = vectors have { $count } bytes
marker-instruction-flush = instruction cache flushed @ { $address }
marker-data-flush = data cache flushed @ { $address }
marker-not-completed = not completed: { $instruction }
marker-signal = signal { $number }
marker-restartable-sequence-aborted = restartable sequence aborted
marker-the-kernel-took-control = the kernel took control
marker-before = { $event } before { $place }
marker-gap = gap: { $reason }
notes-no-values = values of registers and memory are not recorded
notes-by-time = threads are ordered by timestamp: between two timestamps the order of steps of different threads is unknown
notes-assumed = the trace does not state its architecture: { $architecture } is assumed (see --arch)
notes-instructions-were-recorded-without-their = instructions were recorded without their bytes: add the program's files with --image ELF or --sysroot DIR ("Add image…" in the window) to decode them
notes-instructions-were-recorded-without-their-bytes = instructions were recorded without their bytes, which come from the program's files
notes-the-recorder-left-out-what = the recorder omitted cache hits: steps and accesses are missing, so a last write may be wrong
notes-no-loads-and-stores-are = no loads and stores are recorded
notes-instructions-are-synthetic-and-show = instructions are synthetic: they name categories and virtual registers, not real operations
notes-system-calls-hold-what-the = system calls include the code that the kernel ran
notes-the-whole-system-is-recorded = the recording covers the whole system, not one program
notes-these-are-pieces-of-kernel = these are pieces of kernel code to be inserted into other traces, not a program
notes-its-files-are-cores-and = there is one file per core, and times and CPUs may come from a simulated schedule
notes-calls-are-not-known = instructions are omitted, so the calls are unknown
notes-the-recording-has-windows-between = the recording consists of windows, with gaps between them

## panels 3

find-what-it-looks-like = text to find
find-ldr-x1-in-any-case = ldr x1   in any case
find-example-regex = ^bl\s.*alloc
find-example-value = 0x1f, 31, { $first }+8
find-example-bytes = 67 64 62 or "gdb"
find-example-address = 80000494, main+8, main.c:12
find-example-accesses = { $first }, 80020010:8, writes of sp, { $first } = 5
find-decode-a-part-will-do = decode, or part of a name
find-everywhere = Everywhere
find-from-here-on = From here on
find-up-to-here = Up to here
find-between = Between…
find-read-as = Search as
find-look = Range
find-a-word-of-the-instruction = a word of the instruction or of the trace's own text, ignoring case
find-a-regular-expression-over-the = a regular expression over the same text
find-a-number-that-a-register = a value written to a register or memory; an address where code ran finds those steps
find-bytes-in-a-row-however = consecutive bytes, written by one step or several; also bytes:"gdb"
find-what-reads-or-writes-memory = accesses of memory; access:{ $first } for a register, { $first } = 1f for a value, in hexadecimal as shown
find-the-entries-of-a-function = the entries of a function; function:dec for part of the name
find-the-steps-of-a-source = the steps of a source line
find-searches-before = Recent searches
find-no-search-yet = No recent searches
find-from-position = From position
find-to-position = To position
find-stop-the-search = Stop the search
find-clear-hits-and-marks = Clear hits and marks
find-filter = Filter
find-go-on = Continue
find-more-hits = More hits
find-escape-ends-the-search = Press Escape to stop the search.
find-escape-stops = Press Escape to stop the search.
find-read-the-text-in-another = Search for something else, search everywhere, or shorten the text.
find-search-for-something-else = Search for something else, or shorten the text.
find-search-everywhere = Search everywhere
find-type-what-to-look-for = Type what to search for
find-example = example { $example }
find-address = address
find-as-text = as { $kind } { $text }
find-as = as { $kind }
find-searching = Searching…
timeline-bookmarks = Bookmarks
timeline-bookmarks-moments-and-parts-that = Bookmarked positions and ranges; click to go there
timeline-position = position { $position }
timeline-not-indexed-yet = not indexed yet
timeline-several = { $name }, several calls within { $length } steps
    { $position }
timeline-reads = Reads
timeline-writes = Writes
timeline-looking = searching…
timeline-steps-read = { $part } of { $steps } steps here read memory
timeline-steps-write = { $part } of { $steps } steps here write memory
timeline-all-steps = all steps are counted
timeline-some-steps = a sample of the steps in each column
timeline-how-many-read = Share of steps that read memory: { $how }
timeline-how-many-write = Share of steps that write memory: { $how }
timeline-show-the-call-at-the = Zoom to the current call
timeline-show-the-position = Show the position
timeline-show-the-whole-trace = Show the whole trace
timeline-steps = { $count ->
        [one] 1 step
       *[other] { $count } steps
    }
timeline-zoom-to-it = Zoom to it
timeline-travel-to-its-entry = Go to its entry
timeline-travel-to-its-end = Go to its end
timeline-select-it = Select it
timeline-compare-before-and-after-it = Compare before and after it
timeline-selection = Selection
timeline-zoom-to-the-selection = Zoom to the selection
timeline-compare-its-ends = Compare its start and end
timeline-functions-of-this-range = Functions of this range
timeline-flame-graph-of-this-range = Flame graph of this range
timeline-calls-of-this-range = Calls of this range
timeline-save-it-as-a-trace = Save it as a trace…
timeline-copy-its-positions = Copy its positions
timeline-select-nothing = Clear selection
timeline-of = { $shown } of { $all }
timeline-depths-of = { $first }–{ $last } of { $all }
timeline-timeline = timeline
timeline-calls = Calls
timeline-threads = Threads
timeline-cores = Cores
timeline-shows = timeline shows { $lanes }
timeline-reads-low-and-writes-tall = reads (low) and writes (tall) of the selected register or memory; click to go there
timeline-exceptions-interrupts-traps-and-signals = exceptions, interrupts, traps and signals; click to go there
timeline-exceptions = Exceptions
timeline-marks = Marks
timeline-hits = Hits
timeline-nothing-here = no access here
timeline-gaps-and-external-changes-a = gaps and external changes; click to go there
timeline-what-the-search-found-a = hits of the search; click to go there
timeline-it-means-nothing-at-this = cannot be evaluated at this position
timeline-hint = { $row }: { $hint }
timeline-nothing = { $row }: { $nothing }
    position { $position }
timeline-tick = { $row }: { $what }
    position { $position }
memory-or-decimal = or decimal = { $value }
memory-or-address = or address { $value }
memory-what-was-typed-can-be = The text can be read in two ways
memory-follow = follow the expression
memory-follow-on = Follow the expression: on   E
memory-follow-off = Follow the expression { $expression }   E
memory-address = address
memory-group-by = group by { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    }
memory-just-written = just written
memory-differs = differs
memory-inferred = inferred
memory-external-2 = external
memory-last-written = last written
memory-last-read = last read
memory-what-the-marks-of-bytes = legend of byte colours
memory-just-written-by-the-step = just written: by the step just before the position
memory-differs-from-the-position-where = differs: from the previous position of the window
memory-the-trace-has-no-values = The trace has no values: a byte shows whether it was last written or read, dots that it has not been accessed yet
memory-no-stack-pointer = The stack pointer is not recorded: type an address
memory-leads-to = leads to { $name }
memory-holds = { $at } holds { $value }, { $name }: click to show memory there
memory-external-read-by = external, read by step{ " " }
memory-pointed = at the pointer
memory-was = was
memory-now = now
memory-last-write = last write{ " " }
memory-written-by = { $what } written by step{ " " }
memory-last-read-step = last read{ " " }
memory-next-write = next write{ " " }
memory-next-read = next read{ " " }
memory-never-written-before = never written before
memory-state-written-by = { $state }, written by step{ " " }
memory-state-never-written = { $state }, never written before
memory-before = before
memory-physical = physical { $address }
memory-byte-at = Byte at { $address }
memory-last-write-of-the-byte = Last write of the byte
memory-last-write-of-the-half = Last write of the half word
memory-last-write-of-the-word = Last write of the word
memory-last-write-of-the-double = Last write of the double word
memory-next-write-2 = Next write
memory-last-read-2 = Last read
memory-next-read-2 = Next read
memory-list-all-accesses = List all accesses
memory-all-values = All values
memory-watch = Watch
memory-name-this-memory = Name this memory…
memory-begin-here = Start here
memory-copy-address = Copy address
memory-copy-value = Copy value
memory-memory = Memory
memory-never-accessed-from = never accessed from { $address }
memory-16-eib = 16 EiB
memory-never-accessed = { $size } never accessed
memory-marked = bookmarked { $title }
memory-byte = byte { $address }
memory-text-at = text at { $address }
trace-go-to = go to
trace-show-line = show line { $line }
trace-to-the-call-of = to the call of { $name }
trace-step-head = Step { $step }
trace-name-its-function = Bookmark its function…
trace-name-its-address = Bookmark its address…
trace-folded-call = Folded call
trace-unfold-this-call = Unfold this call
trace-unfold-all = Unfold all
trace-compare-before-and-after-this = Compare before and after this call
trace-open-window-at-its-first = Open window at its first step
trace-travel-here = Go here
trace-open-window-here = Open window here
trace-compare-with-here = Compare with here
trace-move-window = Move window { $number } here
trace-fold-this-call = Fold this call
trace-fold-the-function-around-it = Fold the enclosing function
trace-fold-all-calls-from-its = Fold all calls made by its function
trace-unfold-all-inside-its-function = Unfold everything inside its function
trace-fold-all = Fold all
trace-last-write-of = Last write of { $cell } before it
trace-next-write-of = Next write of { $cell } after it
trace-show-memory-at = Show memory at { $cell }
trace-all-values-of = All values of { $cell }
trace-watch = Watch { $cell }
trace-next-execution = Next execution
trace-previous-execution = Previous execution
trace-all-executions = All executions
trace-copy-address = Copy address
trace-copy-instruction = Copy instruction
trace-copy-value = Copy value
trace-copy-line-number = Copy line number
trace-copy-row = Copy row
trace-copy-command-that-opens-it = Copy command that opens it
trace-more = +{ $count } more
trace-exception = exception
trace-at = at
trace-exception-number = number
trace-folded-steps = { $count ->
        [one] 1 step
       *[other] { $count } steps
    } folded
trace-trace = Trace
trace-line = line { $number }
trace-before-the-first-step = before the first step
trace-of-step = step { $step }
trace-line-head = Line { $line }
trace-copy-line = Copy line
trace-end-of-trace = End of trace
trace-end-of-what-is-indexed = End of what is indexed
trace-step = step { $step }
trace-unfold-step = unfold step { $step }
trace-fold-step = fold step { $step }
trace-call = call
trace-folded = folded { $name }

## expr

expression-empty = expected an address: a number, a register, a symbol, or an expression such as sp+8
expression-value-missing = expected a number, a register, a symbol or memory at the end
expression-not-a-value = expected a number, a register, a symbol or memory instead of { $text }
expression-not-an-operator = expected an operator before { $text }: { $operators }
expression-equality = use == to compare
expression-character = unexpected character { $character }
expression-backtick = missing closing backtick
expression-parenthesis-open = missing closing parenthesis
expression-parenthesis-closed = missing opening parenthesis
expression-bracket-open = missing closing bracket
expression-bracket-closed = missing opening bracket
expression-too-deep = too many nested parentheses, brackets or signs
expression-unknown = { $name } is unknown at this position
expression-failed = { $name } could not be read: { $why }
expression-memory-unknown = memory at { $address } is unknown at this position
expression-memory-failed = memory at { $address } could not be read: { $why }
expression-no-register = no register is named { $name }
expression-no-symbol = no symbol is named { $name }
expression-no-name = no register or symbol is named { $name }
expression-thread-local = { $name } is a thread-local variable; its address is not known
expression-no-images = no register or symbol is named { $name } (no image: give one with --image)
expression-no-variable = no variable is named { $name } here
expression-not-a-variable = only a variable has elements, members or a target; [sp] is the memory at sp
expression-type = types in expressions are not supported; u32[x] reads memory with a width
local-null-pointer = { $value } is a null pointer
local-no-member = { $value } has no member { $member }
local-no-element = { $value } has no element { $index }
local-no-target = { $value } is not a pointer to a known type
local-floating-point = it is a floating-point number, not an integer
local-too-wide = it has more than 64 bits
local-no-variant-member = the active variant of { $value } has no member { $member }
local-unknown-variant = the active variant of { $value } is not recorded
local-structure = it is a structure; & returns its address
local-no-integer = it is not an integer
local-unknown-size = its size is not known
local-not-in-memory = it is not in memory here
local-optimised-away = it is optimised away here
local-unsupported-place = its location is of a kind that is not supported
local-unreadable-place = its debug information is damaged
expression-several-functions = { $count } functions are named { $name }: { $functions }; write one of these names in backquotes
expression-several-symbols = { $count } symbols are named { $name }, at { $addresses }: use an address instead
expression-division-by-zero = division by zero
expression-no-number = { $name } has no integer value: { $why }
expression-target-size-unknown = the size of the target of the pointer is not known
expression-hexadecimal = { $text } is not a number; if it is hexadecimal, write 0x{ $digits }
reading-hexadecimal-alone = { $text } is read as hexadecimal { $taken }
reading-hexadecimal = { $text } is read as hexadecimal { $taken }; as decimal it would be { $other }
reading-decimal = { $text } is read as a decimal number, { $taken }; for hexadecimal write { $other }
reading-name = { $text } is read as a name, { $taken }; for the address write { $other }
reading-symbol = { $text } is read as the symbol, { $taken }; for the register write reg::{ $text }
expression-column = column { $column }: { $what }
memory-column = column{ " " }
meaning-empty = nothing to search for: type a word, a number, an address or a name
meaning-pattern = character { $at }: { $what }; choose Text to search for it literally
meaning-too-long = the text is too long to search for
meaning-value = not a value: { $error }; write 31, 0x1f or an expression such as { $first }+8
meaning-bytes = not bytes: { $text }; write pairs of hex digits (67 64 62) or a text in quotes ("gdb")
meaning-code = not an address of code: { $error }; write 0x80000494, main+8 or main.c:12
meaning-cell = neither a register nor memory: { $error }; write { $first }, 0x80020010:8, sp+8:4 or { $first } = 0x1f
meaning-no-code-of-line = no code of the program belongs to { $line }
meaning-no-function = no function has { $text } in its name; choose Text to search for the word in the trace
meaning-functions = { $count } functions match, more than the maximum of { $most }: type more of the name
place-a-percentage-is-a-number = a percentage is a number such as 50% or 33.3%
place-percentages-go-from-0-to = percentages go from 0% to 100%
place-needed = expected a position: { $forms }
place-position-beyond = position { $position } is past the end of the trace ({ $end })
system-not-found = no such file or directory: check the path
system-permission = permission denied: choose another place, or change the permissions
system-full = the disk is full: free some space, or choose another place
system-read-only = the file system is read-only: choose another place
system-directory = it is a directory: name a file
system-no-directory = a part of the path is not a directory: check the path
name-no-code = no image has code of line { $line } of { $file }
place-symbol-meant = for a function write pc:{ $text }
place-no-position = { $text } is not a position ({ $forms })
place-no-raw-text = raw text is not available for this format: give a step, a time or an address instead of line:{ $line }
place-line-beyond = line { $line } is past the end of the trace, which is line { $end }
place-record-beyond = record { $record } is past the end of the trace, which is record { $end }
place-no-step-at = no step of the trace is at { $address }
place-fewer-at = fewer than { $count } steps of the trace are at { $address }
place-negative = { $text } is not a whole number: positions start at 0
place-not-whole = { $text } is not a whole number
place-too-large = { $text } does not fit into 64 bits
place-a-time-is-a-number = a time is a number, as written in the trace
place-after-stands-which-visit-is = expected a visit number after #
place-visits-count-from-1 = visits are numbered from 1
place-a-number-is-missing = a number is missing

## more

dialog-session-files = Sessions
dialog-file-not-written = the file could not be written: { $path }
files-dialog-failed = the file dialog failed: { $error }
files-folder-unreadable = the folder cannot be read: { $folder }

## k

key-period = Period
key-comma = Comma
key-semicolon = Semicolon
key-colon = Colon
key-slash = Slash
key-quote = Quote
key-backtick = Backtick
key-pipe = Pipe
key-questionmark = Questionmark
key-exclamationmark = Exclamationmark
key-insert = Insert
key-tab = Tab

## late

picture-not-saved = the picture could not be saved: { $path }
preferences-keys-not-taken = the keys could not be imported: { $error }
preferences-no-keys = not a file of keys: { $path }
kept-trace-missing = the trace of the session was not found: { $trace }

## late2

kept-other-trace = the session was saved for another trace: that one had { $before ->
        [one] 1 step
       *[other] { $before } steps
    }, this one has { $now ->
        [one] 1 step
       *[other] { $now } steps
    }; bookmarks may be out of place

## merge

line-no-equals = expected = after the command
memory-written-by-step-in = written by step { $step } in { $function }
memory-written-by-step = written by step { $step }
memory-no-step-wrote-it-before = no earlier step wrote it
memory-valid-until = valid until step { $step } overwrites it
memory-no-later-step-writes-it = no later step writes it
effect-inferred = { " " }(inferred)
glimpse-too-long = { $count } bytes: too many to show
glimpse-holds = holds { $value }
glimpse-before = before { $value }
glimpse-after = after  { $value }
glimpse-written-by = previously written by step { $step } in { $function }
marker-prefetch-of = prefetch [{ $address }]
memory-nothing-to-look-for = nothing to search for: type bytes (67 64 62), a number or a text
head-first = First
head-last = Last
head-accessed = Accessed
head-rights = Rights
head-kind = Kind
head-what = What
regions-summary = { $count ->
        [one] 1 region
       *[other] { $count } regions
    }, { $size } accessed
regions-the-first = { $summary }, the first { $count } of them
regions-code = code
regions-data = data
regions-not-loaded = not loaded
regions-unknown = unknown
regions-stack = stack
regions-heap = heap
regions-blocks = { $count ->
        [one] 1 block
       *[other] { $count } blocks
    } allocated here
regions-row = region { $address }
registers-as-hex = hex
registers-as-unsigned = unsigned
registers-as-signed = signed
registers-as-float = floating point
registers-as-text = text
head-from-sp = From sp
head-saved = Saved
head-frame = Frame
head-written-by = Written by
head-line = Line
head-byte = Byte
head-times = Times
head-warning = Warning
head-watch = Watch
head-type = Type
head-next-write = Next write
head-means = Meaning
stackmem-the-stack-pointer-is-unknown = The stack pointer is unknown here
stackmem-words = { $count ->
        [one] 1 word
       *[other] { $count } words
    } above the stack pointer { $pointer }
stackmem-words-of-thread = { $count ->
        [one] 1 word
       *[other] { $count } words
    } above the stack pointer of { $thread } { $pointer }
stackmem-nothing-is-accessed = No step accesses memory above the stack pointer { $pointer }
stackmem-nothing-is-accessed-of-thread = No step accesses memory above the stack pointer of { $thread } { $pointer }
stackmem-gap-row = untouched { $address }
stackmem-gap = … { $count } bytes
stackmem-unknown = unknown
stackmem-row = word { $address }
stackmem-stale = left by { $function }
stackmem-return-address = return address
stackmem-register-return = { $register }, return address
compare-all = All
compare-written = Written
compare-read = Read
compare-cells-that-were-written-between = only what was written in between
compare-cells-that-were-read-between = only what was read in between
compare-all-cells-small = everything that differs
compare-all-cells-that-differ = Everything that differs
compare-cells-that-differ-and-that = Differences that a step between the two positions wrote
compare-cells-that-differ-and-that-a = Differences that a step between the two positions read
compare-first-read-between = First read between
compare-first-write-between = First write between
memory-stack-bias = Here, sp is the location of the stack: the register plus { $bias }. On the command line it is the plain register
memory-looking-through = Searching memory… click to stop
memory-nothing-yet = No search yet: use Find in memory…
memory-at-window = { $at } (window { $number })
memory-no-changed-byte-above-the = No changed byte above the cursor
memory-no-changed-byte-below-the = No changed byte below the cursor
memory-not-found-above-the-cursor = Not found above the cursor in the known memory
memory-not-found-below-the-cursor = Not found below the cursor in the known memory
memory-number-at = number at { $address }
memory-heap = heap: { $words }
memory-value-at = { $value } at { $place }
memory-how-memory-is-shown = memory display options
memory-how-memory-is-shown-comparing = Display options, comparison, search
memory-rows-as-wide-as-there = Rows as wide as the panel
memory-rows-of-8-bytes = Rows of 8 bytes
memory-rows-of-16-bytes = Rows of 16 bytes
memory-rows-of-32-bytes = Rows of 32 bytes
memory-rows-of-64-bytes = Rows of 64 bytes
memory-numbers-of-floating-point = Floating-point numbers
memory-text-as-ascii = Text as ASCII
memory-text-as-utf-8 = Text as UTF-8
memory-differs-from-the-position-before = Compare with the previous position
memory-differs-from-window = Compare with window { $number } at { $position }
memory-differs-from-here-wherever-the = Compare with this position permanently
memory-next-changed-byte = Next changed byte
memory-previous-changed-byte = Previous changed byte
memory-find-in-memory = Find in memory…
memory-regions-of-memory = Memory regions
memory-stack-memory = Stack memory
memory-against = against { $what }
memory-end-comparing-memory = stop comparing memory
memory-bytes-that-differ-from-there = Bytes that differ are highlighted; hover to see the other value. Click to stop comparing   D
registers-stack-lies-at = the stack is at { $address }: memory panels show this for sp, the command line does not
registers-show-as = Show as
registers-lower-halves = Lower halves
detail-the-first-lines-of-the = the first lines of the trace
table-regions = Memory regions
table-stack-memory = Stack memory
table-travel-to-its-write = Go to its write
table-the-trace-has-no-loads-and = The trace has no loads and stores, and no images.
table-go-to-a-position-where = Go to a position where the stack pointer is known and the stack is in use.
trace-click-select-it-double-click = Click to select, double click to go to the last write
trace-in-the-traces-own-words = As written in the trace: an address, the event number in hex, and its name

## Commands of registers and memory

command-registers-core = Registers core
command-registers-single-precision = Registers single precision
command-registers-double-precision = Registers double precision
command-registers-vector = Registers vector
command-registers-sve = Registers SVE
command-registers-system = Registers system
command-registers-as-hex = Registers as hex
command-registers-as-unsigned = Registers as unsigned
command-registers-as-signed = Registers as signed
command-registers-as-floating-point = Registers as floating point
command-registers-as-text = Registers as text
command-lower-halves-of-registers = Lower halves of registers
command-memory-by-1-byte = Memory by 1 byte
command-memory-by-2-bytes = Memory by 2 bytes
command-memory-by-4-bytes = Memory by 4 bytes
command-memory-by-8-bytes = Memory by 8 bytes
command-memory-rows-as-wide-as-there-is-room = Memory rows as wide as there is room
command-memory-rows-of-8-bytes = Memory rows of 8 bytes
command-memory-rows-of-16-bytes = Memory rows of 16 bytes
command-memory-rows-of-32-bytes = Memory rows of 32 bytes
command-memory-rows-of-64-bytes = Memory rows of 64 bytes
command-memory-as-floating-point = Memory as floating point
command-memory-text-as-ascii = Memory text as ASCII
command-memory-text-as-utf-8 = Memory text as UTF-8
command-memory-compared-in-place = Memory compared in place
command-next-changed-byte = Next changed byte
command-previous-changed-byte = Previous changed byte
command-find-next-in-memory = Find next in memory
command-find-previous-in-memory = Find previous in memory
effect-bytes-inferred = { " " }({ $bytes }, inferred)

## fin

lookup-no-exception-before = no earlier exception, interrupt, trap or signal
lookup-no-bad-end = nothing indicates that the trace ends badly
lookup-no-exception-after = no later exception, interrupt, trap or signal
line-old-new = expected OLD NAME = NEW NAME, got { $text }
find-keep-search-as = Save search as…
find-run = Run
find-in-a-panel-of-its = In a new panel
find-forget = Delete
find-rename = Rename
find-searches-before-up-in-the-field = Recent searches (Up arrow in the field) and saved searches
find-only-hits-in-the-list = Show only hits in the trace (H)
find-mark-these-hits = Highlight these hits
find-close-the-panel-or-look = Close the panel, or search for something else.
memory-waveform = Waveform
registers-waveform-of = Waveform of { $name }
source-not-in-the-trace = not in the trace
source-executed = executed
export-filter = Filter
timeline-waveform = waveform
timeline-read-as = Read as
timeline-move-it-up = Move it up
timeline-watch-it = Watch it
timeline-take-the-waveform-away = Remove waveform
timeline-calls-threads = Calls, threads
timeline-calls-cores = Calls, cores
timeline-below = + { $count } below
timeline-wave = { $name } over the trace; click a change to go there, use the menu to remove it
timeline-unknown = unknown
timeline-or-more = { " " }or more

## Colours and windows

command-colour-yellow = Colour yellow
command-colour-red = Colour red
command-colour-green = Colour green
command-colour-blue = Colour blue
command-colour-pink = Colour pink
command-colour-grey = Colour grey
command-trace-window-1 = Trace window 1
command-trace-window-2 = Trace window 2
command-trace-window-3 = Trace window 3
command-trace-window-4 = Trace window 4

## Hits, raw text, searches and settings files

watches-waves-full = cannot add more waveforms to the timeline: { $error }
watches-waveform = Waveform in the timeline
find-first-for-hits = Search for something first; this shows only its hits
find-first-for-keeping = Search for something first; this saves the search
find-not-kept = the search was not saved: { $error }
find-kept-as = Search saved as "{ $name }"
find-forgotten = Search "{ $name }" deleted
find-none-kept = no search is saved as "{ $name }": use "Save search as…" to save one
find-none-kept-so = no search is saved as "{ $name }": choose one of { $names }
settings-not-read = the settings could not be read: { $error }
settings-no-file = not a settings file: { $path }
settings-not-kept = the settings could not be saved: { $path }
settings-unusable = invalid setting: { $setting }
settings-no-keys-in-it = it has no section [keys]
settings-keys-are-lists = keys must be a list of strings, as in "Step over" = ["F10", "N"]: { $name }
lookup-looking = Searching…
lookup-looked = { $count ->
    [one] Searching: { $count } step so far
   *[other] Searching: { $count } steps so far
}
lookup-stop = Cancel the search and keep the position (Escape)
opening-title = Opening { $name }
opening-first-part = The trace is shown once its first part is read; press Escape to cancel
opening-so-far = { $count ->
    [one] { $count } step so far, { $share } %; press Escape to cancel
   *[other] { $count } steps so far, { $share } %; press Escape to cancel
}
palette-search = Search { $name }
moves-only-hits-are-shown = Only hits are shown; show all steps to fold calls (H)
raw-no-text = Raw text is not available for this format
raw-no-text-advice = Press R to show its steps again.
raw-show-steps = Show steps instead of raw text
raw-show-steps-again = Show steps again (R)
raw-of-lines = { $count ->
    [one] Raw text: { $count } line. Folding works in the list of steps
   *[other] Raw text: { $count } lines. Folding works in the list of steps
}
hits-all-steps = All steps
hits-show-all-steps = Show all steps again (H or Escape)
hits-around = { $count ->
    [one] Hits with { $count } step of context
   *[other] Hits with { $count } steps of context
}
hits-only = { $steps ->
    [one] Only hits: { $hits } of { $steps } step
   *[other] Only hits: { $hits } of { $steps } steps
}
hits-only-none = { $steps ->
    [one] Only hits: none yet of { $steps } step
   *[other] Only hits: none yet of { $steps } steps
}
hits-show-these = Click to show these steps
hits-hidden = { $count ->
    [one] … { $count } step
   *[other] … { $count } steps
}
hits-hidden-outside = { $count ->
    [one] … { $count } step outside the searched range
   *[other] … { $count } steps outside the searched range
}
hits-hidden-not-yet = { $count ->
    [one] … { $count } step not searched yet
   *[other] … { $count } steps not searched yet
}
hits-hidden-not-all = { $count ->
    [one] … { $count } step, not fully searched yet
   *[other] … { $count } steps, not fully searched yet
}
timeline-wave-writes = { $count ->
    [one] { $count } write{ $more } from position { $position } on; value after it
   *[other] { $count } writes{ $more } from position { $position } on; value after them
}
timeline-wave-written = written at position { $position }
timeline-wave-before = since before this range
timeline-wave-position = position { $position }

## Errors of files, keys and places

storage-unread = settings cannot be read or saved: the file { $why }: { $file }
storage-unread-damaged = is damaged and could not be moved away ({ $error })
storage-unread-refused = cannot be read ({ $error })
storage-unread-no-file = is a directory, a pipe or a device
storage-unread-long = is longer than { $megabytes } MB
storage-salvaged = the settings file was damaged: the readable part is used, and the damaged file was moved to { $aside }
storage-lost = the settings file was damaged and nothing in it could be read; it was moved to { $aside }
marks-too-many = there are already { $most } bookmarks, the maximum
kept-searches-too-many = there are already { $most }, the maximum: delete one first
kept-search-too-long = its text has more than { $most } characters: shorten it
watches-too-many = there are already { $most } watches, the maximum
session-line = line { $line }: { $what }
session-range-backwards = a bookmark has a range that ends before it begins
session-address = the address { $address } is { $error }
session-no-place = a bookmark needs a position, a first and last position, or an address
session-too-long = longer than { $most } bytes
session-newer = written by a newer version of Stepback: format { $version }
session-none = not a session: stepback_session = 1 is missing
keys-too-many = a command can have at most { $most } keys
keys-no-key = not a key: { $text }
place-no-date = { $text } is not a date, such as 2026-11-22 02:18:29.000123
place-no-dates = { $place } is a date, and the times of this trace are plain numbers: use time:N
place-time-ambiguous = time:{ $time } is ambiguous: time runs backwards across it at step { $step }; this is the position before that, but a later one may be meant
place-time-ambiguous-often = time:{ $time } is ambiguous: time runs backwards across it at step { $step } and at { $more } more steps; this is the position before that, but a later one may be meant
place-no-times = this trace has no times, so there is no time:{ $time }: use N, 50% or pc:ADDR
place-no-records = { $format } has no numbered records: use line:{ $number }
place-no-kind = { $kind } is not one of line, i, r, time and pc
place-instructions-from-one = instructions are numbered from 1
place-records-from-one = records are numbered from 1
place-lines-from-one = lines are numbered from 1
place-no-number = { $text } is not a number
place-many-digits = { $text } has more than { $most } decimal places
place-number-too-large = { $text } is too large

## The browser in the terminal
terminal-only-in-the-window = This is available in the window only
terminal-label = { $label }:
terminal-titled = { $title }: { $text }
terminal-ask-place = Go to (step, line:7, 50%, name)
terminal-ask-trace = Trace or session to open
terminal-ask-session = Save the session as
terminal-ask-text-place = Save as
terminal-name-the-trace = open the trace first, then the session { $file }
terminal-demo-hint = The demo: a server crashes on an overwritten pointer. What overwrote it? End: the crash, W: why, F1: keys
terminal-warnings =
    { $count ->
        [one] { $count } line could not be read: `:` Show warnings
       *[other] { $count } lines could not be read: `:` Show warnings
    }
terminal-trace-changed = The trace file changed: this is the old version. `:` Reload reads it again
terminal-trace-grown = The trace has grown. `:` Follow shows new steps as they come, `:` Reload reads it again
terminal-about = Stepback { $version }, in the terminal. F1 shows the keys
terminal-open-first = No trace is open: use `:` Open…
terminal-copied = Copied, if the terminal lets programs copy (OSC 52)
terminal-too-long-to-copy = This is too long for the terminal's clipboard
terminal-no-cell = No register or memory selected: Tab moves to their panes, arrows select
terminal-palette-title = Commands: type part of a name; Return runs, Tab completes, Escape closes
terminal-in-the-window = in the window
terminal-no-command = No command matches
terminal-no-key = This key does nothing here: F1 shows the keys, `:` all commands
terminal-given-up = Cancelled
terminal-list-takes-the-rest = The list of steps fills the remaining space: resize the other panes
terminal-not-saved = It could not be saved ({ $error }): { $path }
terminal-too-small = The terminal is too small
terminal-opening = Opening { $name } …
terminal-nothing-open =
    No trace is open.

    :   all commands; Open… opens a trace, Open the demo shows an example
    F1  the keys
    q   quit
terminal-esc-stops = { $words } (Esc stops)
terminal-searching =
    { $count ->
        [one] Searching: { $count } hit so far (Esc stops)
       *[other] Searching: { $count } hits so far (Esc stops)
    }
terminal-following = Following the trace (Esc ends)
terminal-left = , { $time } left
terminal-indexing = Indexing { $share }% of { $size }, { $steps } steps so far (Esc stops)
terminal-locked-to = locked to { $place }, position { $position }
terminal-locked = locked to position { $position }
terminal-points-nowhere = (no symbol and no text there)
terminal-no-such-register = No register of this group has "{ $text }" in its name
terminal-key-follow-address = Follow the registers in the address, or fix the address
terminal-looking-through-memory = Searching memory… press an arrow key to stop
terminal-there = there { $value }
terminal-key-next-pane = Next pane
terminal-key-last-pane = Previous pane
terminal-key-help = Show these keys
terminal-key-quit = Quit
terminal-key-palette = All commands by name
terminal-key-search = Search: a word, /regular expression/, number, address
terminal-key-search-back = Search backwards
terminal-key-again = Next hit of the last search or address
terminal-key-again-back = Previous hit
terminal-key-zoom = Zoom this pane to the whole screen, or back
terminal-key-memory = Open another memory pane, at an address
terminal-key-core = Show or hide general registers
terminal-key-single = Show or hide single-precision registers
terminal-key-double = Show or hide double-precision registers
terminal-key-vector = Show or hide vector registers
terminal-key-mve = Show or hide MVE vector registers, in the NEON pane
terminal-key-system = Show or hide system registers
terminal-key-colors = Turn code colours on or off
terminal-key-symbols = Show symbols or addresses
terminal-key-step-back = One step back
terminal-key-step = One step forward
terminal-key-page-back = A screen back
terminal-key-page = A screen forward
terminal-key-start = To the start
terminal-key-end = To the end
terminal-key-arrange = Scroll the position to the middle, top or bottom
terminal-key-fold = Fold the call at the position
terminal-key-unfold = Unfold the folded call at the position
terminal-key-fold-inside = Fold all calls made from this function
terminal-key-unfold-inside = Unfold everything inside this function
terminal-key-fold-all = Fold everything
terminal-key-unfold-all = Unfold everything
terminal-key-line = Go to a line of the trace
terminal-key-time = Go to a time
terminal-key-visit = Next step at an address
terminal-key-visit-back = Previous step at an address
terminal-key-pick = Select the effects of the last step in turn
terminal-key-pick-write = Go to the previous write of the selected effect
terminal-key-cursor = Move the cursor
terminal-key-last-write = Go to the last write of the cell under the cursor
terminal-key-lock-line = Lock the pane to a line of the trace
terminal-key-lock-time = Lock the pane to a time
terminal-key-lock = Lock the pane to the position that it shows, or unlock it
terminal-key-point = Show what the value points to, or not
terminal-key-changed-back = Previous changed byte
terminal-key-changed = Next changed byte
terminal-key-compare = Compare with the memory at a line of the trace
terminal-key-write-1 = Last write of this byte
terminal-key-write-2 = … of the aligned 2 bytes
terminal-key-write-4 = … of the aligned 4 bytes
terminal-key-write-8 = … of the aligned 8 bytes
terminal-key-address = Show another address
terminal-key-lower = Make this pane one row smaller
terminal-key-higher = Make this pane one row larger
terminal-key-travel = Go to what is under the cursor, or open it
terminal-help-title = Keys: Up, Down, PgUp and PgDn scroll, any other key closes
terminal-help-everywhere = In every pane
terminal-help-trace = In the list of steps
terminal-help-cells = In register and memory panes
terminal-help-registers = In register panes
terminal-help-memory = In memory panes
terminal-help-compare = In the comparison
terminal-help-others = In every pane but the list of steps
terminal-help-prompts =
    While typing
    Return  accept
    Escape Ctrl-G  cancel
    Ctrl-W  delete the word before the cursor
    Ctrl-U  delete everything
    Up Down  previous entries
terminal-help-always =
    At any time
    Escape  cancel a search; stop indexing or following
    Ctrl-Z  suspend to the shell; fg resumes
terminal-help-window = As in the window
terminal-help-differences = Keys of the window that have their own row above
terminal-help-lost = { $command } in the window; here also by name, with `:`
terminal-folded = { $name }: { $count } steps
terminal-hidden-slice = … { $count } steps that are not in the slice
terminal-hidden = … { $count } steps without a hit
terminal-end-of-trace = End of trace
terminal-no-lines = Lines are not available for this format: Ctrl-G goes to a step or an address
terminal-no-times = This trace has no times: Ctrl-G goes to a step or an address
terminal-no-text = Raw text is not available for this format: press R to show its steps
terminal-raw = raw text
terminal-key-why = Why does it have this value?
terminal-key-other-value = Select the other of two values for W
terminal-key-next-view = As a chain, as a tree, or everything
terminal-key-follow-addresses = Follow the inputs of addresses, or not
terminal-key-follow-flags = Follow flags, or not
terminal-key-follow-control = Follow the branches that decided what ran, or not
terminal-help-why = In the pane "Why"
terminal-only-slice = only the slice
terminal-following-slice =
    { $count ->
        [one] Following: { $count } step (Esc stops)
       *[other] Following: { $count } steps (Esc stops)
    }
slice-nothing-asked-terminal = Press W on a register, a byte or a step.
terminal-only-hits = only hits
terminal-stays = stays in thread { $thread }
terminal-nothing-picked = No effect of the last step is selected
terminal-pick-first = Nothing is selected: press a to select an effect of the last step
terminal-key-raw = Show the raw text of the trace, or its steps
terminal-ask-line = Go to line
terminal-ask-time = Go to time
terminal-ask-next-visit = Next step at address
terminal-ask-last-visit = Previous step at address
terminal-ask-memory = Memory at (numbers, registers, symbols)
terminal-ask-lock-line = Lock to line
terminal-ask-lock-time = Lock to time
terminal-ask-compare-line = Compare with line
terminal-ask-address = Show address
terminal-ask-filter = Show only rows with
terminal-ask-find-in-memory = Find in memory
terminal-key-into = One step forward, into folded calls
terminal-key-into-back = One step back, into folded calls
terminal-key-over = Step over the next call
terminal-key-over-back = Step back over the call that just returned
terminal-key-history = Forward in history
terminal-key-history-back = Back in history
terminal-greeting = F1: keys, q: quit
terminal-how-to-end = q quits, F1 shows the keys
terminal-key-copy = Copy what is under the cursor
terminal-key-undo = Undo a change to bookmarks, watches or searches
terminal-key-redo = Redo it
terminal-key-next-write = Go to its next write, or follow the link of the row
terminal-key-filter = Show only rows that contain a text
terminal-key-find-in-memory = Find bytes, a number or a text in memory
terminal-key-remove = Remove the bookmark or watch
terminal-how-to-mark = b bookmarks the position, :bookmark memory some memory.
terminal-how-to-watch = :watch adds the cell under the cursor, or an expression: { $first }, [sp+8] u32, name utf8.
terminal-how-to-compare = :side by side opens a second list of steps; :compare shows what differs.
terminal-watches = { $count ->
    [one] { $count } watch
   *[other] { $count } watches
}
terminal-how-to-map-sources = :map sources sets its directory.
terminal-nothing-to-copy = Nothing to copy under the cursor
terminal-ending-why = W: why { $cell } had its value at { $at }
terminal-ending-greeting = { $title } · End: go there · F1: keys
terminal-died = { $words } (Ctrl-G { $step } goes there)
terminal-help-legend =
    Signs
    { "*" } a value  changed by the last move
    = a value  written by it, but unchanged
    ~ a value  inferred: not recorded in the trace
    ! a value  changed by something outside the trace
    ? ??  unknown
    { "*" } a step  a hit of the search
    # a step  a bookmark
    ~ a step  a step of the slice
    - +  a call that can be folded, and a folded one

## Why a value is what it is: rows, panel, what is kept
slice-why-asked = the selected value
slice-why-loads = { $step } loads { $cells }
slice-why-copies = { $step } copies { $cells }
slice-why-reads = { $step } reads { $cells }
slice-why-address = { $step } computes its address from { $cells }
slice-why-flags = { $step } depends on { $cells }
slice-why-control = it decided that { $step } ran
slice-why-more = { $words } and { $count } more
slice-it = it
slice-from-asked = uses the selected value
slice-from-copies = copies the result of { $step }
slice-from-reads = reads the result of { $step }
slice-from-address = gets its address from { $step }
slice-from-flags = depends on { $step }
slice-from-control = ran because of { $step }
slice-from = from { $steps }
slice-from-more = from { $steps } and { $more } more
slice-cell-value = { $cell } = { $value }
slice-question = Why { $cell } at { $at }
slice-question-forward = Where { $cell } at { $at } goes
slice-back = Back
slice-back-tip = Where the value comes from
slice-forward = Forward
slice-forward-tip = Where the value goes, until every copy is overwritten
slice-chain = Chain
slice-chain-tip = Collapse copies and show the computation in between as one expression
slice-steps =
    { $count ->
        [one] { $count } step
       *[other] { $count } steps
    }
slice-under-way = { $steps } so far, in progress
slice-whole = { $steps }, complete
slice-limit =
    { $count ->
        [one] the newest { $steps }; { $count } value not followed yet
       *[other] the newest { $steps }; { $count } values not followed yet
    }
slice-stopped = { $steps }, stopped
slice-addresses = Addresses
slice-addresses-tip = Also follow the addresses of loads and stores
slice-addresses-forward-tip = Also follow loads and stores whose addresses depend on the value
slice-flags = Flags
slice-flags-tip = Also follow the flags that a conditional instruction, a select or an add with carry depends on
slice-flags-forward-tip = Also follow what depends on flags computed from the value
slice-control = Control
slice-control-tip = Also follow the branches that decided what ran
slice-control-forward-tip = Also show what ran because of a branch or call that depends on the value
slice-tree = Tree
slice-tree-tip = Inputs are nested below each step; steps with several inputs can be opened and closed
slice-everything = Everything
slice-everything-tip = All steps in one list, newest first
slice-more = more steps
slice-go-on = continue
slice-stop = Stop
slice-clear = Clear the slice and its marks
slice-only-steps = Show only steps of the slice in the trace (Shift+H)
slice-kept-menu = Save the slice, or choose a saved one
slice-keep-as = Save slice as…
slice-none-kept-yet = No saved slices
slice-run = Run again
slice-mark-this = Highlight this slice
slice-following = Following where the value comes from…
slice-awaited = The trace is not indexed up to step { $at } yet
slice-stopped-early = Stopped before any step was found
palette-slice = Slice { $name }
slice-why-title = Why
slice-nothing-asked = No value selected
slice-nothing-asked-advice = Select a register, a byte or a step and press W, or right-click it and choose "Why"
slice-close-or-ask = Close the panel, or try again
slice-no-step = No step produces this value
slice-head-step = Step
slice-head-thread = Thread
slice-head-place = Where
slice-head-code = Instruction
slice-head-gives = Result
slice-head-reason = Because
slice-row = Step { $step } of the slice
slice-row-end = End of a chain: { $cell }
slice-travel = Go there
slice-open-window = Open window there
slice-why-item = Why { $cell }
hover-why = { $key }: why does { $cell } have this value?
slice-why-input = Why its { $cell }
slice-show-memory = Show memory at { $cell }
slice-copy-row = Copy row
slice-copy-value = Copy value
slice-copy-all = Copy all rows
slice-open-row = Show its inputs
slice-close-row = Hide its inputs
slice-first-for-steps = Press W on a value first; this shows only the steps of its slice
slice-first-for-keeping = Press W on a value first; this saves its slice
slice-not-kept = the slice was not saved: { $error }
slice-kept-as = Slice saved as "{ $name }"
slice-forgotten = Slice "{ $name }" deleted
slice-none-kept = no slice is saved as "{ $name }": use "Save slice as…" to save one
slice-none-kept-so = no slice is saved as "{ $name }": choose one of { $names }
kept-slices-too-many = there are already { $most }, the maximum: delete one first
kept-slice-too-long = its cell has more than { $most } characters
hits-only-slice = Only { $hits } of { $steps } steps: the slice
hits-hidden-not-followed =
    { $count ->
        [one] … { $count } step, not followed yet
       *[other] … { $count } steps, not followed yet
    }
timeline-slice = Slice
timeline-slice-hint = the steps that the value comes from; click to go there
timeline-differences-hint = the steps at which the trace differs from the second one; click to go there
timeline-of-a = The timeline is that of trace A, { $a }. The row Differences shows where B, { $b }, differs
tick-of-the-slice = A step of the slice
tick-difference = A difference to the second trace

## Why a value is what it is
slice-end-constant = computed from constants only
slice-end-stated = set before the first step, in line { $line }
slice-end-initial = no earlier write: it was there at the start
slice-end-image = no earlier write: it comes from the program image
slice-end-external-seen = changed by something outside the trace, as step { $step } shows
slice-end-external = changed by something outside the trace
slice-end-called = returned by the system call { $name }
slice-end-system = returned by a system call
slice-end-undecoded = the instruction that wrote it cannot be decoded
slice-end-not-of-instruction = not written by the instruction itself, but by an exception or the processor
slice-end-accesses-not-recorded = this trace does not record accesses to memory
slice-end-load-not-shown = loaded from an address that the trace does not show
slice-end-too-much-loaded = the step loads more than the maximum that is followed
slice-end-decider-not-found = the deciding branch was not found: the trace has no path to it, or its function is too long
slice-end-of-control = control
slice-end-runs-always = runs whenever the thread does
slice-end-interrupt = started by an interrupt or an exception
slice-end-decided-not-found = what it decided was not found: the trace does not show where its paths rejoin, or its function is too long
slice-end-decider-limit = the deciding branch is not followed further
slice-end-decided-limit = what it decided is not followed to the end
slice-end-limit = not followed further
slice-end-overwritten-by = not read before step { $step } overwrites it
slice-end-overwritten = not read before it is overwritten
slice-end-kept = never read or overwritten afterwards
slice-end-of-more = { $cells } and { $more } more: { $words }
slice-call = { $name }, called at { $step }
slice-no-call = outside all known calls
slice-again = shown above
slice-copies = { $count ->
    [one] through { $count } copy
   *[other] through { $count } copies
}
slice-stores-alike = { $count } times { $value }
slice-at-address = at { $place }
slice-byte = byte { $first }
slice-bytes = bytes { $first }..{ $last }
slice-rounds = { $count ->
    [one] { $count } more identical iteration, { $rows } rows down to step { $step }
   *[other] { $count } more identical iterations, { $rows } rows down to step { $step }
}
slice-for = for { $steps }
slice-for-more = for { $steps } and { $more } more
