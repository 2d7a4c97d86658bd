// apps/live/src/stage/plane.ts: draws the values of a plane: whole numbers in a texture, interpolated as values, then coloured
import * as three from "three";
import type { Values } from "../frame";
import type { Mapping } from "../view_mapping";
import { gain_and_offset, kColourOf, kRing, type Look } from "./look";

const kVertex = /* glsl */ `
void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }
`;

const kFragment = /* glsl */ `
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D field;
uniform vec2 field_size;    // values
uniform vec4 region;        // cells
uniform vec2 domain;        // cells
uniform vec2 canvas;        // device pixels
uniform vec2 origin;        // of cell (0, 0), device pixels
uniform float scale;        // device pixels per cell
uniform float top;          // 255 or 65535
uniform bvec2 wraps;        // whether the plane goes on beyond its ends
uniform vec3 background;
uniform vec2 brush_centre;
uniform bool row;           // one row of values, drawn as a graph
uniform vec2 heights;       // the graph is at heights.x * q + heights.y of its height for the stored number q between 0 and 1
out vec4 result;
${kColourOf}
${kRing}

float value(ivec2 at, bvec2 whole) {
    ivec2 size = ivec2(field_size);
    ivec2 inside = clamp(at, ivec2(0), size - 1);
    if (whole.x) inside.x = (at.x + size.x) % size.x;
    if (whole.y) inside.y = (at.y + size.y) % size.y;
    return float(texelFetch(field, inside, 0).r);
}

/// Device pixels from place to the graph of a row around value middle: between two values it is level, rises over 1/sharp of the
/// way, and is level again. The distance to its pieces, not to the lines they lie on, rounds the corners; each nearest point is moved into
/// the height that the graph has.
float distance_to_graph(vec2 place, int middle, float sharp, vec2 unit, bvec2 whole) {
    float nearest = 1e9;
    vec2 from = vec2(0.0);
    for (int k = -4; k <= 3; ++k) {
        for (int end = 0; end < 2; ++end) {
            float level = heights.x * value(ivec2(middle + k + end, 0), whole) / top + heights.y;
            vec2 to = vec2(float(middle + k) + 0.5 + (float(end) - 0.5) / sharp, level) * unit;
            vec2 piece = to - from;
            float along = clamp(dot(place - from, piece) / max(dot(piece, piece), 1e-6), 0.0, 1.0);
            vec2 point = from + along * piece;
            if (k > -4) nearest = min(nearest, distance(place, vec2(point.x, clamp(point.y, 0.0, unit.y))));
            from = to;
        }
    }
    return nearest;
}

void main() {
    vec2 pixel = vec2(gl_FragCoord.x, canvas.y - gl_FragCoord.y);
    vec2 cell = (pixel - origin) / scale;
    bvec2 outside = bvec2(cell.x < 0.0 || cell.x >= domain.x, cell.y < 0.0 || cell.y >= domain.y);
    bool beyond = outside.x || outside.y;
    vec2 within = row ? vec2(cell.x, 0.5) : cell;
    if (wraps.x) within.x = mod(cell.x, domain.x);
    if (wraps.y) within.y = mod(cell.y, domain.y);
    vec3 colour = background;
    bool here = all(greaterThanEqual(within, region.xy)) && all(lessThan(within, region.zw)) && !(outside.x && !wraps.x) && !(outside.y && !wraps.y);
    if (here) {
        vec2 per_value = (region.zw - region.xy) / field_size;
        vec2 at = (within - region.xy) / per_value - 0.5;
        vec2 low = floor(at);
        vec2 share = at - low;
        // Where a value is drawn larger than 12 pixels, its cell begins to show.
        float sharp = 1.0 + max(0.0, scale * per_value.x - 12.0) / 3.0;
        share = clamp((share - 0.5) * sharp + 0.5, 0.0, 1.0);
        bvec2 whole = bvec2(wraps.x && region.z - region.x >= domain.x, wraps.y && region.w - region.y >= domain.y);
        ivec2 i = ivec2(low);
        float above = mix(value(i, whole), value(i + ivec2(1, 0), whole), share.x);
        float below = mix(value(i + ivec2(0, 1), whole), value(i + ivec2(1, 1), whole), share.x);
        colour = colour_of(mix(above, below, share.y) / top);
        if (row) {
            float height = 1.04 * (1.0 - cell.y / domain.y) - 0.02;
            float s = clamp(heights.x * above / top + heights.y, 0.0, 1.0);
            vec2 unit = vec2(scale * per_value.x, domain.y * scale / 1.04);  // device pixels of a value's width, and of the graph's height
            float away = min(abs(height - s) * unit.y, distance_to_graph(vec2(at.x, height) * unit, i.x, sharp, unit, whole));
            float line = 1.0 - smoothstep(0.8, 2.0, away);
            colour = beyond ? background : mix(mix(background, colour, height < s ? 0.55 * (0.3 + 0.7 * height / max(s, 0.01)) : 0.0), colour, line);
        } else if (beyond) {
            vec2 away = max(max(-cell, cell - domain), 0.0) / domain;
            colour = mix(background, colour, 0.16 * exp(-1.6 * max(away.x, away.y)));
        }
    }
    if (!beyond) colour = with_ring(colour, row ? abs(cell.x - brush_centre.x) : length(cell - brush_centre), 1.0 / scale);
    result = vec4(colour, 1.0);
}
`;

