// apps/live/tests/places.test.ts: Mottle's lines and bytes in the text of an editor
import assert from "node:assert/strict";
import { test } from "node:test";
import { place_in, units_before } from "../src/byte_columns";

const text_at = (text: string, line: number, column: number, length: number) => {
    const place = place_in(text, line, column, length);
    return place && text.slice(place.from, place.to);
};

test("columns are bytes: letters of two, three and four bytes before the place", () => {
    const text = 'title = "Größe"\nv = "α*kil"  # 𝛼\nw = "𝛼 + kil"';
    assert.equal(text_at(text, 2, 9, 3), "kil");
    const line = 'w = "𝛼 + kil"';
    assert.equal(text_at(text, 3, Buffer.byteLength(line.slice(0, line.indexOf("kil"))) + 1, 3), "kil");
});

test("every place in a text is the one that Node's encoder finds", () => {
    const line = "aé漢𝛼 = ∂²u/∂x² + 🦓";
    for (let i = 0; i <= line.length; ++i) {
        if (i > 0 && line.charCodeAt(i) >= 0xdc00 && line.charCodeAt(i) < 0xe000) continue;  // the middle of a pair
        assert.equal(units_before(line, Buffer.byteLength(line.slice(0, i))), i);
    }
});

test("ends of lines and of the text", () => {
    assert.equal(text_at("a = 1\nb = \n", 2, 5, 1), " ");
    assert.deepEqual(place_in("a = 1", 9, 1, 1), { from: 5, to: 5 });
    assert.equal(place_in("a = 1", 0, 0, 0), null);
    assert.equal(text_at("x\n   k = 3  \n", 2, 0, 0), "k = 3");
    assert.equal(text_at("abc", 1, 2, 0), "b");
});
