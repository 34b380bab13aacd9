# The texts of the window in English. The same ids and variables stand in fr.ftl; a test sees to it.
#
# `command-…` are the names of the commands, as `src/keymap` and scripts write them.

## commands names

command-open = Open…
command-open-directory = Open directory…
command-open-the-demo = Open the demo
command-open-session = Open session…
command-own-file-browser = Own file browser
command-save-session = Save session
command-save-session-as = Save session as…
command-save-selection-as-a-trace = Save selection as a trace…
command-save-picture = Save picture…
command-add-image = Add image…
command-add-directory-of-images = Add directory of images…
command-map-sources = Map sources…
command-forget-source-directories = Forget source directories
command-reload = Reload
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
command-keep-search-as = Keep search as…
command-run-search = Run search…
command-search-in-a-panel-of-its-own = Search in a panel of its own…
command-rename-search = Rename search…
command-forget-search = Forget search…
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
command-previous-exception = Previous exception
command-next-call-of-function = Next call of function
command-previous-call-of-function = Previous call of function
command-group-accesses-by-call-stack = Group accesses by call stack
command-all-values = All values…
command-stop-looking = Stop looking
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
command-show-slice = Show slice
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
command-keep-slice-as = Keep slice as…
command-run-slice = Run slice…
command-slice-in-a-panel-of-its-own = Slice in a panel of its own…
command-rename-slice = Rename slice…
command-forget-slice = Forget slice…
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
command-timeline-call-around-the-position = Timeline call around the position
command-timeline-whole-trace = Timeline whole trace
command-timeline-to-the-position = Timeline to the position
command-timeline-to-the-selection = Timeline to the selection
command-timeline-without-selection = Timeline without selection
command-find-in-memory = Find in memory…
command-close-messages = Close messages
command-indexing-card = Indexing card
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
command-show-regions-of-memory = Show regions of memory
command-show-stack-memory = Show stack memory
command-effects-of-this-call = Effects of this call
command-effects-of-this-round-of-the-loop = Effects of this round of the loop
command-effects-of-steps = Effects of steps…
command-compare-with-the-previous-call-of-this-function = Compare with the previous call of this function
command-compare-with-the-next-call-of-this-function = Compare with the next call of this function
command-compare-with-the-call-around = Compare with the call around…
command-show-effects = Show effects
command-show-heat = Show heat
command-show-tasks = Show tasks
command-show-functions = Show functions
command-show-flame-graph = Show flame graph
command-show-findings = Show findings
command-show-hits = Show hits
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
command-forget-layout = Forget layout…
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
ask-name-of-a-kept-slice = Name of a slice that is kept
ask-name-of-a-kept-search = Name of a search that is kept
ask-old-name-new-name = OLD NAME = NEW NAME
ask-steps-around-each-hit = Steps shown before and behind each hit: 0, 1, 3, 10
ask-name-of-a-thread-or = Name of a thread, or nothing for that of the position
ask-address-numbers-registers-symbols = Address: numbers, registers, symbols
ask-a-part-of-the-name = A part of the name, or - for all
ask-bytes-a-number-or-a-text = Bytes (67 64 62), a number or a text
ask-name-of-the-bookmark = Name of the bookmark
ask-address-length-and-a-name = ADDRESS:LENGTH and a name
ask-note-of-the-positions-bookmark = Note of the position's bookmark
ask-step-at-which-it-opens = Step at which it opens
ask-step-function-address-50-100 = Step, function, address, 50%, +100: as Go to takes it
ask-number-of-a-trace-window = Number of a trace window, or "active"
ask-name-of-a-thread-or-for = Name of a thread, or - for that of the position
ask-name-of-a-layout = Name of a layout
ask-name-of-the-layout = Name of the layout
ask-name-of-a-layout-of = Name of a layout of your own
keys-move-the-cursor = Move the cursor
keys-first-last = First, last row; Home and End alone go through the trace
keys-last-write-travel = Last write; travel
keys-next-write = Next write
keys-previous-next-change-of-a = Previous, next change of a watch
keys-show-memory-at-the-value = Show memory at the value
keys-follow-the-address-expression = Follow the address expression
keys-compare-memory = Compare memory with another position
keys-next-previous-changed-byte = Next, previous changed byte
keys-another-group-of-registers = Another group of registers
keys-read-register-lanes-in-another = Read register lanes in another way
keys-last-write-of-so-many = Last write of so many bytes
keys-rename-a-bookmark = Rename a bookmark
keys-note-of-a-bookmark = Note of a bookmark
keys-delete-a-bookmark = Delete a bookmark
keys-zoom-the-flame-graph-out = Zoom the flame graph; out
keys-copy = Copy
keys-click = Click
keys-travel-there = travel there
keys-wheel = Wheel
keys-zoom = zoom
keys-shift-wheel-middle-drag = Shift+wheel, middle drag
keys-move-in-time = move in time
keys-alt-wheel-wheel-over-names = Alt+wheel, wheel over names
keys-scroll-depths = scroll depths
keys-double-click = Double click
keys-zoom-to-a-call-or = zoom to a call, or out
keys-shift-drag = Shift+drag
keys-select-a-range = select a range
keys-right-click = Right click
keys-what-can-be-done = what can be done
ask-register-or-address-length = Register, or ADDRESS:LENGTH
ask-hex-unsigned-signed-or-float = hex, unsigned, signed or float, and the bits of a lane: hex 32
ask-core-single-double-vector-sve = core, single, double, vector, sve or system
ask-address-length-or-nothing-for = ADDRESS:LENGTH, or nothing for all memory
ask-word-regex-0x1f-address-length = Word, /regex/, 0x1f, ADDRESS:LENGTH, function; or value: bytes: pc: access: and what
ask-name-of-a-function-or = Name of a function, or its address with 0x; nothing for the chosen one
ask-condition-x0-0-u8-sp = Condition: x0 == 0, u8[sp+8] > 7, pc == main && x1 != 0
ask-register-address-or-sum-and = Register, [address] or sum, and a type: [sp+8] u32, name utf8
ask-address-function-offset-or-file = Address, function+offset, or FILE:LINE
ask-address-length-or-address-length = ADDRESS:LENGTH, or ADDRESS:LENGTH of THREAD
line-quoted = "{ $text }"
line-there-is-no-command = there is no command { $line }
line-needs-an-open-trace = { $command } needs an open trace
line-is-not-possible-here = { $command } is not possible here
line-needs-an-argument = { $command } needs an argument: { $question }
line-takes-no-argument-but-follows = { $command } takes no argument, but { $argument } follows it
line-not-a-number-of-bytes = not a number of bytes: { $length }
line-not-an-address-in-hex = not an address in hex: { $text }
line-no-trace-is-open = no trace is open
line-a-source-line-is-given = a source line is given as FILE:LINE, not as { $text }
line-is-no-way-to-read = { $text } is no way to read lanes: { $ways }
line-is-no-group = { $text } is no group of registers, but one of { $groups }
line-is-no-step-number = { $text } is no step number
line-no-panel-has-the-keyboard = no panel has the keyboard
line-is-neither-active-nor-the = { $text } is neither "active" nor the number of a trace window
line-the-length-after-the-colon = the length after the colon has to be a number above 0: { $text }

## menus

menu-theme = Theme
menu-language = Language
menu-memory-by = Memory by
menu-registers = Registers
menu-timeline = Timeline
menu-functions = Functions
menu-flame-graph = Flame graph
menu-colour = Colour
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
palette-no-command-fits-try-a = No command fits. Try a word of its name, or a step number.
palette-enter-run-esc-back = Enter run   Esc back
palette-choose-enter-run-tab-argument = ↑ ↓ choose   Enter run   Tab argument   Esc close
palette-of-commands = { $shown } of { $all } commands
page-keys = Keys
page-close-page = Close page
page-keys-in-grey-belong-to = Keys in grey belong to the panel that has the keyboard; F6 gives it to the next panel.
page-in-registers-memory-calls-and = In registers, memory, calls and lists
page-in-the-timeline = In the timeline
page-key-said = { $command }: { $keys }
page-or = { " " }or{ " " }
page-about-stepback = About Stepback
page-a-time-travel-debugger-for = A time-travel debugger for recorded instruction traces.
page-nothing-is-executed-again-every = Nothing is executed again: every answer is looked up in the trace, which is never changed.
page-licence-mit-or-apache-2 = Licence: MIT or Apache-2.0.
page-faces-inter-and-jetbrains-mono = Faces: Inter and JetBrains Mono (OFL-1.1); icons: Phosphor (MIT).

## keys

key-shift = Shift
key-left = Left
key-right = Right
key-up = Up
key-down = Down
key-arrows = Arrows
key-pageup = PageUp
key-pagedown = PageDown
key-home = Home
key-end = End
key-delete = Delete
key-backspace = Backspace
key-space = Space
key-escape = Escape

## tl

timeline-what-is-shown = What the timeline shows: calls, or which thread ran on which core when

## files

files-close = Close file browser
files-above = Folder above
files-above-key = Folder above   Backspace
files-path = Path
files-hide = Hide hidden files
files-show = Show hidden files
files-part-hint = Type a part of a name
files-part = Part of a name
files-choose-another = Choose another place, or type a path.
files-reading = Reading…
files-empty = This folder is empty
files-all-hidden = All files here are hidden: Ctrl+H shows them
files-none-so = Nothing here is called so
files-name = Name of the file
files-overwrite = Overwrite
files-choose-folder = Choose this folder
files-save = Save
files-open = Open
files-cancel = Cancel
files-size = Size
files-changed = Changed
files-name-label = Name
files-is-there = { $name } is there already. Overwrite it?
files-folder = folder { $name }
files-trace = { $name }, { $format } trace
files-chosen = { $number } chosen, to be opened as one trace
files-shown-of-first = { $shown } of the first { $all } entries
files-entries = { $all ->
    [one] { $all } entry
   *[other] { $all } entries
}
files-shown-of = { $shown } of { $all } entries
files-nothing-begins-so = nothing begins so: { $text }
files-folder-wanted = a folder is wanted, and this is a file: { $name }
files-choose-one = choose a file, or a folder that is a trace as a whole
files-name-wanted = a name is wanted
files-home = Home
files-of-trace = Folder of the trace
files-working = Working directory
files-system = Whole system
files-dialog-is-open = A file dialog was asked for and is open, or has not answered yet
files-traces-inside = { $number ->
    [one] { $number } trace lies
   *[other] { $number } traces lie
} in this directory, which is no trace itself: choose one.
files-no-dialog = No file dialog of the desktop answers here
files-own-instead = Stepback's own file browser is used until the program ends.
files-open-trace = Open trace
files-open-directory = Open directory with a trace
files-sysroot = Directory with the program's files
files-add-image = Add program image
files-open-session = Open session
files-where-is-trace = Where is the trace of the session?
files-save-session = Save session
files-save-part = Save the selection as a trace
files-save-picture = Save a picture of the window
files-locate = Locate { $name }
files-save-name = Save { $name }

## settings

