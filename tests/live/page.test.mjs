// tests/live/page.test.mjs: the page of `mottle live` in a real browser: node --test tests/live/page.test.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateSync } from "node:zlib";
import { browse, listen, missing, mottle, root, start } from "./program.mjs";

const kSize = 128;
const kGrid = ["gray-scott", "--size", `${kSize}x${kSize}`, "--threads", "1"];

if (missing && process.env.CI) throw new Error(missing);
const options = { skip: missing || false, timeout: 180_000 };

let browser;
let folder;
before(async () => {
    if (missing) return;
    folder = mkdtempSync(join(tmpdir(), "mottle-live-"));
    browser = await browse();
});
after(async () => {
    await browser?.close();
    if (folder) rmSync(folder, { recursive: true });
});

/// Runs `body` with a program, a page on it, and a client that listens.
function live(name, args, body, size = { width: 1000, height: 800 }) {
    test(name, options, async () => {
        const program = start(...args);
        const url = await program.url;
        const client = await listen(url);
        const context = await browser.newContext({ viewport: size, acceptDownloads: true });
        const page = await context.newPage();
        const wrong = [];
        page.on("pageerror", (error) => wrong.push(error.message));
        try {
            await page.goto(url);
            await page.waitForFunction(() => !document.querySelector(".stage-message") && document.querySelector("canvas").dataset.view);
            await body({ page, client, url, context });
            assert.deepEqual(wrong, [], "errors in the page");
        } finally {
            await context.close();
            client.close();
            await program.stop();
        }
    });
}

/// Until `body` throws no more, as a busy machine draws late.
async function eventually(body, seconds = 30) {
    for (const end = performance.now() + 1000 * seconds; ; await new Promise((done) => setTimeout(done, 200))) {
        try {
            return await body();
        } catch (error) {
            if (performance.now() > end) throw error;
        }
    }
}

/// The picture is the same twice, half a second apart.
async function drawn_still(page) {
    const shot = async () => (await page.locator("canvas").first().screenshot()).toString("base64");
    let before = await shot();
    await eventually(async () => {
        await page.waitForTimeout(500);
        const now = await shot();
        const same = now === before;
        before = now;
        assert.ok(same, "the picture goes on changing");
    });
}

/// The run stands still, and the page has drawn it.
async function pause({ page, client }) {
    client.send({ do: "pause" });
    await client.until(() => client.last.status?.playing === false);
    await page.getByRole("button", { name: "Play" }).waitFor();
    await drawn_still(page);
}

const reaches = ({ client }, step) => client.until(() => client.last.status?.step >= step, 0, 90);

/// Colours of the page at the middles of cells [x, y], as [r, g, b].
async function colours(page, cells) {
    const picture = (await page.locator("canvas").first().screenshot()).toString("base64");
    return page.evaluate(
        async ({ picture, cells }) => {
            const image = new Image();
            image.src = `data:image/png;base64,${picture}`;
            await image.decode();
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [image.width, image.height];
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            const [left, top, scale] = document.querySelector("canvas").dataset.view.split(" ").map(Number);
            return cells.map(([x, y]) => [...context.getImageData(Math.floor(left + scale * (x + 0.5)), Math.floor(top + scale * (y + 0.5)), 1, 1).data].slice(0, 3));
        },
        { picture, cells },
    );
}

/// The page's pixel of a place in cells, in the window.
async function place(page, x, y) {
    const [left, top, scale] = (await page.locator("canvas").first().getAttribute("data-view")).split(" ").map(Number);
    const box = await page.locator("canvas").first().boundingBox();
    return [box.x + left + scale * x, box.y + top + scale * y];
}

async function download(page, action, name) {
    const [file] = await Promise.all([page.waitForEvent("download"), action()]);
    const path = join(folder, name ?? file.suggestedFilename());
    await file.saveAs(path);
    return path;
}

