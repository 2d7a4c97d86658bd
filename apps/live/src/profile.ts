// apps/live/src/profile.ts: the values of a frame along a line
import { type Values, value_at } from "./frame";
import type { Point } from "./protocol";

/// The value at a place in cells, between the four values around it; null outside the frame.
export function value_at_cell(frame: Values, x: number, y: number): number | null {
    const [x0, y0, x1, y1] = frame.region;
    if (x < x0 || y < y0 || x > x1 || y > y1) return null;
    const along = (at: number, from: number, to: number, count: number) => {
        const place = Math.min(count - 1, Math.max(0, ((at - from) / (to - from)) * count - 0.5));
        const low = Math.min(Math.floor(place), Math.max(0, count - 2));
        return [low, place - low, Math.min(low + 1, count - 1)] as const;
    };
    const [left, share_x, right] = along(x, x0, x1, frame.width);
    const [above, share_y, below] = along(y, y0, y1, frame.height);
    const at = (column: number, row: number) => value_at(frame, row * frame.width + column);
    const upper = at(left, above) * (1 - share_x) + at(right, above) * share_x;
    const lower = at(left, below) * (1 - share_x) + at(right, below) * share_x;
    return upper * (1 - share_y) + lower * share_y;
}

/// Distances from the first point, in cells, and the values there.
export function profile(frame: Values, from: Point, to: Point, count: number): { distance: number[]; values: (number | null)[] } {
    const [dx, dy] = [to[0]! - from[0]!, to[1]! - from[1]!];
    const length = Math.hypot(dx, dy);
    const distance: number[] = [];
    const values: (number | null)[] = [];
    for (let i = 0; i < count; ++i) {
        const share = i / (count - 1);
        distance.push(share * length);
        values.push(value_at_cell(frame, from[0]! + share * dx, from[1]! + share * dy));
    }
    return { distance, values };
}