ask-keys = Command = Ctrl+F5, N; nothing behind = takes its keys away
ask-path-of-font = Path of a font, .ttf or .otf
ask-path-of-keys = Path of a file with keys
files-font = Choose a font
files-import-keys = Take over keys
settings-title = Settings
settings-look = Appearance and files
settings-system = As the system
settings-dark = Dark
settings-light = Light
settings-safe-dark = Colour-blind safe, dark
settings-safe-light = Colour-blind safe, light
settings-of-system = That of the system
settings-size = Size of texts
settings-smaller = Smaller
settings-normal = Normal
settings-larger = Larger
settings-now = { $percent } % now
settings-fonts = Fonts
settings-built-in = Built-in
settings-built-in-of = { $font }: built-in
settings-interface-font = Interface
settings-fixed-width-font = Code and numbers
settings-choose = Choose…
settings-choose-of = { $font }: choose a font…
settings-interface-text = Interface text beside code
settings-interface-smaller = Smaller interface text
settings-interface-normal = Normal interface text
settings-interface-larger = Larger interface text
font-refused = a font cannot be used, the one before stays: { $error }
font-not-read = a font cannot be used, the built-in one stands in: { $error }
font-no-font = not a font (.ttf or .otf)
font-no-letters = it has no letters and digits
font-not-fixed-width = its characters are not all equally wide
dialog-fonts = Fonts
settings-more = Trace and files
settings-row-lines = Rows of the trace tell their source lines
settings-own-browser = Always use Stepback’s own file browser
settings-place = Kept in { $path }, which can be edited by hand.
settings-copy-path = Copy path
settings-filter = Command or key
settings-import = Import…
settings-export = Export…
settings-reset-all = Reset all
settings-no-command = No command has these words. Try a part of its name, or a key.
settings-how = “Change” gives a command the next key that is pressed. Ctrl+C, Ctrl+X and Ctrl+V stay with the clipboard.
settings-press = Press the key for “{ $command }”, or Escape
settings-conflict = { $key } stands for “{ $command }”.
settings-take = Take it over
settings-leave = Leave it
settings-change = Change
settings-change-of = Change the key of { $command }
settings-add = Add
settings-add-of = Add a key to { $command }
settings-remove = Remove
settings-remove-of = Remove the keys of { $command }
settings-reset = Reset
settings-reset-of = Reset the keys of { $command }
settings-put-aside = The settings file could not be read and was put aside: { $path }
settings-imported = The keys are taken over
toasts-more = { $number } more
toasts-close-all = Close all

## tabs and windows

page-mouse = With the mouse
keys-middle-or-ctrl-click = Middle click, Ctrl+click
keys-open-a-window-there = open a trace window there
keys-middle-click-tab = Middle click on a tab
keys-close-the-panel = close the panel
keys-drag-tab = Drag a tab
keys-move-the-panel = move the panel, or tear it off
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
torn-many = At most { $number } panels have windows of their own
torn-last = The last panel stays in the main window

## window

banner-none-of-the-programs-files = none of the program's files was found: functions have no names
banner-close-the-note = Close the note
banner-give-the-programs-files = Give the program's files…
lookup-is-called-here = { $function } is called here
lookup-is-called-here-of = { $function } is called here, { $number } of { $count }
lookup-is-not-called-before = { $function } is not called before this position
lookup-is-not-called-after = { $function } is not called after this position
lookup-no-function-is-called = no function is called { $name }
lookup-no-call-is-around = no call is around this position
demo-1-go-to-the-end = 1  Go to the end
demo-2-in-registers-click-x2 = 2  In Registers, click x2
demo-3-in-memory-type-x0 = 3  In Memory, type x0
demo-then = then
demo-close-the-hint = Close the hint
demo-close-the-hint-esc = Close the hint   Esc
demo-a-server-dies-by-an = A server dies by an overwritten pointer: who overwrote it?
dock-panels = Panels
lookup-there-is-no-call-around = there is no call around this position
lookup-is-no-address = { $text } is no address
lookup-no-external-before = there is no external change before this position
lookup-no-external-after = there is no external change after this position
lookup-no-external-of-before = there is no external change of memory at { $address } before this position
lookup-no-external-of-after = there is no external change of memory at { $address } after this position
dialog-saved = Saved { $path }
dialog-all-files = All files
dialog-tarmac-traces-also-compressed = Tarmac traces, also compressed
dialog-dynamorio-traces-drmemtrace = DynamoRIO traces (drmemtrace)
dialog-rst-traces-of-suns-simulators = RST traces of Sun's simulators, all files of one
dialog-recordings-of-branches-btrace = Recordings of branches (Btrace)
dialog-nothing-is-done = nothing is done with a file that was written: { $path }
dialog-other-name = the file is not called { $name }: { $path }
find-find = Find
find-find-in-the-trace = Find in the trace
goto-forms = Step, function, address, file:line
goto-go-to = Go to
goto-step-counter = Step counter
goto-steps-done-of-all-click = Steps done, of all. Click to type a step
goto-step = Step
lookup-no-hit-before = No hit of { $text } before this position
lookup-no-hit-after = No hit of { $text } after this position
kept-file-missing = a file that the session names is not there: { $first }
kept-files-missing = { $first } and { $more } more that the session names are not there
kept-trace-file-missing = a file of the trace of the session is not there: { $file }
layouts-unknown = there is no layout { $name }: there are { $known }
layouts-this-name-is-taken-choose = this name is taken: choose another one for a layout of your own
layouts-saved = Layout saved: { $name }, in the menu Window
layouts-forgotten = Layout forgotten: { $name }
layouts-unread = the layout { $name } cannot be read: another version of Stepback saved it, and it is left as it is
layouts-not-own = there is no layout of your own called { $name }
lookup-instruction-before = this instruction is not executed before this position
lookup-instruction-after = this instruction is not executed after this position
lookup-no-line-before = no other source line is executed before this position
lookup-no-line-after = no other source line is executed after this position
lookup-no-lines = no source lines are known: add an image that was compiled with -g
lookup-not-true-before = { $condition } does not become true before this position
lookup-not-true-after = { $condition } does not become true after this position
lookup-no-change-before = { $watch } does not change before this position
lookup-no-change-after = { $watch } does not change after this position
moving-failed = the position could not be changed: { $error }
opened-the-trace-could-not-be = The trace could not be opened
opened-indexing-was-cancelled = Indexing was cancelled
opened-opening-was-cancelled = Opening was cancelled
opened-the-trace-changed = The trace changed
opened-the-trace-has-grown = The trace has grown
opened-locate = Locate…
opened-say-where = Say where { $trace } is on this machine.
opened-the-trace-of-the-session = The trace of the session is not here
opened-reload = Reload
opened-indexing-stopped = Indexing stopped
opened-what-is-shown-belongs-to = What is shown belongs to the file as it was.
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
opening-thread-ended = the trace could not be opened: its thread ended
part-not-shown = the trace could not be shown as far as it is indexed: { $error }
start-path-of-a-trace = Path of a trace
moves-nothing-called-this-function-the = Nothing called this function: the trace begins inside it
moves-this-function-does-not-return = This function does not return: the trace ends inside it
moves-no-return-so-far = This function does not return so far: { $caveat }
moves-this-thread-has-no-step = This thread has no step before this position
moves-this-thread-has-no-step-after = this thread has no step after this position
part-advice = On the command line "list --records" prints a part, and DynamoRIO's record_filter copies one.
part-shift-drag-in-the-timeline = Shift+drag in the timeline selects a range.
part-nothing-is-selected-in-the = Nothing is selected in the timeline
part-only-a-part-of-a = Only a part of a Tarmac trace can be saved as a trace
part-only-a-part-of-a-tarmac = only a part of a Tarmac trace can be saved
part-the-part-is-not-written = the part is not written over the trace that it is a part of
part-saved = Saved { $steps ->
        [one] 1 step
       *[other] { $steps } steps
    } as { $path }
sources-the-source-lines-are-still = the source lines are still being read
start-recent-traces = Recent traces
start-clear-list = Clear list
start-look-up-any-moment-of = Look up any moment of a recorded execution.
start-a-trace-that-consists-of = A trace that consists of several files, as DynamoRIO writes it
start-what-was-marked-named-and = What was marked, named and laid out about a trace: TRACE.session.toml, also of another machine
start-open = Open { $name }
start-steps = steps
start-changed-since = changed since
start-file-not-found = file not found
start-forget-this-trace = Forget this trace
start-drop-a-trace-here-a = Drop a trace here, a file or a directory, with its ELF beside it if you have one
start-tarmac-plain-or-compressed-gz = Tarmac, plain or compressed (.gz, .zst, .xz) · DynamoRIO drmemtrace (.trace.zip, .gz, .lz4, .sz, or the directory)
status-no-trace-open = No trace open
status-of = { $position } of { $end }
status-step = Step
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
status-reads-that-differ-from-the = Reads that differ from the last write: something that the trace does not show wrote there
status-order-between-threads-is-known = Order between threads is known to the timestamp only
status-order-by-timestamps = Order by timestamps
status-order-here = { $whole }; here { $others }
status-stays-in = Stays in { $thread }
status-steps-of-other-threads-are = Steps of other threads are passed over. Click to step through all threads
status-no-symbols = No symbols
status-functions-have-no-names = Functions have no names. Open the trace with --image ELF, or put the ELF beside it under the same name.
status-symbols = Symbols { $name }{ $more }
status-symbols-come-from = Symbols come from { $paths }
status-the-trace-is-read-as = The trace is read as it grows. Click to finish its index
status-answers-are-so-far-the = Answers are so far: the rest of the trace is not indexed
status-go-on = Go on
status-index-the-rest-of-the = Index the rest of the trace
status-stop-finding-tail-calls = Stop finding tail calls
status-do-without-calls-stay-as = Do without: calls stay as the trace alone shows them
status-finding-tail-calls = Finding tail calls
status-the-call-tree-gains-calls = The call tree gains calls in which a function ends by jumping to another
status-stop-indexing = Stop indexing
status-cancel-indexing-what-is-indexed = Cancel indexing; what is indexed is kept
status-indexing = Indexing
status-show-the-indexing-card = Show the indexing card
stepping-no-thread = the trace has no thread { $name }, only { $known }
timeline-height-of-the-timeline = height of the timeline
timeline-drag-height-of-the-timeline = Drag: height of the timeline; double click: the usual height
toasts-copy = Copy
toasts-close-message = Close message
watches-full = nothing more can be watched: { $error }
watches-the-watch-was-removed = The watch was removed
watches-all-watches-were-removed = All watches were removed
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
tabs-this-position-for-good = this position for good
tabs-what-and-click = { $what }
    Click: { $then }
