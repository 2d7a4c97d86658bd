// tests/live/program.mjs: for the tests of the page: `mottle live` as a process, a browser, and a client that listens
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const mottle = process.env.MOTTLE ?? join(root, "build/release/bin/mottle");
const chromium_path = process.env.CHROMIUM ?? "/usr/bin/chromium";
// The packages of the page: here, or where the build has put them.
const packages = [process.env.MOTTLE_PAGE_PACKAGES, join(root, "apps/live"), join(root, "build/release/page/copy")].find(
    (folder) => folder && existsSync(join(folder, "node_modules/playwright-core")),
);

/// Why the tests cannot run here; empty where they can.
export const missing = !existsSync(mottle)
    ? `${mottle} is not built`
    : !existsSync(chromium_path)
      ? `${chromium_path} is not there`
      : !packages
        ? "playwright-core is not there: npm ci --ignore-scripts in apps/live"
        : "";

const from_packages = packages ? createRequire(join(packages, "package.json")) : null;

/// Starts `mottle live` with the arguments and waits for its address.
export function start(...args) {
    const child = spawn(mottle, ["live", ...args, "--no-open", "--json"], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    const url = new Promise((found, failed) => {
        child.stdout.on("data", (bytes) => {
            said += bytes;
            const match = /"url": "([^"]+)"/.exec(said);
            if (match) found(match[1]);
        });
        child.stderr.on("data", (bytes) => (said += bytes));
        child.on("exit", (code) => failed(new Error(`mottle live ended with ${code}: ${said}`)));
    });
    const stop = () =>
        new Promise((ended) => {
            if (child.exitCode !== null) return ended();
            child.on("exit", ended);
            child.kill("SIGINT");
        });
    return { url, stop };
}

/// Debian's browser, without a display and without a word to anybody else.
export async function browse() {
    const { chromium } = from_packages("playwright-core");
    return chromium.launch({
        executablePath: chromium_path,
        args: [
            "--no-sandbox", "--enable-unsafe-swiftshader", "--use-angle=swiftshader", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
        ],
    });
}

/// A client without a browser: keeps what the program says, and asks.
export async function listen(url) {
    const { WebSocket } = from_packages("ws");
    const address = new URL(url);
    const socket = new WebSocket(`ws://${address.host}/ws${address.search}`, { origin: address.origin });
    const said = [];
    const waiting = new Set();
    const last = {};
    socket.on("message", (data, binary) => {
        if (binary) {
            socket.send(JSON.stringify({ do: "ack", frame: data.readUInt32LE(8) }));
            return;
        }
        const message = JSON.parse(data);
        said.push(message);
        last[message.event] = message;
        for (const look of [...waiting]) look();
    });
    await new Promise((opened, failed) => socket.on("open", opened).on("error", failed));
    /// The first message, from now on or already there, of which `is` is true.
    const until = (is, from = 0, seconds = 30) =>
        new Promise((found, failed) => {
            const timer = setTimeout(() => failed(new Error(`waited ${seconds} s for ${is}`)), 1000 * seconds);
            const look = () => {
                const message = said.slice(from).find(is);
                if (!message) return;
                clearTimeout(timer);
                waiting.delete(look);
                found(message);
            };
            waiting.add(look);
            look();
        });
    return {
        last,
        until,
        count: () => said.length,
        send: (message) => socket.send(JSON.stringify(message)),
        /// A piece of a message as it is; `last` ends the message.
        send_piece: (text, last) => socket.send(text, { fin: last }),
        close: () => socket.close(),
    };
}