/// All pixels of a PNG whose pixels are cells, as [r, g, b] by row.
async function pixels_of(page, path) {
    return page.evaluate(async (picture) => {
        const image = new Image();
        image.src = `data:image/png;base64,${picture}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        return { width: image.width, height: image.height, rgb: Array.from({ length: image.width * image.height }, (_, i) => [data[4 * i], data[4 * i + 1], data[4 * i + 2]]) };
    }, readFileSync(path).toString("base64"));
}

const apart = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));

live("the page draws what the engine draws", kGrid, async (all) => {
    const { page } = all;
    await reaches(all, 600);
    await pause(all);
    const png = await pixels_of(page, await download(page, () => page.getByRole("button", { name: "Save the picture" }).click(), "page.png"));
    assert.equal(png.width, kSize);
    // The controls over the picture hide nothing of it: every cell of the middle is compared.
    const cells = [];
    for (let y = 0; y < kSize; y += 3) for (let x = 0; x < kSize; x += 3) cells.push([x, y]);
    const drawn = await colours(page, cells);
    const far = cells.map(([x, y], i) => apart(drawn[i], png.rgb[y * kSize + x]));
    const close = far.filter((distance) => distance <= 16).length / far.length;
    assert.ok(close > 0.97, `${(100 * close).toFixed(1)} % of the cells have the engine's colour`);
    const kinds = new Set(png.rgb.map(String));
    assert.ok(kinds.size > 20, "there is a pattern to compare");
});

live("a stroke appears where it was made, and goes with undo", kGrid, async (all) => {
    const { page, client } = all;
    await pause(all);
    const near = [[64, 64], [65, 66]];
    const far = [[20, 100], [100, 20], [64, 40]];
    const [before_near, before_far] = [await colours(page, near), await colours(page, far)];
    const from = client.count();
    await page.keyboard.press("b");
    const [x, y] = await place(page, 64.5, 64.5);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 2, y + 2);
    await page.mouse.up();
    await client.until((message) => message.event === "status" && message.undo === 1, from);
    await page.mouse.move(5, 5);
    await eventually(async () => {
        const after_near = await colours(page, near);
        assert.ok(near.every((_, i) => apart(before_near[i], after_near[i]) > 40), `painted: ${before_near} to ${after_near}`);
    });
    assert.deepEqual(await colours(page, far), before_far);
    await page.keyboard.press("z");
    await client.until((message) => message.event === "status" && message.undo === 0 && message.redo === 1, from);
    await eventually(async () => assert.deepEqual(await colours(page, near), before_near));
});

live("a slider changes the run, and so does a number beyond its range", kGrid, async ({ page, client }) => {
    const slider = page.getByRole("slider", { name: "k", exact: true });
    await slider.focus();
    await page.keyboard.press("End");
    await client.until((message) => message.event === "parameter" && message.name === "k" && message.value === 0.08);
    // The view stays where it is.
    const canvas = page.locator("canvas").first();
    await page.mouse.move(...(await place(page, 64, 64)));
    await page.mouse.wheel(0, -300);
    const view = await canvas.getAttribute("data-view");
    const box = page.getByRole("textbox", { name: /^k / });
    await box.fill("0.2");
    await box.press("Enter");
    await client.until((message) => message.event === "parameter" && message.name === "k" && message.value === 0.2);
    assert.equal(await canvas.getAttribute("data-view"), view);
    await page.keyboard.press("Escape");
    await canvas.focus();
    await page.keyboard.press("0");
    // All of v decays, so the picture becomes one colour.
    client.send({ do: "pace", pace: "most" });
    const step = client.last.status?.step ?? 0;
    await client.until(() => client.last.status.step > step + 400, 0, 90);
    await eventually(async () => {
        const drawn = await colours(page, [[10, 10], [64, 64], [90, 30], [30, 90]]);
        assert.ok(drawn.every((colour) => apart(colour, drawn[0]) <= 2), String(drawn));
    });
});

/// The place of the word in the text of the editor, chosen there.
async function choose_in_editor(page, line_begins, word) {
    const line = page.locator(".cm-line", { hasText: line_begins }).first();
    await line.click();
    await page.keyboard.press("Home");
    const text = await line.textContent();
    for (let i = 0; i < text.lastIndexOf(word); ++i) await page.keyboard.press("ArrowRight");
    for (let i = 0; i < word.length; ++i) await page.keyboard.press("Shift+ArrowRight");
}

live("a wrong equation is underlined at its place while the old one goes on; a right one runs with the fields kept", kGrid, async (all) => {
    const { page, client } = all;
    await reaches(all, 50);
    await page.getByRole("tab", { name: "Equations" }).click();
    await choose_in_editor(page, 'v = "Dv*lap', "k");
    await page.keyboard.type("kil");
    await page.keyboard.press("Escape");
    await page.locator(".cm-lintRange-error").waitFor();
    assert.equal(await page.locator(".cm-lintRange-error").textContent(), "kil");
    assert.match(await page.locator(".editor-state").textContent(), /unknown name 'kil'/);
    const step = client.last.status.step;
    await client.until(() => client.last.status.step > step + 5);
    // What is wrong stays to be mended, whatever else is changed.
    client.send({ do: "set", parameter: "F", value: 0.05 });
    await page.waitForTimeout(500);
    assert.equal(await page.locator(".cm-lintRange-error").textContent(), "kil");

    const generation = client.last.model.generation;
    const from = client.count();
    await choose_in_editor(page, 'v = "Dv*lap', "kil");
    await page.keyboard.type("k*1.01");
    await page.keyboard.press("Escape");
    // What was typed on the way there may have run, too.
    const model = await client.until((message) => message.event === "model" && /\(F \+ k\*1\.01\)\*v/.test(message.text), from);
    assert.equal(model.generation, generation, "not from its start");
    await page.locator(".editor-state.running").waitFor();
    await page.locator(".cm-lintRange-error").waitFor({ state: "detached" });
    await client.until(() => client.last.status.step > step + 10);

    // Tab indents; behind Escape it leaves, for who has no mouse.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Restart with this");
});