tabs-panel-menu = { $panel } panel menu
tabs-follow-the-active-window = Follow the active window
tabs-follow-window = Follow window { $number }
tabs-pin-at = Pin at { $position }
tabs-duplicate = Duplicate
tabs-close = Close
lookup-no-function-no-position = no function is called { $text }, and it is no position ({ $forms })
lookup-is-memory = { $text } is no position; the address { $address } is memory without executed code: type it in Memory or Accesses
lookup-best = { $title }: { $note }
lookup-line-before = line { $line } of { $file } is not executed before this position
lookup-line-after = line { $line } of { $file } is not executed after this position
lookup-other-thread = it is { $thread } that executes line { $line } here
lookup-from-line = the value of { $cell } comes from line { $line }: before the first step
lookup-read-doubt = read of { $cell }: { $doubt }
lookup-write-doubt = write of { $cell }: { $doubt }
lookup-not-read-before = { $cell } is not read before this position
lookup-not-read-after = { $cell } is not read after this position
lookup-not-written-before = { $cell } is not written before this position
lookup-not-written-after = { $cell } is not written after this position
lookup-not-read-between = { $cell } is not read between { $from } and { $until }
lookup-not-written-between = { $cell } is not written between { $from } and { $until }
lookup-byte-at = the byte at { $address }
lookup-memory-at = memory at { $address } ({ $length } bytes)
lookup-range-wraps = the range reaches beyond the end of the address space: { $text }
lookup-is-no-cell = { $text } is no cell
frame-drop-the-trace-a-file = Drop the trace, a file or a directory, to open it
kept-not-kept = There is no file beside the trace for it. A session with a name of yours keeps it.
kept-what-is-marked-is-not = What is marked is not kept
kept-the-panels-of-the-session = the panels of the session could not be read: they are as at first, and what is kept stays as it is until you save the session
kept-save-session-as = Save session as…
kept-session-saved = Session saved: { $path }
kept-elsewhere = Beside the trace nothing can be written. It is kept as { $path }.
kept-the-session-made-way = The session that this trace had is kept
kept-as = It is kept as { $path } until another one makes way.
kept-open-it-again = Open it again
kept-the-session-has-another-place = The session has another place
kept-of-another = { $path } holds a session of another window or person, which stays as it is.
kept-replace-it = Replace it
kept-the-session-is-not-saved = The session is not saved
marks-full = nothing more can be marked: { $error }
marks-the-bookmark-was-deleted = The bookmark was deleted
marks-the-bookmark-and-its-note = The bookmark and its note were deleted
marks-deleted = { $count ->
        [one] 1 bookmark
       *[other] { $count } bookmarks
    } deleted
marks-undo = Undo
marks-drag-with-shift-in-the = Drag with Shift in the timeline, then press Shift+B.
marks-no-part-of-the-trace = No part of the trace is selected
marks-there-is-no-bookmark-before = There is no bookmark before the position
marks-there-is-no-bookmark-behind = There is no bookmark behind the position
marks-there-is-nothing-to-undo = There is nothing to undo
marks-there-is-nothing-to-redo = There is nothing to redo
apply-no-window = there is no trace window { $number }: { $count } of them are open
apply-no-sve = This trace has no SVE registers
apply-no-general = This trace has no general registers
apply-no-single = This trace has no single precision registers
apply-no-double = This trace has no double precision registers
apply-no-vector = This trace has no vector registers
apply-no-system = This trace has no system registers
apply-click-a-register-or-a = Click a register or a byte, or type "Last write x2" into the palette.
apply-commands = Commands
apply-no-cell-is-selected = No cell is selected
apply-no-cell-is-selected-2 = no cell is selected
apply-the-last-trace-window-stays = The last trace window stays open
card-indexing = Indexing { $name }
card-of = { $done } of { $total }
card-steps = { $count } steps
card-left = about { $time } left
card-the-trace-can-be-read = The trace can be read meanwhile.
card-the-trace-opens-when-its = The trace opens when its first part is indexed.
card-cancel = Cancel
card-hide = Hide

## panels 1

key-click = click
key-double-click = double click
list-vertical-scroll = vertical scroll
list-loading = Loading…
list-an-empty-filter = An empty filter shows all rows again.
list-how-to-find = Press / and type a text, a /regular expression/, a number, an address, a function or bytes; ? looks backwards.
list-how-to-list-accesses = Choose a cell in a pane of registers or memory, and give the command "Accesses" (:); or "All executions…" of code.
row-to-step = to step { $text }
row-copy = Copy
thread-of-the-position = Thread of the position
thread-thread = thread { $shown }
thread-this-thread-wherever-the-position = This thread, wherever the position goes
thread-the-thread-that-executes-at = The thread that executes at the position
warnings-at-line = warning at line { $line }
warnings-message = warning { $message }
warnings-line-head = Line { $line }
warnings-travel-to-its-line = Travel to its line
warnings-warnings = Warnings
warnings-no-warnings = No warnings
warnings-all-lines-of-the-trace = All lines of the trace could be read.
warnings-all-records-of-the-trace = All records of the trace could be read.
warnings-no-warnings-so-far = No warnings so far
warnings-all-lines-that-are-indexed = All lines that are indexed could be read.
warnings-all-records-that-are-indexed = All records that are indexed could be read.
warnings-lines = { $count ->
        [one] 1 line
       *[other] { $count } lines
    } could not be read, or only with doubt
warnings-places = { $count ->
        [one] 1 place
       *[other] { $count } places
    } could not be read, or only with doubt
warnings-one-is-listed = one is listed for all that are alike
warnings-that-differ = { $count } that differ are listed
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
bookmarks-compare-its-ends = Compare its ends
bookmarks-show-memory = Show memory
bookmarks-list-all-accesses = List all accesses
bookmarks-copy-command-that-opens-it = Copy command that opens it
bookmarks-travel-there = Travel there
bookmarks-open-window-there = Open window there
bookmarks-count = { $count ->
        [one] 1 bookmark
       *[other] { $count } bookmarks
    }
bookmarks-shown = { $shown } of { $all }
bookmarks-place = Place
bookmarks-name = Name
bookmarks-note-2 = Note
bookmarks-what-is-there = What is there
bookmarks-name-of-the-bookmark = Name of the bookmark
bookmarks-note-of-the-bookmark = Note of the bookmark
bookmarks-bookmarks = Bookmarks
bookmarks-nothing-is-marked = Nothing is marked
bookmarks-b-marks-the-position-shift = B marks the position, Shift+B what is selected in the timeline; memory by its menu.
bookmarks-no-bookmark-holds-the-text = No bookmark holds the text
bookmarks-take-something-out-of-the = Take something out of the field above.
bookmarks-row = bookmark { $title }
calls-steps = Steps
calls-elapsed = Elapsed
calls-inside = Calls
calls-position = Position
calls-call = Call
calls-caller = Caller
calls-travel-to-its-entry = Travel to its entry
calls-travel-to-its-end = Travel to its end
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
calls-back-to-the-calls-of = Back to the calls of the whole trace
calls-calls = Calls
calls-find-a-function = Find a function
calls-no-such-call = No such call
calls-try-a-part-of-the = Try a part of the name of a function.
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
compare-move-one-of-the-windows = Move one of the windows to compare.
compare-compare = Compare
compare-nothing-to-compare-yet = Nothing to compare yet
compare-open-a-second-trace-window = Open a second trace window: Side by side (Ctrl+B).
compare-before = before
compare-after = after
compare-cell = Cell
compare-last-written-by = Last written by
compare-means = Means
compare-meant = { $side } (W)
compare-instruction = Instruction
compare-source = Source
compare-writes-between = Writes between
compare-head = window { $first } { $left }, window { $second } { $right }
compare-close-group = close group { $title }
compare-open-group = open group { $title }
compare-difference = difference { $cell }
compare-no-step = no step
compare-travel-to-its-last-write = Travel to its last write
compare-open-window-there = Open window there
compare-next-write = Next write
compare-show-memory-there = Show memory there
compare-show-memory-at = Show memory at { $symbol }
compare-copy-value-at-the-left = Copy value at the left
compare-copy-value-at-the-right = Copy value at the right
compare-copy-as-text = Copy as text
externals-list-from-the-position = List from the position
externals-list-from-the-start = List from the start
externals-reads = { $count ->
        [one] 1 read
       *[other] { $count } reads
    }
externals-from-step = ; from step { $step } on
externals-head = { $reads } { $count ->
        [one] differs
       *[other] differ
    } from what the last write left: DMA, a device, a system call{ $from }
externals-no-external-change-from-there = No external change from there on
externals-list-from-the-start-of = List from the start of the trace instead.
externals-more = … more
externals-external-changes = External changes
externals-no-external-changes = No external changes
externals-every-read-agrees-with-the = Every read agrees with the last write that the trace shows.
externals-no-values = The trace has no values, so reads and writes cannot be compared.
externals-step = Step
externals-address = Address
externals-was = Was
externals-read = Read
externals-thread = Thread
externals-symbol = Symbol
externals-row = external change at step { $step }
externals-travel-to-the-read = Travel to the read
findings-checking-the-trace = Checking the trace…
findings-cancel = Cancel
findings-the-trace-is-not-checked = The trace is not checked
findings-enter-goes-through-all-of = Enter goes through all of it and lists what breaks a rule.
findings-check = Check
findings-no-findings = No findings
findings-the-trace-keeps-the-rules = The trace keeps the rules of its format, and contradicts itself nowhere.
findings-findings = Findings
findings-travel-to-it = Travel to it
findings-copy = Copy
functions-functions-of = functions of: { $shown }
functions-shift-drag-in-the-timeline = Shift+drag in the timeline selects a range: its ends cut the calls
functions-whole-trace = Whole trace
functions-selected-range = Selected range
functions-working = Working it out: { $share } %
functions-stop = Stop
functions-go-on = Go on
functions-the-functions-were-not-worked = The functions were not worked out
functions-go-on-above-begins-again = "Go on" above begins again.
functions-looking-at-all-calls = Looking at all calls…
functions-escape-or-stop-gives-it = Escape or "Stop" gives it up.
flame-find-in-the-graph = Find in the graph
flame-zoom-out-backspace = Zoom out   Backspace
flame-by-time = By time
flame-by-steps = By steps
flame-no-function-is-called-so = No function is called so
flame-sought = { $count ->
        [one] 1 function
       *[other] { $count } functions
    }, { $share } of all { $measure }
flame-steps = steps
flame-time = time
flame-flame-graph = Flame graph
flame-no-function-was-called = No function was called
flame-the-trace-has-no-calls = The trace has no calls.
flame-flame-graph-2 = flame graph
flame-box = flame { $name }
flame-too-narrow = { $count } stacks, each too narrow to show
flame-zoom-to-it = Zoom to it
flame-zoom-out = Zoom out
flame-travel-to-the-first-such = Travel to the first such call
flame-next-call = Next call
flame-previous-call = Previous call
flame-copy-stack = Copy stack
functions-nobody-called-it = Nobody called it
functions-callers = Callers
functions-it-called-nobody = It called nobody
functions-callees = Callees
functions-steps = Steps
functions-time = Time
functions-share = Share
functions-calls = Calls
functions-near = near { $name }
functions-choose-this-function = Choose this function
functions-travel-to-the-first-such = Travel to the first such call
functions-copy-name = Copy name
functions-a-click-chooses-it-a = A click chooses it, a double click travels to the first such call
functions-no-function-was-called = No function was called

## panels 2

