// apps/live/tests/first_view.test.ts: from where surfaces are seen first
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { first_azimuth } from "../src/stage/first_view";

const kDegrees = 180 / Math.PI;

/// The direction of the eye, x and z.
const eye = (points: ArrayLike<number>): [number, number] => [Math.sin(first_azimuth(points)), Math.cos(first_azimuth(points))];

/// Corners of boxes, each given by its low and high corner.
function boxes(...all: [number[], number[]][]): number[] {
    return all.flatMap(([low, high]) => Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((k) => ((i >> k) & 1 ? high : low)[k]!)).flat());
}

test("what has no front is seen from the engine's angle", () => {
    const cube = boxes([[0, 0, 0], [1, 1, 1]]);
    const log = boxes([[0, 0, 0], [1, 1, 5]]);
    const pillar = boxes([[0, 0, 0], [1, 5, 1]]);
    for (const points of [cube, log, pillar, []]) assert.ok(Math.abs(first_azimuth(points) * kDegrees - 30) < 1e-9);
});

test("what has a head at one end is seen from there, a little from the side", () => {
    const body: [number[], number[]] = [[0, 0, 0], [1, 1, 4]];
    const [x, z] = eye(boxes(body, [[0, 1, 3.5], [1, 2, 4]]));
    assert.ok(z > 0.5 && Math.abs(x) > 0.3, `head at +z: ${x}, ${z}`);
    const [x_back, z_back] = eye(boxes(body, [[0, 1, 0], [1, 2, 0.5]]));
    assert.ok(z_back < -0.5 && Math.abs(x_back) > 0.3, `head at -z: ${x_back}, ${z_back}`);
    const along_x: [number[], number[]] = [[0, 0, 0], [4, 1, 1]];
    assert.ok(eye(boxes(along_x, [[3.5, 1, 0], [4, 2, 1]]))[0] > 0.5);
    assert.ok(eye(boxes(along_x, [[0, 1, 0], [0.5, 2, 1]]))[0] < -0.5);
});

test("the cow of the examples shows its face, which is at -z", () => {
    const sources = process.env.MOTTLE_SOURCES!;
    const text = readFileSync(join(sources, "examples/meshes/spot.obj"), "utf8");
    const points = [...text.matchAll(/^v (\S+) (\S+) (\S+)/gm)].flatMap((found) => found.slice(1, 4).map(Number));
    assert.ok(points.length > 3000);
    const [x, z] = eye(points);
    assert.ok(z < -0.5 && x > 0, `${x}, ${z}`);
});
