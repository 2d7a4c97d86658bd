// apps/live/src/tools.ts: what the pointer does on the picture: the chosen tool, the brush, the probes and the line
import { computed, effect, signal, untracked } from "@preact/signals";
import { History } from "./history";
import type { Point } from "./protocol";
import * as session from "./session";

export type Tool = "hand" | "brush" | "eraser" | "probe" | "line";
export const kTools: readonly Tool[] = ["hand", "brush", "eraser", "probe", "line"];

export const tool = signal<Tool>("brush");

/// As the brush was set; what was never set follows the model.
const chosen = signal<{ field?: string; value?: number; radius?: number }>({});
export const soft = signal(0.4);
export const mode = signal<"set" | "add">("set");

export const brush_field = computed(() => {
    const names = session.fields.value.map((field) => field.name);
    const wanted = chosen.value.field ?? session.shown_field.value;
    return names.includes(wanted) ? wanted : (names.at(-1) ?? "");
});

/// The range of values that a field is expected to have.
export const brush_range = computed<[number, number]>(() => {
    const declared = session.fields.value.find((field) => field.name === brush_field.value)?.range;
    if (declared) return declared;
    return brush_field.value === session.shown_field.value ? [session.range.value.lo, session.range.value.hi] : [0, 1];
});

export const brush_value = computed(() => chosen.value.value ?? brush_range.value[1]);
/// What is erased is as it was before anything was there: what most of the start is like.
export const erase_value = computed(() => session.fields.value.find((field) => field.name === brush_field.value)?.rest ?? brush_range.value[0]);

/// The length that a radius is measured by: cells of the shorter side, or half the size of the surface.
export const extent = signal(512);
export const radius = computed(() => chosen.value.radius ?? Number((extent.value * 0.025).toPrecision(2)));

export const set_brush = (change: { field?: string; value?: number; radius?: number }): void => {
    chosen.value = { ...chosen.value, ...change, ...(change.field !== undefined && change.value === undefined ? { value: undefined as never } : {}) };
};

export const grow_brush = (factor: number): void => {
    set_brush({ radius: Number(Math.min(extent.value / 2, Math.max(extent.value / 1000, radius.value * factor)).toPrecision(3)) });
};

let last_stroke = Math.floor(Math.random() * 1e9);

/// One stroke of the brush, from the button that goes down to the one that goes up; sent once for each picture.
export class Stroke {
    private readonly number_ = ++last_stroke;
    private readonly erases_ = tool.peek() === "eraser";
    private points_: Point[] = [];
    private last_: Point | null = null;
    private radius_ = radius.peek();
    private timer_ = 0;

    /// `pressure`: of a pen, 0 to 1; else 1.
    add(point: Point, pressure: number): void {
        const now = radius.peek() * (0.25 + 0.75 * pressure);
        if (this.points_.length > 0 && Math.abs(now - this.radius_) > 0.1 * this.radius_) this.send_();
        this.radius_ = now;
        this.points_.push(point);
        this.timer_ ||= requestAnimationFrame(() => this.send_());
    }

    end(): void {
        this.send_();
    }

    private send_(): void {
        cancelAnimationFrame(this.timer_);
        this.timer_ = 0;
        if (this.points_.length === 0) return;
        const adds = mode.peek() === "add" && !this.erases_;
        // Goes on where the message before ended; a cell that several parts of a stroke cover is painted once.
        const points = this.last_ ? [this.last_, ...this.points_] : this.points_;
        this.last_ = this.points_.at(-1)!;
        this.points_ = [];
        session.send({
            do: "stroke",
            stroke: this.number_,
            field: brush_field.peek(),
            value: this.erases_ ? erase_value.peek() : brush_value.peek(),
            mode: adds ? "add" : "set",
            radius: this.radius_,
            soft: soft.peek(),
            points,
        });
    }
}

export interface Probe {
    number: number;
    at: Point;
}

export const probes = signal<Probe[]>([]);
/// Values of all fields at the probes, in time.
export const history = new History(1200);
/// Grows when `history` does.
export const history_changes = signal(0);

/// All pages of a run share its probes: these numbers are this page's.
const kFirstProbe = 10 * Math.floor(Math.random() * 9e4);

export function add_probe(at: Point): void {
    if (probes.value.length >= 6) {
        session.tell("Six probes are the most; remove one first.");
        return;
    }
    const taken = new Set(probes.value.map((probe) => probe.number));
    const number = [1, 2, 3, 4, 5, 6].find((candidate) => !taken.has(candidate))!;
    if (probes.value.length === 0) history.clear();
    probes.value = [...probes.value, { number, at }];
    session.send({ do: "probe", probe: kFirstProbe + number, at });
}

export function remove_probe(number: number): void {
    probes.value = probes.value.filter((probe) => probe.number !== number);
    history.forget(number);
    session.send({ do: "probe", probe: kFirstProbe + number });
}

export function clear_probes(): void {
    for (const probe of probes.value) remove_probe(probe.number);
}

/// A line whose profile is drawn, in cells.
export const line = signal<{ from: Point; to: Point } | null>(null);

session.on_samples((samples) => {
    const own = new Set(probes.peek().map((probe) => probe.number));
    const values = samples.probes.map((probe) => [probe.probe - kFirstProbe, probe.values] as const).filter(([number]) => own.has(number));
    if (values.length === 0) return;
    history.add(samples.time, new Map(values));
    history_changes.value = history_changes.peek() + 1;
});

session.on_opening(() => {
    for (const probe of probes.peek()) session.send({ do: "probe", probe: kFirstProbe + probe.number, at: probe.at });
});

window.addEventListener("pagehide", clear_probes);

// Another domain has other places.
let domain_was = "";
effect(() => {
    const domain = session.domain.value;
    const text = domain ? JSON.stringify(domain) : "";
    if (text === domain_was) return;
    domain_was = text;
    chosen.value = {};
    untracked(clear_probes);
    line.value = null;
    if (domain?.kind === "grid") {
        const sides = domain.size.filter((side) => side > 1);
        extent.value = sides.length > 0 ? Math.min(...sides) : 1;
    } else if (domain) {
        tool.value = "hand";
    }
});
