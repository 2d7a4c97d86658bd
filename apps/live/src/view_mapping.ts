// apps/live/src/view_mapping.ts: where the cells of a plane lie on the canvas: fit, zoom, pan, and the part of the plane that is in sight
import type { Region } from "./protocol";

/// The part of the canvas, in CSS pixels, that the controls leave free.
export interface Insets {
    left: number;
    top: number;
    right: number;
    bottom: number;
}

/// Cell x lies at pixel origin_x + scale * x (CSS pixels); y downwards.
export interface Mapping {
    scale: number;
    origin_x: number;
    origin_y: number;
}

export const kLargestScale = 96;

/// The whole plane in the middle of what the insets leave.
export function fit(size: readonly [number, number], canvas: readonly [number, number], insets: Insets): Mapping {
    const wide = Math.max(32, canvas[0] - insets.left - insets.right);
    const high = Math.max(32, canvas[1] - insets.top - insets.bottom);
    const scale = Math.min(wide / size[0], high / size[1]);
    return {
        scale,
        origin_x: insets.left + (wide - scale * size[0]) / 2,
        origin_y: insets.top + (high - scale * size[1]) / 2,
    };
}

export function to_cells(mapping: Mapping, x: number, y: number): [number, number] {
    return [(x - mapping.origin_x) / mapping.scale, (y - mapping.origin_y) / mapping.scale];
}

export function to_pixels(mapping: Mapping, x: number, y: number): [number, number] {
    return [mapping.origin_x + mapping.scale * x, mapping.origin_y + mapping.scale * y];
}

/// Larger by `factor` about the pixel (x, y), whose cell stays where it is.
export function zoom(mapping: Mapping, factor: number, x: number, y: number, smallest: number): Mapping {
    const scale = Math.min(Math.max(mapping.scale * factor, smallest), Math.max(kLargestScale, smallest));
    const [cell_x, cell_y] = to_cells(mapping, x, y);
    return { scale, origin_x: x - scale * cell_x, origin_y: y - scale * cell_y };
}

export function pan(mapping: Mapping, dx: number, dy: number): Mapping {
    return { scale: mapping.scale, origin_x: mapping.origin_x + dx, origin_y: mapping.origin_y + dy };
}

/// Keeps the middle of the free part of the canvas over the plane, so that nobody loses it.
export function keep_in_sight(mapping: Mapping, size: readonly [number, number], canvas: readonly [number, number], insets: Insets): Mapping {
    const middle_x = (insets.left + canvas[0] - insets.right) / 2;
    const middle_y = (insets.top + canvas[1] - insets.bottom) / 2;
    const clamp = (origin: number, middle: number, length: number) => Math.min(middle, Math.max(middle - mapping.scale * length, origin));
    return { scale: mapping.scale, origin_x: clamp(mapping.origin_x, middle_x, size[0]), origin_y: clamp(mapping.origin_y, middle_y, size[1]) };
}

/// The cells in sight with a margin of a twelfth, for panning, and the device pixels that they cover: what `view` asks for.
/// `region` is null where the whole plane is in sight.
export function in_sight(
    mapping: Mapping,
    size: readonly [number, number],
    canvas: readonly [number, number],
    device_pixels: number,
): { region: Region | null; pixels: [number, number] } {
    const [left, top] = to_cells(mapping, 0, 0);
    const [right, bottom] = to_cells(mapping, canvas[0], canvas[1]);
    const margin_x = (right - left) / 12;
    const margin_y = (bottom - top) / 12;
    const low = (value: number, length: number) => Math.min(length - 1, Math.max(0, Math.floor(value)));
    const high = (value: number, length: number) => Math.min(length, Math.max(1, Math.ceil(value)));
    const x0 = low(left - margin_x, size[0]);
    const y0 = low(top - margin_y, size[1]);
    const x1 = Math.max(x0 + 1, high(right + margin_x, size[0]));
    const y1 = Math.max(y0 + 1, high(bottom + margin_y, size[1]));
    const whole = x0 === 0 && y0 === 0 && x1 === size[0] && y1 === size[1];
    const pixels = (cells: number) => Math.max(1, Math.round(cells * mapping.scale * device_pixels));
    return { region: whole ? null : [x0, y0, x1, y1], pixels: [pixels(x1 - x0), pixels(y1 - y0)] };
}
