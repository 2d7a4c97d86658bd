// apps/live/src/stage/surface.ts: draws a surface: its geometry once, the values of its vertices with every frame; finds the point under the pointer
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { MeshBVH } from "three-mesh-bvh";
import type { Geometry, Values } from "../frame";
import { first_azimuth, kElevation } from "./first_view";
import { gain_and_offset, kColourOf, kRing, type Look } from "./look";

const kVertex = /* glsl */ `
in float value;
out float q;
out vec3 place, towards, facing;
void main() {
    q = value;
    place = position;
    facing = normalMatrix * normal;
    vec4 seen = modelViewMatrix * vec4(position, 1.0);
    towards = -seen.xyz;
    gl_Position = projectionMatrix * seen;
}
`;

// Colours are lit in linear light. The lights are fixed to the eye, as in the engine's pictures: one from the upper left, and the sky.
const kFragment = /* glsl */ `
precision highp float;
precision highp int;
in float q;
in vec3 place, towards, facing;
uniform vec3 brush_centre;
out vec4 result;
${kColourOf}
${kRing}
vec3 to_linear(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c)); }
vec3 to_srgb(vec3 c) { return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }
void main() {
    vec3 n = normalize(facing);
    vec3 eye = normalize(towards);
    if (!gl_FrontFacing) n = -n;
    vec3 sun = normalize(vec3(-0.45, 0.65, 0.62));
    float direct = max(0.0, dot(n, sun));
    float sky = 0.5 + 0.5 * n.y;
    float shade = 0.30 + 0.22 * sky + 0.62 * direct;
    float gloss = 0.06 * pow(max(0.0, dot(n, normalize(sun + eye))), 40.0);
    float rim = 0.05 * pow(1.0 - max(0.0, dot(n, eye)), 3.0);
    vec3 colour = to_srgb(clamp(to_linear(colour_of(q)) * shade + gloss + rim, 0.0, 1.0));
    result = vec4(with_ring(colour, length(place - brush_centre), length(fwidth(place)) * 0.7), 1.0);
}
`;

const kComesToRest = 1000;  // milliseconds after the last movement that is reported
const kFrame = 1000 / 60, kDamping = 0.12;  // the part of a turn that is left to do, and done within such a time

export class Surface {
    readonly scene = new three.Scene();
    readonly camera = new three.PerspectiveCamera(30, 1, 0.01, 100);
    readonly controls: OrbitControls;
    private mesh_: three.Mesh<three.BufferGeometry, three.ShaderMaterial> | null = null;
    private bvh_: MeshBVH | null = null;
    private frame_: Values | null = null;
    private centre_ = new three.Vector3();
    private radius_ = 1;
    private azimuth_ = 0;
    private generation_ = -1;
    private at_rest_ = 0;
    private moved_at_ = 0;
    private readonly ray_ = new three.Raycaster();
    private readonly material_: three.ShaderMaterial;

    constructor(canvas: HTMLCanvasElement, palette: three.Texture, changed: () => void) {
        this.material_ = new three.ShaderMaterial({
            glslVersion: three.GLSL3,
            vertexShader: kVertex,
            fragmentShader: kFragment,
            side: three.DoubleSide,
            uniforms: {
                palette: { value: palette },
                gain: { value: 1 },
                offset: { value: 0 },
                curved: { value: false },
                brush_on: { value: false },
                brush_centre: { value: new three.Vector3() },
                brush_radius: { value: 1 },
                brush_soft: { value: 0 },
            },
        });
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enabled = false;
        this.controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
        this.controls.dampingFactor = kDamping;
        this.controls.zoomToCursor = true;
        this.controls.addEventListener("change", changed);
    }

    get frame(): Values | null {
        return this.frame_;
    }

    /// Half the diagonal of the surface's bounding box.
    get radius(): number {
        return this.radius_;
    }

    get generation(): number {
        return this.generation_;
    }

