// apps/live/tests/run.mjs: bundles the unit tests of the page and runs them with Node's test runner
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "mottle-page-tests-"));
const tests = (await readdir(here)).filter((name) => name.endsWith(".test.ts"));
await build({
    entryPoints: tests.map((name) => join(here, name)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    define: { "process.env.MOTTLE_SOURCES": JSON.stringify(process.env.MOTTLE_SOURCES ?? join(here, "../../..")) },
    logLevel: "warning",
});
const { status } = spawnSync(process.execPath, ["--test", ...tests.map((name) => join(folder, name.replace(/\.ts$/, ".mjs")))], { stdio: "inherit" });
await rm(folder, { recursive: true });
process.exitCode = status ?? 1;
