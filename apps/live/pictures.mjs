// apps/live/pictures.mjs: makes the small pictures of all presets anew: `node pictures.mjs ../../build/release/bin/mottle [CHROMIUM]`
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const models = join(here, "../../models");
const out = join(here, "src/pictures");
const kSides = [128, 256, 512];  // cells a side of a run; the next where the one before leaves nothing to see
const kShown = 0.72;   // the share of a side that the picture shows
const kTile = 64;      // pixels
const kQuality = 0.6;  // of WebP

const mottle = process.argv[2];
if (!mottle) throw new Error("say where mottle is: node pictures.mjs MOTTLE [CHROMIUM]");
const kept = process.env.MOTTLE_PICTURES;  // a folder whose pictures are used again
const folder = kept ?? (await mkdtemp(join(tmpdir(), "mottle-pictures-")));
const browser = await chromium.launch({ executablePath: process.argv[3] ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage();

/// Whether brightness varies in what is shown; run in the browser.
async function has_pattern({ picture, shown }) {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 64;
    const context = canvas.getContext("2d");
    const [wide, high] = [shown * image.width, shown * image.height];
    context.drawImage(image, (image.width - wide) / 2, (image.height - high) / 2, wide, high, 0, 0, 64, 64);
    const { data } = context.getImageData(0, 0, 64, 64);
    const grey = Array.from({ length: 4096 }, (_, i) => data[4 * i] + data[4 * i + 1] + data[4 * i + 2]);
    const mean = grey.reduce((sum, value) => sum + value, 0) / 4096;
    return Math.sqrt(grey.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4096) > 25;
}

const entries = [];
for (const file of (await readdir(models)).filter((name) => name.endsWith(".toml")).sort()) {
    const model = basename(file, ".toml");
    const text = await readFile(join(models, file), "utf8");
    const presets = [...text.matchAll(/^\[presets\.([\w-]+)\]/gm)].map((match) => match[1]);
    const pictures = [];
    for (const preset of presets) {
        let picture = "";
        for (const side of kSides) {
            const path = join(folder, `${model}@${preset}${side === kSides[0] ? "" : `@${side}`}.png`);
            if (!existsSync(path)) execFileSync(mottle, ["run", model, "--preset", preset, "--size", `${side}x${side}`, "-o", path], { stdio: "ignore" });
            picture = (await readFile(path)).toString("base64");
            if (await page.evaluate(has_pattern, { picture, shown: kShown })) break;
        }
        pictures.push(picture);
    }
    const sheet = await page.evaluate(
        async ({ pictures, shown, tile, quality }) => {
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [tile * pictures.length, tile];
            const context = canvas.getContext("2d");
            context.imageSmoothingQuality = "high";
            for (const [column, picture] of pictures.entries()) {
                const image = new Image();
                image.src = `data:image/png;base64,${picture}`;
                await image.decode();
                const [wide, high] = [shown * image.width, shown * image.height];
                context.drawImage(image, (image.width - wide) / 2, (image.height - high) / 2, wide, high, tile * column, 0, tile, tile);
            }
            return canvas.toDataURL("image/webp", quality).split(",")[1];
        },
        { pictures, shown: kShown, tile: kTile, quality: kQuality },
    );
    await writeFile(join(out, `${model}.webp`), Buffer.from(sheet, "base64"));
    entries.push({ model, presets });
}
await browser.close();
if (!kept) await rm(folder, { recursive: true });

const name_of = (model) => model.replaceAll("-", "_");
await writeFile(
    join(out, "sheets.ts"),
    `// apps/live/src/pictures/sheets.ts: the small pictures of the built-in models, one sheet for each; written by pictures.mjs
${entries.map(({ model }) => `import ${name_of(model)} from "./${model}.webp";`).join("\n")}

export const kTile = ${kTile};  // pixels

export const kSheets: Record<string, { presets: string[]; address: string }> = {
${entries.map(({ model, presets }) => `    "${model}": { address: ${name_of(model)}, presets: ${JSON.stringify(presets)} },`).join("\n")}
};
`,
);