    /// Whether it is another surface than before: a run that starts anew keeps the view.
    take_geometry(geometry: Geometry): boolean {
        this.generation_ = geometry.generation;
        const before = this.mesh_?.geometry;
        const same = (a: ArrayLike<number> | undefined, b: ArrayLike<number>) => a?.length === b.length && Array.prototype.every.call(a, (value, i) => value === b[i]);
        if (same(before?.index?.array, geometry.faces) && same(before?.getAttribute("position").array, geometry.points)) return false;
        this.release_();
        const buffers = new three.BufferGeometry();
        buffers.setAttribute("position", new three.BufferAttribute(geometry.points, 3));
        buffers.setIndex(new three.BufferAttribute(geometry.faces, 1));
        buffers.computeVertexNormals();
        buffers.computeBoundingBox();
        const values = new three.BufferAttribute(new Uint16Array(geometry.points.length / 3), 1, true);
        values.setUsage(three.DynamicDrawUsage);
        buffers.setAttribute("value", values);
        buffers.boundingBox!.getCenter(this.centre_);
        this.radius_ = buffers.boundingBox!.getSize(new three.Vector3()).length() / 2 || 1;
        this.mesh_ = new three.Mesh(buffers, this.material_);
        this.scene.add(this.mesh_);
        this.frame_ = null;
        this.azimuth_ = first_azimuth(geometry.points);
        this.look_from_start();
        return true;
    }

    private release_(): void {
        if (!this.mesh_) return;
        this.scene.remove(this.mesh_);
        this.mesh_.geometry.dispose();
        this.mesh_ = null;
        this.bvh_ = null;
    }

    /// All of it, from the front where it has one.
    look_from_start(): void {
        const flat = Math.cos(kElevation);
        const back = new three.Vector3(Math.sin(this.azimuth_) * flat, Math.sin(kElevation), Math.cos(this.azimuth_) * flat);
        const far = this.distance_of_fit_(back);
        this.controls.target.copy(this.centre_);
        this.camera.position.copy(back).multiplyScalar(far).add(this.centre_);
        this.camera.near = this.radius_ / 100;
        this.camera.far = this.radius_ * 100;
        this.controls.minDistance = this.radius_ * 0.05;
        this.controls.maxDistance = far * 8;
        this.camera.updateProjectionMatrix();
        this.controls.update();
    }

    /// The distance from the centre from which, looking along -back, every point is in the picture, with a margin.
    private distance_of_fit_(back: three.Vector3): number {
        const position = this.mesh_?.geometry.getAttribute("position");
        if (!position) return 4 * this.radius_;
        const high = 0.94 * Math.tan((this.camera.fov * Math.PI) / 360);
        const wide = high * this.camera.aspect;
        const right = new three.Vector3(0, 1, 0).cross(back).normalize();
        const up = back.clone().cross(right);
        const point = new three.Vector3();
        const every = Math.max(1, Math.floor(position.count / 20000));
        let far = 0.1 * this.radius_;
        for (let i = 0; i < position.count; i += every) {
            point.fromBufferAttribute(position, i).sub(this.centre_);
            far = Math.max(far, point.dot(back) + Math.max(Math.abs(point.dot(right)) / wide, Math.abs(point.dot(up)) / high));
        }
        return far;
    }

    take(frame: Values): boolean {
        const attribute = this.mesh_?.geometry.getAttribute("value") as three.BufferAttribute | undefined;
        if (!attribute || attribute.count !== frame.values.length) return false;
        this.frame_ = frame;
        const stored = attribute.array as Uint16Array;
        if (frame.top === 65535) stored.set(frame.values);
        else for (let i = 0; i < stored.length; ++i) stored[i] = frame.values[i]! * 257;
        attribute.needsUpdate = true;
        return true;
    }