registers-core = Core
registers-sve = SVE
registers-system = System
registers-filter-registers = Filter registers
registers-group = register group { $title }
registers-in-another-panel = { $group } in another panel
registers-which-registers-v = Which registers   V
registers-lanes = lanes { $name }
registers-how-values-are-read-l = How values are read   L
registers-row = register { $name }
registers-inferred = inferred: { $reason }
registers-unknown = unknown
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
source-cut = { $path }, only its beginning is shown: it is very long
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
source-neither-this-instruction-nor-a = Neither this instruction nor a call around it has one: step on, or add another image.
source-add-image = Add image…
source-not-found = { $file } was not found
source-compiled-as = It was compiled as { $name }.
source-locate = Locate…
source-source = Source
source-line = source line { $line }
source-next-execution-of = next execution of line { $line }
source-which-the-trace-never-reaches = , which the trace never reaches
source-next-hint = Next execution of line { $line }{ $words } (with Shift: the one before)
source-line-head = Line { $line }
source-next-execution = Next execution
source-previous-execution = Previous execution
source-copy-place = Copy place
source-copy-line = Copy line
stack-from-step = from step
stack-found-because = { $left } · found because { $evidence }
stack-travel-to-its-call = Travel to its call
stack-travel-to-its-entry = Travel to its entry
stack-open-window-at-its-entry = Open window at its entry
stack-copy-stack = Copy stack
stack-no-calls-here = No calls here
stack-the-thread-has-not-executed = The thread has not executed a step of this trace.
stack-frames = { $count ->
        [one] 1 frame
       *[other] { $count } frames
    }
stack-at = at { $position }
stack-return-to-it = Return to it
stack-travel-back-to-where-this = Travel back to where this stack is
stack-stack = Stack
stack-function = Function
stack-arguments-at-its-entry = Arguments at its entry
stack-called-from = Called from
stack-step = Step
stack-frame = frame { $place } { $name }
stack-nothing = nothing
accesses-all = All
accesses-reads-and-writes = Reads and writes
accesses-reads = Reads
accesses-reads-alone = Reads alone
accesses-writes = Writes
accesses-writes-alone = Writes alone: all values that it took
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
export-copy-or-save-the-list-as = Copy or save the list, as it is filtered and sorted
table-accesses = Accesses
table-heap = Heap
table-heat = Heat
table-tasks = Tasks
table-functions = Functions
table-find = Find
table-travel-to-the-first-call = Travel to the first call
table-travel-there = Travel there
table-no-register-memory-or-code = No register, memory or code is chosen
table-type-above-or-right-click = Type above, or right-click a register, a byte or a step.
table-the-trace-does-not-tell = The trace does not tell of the heap
table-record-it-again-with-record = Record it again with -record_heap, and keep the file funclist.log beside the trace.
table-the-trace-has-no-loads = The trace has no loads and stores.
table-the-trace-has-no-steps = The trace has no steps.
table-the-trace-has-no-calls = The trace has no calls.
table-nothing-is-looked-for = Nothing is looked for
table-ask-for-more-bytes-for = Ask for more bytes, for all threads, or from the start of the trace.
table-no-function-that-allocates-returns = No function that allocates returns in the trace.
table-no-row-holds-the-text = No row holds the text
table-take-something-out-of-the = Take something out of the field above.
table-sort-by = Sort by { $column }; once more for the other way round
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
threads-stay-in-the-thread-of = Stay in the thread of the position
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
threads-travel-to-its-first-step = Travel to its first step
threads-travel-to-its-last-step = Travel to its last step
threads-stay-in-this-thread = Stay in this thread
watches-unknown = unknown
watches-last-write = Last write
watches-next-write = Next write
watches-previous-change = Previous change
watches-next-change = Next change
watches-all-values = All values
watches-show-memory-at = Show memory at { $address }
watches-read-as = Read as
watches-change = Change…
watches-move-up = Move up
watches-move-down = Move down
watches-remove-watch = Remove watch
watches-copy-value = Copy value
watches-hint = Watch x0, [sp+8] u32, name utf8
watches-watches = Watches
watches-nothing-is-watched = Nothing is watched
watches-type-a-register-address-or = Type a register, [address] or sum above, or press O on a cell.
watches-row = watch { $expression } = { $value }
watches-means-nothing = means nothing
watches-step = step
watches-see-the-tooltip = see the tooltip
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

find-where-it-begins = where the search begins
find-where-it-ends = where the search ends

## model 1

externals-line = step { $step }: { $address }{ $place } was { $was }, read { $read }
fatal-behind = , and the { $count ->
        [one] step
       *[other] { $count } steps
    } behind it may not have run
fatal-load = No exit: most likely a fatal signal. The recorder ends these badly: the load from { $address } looks completed{ $behind }
fatal-store = No exit: most likely a fatal signal. The recorder ends these badly: the store to { $address } looks completed{ $behind }
fatal-raised = No exit: most likely a fatal signal, which the program sent itself with { $call }
watches-the-trace-does-not-tell = the trace does not tell what was written
watches-nothing-wrote-it-before-this = nothing wrote it before this position
head-page = Page
head-reads = Reads
head-writes = Writes
head-share = Share
head-symbol = Symbol
heat-no-access = No access of memory
heat-pages = { $count ->
        [one] 1 page
       *[other] { $count } pages
    } of { $size }
heat-busiest = , the busiest { $count } of them
heat-page = page { $address }
tasks-count = { $tasks ->
        [one] 1 task
       *[other] { $tasks } tasks
    }, { $runs ->
        [one] 1 run
       *[other] { $runs } runs
    }
tasks-first-rows = , the first { $count } rows
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
    Each thread recorded the time now and then: at system calls, and when a buffer was full.
    Steps of different threads stand in the order of these times.
    Which of two steps between such times came first is not known, so "last write" may name
    the wrong one of two threads that used the same memory at the same time.
order-at-position = At this position { $others }.
order-nobody = At this position no other thread ran.
frame-the-first-frame-of-its = the first frame of its thread
frame-entered-by-a-call = entered by a call
frame-entered-by-a-jump-from = entered by a jump from the end of another function (a tail call)
frame-entered-by-an-exception-or = entered by an exception or interrupt
frame-entered-by-a-switch-to = entered by a switch to another stack (another task)
frame-entered-before = entered before the trace shows it
frame-first-after-a-gap = the first frame after a stretch that the trace does not show
frame-returned = returned
frame-skipped-by-a-later-return = skipped by a later return of one of its callers
frame-left-by-a-jump-out = left by a jump out of several frames (longjmp)
frame-never-left-the-trace-ends = never left: the trace ends inside
frame-left-by-a-jump-to = left by a jump to another function, which returned in its place (a tail call)
frame-left-in-a-gap = not known: after its last step comes a stretch that the trace does not show
frame-last-step = { $words }, last step { $step }
frame-it-is-where-the-thread = it is where the thread begins
frame-the-calling-step-wrote-the = the calling step wrote the address behind itself into the link register
frame-control-came-back-to-its = control came back to its return address with the stack pointer that it had
frame-the-calling-step-is-a = the calling step is a branch to the start of another function
frame-the-trace-says-so-in = the trace says so in words
frame-control-went-on-elsewhere-after = control went on elsewhere after an instruction that does not branch
frame-the-stack-pointer-was-moved = the stack pointer was moved to another stack
frame-the-traces-records-say-so = the trace's records say so
frame-a-return-of-no-recorded-call = a return that belongs to no recorded call went there
frame-mark-tail = tail call
frame-mark-task = task
frame-mark-skipped = skipped
frame-mark-open = open
frame-mark-gap = gap
frame-mark-exception = exception
bookmarks-behind-the-end-of-the = behind the end of the trace
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
sofar-not-left = not left so far: { $caveat }
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
timeline-own = { $steps }, { $own } of its own
step-rounds = { $count ->
        [one] 1 round
       *[other] { $count } rounds
    }
step-not-executed = not executed
step-reconstructed = reconstructed
step-inferred = inferred
step-reconstructed-what-is-recorded-leads = reconstructed: what is recorded leads through here
step-inferred-likely-but-nothing-recorded = inferred: likely, but nothing recorded proves it
step-in-a-delay-slot = in a delay slot
step-annulled = annulled
step-more-in-lines = and { $count } more: the lines of the trace have them
step-more-in-records = and { $count } more: list --records has them
warnings-placed = line { $line }, byte { $byte }: { $message }
heap-first-of = the first of the { $size }
heap-into = { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    } into the { $size }
heap-freed-since = freed since at { $step }
heap-freed-at = freed at { $step }
heap-never-freed = never freed
heap-block = { $place } that { $function } returned at { $step }, { $end }
heap-double-free = { $function } is given { $address }, which { $freer } freed at { $step } already
heap-the-start = the start
heap-step = step { $step }
compare-below-the-stack-pointer = below the stack pointer, guessed
compare-stack-guessed = stack, guessed
compare-nothing-differs = Nothing differs
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
findings-errors = { $count ->
        [one] 1 error
       *[other] { $count } errors
    }
findings-warnings = { $count ->
        [one] 1 warning
       *[other] { $count } warnings
    }
findings-notes = { $count } merely to know
findings-no-findings-2 = no findings
findings-step = step { $number }
findings-line = line { $number }
findings-record = record { $number }
findings-in-the-trace = in the trace
findings-clause = , { $clause } of the specification
findings-rule = { $id }{ $clause }
    { $title }
    It may mean: { $meaning }
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
memory-what-was-known = what was known
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
doubt-signal = a later signal, or the return from its handler, may have changed it: behind step { $step }
doubt-gap = the trace has a gap after step { $step }: what ran meanwhile may have changed it
doubt-a-later-system-call-may = a later system call may have written this memory: the trace does not say which were made
doubt-the-trace-leaves-out-instructions = the trace leaves out instructions or accesses
doubt-the-trace-does-not-say = the trace does not say in which mode: it may be another register of that name
doubt-guessed-the-instruction-cannot-be = guessed: the instruction cannot be decoded, so it may use any register
doubt-guessed-the-instruction-is-conditional = guessed: the instruction is conditional, and the trace does not say whether it was executed
registers-floating-point-registers = Floating-point registers
physical-physical-address-not-told = physical address not told
physical-also = also
physical-in = { " " }in
physical-also-at = ; also at { $address }{ $context }
physical-more = { " " }and { $count } more
physical-none = no virtual page is told to lie at physical { $address } at this position
physical-told = physical { $address }{ $context }, page { $page }, told at position { $position }
physical-context = , context { $context }
threads-name = thread { $name }
threads-process-of = process { $process }
threads-steps-of = { $count } steps
threads-to = { $first } to { $last }
threads-cores-of = cores { $cores }
threads-with-the-process = with the process
threads-ended = ended
threads-killed-or-cut-off = killed or cut off
threads-the-trace-does-not-say = The trace does not say that this thread ended
threads-its-last-step-is-the = Its last step is the system call exit
threads-its-last-step-is-the-system = Its last step is the system call exit_group, which ended the whole process
threads-another-thread-ended-the-process = Another thread ended the process by exit_group
threads-it-ended-the-trace-has = It ended; the trace has no system calls that would say how
threads-guessed-it-ended-without-an = Guessed: it ended without an exit system call, by a signal or because the recording stopped
source-recorded = recorded
source-inferred = inferred
source-external-change = external change
source-unknown = unknown
source-recorded-the-trace-states-it = recorded: the trace states it at or before the position
source-inferred-a-later-read-with = inferred: a later read with no write between, or the program image, says it
source-external-a-read-differs-from = external: a read differs from the last write; something else wrote there
source-unknown-nothing-states-it = unknown: nothing states it
names-system-call = { " " }system call { $name }
names-trap = trap { $number }{ $name }
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
heap-alive = , { $count } allocated here with { $size }
heap-listed = ; { $count } are listed
heap-to-come = to come
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
source-no-code-of-file = no image has code of a file { $file }
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
functions-most = ; those { $count } that took most
functions-merged = ; { $count ->
        [one] 1 call is
       *[other] { $count } calls are
    } not told apart from what is around
