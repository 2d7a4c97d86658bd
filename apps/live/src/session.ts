// apps/live/src/session.ts: what the page knows of the run, and what one asks of it
import { computed, effect, signal } from "@preact/signals";
import { palette_bytes } from "./colour";
import { Connection, type LinkState } from "./connection";
import { type Geometry, read_binary, type Values } from "./frame";
import { in_words_of_page } from "./words";
import type { Diverged, Failure, Hello, Incoming, MapDone, Model, OfferedFile, Outgoing, ParameterSet, PictureLook, Samples, Status } from "./protocol";

export const link = signal<LinkState>("connecting");
export const hello = signal<Hello | null>(null);
export const model = signal<Model | null>(null);
export const status = signal<Status | null>(null);
export const diverged = signal<Diverged | null>(null);
export const notices = signal<{ key: number; text: string; kind: "note" | "error" | "done" }[]>([]);
/// The newest things that the engine has said, newest first: they stay to be read after their notices have gone.
export const said = signal<readonly string[]>([]);
/// How many of them came before the first picture, which they would cover, and have not been looked at.
export const unread = signal(0);
/// The sheet of two parameters: none, under way, or done.
export const map = signal<{ done: number } | MapDone | null>(null);
/// Whether a frame has come since the page was opened.
export const has_frame = signal(false);

export const shown_field = signal("");
export const palette_name = signal("lagoon");
/// The range that is drawn: as given, or that of each frame.
export const range = signal<{ auto: boolean; lo: number; hi: number }>({ auto: false, lo: 0, hi: 1 });
/// Least and largest value of the newest frame.
export const seen_range = signal<[number, number]>([0, 1]);
export const slice = signal<{ axis: "x" | "y" | "z"; at: number }>({ axis: "z", at: 0 });

export const palettes = computed(() => {
    const all = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const [name, bytes] of Object.entries(hello.value?.palettes ?? {})) all.set(name, palette_bytes(bytes));
    return all;
});
export const palette = computed(() => palettes.value.get(palette_name.value) ?? [...palettes.value.values()][0] ?? null);
export const domain = computed(() => model.value?.domain ?? null);
export const is_surface = computed(() => domain.value?.kind === "mesh");
export const is_volume = computed(() => domain.value?.kind === "grid" && domain.value.size[2] > 1);

/// Cells of the plane that is shown: of a slice along x those of y and z, along y those of x and z.
export const plane_size = computed<[number, number]>(() => {
    const grid = domain.value;
    if (grid?.kind !== "grid") return [1, 1];
    const [nx, ny, nz] = grid.size;
    if (nz <= 1) return [nx, ny];
    if (slice.value.axis === "x") return [ny, nz];
    return slice.value.axis === "y" ? [nx, nz] : [nx, ny];
});

/// The same, as a value that changes only with the size.
export const plane_key = computed(() => plane_size.value.join("x"));

export const fields = computed(() => model.value?.fields ?? []);

export const token = new URLSearchParams(location.search).get("token") ?? "";

type Listener<T> = (message: T) => void;
const frame_listeners = new Set<Listener<Values>>();
const geometry_listeners = new Set<Listener<Geometry>>();
const sample_listeners = new Set<Listener<Samples>>();
const opening_listeners = new Set<() => void>();

export const on_frame = (listener: Listener<Values>) => void frame_listeners.add(listener);
export const on_geometry = (listener: Listener<Geometry>) => void geometry_listeners.add(listener);
export const on_samples = (listener: Listener<Samples>) => void sample_listeners.add(listener);
/// Whenever a connection begins: what this page shows must be told anew.
export const on_opening = (listener: () => void) => void opening_listeners.add(listener);

let next_notice = 1;
const kReading = 80;  // milliseconds for a letter
const kMostSaid = 8;  // as many as the engine keeps for pages that come later

/// From the start of a connection to its first picture.
let greeted = false;

function hear(message: string): void {
    const text = shown_text(message);
    const is_new = !said.value.includes(text);
    said.value = [text, ...said.value.filter((other) => other !== text)].slice(0, kMostSaid);
    // What each text of a model brings again, letter by letter, has been seen.
    if (message.startsWith("warning:") || (greeted && is_new)) tell(message);
    else if (is_new) unread.value = Math.min(unread.value + 1, kMostSaid);
}

/// What the program says, in the words of the page.
export function shown_text(message: string): string {
    const now = model.value;
    return in_words_of_page(message, [...(now?.fields ?? []), ...(now?.parameters ?? [])].map(({ name }) => name));
}

