// apps/live/src/ui/model_panel.tsx: what the model is, its presets, and a slider for each parameter
import type { Parameter } from "../protocol";
import * as session from "../session";
import { PresetStrip } from "./gallery";
import { Icon } from "./icons";
import { NumberSlider } from "./number_slider";
import { gallery_open } from "./state";

/// The range of the file; where it gives none, from 0 to twice the value.
function range_of(parameter: Parameter, home: number): [number, number] {
    const { min, max } = parameter;
    if (min !== null && min !== undefined && max !== null && max !== undefined && max > min) return [min, max];
    const size = Math.abs(home) || 1;
    const low = min ?? (home < 0 ? -2 * size : 0);
    return [low, max ?? Math.max(low + size, home < 0 ? 0 : 2 * size)];
}

/// What a parameter was when its model or preset began.
const homes = new Map<string, { of: string; value: number }>();

function home_of(parameter: Parameter): number {
    const model = session.model.value!;
    const preset = model.presets.find((candidate) => candidate.name === model.preset);
    const given = preset?.parameters[parameter.name];
    if (typeof given === "number") return given;
    const of = `${model.name}/${model.preset}`;
    const known = homes.get(parameter.name);
    if (known?.of === of) return known.value;
    homes.set(parameter.name, { of, value: parameter.value });
    return parameter.value;
}

export function Parameters() {
    const model = session.model.value;
    if (!model) return null;
    if (model.parameters.length === 0) return <p class="empty">This model has no parameters. Give it some in its equations: <code>parameters.k = 0.06</code></p>;
    return (
        <div class="parameters">
            {model.parameters.map((parameter) => {
                const home = home_of(parameter);
                const [min, max] = range_of(parameter, home);
                if (parameter.map) {
                    return (
                        <div class="map-parameter" key={parameter.name}>
                            <span class="name">{parameter.name}</span>
                            <span class="about">{parameter.about}</span>
                            <span class="chip" title="This parameter varies from place to place">map</span>
                            <button type="button" class="quiet" onClick={() => session.send({ do: "set", parameter: parameter.name, value: home || (min + max) / 2 })}>Make it a number</button>
                        </div>
                    );
                }
                return (
                    <NumberSlider key={parameter.name} label={parameter.name} about={parameter.about} value={parameter.value} min={min} max={max} home={home} onInput={(value) => session.send({ do: "set", parameter: parameter.name, value })} />
                );
            })}
        </div>
    );
}

export function ModelPanel() {
    const model = session.model.value;
    if (!model) return <p class="empty">Waiting for the model…</p>;
    const preset = model.presets.find((candidate) => candidate.name === model.preset);
    return (
        <>
            <section>
                <div class="section-title">
                    <h2>Presets</h2>
                    <button type="button" class="quiet" onClick={() => (gallery_open.value = true)}><Icon name="grid" />All models</button>
                </div>
                <PresetStrip />
                <p class="about">{preset?.about || model.about_text}</p>
            </section>
            <section>
                <h2>Parameters</h2>
                <Parameters />
            </section>
            {model.source && (
                <section class="sources">
                    <h2>Source</h2>
                    <p class="hint">{model.source}</p>
                </section>
            )}
        </>
    );
}