functions-row = function { $name }
accesses-no-thread = there is no thread { $name }
accesses-the-first = The first { $rows }
accesses-of-bytes = { " " }of { $count ->
        [one] 1 byte
       *[other] { $count } bytes
    } at { $address }
accesses-of = { " " }of { $what }
accesses-by-thread = { " " }by thread { $thread }
accesses-from-step = { " " }from step { $step } on
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
accesses-in-stacks = { " " }in { $count ->
        [one] 1 call stack
       *[other] { $count } call stacks
    }
accesses-by-stack = { $count } by { $stack }
accesses-in-no-call = no call is known around them
accesses-in-other-stacks = other call stacks, more than are told apart
accesses-more-callers = { " " }← { $count } more
accesses-more-not-listed = … { $count } more, counted but not listed
accesses-group-by-call-stack = Group by call stack
accesses-by-call-stack = By call stack
accesses-open-group = open { $name }
accesses-close-group = close { $name }
effects-no-call = no call with steps is known around the position
effects-no-loop = no loop is around the position
effects-no-other-call = no other call of { $function } is there
effects-the-same-call = both positions are in the same call of { $function }
effects-round = a round of the loop at { $head } in { $function }
effects-summary = { $what }, positions { $from } to { $to }: { $steps ->
        [one] 1 step reads
       *[other] { $steps } steps read
    } { $inputs } first, { $steps ->
        [one] writes
       *[other] write
    } { $outputs }
effects-undecoded = ; of { $count ->
        [one] 1 step
       *[other] { $count } steps
    } the registers are not known
effects-left-out = ; too much memory is used: { $count ->
        [one] 1 access is
       *[other] { $count } accesses are
    } left out
effects-more = … { $count } more runs of memory
effects-row = { $kind } { $name }
effects-comparison = { $function } at { $one } and at { $other }: { $inputs ->
        [one] 1 input differs
       *[other] { $inputs } inputs differ
    }, { $outputs ->
        [one] 1 output
       *[other] { $outputs } outputs
    }; { $partings ->
        [0] both go the same way
        [one] the ways part once
       *[other] the ways part { $partings } times
    }
effects-cut = ; there is more than is listed
effects-one-sided = ; { $count } unknown on one side
effects-input = input
effects-output = output
effects-input-one-sided = input, unknown on one side
effects-output-one-sided = output, unknown on one side
effects-way = way
effects-goes-to = to { $place }
effects-ends = ends
effects-entry = entry
effects-meet = meet at { $place }
effects-meet-no-more = meet no more
effects-what-this-call = What this call reads and writes
effects-what-these-steps = What these steps read and write
effects-compare-with-previous = Compare with the previous call of this function
effects-compare-with-next = Compare with the next call of this function
effects-compare-with-position = Compare with the call of this function at the position
effects-nothing-was-used = These steps use no registers and no memory
table-effects = Effects
table-no-steps-are-chosen = No steps are chosen
table-choose-a-call-or-steps = Right-click a call, or a range in the timeline, and choose "What this call reads and writes"
list-how-to-list-effects = Give one of the commands "Effects of this call", "Effects of this round of the loop", "Effects of steps…" (:).
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
goto-step-of = step { $step }
goto-a-position = a position
goto-in = in { $name },{ " " }
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
stack-the-trace-shows-no-step = the trace shows no step of it
stack-found = found because { $evidence }
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
call-failed = { " " }failed{ " " }
call-returned = { " " }returned{ " " }
call-function = function { $number }
call-system-call = system call { $number }
find-ends-before = the search begins at { $from } and ends before that, at { $to }
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
find-more-not-kept = { $summary }; more are not kept: narrow the search
find-the-first = The first { $hits }: { $what }, up to step { $searched }
find-stopped = { $hits } up to step { $searched }, then stopped: { $what }
find-stopped-before-any-hit = Stopped before anything was found
find-from-step = { " " }from step { $step } on
find-up-to-step = { " " }up to step { $step }
find-between-steps = { " " }between steps { $from } and { $to }
find-done = { $hits }: { $what }{ $range }
find-looking-for = Looking for { $what }
find-no-hit-up-to = No hit up to step { $step }: { $what }
find-no-hit-in-range = No hit in this range: { $what }
find-no-hit = No hit: { $what }
head-match = Match
find-hit-at-step = hit at step { $step }
marker-time = time { $micros } µs
marker-cpu = cpu { $cpu }
marker-moved-from = moved from cpu{ " " }
marker-to = { " " }to{ " " }
marker-the-kernel-restored-the-state = the kernel restored the state from before the signal
marker-window = tracing window{ " " }
marker-begins-here = { " " }begins here
marker-the-filtered-part-ends-here = the filtered part ends here
marker-restartable = restartable sequence up to{ " " }
marker-kernel-part = the kernel's part of{ " " }
marker-begins = { " " }begins
marker-ends = { " " }ends
marker-context-switch-begins = context switch begins
marker-context-switch-ends = context switch ends
marker-exception = exception or interrupt at{ " " }
marker-back-from-the-exception-or = back from the exception or interrupt
marker-masked = an access was masked out @{ " " }
marker-is-physical = { " " }is physical{ " " }
marker-in-context = { " " }in context{ " " }
marker-no-physical-address-is-known = no physical address is known any more
marker-no-physical = { " " }has no known physical address
marker-idle = the core has nothing to run:{ " " }
marker-times = { " " }times
marker-thread = thread{ " " }
marker-vectors-have = vectors have{ " " }
marker-bytes = { " " }bytes
marker-instruction-flush = instruction cache flushed @{ " " }
marker-data-flush = data cache flushed @{ " " }
marker-not-completed = not completed:{ " " }
marker-signal = signal { $number }
marker-restartable-sequence-aborted = restartable sequence aborted
marker-the-kernel-took-control = the kernel took control
marker-before = { " " }before{ " " }
marker-gap = gap: { $reason }
marker-missing = { " " }instructions are missing)
notes-no-values = values of registers and memory are not recorded
notes-by-time = threads are put in order by their times: between two times of a thread, what others did first is not known
notes-assumed = the trace does not say its architecture: { $architecture } is assumed (see --arch)
notes-instructions-were-recorded-without-their = instructions were recorded without their bytes: name the program's files by --image ELF or --sysroot DIR ("Add image…" in the window) to see what they are
notes-instructions-were-recorded-without-their-bytes = instructions were recorded without their bytes: what they are comes from the program's files
notes-the-recorder-left-out-what = the recorder left out what its caches held: steps and accesses are missing, so a last writer may be wrong
notes-no-loads-and-stores-are = no loads and stores are recorded
notes-instructions-are-synthetic-and-show = instructions are synthetic: they name categories and virtual registers, no operation of the real processor
notes-system-calls-hold-what-the = system calls hold what the kernel ran
notes-the-whole-system-is-recorded = the whole system is recorded, not one program
notes-these-are-pieces-of-kernel = these are pieces of kernel code to be put into other traces, not a program
notes-its-files-are-cores-and = its files are cores, and times and cpus may be those of a simulated schedule
notes-calls-are-not-known = instructions are left out, so which calls were made is not known
notes-the-recording-has-windows-between = the recording has windows: between two of them time is missing

## panels 3

find-what-it-looks-like = what it looks like
find-ldr-x1-in-any-case = ldr x1   in any case
find-example-regex = ^bl\s.*alloc
find-example-value = 0x1f, 31, x0+8
find-example-bytes = 67 64 62 or "gdb"
find-example-address = 80000494, main+8, main.c:12
find-example-accesses = x0, 80020010:8, writes of sp, x0 = 5
find-decode-a-part-will-do = decode, a part will do
find-everywhere = Everywhere
find-from-here-on = From here on
find-up-to-here = Up to here
find-between = Between…
find-read-as = Read as
find-look = Look
find-a-word-of-the-instruction = a word of the instruction or of the trace's own lines, in any case
find-a-regular-expression-over-the = a regular expression over the same
find-a-number-that-a-register = a number that a register or memory got; an address where code ran: these steps
find-bytes-in-a-row-however = bytes in a row, however they were written; also bytes:"gdb"
find-what-reads-or-writes-memory = what reads or writes memory; access:x0 for a register, x0 = 1f with a value, in hexadecimal as it is shown
find-the-entries-of-a-function = the entries of a function; function:dec for a part of the name
find-the-steps-of-a-source = the steps of a source line
find-searches-before = Searches before
find-no-search-yet = No search yet
find-from-position = From position
find-to-position = To position
find-stop-the-search = Stop the search
find-clear-hits-and-marks = Clear hits and marks
find-filter = Filter
find-go-on = Go on
find-more-hits = More hits
find-escape-ends-the-search = Escape ends the search.
find-read-the-text-in-another = Read the text in another way, look everywhere, or take something out of it.
find-type-what-to-look-for = Type what to look for
find-example = example { $example }
find-address = address
find-as-text = as { $kind } { $text }
find-as = as { $kind }
find-searching = Searching…
timeline-bookmarks = Bookmarks
timeline-bookmarks-moments-and-parts-that = Bookmarks: moments and parts that were marked; a click travels
timeline-position = position { $position }
timeline-not-indexed-yet = not indexed yet
timeline-several = { $name }, several calls within { $length } steps
    { $position }
timeline-reads = Reads
timeline-writes = Writes
timeline-looking = looking…
timeline-steps-read = { $part } of { $steps } steps here read memory
timeline-steps-write = { $part } of { $steps } steps here write memory
timeline-all-steps = all steps count
timeline-some-steps = some steps of each column are looked at
timeline-how-many-read = How many of the steps read memory: { $how }
timeline-how-many-write = How many of the steps write memory: { $how }
timeline-show-the-call-at-the = Show the call at the position
timeline-show-the-position = Show the position
timeline-show-the-whole-trace = Show the whole trace
timeline-steps = { $count ->
        [one] 1 step
       *[other] { $count } steps
    }
