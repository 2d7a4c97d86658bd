// apps/live/build.mjs: bundles the page into one HTML file that needs nothing else: `node build.mjs OUT/index.html`
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const kLargest = 1_500_000;  // bytes of the page

/// The script and the styles of the page, as text.
async function bundle() {
    const result = await build({
        absWorkingDir: here,
        entryPoints: [join(here, "src/main.tsx")],
        outdir: "out",
        bundle: true,
        write: false,
        minify: true,
        format: "iife",
        target: ["chrome111", "firefox121", "safari16.4"],
        charset: "utf8",
        legalComments: "none",
        jsx: "automatic",
        jsxImportSource: "preact",
        loader: { ".woff2": "dataurl", ".webp": "dataurl" },
        logLevel: "warning",
    });
    const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
    // Text that would end the element early cannot stand in it.
    return { script: text(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--"), styles: text(".css") };
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/// What the page may do: run its own script, and speak with the program that sent it; nothing from elsewhere.
function policy(script) {
    return [
        "default-src 'none'",
        `script-src ${hash(script)}`,
        "style-src 'unsafe-inline'",
        "font-src data:",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    ].join("; ");
}

/// The licences of the packages whose code or letters are in the page, each text once.
async function licences() {
    const { dependencies } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
    const by_text = new Map();
    const seen = new Set();
    const add = async (name) => {
        if (seen.has(name)) return;
        seen.add(name);
        const folder = join(here, "node_modules", name);
        const about = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
        const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
        const text = file ? (await readFile(join(folder, file), "utf8")).trim() : about.license;
        const owner = /^.*copyright.*$/im.exec(text)?.[0].trim() ?? "";
        const body = text.replace(/^.*copyright \(c\).*$/im, "").replace(/^.*MIT license.*$/im, "").replace(/\s+/g, " ").trim();
        by_text.set(body, [...(by_text.get(body) ?? []), `${name} ${about.version} (${about.license}). ${owner}`]);
        for (const needed of Object.keys(about.dependencies ?? {})) await add(needed);
    };
    for (const name of Object.keys(dependencies)) await add(name);
    return [...by_text].map(([text, names]) => `${names.join("\n")}\n\n${text}`).join("\n\n");
}

const out = resolve(process.argv[2] ?? join(here, "out/index.html"));
const [{ script, styles }, template, notes] = await Promise.all([bundle(), readFile(join(here, "index.html"), "utf8"), licences()]);
const page = template
    .replace("<!-- policy -->", () => `<meta http-equiv="Content-Security-Policy" content="${policy(script)}">`)
    .replace("<!-- styles -->", () => `<style>${styles}</style>`)
    .replace("<!-- licences -->", () => `<script type="text/plain" id="licences">\n${notes.replaceAll("</", "<\\/")}\n</script>`)
    .replace("<!-- script -->", () => `<script>${script}</script>`);
const bytes = Buffer.byteLength(page);
if (bytes > kLargest) throw new Error(`the page has ${bytes} bytes, more than ${kLargest}`);
await mkdir(dirname(out), { recursive: true });
await writeFile(out, page);
console.log(`${out}: ${Math.round(bytes / 1000)} kB`);
