// apps/live/src/ui/numerics_panel.tsx: domain, time step, method and what else decides how the model is computed
import { useEffect } from "preact/hooks";
import { grouped, short, typed } from "../numbers";
import * as session from "../session";
import { Choice, Segments, TextRow } from "./controls";

const set = (key: string, value: string | null) => session.send({ do: "settings", [key]: value });

const kPlanes = ["128x128", "256x256", "512x512", "1024x1024", "2048x2048"];

function Domain() {
    const model = session.model.value!;
    const surface = model.domain.kind === "mesh";
    const shapes = session.hello.value?.shapes ?? [];
    const size = model.domain.kind === "grid" ? model.domain.size.filter((side, axis) => axis === 0 || side > 1 || (axis === 1 && model.domain.kind === "grid" && model.domain.size[2] > 1)).join("x") : "";
    return (
        <section>
            <h2>Domain</h2>
            <Segments
                label="Kind"
                hidden_label
                value={surface ? "mesh" : "grid"}
                options={[{ value: "grid", label: "Grid" }, { value: "mesh", label: "Surface" }]}
                onChange={(kind) => (kind === "mesh" ? shapes[0] && set("mesh", model.settings["mesh"] ?? shapes[0]) : session.send({ do: "settings", mesh: null, across: null, refine: null }))}
            />
            {surface ? (
                <>
                    <Choice label="Shape" value={model.settings["mesh"] ?? shapes[0] ?? ""} options={[...new Set([...(model.settings["mesh"] ? [model.settings["mesh"]] : []), ...shapes])].map((shape) => ({ value: shape, label: shape.split("/").at(-1)! }))} onChange={(shape) => set("mesh", shape)} />
                    <TextRow label="Wavelengths across" value={model.settings["across"] ?? ""} placeholder="automatic" onChange={(text) => set("across", text || null)} />
                    <TextRow label="Refinement" value={model.settings["refine"] ?? ""} placeholder={model.refinement > 0 ? `automatic: ${model.refinement}` : "none"} onChange={(text) => set("refine", text || null)} />
                </>
            ) : (
                <>
                    <TextRow label="Cells" value={size} list={kPlanes} onChange={(text) => set("size", text.replaceAll(/[×*\s]+/g, "x") || null)} />
                    <div class="chips" role="group" aria-label="Usual sizes">
                        {kPlanes.map((plane) => (
                            <button key={plane} type="button" class="chip" aria-pressed={plane === size} onClick={() => set("size", plane)}>{plane.split("x")[0]}²</button>
                        ))}
                    </div>
                    <TextRow label="Spacing" value={model.settings["spacing"] ?? (model.domain.kind === "grid" ? short(model.domain.spacing[0], 6) : "")} onChange={(text) => set("spacing", text || null)} />
                </>
            )}
            {!surface && <Boundary />}
            <p class="hint">{model.domain.kind === "mesh" ? `${grouped(model.domain.vertices)} vertices, ${grouped(model.domain.faces)} faces` : model.domain.text}. Another domain starts anew; all else keeps the fields.</p>
        </section>
    );
}

function Boundary() {
    const boundary = session.model.value!.boundary;
    const usual = [{ value: "periodic", label: "Periodic" }, { value: "no-flux", label: "No flux (walls)" }];
    return <Choice label="Boundary" value={boundary} options={usual} onChange={(kind) => set("boundary", kind)} />;
}

function TimeStep() {
    const model = session.model.value!;
    const hello = session.hello.value;
    const stable = model.stable_dt;
    const too_long = stable !== null && stable !== undefined && stable > 0 && model.dt > stable * 1.0001;
    return (
        <section>
            <h2>Time</h2>
            <TextRow
                label="Time step"
                value={short(model.dt, 6)}
                onChange={(text) => {
                    const value = typed(text);
                    set("dt", value === null ? null : String(value));
                }}
                hint={
                    <>
                        {stable ? <>Stable up to about <b>{short(stable, 4)}</b>. </> : null}
                        {model.settings["dt"] ? <button type="button" class="inline" onClick={() => set("dt", null)}>As the model says</button> : model.dt_chosen ? "Chosen by Mottle." : null}
                    </>
                }
            />
            {(too_long || model.warning) && <p class="warning" role="status">{model.warning ? session.shown_text(model.warning) : `A step of ${short(model.dt)} is longer than ${short(stable!)}: the run may blow up.`}</p>}
            <Choice label="Method" value={model.method} options={hello?.methods ?? []} onChange={(method) => set("method", method)} />
            <Segments label="Precision" value={model.precision} options={[{ value: "f32", label: "f32" }, { value: "f64", label: "f64" }]} onChange={(precision) => set("precision", precision)} />
        </section>
    );
}

export function NumericsPanel() {
    const model = session.model.value;
    useEffect(() => {
        session.unread.value = 0;
    }, [session.said.value]);
    if (!model) return <p class="empty">Waiting for the model…</p>;
    return (
        <>
            <Domain />
            <TimeStep />
            <section>
                <h2>Start</h2>
                <TextRow
                    label="Seed"
                    value={String(model.seed)}
                    onChange={(text) => {
                        const seed = typed(text);
                        if (seed !== null && seed >= 0) session.send({ do: "restart", seed: Math.floor(seed) });
                    }}
                    hint="Other numbers, other random places"
                />
            </section>
            {session.said.value.length > 0 && (
                <section>
                    <h2>Notes</h2>
                    <ul class="notes">{session.said.value.map((note) => <li key={note}>{note}</li>)}</ul>
                </section>
            )}
            <section>
                <h2>Machine</h2>
                <p class="hint">{session.hello.value?.device}. Mottle {session.hello.value?.version}.</p>
            </section>
        </>
    );
}
