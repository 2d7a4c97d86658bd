// apps/live/src/stage/pointer.ts: mouse, touch, pen and keys on the picture, given to the tool that is chosen
import { signal } from "@preact/signals";
import type { Point } from "../protocol";
import * as session from "../session";
import * as tools from "../tools";
import { to_cells } from "../view_mapping";
import type { Stage } from "./stage";

/// The place under the pointer, for the number beside the colours; null beside the picture.
export const hovered = signal<{ at: Point; vertex: number } | null>(null);
/// While the space bar is down, every tool is the hand.
export const hand_key = signal(false);

const kTouchPatience = 70;  // milliseconds in which a second finger makes a stroke a pinch

type Gesture =
    | { kind: "none" }
    | { kind: "pan"; x: number; y: number }
    | { kind: "waiting"; at: Point; timer: number }
    | { kind: "stroke"; stroke: tools.Stroke }
    | { kind: "line"; from: Point }
    | { kind: "pinch"; x: number; y: number; apart: number }
    | { kind: "orbit" };

export class Pointer {
    private gesture_: Gesture = { kind: "none" };
    private readonly down_ = new Map<number, { x: number; y: number }>();

    constructor(private readonly stage_: Stage) {
        const canvas = stage_.canvas;
        // Before the listeners of the orbit, which must not turn what is painted on.
        canvas.addEventListener("pointerdown", (event) => this.press_(event), { capture: true });
        canvas.addEventListener("pointermove", (event) => this.move_(event), { capture: true });
        canvas.addEventListener("pointerup", (event) => this.release_(event), { capture: true });
        canvas.addEventListener("pointercancel", (event) => this.release_(event), { capture: true });
        canvas.addEventListener("pointerleave", () => this.hover_(null));
        canvas.addEventListener("wheel", (event) => this.wheel_(event), { passive: false });
        canvas.addEventListener("contextmenu", (event) => event.preventDefault());
        canvas.addEventListener("keydown", (event) => this.key_(event));
        // A frame around the picture is for those who came by the keyboard.
        let by_key = false;
        document.addEventListener("keydown", (event) => (by_key = event.key === "Tab"), { capture: true });
        document.addEventListener("pointerdown", () => (by_key = false), { capture: true });
        canvas.addEventListener("focus", () => canvas.classList.toggle("by-key", by_key));
    }

    /// The place on the picture; null beside it.
    private place_(x: number, y: number): { at: Point; vertex: number } | null {
        if (session.is_surface.peek()) {
            const hit = this.stage_.surface.pick((2 * x) / this.stage_.canvas.clientWidth - 1, 1 - (2 * y) / this.stage_.canvas.clientHeight);
            return hit && { at: hit.point.toArray(), vertex: hit.vertex };
        }
        const [i, j] = to_cells(this.stage_.mapping, x, y);
        const [wide, high] = this.stage_.size;
        if (i < 0 || j < 0 || i >= wide || j >= high) return null;
        return { at: this.stage_.is_row ? [i, 0.5] : [i, j], vertex: -1 };
    }

    /// The coordinates that the program wants: three for a slice of a volume.
    private in_space_(at: Point): Point {
        if (!session.is_volume.peek()) return at;
        const { axis, at: slice } = session.slice.peek();
        const [a = 0, b = 0] = at;
        if (axis === "x") return [slice + 0.5, a, b];
        return axis === "y" ? [a, slice + 0.5, b] : [a, b, slice + 0.5];
    }

    private get tool_(): tools.Tool {
        return hand_key.peek() ? "hand" : tools.tool.peek();
    }

    private where_(event: PointerEvent | WheelEvent): { x: number; y: number } {
        const box = this.stage_.canvas.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    }

    private press_(event: PointerEvent): void {
        const { x, y } = this.where_(event);
        const on_surface = session.is_surface.peek();
        this.down_.set(event.pointerId, { x, y });
        this.stage_.canvas.focus({ preventScroll: true });
        if (this.down_.size === 2) {
            this.abandon_();
            if (!on_surface) this.gesture_ = this.pinch_();
            else this.gesture_ = { kind: "orbit" };
            return;
        }
        if (this.down_.size > 2) return;
        const hit = this.place_(x, y);
        const moves = event.button !== 0 || this.tool_ === "hand" || !hit;
        if (moves) {
            this.gesture_ = on_surface ? { kind: "orbit" } : { kind: "pan", x, y };
            this.show_brush_(null);
        } else if (this.tool_ === "probe") {
            tools.add_probe(this.in_space_(hit.at));
        } else if (this.tool_ === "line" && !on_surface) {
            this.gesture_ = { kind: "line", from: hit.at };
        } else if (this.tool_ === "line") {
            this.gesture_ = { kind: "orbit" };
        } else if (event.pointerType === "touch") {
            const timer = window.setTimeout(() => this.begin_stroke_(hit.at, 1), kTouchPatience);
            this.gesture_ = { kind: "waiting", at: hit.at, timer };
        } else {
            this.begin_stroke_(hit.at, pressure_of(event));
        }
        if (this.gesture_.kind !== "orbit") {
            this.stage_.canvas.setPointerCapture(event.pointerId);
            if (on_surface) event.stopImmediatePropagation();
        }
    }

    private begin_stroke_(at: Point, pressure: number): void {
        const stroke = new tools.Stroke();
        stroke.add(this.in_space_(at), pressure);
        this.gesture_ = { kind: "stroke", stroke };
    }

