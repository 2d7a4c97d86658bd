// apps/live/src/stage/stage.ts: the canvas: takes frames, draws the newest one when the screen is refreshed, and tells the program what is in sight
import { effect, signal, untracked } from "@preact/signals";
import * as three from "three";
import { kCurved } from "../colour";
import type { Geometry, Values } from "../frame";
import * as session from "../session";
import { fit, in_sight, type Insets, keep_in_sight, type Mapping, pan, zoom } from "../view_mapping";
import { type Brush, type Look, palette_texture } from "./look";
import { Plane } from "./plane";
import { Surface } from "./surface";

const kViewInterval = 60;  // milliseconds between two `view`, so that a wheel does not flood the program

/// The height of the graph that stands for a row, in its cells.
export const kRowShape = 0.45;

/// Grows with every picture that moves what lies over the canvas.
export const view_changes = signal(0);
/// Grows with every frame that was drawn.
export const frames_drawn = signal(0);
export const context_lost = signal(false);

export class Stage {
    readonly canvas: HTMLCanvasElement;
    readonly plane: Plane;
    readonly surface: Surface;
    mapping: Mapping = { scale: 1, origin_x: 0, origin_y: 0 };
    brush: Brush | null = null;
    private readonly renderer_: three.WebGLRenderer;
    private readonly palette_ = palette_texture();
    private pending_: Values | null = null;
    private owed_: number[] = [];
    private is_scheduled_ = false;
    private is_fitted_ = true;
    private width_ = 1;
    private height_ = 1;
    private insets_: Insets = { left: 0, top: 0, right: 0, bottom: 0 };
    private asked_ = "";
    private asked_at_ = 0;
    private ask_timer_ = 0;
    private background_: [number, number, number] = [0, 0, 0];
    private auto_: [number, number] | null = null;

    constructor(canvas: HTMLCanvasElement) {
        this.canvas = canvas;
        this.renderer_ = new three.WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
        this.renderer_.outputColorSpace = three.LinearSRGBColorSpace;
        this.plane = new Plane(this.palette_);
        this.surface = new Surface(canvas, this.palette_, () => this.moved_());
        canvas.addEventListener("webglcontextlost", () => (context_lost.value = true));
        canvas.addEventListener("webglcontextrestored", () => {
            context_lost.value = false;
            this.schedule();
        });

        session.on_frame((frame) => this.take_(frame));
        session.on_geometry((geometry) => this.take_geometry_(geometry));
        session.on_opening(() => {
            this.asked_ = "";
            this.owed_ = [];
            this.ask_view_();
        });
        effect(() => {
            const colours = session.palette.value;
            if (!colours) return;
            (this.palette_.image.data as Uint8Array).set(colours);
            this.palette_.needsUpdate = true;
            this.schedule();
        });
        effect(() => {
            void session.range.value;
            this.auto_ = null;
            this.schedule();
        });
        // Another size starts with the whole plane.
        effect(() => {
            void session.plane_key.value;
            void session.is_surface.value;
            this.plane.clear();
            untracked(() => this.fit());
        });
        effect(() => {
            void session.shown_field.value;
            void session.slice.value;
            this.auto_ = null;
            untracked(() => this.ask_view_());
        });
    }

    get size(): readonly [number, number] {
        const [wide, high] = session.plane_size.value;
        return high === 1 ? [wide, wide * kRowShape] : [wide, high];
    }

    get is_row(): boolean {
        return session.plane_size.value[1] === 1;
    }

    get frame(): Values | null {
        return session.is_surface.value ? this.surface.frame : this.plane.frame;
    }

    get device_pixels(): number {
        return this.renderer_.getPixelRatio();
    }

    get centre(): [number, number] {
        const { left, top, right, bottom } = this.insets_;
        return [(left + this.width_ - right) / 2, (top + this.height_ - bottom) / 2];
    }

    set background(colour: [number, number, number]) {
        this.background_ = colour;
        this.schedule();
    }

    /// Sizes in CSS pixels; `insets`: what the controls cover.
    resize(width: number, height: number, insets: Insets): void {
        if (width < 1 || height < 1) return;
        this.width_ = width;
        this.height_ = height;
        this.insets_ = insets;
        this.renderer_.setPixelRatio(window.devicePixelRatio);
        this.renderer_.setSize(width, height, false);
        this.surface.resize(width, height, insets);
        if (this.is_fitted_) this.fit();
        else this.moved_();
        this.draw_();  // at once: a canvas of a new size is empty
    }

    fit(): void {
        this.is_fitted_ = true;
        this.mapping = fit(this.size, [this.width_, this.height_], this.insets_);
        if (session.is_surface.value) this.surface.look_from_start();
        this.moved_();
    }

    zoom_by(factor: number, x = this.centre[0], y = this.centre[1]): void {
        const smallest = 0.5 * fit(this.size, [this.width_, this.height_], this.insets_).scale;
        this.place_(zoom(this.mapping, factor, x, y, smallest));
    }

    pan_by(dx: number, dy: number): void {
        this.place_(pan(this.mapping, dx, dy));
    }

