// apps/live/src/ui/explore_panel.tsx: a sheet of runs for two parameters, on which one clicks to go there
import { useSignal } from "@preact/signals";
import { box_of_tile, picture_size, tile_at, values_of_tile } from "../map_picture";
import { clean, short, typed } from "../numbers";
import type { MapAxis, MapDone, Parameter } from "../protocol";
import * as session from "../session";
import { tell } from "../session";
import { TextRow } from "./controls";

interface Axis {
    parameter: string;
    from: string;
    to: string;
    count: string;
}

/// Around the present value where the file gives no range.
function axis_for(parameter: Parameter | undefined, count: number): Axis {
    if (!parameter) return { parameter: "", from: "0", to: "1", count: String(count) };
    const size = Math.abs(parameter.value) || 1;
    return { parameter: parameter.name, from: String(clean(parameter.min ?? parameter.value - size / 2, 4)), to: String(clean(parameter.max ?? parameter.value + size / 2, 4)), count: String(count) };
}

function read_axis(axis: Axis): MapAxis | null {
    const [from, to, count] = [typed(axis.from), typed(axis.to), typed(axis.count)];
    if (from === null || to === null || count === null || count < 1 || count > 32) return null;
    return { parameter: axis.parameter, from, to, count: Math.round(count) };
}

function AxisForm(props: { label: string; axis: Axis; parameters: Parameter[]; optional: boolean; onChange(axis: Axis): void }) {
    const { axis, onChange } = props;
    return (
        <fieldset class="axis">
            <legend>{props.label}</legend>
            <select
                aria-label={`Parameter ${props.label}`}
                value={axis.parameter}
                onChange={(event) => onChange(axis_for(props.parameters.find((parameter) => parameter.name === event.currentTarget.value), Number(axis.count) || 8))}
            >
                {props.optional && <option value="">none</option>}
                {props.parameters.map((parameter) => <option key={parameter.name} value={parameter.name}>{parameter.name}</option>)}
            </select>
            {axis.parameter && (
                <>
                    <label><span>from</span><input type="text" inputMode="decimal" value={axis.from} onInput={(event) => onChange({ ...axis, from: event.currentTarget.value })} /></label>
                    <label><span>to</span><input type="text" inputMode="decimal" value={axis.to} onInput={(event) => onChange({ ...axis, to: event.currentTarget.value })} /></label>
                    <label><span>runs</span><input type="text" inputMode="numeric" value={axis.count} onInput={(event) => onChange({ ...axis, count: event.currentTarget.value })} /></label>
                </>
            )}
        </fieldset>
    );
}