timeline-zoom-to-it = Zoom to it
timeline-travel-to-its-entry = Travel to its entry
timeline-travel-to-its-end = Travel to its end
timeline-select-it = Select it
timeline-compare-before-and-after-it = Compare before and after it
timeline-selection = Selection
timeline-zoom-to-the-selection = Zoom to the selection
timeline-compare-its-ends = Compare its ends
timeline-functions-of-this-range = Functions of this range
timeline-flame-graph-of-this-range = Flame graph of this range
timeline-calls-of-this-range = Calls of this range
timeline-save-it-as-a-trace = Save it as a trace…
timeline-copy-its-positions = Copy its positions
timeline-select-nothing = Select nothing
timeline-of = { $shown } of { $all }
timeline-depths-of = { $first }–{ $last } of { $all }
timeline-timeline = timeline
timeline-calls = Calls
timeline-threads = Threads
timeline-cores = Cores
timeline-shows = timeline shows { $lanes }
timeline-reads-low-and-writes-tall = reads (low) and writes (tall) of the selected cell; a click travels
timeline-exceptions-interrupts-traps-and-signals = exceptions, interrupts, traps and signals; a click travels
timeline-exceptions = Exceptions
timeline-marks = Marks
timeline-hits = Hits
timeline-nothing-here = nothing here
timeline-gaps-and-external-changes-a = gaps and external changes; a click travels
timeline-what-the-search-found-a = what the search found; a click travels
timeline-it-means-nothing-at-this = it means nothing at this position
timeline-hint = { $row }: { $hint }
timeline-nothing = { $row }: { $nothing }
    position { $position }
timeline-tick = { $row } { $what }
    position { $position }
memory-or-decimal = or decimal = { $value }
memory-or-address = or address { $value }
memory-what-was-typed-can-be = What was typed can be read in two ways
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
memory-what-the-marks-of-bytes = what the marks of bytes mean
memory-just-written-by-the-step = just written: by the step just before the position
memory-differs-from-the-position-where = differs: from the position where the window was before
memory-the-trace-has-no-values = The trace has no values: a byte tells whether it was last written or read, dots that it was not accessed yet
memory-leads-to = leads to { $name }
memory-holds = { $at } holds { $value }, { $name }: a click shows memory there
memory-external-read-by = external, read by step{ " " }
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
memory-begin-here = Begin here
memory-copy-address = Copy address
memory-copy-value = Copy value
memory-memory = Memory
memory-never-accessed-from = never accessed from { $address }
memory-16-eib = 16 EiB
memory-never-accessed = { $size } never accessed
memory-marked = marked { $title }
memory-byte = byte { $address }
memory-text-at = text at { $address }
trace-go-to = go to
trace-show-line = show line { $line }
trace-to-the-call-of = to the call of { $name }
trace-step-head = Step { $step }
trace-name-its-function = Name its function…
trace-name-its-address = Name its address…
trace-folded-call = Folded call
trace-unfold-this-call = Unfold this call
trace-unfold-all = Unfold all
trace-compare-before-and-after-this = Compare before and after this call
trace-open-window-at-its-first = Open window at its first step
trace-travel-here = Travel here
trace-open-window-here = Open window here
trace-compare-with-here = Compare with here
trace-move-window = Move window { $number } here
trace-fold-this-call = Fold this call
trace-fold-the-function-around-it = Fold the function around it
trace-fold-all-calls-from-its = Fold all calls from its function
trace-unfold-all-inside-its-function = Unfold all inside its function
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

expression-empty = an address is needed: a number, a register, a symbol, or a sum such as sp+8
expression-value-missing = a number, a register, a symbol or memory is missing at the end
expression-not-a-value = { $text } stands where a number, a register, a symbol or memory must be
expression-not-an-operator = { $text } stands where an operator must be: { $operators }
expression-equality = one = means nothing, equality is ==
expression-character = the character { $character } means nothing in an expression
expression-backtick = the backtick has no partner
expression-parenthesis-open = the parenthesis is never closed
expression-parenthesis-closed = the closing parenthesis was never opened
expression-bracket-open = the bracket is never closed
expression-bracket-closed = the closing bracket was never opened
expression-too-deep = too many parentheses, brackets or signs within each other
expression-unknown = { $name } is unknown at this position
expression-failed = { $name } could not be looked up: { $why }
expression-memory-unknown = memory at { $address } is unknown at this position
expression-memory-failed = memory at { $address } could not be looked up: { $why }
expression-no-register = no register is called { $name }
expression-no-symbol = no symbol is called { $name }
expression-no-name = no register and no symbol is called { $name }
expression-several-symbols = { $count } symbols are called { $name }, at { $addresses }: write the address that is meant
expression-division-by-zero = division by zero
expression-hexadecimal = { $text } is not a number; if it is hexadecimal, write 0x{ $digits }
reading-hexadecimal-alone = { $text } is read as the hexadecimal number { $taken }
reading-hexadecimal = { $text } is read as the hexadecimal number { $taken }; the decimal number is { $other }
reading-decimal = { $text } is read as a decimal number, { $taken }; for the hexadecimal one write { $other }
reading-name = { $text } is read as a name, { $taken }; for the address write { $other }
expression-column = column { $column }: { $what }
memory-column = column{ " " }
meaning-empty = nothing to look for: type a word, a number, an address or a name
meaning-pattern = character { $at }: { $what }; choose Text to look for it as it is
meaning-too-long = the text is too long to be looked for
meaning-value = no value: { $error }; write 31, 0x1f or an expression such as x0+8
meaning-bytes = no bytes: { $text }; write pairs of hex digits (67 64 62) or a text in quotes ("gdb")
meaning-code = no address of code: { $error }; write 0x80000494, main+8 or main.c:12
meaning-cell = no register and no memory: { $error }; write x0, 0x80020010:8, sp+8:4 or x0 = 0x1f
meaning-no-function = no function has { $text } in its name; choose Text to look for the word in the trace
meaning-functions = { $count } functions are called so, more than { $most }: type more of the name
place-a-percentage-is-a-number = a percentage is a number such as 50% or 33.3%
place-percentages-go-from-0-to = percentages go from 0% to 100%
place-needed = a position is needed: { $forms }
place-no-position = { $text } is no position ({ $forms })
place-line-beyond = line { $line } is beyond the end of the trace, which is line { $end }
place-record-beyond = record { $record } is beyond the end of the trace, which is record { $end }
place-no-step-at = no step of the trace is at { $address }
place-fewer-at = fewer than { $count } steps of the trace are at { $address }
place-negative = { $text } is not a whole number: positions begin at 0, the start
place-not-whole = { $text } is not a whole number
place-too-large = { $text } does not fit into 64 bits
place-a-time-is-a-number = a time is a number as the trace writes it
place-after-stands-which-visit-is = after # stands which visit is meant
place-visits-count-from-1 = visits count from 1
place-a-number-is-missing = a number is missing

## more

dialog-session-files = Sessions
dialog-file-not-written = the file is not written: { $path }
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
preferences-keys-not-taken = the keys cannot be taken over: { $error }
preferences-no-keys = not a file of keys: { $path }
kept-trace-missing = the trace of the session is not there: { $trace }

## late2

kept-other-trace = this is not the trace that the session was kept of: it had { $before ->
        [one] 1 step
       *[other] { $before } steps
    }, this one has { $now ->
        [one] 1 step
       *[other] { $now } steps
    }; what was marked may be elsewhere

## merge

line-no-equals = the command is not followed by =
memory-written-by-step-in = written by step { $step } in { $function }
memory-written-by-step = written by step { $step }
memory-no-step-wrote-it-before = no step wrote it before
memory-valid-until = valid until step { $step } writes it
memory-no-later-step-writes-it = no later step writes it
effect-inferred = { " " }(inferred)
glimpse-too-long = { $count } bytes: too many to be shown
glimpse-holds = holds { $value }
glimpse-before = before { $value }
glimpse-after = after  { $value }
glimpse-written-by = written before by step { $step } in { $function }
marker-prefetch-of = prefetch [{ $address }]
memory-nothing-to-look-for = nothing to look for: type bytes (67 64 62), a number or a text
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
regions-the-first = , the first { $count } of them
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
registers-the-last-step-entered-this = the last step entered this function, of which the trace has no step
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
head-means = Means
stackmem-the-stack-pointer-is-unknown = The stack pointer is unknown here
stackmem-of = { " " }of { $thread }
stackmem-words = { $count ->
        [one] 1 word
       *[other] { $count } words
    } above the stack pointer{ $whose } { $pointer }
stackmem-nothing-is-accessed = No step accesses memory above the stack pointer{ $whose } { $pointer }
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
compare-cells-that-were-written-between = cells that were written between
compare-cells-that-were-read-between = cells that were read between
compare-all-cells-small = all cells that differ
compare-all-cells-that-differ = All cells that differ
compare-cells-that-differ-and-that = Cells that differ and that a step between the two positions wrote
compare-cells-that-differ-and-that-a = Cells that differ and that a step between the two positions read
compare-first-read-between = First read between
compare-first-write-between = First write between
memory-stack-bias = Here sp is where the stack lies: the register plus { $bias }. On the command line it is the register alone
memory-looking-through = Looking through memory… a click stops
memory-nothing-yet = Nothing was looked for yet: Find in memory…
memory-at-window = { $at } (window { $number })
memory-no-changed-byte-above-the = No changed byte above the cursor
memory-no-changed-byte-below-the = No changed byte below the cursor
memory-not-found-above-the-cursor = Not found above the cursor in what is known here
memory-not-found-below-the-cursor = Not found below the cursor in what is known here
memory-number-at = number at { $address }
memory-heap = heap: { $words }
memory-value-at = { $value } at { $place }
memory-how-memory-is-shown = how memory is shown
memory-how-memory-is-shown-comparing = How memory is shown, comparing, looking for something
memory-rows-as-wide-as-there = Rows as wide as there is room
memory-rows-of-8-bytes = Rows of 8 bytes
memory-rows-of-16-bytes = Rows of 16 bytes
memory-rows-of-32-bytes = Rows of 32 bytes
memory-rows-of-64-bytes = Rows of 64 bytes
memory-numbers-of-floating-point = Numbers of floating point
memory-text-as-ascii = Text as ASCII
memory-text-as-utf-8 = Text as UTF-8
memory-differs-from-the-position-before = Differs from the position before
memory-differs-from-window = Differs from window { $number } at { $position }
memory-differs-from-here-wherever-the = Differs from here, wherever the position goes
memory-next-changed-byte = Next changed byte
memory-previous-changed-byte = Previous changed byte
memory-find-in-memory = Find in memory…
memory-regions-of-memory = Regions of memory
memory-stack-memory = Stack memory
memory-against = against { $what }
memory-end-comparing-memory = end comparing memory
memory-bytes-that-differ-from-there = Bytes that differ from there are marked; the pointer tells what they are there. A click ends it   D
registers-stack-lies-at = the stack lies at { $address }: memory panels show that for sp, the command line does not
registers-show-as = Show as
registers-lower-halves = Lower halves
detail-the-first-lines-of-the = the first lines of the trace
table-regions = Regions
table-stack-memory = Stack memory
table-travel-to-its-write = Travel to its write
table-the-trace-has-no-loads-and = The trace has no loads and stores, and no images.
table-go-to-a-position-where = Go to a position where the stack pointer is known and the stack is in use.
trace-click-select-it-double-click = Click: select it. Double click: last write
trace-in-the-traces-own-words = In the trace's own words: an address, the number of the event in hex, and its name

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