export function tell(message: string, kind: "note" | "error" | "done" = "note"): void {
    const text = shown_text(message);
    if (notices.value.some((notice) => notice.text === text)) return;
    const key = next_notice++;
    notices.value = [...notices.value.slice(-3), { key, text, kind }];
    const time = Math.max(kind === "error" ? 12000 : 7000, kReading * text.length);
    // Behind another window nobody has read it.
    const go = () => (document.hidden ? window.setTimeout(go, time) : dismiss(key));
    window.setTimeout(go, time);
}

export function dismiss(key: number): void {
    notices.value = notices.value.filter((notice) => notice.key !== key);
}

/// The newest text that the run has, with a start anew counted, so that the colours follow a model but not a slider.
let colours_of = "";

function follow_model(next: Model): void {
    const before = model.value;
    model.value = next;
    const names = next.fields.map((field) => field.name);
    const key = `${next.name}|${next.preset}|${names.join()}`;
    if (key !== colours_of) {
        colours_of = key;
        shown_field.value = next.shown_field;
        palette_name.value = next.palette;
        range.value = next.range ? { auto: false, lo: next.range[0], hi: next.range[1] } : { auto: true, lo: range.value.lo, hi: range.value.hi };
    } else if (!names.includes(shown_field.value)) {
        shown_field.value = next.shown_field;
    }
    if (!before || before.generation !== next.generation) diverged.value = null;
    const size = next.domain.kind === "grid" ? next.domain.size : null;
    const was = before?.domain.kind === "grid" ? before.domain.size : null;
    if (size && size.join() !== was?.join()) slice.value = { axis: "z", at: Math.floor(size[2] / 2) };
}

function follow_parameter(set: ParameterSet): void {
    const now = model.value;
    if (!now) return;
    const parameters = now.parameters.map((parameter) => (parameter.name === set.name ? { ...parameter, value: set.value, map: false } : parameter));
    model.value = { ...now, parameters, dt: set.dt, stable_dt: set.stable_dt, warning: set.warning };
}

/// How the page draws, for pictures and videos that the program makes.
export function picture_look(): PictureLook {
    return { field: shown_field.value, palette: palette_name.value, range: [range.value.lo, range.value.hi] };
}

function receive(message: Incoming, claimed: boolean): void {
    switch (message.event) {
        case "hello":
            hello.value = message;
            greeted = false;
            break;
        case "model": follow_model(message); break;
        case "parameter": follow_parameter(message); break;
        case "status":
            status.value = message;
            if (diverged.value && message.step !== diverged.value.step) diverged.value = null;
            break;
        case "samples": for (const listener of sample_listeners) listener(message); break;
        case "notice": hear(message.message); break;
        case "diverged": diverged.value = message; break;
        case "map":
            if (message.state === "running") map.value = { done: message.done };
            else map.value = message.state === "done" ? message : null;
            break;
        case "error":
            if (!claimed) tell(message.hint ? `${message.message} (${message.hint})` : message.message, "error");
            break;
        case "file":
            if (!claimed) download(message);
            break;
    }
}

let reading: Promise<void> = Promise.resolve();

function receive_binary(bytes: ArrayBuffer): void {
    reading = reading.then(async () => {
        try {
            const message = await read_binary(bytes);
            if (message.kind === "geometry") {
                for (const listener of geometry_listeners) listener(message);
            } else {
                greeted = has_frame.value = true;
                for (const listener of frame_listeners) listener(message);
            }
        } catch (error) {
            tell(error instanceof Error ? error.message : String(error), "error");
        }
    });
}

const connection = new Connection(token, {
    state(state) {
        link.value = state;
        if (state === "open") {
            send({ do: "visible", visible: !document.hidden });
            for (const listener of opening_listeners) listener();
        }
    },
    message: receive,
    binary: receive_binary,
});

export function send(message: Outgoing): void {
    connection.send(message);
}

export const ask = (message: Outgoing): Promise<Incoming | null> => connection.ask(message);
export const reconnect = (): void => connection.connect();

document.addEventListener("visibilitychange", () => send({ do: "visible", visible: !document.hidden }));

/// The address of a file that the program offers.
export function address_of(url: string): string {
    return `${url}${url.includes("?") ? "&" : "?"}token=${encodeURIComponent(token)}`;
}

/// Saves an offered file through the browser.
export function download(file: OfferedFile): void {
    const anchor = document.createElement("a");
    anchor.href = address_of(file.url);
    anchor.download = file.name;
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
    tell(`Saved ${file.name}`, "done");
}

export function failure_text(answer: Incoming | null): string {
    return answer?.event === "error" ? (answer as Failure).message : "the connection was lost";
}

effect(() => {
    const name = model.value?.title || model.value?.name;
    const preset = model.value?.preset;
    document.title = name ? `${name}${preset ? `, ${preset}` : ""} · Mottle` : "Mottle";
});