    /// The surface lies in the middle of what the insets leave of the canvas.
    resize(width: number, height: number, insets: { left: number; top: number; right: number; bottom: number }): void {
        const wide = Math.max(32, width - insets.left - insets.right);
        const high = Math.max(32, height - insets.top - insets.bottom);
        const aspect = wide / high;
        this.camera.aspect = aspect;
        this.camera.setViewOffset(wide, high, -insets.left, -insets.top, width, height);
        this.camera.updateProjectionMatrix();
    }

    /// The point of the surface at a place of the canvas (-1..1, y upwards) with the vertex that is nearest to it; null beside the surface.
    pick(x: number, y: number): { point: three.Vector3; vertex: number } | null {
        if (!this.mesh_) return null;
        this.bvh_ ??= new MeshBVH(this.mesh_.geometry, { indirect: true });
        this.camera.updateMatrixWorld();
        this.ray_.setFromCamera(new three.Vector2(x, y), this.camera);
        const hit = this.bvh_.raycastFirst(this.ray_.ray, three.DoubleSide);
        if (!hit?.face) return null;
        const position = this.mesh_.geometry.getAttribute("position");
        const corner = new three.Vector3();
        let [vertex, least] = [hit.face.a, Infinity];
        for (const candidate of [hit.face.a, hit.face.b, hit.face.c]) {
            const far = corner.fromBufferAttribute(position, candidate).distanceToSquared(hit.point);
            if (far < least) [vertex, least] = [candidate, far];
        }
        return { point: hit.point, vertex };
    }

    /// Where a point of the surface is on the canvas (-1..1), and whether it faces the eye.
    project(point: readonly number[]): { x: number; y: number; seen: boolean } {
        const place = new three.Vector3(point[0], point[1], point[2]);
        const projected = place.clone().project(this.camera);
        if (!this.mesh_ || !this.bvh_) return { x: projected.x, y: projected.y, seen: projected.z < 1 };
        const away = place.clone().sub(this.camera.position);
        const far = away.length();
        const hit = this.bvh_.raycastFirst(new three.Ray(this.camera.position, away.normalize()), three.DoubleSide);
        return { x: projected.x, y: projected.y, seen: !hit || hit.distance > far - this.radius_ * 0.01 };
    }

    /// Whether the camera is still moving by itself: the orbit stops reporting before it has come to rest.
    move(): boolean {
        if (!this.controls.enabled) return false;
        const now = performance.now();
        // A turn comes to rest after the same time, however many frames a second there are.
        this.controls.dampingFactor = 1 - Math.pow(1 - kDamping, Math.max(1, (now - this.moved_at_) / kFrame));
        this.moved_at_ = now;
        if (this.controls.update()) this.at_rest_ = now + kComesToRest;
        return now < this.at_rest_;
    }

    turn(azimuth: number, elevation: number, closer: number): void {
        const away = this.camera.position.clone().sub(this.controls.target);
        const place = new three.Spherical().setFromVector3(away);
        place.theta -= azimuth;
        place.phi = Math.min(Math.PI - 0.05, Math.max(0.05, place.phi - elevation));
        place.radius = Math.min(this.controls.maxDistance, Math.max(this.controls.minDistance, place.radius / closer));
        this.camera.position.setFromSpherical(place).add(this.controls.target);
        this.controls.update();
    }

    draw(renderer: three.WebGLRenderer, look: Look): void {
        if (!this.frame_) return;
        const uniforms = this.material_.uniforms;
        const [gain, offset] = gain_and_offset(this.frame_.lo, this.frame_.hi, look);
        uniforms["gain"]!.value = gain;
        uniforms["offset"]!.value = offset;
        uniforms["curved"]!.value = look.curved;
        uniforms["brush_on"]!.value = look.brush !== null;
        const [x = 0, y = 0, z = 0] = look.brush?.centre ?? [];
        (uniforms["brush_centre"]!.value as three.Vector3).set(x, y, z);
        uniforms["brush_radius"]!.value = look.brush?.radius ?? 1;
        uniforms["brush_soft"]!.value = look.brush?.soft ?? 0;
        renderer.render(this.scene, this.camera);
    }
}