lookup-no-exception-before = there is no exception, interrupt, trap or signal before this position
lookup-no-exception-after = there is no exception, interrupt, trap or signal after this position
line-old-new = write OLD NAME = NEW NAME, not { $text }
find-keep-search-as = Keep search as…
find-run = Run
find-in-a-panel-of-its = In a panel of its own
find-forget = Forget
find-rename = Rename
find-searches-before-up-in-the-field = Searches before (Up in the field), and those that are kept
find-only-hits-in-the-list = Only hits in the list of steps (H)
find-mark-these-hits = Mark these hits
find-close-the-panel-or-look = Close the panel, or look for something else.
memory-waveform = Waveform
registers-waveform-of = Waveform of { $name }
source-not-in-the-trace = not in the trace
source-executed = executed
export-filter = Filter
timeline-waveform = waveform
timeline-read-as = Read as
timeline-move-it-up = Move it up
timeline-watch-it = Watch it
timeline-take-the-waveform-away = Take the waveform away
timeline-calls-threads = Calls, threads
timeline-calls-cores = Calls, cores
timeline-below = + { $count } below
timeline-wave = { $name } along the trace; a click on a change travels, the menu takes it away
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

watches-waves-full = no more values can be shown in the timeline: { $error }
watches-waveform = Waveform in the timeline
find-first-for-hits = Look for something first: its hits are what is shown
find-first-for-keeping = Look for something first: what is looked for is kept
find-not-kept = the search is not kept: { $error }
find-kept-as = The search is kept as "{ $name }"
find-forgotten = The search "{ $name }" was forgotten
find-none-kept = no search is kept as "{ $name }": "Keep search as…" keeps one
find-none-kept-so = no search is kept as "{ $name }", only { $names }
settings-not-read = settings are not read: { $error }
settings-no-file = not a file of settings: { $path }
settings-not-kept = settings are not kept: { $path }
settings-unusable = a setting cannot be used: { $setting }
settings-no-keys-in-it = it has no section [keys]
settings-keys-are-lists = keys are a list of texts, as in "Step over" = ["F10", "N"]: { $name }
lookup-looking = Looking…
lookup-looked = { $count ->
    [one] Looking: { $count } step so far
   *[other] Looking: { $count } steps so far
}
lookup-stop = Stop looking: the position stays (Escape)
opening-title = Opening { $name }
opening-first-part = It is shown as soon as its first part is read; Escape gives it up
opening-so-far = { $count ->
    [one] { $count } step so far, { $share } %; Escape gives it up
   *[other] { $count } steps so far, { $share } %; Escape gives it up
}
palette-search = Search { $name }
moves-only-hits-are-shown = Only hits are shown: calls fold where all steps are (H)
raw-no-text = This trace has no text
raw-no-text-advice = It is a binary file: press R to see its steps again.
raw-show-steps = Show steps instead of raw text
raw-show-steps-again = Show steps again (R)
raw-of-lines = { $count ->
    [one] Raw text of the trace: { $count } line, as it stands in the file; calls fold in the list of steps
   *[other] Raw text of the trace: { $count } lines, as they stand in the file; calls fold in the list of steps
}
hits-all-steps = All steps
hits-show-all-steps = Show all steps again (H or Escape)
hits-around = { $count ->
    [one] Hits with { $count } step around
   *[other] Hits with { $count } steps around
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
    [one] … { $count } step outside of what is searched
   *[other] … { $count } steps outside of what is searched
}
hits-hidden-not-yet = { $count ->
    [one] … { $count } step not looked through yet
   *[other] … { $count } steps not looked through yet
}
hits-hidden-not-all = { $count ->
    [one] … { $count } step, not all looked through yet
   *[other] … { $count } steps, not all looked through yet
}
timeline-wave-writes = { $count ->
    [one] { $count } write{ $more } from position { $position } on; behind them
   *[other] { $count } writes{ $more } from position { $position } on; behind them
}
timeline-wave-written = written at position { $position }
timeline-wave-before = since before this part
timeline-wave-position = position { $position }

## Errors of files, keys and places

storage-unread = settings are not read and not kept: the file { $why }: { $file }
storage-unread-damaged = is damaged and could not be put aside ({ $error })
storage-unread-refused = cannot be read ({ $error })
storage-unread-no-file = is a directory, a pipe or a device
storage-unread-long = is longer than { $megabytes } MB
storage-salvaged = the settings file was damaged: what could be read of it is used, and the damaged file is kept as { $aside }
storage-lost = the settings file was damaged: nothing of it could be read, and the damaged file is kept as { $aside }
marks-too-many = there are { $most } bookmarks already, and no more are kept
kept-searches-too-many = there are { $most } already: forget one of them
kept-search-too-long = its text has more than { $most } characters: look for a part of it
watches-too-many = there are { $most } watches already
session-line = line { $line }: { $what }
session-range-backwards = the part of a bookmark ends before it begins
session-address = the address { $address } is { $error }
session-no-place = a bookmark has a position, or first and last, or an address
session-too-long = longer than { $most } bytes
session-newer = written by a newer Stepback: version { $version }
session-none = not a session: stepback_session = 1 is missing
keys-too-many = a command has at most { $most } keys
keys-no-key = not a key: { $text }
place-time-ambiguous = time:{ $time } is ambiguous: time runs backwards across it at step { $step }; this is the position before that, and one behind it may be meant
place-time-ambiguous-often = time:{ $time } is ambiguous: time runs backwards across it at step { $step } and { $more } steps more; this is the position before that, and one behind it may be meant
place-no-records = { $format } has no numbered records: say line:{ $number }
place-no-kind = { $kind } is none of line, i, r, time and pc
place-instructions-from-one = instructions count from 1
place-records-from-one = records count from 1
place-lines-from-one = lines count from 1
place-no-number = { $text } is not a number
place-many-digits = { $text } has more than { $most } digits after the point
place-number-too-large = { $text } is too large

## The browser in the terminal
terminal-only-in-the-window = This is in the window alone
terminal-ask-place = Go to (step, line:7, 50%, name)
terminal-ask-trace = Trace or session to open
terminal-ask-session = Save the session as
terminal-ask-text-place = Save as
terminal-name-the-trace = open the trace first, then the session { $file }
terminal-demo-hint = The demo: a pointer is overwritten by a loop that writes one byte too many. r: registers, Return on x2: who wrote it last; F1: keys
terminal-warnings =
    { $count ->
        [one] { $count } line could not be read: `:` Show warnings
       *[other] { $count } lines could not be read: `:` Show warnings
    }
terminal-trace-changed = The trace file changed: what is shown is as it was. `:` Reload reads it again
terminal-trace-grown = The trace has grown. `:` Follow shows the rest as it comes, `:` Reload reads it again
terminal-about = Stepback { $version }, in the terminal. F1 shows the keys
terminal-open-first = No trace is open: `:` Open… asks for one
terminal-copied = Copied, where the terminal lets programs copy (OSC 52)
terminal-too-long-to-copy = This is too long for the terminal's clipboard
terminal-no-cell = No register and no memory is chosen: Tab goes to their panes, arrows choose
terminal-palette-title = Commands: type a part of the name; Return runs, Tab completes, Escape closes
terminal-no-command = No command is called so
terminal-no-key = This key does nothing here: F1 shows the keys, `:` all commands
terminal-given-up = Given up
terminal-list-takes-the-rest = The list of steps takes what the other panes leave: resize those
terminal-not-saved = It could not be saved ({ $error }): { $path }
terminal-too-small = The terminal is too small
terminal-opening = Opening { $name } …
terminal-nothing-open =
    No trace is open.

    :   all commands; Open… asks for a trace, Open the demo shows what can be done
    F1  the keys
    q   the end
terminal-esc-stops = { $words } (Esc stops)
terminal-searching =
    { $count ->
        [one] Searching: { $count } hit so far (Esc stops)
       *[other] Searching: { $count } hits so far (Esc stops)
    }
terminal-following = Following the trace (Esc ends)
terminal-left = , { $time } left
terminal-indexing = Indexing { $share }% of { $size }, { $steps } steps so far (Esc stops)
terminal-locked-to = locked to { $place }, step { $step }
terminal-locked = locked to step { $step }
terminal-points-nowhere = (no symbol and no text there)
terminal-no-such-register = No register of this group has "{ $text }" in its name
terminal-key-follow-address = The address follows the registers in it, or holds
terminal-looking-through-memory = Looking through memory… an arrow stops it
terminal-there = there { $value }
terminal-key-next-pane = To the next pane
terminal-key-last-pane = To the last pane
terminal-key-help = These keys
terminal-key-quit = Quit
terminal-key-palette = All commands by name
terminal-key-search = Search: a word, /regular expression/, number, address
terminal-key-search-back = The same, backwards
terminal-key-again = Next hit of the last search or address
terminal-key-again-back = Last hit of it
terminal-key-zoom = This pane takes the whole screen, or no longer
terminal-key-memory = Another pane of memory, at an address
terminal-key-core = General registers: a pane opens or closes
terminal-key-single = Single-precision registers, likewise
terminal-key-double = Double-precision registers, likewise
terminal-key-vector = Vector registers, likewise
terminal-key-mve = MVE vector registers: they share their pane with NEON
terminal-key-system = System registers, likewise
terminal-key-colors = Colours of the code on or off
terminal-key-symbols = Symbols instead of addresses on or off
terminal-key-step-back = One step back
terminal-key-step = One step forward
terminal-key-page-back = A screen back
terminal-key-page = A screen forward
terminal-key-start = To the start
terminal-key-end = To the end
terminal-key-arrange = The position to the middle, the top, the bottom
terminal-key-fold = Fold the call around the position
terminal-key-unfold = Unfold the folded call at the position
terminal-key-fold-inside = Fold all calls made from this function
terminal-key-unfold-inside = Unfold everything inside this function
terminal-key-fold-all = Fold everything
terminal-key-unfold-all = Unfold everything
terminal-key-line = Go to a line of the trace
terminal-key-time = Go to a time
terminal-key-visit = Next step at an address
terminal-key-visit-back = Last step at an address
terminal-key-pick = Pick what the last step did, one after the other
terminal-key-pick-write = To the write before of what is picked
terminal-key-cursor = Move the cursor
terminal-key-last-write = To the last write of what is under the cursor
terminal-key-lock-line = Lock the pane to a line of the trace
terminal-key-lock-time = Lock the pane to a time
terminal-key-lock = Lock the pane to the moment that it shows, or unlock it
terminal-key-point = Tell what the value points to, or no longer
terminal-key-changed-back = To the last changed byte
terminal-key-changed = To the next changed byte
terminal-key-compare = Compare with the memory at a line of the trace
terminal-key-write-1 = To the last write of this byte
terminal-key-write-2 = … of the aligned 2 bytes
terminal-key-write-4 = … of the aligned 4 bytes
terminal-key-write-8 = … of the aligned 8 bytes
terminal-key-address = Show another address
terminal-key-lower = One row less for this pane
terminal-key-higher = One row more
terminal-key-travel = Travel to what is under the cursor, or open it
terminal-help-title = Keys: Up, Down, PgUp and PgDn scroll, any other key closes
terminal-help-everywhere = In every pane
terminal-help-trace = In the list of steps
terminal-help-cells = In panes of registers and memory
terminal-help-registers = In panes of registers
terminal-help-memory = In panes of memory
terminal-help-compare = In the comparison
terminal-help-others = In every pane but the steps
terminal-help-prompts =
    While a text is typed
    Return  take it
    Escape Ctrl-G  give it up
    Ctrl-W  delete the word before the cursor
    Ctrl-U  delete all of it
    Up Down  what was typed before
