// apps/live/tests/frame.test.ts: binary messages as docs/live-protocol.md describes them, written here by hand
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { join_planes, read_binary, value_at } from "../src/frame";

interface Header {
    kind: number;
    packed?: number;
    bytes: number;
    width: number;
    height: number;
    region?: [number, number, number, number];
    lo?: number;
    hi?: number;
    length?: number;
}

function message(header: Header, payload: Uint8Array): ArrayBuffer {
    const bytes = new Uint8Array(80 + payload.length);
    const view = new DataView(bytes.buffer);
    bytes.set(new TextEncoder().encode("MTL1"));
    view.setUint8(4, header.kind);
    view.setUint8(5, header.packed ?? 0);
    view.setUint8(6, header.bytes);
    view.setUint8(7, 2);
    view.setUint32(8, 41, true);
    view.setUint32(12, 7, true);
    view.setFloat64(16, 12.5, true);
    view.setFloat64(24, 9007199254740991, true);
    view.setUint32(32, header.width, true);
    view.setUint32(36, header.height, true);
    (header.region ?? [0, 0, 0, 0]).forEach((cell, i) => view.setInt32(40 + 4 * i, cell, true));
    view.setFloat32(56, header.lo ?? 0, true);
    view.setFloat32(60, header.hi ?? 1, true);
    view.setUint32(64, 1, true);
    view.setUint32(68, 3, true);
    view.setUint32(72, header.length ?? payload.length, true);
    bytes.set(payload, 80);
    return bytes.buffer;
}

test("values of a plane, as they stand", async () => {
    const payload = new Uint8Array([0x00, 0x00, 0xff, 0xff, 0x34, 0x12, 0x01, 0x80, 0x02, 0x00, 0x03, 0x00]);
    const frame = await read_binary(message({ kind: 1, bytes: 2, width: 3, height: 2, region: [-1, 2, 5, 6], lo: -0.5, hi: 1.5 }, payload));
    assert.equal(frame.kind, "plane");
    if (frame.kind !== "plane") return;
    assert.deepEqual([...frame.values], [0, 65535, 0x1234, 0x8001, 2, 3]);
    assert.deepEqual(frame.region, [-1, 2, 5, 6]);
    assert.deepEqual([frame.frame, frame.generation, frame.time, frame.step, frame.field, frame.slice, frame.axis], [41, 7, 12.5, 9007199254740991, 1, 3, 2]);
    assert.equal(value_at(frame, 0), -0.5);
    assert.equal(value_at(frame, 1), 1.5);
    assert.ok(Math.abs(value_at(frame, 2) - (-0.5 + (2 * 0x1234) / 65535)) < 1e-12);
});

test("values of one byte", async () => {
    const frame = await read_binary(message({ kind: 1, bytes: 1, width: 3, height: 1, lo: 0, hi: 2 }, new Uint8Array([0, 128, 255])));
    assert.ok(frame.kind === "plane");
    assert.equal(frame.top, 255);
    assert.equal(value_at(frame, 2), 2);
    assert.ok(Math.abs(value_at(frame, 1) - 256 / 255) < 1e-12);
});

/// The rule of the protocol, written the other way round: low bytes, high bytes, differences, zlib.
function pack(values: number[]): Uint8Array {
    const planes = [...values.map((value) => value & 255), ...values.map((value) => value >> 8)];
    const differences = planes.map((byte, i) => (byte - (i % values.length === 0 ? 0 : planes[i - 1]!)) & 255);
    return new Uint8Array(deflateSync(new Uint8Array(differences)));
}

test("packed values are those that were packed", async () => {
    const values = Array.from({ length: 600 }, (_, i) => Math.round(32767 * (1 + Math.sin(i / 7))) & 65535);
    const frame = await read_binary(message({ kind: 1, packed: 1, bytes: 2, width: 30, height: 20, length: 1200 }, pack(values)));
    assert.ok(frame.kind === "plane");
    assert.deepEqual([...frame.values], values);
});

test("each plane of packed values begins anew", () => {
    assert.deepEqual([...join_planes(new Uint8Array([10, 246, 1, 5, 250, 1]), 2)], [10, 5, 0, 255, 1, 0]);
    assert.deepEqual([...join_planes(new Uint8Array([10, 246, 1]), 1)], [10, 0, 1]);
});

test("the geometry of a surface", async () => {
    const bytes = new Uint8Array(8 + 36 + 12);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, 3, true);
    view.setUint32(4, 1, true);
    [0, 0, 0, 1, 0, 0, 0, 1, 0.5].forEach((x, i) => view.setFloat32(8 + 4 * i, x, true));
    [2, 0, 1].forEach((vertex, i) => view.setUint32(44 + 4 * i, vertex, true));
    const geometry = await read_binary(message({ kind: 3, bytes: 1, width: 3, height: 1 }, bytes));
    assert.ok(geometry.kind === "geometry");
    assert.deepEqual([...geometry.points], [0, 0, 0, 1, 0, 0, 0, 1, 0.5]);
    assert.deepEqual([...geometry.faces], [2, 0, 1]);
    assert.equal(geometry.generation, 7);
});

test("what is not a frame is refused with its reason", async () => {
    await assert.rejects(read_binary(new ArrayBuffer(12)), /shorter than its header/);
    await assert.rejects(read_binary(new ArrayBuffer(80)), /MTL1/);
    await assert.rejects(read_binary(message({ kind: 9, bytes: 1, width: 1, height: 1 }, new Uint8Array(1))), /unknown kind 9/);
    await assert.rejects(read_binary(message({ kind: 1, bytes: 2, width: 4, height: 4 }, new Uint8Array(31))), /4 x 4 has 31 bytes/);
    await assert.rejects(read_binary(message({ kind: 1, packed: 1, bytes: 2, width: 2, height: 1, length: 4 }, pack([1, 2, 3]))), /6 bytes, not 4/);
    await assert.rejects(read_binary(message({ kind: 3, bytes: 1, width: 3, height: 1 }, new Uint8Array([3, 0, 0, 0, 1, 0, 0, 0]))), /another length/);
});
