// apps/live/src/ui/pictures.ts: small pictures of presets: those of the built-in models come with the page, others are taken from the run
import { signal } from "@preact/signals";
import { kSheets, kTile } from "../pictures/sheets";
import * as session from "../session";
import { frames_drawn, type Stage } from "../stage/stage";

/// Addresses of pictures taken from the run, by model and preset.
const taken = signal(new Map<string, string>());

export type Picture = { kind: "sheet"; address: string; column: number; columns: number } | { kind: "own"; address: string };

export function picture_of(model: string, preset: string): Picture | null {
    const own = taken.value.get(`${model}/${preset}`);
    if (own) return { kind: "own", address: own };
    const sheet = kSheets[model];
    const column = sheet ? sheet.presets.indexOf(preset) : -1;
    return sheet && column >= 0 ? { kind: "sheet", address: sheet.address, column, columns: sheet.presets.length } : null;
}

/// Takes a picture of what runs, once its pattern has grown, for presets that have none.
export function take_pictures(stage: Stage): void {
    let taken_of = "";
    frames_drawn.subscribe(() => {
        const model = session.model.peek();
        const status = session.status.peek();
        if (!model || !status || !model.preset || status.step < 0.4 * model.steps || status.undo > 0) return;
        const key = `${model.name}/${model.preset}`;
        if (key === taken_of || kSheets[model.name]?.presets.includes(model.preset) || session.is_surface.peek()) return;
        taken_of = key;
        const small = document.createElement("canvas");
        small.width = small.height = kTile;
        const [wide, high] = stage.size;
        const side = Math.min(wide, high, 96) * stage.mapping.scale * stage.device_pixels;
        const [x, y] = [stage.mapping.origin_x * stage.device_pixels, stage.mapping.origin_y * stage.device_pixels];
        small.getContext("2d")?.drawImage(stage.canvas, x, y, side, side, 0, 0, kTile, kTile);
        taken.value = new Map(taken.peek()).set(key, small.toDataURL("image/webp", 0.8));
    });
}