export class Plane {
    readonly scene = new three.Scene();
    private readonly camera_ = new three.OrthographicCamera();
    private texture_: three.DataTexture | null = null;
    private frame_: Values | null = null;
    /// The range of a row's graph, in parts of the drawn range.
    private graph_: { of: string; range: [number, number] } = { of: "", range: [0, 1] };
    private readonly material_: three.ShaderMaterial;

    constructor(palette: three.Texture) {
        this.material_ = new three.ShaderMaterial({
            glslVersion: three.GLSL3,
            vertexShader: kVertex,
            fragmentShader: kFragment,
            depthTest: false,
            depthWrite: false,
            uniforms: {
                field: { value: null },
                palette: { value: palette },
                field_size: { value: new three.Vector2(1, 1) },
                region: { value: new three.Vector4() },
                domain: { value: new three.Vector2(1, 1) },
                canvas: { value: new three.Vector2() },
                origin: { value: new three.Vector2() },
                scale: { value: 1 },
                top: { value: 255 },
                wraps: { value: [false, false] },
                row: { value: false },
                heights: { value: new three.Vector2(1, 0) },
                background: { value: new three.Vector3() },
                gain: { value: 1 },
                offset: { value: 0 },
                curved: { value: false },
                brush_on: { value: false },
                brush_centre: { value: new three.Vector2() },
                brush_radius: { value: 1 },
                brush_soft: { value: 0 },
            },
        });
        const triangle = new three.BufferGeometry();
        triangle.setAttribute("position", new three.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
        const mesh = new three.Mesh(triangle, this.material_);
        mesh.frustumCulled = false;
        this.scene.add(mesh);
    }

    get frame(): Values | null {
        return this.frame_;
    }

    clear(): void {
        this.frame_ = null;
    }

    take(frame: Values): void {
        this.frame_ = frame;
        const is_wide = frame.top === 65535;
        const same = this.texture_ && this.texture_.image.width === frame.width && this.texture_.image.height === frame.height && (this.texture_.type === three.UnsignedShortType) === is_wide;
        if (!same) {
            this.texture_?.dispose();
            const texture = new three.DataTexture(frame.values as Uint16Array<ArrayBuffer>, frame.width, frame.height, three.RedIntegerFormat, is_wide ? three.UnsignedShortType : three.UnsignedByteType);
            texture.internalFormat = is_wide ? "R16UI" : "R8UI";
            texture.unpackAlignment = 1;
            texture.minFilter = texture.magFilter = three.NearestFilter;
            this.texture_ = texture;
            this.material_.uniforms["field"]!.value = texture;
        }
        this.texture_!.image.data = frame.values as Uint16Array<ArrayBuffer>;
        this.texture_!.needsUpdate = true;
    }

    /// `size`: cells of the plane; `mapping` in CSS pixels, of which each has `device_pixels`.
    draw(renderer: three.WebGLRenderer, look: Look, mapping: Mapping, size: readonly [number, number], wraps: readonly [boolean, boolean], device_pixels: number, row: boolean): void {
        if (!this.frame_) return;
        const uniforms = this.material_.uniforms;
        const set = (name: string, ...values: number[]) => (uniforms[name]!.value as three.Vector4).set(...(values as [number, number, number, number]));
        const [gain, offset] = gain_and_offset(this.frame_.lo, this.frame_.hi, look);
        set("field_size", this.frame_.width, this.frame_.height);
        set("region", ...this.frame_.region);
        set("domain", ...size);
        const canvas = renderer.domElement;
        set("canvas", canvas.width, canvas.height);
        set("origin", mapping.origin_x * device_pixels, mapping.origin_y * device_pixels);
        set("background", ...look.background);
        set("brush_centre", look.brush?.centre[0] ?? 0, look.brush?.centre[1] ?? 0);
        uniforms["scale"]!.value = mapping.scale * device_pixels;
        uniforms["top"]!.value = this.frame_.top;
        uniforms["wraps"]!.value = wraps;
        uniforms["row"]!.value = row;
        set("heights", ...this.heights_(gain, offset, look));
        uniforms["gain"]!.value = gain;
        uniforms["offset"]!.value = offset;
        uniforms["curved"]!.value = look.curved;
        uniforms["brush_on"]!.value = look.brush !== null;
        uniforms["brush_radius"]!.value = look.brush?.radius ?? 1;
        uniforms["brush_soft"]!.value = look.brush?.soft ?? 0;
        renderer.render(this.scene, this.camera_);
    }

    /// From a stored number between 0 and 1 to a height of a row's graph, which shows all of the drawn range and all values of the frames. Beyond
    /// the range it grows at once and shrinks slowly, so that it does not flicker; another field or another range begins anew.
    private heights_(gain: number, offset: number, look: Look): [number, number] {
        const frame = this.frame_!;
        const seen: [number, number] = [Math.min(0, offset), Math.max(1, gain + offset)];
        const of = `${frame.generation} ${frame.field} ${look.lo} ${look.hi}`;
        const before = this.graph_.of === of ? this.graph_.range : seen;
        const [lo, hi] = [Math.min(seen[0], before[0] + 0.15 * (seen[0] - before[0])), Math.max(seen[1], before[1] + 0.15 * (seen[1] - before[1]))];
        this.graph_ = { of, range: [lo, hi] };
        return [gain / (hi - lo), (offset - lo) / (hi - lo)];
    }
}