function Sheet({ map }: { map: MapDone }) {
    const chosen = useSignal<{ column: number; row: number } | null>(null);
    const tile = chosen.value;
    const values = tile && values_of_tile(map, tile.column, tile.row);
    const go = (column: number, row: number) => {
        const there = values_of_tile(map, column, row);
        session.send({ do: "set", parameter: map.x_name, value: there.x });
        if (there.y !== null && map.y_name) session.send({ do: "set", parameter: map.y_name, value: there.y });
        session.send({ do: "restart" });
        tell(`${map.x_name} = ${short(there.x)}${there.y !== null && map.y_name ? `, ${map.y_name} = ${short(there.y)}` : ""}`, "done");
    };
    const at = (event: MouseEvent & { currentTarget: HTMLElement }) => {
        const box = event.currentTarget.getBoundingClientRect();
        return tile_at(map, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    };
    const [wide, high] = picture_size(map);
    const frame = tile && box_of_tile(map, tile.column, tile.row);
    return (
        <figure class="map-sheet">
            {map.y_name && <span class="y-axis"><span>{short(map.y.at(-1)!, 3)}</span><b>{map.y_name}</b><span>{short(map.y[0]!, 3)}</span></span>}
            <button
                type="button"
                class="picture"
                style={{ "aspect-ratio": `${wide} / ${high}` }}
                aria-label={`Runs for ${map.x_name}${map.y_name ? ` and ${map.y_name}` : ""}. Arrow keys choose, Enter goes there.`}
                onMouseMove={(event) => (chosen.value = at(event))}
                onMouseLeave={() => (chosen.value = null)}
                onClick={(event) => {
                    const there = event.detail === 0 ? chosen.value : at(event);
                    if (there) go(there.column, there.row);
                }}
                onKeyDown={(event) => {
                    const moves: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
                    const move = moves[event.key];
                    if (!move) return;
                    event.preventDefault();
                    event.stopPropagation();
                    const now = chosen.value ?? { column: -move[0], row: -move[1] };
                    chosen.value = { column: Math.min(map.columns - 1, Math.max(0, now.column + move[0])), row: Math.min(map.rows - 1, Math.max(0, now.row + move[1])) };
                }}
            >
                <img src={session.address_of(map.url)} alt="" draggable={false} />
                {frame && <span class="tile-frame" style={{ left: `${100 * frame[0]}%`, top: `${100 * frame[1]}%`, width: `${100 * frame[2]}%`, height: `${100 * frame[3]}%` }} />}
            </button>
            <span class="x-axis"><span>{short(map.x[0]!, 3)}</span><b>{map.x_name}</b><span>{short(map.x.at(-1)!, 3)}</span></span>
            <figcaption aria-live="polite">
                {values ? <>{map.x_name} = {short(values.x)}{values.y !== null && map.y_name ? <>, {map.y_name} = {short(values.y)}</> : null}: click to go there</> : "Click a run to go there"}
            </figcaption>
        </figure>
    );
}

export function ExplorePanel() {
    const model = session.model.value;
    const numbers = model?.parameters.filter((parameter) => !parameter.map) ?? [];
    const form = useSignal<{ of: string; x: Axis; y: Axis; cells: string; steps: string } | null>(null);
    if (!model) return <p class="empty">Waiting for the model…</p>;
    if (numbers.length === 0) return <p class="empty">A map needs a parameter that is a number; this model has none.</p>;
    // The two last parameters are those that people vary: diffusion comes first in most models.
    const [first, second] = numbers.length > 1 ? [numbers.at(-1)!, numbers.at(-2)!] : [numbers[0]!, undefined];
    const of = `${model.name}/${numbers.map((parameter) => parameter.name).join()}`;
    const now = form.value?.of === of ? form.value : { of, x: axis_for(first, 8), y: axis_for(second, 8), cells: "96", steps: String(Math.min(model.steps || 8000, 8000)) };
    const change = (next: Partial<typeof now>) => (form.value = { ...now, ...next });
    const map = session.map.value;
    const under_way = map !== null && "done" in map;
    const begin = () => {
        const x = read_axis(now.x);
        const y = now.y.parameter ? read_axis(now.y) : null;
        const [cells, steps] = [typed(now.cells), typed(now.steps)];
        if (!x || (now.y.parameter && !y)) return tell("Give each axis two numbers and 1 to 32 runs.", "error");
        if (y && y.parameter === x.parameter) return tell("The two axes need different parameters.", "error");
        if (cells === null || steps === null || cells < 8 || steps < 1) return tell("Cells and steps must be whole numbers: at least 8 cells and 1 step.", "error");
        session.map.value = { done: 0 };
        void session.ask({ do: "map", x, ...(y ? { y } : {}), cells: Math.round(cells), steps: Math.round(steps), field: session.shown_field.value }).then((answer) => {
            if (answer?.event !== "error") return;
            session.map.value = null;
            tell(answer.message, "error");
        });
    };
    return (
        <section class="explore">
            <h2>Map of two parameters</h2>
            <p class="about">One small run for each pair of values, all from the same start. Click one to go there.</p>
            <AxisForm label="Across" axis={now.x} parameters={numbers} optional={false} onChange={(x) => change({ x })} />
            <AxisForm label="Up" axis={now.y} parameters={numbers} optional onChange={(y) => change({ y })} />
            <div class="pair">
                <TextRow label="Cells a side" value={now.cells} onChange={(cells) => change({ cells })} />
                <TextRow label="Steps" value={now.steps} onChange={(steps) => change({ steps })} />
            </div>
            <div class="buttons">
                {under_way ? <button type="button" onClick={() => session.send({ do: "map_stop" })}>Stop</button> : <button type="button" class="primary" onClick={begin}>Compute</button>}
            </div>
            {under_way && (
                <div class="progress" role="progressbar" aria-label="Map" aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(100 * map.done)}>
                    <span style={{ width: `${100 * map.done}%` }} />
                </div>
            )}
            {map !== null && !under_way && <Sheet map={map} />}
        </section>
    );
}
