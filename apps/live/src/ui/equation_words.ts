// apps/live/src/ui/equation_words.ts: fields, parameters and functions inside equations: their colours, and their names while one types
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { Decoration, type DecorationSet, type EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { kFunctions } from "../functions";
import * as session from "../session";

const kWord = /[A-Za-z_][A-Za-z0-9_]*/g;

/// Keys whose text is for people.
const kProse = /\b(title|source|about|unit|palette|size|boundary|text|file)\s*=\s*$/;

/// Whether `at` of a line is inside a string that may be an equation.
function inside_string(line: string, at: number): boolean {
    let quote = "";
    let prose = false;
    for (let i = 0; i < at; ++i) {
        const character = line[i]!;
        if (quote) {
            if (character === quote) quote = "";
        } else if (character === '"' || character === "'") {
            quote = character;
            prose = kProse.test(line.slice(0, i));
        } else if (character === "#") {
            return false;
        }
    }
    return quote !== "" && !prose;
}

const mark = (name: string) => Decoration.mark({ class: name });
const kMarks = { function: mark("tok-function"), field: mark("tok-field"), parameter: mark("tok-parameter") };

const matcher = new MatchDecorator({
    regexp: kWord,
    decorate(add, from, to, match, view) {
        const line = view.state.doc.lineAt(from);
        const text = line.text;
        const in_long_string = !/[="'#[]/.test(text);  // a line of an equation between triple quotes
        if (!in_long_string && !inside_string(text, from - line.from)) return;
        const word = match[0];
        const model = session.model.peek();
        if (word in kFunctions && view.state.sliceDoc(to, to + 1) === "(") add(from, to, kMarks.function);
        else if (model?.fields.some((field) => field.name === word)) add(from, to, kMarks.field);
        else if (model?.parameters.some((parameter) => parameter.name === word)) add(from, to, kMarks.parameter);
    },
});

export const equation_words = ViewPlugin.fromClass(
    class {
        decorations: DecorationSet;
        constructor(view: EditorView) {
            this.decorations = matcher.createDeco(view);
        }
        update(update: ViewUpdate): void {
            this.decorations = matcher.updateDeco(update, this.decorations);
        }
    },
    { decorations: (plugin) => plugin.decorations },
);

export function words_of_equations(context: CompletionContext): CompletionResult | null {
    const word = context.matchBefore(/[A-Za-z_][A-Za-z0-9_]*/);
    const line = context.state.doc.lineAt(context.pos);
    if (!word || (word.from === word.to && !context.explicit) || !inside_string(line.text, context.pos - line.from)) return null;
    const model = session.model.peek();
    return {
        from: word.from,
        options: [
            ...(model?.fields ?? []).map((field) => ({ label: field.name, type: "variable", detail: field.about || "field" })),
            ...(model?.parameters ?? []).map((parameter) => ({ label: parameter.name, type: "constant", detail: parameter.about || "parameter" })),
            ...Object.entries(kFunctions).map(([label, detail]) => ({ label, type: "function", detail, apply: `${label}(` })),
        ],
        validFor: /^[A-Za-z0-9_]*$/,
    };
}