    private place_(mapping: Mapping): void {
        this.is_fitted_ = false;
        this.mapping = keep_in_sight(mapping, this.size, [this.width_, this.height_], this.insets_);
        this.moved_();
    }

    private moved_(): void {
        // Where cell (0, 0) lies, in CSS pixels, and how large a cell is; of a surface, where the eye is: for tests, and for scripts that point at cells.
        const { origin_x, origin_y, scale } = this.mapping;
        this.canvas.dataset["view"] = (session.is_surface.peek() ? this.surface.camera.position.toArray() : [origin_x, origin_y, scale]).join(" ");
        view_changes.value = view_changes.peek() + 1;
        this.schedule();
        this.ask_view_();
    }

    /// Tells the program what this page shows, if that has changed, and not too often.
    private ask_view_(): void {
        clearTimeout(this.ask_timer_);
        if (session.link.peek() !== "open") return;
        const wait = kViewInterval - (performance.now() - this.asked_at_);
        if (wait > 0) {
            this.ask_timer_ = window.setTimeout(() => this.ask_view_(), wait);
            return;
        }
        const field = session.shown_field.peek();
        const base = field ? { do: "view" as const, field } : { do: "view" as const };
        let view: Parameters<typeof session.send>[0] = { ...base, bits: 16, pixels: [Math.round(this.width_ * this.device_pixels), Math.round(this.height_ * this.device_pixels)] };
        if (session.model.peek() && !session.is_surface.peek()) {
            const { region, pixels } = in_sight(this.mapping, this.size, [this.width_, this.height_], this.device_pixels);
            const row: typeof region = region && this.is_row ? [region[0], 0, region[2], 1] : region;
            view = { ...view, region: row, pixels };
            if (session.is_volume.peek()) view = { ...view, axis: session.slice.peek().axis, slice: session.slice.peek().at };
        }
        const text = JSON.stringify(view);
        if (text === this.asked_) return;
        this.asked_ = text;
        this.asked_at_ = performance.now();
        session.send(view);
    }

    private take_geometry_(geometry: Geometry): void {
        const is_new = this.surface.take_geometry(geometry);
        if (geometry.frame > 0) session.send({ do: "ack", frame: geometry.frame });
        if (is_new) this.fit();
    }

    /// The newest frame replaces one that was not drawn yet; both are acknowledged when it is.
    private take_(frame: Values): void {
        this.pending_ = frame;
        this.owed_.push(frame.frame);
        if (document.hidden) this.acknowledge_();
        this.schedule();
    }

    private acknowledge_(): void {
        for (const frame of this.owed_) session.send({ do: "ack", frame });
        this.owed_ = [];
    }

    schedule(): void {
        if (this.is_scheduled_) return;
        this.is_scheduled_ = true;
        requestAnimationFrame(() => {
            this.is_scheduled_ = false;
            if (session.is_surface.peek() && this.surface.move()) this.schedule();
            this.draw_();
        });
    }

    private draw_(): void {
        const frame = this.pending_;
        this.pending_ = null;
        if (frame) {
            if (frame.kind === "surface") this.surface.take(frame);
            else this.plane.take(frame);
            session.seen_range.value = [frame.lo, frame.hi];
        }
        const look = this.look_();
        this.renderer_.setClearColor(new three.Color().setRGB(...this.background_));
        this.renderer_.clear();
        if (session.is_surface.peek()) {
            this.surface.controls.enabled = true;
            this.surface.draw(this.renderer_, look);
        } else {
            this.surface.controls.enabled = false;
            this.plane.draw(this.renderer_, look, this.mapping, this.size, this.wraps_(), this.device_pixels, this.is_row);
        }
        this.acknowledge_();
        if (frame) frames_drawn.value = frames_drawn.peek() + 1;
    }

    /// The drawn range: as it was chosen, or that of the frames, without flicker.
    private look_(): Look {
        const chosen = session.range.peek();
        let [lo, hi] = [chosen.lo, chosen.hi];
        if (chosen.auto && this.frame) {
            const seen: [number, number] = [this.frame.lo, this.frame.hi];
            const before = this.auto_ ?? seen;
            // Wider at once, so that nothing is cut off; narrower slowly.
            this.auto_ = [Math.min(seen[0], before[0] + 0.15 * (seen[0] - before[0])), Math.max(seen[1], before[1] + 0.15 * (seen[1] - before[1]))];
            [lo, hi] = this.auto_;
            if (Math.abs(lo - chosen.lo) + Math.abs(hi - chosen.hi) > 1e-3 * (hi - lo)) {
                const auto = this.auto_;
                queueMicrotask(() => {
                    session.range.value = { auto: true, lo, hi };
                    this.auto_ = auto;
                });
            }
        }
        return { lo, hi, curved: session.palette_name.peek() === kCurved, background: this.background_, brush: this.brush };
    }

    private wraps_(): readonly [boolean, boolean] {
        const wrapping = session.model.peek()?.boundary === "periodic" && !this.is_row;
        return [wrapping, wrapping];
    }
}
