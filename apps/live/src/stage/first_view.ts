// apps/live/src/stage/first_view.ts: from where a surface is seen first: what lies along an axis, as animals do, from the end where its head is

export const kElevation = (15 * Math.PI) / 180;
/// Seen from +z, a little from the right, as the engine's pictures are.
const kAzimuth = (30 * Math.PI) / 180;
const kBesideFront = (40 * Math.PI) / 180;
const kLonger = 1.15;   // times the other side: then it lies along an axis
const kHigher = 0.15;   // of the height: then one end is the head
const kEnd = 0.25;      // of the length

/// The angle about y from which to look, 0 from +z and a quarter turn from +x. `points`: x, y, z of each vertex, y upwards.
/// What is longer along x or z than along the other, and at one of its ends clearly higher than at the other, is taken for a thing with a head there, and seen
/// from beside its front; all else is seen from the engine's angle. A tail that is held up is taken for a head.
export function first_azimuth(points: ArrayLike<number>): number {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < points.length; ++i) {
        const k = i % 3;
        low[k] = Math.min(low[k]!, points[i]!);
        high[k] = Math.max(high[k]!, points[i]!);
    }
    const [wide, tall, deep] = low.map((value, k) => high[k]! - value) as [number, number, number];
    const axis = wide > deep ? 0 : 2;
    const [long, short] = wide > deep ? [wide, deep] : [deep, wide];
    if (!(long > kLonger * short)) return kAzimuth;
    let [first, last] = [-Infinity, -Infinity];  // how high each end reaches
    for (let i = 0; i + 2 < points.length; i += 3) {
        const along = (points[i + axis]! - low[axis]!) / long;
        if (along < kEnd) first = Math.max(first, points[i + 1]!);
        if (along > 1 - kEnd) last = Math.max(last, points[i + 1]!);
    }
    if (!(Math.abs(first - last) > kHigher * tall)) return kAzimuth;
    const towards = last > first ? 1 : -1;
    const front = axis === 0 ? (towards * Math.PI) / 2 : towards > 0 ? 0 : Math.PI;
    // Of the two sides that which is nearer to the engine's angle.
    const far = (angle: number) => Math.abs(Math.atan2(Math.sin(angle - kAzimuth), Math.cos(angle - kAzimuth)));
    const [left, right] = [front - kBesideFront, front + kBesideFront];
    return far(left) < far(right) ? left : right;
}
