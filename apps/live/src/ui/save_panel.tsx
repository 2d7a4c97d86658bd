// apps/live/src/ui/save_panel.tsx: what one takes away: pictures, video, data, the state, the model, and a link that holds it
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { fragment_of } from "../link";
import * as session from "../session";
import { take_file } from "./files";
import { Icon } from "./icons";

export const save = (what: string): void => session.send({ do: "save", what, ...session.picture_look() });

export function toggle_record(): void {
    session.send(session.status.value?.recording ? { do: "record", on: false } : { do: "record", on: true, fps: 30, ...session.picture_look() });
}

/// The text of the model with every setting that was made on the page.
async function text_of_model(): Promise<string> {
    const answer = await session.ask({ do: "save", what: "model" });
    if (answer?.event !== "file") throw new Error(session.failure_text(answer));
    const response = await fetch(session.address_of(answer.url));
    if (!response.ok) throw new Error(`the program answered ${response.status}`);
    return response.text();
}

/// `navigator.clipboard` is there for pages of this computer and of https alone.
async function copy(text: string): Promise<void> {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const box = document.createElement("textarea");
    box.value = text;
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    if (!done) throw new Error("the browser does not let this page copy");
}

/// The link leaves out the token: who opens it needs a `mottle live` of their own.
export async function copy_link(): Promise<void> {
    try {
        const link = `${location.origin}/${await fragment_of(await text_of_model())}`;
        await copy(link);
        session.tell("Link copied. It holds the whole model; whoever has Mottle can paste it into their page.", "done");
    } catch (error) {
        session.tell(`No link: ${error instanceof Error ? error.message : String(error)}`, "error");
    }
}

function Recording() {
    const recording = session.status.value?.recording ?? false;
    const seconds = useSignal(0);
    useEffect(() => {
        seconds.value = 0;
        if (!recording) return;
        const timer = setInterval(() => seconds.value++, 1000);
        return () => clearInterval(timer);
    }, [recording]);
    const clock = `${Math.floor(seconds.value / 60)}:${String(seconds.value % 60).padStart(2, "0")}`;
    return (
        <button type="button" class={`wide ${recording ? "recording" : ""}`} aria-pressed={recording} onClick={toggle_record}>
            <Icon name={recording ? "stop" : "record"} />
            <span>{recording ? `Stop and save the video (${clock})` : "Record a video"}</span>
            <kbd>V</kbd>
        </button>
    );
}

function SaveButton({ what, label, about, shortcut }: { what: string; label: string; about: string; shortcut?: string }) {
    return (
        <button type="button" class="save-row" onClick={() => save(what)}>
            <b>{label}</b>
            <span>{about}</span>
            {shortcut && <kbd>{shortcut}</kbd>}
        </button>
    );
}

export function SavePanel() {
    const surface = session.is_surface.value;
    return (
        <>
            <section>
                <h2>Picture and video</h2>
                <SaveButton what="png" label="Picture" about="PNG of the shown field" shortcut="S" />
                <Recording />
            </section>
            <section>
                <h2>Model</h2>
                <SaveButton what="model" label="Model" about="TOML with every setting made here" />
                <SaveButton what="model+state" label="Model and state" about="goes on with mottle run" />
                <button type="button" class="wide" onClick={() => void copy_link()}>
                    <Icon name="link" />
                    <span>Copy a link that holds the model</span>
                </button>
            </section>
            <section>
                <h2>Data</h2>
                <SaveButton what="npy" label="Array" about="NumPy array of the shown field" />
                <SaveButton what="state" label="State" about="all fields, to the bit" />
                {surface && <SaveButton what="ply" label="PLY" about="surface with its values" />}
                {surface && <SaveButton what="vtu" label="VTU" about="for ParaView" />}
                {surface && <SaveButton what="glb" label="GLB" about="coloured model for 3D programs" />}
            </section>
            <section>
                <h2>Bring in</h2>
                <label class="wide button-like">
                    <Icon name="image" />
                    <span>A picture as start or map, or a model…</span>
                    <input type="file" class="unseen" accept="image/*,.toml,text/plain" onChange={(event) => {
                        const file = event.currentTarget.files?.[0];
                        if (file) void take_file(file);
                        event.currentTarget.value = "";
                    }} />
                </label>
                <p class="hint">Files and links can also be dropped or pasted anywhere on the page.</p>
            </section>
        </>
    );
}