live("notes of the start wait behind a number; one that the next text brings again is not told again", [...kGrid, "--dt", "auto"], async (all) => {
    const { page, client } = all;
    await reaches(all, 10);
    const tab = page.getByRole("tab", { name: /^Numerics/ });
    await page.locator(".tabs .unread").waitFor();
    const waiting = parseInt(await page.locator(".tabs .unread").textContent());
    await tab.click();
    await page.locator(".notes li").first().waitFor();
    const notes = await page.locator(".notes li").allTextContents();
    assert.equal(notes.length, waiting);
    assert.match(notes.join("\n"), /^The time step [\d.]+, 0\.9 of the explicit limit/);
    assert.equal(await page.locator(".tabs .unread").count(), 0, "it has been read");
    const from = client.count();
    client.send({ do: "model", text: client.last.model.text.replace("(F + k)*v", "(F + k)*v*1.001") });
    await client.until((message) => message.event === "notice" && /^dt /.test(message.message), from);
    await page.waitForTimeout(500);
    assert.deepEqual((await page.locator(".notes li").allTextContents()).sort(), notes.sort());
    assert.equal(await page.locator(".notices").textContent(), "", "and nothing covers the picture");
});

live("a surface turns, and is painted where the pointer is", ["gray-scott", "--mesh", "sphere:4", "--threads", "1"], async (all) => {
    const { page, client } = all;
    await page.waitForTimeout(500);
    await pause(all);
    const canvas = page.locator("canvas").first();
    const shot = async () => (await canvas.screenshot()).toString("base64");
    const box = await canvas.boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const before_turn = await shot();
    await page.keyboard.press("h");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + 20, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(5, 5);
    await eventually(async () => assert.notEqual(await shot(), before_turn));

    // A run that starts anew is seen from where one was.
    await page.waitForFunction(() => {
        const view = document.querySelector("canvas").dataset.view;
        window.still = window.seen === view ? window.still + 1 : 0;
        window.seen = view;
        return window.still >= 4;  // it has come to rest, and a busy machine has not merely drawn nothing for a second
    }, undefined, { polling: 1000 });
    const turned = await canvas.getAttribute("data-view");
    const generation = client.last.model.generation;
    client.send({ do: "restart" });
    await client.until(() => client.last.model.generation > generation);
    await page.waitForTimeout(1200);
    assert.equal(await canvas.getAttribute("data-view"), turned);

    const from = client.count();
    await page.keyboard.press("b");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.up();
    await client.until((message) => message.event === "status" && message.undo === 1, from);
});

live("what is taken away: the model runs to the same picture, the video plays", kGrid, async (all) => {
    const { page, client, context } = all;
    await page.getByRole("tab", { name: "Save" }).click();
    await page.getByRole("button", { name: /Record a video/ }).click();
    await client.until(() => client.last.status?.recording === true);
    await reaches(all, 200);
    await page.waitForTimeout(1000);
    const video = await download(page, () => page.getByRole("button", { name: /Stop and save/ }).click(), "run.mp4");
    await pause(all);
    const step = client.last.status.step;
    const picture = readFileSync(await download(page, () => page.getByRole("button", { name: /^Picture/ }).click(), "page.png"));
    const model = await download(page, () => page.getByRole("button", { name: /^Model TOML/ }).click(), "page.toml");
    execFileSync(mottle, ["run", model, "--steps", String(step), "--threads", "1", "-o", join(folder, "again.png")], { stdio: "ignore" });
    assert.ok(picture.equals(readFileSync(join(folder, "again.png"))), `another picture at step ${step}`);

    // In a page without rules, since this one may show no media.
    const blank = await context.newPage();
    const seconds = await blank.evaluate(async (bytes) => {
        const player = document.createElement("video");
        player.muted = true;
        player.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], { type: "video/mp4" }));
        return new Promise((resolve) => {
            player.onloadedmetadata = () => resolve(player.duration);
            player.onerror = () => resolve(-1);
        });
    }, readFileSync(video).toString("base64"));
    assert.ok(seconds > 0.5 && seconds < 60, `${seconds} s`);
});