terminal-help-always =
    At any time
    Escape  give up a search; stop indexing or following
    Ctrl-Z  to the shell; fg comes back
terminal-help-window = As in the window
terminal-help-differences = Keys of the window that mean something else here
terminal-help-lost = { $command }: by its name, with `:`
terminal-folded = { $name }: { $count } steps
terminal-hidden-slice = … { $count } steps that are not in the slice
terminal-hidden = … { $count } steps that are no hits
terminal-end-of-trace = End of trace
terminal-no-text = This trace has no text of its own: R shows its steps
terminal-raw = raw text
terminal-key-why = Why has it its value?
terminal-key-other-value = The other of two values: W asks about the marked one
terminal-key-next-view = As a chain, as a tree, or everything
terminal-key-follow-addresses = Follow what addresses are made of, or no longer
terminal-key-follow-flags = Follow the flags that decide or carry, or no longer
terminal-key-follow-control = Follow the branches that decided what ran, or no longer
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
terminal-nothing-picked = Nothing of the last step is picked
terminal-pick-first = Nothing is picked: a picks what the last step did
terminal-key-raw = The raw text of the trace, or its steps
terminal-ask-line = Go to line
terminal-ask-time = Go to time
terminal-ask-next-visit = Next step at address
terminal-ask-last-visit = Last step at address
terminal-ask-memory = Memory at (numbers, registers, symbols)
terminal-ask-lock-line = Lock to line
terminal-ask-lock-time = Lock to time
terminal-ask-compare-line = Compare with line
terminal-ask-address = Show address
terminal-ask-filter = Only what holds
terminal-ask-find-in-memory = Find in memory
terminal-key-into = One step forward, into folded calls
terminal-key-into-back = One step back, into folded calls
terminal-key-over = Over the call that the next step makes
terminal-key-over-back = Back over the call that the last step returned from
terminal-key-history = Forward again
terminal-key-history-back = Back to where you were
terminal-greeting = F1: keys, q: quit
terminal-how-to-end = q quits, F1 shows the keys
terminal-key-copy = Copy what is under the cursor
terminal-key-undo = Undo a change of bookmarks, watches or searches
terminal-key-redo = Do it again
terminal-key-next-write = To its next write, or where else its row leads
terminal-key-filter = Only rows that hold a text
terminal-key-find-in-memory = Find bytes, a number or a text in memory
terminal-key-remove = Remove the bookmark or watch
terminal-how-to-mark = b marks the position, :bookmark memory some memory.
terminal-how-to-watch = w watches the cell under the cursor, :watch what is typed: x0, [sp+8] u32, name utf8.
terminal-how-to-compare = :side by side opens a second list of steps; :compare shows what differs.
terminal-watches = { $count ->
    [one] { $count } watch
   *[other] { $count } watches
}
terminal-how-to-map-sources = :map sources tells where its directory is now.
terminal-nothing-to-copy = There is nothing under the cursor to copy
terminal-died = { $words } (Ctrl-G { $step } goes there)
terminal-help-legend =
    Signs
    { "*" } a value  changed by the last move
    = a value  written by it with the value that it had
    ~ a value  inferred: the trace does not state it
    ! a value  changed by something that the trace does not show
    ? ??  nothing states it
    { "*" } a step  a hit of the search
    # a step  a bookmark
    ~ a step  a step of the slice
    - +  a call that can be folded, and a folded one

## Why a value is what it is: rows, panel, what is kept
slice-why-asked = what was asked for
slice-why-loads = { $step } loads { $cells }
slice-why-copies = { $step } copies { $cells }
slice-why-reads = { $step } reads { $cells }
slice-why-address = { $step } makes its address of { $cells }
slice-why-flags = { $step } is decided by { $cells }
slice-why-control = it decided that { $step } ran
slice-why-more = { $words } and { $count } more
slice-it = it
slice-from-asked = takes what was asked about
slice-from-copies = copies what { $step } gave
slice-from-reads = reads what { $step } gave
slice-from-address = has its address from { $step }
slice-from-flags = is decided by { $step }
slice-from-control = ran because of { $step }
slice-from = from { $steps }
slice-from-more = from { $steps } and { $more } more
slice-cell-value = { $cell } = { $value }
slice-question = Why { $cell } at { $at }
slice-question-forward = Where { $cell } at { $at } went
slice-back = Back
slice-back-tip = Where the value comes from
slice-forward = Forward
slice-forward-tip = Where the value went, until it is overwritten everywhere
slice-chain = Chain
slice-chain-tip = Copies collapsed, and what is computed in between in one expression
slice-steps =
    { $count ->
        [one] { $count } step
       *[other] { $count } steps
    }
slice-under-way = { $steps } so far, going on
slice-whole = { $steps }, followed to their ends
slice-limit =
    { $count ->
        [one] the newest { $steps }; { $count } cell still to be followed
       *[other] the newest { $steps }; { $count } cells still to be followed
    }
slice-stopped = { $steps }, then stopped
slice-addresses = Addresses
slice-addresses-tip = Also where the addresses of loads and stores come from
slice-addresses-forward-tip = Also loads and stores whose addresses are made of it
slice-flags = Flags
slice-flags-tip = Also where the flags come from that decide a conditional instruction or a select, or that carry
slice-flags-forward-tip = Also what is decided, selected or carried by flags that come of it
slice-control = Control
slice-control-tip = Also the branches that decided what ran
slice-control-forward-tip = Also all that ran because a branch or call that takes the value in decided so
slice-tree = Tree
slice-tree-tip = Below a step what it takes in; steps that take in several things can be opened and closed
slice-everything = Everything
slice-everything-tip = All steps below each other, the newest first
slice-more = more steps
slice-go-on = go on
slice-stop = Stop
slice-clear = Forget the slice and its marks
slice-only-steps = Only steps of the slice in the list of steps (Shift+H)
slice-kept-menu = Keep the slice under a name, or choose one that is kept
slice-keep-as = Keep slice as…
slice-none-kept-yet = No slice is kept yet
slice-run = Ask again
slice-mark-this = Mark this slice
slice-following = Following where the value comes from…
slice-awaited = The trace is not indexed up to step { $at } yet
slice-stopped-early = Stopped before any step was found
palette-slice = Slice { $name }
slice-why-title = Why
slice-nothing-asked = No value is asked about
slice-nothing-asked-advice = Select a register, a byte or a step and press W, or right-click it and choose "Why"
slice-close-or-ask = Close the panel, or ask again
slice-no-step = No step gives it its value
slice-head-step = Step
slice-head-thread = Thread
slice-head-place = Where
slice-head-code = Instruction
slice-head-gives = Gives
slice-head-reason = Because
slice-row = Step { $step } of the slice
slice-row-end = End of a chain: { $cell }
slice-travel = Travel there
slice-open-window = Open window there
slice-why-item = Why { $cell }
hover-why = { $key }: why has { $cell } this value?
slice-why-input = Why its { $cell }
slice-show-memory = Show memory at { $cell }
slice-copy-row = Copy row
slice-copy-value = Copy value
slice-copy-all = Copy all rows
slice-open-row = Show what it takes in
slice-close-row = Hide what it takes in
slice-first-for-steps = Ask first why a value is what it is (W): the steps of its slice are what is shown
slice-first-for-keeping = Ask first why a value is what it is (W): that question is kept
slice-not-kept = the slice is not kept: { $error }
slice-kept-as = The slice is kept as "{ $name }"
slice-forgotten = The slice "{ $name }" was forgotten
slice-none-kept = no slice is kept as "{ $name }": "Keep slice as…" keeps one
slice-none-kept-so = no slice is kept as "{ $name }", only { $names }
kept-slices-too-many = there are { $most } already: forget one of them
kept-slice-too-long = its cell has more than { $most } characters
hits-only-slice = Only { $hits } of { $steps } steps: the slice
hits-hidden-not-followed =
    { $count ->
        [one] … { $count } step, not followed yet
       *[other] … { $count } steps, not followed yet
    }
timeline-slice = Slice
timeline-slice-hint = the steps that the value comes from; a click travels
tick-of-the-slice = A step of the slice

## Why a value is what it is
slice-end-constant = made of nothing but constants
slice-end-stated = stated before the first step, in line { $line }
slice-end-initial = nothing in the trace writes it before: it was there at the start
slice-end-image = nothing writes it before: the program image holds it
slice-end-external-seen = changed by something that the trace does not show, as step { $step } found
slice-end-external = changed by something that the trace does not show
slice-end-called = given by the system that was called: { $name }
slice-end-system = given by the system that was called
slice-end-undecoded = the instruction that wrote it cannot be decoded
slice-end-not-of-instruction = written beside what the instruction does: an exception, or the processor itself
slice-end-load-not-shown = loaded from where the trace does not show
slice-end-too-much-loaded = the step loads more than is looked at
slice-end-decider-not-found = what decided that this ran is not seen: the trace shows no way to it, or its function is too long
slice-end-of-control = control
slice-end-runs-always = runs whenever the thread does
slice-end-interrupt = an interrupt or an exception began it
slice-end-decided-not-found = what it decided is not seen: the trace shows no place where its ways meet again, or its function is too long
slice-end-decider-limit = what decided that this ran is not gone into
slice-end-decided-limit = what it decided is not followed to its end
slice-end-limit = not gone into further
slice-end-overwritten-by = nothing reads it before step { $step } overwrites it
slice-end-overwritten = nothing reads it before it is overwritten
slice-end-kept = nothing reads or overwrites it any more
slice-end-of-more = { $cells } and { $more } more: { $words }
slice-call = { $name }, called at { $step }
slice-no-call = outside of all known calls
slice-again = unfolded above
slice-copies = { $count ->
    [one] through { $count } copy
   *[other] through { $count } copies
}
slice-stores-alike = { $count } times { $value }
slice-at-address = at { $place }
slice-byte = byte { $first }
slice-bytes = bytes { $first }..{ $last }
slice-rounds = { $count ->
    [one] { $count } more round alike, { $rows } rows down to step { $step }
   *[other] { $count } more rounds alike, { $rows } rows down to step { $step }
}
slice-for = for { $steps }
slice-for-more = for { $steps } and { $more } more
