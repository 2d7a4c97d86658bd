// apps/live/src/ui/slices.tsx: which slice of a volume is shown
import * as session from "../session";
import { Segments } from "./controls";

export function Slices() {
    const domain = session.domain.value;
    if (!session.is_volume.value || domain?.kind !== "grid") return null;
    const { axis, at } = session.slice.value;
    const count = domain.size["xyz".indexOf(axis)]!;
    return (
        <div class="slices card" role="group" aria-label="Slice">
            <Segments
                label="Slice along"
                hidden_label
                value={axis}
                options={[{ value: "x", label: "x" }, { value: "y", label: "y" }, { value: "z", label: "z" }]}
                onChange={(next) => (session.slice.value = { axis: next, at: Math.floor(domain.size["xyz".indexOf(next)]! / 2) })}
            />
            <input
                type="range"
                min={0}
                max={count - 1}
                value={at}
                aria-label={`Slice along ${axis}`}
                style={{ "--fill": `${(100 * at) / Math.max(1, count - 1)}%` }}
                onInput={(event) => (session.slice.value = { axis, at: Number(event.currentTarget.value) })}
            />
            <output>{at + 1} / {count}</output>
        </div>
    );
}
