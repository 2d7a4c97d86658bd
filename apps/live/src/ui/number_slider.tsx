// apps/live/src/ui/number_slider.tsx: a number with a slider for its usual range and a box for any value
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { clean, short, typed } from "../numbers";

/// A round step of about a thousandth of the range.
function step_of(span: number): number {
    const power = 10 ** Math.floor(Math.log10(span / 500));
    const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= span / 1000) ?? 10;
    return clean(factor * power, 3);
}

export interface NumberSliderProps {
    label: string;
    value: number;
    min: number;
    max: number;
    /// Said beside the label.
    about?: string;
    /// Where a double click on the label goes.
    home?: number | undefined;
    /// The slider moves in powers.
    logarithmic?: boolean;
    unit?: string;
    compact?: boolean;
    onInput(value: number): void;
}

export function NumberSlider(props: NumberSliderProps) {
    const id = useId();
    const { label, about, home, logarithmic = false, unit, compact = false } = props;
    // What is dragged or typed stays as it is here until the program has said the same.
    const dragged = useSignal<number | null>(null);
    const text = useSignal<string | null>(null);
    const wrong = useSignal(false);
    const waiting = useRef<{ frame: number; settle: number; value: number }>({ frame: 0, settle: 0, value: 0 });
    useEffect(() => () => {
        cancelAnimationFrame(waiting.current.frame);
        clearTimeout(waiting.current.settle);
    }, []);

    const value = dragged.value ?? props.value;
    const [min, max] = props.max > props.min ? [props.min, props.max] : [props.min, props.min + 1];
    const to_slider = (number: number) => (logarithmic ? Math.log10(Math.max(number, min)) : number);
    const from_slider = (number: number) => (logarithmic ? clean(10 ** number, 3) : clean(number));
    const [low, high] = [to_slider(min), to_slider(max)];
    const share = Math.min(1, Math.max(0, (to_slider(value) - low) / (high - low)));
    const outside = value < min || value > max;

    const send = (next: number) => {
        dragged.value = next;
        waiting.current.value = next;
        waiting.current.frame ||= requestAnimationFrame(() => {
            waiting.current.frame = 0;
            props.onInput(waiting.current.value);
        });
        clearTimeout(waiting.current.settle);
        waiting.current.settle = window.setTimeout(() => (dragged.value = null), 400);
    };
    const take_text = () => {
        if (text.value === null) return;
        const number = typed(text.value);
        wrong.value = number === null;
        if (number === null) return;
        text.value = null;
        if (number !== value) send(number);
    };

    return (
        <div class={`number-slider ${compact ? "compact" : ""} ${outside ? "outside" : ""}`}>
            <label for={`${id}-box`} title={home === undefined ? about : `${about ? `${about}. ` : ""}Double-click: back to ${short(home, 6)}`} onDblClick={() => home !== undefined && send(home)}>
                <span class="name">{label}</span>
                {about && <span class="about">{about}</span>}
            </label>
            <span class="box">
                <input
                    id={`${id}-box`}
                    type="text"
                    inputMode="decimal"
                    autocomplete="off"
                    spellcheck={false}
                    value={text.value ?? short(value, compact ? 4 : 6)}
                    aria-invalid={wrong.value}
                    onFocus={(event) => event.currentTarget.select()}
                    onInput={(event) => {
                        text.value = event.currentTarget.value;
                        wrong.value = false;
                    }}
                    onBlur={() => {
                        take_text();
                        text.value = null;
                        wrong.value = false;
                    }}
                    onKeyDown={(event) => {
                        if (event.key === "Enter") take_text();
                        if (event.key === "Escape") text.value = null;
                        const direction = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
                        if (direction === 0) return;
                        event.preventDefault();
                        text.value = null;
                        const step = step_of(max - min) * (event.shiftKey ? 10 : 1);
                        send(clean(value + direction * step));
                    }}
                />
                {unit && <span class="unit">{unit}</span>}
            </span>
            <input
                type="range"
                aria-label={label}
                aria-valuetext={short(value, 6)}
                min={low}
                max={high}
                step={step_of(high - low)}
                value={to_slider(value)}
                style={{ "--fill": `${100 * share}%` }}
                onInput={(event) => send(from_slider(Number(event.currentTarget.value)))}
            />
        </div>
    );
}
