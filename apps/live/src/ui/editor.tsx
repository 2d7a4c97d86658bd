// apps/live/src/ui/editor.tsx: the text of the model, which runs as one types; what Mottle cannot read is underlined where it is
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { effect, signal, untracked } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { place_in } from "../byte_columns";
import type { Failure } from "../protocol";
import * as session from "../session";
import { equation_words, words_of_equations } from "./equation_words";

const kPatience = 150;  // milliseconds after the last key

type State = { kind: "same" } | { kind: "typing" } | { kind: "running" } | { kind: "wrong"; failure: Failure };
export const editor_state = signal<State>({ kind: "same" });

const colours = HighlightStyle.define([
    { tag: tags.comment, class: "tok-comment" },
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: "tok-key" },
    { tag: tags.string, class: "tok-string" },
    { tag: [tags.number, tags.atom, tags.bool], class: "tok-number" },
    { tag: tags.bracket, class: "tok-bracket" },
]);

/// One editor for the life of the page: what was typed stays when the panel is closed.
class Editor {
    readonly view: EditorView;
    private timer_ = 0;
    private sent_ = "";
    private followed_ = "";
    private turn_ = 0;
    private equations_ = 0;

    constructor() {
        this.view = new EditorView({
            state: EditorState.create({
                extensions: [
                    lineNumbers(),
                    lintGutter(),
                    highlightSpecialChars(),
                    history(),
                    drawSelection(),
                    bracketMatching(),
                    closeBrackets(),
                    autocompletion({ override: [words_of_equations], icons: false }),
                    highlightActiveLine(),
                    StreamLanguage.define(toml),
                    syntaxHighlighting(colours),
                    equation_words,
                    EditorView.lineWrapping,
                    EditorView.contentAttributes.of({ "aria-label": "Text of the model. Escape and then Tab leaves it" }),
                    keymap.of([{ key: "Mod-Enter", run: () => (this.send_(true), true) }, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
                    EditorView.updateListener.of((update) => {
                        if (update.docChanged && !update.transactions.some((transaction) => transaction.isUserEvent("mottle"))) this.typed_();
                    }),
                ],
            }),
        });
        effect(() => {
            const text = session.model.value?.text ?? "";
            untracked(() => this.follow_(text));
        });
    }

    get text(): string {
        return this.view.state.doc.toString();
    }

    /// The text of another preset, model or page replaces this one, unless it is the one that was sent from here, or one is typing.
    private follow_(text: string, always = false): void {
        if (!always && (text === this.followed_ || text === this.sent_ || editor_state.peek().kind === "typing")) {
            this.followed_ = text;
            return;
        }
        this.followed_ = text;
        if (text === this.text || text === "") return;
        clearTimeout(this.timer_);
        // The equations are what one comes for; what stands before them is for later.
        const equations = /^(\[equations\]|equations[ .=])/m.exec(text)?.index ?? 0;
        this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, userEvent: "mottle" });
        this.view.dispatch({ effects: EditorView.scrollIntoView(equations, { y: "start", yMargin: 8 }) });
        this.view.dispatch(setDiagnostics(this.view.state, []));
        this.equations_ = equations;
        editor_state.value = { kind: "same" };
    }

    private typed_(): void {
        editor_state.value = { kind: "typing" };
        clearTimeout(this.timer_);
        this.timer_ = window.setTimeout(() => this.send_(false), kPatience);
    }

    private async send_(restart: boolean): Promise<void> {
        clearTimeout(this.timer_);
        const text = this.text;
        const turn = ++this.turn_;
        this.sent_ = text;
        const answer = await session.ask(restart ? { do: "model", text, restart: true } : { do: "model", text });
        if (turn !== this.turn_ || text !== this.text) return;  // more was typed meanwhile
        if (answer?.event === "error") {
            const place = place_in(text, answer.line, answer.column, answer.length);
            const message = answer.hint ? `${answer.message}\n${answer.hint}` : answer.message;
            this.view.dispatch(setDiagnostics(this.view.state, place ? [{ ...place, severity: "error", message }] : []));
            editor_state.value = { kind: "wrong", failure: answer };
        } else if (answer) {
            this.view.dispatch(setDiagnostics(this.view.state, []));
            editor_state.value = { kind: "running" };
        }
    }

    /// When the panel opens: an editor that was not there could not scroll.
    show(): void {
        this.view.requestMeasure();
        if (!this.view.hasFocus) this.view.dispatch({ effects: EditorView.scrollIntoView(Math.min(this.equations_, this.view.state.doc.length), { y: "start", yMargin: 8 }) });
    }

    /// Back to what runs.
    revert(): void {
        editor_state.value = { kind: "same" };
        this.follow_(session.model.value?.text ?? "", true);
        this.view.dispatch(setDiagnostics(this.view.state, []));
    }

    restart(): void {
        void this.send_(true);
    }

    /// The cursor at the place of the error.
    show_error(failure: Failure): void {
        const place = place_in(this.text, failure.line, failure.column, failure.length);
        if (place) this.view.dispatch({ selection: { anchor: place.from, head: place.to }, scrollIntoView: true });
        this.view.focus();
    }
}

let editor: Editor | null = null;

export function EquationsPanel() {
    const box = useRef<HTMLDivElement>(null);
    useEffect(() => {
        editor ??= new Editor();
        box.current!.append(editor.view.dom);
        editor.show();
    }, []);
    const state = editor_state.value;
    return (
        <section class="equations">
            <div class={`editor-state ${state.kind}`} role="status" aria-live="polite">
                {state.kind === "same" && <span>Runs as you type, with the fields as they are</span>}
                {state.kind === "typing" && <span>…</span>}
                {state.kind === "running" && <span class="good">Running what you wrote</span>}
                {state.kind === "wrong" && (
                    <button type="button" class="failure" title={state.failure.hint} onClick={() => editor?.show_error(state.failure)}>
                        {state.failure.line > 0 && <b>{state.failure.line}:{state.failure.column}</b>} {state.failure.message}
                    </button>
                )}
            </div>
            <div class="editor" ref={box} />
            <div class="buttons">
                <button type="button" title="Ctrl+Enter" onClick={() => editor?.restart()}>Restart with this</button>
                <button type="button" class="quiet" disabled={state.kind !== "wrong"} onClick={() => editor?.revert()}>Back to what runs</button>
            </div>
        </section>
    );
}
