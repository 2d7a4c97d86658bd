// apps/live/src/ui/gallery.tsx: the presets of a model as pictures, and all models with theirs
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as session from "../session";
import { Dialog } from "./controls";
import { Icon } from "./icons";
import { picture_of } from "./pictures";
import { gallery_open } from "./state";

function Thumbnail({ model, preset }: { model: string; preset: string }) {
    const picture = picture_of(model, preset);
    if (!picture) return <span class="thumbnail none" aria-hidden="true">{(preset || model).slice(0, 2)}</span>;
    if (picture.kind === "own") return <span class="thumbnail" style={{ "background-image": `url(${picture.address})` }} />;
    const place = picture.columns > 1 ? (100 * picture.column) / (picture.columns - 1) : 0;
    return <span class="thumbnail" style={{ "background-image": `url(${picture.address})`, "background-size": `${100 * picture.columns}% 100%`, "background-position": `${place}% 0` }} />;
}

const spoken = (name: string) => name.replaceAll("-", " ");

export function open_model(model: string, preset: string): void {
    if (model === session.model.value?.name && !session.model.value.settings["mesh"]) session.send({ do: "preset", preset });
    else session.send({ do: "open", model, ...(preset ? { preset } : {}) });
}

export function PresetStrip() {
    const model = session.model.value;
    const strip = useRef<HTMLDivElement>(null);
    const more = useSignal("");
    const preset = model?.preset;
    const look = () => {
        const row = strip.current;
        if (!row) return;
        const beyond = row.scrollWidth - row.clientWidth - row.scrollLeft;
        more.value = (row.scrollLeft > 1 ? " more-left" : "") + (beyond > 1 ? " more-right" : "");
    };
    useEffect(() => {
        if (!strip.current) return;
        const sizes = new ResizeObserver(look);
        sizes.observe(strip.current);
        look();
        return () => sizes.disconnect();
    }, [model?.name, model?.presets.length]);
    useEffect(() => {
        const chosen = strip.current?.querySelector<HTMLElement>("[aria-pressed=true]");
        if (chosen && strip.current) strip.current.scrollTo({ left: chosen.offsetLeft - strip.current.clientWidth / 2 + chosen.clientWidth / 2, behavior: "smooth" });
    }, [preset, model?.name]);
    if (!model || model.presets.length === 0) return null;
    return (
        <div class={`strip${more.value}`} ref={strip} onScroll={look} role="group" aria-label="Presets">
            {model.presets.map((candidate) => (
                <button key={candidate.name} type="button" class="preset" title={candidate.about} aria-pressed={candidate.name === preset} onClick={() => session.send({ do: "preset", preset: candidate.name })}>
                    <Thumbnail model={model.name} preset={candidate.name} />
                    <span class="name">{spoken(candidate.name)}</span>
                </button>
            ))}
        </div>
    );
}

export function Gallery() {
    const models = session.hello.value?.models ?? [];
    const current = session.model.value;
    const chosen = useSignal(models.some((model) => model.name === current?.name) ? current!.name : (models[0]?.name ?? ""));
    const model = models.find((candidate) => candidate.name === chosen.value);
    const presets = model && model.presets.length > 0 ? model.presets : [""];
    return (
        <Dialog title="Models" class="gallery" onClose={() => (gallery_open.value = false)}>
            <div class="gallery-columns">
                <nav aria-label="Models">
                    {models.map((candidate) => (
                        <button key={candidate.name} type="button" aria-current={candidate.name === chosen.value} onClick={() => (chosen.value = candidate.name)}>
                            <Thumbnail model={candidate.name} preset={candidate.presets[0] ?? ""} />
                            <span>{candidate.title || candidate.name}</span>
                        </button>
                    ))}
                </nav>
                <section aria-live="polite">
                    <h3>{model?.title}</h3>
                    <p class="about">{model?.about}</p>
                    <div class="sheet">
                        {presets.map((preset) => (
                            <button
                                key={preset}
                                type="button"
                                class="preset"
                                aria-pressed={model?.name === current?.name && preset === current?.preset}
                                onClick={() => {
                                    if (model) open_model(model.name, preset);
                                    gallery_open.value = false;
                                }}
                            >
                                <Thumbnail model={model?.name ?? ""} preset={preset} />
                                <span class="name">{spoken(preset || "start")}</span>
                            </button>
                        ))}
                    </div>
                </section>
            </div>
        </Dialog>
    );
}

/// The name of what runs; opens the gallery.
export function ModelTitle() {
    const model = session.model.value;
    return (
        <button type="button" class="model-title" title="All models and presets (G)" aria-haspopup="dialog" onClick={() => (gallery_open.value = true)}>
            <span class="title">{model?.title || model?.name || "…"}</span>
            {model?.preset && <span class="preset-name">{spoken(model.preset)}</span>}
            <Icon name="down" />
        </button>
    );
}
