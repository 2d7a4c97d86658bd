// apps/live/src/ui/tool_bar.tsx: the tools for the picture, and the settings of the one that is chosen
import * as session from "../session";
import * as tools from "../tools";
import { FieldChoice, Segments } from "./controls";
import { IconButton } from "./icons";
import { NumberSlider } from "./number_slider";

export const kToolNames: Record<tools.Tool, { label: string; key: string }> = {
    hand: { label: "Move the view", key: "H" },
    brush: { label: "Paint", key: "B" },
    eraser: { label: "Erase", key: "E" },
    probe: { label: "Probe a point", key: "P" },
    line: { label: "Profile along a line", key: "L" },
};

export function ToolBar() {
    const status = session.status.value;
    return (
        <div class="tools" role="toolbar" aria-label="Tools" aria-orientation="vertical">
            {tools.kTools.map((name) => (
                <IconButton
                    key={name}
                    icon={name}
                    label={kToolNames[name].label}
                    hint={kToolNames[name].key}
                    pressed={tools.tool.value === name}
                    disabled={name === "line" && session.is_surface.value}
                    onClick={() => (tools.tool.value = name)}
                />
            ))}
            <span class="divider" />
            <IconButton icon="undo" label="Undo" hint="Z" disabled={!status?.undo} onClick={() => session.send({ do: "undo" })} />
            <IconButton icon="redo" label="Redo" hint="Shift+Z" disabled={!status?.redo} onClick={() => session.send({ do: "redo" })} />
        </div>
    );
}

function BrushSettings({ erases }: { erases: boolean }) {
    const fields = session.fields.value;
    const [low, high] = tools.brush_range.value;
    const extent = tools.extent.value;
    return (
        <>
            {fields.length > 1 && (
                <FieldChoice label="Field" value={tools.brush_field.value} fields={fields} onChange={(field) => tools.set_brush({ field })} />
            )}
            {!erases && <NumberSlider compact label="Value" value={tools.brush_value.value} min={low} max={high} onInput={(value) => tools.set_brush({ value })} />}
            <NumberSlider compact logarithmic label="Radius" value={tools.radius.value} min={extent / 500} max={extent / 2} onInput={(radius) => tools.set_brush({ radius: Math.max(radius, extent * 1e-4) })} />
            <NumberSlider compact label="Soft" value={tools.soft.value} min={0} max={1} onInput={(soft) => (tools.soft.value = Math.min(1, Math.max(0, soft)))} />
            {!erases && (
                <Segments
                    label="How it paints"
                    hidden_label
                    value={tools.mode.value}
                    options={[{ value: "set", label: "Set", title: "Values become the brush's" }, { value: "add", label: "Add", title: "The brush's value is added" }]}
                    onChange={(mode) => (tools.mode.value = mode)}
                />
            )}
        </>
    );
}

export function ToolSettings() {
    const tool = tools.tool.value;
    if (tool === "brush" || tool === "eraser") {
        return (
            <div class="tool-settings" role="group" aria-label={tool === "brush" ? "Brush" : "Eraser"}>
                <BrushSettings erases={tool === "eraser"} />
            </div>
        );
    }
    if (tool === "probe" && tools.probes.value.length === 0) return <p class="tool-hint">Click a point to plot its values in time</p>;
    if (tool === "line" && !tools.line.value) return <p class="tool-hint">Drag a line to draw the values along it</p>;
    return null;
}
