// apps/live/src/ui/shortcuts.tsx: the keys, and the sheet that tells them
import * as session from "../session";
import { hand_key } from "../stage/pointer";
import type { Stage } from "../stage/stage";
import * as tools from "../tools";
import { show_field } from "./colour_bar";
import { Dialog } from "./controls";
import { copy_link, save, toggle_record } from "./save_panel";
import * as state from "./state";
import { make_steps, restart, restart_with_new_seed, toggle_play } from "./transport";

interface Shortcut {
    keys: string;
    about: string;
    run(stage: Stage): void;
}

const choose = (tool: tools.Tool) => () => {
    if (tool === "line" && session.is_surface.value) session.tell("A profile along a line is for grids; on a surface, set probes.");
    else tools.tool.value = tool;
};

const kShortcuts: { title: string; list: Shortcut[] }[] = [
    {
        title: "Run",
        list: [
            { keys: "Space", about: "Play or pause", run: toggle_play },
            { keys: ".", about: "One step, or as many as the number beside the button", run: make_steps },
            { keys: "R", about: "Restart", run: restart },
            { keys: "N", about: "Restart with a new seed", run: restart_with_new_seed },
            { keys: "M", about: "As fast as it goes, or at its own pace", run: () => session.send({ do: "pace", pace: session.status.value?.pace === "most" ? "auto" : "most" }) },
        ],
    },
    {
        title: "Touch",
        list: [
            { keys: "B", about: "Paint", run: choose("brush") },
            { keys: "E", about: "Erase", run: choose("eraser") },
            { keys: "P", about: "Probe a point", run: choose("probe") },
            { keys: "L", about: "Profile along a line", run: choose("line") },
            { keys: "H", about: "Move the view", run: choose("hand") },
            { keys: "[", about: "Smaller brush", run: () => tools.grow_brush(0.8) },
            { keys: "]", about: "Larger brush", run: () => tools.grow_brush(1.25) },
            { keys: "Z", about: "Undo a stroke", run: () => session.send({ do: "undo" }) },
            { keys: "Shift+Z", about: "Redo", run: () => session.send({ do: "redo" }) },
        ],
    },
    {
        title: "See",
        list: [
            { keys: "0", about: "All of it", run: (stage) => stage.fit() },
            { keys: "C", about: "Palette and range", run: () => (state.colours_open.value = !state.colours_open.value) },
            { keys: "D", about: "Dark or light", run: state.toggle_theme },
            { keys: "\\", about: "Panel", run: state.toggle_panel },
            { keys: "F", about: "Full screen", run: () => void (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.()) },
            { keys: "G", about: "All models and presets", run: () => (state.gallery_open.value = true) },
        ],
    },
    {
        title: "Take away",
        list: [
            { keys: "S", about: "Save the picture", run: () => save("png") },
            { keys: "V", about: "Record a video, and stop", run: toggle_record },
            { keys: "K", about: "Copy a link with the model", run: () => void copy_link() },
            { keys: "?", about: "This sheet", run: () => (state.help_open.value = true) },
        ],
    },
];

const by_key = new Map(kShortcuts.flatMap((group) => group.list).map((shortcut) => [shortcut.keys.toLowerCase(), shortcut]));

const is_in = (target: EventTarget | null, selector: string): boolean => target instanceof HTMLElement && target.closest(selector) !== null;

const kWantsKeys = "input:not([type=range], [type=radio], [type=checkbox], [type=file]), textarea, select, .cm-editor, dialog";
const kUsesSpace = "button, summary, select, input:not([type=range])";

