// apps/live/src/numbers.ts: numbers as people read and type them

const kThin = "\u2009";

/// At most `digits` significant digits, without trailing zeros; powers of ten where a plain number would be long.
export function short(value: number, digits = 4): string {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "not a number" : value > 0 ? "∞" : "−∞";
    if (value === 0) return "0";
    const size = Math.abs(value);
    const text = size >= 1e6 || size < 1e-4 ? value.toExponential(Math.max(0, digits - 1)).replace(/\.?0+e/, "e").replace("e+", "e") : String(Number(value.toPrecision(digits)));
    return text.replaceAll("-", "−");
}

/// Thousands apart: 12 345.
export function grouped(value: number): string {
    return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, kThin);
}

/// 1.2 M, 340 k, 12.
export function scaled(value: number): string {
    for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]] as const) {
        if (value >= 0.9995 * size) return `${(value / size).toPrecision(3)}${kThin}${unit}`;
    }
    return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/// What was typed, as a number; null if it is none.
export function typed(text: string): number | null {
    const plain = text.trim().replaceAll("−", "-").replaceAll(kThin, "").replace(/^\+/, "").replace(",", ".");
    if (!/^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return null;
    const value = Number(plain);
    return Number.isFinite(value) ? value : null;
}

/// A number to send or to edit, without the noise of binary fractions.
export function clean(value: number, digits = 7): number {
    return Number(value.toPrecision(digits));
}
