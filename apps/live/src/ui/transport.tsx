// apps/live/src/ui/transport.tsx: play, step, start anew, the pace, and how fast the run is
import { signal, useSignal } from "@preact/signals";
import { clean, grouped, scaled, short } from "../numbers";
import type { Pace } from "../protocol";
import * as session from "../session";
import { IconButton } from "./icons";

export function toggle_play(): void {
    session.send({ do: session.status.value?.playing ? "pause" : "play" });
}

const kMostAtOnce = 1e9;
/// The steps of a press of the step button.
const steps_at_once = signal(1);

export const make_steps = (): void => session.send({ do: "step", steps: steps_at_once.value });
export const restart = (): void => session.send({ do: "restart" });
export const restart_with_new_seed = (): void => session.send({ do: "restart", seed: "new" });

const kSlowest = 0;  // powers of ten of steps per second
const kFastest = 6;

function PacePicker() {
    const pace = session.status.value?.pace ?? "auto";
    // What the slider says while it is moved.
    const dragged = useSignal<number | null>(null);
    const choose = (next: Pace) => session.send({ do: "pace", pace: next });
    const rate = typeof pace === "number" ? pace : Math.max(1, session.status.value?.steps_per_second ?? 1);
    const power = dragged.value ?? Math.min(kFastest, Math.max(kSlowest, Math.log10(rate)));
    return (
        <div class="pace" role="group" aria-label="Pace">
            <button type="button" aria-pressed={pace === "auto"} title="The steps of the model within some 20 seconds" onClick={() => choose("auto")}>Auto</button>
            <input
                type="range"
                min={kSlowest}
                max={kFastest}
                step={0.05}
                value={power}
                class={typeof pace === "number" ? "" : "idle"}
                aria-label="Steps per second"
                aria-valuetext={`${scaled(10 ** power)} steps per second`}
                title={`${scaled(10 ** power)} steps per second`}
                style={{ "--fill": `${(100 * (power - kSlowest)) / (kFastest - kSlowest)}%` }}
                onInput={(event) => {
                    dragged.value = Number(event.currentTarget.value);
                    choose(Math.max(1, clean(10 ** dragged.value, 2)));
                }}
                onChange={() => (dragged.value = null)}
            />
            <button type="button" aria-pressed={pace === "most"} title="As fast as it goes" onClick={() => choose("most")}>Max</button>
        </div>
    );
}

export function Transport() {
    const status = session.status.value;
    const playing = (status?.playing ?? false) && !session.diverged.value;
    return (
        <div class="transport" role="toolbar" aria-label="Run">
            <IconButton icon={playing ? "pause" : "play"} label={playing ? "Pause" : "Play"} hint="Space" class="play" onClick={toggle_play} />
            <IconButton icon="step" label={steps_at_once.value === 1 ? "One step" : `${grouped(steps_at_once.value)} steps`} hint="." onClick={make_steps} />
            <input
                type="number"
                class="at-once"
                min={1}
                max={kMostAtOnce}
                value={steps_at_once.value}
                aria-label="Steps at a press of the step button"
                title="Steps at a press of the step button"
                onChange={(event) => {
                    steps_at_once.value = Math.min(kMostAtOnce, Math.max(1, Math.round(Number(event.currentTarget.value) || 1)));
                    event.currentTarget.value = String(steps_at_once.value);
                }}
            />
            <IconButton icon="restart" label="Restart" hint="R" onClick={restart} />
            <IconButton icon="dice" label="Restart with a new seed" hint="N" onClick={restart_with_new_seed} />
            <PacePicker />
        </div>
    );
}

/// Step, time and speed: quiet numbers that keep their places.
export function Readings() {
    const status = session.status.value;
    if (!status) return null;
    return (
        <dl class="readings">
            <div><dt>step</dt><dd data-test="step">{grouped(status.step)}</dd></div>
            <div><dt>time</dt><dd>{short(status.time, 6)}</dd></div>
            <div class="speed"><dt>steps/s</dt><dd>{status.resting ? "resting" : scaled(status.steps_per_second)}</dd></div>
            <div class="speed wide"><dt>cells/s</dt><dd>{scaled(status.cells_per_second)}</dd></div>
            {status.share !== null && status.share !== undefined && (
                <div class="speed wide" title="Of what this machine's arithmetic can do at most"><dt>of the machine</dt><dd>{(100 * status.share).toFixed(status.share < 0.1 ? 1 : 0)} %</dd></div>
            )}
        </dl>
    );
}