    /// A second finger has come: what the first one began is not meant.
    private abandon_(): void {
        if (this.gesture_.kind === "waiting") clearTimeout(this.gesture_.timer);
        if (this.gesture_.kind === "stroke") this.gesture_.stroke.end();
        this.gesture_ = { kind: "none" };
    }

    private pinch_(): Gesture {
        const [a, b] = [...this.down_.values()];
        return { kind: "pinch", x: (a!.x + b!.x) / 2, y: (a!.y + b!.y) / 2, apart: Math.hypot(a!.x - b!.x, a!.y - b!.y) };
    }

    private move_(event: PointerEvent): void {
        const { x, y } = this.where_(event);
        if (this.down_.has(event.pointerId)) this.down_.set(event.pointerId, { x, y });
        const gesture = this.gesture_;
        switch (gesture.kind) {
            case "pan":
                this.stage_.pan_by(x - gesture.x, y - gesture.y);
                this.gesture_ = { kind: "pan", x, y };
                return;
            case "pinch": {
                const next = this.pinch_();
                if (next.kind !== "pinch") return;
                this.stage_.pan_by(next.x - gesture.x, next.y - gesture.y);
                if (gesture.apart > 0) this.stage_.zoom_by(next.apart / gesture.apart, next.x, next.y);
                this.gesture_ = next;
                return;
            }
            case "orbit": return;
            case "waiting": {
                const hit = this.place_(x, y);
                if (!hit) return;
                clearTimeout(gesture.timer);
                this.begin_stroke_(gesture.at, 1);
                return;
            }
            case "stroke": {
                // Fast movements come as several points in one event.
                const events = event.getCoalescedEvents?.() ?? [];
                for (const part of events.length > 0 ? events : [event]) {
                    const place = this.where_(part);
                    const hit = this.place_(place.x, place.y);
                    if (hit) gesture.stroke.add(this.in_space_(hit.at), pressure_of(part));
                }
                this.hover_(this.place_(x, y));
                event.stopImmediatePropagation();
                return;
            }
            case "line": {
                const [i, j] = to_cells(this.stage_.mapping, x, y);
                const [wide, high] = this.stage_.size;
                tools.line.value = { from: gesture.from, to: [Math.min(wide, Math.max(0, i)), Math.min(high, Math.max(0, j))] };
                return;
            }
            case "none": this.hover_(event.pointerType === "touch" ? null : this.place_(x, y));
        }
    }

    private release_(event: PointerEvent): void {
        this.down_.delete(event.pointerId);
        const gesture = this.gesture_;
        if (gesture.kind === "waiting") {
            clearTimeout(gesture.timer);
            this.begin_stroke_(gesture.at, 1);
        }
        if (this.gesture_.kind === "stroke") this.gesture_.stroke.end();
        if (gesture.kind === "line" && !tools.line.peek()) session.tell("Drag along the line whose values you want to see.");
        this.gesture_ = this.down_.size === 1 && gesture.kind === "pinch" ? { kind: "pan", ...[...this.down_.values()][0]! } : { kind: "none" };
        if (event.pointerType === "touch") this.hover_(null);
    }

    private hover_(hit: { at: Point; vertex: number } | null): void {
        hovered.value = hit;
        const paints = this.tool_ === "brush" || this.tool_ === "eraser";
        this.show_brush_(hit && paints ? hit.at : null);
    }

    private show_brush_(at: Point | null): void {
        const before = this.stage_.brush;
        this.stage_.brush = at && { centre: at, radius: tools.radius.peek(), soft: tools.soft.peek() };
        if (before || at) this.stage_.schedule();
    }

    private wheel_(event: WheelEvent): void {
        event.preventDefault();
        if (session.is_surface.peek()) return;
        const { x, y } = this.where_(event);
        const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
        // A trackpad that pinches says so with ctrlKey.
        this.stage_.zoom_by(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), x, y);
        this.hover_(this.place_(x, y));
    }

    private key_(event: KeyboardEvent): void {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const far = event.shiftKey ? 120 : 40;
        const steps: Record<string, readonly [number, number]> = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
        const step = steps[event.key];
        if (step && session.is_surface.peek()) this.stage_.surface.turn((-step[0] * far) / 300, (step[1] * far) / 300, 1);
        else if (step) this.stage_.pan_by(step[0] * far, step[1] * far);
        else if (event.key === "+" || event.key === "=") this.closer_(1.25);
        else if (event.key === "-") this.closer_(0.8);
        else if (event.key === "Enter") this.act_in_the_middle_();
        else return;
        event.preventDefault();
    }

    private closer_(factor: number): void {
        if (session.is_surface.peek()) this.stage_.surface.turn(0, 0, factor);
        else this.stage_.zoom_by(factor);
    }

    /// For those without a pointer: the tool acts in the middle of the view.
    private act_in_the_middle_(): void {
        const hit = this.place_(...this.stage_.centre);
        if (!hit) return;
        if (this.tool_ === "probe") tools.add_probe(this.in_space_(hit.at));
        if (this.tool_ !== "brush" && this.tool_ !== "eraser") return;
        const stroke = new tools.Stroke();
        stroke.add(this.in_space_(hit.at), 1);
        stroke.end();
    }
}

function pressure_of(event: PointerEvent): number {
    return event.pointerType === "pen" && event.pressure > 0 ? event.pressure : 1;
}
