// apps/live/src/ui/files.tsx: pictures, models and links that come into the page, and the questions asked before they are used
import { useSignal } from "@preact/signals";
import { model_in } from "../link";
import * as session from "../session";
import { Dialog } from "./controls";
import { dropped, review } from "./state";

const kLongestMessage = 32 << 20;  // bytes; of the protocol
const kLongestModel = 4 << 20;
const kLongestSide = 2048;  // pixels, of pictures that are made into PNG here

function base64_of(bytes: Uint8Array): string {
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(text);
}

/// The text of a model; null where the bytes are no text.
async function text_in(file: Blob): Promise<string | null> {
    if (file.size > kLongestModel) return null;
    try {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
        return text.includes("\0") ? null : text;
    } catch {
        return null;
    }
}

/// A picture that the browser can read, of whatever kind; null where it cannot. Drawings without a size of their own need an element.
async function picture_in(file: Blob): Promise<HTMLImageElement | null> {
    const picture = new Image();
    picture.src = URL.createObjectURL(file);
    try {
        await picture.decode();
        return picture;
    } catch {
        return null;
    } finally {
        URL.revokeObjectURL(picture.src);
    }
}

/// A PNG as it is, with all of its bits; another kind of picture as a PNG of its pixels, of at most `kLongestSide` on a side.
async function png_of(file: Blob, picture: HTMLImageElement): Promise<Blob> {
    if (file.type === "image/png") return file;
    const [width, height] = [picture.naturalWidth || 512, picture.naturalHeight || 512];
    const scale = Math.min(1, kLongestSide / Math.max(width, height));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.max(1, Math.round(scale * width)), Math.max(1, Math.round(scale * height))];
    const context = canvas.getContext("2d")!;
    context.imageSmoothingQuality = "high";
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!png) throw new Error("the browser cannot turn this picture into a PNG");
    return png;
}

export async function take_file(file: File): Promise<void> {
    try {
        const picture = await picture_in(file);
        if (picture) {
            const png = await png_of(file, picture);
            const data = base64_of(new Uint8Array(await png.arrayBuffer()));
            if (data.length > kLongestMessage - 1000) throw new Error("the picture is larger than 24 MB");
            if (dropped.value) URL.revokeObjectURL(dropped.value.url);
            dropped.value = { name: file.name.replace(/\.[^.]*$/, "") + ".png", data, url: URL.createObjectURL(png) };
            return;
        }
        const text = file.type.startsWith("image/") ? null : await text_in(file);
        if (text === null) throw new Error("this is neither a picture that the browser can read nor the text of a model");
        review.value = { text, from: file.name };
    } catch (error) {
        session.tell(`${file.name}: ${error instanceof Error ? error.message : String(error)}`, "error");
    }
}

/// A model in an address is shown before it runs.
export async function take_link(address: string): Promise<boolean> {
    try {
        const text = await model_in(address);
        if (text === null) return false;
        review.value = { text, from: "a link" };
        return true;
    } catch (error) {
        session.tell(error instanceof Error ? error.message : String(error), "error");
        return true;
    }
}

export function listen_for_files(): void {
    const from_address = () => {
        if (!location.hash.includes("model=")) return;
        const address = location.href;
        // Asked once: a page that is loaded again finds what runs.
        window.history.replaceState(null, "", `${location.pathname}${location.search}`);
        void take_link(address);
    };
    from_address();
    window.addEventListener("hashchange", from_address);
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
        event.preventDefault();
        const file = event.dataTransfer?.files[0];
        if (file) void take_file(file);
        else void take_link(event.dataTransfer?.getData("text") ?? "").then((taken) => {
            if (!taken) session.tell("What was dropped holds no picture and no model: drop a file, or a link that was copied here.", "error");
        });
    });
    document.addEventListener("paste", (event) => {
        if (event.target instanceof HTMLElement && event.target.closest("input, textarea, .cm-editor")) return;
        const file = event.clipboardData?.files[0];
        if (file) void take_file(file);
        else void take_link(event.clipboardData?.getData("text") ?? "");
    });
}

export function ReviewDialog() {
    const wanted = review.value;
    if (!wanted) return null;
    const close = () => (review.value = null);
    return (
        <Dialog title={`Run the model from ${wanted.from}?`} class="review" onClose={close}>
            <p class="about">This is its whole text. It replaces what runs now.</p>
            <pre tabIndex={0}>{wanted.text}</pre>
            <div class="buttons">
                <button
                    type="button"
                    class="primary"
                    onClick={() => {
                        close();
                        void session.ask({ do: "open", text: wanted.text }).then((answer) => {
                            if (answer?.event === "error") session.tell(answer.line > 0 ? `${answer.line}:${answer.column}: ${answer.message}` : answer.message, "error");
                        });
                    }}
                >
                    Run it
                </button>
                <button type="button" onClick={close}>Leave it</button>
            </div>
        </Dialog>
    );
}

export function DroppedDialog() {
    const use = useSignal("");
    const picture = dropped.value;
    const model = session.model.value;
    if (!picture || !model) return null;
    const close = () => {
        URL.revokeObjectURL(picture.url);
        dropped.value = null;
    };
    const uses = [
        ...model.fields.map((field) => ({ value: `field ${field.name}`, label: `Start of ${field.name}`, about: field.about })),
        ...model.parameters.map((parameter) => ({ value: `parameter ${parameter.name}`, label: `Map of ${parameter.name}`, about: parameter.about })),
    ];
    const chosen = uses.some((candidate) => candidate.value === use.value) ? use.value : `field ${session.shown_field.value}`;
    return (
        <Dialog title="What is this picture?" class="dropped" onClose={close}>
            <img src={picture.url} alt={picture.name} />
            <fieldset class="uses">
                <legend class="unseen">Use</legend>
                {uses.map((candidate) => (
                    <label key={candidate.value}>
                        <input type="radio" name="use" checked={candidate.value === chosen} onChange={() => (use.value = candidate.value)} />
                        <span><b>{candidate.label}</b> {candidate.about}</span>
                    </label>
                ))}
            </fieldset>
            <p class="hint">Black becomes the low end of its range, white the high end. The run begins anew.</p>
            <div class="buttons">
                <button
                    type="button"
                    class="primary"
                    onClick={() => {
                        const [kind, name] = chosen.split(" ") as [string, string];
                        session.send({ do: "image", name: picture.name, data: picture.data, ...(kind === "field" ? { field: name } : { parameter: name }) });
                        close();
                    }}
                >
                    Use it
                </button>
                <button type="button" onClick={close}>Leave it</button>
            </div>
        </Dialog>
    );
}