live("model and state go on to the page's next bits, after a stroke too", kGrid, async (all) => {
    const { page, client } = all;
    await reaches(all, 50);
    await pause(all);
    const from = client.count();
    const [x, y] = await place(page, 40, 90);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 20, y - 30, { steps: 3 });
    await page.mouse.up();
    await client.until((message) => message.event === "status" && message.undo === 1, from);
    await page.getByRole("tab", { name: "Save" }).click();
    const files = [];
    page.on("download", (file) => files.push(file));
    await page.getByRole("button", { name: /^Model and state/ }).click();
    while (files.length < 2) await page.waitForTimeout(100);
    const path = (ending) => join(folder, `painted.${ending}`);
    for (const file of files) await file.saveAs(path(file.suggestedFilename().split(".").at(-1)));
    const end = client.last.status.step + 37;
    const at_once = page.getByLabel("Steps at a press of the step button");
    await at_once.fill("37");
    await at_once.press("Tab");
    await page.getByRole("button", { name: "37 steps" }).click();
    await client.until(() => client.last.status.step === end);
    const picture = readFileSync(await download(page, () => page.getByRole("button", { name: /^Picture/ }).click(), "painted.png"));
    execFileSync(mottle, ["run", path("toml"), "--resume", path("state"), "--steps", String(end), "--threads", "1", "-o", join(folder, "resumed.png")], { stdio: "pipe" });
    assert.ok(picture.equals(readFileSync(join(folder, "resumed.png"))), `another picture at step ${end}`);
});

live("a second page sees the same, and a page that is loaded again finds the run", kGrid, async (all) => {
    const { page, url, context, client } = all;
    await reaches(all, 100);
    await pause(all);
    const second = await context.newPage();
    await second.goto(url);
    await second.waitForFunction(() => !document.querySelector(".stage-message"));
    const cells = [[10, 10], [40, 70], [64, 64], [100, 30], [30, 110]];
    const seen = await colours(page, cells);
    await eventually(async () => assert.deepEqual(await colours(second, cells), seen));
    await page.reload();
    await page.waitForFunction(() => !document.querySelector(".stage-message"));
    await eventually(async () => assert.deepEqual(await colours(page, cells), seen));
    const step = client.last.status.step;
    assert.equal((await page.locator("[data-test=step]").textContent()).replace(/\D/g, ""), String(step));
});

live("a model in a link is shown before it runs", kGrid, async ({ page, client, url }) => {
    const text = '# ink.toml\nequations.u = "0.2*lap(u) - u"\ninitial.u = "disk(0.5, 0.5, 9)"\nfields.u.range = [0, 1]\ngrid.size = "64x64"\n';
    const packed = await page.evaluate(async (text) => {
        const bytes = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer();
        return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    }, text);
    const name = client.last.model.name;
    await page.goto("about:blank");
    await page.goto(`${url}#model=${packed}`);
    const dialog = page.getByRole("dialog", { name: /Run the model/ });
    await dialog.waitFor();
    assert.equal(await dialog.locator("pre").textContent(), text);
    assert.equal(client.last.model.name, name, "nothing runs before the click");
    const from = client.count();
    await dialog.getByRole("button", { name: "Run it" }).click();
    const model = await client.until((message) => message.event === "model", from);
    assert.equal(model.text, text);
    assert.ok(!page.url().includes("model="), "a page that is loaded again does not ask again");
});

live("a run that blows up says so, and one click goes back", kGrid, async (all) => {
    const { page, client } = all;
    await reaches(all, 20);
    await page.getByRole("tab", { name: "Numerics" }).click();
    const box = page.getByLabel("Time step");
    await box.fill("8");
    await box.press("Enter");
    const message = page.getByRole("alertdialog", { name: "The run has blown up" });
    await message.waitFor({ timeout: 60_000 });
    await message.getByRole("button", { name: /Go back/ }).click();
    await client.until(() => client.last.model.dt <= client.last.model.stable_dt);
    await message.waitFor({ state: "detached" });
});

live("the message of a run that blows up speaks of the page, its buttons side by side", kGrid, async ({ page, client }) => {
    await page.getByRole("tab", { name: "Numerics" }).click();
    await page.getByLabel("Time step").fill("8");
    await page.getByLabel("Time step").press("Enter");
    const message = page.getByRole("alertdialog", { name: "The run has blown up" });
    await message.waitFor({ timeout: 60_000 });
    assert.match(client.last.diverged.advice, /--dt/, "the program itself speaks of flags");
    const [text, ...boxes] = await Promise.all([message.textContent(), ...["Go back", "Restart"].map((name) => message.getByRole("button", { name }).boundingBox())]);
    assert.match(text, /try a time step of [\d.]+/);
    assert.doesNotMatch(text, /--/);
    assert.equal(boxes[0].y, boxes[1].y);
});

