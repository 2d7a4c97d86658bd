// apps/live/src/ui/controls.tsx: the small controls of the panels: a choice of few, a choice of many, a line of text, a dialog
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { IconButton } from "./icons";

const kPatience = 800;  // milliseconds in which the program agrees to a choice, or does not

/// What is called after a choice: a control that the program did not agree to shows again what is.
function useAgreement(): () => void {
    const asked = useSignal(0);
    void asked.value;
    return () => window.setTimeout(() => (asked.value = asked.peek() + 1), kPatience);
}

export function Segments<T extends string>(props: { label: string; value: T; options: readonly { value: T; label: string; title?: string }[]; onChange(value: T): void; hidden_label?: boolean }) {
    const name = useId();
    const then_show_what_is = useAgreement();
    const choose = (value: T) => {
        props.onChange(value);
        then_show_what_is();
    };
    return (
        <div class={`segments ${props.hidden_label ? "" : "row"}`} role="radiogroup" aria-label={props.label}>
            {!props.hidden_label && <span class="row-label" aria-hidden="true">{props.label}</span>}
            <div>
                {props.options.map((option) => (
                    <label key={option.value} title={option.title}>
                        <input type="radio" name={name} checked={option.value === props.value} onChange={() => choose(option.value)} />
                        <span>{option.label}</span>
                    </label>
                ))}
            </div>
        </div>
    );
}

const kMostSegments = 4;

/// One field of a model: side by side, or in a list where there are many.
export function FieldChoice(props: { label: string; value: string; fields: readonly { name: string; about: string }[]; onChange(name: string): void }) {
    const { label, value, fields, onChange } = props;
    if (fields.length <= kMostSegments) {
        return <Segments label={label} hidden_label value={value} options={fields.map((field) => ({ value: field.name, label: field.name, title: field.about }))} onChange={onChange} />;
    }
    return (
        <select class="fields" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
            {fields.map((field) => <option key={field.name} value={field.name} title={field.about}>{field.name}</option>)}
        </select>
    );
}

export function Choice(props: { label: string; value: string; options: readonly (string | { value: string; label: string })[]; onChange(value: string): void }) {
    const id = useId();
    const then_show_what_is = useAgreement();
    const options = props.options.map((option) => (typeof option === "string" ? { value: option, label: option } : option));
    if (!options.some((option) => option.value === props.value)) options.unshift({ value: props.value, label: props.value || "–" });
    return (
        <div class="row">
            <label for={id}>{props.label}</label>
            <select
                id={id}
                value={props.value}
                onChange={(event) => {
                    props.onChange(event.currentTarget.value);
                    then_show_what_is();
                }}
            >
                {options.map((option) => (
                    <option key={option.value} value={option.value}>{option.label}</option>
                ))}
            </select>
        </div>
    );
}

/// Text that is taken with Enter or when the box is left.
export function TextRow(props: { label: string; value: string; placeholder?: string; list?: readonly string[]; hint?: ComponentChildren; onChange(value: string): void }) {
    const id = useId();
    const draft = useSignal<string | null>(null);
    const take = () => {
        const text = draft.value?.trim();
        draft.value = null;
        if (text !== undefined && text !== props.value) props.onChange(text);
    };
    return (
        <div class="row">
            <label for={id}>{props.label}</label>
            <input
                id={id}
                type="text"
                autocomplete="off"
                spellcheck={false}
                value={draft.value ?? props.value}
                placeholder={props.placeholder ?? ""}
                list={props.list ? `${id}-list` : undefined}
                onInput={(event) => (draft.value = event.currentTarget.value)}
                onBlur={take}
                onChange={take}
                onKeyDown={(event) => {
                    if (event.key === "Enter") take();
                    if (event.key === "Escape") draft.value = null;
                }}
            />
            {props.list && <datalist id={`${id}-list`}>{props.list.map((text) => <option key={text} value={text} />)}</datalist>}
            {props.hint && <p class="hint">{props.hint}</p>}
        </div>
    );
}

export function Dialog(props: { title: string; class?: string; onClose(): void; children: ComponentChildren }) {
    const dialog = useRef<HTMLDialogElement>(null);
    const id = useId();
    useEffect(() => {
        if (!dialog.current?.open) dialog.current?.showModal();
    }, []);
    return (
        <dialog
            ref={dialog}
            class={props.class ?? ""}
            aria-labelledby={id}
            onClose={props.onClose}
            onClick={(event) => event.target === dialog.current && props.onClose()}
        >
            <div class="dialog-body">
                <header>
                    <h2 id={id}>{props.title}</h2>
                    <IconButton icon="close" label="Close" onClick={props.onClose} />
                </header>
                {props.children}
            </div>
        </dialog>
    );
}
