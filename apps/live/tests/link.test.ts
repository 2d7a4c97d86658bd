// apps/live/tests/link.test.ts: models in links
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { fragment_of, model_in } from "../src/link";

const kModel = '# α.toml\nequations.u = "0.2*lap(u) - u*v^2"\ntitle = "Größe 🦓"\n'.repeat(40);

test("a link holds the whole model, shorter, in letters of addresses", async () => {
    const fragment = await fragment_of(kModel);
    assert.match(fragment, /^#model=[A-Za-z0-9_-]+$/);
    assert.ok(fragment.length < kModel.length / 4);
    assert.equal(await model_in(`http://127.0.0.1:8123/${fragment}`), kModel);
    assert.equal(await model_in(`http://127.0.0.1:8123/?token=a${fragment}`), kModel);
});

test("a link of another deflate is read", async () => {
    const packed = deflateSync(Buffer.from(kModel), { level: 1 }).toString("base64url");
    assert.equal(await model_in(`#model=${packed}`), kModel);
});

test("no model, a damaged one, and one that unfolds without end", async () => {
    assert.equal(await model_in("http://127.0.0.1:8123/?token=model=abc"), null);
    const fragment = await fragment_of(kModel);
    await assert.rejects(model_in(fragment.slice(0, -9)), /damaged/);
    await assert.rejects(model_in("#model=AAAA"), /damaged/);
    const not_text = deflateSync(Buffer.from([0xff, 0xfe, 0xfd])).toString("base64url");
    await assert.rejects(model_in(`#model=${not_text}`), /damaged/);
    const bomb = deflateSync(Buffer.alloc(64 << 20)).toString("base64url");
    await assert.rejects(model_in(`#model=${bomb}`), /too long/);
});