live("Space plays and pauses after a click, and presses what was reached with keys", kGrid, async ({ page, client }) => {
    await page.getByRole("tab", { name: "Save" }).click();
    const offered = [];
    page.on("download", (file) => offered.push(file.suggestedFilename()));
    await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Picture PNG" }).click()]);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Play" }).waitFor();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    assert.equal(offered.length, 1, "nothing more is saved");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Tab");
    await Promise.all([page.waitForEvent("download"), page.keyboard.press("Space")]);
    await page.waitForTimeout(300);
    assert.equal(client.last.status.playing, true);
});

live("the row of presets fades out where there is more of it", kGrid, async ({ page }) => {
    const row = page.getByRole("group", { name: "Presets" });
    await page.waitForFunction(() => document.querySelector(".strip").className === "strip more-right");
    assert.match(await row.evaluate((element) => getComputedStyle(element).maskImage), /calc\(100% - [1-9][\d.]*px\)/);
    await row.evaluate((element) => element.scrollTo({ left: element.scrollWidth, behavior: "instant" }));
    await page.waitForFunction(() => document.querySelector(".strip").className === "strip more-left");
});

/// Drops a file onto the page.
const drop = (page, name, type, bytes) =>
    page.evaluate(
        ({ name, type, bytes }) => {
            const dropped = new DataTransfer();
            dropped.items.add(new File([new Uint8Array(bytes)], name, { type }));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
        },
        { name, type, bytes: [...bytes] },
    );

live("a dropped JPEG becomes the start, and what is no picture and no model is said", kGrid, async (all) => {
    const { page, client } = all;
    await pause(all);
    // White on the left, black on the right, larger than the page sends.
    const jpeg = await page.evaluate(async () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [3000, 1500];
        const context = canvas.getContext("2d");
        context.fillRect(0, 0, 3000, 1500);
        context.fillStyle = "white";
        context.fillRect(0, 0, 1500, 1500);
        const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.9));
        return [...new Uint8Array(await blob.arrayBuffer())];
    });
    await drop(page, "halves.jpg", "", jpeg);
    const dialog = page.getByRole("dialog", { name: "What is this picture?" });
    await dialog.waitFor();
    assert.deepEqual(await dialog.locator("img").evaluate((image) => [image.naturalWidth, image.naturalHeight]), [2048, 1024]);
    const from = client.count();
    await dialog.getByRole("button", { name: "Use it" }).click();
    await client.until((message) => message.event === "model", from);
    await eventually(async () => {
        const [left, left_too, right] = await colours(page, [[40, 40], [50, 90], [90, 64]]);
        assert.ok(apart(left, left_too) < 12 && apart(left, right) > 60, `${left} and ${right}`);
    });

    await drop(page, "broken.jpg", "image/jpeg", jpeg.slice(0, 40));
    await page.getByRole("alert").getByText("broken.jpg: this is neither a picture").waitFor();
    await drop(page, "data.bin", "", [1, 0, 255, 254]);
    await page.getByRole("alert").getByText("data.bin: this is neither a picture").waitFor();
});

live("what the engine says of a surface with few wavelengths covers nothing and can be read", ["gray-scott", "--mesh", "sphere:3", "--threads", "1"], async ({ page, client }) => {
    const { message } = await client.until((said) => said.event === "notice" && said.message.includes("--refine"));
    const before = client.last.model.domain.faces;
    await page.getByRole("tab", { name: /^Numerics \d notes?$/ }).waitFor();
    assert.equal(await page.locator(".notice").count(), 0);
    await page.getByRole("tab", { name: "Numerics" }).click();
    const shown = page.getByRole("listitem").getByText("draws 12 smoothly");
    await shown.waitFor();
    assert.equal(await shown.textContent(), message.replace("--refine", "refinement"));
    await page.getByRole("tab", { name: "Numerics", exact: true }).waitFor();
    const from = client.count();
    await page.getByLabel("Refinement").fill("1");
    await page.getByLabel("Refinement").press("Enter");
    const model = await client.until((said) => said.event === "model", from);
    assert.equal(model.domain.faces, 4 * before);
});

