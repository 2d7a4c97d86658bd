// apps/live/src/ui/equation_words.ts: fields, parameters and functions inside equations: their colours, and their names while one types
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { Decoration, type DecorationSet, type EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import * as session from "../session";

/// Functions and operators of the language, as docs/functions.md lists them.
const kFunctions: Record<string, string> = {
    lap: "Laplacian", bilap: "Laplacian of the Laplacian", dx: "slope along x", dy: "slope along y", dz: "slope along z", grad: "gradient", dot: "product of vectors",
    norm2: "square of a vector", div: "divergence", tensor: "diffusion along a direction", mean: "mean over all cells", integral: "integral over the domain",
    white: "white noise in time", noise: "a random number in each cell", disk: "1 in a disc", ring: "1 on a ring", box: "1 in a rectangle", gauss: "a bell", spots: "1 in random discs",
    image: "brightness of a picture", near: "1 near a place of a surface", attr: "a number of each vertex", where: "where(condition, then, else)", min: "the smaller", max: "the larger",
    clamp: "clamp(x, low, high)", abs: "size without sign", sign: "-1, 0 or 1", floor: "whole number below", mod: "remainder", sqrt: "square root", exp: "exponential", log: "natural logarithm",
    sin: "sine", cos: "cosine", tan: "tangent", atan2: "angle of (y, x)", tanh: "hyperbolic tangent", pow: "power",
};

const kWord = /[A-Za-z_][A-Za-z0-9_]*/g;

/// Whether `at` of a line is inside a string, where equations are.
function inside_string(line: string, at: number): boolean {
    let quote = "";
    for (let i = 0; i < at; ++i) {
        const character = line[i]!;
        if (quote) {
            if (character === quote) quote = "";
        } else if (character === '"' || character === "'") {
            quote = character;
        } else if (character === "#") {
            return false;
        }
    }
    return quote !== "";
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
