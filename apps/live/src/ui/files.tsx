// apps/live/src/ui/files.tsx: pictures, models and links that come into the page, and the questions asked before they are used
import { useSignal } from "@preact/signals";
import { model_in } from "../link";
import * as session from "../session";
import { Dialog } from "./controls";
import { dropped, review } from "./state";

const kLongestMessage = 32 << 20;  // bytes; of the protocol
const kLongestModel = 4 << 20;

function base64_of(bytes: Uint8Array): string {
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(text);
}

/// A PNG as it is; another kind of picture as a PNG of its pixels.
async function png_of(file: Blob): Promise<Blob> {
    if (file.type === "image/png") return file;
    const picture = await createImageBitmap(file);
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [picture.width, picture.height];
    canvas.getContext("2d")!.drawImage(picture, 0, 0);
    const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!png) throw new Error("the browser cannot turn this picture into a PNG");
    return png;
}

export async function take_file(file: File): Promise<void> {
    try {
        if (file.type.startsWith("image/")) {
            const png = await png_of(file);
            const data = base64_of(new Uint8Array(await png.arrayBuffer()));
            if (data.length > kLongestMessage - 1000) throw new Error("the picture is larger than 24 MB");
            if (dropped.value) URL.revokeObjectURL(dropped.value.url);
            dropped.value = { name: file.name.replace(/\.[^.]*$/, "") + ".png", data, url: URL.createObjectURL(png) };
        } else {
            if (file.size > kLongestModel) throw new Error("this is neither a picture nor the text of a model");
            review.value = { text: await file.text(), from: file.name };
        }
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
        else void take_link(event.dataTransfer?.getData("text") ?? "");
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