live("a coarse mesh opens refined, with the method of a run", ["gray-scott", "--mesh", join(root, "examples/meshes/spot.obj")], async ({ page, client }) => {
    const model = client.last.model;
    assert.deepEqual([model.domain.vertices, model.refinement, model.method], [46850, 2, "sts2"]);
    await page.getByRole("tab", { name: "Numerics" }).click();
    assert.equal(await page.getByLabel("Refinement").getAttribute("placeholder"), "automatic: 2");
    await pause({ page, client });
    const from = client.count();
    await page.getByLabel("Refinement").fill("0");
    await page.getByLabel("Refinement").press("Enter");
    const coarse = await client.until((said) => said.event === "model", from);
    assert.deepEqual([coarse.domain.vertices, coarse.refinement], [2930, 0]);
});

for (const [what, highest] of [["in its range", 1], ["above its range", 0.25]])
    test(`the graph of a row ends at its highest value, ${what}`, options, async () => {
        const model = join(folder, "peak.toml");
        writeFileSync(model, `equations.u = "0*u"\ninitial.u = "where(abs(x - 200.5) < 1, 0.5, 0.1)"\nfields.u.range = [0, ${highest}]\ngrid.size = 400\n`);
        const program = start(model, "--threads", "1", "--dt", "0.1", "--palette", "inferno");
        const context = await browser.newContext({ viewport: { width: 1400, height: 800 } });
        try {
            const page = await context.newPage();
            await page.goto(await program.url);
            await page.waitForFunction(() => !document.querySelector(".stage-message") && document.querySelector("canvas").dataset.view);
            await page.waitForTimeout(500);
            // From the foot of the graph, which begins 0.02 of what it shows below 0.
            const [foot, peak, level] = await page.evaluate(
                async ({ picture }) => {
                    const image = new Image();
                    image.src = `data:image/png;base64,${picture}`;
                    await image.decode();
                    const canvas = document.createElement("canvas");
                    [canvas.width, canvas.height] = [image.width, image.height];
                    const context = canvas.getContext("2d", { willReadFrequently: true });
                    context.drawImage(image, 0, 0);
                    const [left, top, scale] = document.querySelector("canvas").dataset.view.split(" ").map(Number);
                    const drawn = (x) => {
                        const { data } = context.getImageData(Math.round(x), Math.ceil(top), 1, Math.floor(180 * scale) + 20);
                        const rows = Array.from({ length: data.length / 4 }, (_, y) => y).filter((y) => [0, 1, 2].some((i) => Math.abs(data[4 * y + i] - data[data.length - 4 + i]) > 24));
                        return [rows[0], rows.at(-1)];
                    };
                    const near = Array.from({ length: 13 }, (_, i) => drawn(left + scale * 200.5 + i - 6)[0]);
                    const [level, foot] = drawn(left + scale * 100);
                    return [foot, Math.min(...near), level];
                },
                { picture: (await page.locator("canvas").first().screenshot()).toString("base64") },
            );
            const times = (foot - peak) / (foot - level);
            const below = 0.02 * Math.max(0.5, highest);
            assert.ok(Math.abs(times - (0.5 + below) / (0.1 + below)) < 0.3, `0.5 is drawn ${times.toFixed(2)} times as high as 0.1: ${foot}, ${peak}, ${level}`);
        } finally {
            await context.close();
            await program.stop();
        }
    });

live("two fingers zoom, one paints", kGrid, async (all) => {
    const { page, client, context } = all;
    await pause(all);
    const canvas = page.locator("canvas").first();
    const scale = async () => Number((await canvas.getAttribute("data-view")).split(" ")[2]);
    const before = await scale();
    const [x, y] = await place(page, 64, 64);
    const devtools = await context.newCDPSession(page);
    const touch = (type, ...points) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    await touch("touchStart", [x - 30, y], [x + 30, y]);  // at once: on a busy machine two messages may lie further apart than two fingers may
    for (let i = 1; i <= 6; ++i) await touch("touchMove", [x - 30 - 10 * i, y], [x + 30 + 10 * i, y]);
    await touch("touchEnd");
    assert.ok(Math.abs((await scale()) / before - 3) < 0.2, `${await scale()} instead of ${3 * before}`);
    assert.equal(client.last.status.undo, 0, "a pinch paints nothing");
    const from = client.count();
    await touch("touchStart", [x, y]);
    await touch("touchMove", [x + 12, y]);
    await touch("touchMove", [x + 24, y]);
    await touch("touchEnd");
    await client.until((message) => message.event === "status" && message.undo === 1, from);
});

