// apps/live/src/ui/charts.tsx: the curves of the probes in time, and the profile along the line
import { useEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import uPlot from "uplot";
import { short } from "../numbers";
import { profile } from "../profile";
import * as session from "../session";
import { frames_drawn, type Stage } from "../stage/stage";
import * as tools from "../tools";
import { IconButton } from "./icons";
import { theme } from "./state";

/// Of the marks on the picture, and of the curves: on a light panel darker ones of the same hues.
export const kProbeColours = ["#e9b877", "#5cc2ad", "#8fa8ff", "#f08a8a", "#c9a2f2", "#a7c957"];
const kDarkerColours = ["#a8650f", "#0f7a66", "#3b55d0", "#bf3939", "#7f40c2", "#567510"];
const curve_colour = (index: number): string => (theme.value === "dark" ? kProbeColours : kDarkerColours)[index]!;
const kRedraw = 50;  // milliseconds between two drawings of a chart

interface Curve {
    label: string;
    colour: string;
    dash?: number[];
}

/// A chart that is drawn anew at most every `kRedraw`; `changed` is read to know when.
function Chart(props: { label: string; curves: Curve[]; x_name: string; data(): uPlot.AlignedData; changed(): unknown }) {
    const box = useRef<HTMLDivElement>(null);
    const chart = useRef<uPlot | null>(null);
    const last = useRef(0);
    const key = `${theme.value}|${props.curves.map((curve) => curve.label + curve.colour).join()}`;
    useEffect(() => {
        const element = box.current!;
        const style = getComputedStyle(document.documentElement);
        const [text, line] = [style.getPropertyValue("--quiet"), style.getPropertyValue("--line")];
        const font = `${Math.round(parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.72)}px "Inter Variable", sans-serif`;
        const axis = { stroke: text, font, grid: { stroke: line, width: 1 }, ticks: { show: false }, size: 26, gap: 4 };
        const numbers = (_: uPlot, values: number[]) => values.map((value) => short(value, 3));
        chart.current = new uPlot(
            {
                width: element.clientWidth,
                height: element.clientHeight,
                padding: [8, 10, 0, 0],
                legend: { show: false },
                cursor: { points: { size: 6 }, drag: { x: false, y: false } },
                scales: { x: { time: false } },
                axes: [{ ...axis, space: 60, values: numbers }, { ...axis, size: 44, space: 28, values: numbers }],
                series: [{ label: props.x_name }, ...props.curves.map((curve) => ({ label: curve.label, stroke: curve.colour, width: 1.6, points: { show: false }, ...(curve.dash ? { dash: curve.dash } : {}) }))],
            },
            props.data(),
            element,
        );
        const sizes = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height: element.clientHeight }));
        sizes.observe(element);
        return () => {
            sizes.disconnect();
            chart.current?.destroy();
            chart.current = null;
        };
    }, [key]);
    props.changed();
    useEffect(() => {
        const now = performance.now();
        const wait = kRedraw - (now - last.current);
        const draw = () => {
            last.current = performance.now();
            chart.current?.setData(props.data());
        };
        if (wait <= 0) {
            draw();
            return;
        }
        const timer = window.setTimeout(draw, wait);
        return () => clearTimeout(timer);
    });
    return <div class="chart" ref={box} role="img" aria-label={props.label} />;
}

export function ProbeChart() {
    const all = useSignal(false);
    const probes = tools.probes.value;
    if (probes.length === 0) return null;
    const names = all.value ? session.fields.value.map((field) => field.name) : [session.shown_field.value];
    const dashes = [[], [5, 3], [2, 3], [8, 3, 2, 3]];
    const curves = probes.flatMap((probe) => names.map((name, i) => ({ probe: probe.number, name, label: `${name} at ${probe.number}`, colour: curve_colour(probe.number - 1), dash: dashes[i % 4]! })));
    const data = (): uPlot.AlignedData => [tools.history.times as number[], ...curves.map((curve) => tools.history.series(curve.probe, curve.name))];
    return (
        <div class="card chart-card" role="group" aria-label="Probes">
            <header>
                <h2>{all.value ? "All fields" : session.shown_field.value} in time</h2>
                <span class="legend">
                    {probes.map((probe) => (
                        <button key={probe.number} type="button" class="probe-tag" style={{ "--colour": curve_colour(probe.number - 1) }} title={`Remove probe ${probe.number}`} aria-label={`Remove probe ${probe.number}`} onClick={() => tools.remove_probe(probe.number)}>{probe.number}</button>
                    ))}
                </span>
                {session.fields.value.length > 1 && <button type="button" class="quiet small" aria-pressed={all.value} onClick={() => (all.value = !all.value)}>{all.value ? "Shown field" : "All fields"}</button>}
                <IconButton icon="close" label="Remove all probes" onClick={tools.clear_probes} />
            </header>
            <Chart label={`Values of ${names.join(" and ")} at ${probes.length} probes in time`} x_name="time" curves={curves} data={data} changed={() => tools.history_changes.value} />
        </div>
    );
}

export function ProfileChart({ stage }: { stage: Stage }) {
    const line = tools.line.value;
    const field = session.shown_field.value;
    if (!line) return null;
    const data = (): uPlot.AlignedData => {
        const frame = stage.frame;
        if (!frame || frame.kind !== "plane") return [[], []];
        const drawn = profile(frame, line.from, line.to, 256);
        return [drawn.distance, drawn.values];
    };
    return (
        <div class="card chart-card" role="group" aria-label="Profile">
            <header>
                <h2>{field} along the line</h2>
                <IconButton icon="close" label="Remove the line" onClick={() => (tools.line.value = null)} />
            </header>
            <Chart label={`Values of ${field} along the line`} x_name="cells" curves={[{ label: field, colour: curve_colour(1) }]} data={data} changed={() => [frames_drawn.value, tools.line.value]} />
        </div>
    );
}