export function listen_for_shortcuts(stage: Stage): void {
    // Whether what has the focus was reached with keys: what was only clicked leaves Space to the run. Browsers change `:focus-visible`
    // at the first key, so it is read when the focus comes.
    let reached_by_key = false;
    let space_taken = false;
    document.addEventListener("pointerdown", () => (reached_by_key = false), true);
    document.addEventListener("focusin", (event) => (reached_by_key = event.target instanceof HTMLElement && event.target.matches(":focus-visible")));
    // Firefox presses a button when Space goes up, whatever became of it when it went down.
    document.addEventListener("keyup", (event) => {
        if (event.key !== " " || !space_taken) return;
        space_taken = false;
        event.preventDefault();
    });
    document.addEventListener("keydown", (event) => {
        if (event.defaultPrevented) return;
        const clicked_choice = event.key === " " && is_in(event.target, "select") && !reached_by_key;
        if (is_in(event.target, kWantsKeys) && !clicked_choice) return;
        const control = event.ctrlKey || event.metaKey;
        if (control && event.key.toLowerCase() === "z") {
            event.preventDefault();
            session.send({ do: event.shiftKey ? "redo" : "undo" });
            return;
        }
        if (control || event.altKey) return;
        if (event.key === " " && reached_by_key && is_in(event.target, kUsesSpace)) return;
        if (event.key === "Escape") state.colours_open.value = false;
        if (/^[1-9]$/.test(event.key)) {
            const field = session.fields.value[Number(event.key) - 1];
            if (field) show_field(field.name);
            return;
        }
        const name = event.key === " " ? "space" : event.shiftKey && event.key.toLowerCase() === "z" ? "shift+z" : event.key.toLowerCase();
        const shortcut = by_key.get(name);
        if (!shortcut || (event.repeat && name !== "." && name !== "[" && name !== "]")) return;
        event.preventDefault();
        space_taken = event.key === " ";
        shortcut.run(stage);
    });
    // Held with the pointer, Alt makes every tool the hand.
    const hand = (event: KeyboardEvent) => (hand_key.value = event.altKey);
    document.addEventListener("keydown", hand);
    document.addEventListener("keyup", hand);
    window.addEventListener("blur", () => (hand_key.value = false));
}

export function HelpSheet() {
    const surface = session.is_surface.value;
    return (
        <Dialog title="Keys and gestures" class="help" onClose={() => (state.help_open.value = false)}>
            <div class="help-columns">
                {kShortcuts.map((group) => (
                    <section key={group.title}>
                        <h3>{group.title}</h3>
                        <dl>
                            {group.list.map((shortcut) => (
                                <div key={shortcut.keys}><dt><kbd>{shortcut.keys}</kbd></dt><dd>{shortcut.about}</dd></div>
                            ))}
                        </dl>
                    </section>
                ))}
                <section>
                    <h3>On the picture</h3>
                    <dl>
                        <div><dt>Drag</dt><dd>{surface ? "the tool; beside the surface: turn it" : "the tool"}</dd></div>
                        <div><dt>Wheel, pinch</dt><dd>Closer, farther</dd></div>
                        <div><dt>Right drag</dt><dd>Move the view, with every tool</dd></div>
                        <div><dt><kbd>Alt</kbd> drag</dt><dd>The same</dd></div>
                        <div><dt><kbd>←</kbd> <kbd>↑</kbd> <kbd>→</kbd> <kbd>↓</kbd></dt><dd>{surface ? "Turn" : "Move the view"} (picture in focus)</dd></div>
                        <div><dt><kbd>+</kbd> <kbd>−</kbd></dt><dd>Closer, farther</dd></div>
                        <div><dt><kbd>Enter</kbd></dt><dd>Paint or probe in the middle</dd></div>
                        <div><dt><kbd>1</kbd> to <kbd>9</kbd></dt><dd>Show that field</dd></div>
                    </dl>
                    <h3>In the equations</h3>
                    <dl>
                        <div><dt><kbd>Ctrl</kbd> <kbd>Enter</kbd></dt><dd>Restart with this text</dd></div>
                        <div><dt><kbd>Esc</kbd> <kbd>Tab</kbd></dt><dd>Leave the text</dd></div>
                    </dl>
                </section>
            </div>
        </Dialog>
    );
}