live("the picture comes back after the browser has taken the graphics memory away", kGrid, async (all) => {
    const { page } = all;
    await reaches(all, 300);
    await pause(all);
    const cells = [[10, 10], [40, 70], [64, 64], [100, 30], [30, 110]];
    const seen = await colours(page, cells);
    await page.evaluate(() => {
        const loss = document.querySelector("canvas").getContext("webgl2").getExtension("WEBGL_lose_context");
        loss.loseContext();
        setTimeout(() => loss.restoreContext(), 300);
    });
    await page.getByText("The picture is lost").waitFor();
    await page.getByText("The picture is lost").waitFor({ state: "detached" });
    await eventually(async () => assert.deepEqual(await colours(page, cells), seen));
});

live("the eraser brings back what most of the start was", kGrid, async (all) => {
    const { page, client } = all;
    await reaches(all, 200);
    await pause(all);
    const field = (name) => client.last.model.fields.find((each) => each.name === name);
    assert.deepEqual([field("u").rest, field("v").rest], [1, 0]);
    assert.deepEqual(field("u").range, [0, 1], "its low end is not what is brought back");
    await page.keyboard.press("e");
    await page.getByRole("group", { name: "Eraser" }).getByRole("radio", { name: "u" }).check();
    const [x, y] = await place(page, 64.5, 64.5);
    const from = client.count();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.up();
    await client.until((message) => message.event === "status" && message.undo === 1, from);
    client.send({ do: "probe", probe: 7, at: [64.5, 64.5] });
    const { probes } = await client.until((message) => message.event === "samples" && message.probes.some(({ probe }) => probe === 7), from);
    assert.equal(probes.find(({ probe }) => probe === 7).values.u, 1);
});

live("a stray recording is seen by the page that is loaded again, which can end it", kGrid, async ({ page, client }) => {
    await page.keyboard.press("v");
    await client.until(() => client.last.status?.recording === true);
    await page.reload();
    await page.getByRole("status").getByText("Recording").waitFor();
    await page.getByRole("tab", { name: "Save" }).click();
    assert.match(await download(page, () => page.getByRole("button", { name: /Stop and save/ }).click(), "stray.mp4"), /stray/);
});

