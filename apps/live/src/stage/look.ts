// apps/live/src/stage/look.ts: what both drawings of a field share: the palette, the rule from a value to a colour, and the ring of the brush
import * as three from "three";

export interface Brush {
    /// In cells, or in the coordinates of the geometry.
    centre: readonly number[];
    radius: number;
    soft: number;
}

export interface Look {
    /// s = gain_ * q + offset_ for the stored number q between 0 and 1, with the range lo..hi drawn from 0 to 1.
    lo: number;
    hi: number;
    curved: boolean;
    background: readonly [number, number, number];
    brush: Brush | null;
}

/// The colour of s, as the engine picks it: one of 256, or the first where s is no number.
export const kColourOf = /* glsl */ `
uniform sampler2D palette;
uniform float gain, offset;
uniform bool curved;
vec3 colour_of(float q) {
    float s = clamp(gain * q + offset, 0.0, 1.0);
    if (curved) s = clamp(1.2 * sqrt(s) - 0.1, 0.0, 1.0);
    return texelFetch(palette, ivec2(min(255, int(256.0 * s)), 0), 0).rgb;
}
`;

/// A light ring with a dark edge at the radius of the brush, and a faint one where it begins to fade. \`far\` and \`pixel\` in the same length.
export const kRing = /* glsl */ `
uniform bool brush_on;
uniform float brush_radius, brush_soft;
vec3 with_ring(vec3 colour, float far, float pixel) {
    if (!brush_on) return colour;
    float edge = abs(far - brush_radius) / pixel;
    float dark = 1.0 - smoothstep(1.2, 2.6, edge);
    float light = 1.0 - smoothstep(0.5, 1.5, edge);
    float inner = (1.0 - smoothstep(0.3, 1.2, abs(far - brush_radius * (1.0 - brush_soft)) / pixel)) * step(0.02, brush_soft);
    colour = mix(colour, vec3(0.0), 0.45 * dark);
    colour = mix(colour, vec3(1.0), 0.35 * inner);
    return mix(colour, vec3(1.0), light);
}
`;

export function palette_texture(): three.DataTexture {
    const texture = new three.DataTexture(new Uint8Array(1024), 256, 1, three.RGBAFormat, three.UnsignedByteType);
    texture.minFilter = texture.magFilter = three.NearestFilter;
    texture.needsUpdate = true;
    return texture;
}

/// gain and offset of `kColourOf` for values that mean lo + (hi - lo) q.
export function gain_and_offset(lo: number, hi: number, look: Look): [number, number] {
    const span = look.hi - look.lo;
    if (!(span > 0)) return [0, 0];
    return [(hi - lo) / span, (lo - look.lo) / span];
}
