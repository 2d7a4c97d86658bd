// apps/live/src/ui/colour_bar.tsx: the colours with their numbers; opened, the palettes and the range
import { useEffect, useRef } from "preact/hooks";
import { css_gradient, kCurved, ticks } from "../colour";
import { value_at } from "../frame";
import { clean, short } from "../numbers";
import { value_at_cell } from "../profile";
import * as session from "../session";
import { hovered } from "../stage/pointer";
import { frames_drawn, type Stage } from "../stage/stage";
import { FieldChoice, Segments } from "./controls";
import { IconButton } from "./icons";
import { NumberSlider } from "./number_slider";
import { colours_open } from "./state";

/// The value under the pointer, in the newest frame.
function hovered_value(stage: Stage): number | null {
    const hit = hovered.value;
    void frames_drawn.value;
    const frame = stage.frame;
    if (!hit || !frame) return null;
    if (frame.kind === "surface") return hit.vertex < frame.values.length ? value_at(frame, hit.vertex) : null;
    return value_at_cell(frame, hit.at[0]!, hit.at[1]!);
}

function Reading({ stage }: { stage: Stage }) {
    const value = hovered_value(stage);
    const { lo, hi } = session.range.value;
    if (value === null) return null;
    const share = Math.min(1, Math.max(0, (value - lo) / (hi - lo || 1)));
    return (
        <span class="reading" style={{ "--at": `${100 * share}%` }}>
            <span>{short(value, 4)}</span>
        </span>
    );
}

export function FieldPicker() {
    const fields = session.fields.value;
    if (fields.length < 2) return null;
    return <FieldChoice label="Shown field" value={session.shown_field.value} fields={fields} onChange={show_field} />;
}

/// Shows a field in the range that is declared for it.
export function show_field(name: string): void {
    const field = session.fields.value.find((candidate) => candidate.name === name);
    if (!field || name === session.shown_field.value) return;
    session.shown_field.value = name;
    const model = session.model.value;
    const own = name === model?.shown_field ? model.range : field.range;
    session.range.value = own ? { auto: false, lo: own[0], hi: own[1] } : { ...session.range.value, auto: true };
}

export function ColourBar({ stage }: { stage: Stage }) {
    const colours = session.palette.value;
    const { lo, hi, auto } = session.range.value;
    if (!colours) return null;
    const field = session.fields.value.find((candidate) => candidate.name === session.shown_field.value);
    const curved = session.palette_name.value === kCurved;
    return (
        <div class="colour-bar">
            <button type="button" class="scale" aria-expanded={colours_open.value} title="Palette and range (C)" onClick={() => (colours_open.value = !colours_open.value)}>
                <span class="of">{session.shown_field.value}{field?.unit ? ` (${field.unit})` : ""}{auto && <em>auto</em>}</span>
                <span class="unseen">: colours of {session.palette_name.value}, from {short(lo)} to {short(hi)}</span>
                <span class="gradient" style={{ "background-image": css_gradient(colours, "to right", curved) }} />
                <span class="ticks" aria-hidden="true">
                    {ticks(lo, hi, 4).map((tick) => (
                        <span key={tick} style={{ left: `${(100 * (tick - lo)) / (hi - lo || 1)}%` }}>{short(tick)}</span>
                    ))}
                </span>
                <Reading stage={stage} />
            </button>
        </div>
    );
}

/// Up and down choose the palette before or after, as in any group of radio buttons.
function move_among_palettes(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
    const step = event.key === "ArrowDown" || event.key === "ArrowRight" ? 1 : event.key === "ArrowUp" || event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("[role=radio]")];
    const now = buttons.findIndex((button) => button === document.activeElement);
    const next = buttons[(now + step + buttons.length) % buttons.length];
    next?.focus();
    next?.click();
}

export function Colours() {
    const box = useRef<HTMLDivElement>(null);
    useEffect(() => box.current?.querySelector<HTMLElement>("[aria-checked=true]")?.focus(), []);
    const { lo, hi, auto } = session.range.value;
    const declared = session.fields.value.find((field) => field.name === session.shown_field.value)?.range;
    const seen = session.seen_range.value;
    const low = Math.min(declared?.[0] ?? seen[0], auto ? lo : Infinity);
    const high = Math.max(declared?.[1] ?? seen[1], auto ? hi : -Infinity);
    const set = (change: { lo?: number; hi?: number }) => {
        session.range.value = { ...session.range.value, ...change, auto: false };
    };
    return (
        <div class="colours card" ref={box} role="dialog" aria-label="Colours" onKeyDown={(event) => event.key === "Escape" && (colours_open.value = false)}>
            <header>
                <h2>Colours</h2>
                <IconButton icon="close" label="Close" onClick={() => (colours_open.value = false)} />
            </header>
            <div class="palettes" role="radiogroup" aria-label="Palette" onKeyDown={move_among_palettes}>
                {[...session.palettes.value].map(([name, colours]) => (
                    <button key={name} type="button" role="radio" aria-checked={name === session.palette_name.value} tabIndex={name === session.palette_name.value ? 0 : -1} onClick={() => (session.palette_name.value = name)}>
                        <span class="gradient" style={{ "background-image": css_gradient(colours, "to right", name === kCurved) }} />
                        <span>{name}</span>
                    </button>
                ))}
            </div>
            <Segments
                label="Range"
                value={auto ? "auto" : "fixed"}
                options={[{ value: "fixed", label: "Fixed" }, { value: "auto", label: "Auto", title: "Follows the values of each picture" }]}
                onChange={(kind) => (session.range.value = { ...session.range.value, lo: clean(session.range.value.lo, 4), hi: clean(session.range.value.hi, 4), auto: kind === "auto" })}
            />
            <NumberSlider label="From" value={lo} min={low} max={high} onInput={(value) => set({ lo: value, ...(value >= hi ? { hi: value + 1e-6 * Math.max(1, Math.abs(value)) } : {}) })} />
            <NumberSlider label="To" value={hi} min={low} max={high} onInput={(value) => set({ hi: value, ...(value <= lo ? { lo: value - 1e-6 * Math.max(1, Math.abs(value)) } : {}) })} />
            <p class="hint">Values in the picture: {short(seen[0])} to {short(seen[1])}</p>
        </div>
    );
}