test("a link on the command line is shown before it runs", options, async () => {
    const text = 'title = "Slow decay"\nequations.w = "-w/100"\ninitial.w = "X"\ngrid.size = "16x16"\n';
    const link = `http://127.0.0.1:1/#model=${deflateSync(text).toString("base64url")}`;
    const program = start(link, "--threads", "1");
    const url = await program.url;
    const client = await listen(url.replace(/#.*/, ""));
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
    try {
        const page = await context.newPage();
        await page.goto(url);
        const dialog = page.getByRole("dialog", { name: "Run the model from a link?" });
        await dialog.waitFor();
        assert.equal(await dialog.locator("pre").textContent(), text);
        assert.equal(client.last.model.name, "gray-scott", "it does not run yet");
        await dialog.getByRole("button", { name: "Run it" }).click();
        const model = await client.until((message) => message.event === "model" && message.title === "Slow decay");
        assert.equal(model.text, text);
    } finally {
        await context.close();
        client.close();
        await program.stop();
    }
    assert.throws(() => execFileSync(mottle, ["live", "http://127.0.0.1:1/#model=a%20b", "--no-open"], { stdio: "pipe" }), /this link holds no model/);
});

test("the program allows the page what the page allows itself, and a notebook of this computer shows it in a frame", options, async () => {
    const program = start(...kGrid);
    const url = await program.url;
    const answer = await fetch(url);
    const header = answer.headers.get("content-security-policy");
    const own = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(await answer.text())[1];
    assert.ok(header.startsWith(`${own}; frame-ancestors`), header);
    assert.match(header, /script-src 'sha256-[^']+';/);
    const other = await fetch(`${new URL(url).origin}/file/1/none${new URL(url).search}`);
    assert.match(other.headers.get("content-security-policy"), /^default-src 'none';/);
    const notebook = createServer((_, response) => response.setHeader("content-type", "text/html").end(`<iframe src="${url}" width="900" height="700"></iframe>`));
    await new Promise((listening) => notebook.listen(0, "127.0.0.1", listening));
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
    try {
        const page = await context.newPage();
        await page.goto(`http://localhost:${notebook.address().port}/`);
        await page.frameLocator("iframe").getByRole("button", { name: "Pause" }).waitFor();
    } finally {
        await context.close();
        notebook.close();
        await program.stop();
    }
});

test("a wrong token gets nothing", options, async () => {
    const program = start(...kGrid);
    const url = new URL(await program.url);
    try {
        for (const query of ["", "?token=", `?token=${"0".repeat(32)}`]) {
            assert.equal((await fetch(`${url.origin}/${query}`)).status, 403);
            await assert.rejects(listen(`${url.origin}/${query}`), /403/);
        }
    } finally {
        await program.stop();
    }
});

test("a message that is too long is refused for its length, in one piece or in several", options, async () => {
    const program = start(...kGrid);
    const client = await listen(await program.url);
    try {
        const half = "x".repeat(17 << 20);
        for (const pieces of [[half + half], [half, half], [half, half, half]]) {
            const from = client.count();
            pieces.forEach((piece, i) => client.send_piece(piece, i + 1 === pieces.length));
            const refusal = await client.until((message) => message.event === "error", from);
            assert.match(JSON.stringify(refusal), /at most 32 MiB/);
        }
        const from = client.count();
        client.send({ do: "jump", id: 3 });
        assert.match(JSON.stringify(await client.until((message) => message.event === "error", from)), /unknown message 'jump'/);
    } finally {
        client.close();
        await program.stop();
    }
});

test("a page too many is told why it is not connected", options, async () => {
    const program = start(...kGrid);
    const address = await program.url;
    const url = new URL(address);
    const clients = [];
    try {
        for (let i = 0; i < 24; ++i) {
            clients.push(await listen(address));
            await clients[i].until((message) => message.event === "hello");
        }
        await assert.rejects(listen(address), /503/);
        const headers = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "bW90dGxlIG1vdHRsZSBtLg==" };
        const answer = await new Promise((found, failed) => get(`${url.origin}/ws${url.search}`, { headers }, found).on("error", failed));
        let text = "";
        for await (const piece of answer) text += piece;
        assert.equal(answer.statusCode, 503);
        assert.match(text, /^24 pages are connected/);
    } finally {
        for (const client of clients) client.close();
        await program.stop();
    }
});

test("of pages that connect at the same moment no more stay than there are places", options, async () => {
    const program = start(...kGrid);
    const address = await program.url;
    try {
        const clients = (await Promise.allSettled(Array.from({ length: 180 }, () => listen(address)))).filter((one) => one.status === "fulfilled");
        const greeted = await Promise.allSettled(clients.map((one) => one.value.until((message) => message.event === "hello", 0, 5)));
        assert.equal(greeted.filter((one) => one.status === "fulfilled").length, 24);
        for (const one of clients) one.value.close();
    } finally {
        await program.stop();
    }
});

const kScreens = [
    { width: 1366, height: 768 },
    { width: 820, height: 1100 },
    { width: 390, height: 844 },
    { width: 844, height: 390 },
];
for (const [what, grid] of [["a volume", ["--size", "32x32x32"]], ["a surface", ["--mesh", "sphere:3"]]])
    test(`notices cover no control of ${what} on screens of all sizes, nor do controls each other`, options, async () => {
        const program = start("gray-scott", ...grid, "--threads", "1");
        const url = await program.url;
        try {
            for (const viewport of kScreens) {
                const context = await browser.newContext({ viewport });
                const page = await context.newPage();
                await page.goto(url);
                await page.getByRole("button", { name: "Pause" }).waitFor();
                await drop(page, "data.bin", "", [1, 0, 255, 254]);
                await page.getByRole("alert").getByText("data.bin: this is neither a picture").waitFor();
                await page.evaluate(() => Promise.all([...document.querySelectorAll(".notice")].flatMap((notice) => notice.getAnimations()).map((one) => one.finished)));
                if (process.env.MOTTLE_SCREENSHOTS) await page.screenshot({ path: join(process.env.MOTTLE_SCREENSHOTS, `${what.slice(2)}-${viewport.width}.png`) });
                const covered = await page.evaluate(() => {
                    const shown = (element) => element.getBoundingClientRect();
                    const notices = [...document.querySelectorAll(".notice")].map(shown);
                    const controls = [...document.querySelectorAll(".stage :is(button, input, select, .colour-bar)")];
                    const meets = (a, b) => a.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
                    return controls
                        .filter((control) => !control.closest(".notice") && notices.some((notice) => meets(shown(control), notice)))
                        .map((control) => control.getAttribute("aria-label") ?? control.textContent ?? control.className);
                });
                assert.deepEqual(covered, [], `${viewport.width} x ${viewport.height}`);
                const together = await page.evaluate(() => {
                    const cards = [...document.querySelectorAll(".bottom-row > :is(.slices, .transport), .bottom-row > :is(.colour-corner, .fit-corner) > *")];
                    const boxes = cards.map((card) => [card.className, card.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
                    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
                    return boxes.flatMap(([a, one], i) => boxes.slice(i + 1).filter(([, other]) => meet(one, other)).map(([b]) => `${a} on ${b}`));
                });
                assert.deepEqual(together, [], `${viewport.width} x ${viewport.height}`);
                await context.close();
            }
        } finally {
            await program.stop();
        }
    });
