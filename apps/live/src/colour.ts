// apps/live/src/colour.ts: palettes as bytes and as CSS, the rule from a value to a colour, and round numbers for a scale

/// 256 colours as RGBA, from the 768 bytes of RGB that `hello` brings in base64.
export function palette_bytes(base64: string): Uint8Array<ArrayBuffer> {
    const rgb = atob(base64);
    const rgba = new Uint8Array(1024).fill(255);
    for (let i = 0; i < 256; ++i) {
        for (let c = 0; c < 3; ++c) rgba[4 * i + c] = rgb.charCodeAt(3 * i + c);
    }
    return rgba;
}

/// The palette that has a contrast curve of its own.
export const kCurved = "cyberpunk";

/// The index of the palette for a value, as the engine draws it.
export function palette_index(value: number, lo: number, hi: number, curved: boolean): number {
    let s = (value - lo) / (hi - lo);
    s = s > 0 ? Math.min(s, 1) : 0;
    if (curved) s = Math.min(1, Math.max(0, 1.2 * Math.sqrt(s) - 0.1));
    return Math.min(255, Math.floor(256 * s));
}

/// The palette as a CSS gradient in the given direction, over values.
export function css_gradient(palette: Uint8Array, direction: string, curved = false): string {
    const stops: string[] = [];
    for (let step = 0; step <= 32; ++step) {
        const at = 4 * palette_index(step / 32, 0, 1, curved);
        stops.push(`rgb(${palette[at]} ${palette[at + 1]} ${palette[at + 2]}) ${((100 * step) / 32).toFixed(1)}%`);
    }
    return `linear-gradient(${direction}, ${stops.join(", ")})`;
}

/// Some `count` round numbers from lo to hi.
export function ticks(lo: number, hi: number, count: number): number[] {
    const span = hi - lo;
    if (!(span > 0) || !Number.isFinite(span)) return [lo];
    const rough = span / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * 0.999) ?? 10 * power;
    const list: number[] = [];
    for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * span; ++i) list.push(Number((i * step).toPrecision(12)));
    return list;
}
