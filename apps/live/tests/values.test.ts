// apps/live/tests/values.test.ts: colours, numbers, profiles, histories, maps, and the names that the editor knows
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { css_gradient, palette_bytes, palette_index, ticks } from "../src/colour";
import type { Values } from "../src/frame";
import { kFunctions } from "../src/functions";
import { History } from "../src/history";
import { box_of_tile, picture_size, tile_at, values_of_tile } from "../src/map_picture";
import { clean, grouped, scaled, short, typed } from "../src/numbers";
import { profile, value_at_cell } from "../src/profile";
import type { MapDone } from "../src/protocol";

test("the index of a colour is the engine's: min(255, int(256 s))", () => {
    assert.equal(palette_index(-1, 0, 1, false), 0);
    assert.equal(palette_index(0.5, 0, 1, false), 128);
    assert.equal(palette_index(1, 0, 1, false), 255);
    assert.equal(palette_index(7, 0, 1, false), 255);
    assert.equal(palette_index(NaN, 0, 1, false), 0);
    assert.equal(palette_index(0.25, 0, 1, true), Math.floor(256 * (1.2 * 0.5 - 0.1)));
});

test("a palette in base64 becomes RGBA", () => {
    const rgb = Buffer.from(Array.from({ length: 768 }, (_, i) => i & 255));
    const rgba = palette_bytes(rgb.toString("base64"));
    assert.deepEqual([...rgba.slice(0, 8)], [0, 1, 2, 255, 3, 4, 5, 255]);
    assert.match(css_gradient(rgba, "to right"), /^linear-gradient\(to right, rgb\(0 1 2\) 0\.0%, /);
});

test("ticks are round and inside", () => {
    assert.deepEqual(ticks(0, 0.42, 4), [0, 0.2, 0.4]);
    assert.deepEqual(ticks(-1, 1, 4), [-1, -0.5, 0, 0.5, 1]);
    assert.deepEqual(ticks(1, 1, 4), [1]);
});

test("numbers as they are read and typed", () => {
    assert.equal(short(0.0545000000001, 6), "0.0545");
    assert.equal(short(-1.5), "−1.5");
    assert.equal(short(1.25e-7), "1.25e−7");
    assert.equal(short(3e9), "3e9");
    assert.equal(grouped(1234567), "1\u2009234\u2009567");
    assert.equal(scaled(2.99e9), "2.99\u2009G");
    assert.equal(scaled(999.7), "1.00\u2009k");
    assert.equal(clean(0.1 + 0.2), 0.3);
    for (const [text, value] of [["0.06", 0.06], [" −1,5 ", -1.5], [".5e-3", 0.0005], ["12\u2009345", 12345], ["", null], ["1.2.3", null], ["0x10", null], ["Infinity", null], ["1e999", null]] as const) assert.equal(typed(text), value, text);
});

const frame: Values = {
    kind: "plane", frame: 0, generation: 0, time: 0, step: 0, width: 3, height: 2, region: [10, 20, 16, 24], axis: 2, slice: 0, lo: 0, hi: 255, top: 255, field: 0,
    values: new Uint8Array([0, 10, 20, 100, 110, 120]),
};

test("a profile runs between the middles of the values", () => {
    assert.equal(value_at_cell(frame, 11, 21), 0);
    assert.equal(value_at_cell(frame, 13, 21), 10);
    assert.equal(value_at_cell(frame, 12, 22), 55);
    assert.equal(value_at_cell(frame, 10, 20), 0);
    assert.equal(value_at_cell(frame, 9.9, 20), null);
    const { distance, values } = profile(frame, [11, 21], [15, 21], 5);
    assert.deepEqual(distance, [0, 1, 2, 3, 4]);
    assert.deepEqual(values, [0, 5, 10, 15, 20]);
});

test("a history keeps all of the time, and forgets what a restart undoes", () => {
    const history = new History(8);
    for (let time = 0; time < 100; ++time) history.add(time, new Map([[1, { u: 2 * time }]]));
    assert.ok(history.times.length < 8 && history.times.length >= 4);
    assert.equal(history.times[0], 0);
    assert.deepEqual(history.series(1, "u"), history.times.map((time) => 2 * time));
    assert.deepEqual(history.series(2, "u"), history.times.map(() => null));
    history.add(40, new Map());
    assert.ok(history.times.every((time) => time <= 40));
    history.add(0, new Map([[1, { u: 5 }]]));
    assert.deepEqual(history.series(1, "u"), [5]);
});

const map: MapDone = { event: "map", state: "done", url: "", columns: 3, rows: 2, tile: [96, 64], gap: 4, x: [0.05, 0.06, 0.07], y: [0.02, 0.04], x_name: "k", y_name: "F" };

test("a click on a map finds its run: row 0 has the last value of y", () => {
    assert.deepEqual(picture_size(map), [296, 132]);
    assert.deepEqual(tile_at(map, 0, 0), { column: 0, row: 0 });
    assert.deepEqual(tile_at(map, 105 / 296, 70 / 132), { column: 1, row: 1 });
    assert.deepEqual(tile_at(map, 1, 1), { column: 2, row: 1 });
    assert.deepEqual(values_of_tile(map, 2, 0), { x: 0.07, y: 0.04 });
    assert.deepEqual(values_of_tile(map, 0, 1), { x: 0.05, y: 0.02 });
    assert.deepEqual(values_of_tile({ ...map, rows: 1, y: [] }, 0, 0), { x: 0.05, y: null });
    for (const [column, row] of [[0, 0], [2, 1], [1, 0]] as const) {
        const [left, top, width, height] = box_of_tile(map, column, row);
        assert.deepEqual(tile_at(map, left + width / 2, top + height / 2), { column, row });
    }
});

test("the editor knows every function of the language", () => {
    const table = readFileSync(`${process.env.MOTTLE_SOURCES}/src/mottle/model/functions.def`, "utf8");
    const entries = table.matchAll(/^MOTTLE_(?:POINTWISE|OPERATOR|SOURCE)\(\w+, "([a-z]\w*)", [-\d, ]+(\w*)/gm);
    const names = [...entries].filter((entry) => entry[1] !== "neg" && entry[2] !== "internal").map((entry) => entry[1]!);
    assert.ok(names.length > 30, "functions.def has another form than this test reads");
    for (const name of names) assert.ok(name in kFunctions, name);
});
