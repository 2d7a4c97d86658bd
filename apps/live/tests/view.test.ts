// apps/live/tests/view.test.ts: where cells lie on the canvas, and what is asked for
import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, in_sight, keep_in_sight, pan, to_cells, to_pixels, zoom } from "../src/view_mapping";

const kInsets = { left: 60, top: 50, right: 20, bottom: 90 };

test("the whole plane lies in the middle of what is free", () => {
    const mapping = fit([512, 256], [1080, 900], kInsets);
    assert.equal(mapping.scale, 1000 / 512);
    assert.deepEqual(to_pixels(mapping, 0, 0), [60, 50 + (760 - 500) / 2]);
    assert.deepEqual(to_pixels(mapping, 512, 256), [1060, 50 + (760 + 500) / 2]);
});

test("cells and pixels are each other's inverse", () => {
    const mapping = { scale: 3.7, origin_x: -120.25, origin_y: 44 };
    const [x, y] = to_cells(mapping, ...to_pixels(mapping, 12.5, 300.75));
    assert.ok(Math.abs(x - 12.5) < 1e-9 && Math.abs(y - 300.75) < 1e-9);
});

test("what is under the pointer stays there while one zooms", () => {
    const before = fit([512, 512], [1000, 1000], kInsets);
    const cell = to_cells(before, 700, 333);
    const after = zoom(before, 5, 700, 333, 0.1);
    assert.ok(Math.abs(after.scale / before.scale - 5) < 1e-12);
    const [x, y] = to_cells(after, 700, 333);
    assert.ok(Math.abs(x - cell[0]) < 1e-9 && Math.abs(y - cell[1]) < 1e-9);
    assert.equal(zoom(before, 1e-9, 0, 0, 0.25).scale, 0.25);
    assert.equal(zoom(before, 1e9, 0, 0, 0.25).scale, 96);
});

test("nobody loses the plane", () => {
    const far = keep_in_sight(pan(fit([100, 100], [800, 600], kInsets), 1e6, -1e6), [100, 100], [800, 600], kInsets);
    const [x, y] = to_cells(far, (60 + 780) / 2, (50 + 510) / 2);
    assert.ok(x >= -1e-9 && x <= 100 && y >= 0 && y <= 100 + 1e-9);
});

test("all of the plane is asked for without a region, on the device's pixels", () => {
    const mapping = fit([512, 512], [1000, 1000], { left: 0, top: 0, right: 0, bottom: 0 });
    assert.deepEqual(in_sight(mapping, [512, 512], [1000, 1000], 2), { region: null, pixels: [2000, 2000] });
});

test("of a part, whole cells with a margin are asked for, within the plane", () => {
    const mapping = { scale: 10, origin_x: -1000, origin_y: 0 };  // cells 100 to 200 across, 0 to 100 down
    const { region, pixels } = in_sight(mapping, [512, 512], [1000, 1000], 1);
    assert.deepEqual(region, [91, 0, 209, 109]);
    assert.deepEqual(pixels, [1180, 1090]);
    const beyond = in_sight({ scale: 10, origin_x: 5000, origin_y: 5000 }, [512, 512], [100, 100], 1);
    assert.deepEqual(beyond.region, [0, 0, 1, 1]);
});
