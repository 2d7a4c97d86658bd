// apps/live/src/ui/overlay.tsx: what lies over the picture: the probes and the line, where the view puts them
import * as session from "../session";
import { frames_drawn, type Stage, view_changes } from "../stage/stage";
import * as tools from "../tools";
import { to_pixels } from "../view_mapping";
import { kProbeColours } from "./charts";

/// Pixels of a place; null where it cannot be seen.
function pixels_of(stage: Stage, at: readonly number[]): [number, number] | null {
    if (session.is_surface.peek()) {
        const { x, y, seen } = stage.surface.project(at);
        return seen ? [((x + 1) / 2) * stage.canvas.clientWidth, ((1 - y) / 2) * stage.canvas.clientHeight] : null;
    }
    if (!session.is_volume.peek()) return to_pixels(stage.mapping, at[0]!, stage.is_row ? stage.size[1] / 2 : at[1]!);
    const { axis, at: slice } = session.slice.peek();
    const [x = 0, y = 0, z = 0] = at;
    const depth = axis === "x" ? x : axis === "y" ? y : z;
    if (Math.floor(depth) !== slice) return null;
    if (axis === "x") return to_pixels(stage.mapping, y, z);
    return axis === "y" ? to_pixels(stage.mapping, x, z) : to_pixels(stage.mapping, x, y);
}

export function Overlay({ stage }: { stage: Stage }) {
    void view_changes.value;
    void session.slice.value;
    if (session.is_surface.value && tools.probes.value.length > 0) void frames_drawn.value;
    const line = tools.line.value;
    const ends = line && [to_pixels(stage.mapping, line.from[0]!, line.from[1]!), to_pixels(stage.mapping, line.to[0]!, line.to[1]!)] as const;
    return (
        <svg class="overlay" aria-hidden="true">
            {ends && (
                <g class="profile-line">
                    <line class="shadow" x1={ends[0][0]} y1={ends[0][1]} x2={ends[1][0]} y2={ends[1][1]} />
                    <line x1={ends[0][0]} y1={ends[0][1]} x2={ends[1][0]} y2={ends[1][1]} />
                    <circle cx={ends[0][0]} cy={ends[0][1]} r="4.5" />
                    <circle class="end" cx={ends[1][0]} cy={ends[1][1]} r="4.5" />
                </g>
            )}
            {tools.probes.value.map((probe) => {
                const place = pixels_of(stage, probe.at);
                return place && (
                    <g key={probe.number} class="probe" transform={`translate(${place[0]} ${place[1]})`} style={{ color: kProbeColours[probe.number - 1] }}>
                        <circle class="shadow" r="7" />
                        <circle r="7" />
                        <circle class="dot" r="1.8" />
                        <text x="11" y="-7">{probe.number}</text>
                    </g>
                );
            })}
        </svg>
    );
}
