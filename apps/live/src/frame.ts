// apps/live/src/frame.ts: reads the binary messages: values of a plane or a surface, and the geometry of a surface
import type { Region } from "./protocol";

const kHeader = 80;
const kMagic = 0x314c544d;  // "MTL1"

export interface Values {
    kind: "plane" | "surface";
    frame: number;
    generation: number;
    time: number;
    step: number;
    width: number;
    height: number;
    region: Region;
    axis: 0 | 1 | 2;
    slice: number;
    /// Value q means lo + (hi - lo) q / top.
    lo: number;
    hi: number;
    top: 255 | 65535;
    field: number;
    values: Uint8Array | Uint16Array;
}

export interface Geometry {
    kind: "geometry";
    frame: number;
    generation: number;
    /// x, y, z of each vertex.
    points: Float32Array;
    /// Three vertices of each face.
    faces: Uint32Array;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// Planes of bytes, each byte minus the one before it in its plane, become values: low bytes first, then high bytes.
export function join_planes(planes: Uint8Array, width_of_value: number): Uint8Array<ArrayBuffer> {
    const count = planes.length / width_of_value;
    const joined = new Uint8Array(planes.length);
    for (let plane = 0; plane < width_of_value; ++plane) {
        let sum = 0;
        for (let i = 0; i < count; ++i) {
            sum = (sum + planes[plane * count + i]!) & 255;
            joined[i * width_of_value + plane] = sum;
        }
    }
    return joined;
}

async function payload_of(message: ArrayBuffer, packed: boolean, bytes_per_value: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
    const stored = new Uint8Array(message, kHeader);
    if (!packed) return stored;
    const planes = await inflate(stored);
    if (planes.length !== bytes) throw new Error(`a packed frame has ${planes.length} bytes, not ${bytes}`);
    return join_planes(planes, bytes_per_value);
}

/// Throws: Error, if the message is not what the protocol says.
export async function read_binary(message: ArrayBuffer): Promise<Values | Geometry> {
    if (message.byteLength < kHeader) throw new Error("a binary message is shorter than its header");
    const view = new DataView(message);
    if (view.getUint32(0, true) !== kMagic) throw new Error("a binary message does not begin with MTL1");
    const kind = view.getUint8(4);
    const bytes_per_value = view.getUint8(6);
    const width = view.getUint32(32, true);
    const height = view.getUint32(36, true);
    const frame = view.getUint32(8, true);
    const generation = view.getUint32(12, true);
    const bytes = view.getUint32(72, true);

    if (kind === 3) {
        const stored = message.slice(kHeader);
        const counts = new Uint32Array(stored, 0, 2);
        const [vertices, faces] = [counts[0]!, counts[1]!];
        if (stored.byteLength !== 8 + 12 * vertices + 12 * faces) throw new Error("the geometry has another length than it says");
        return {
            kind: "geometry",
            frame,
            generation,
            points: new Float32Array(stored, 8, 3 * vertices),
            faces: new Uint32Array(stored, 8 + 12 * vertices, 3 * faces),
        };
    }
    if (kind !== 1 && kind !== 2) throw new Error(`a binary message of the unknown kind ${kind}`);
    if (bytes_per_value !== 1 && bytes_per_value !== 2) throw new Error(`values of ${bytes_per_value} bytes`);

    const payload = await payload_of(message, view.getUint8(5) === 1, bytes_per_value, bytes);
    const count = width * height;
    if (payload.length !== count * bytes_per_value) throw new Error(`a frame of ${width} x ${height} has ${payload.length} bytes`);
    const int = (at: number) => view.getInt32(at, true);
    return {
        kind: kind === 1 ? "plane" : "surface",
        frame,
        generation,
        time: view.getFloat64(16, true),
        step: view.getFloat64(24, true),
        width,
        height,
        region: [int(40), int(44), int(48), int(52)],
        axis: Math.min(2, view.getUint8(7)) as 0 | 1 | 2,
        slice: view.getUint32(68, true),
        lo: view.getFloat32(56, true),
        hi: view.getFloat32(60, true),
        top: bytes_per_value === 1 ? 255 : 65535,
        field: view.getUint32(64, true),
        values: bytes_per_value === 1 ? payload : new Uint16Array(payload.buffer, payload.byteOffset, count),
    };
}

/// The value that a stored number of the frame means.
export function value_at(frame: Values, index: number): number {
    return frame.lo + ((frame.hi - frame.lo) * frame.values[index]!) / frame.top;
}
