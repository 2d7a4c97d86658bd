// apps/live/tests/words.test.ts: what the program says, in the words of the page
import assert from "node:assert/strict";
import { test } from "node:test";
import { in_words_of_page } from "../src/words";

test("flags become what the page calls them", () => {
    const told: [string, string][] = [
        ["dt is 8, above 1.009, the limit of explicit diffusion: try --dt 0.9081", "The time step is 8, above 1.009, the limit of explicit diffusion: try a time step of 0.9081"],
        ["warning: dt 8 is above 1.192", "Warning: the time step 8 is above 1.192"],
        ["dt 0.5 is within the limit of the reaction", "The time step 0.5 is within the limit of the reaction"],
        ["give a smaller --dt or a longer --time", "Give a smaller time step or a longer time"],
        ["the kernel needs more; choose another --size", "The kernel needs more; choose another size"],
        ["2.43 wavelengths across sphere:4; --refine 3 draws 12 smoothly", "2.43 wavelengths across sphere:4; refinement 3 draws 12 smoothly"],
        ["choose another --scale or --across, or --precision f64", "Choose another scale of lengths or wavelengths across, or precision f64"],
        ["at most 2.21 fit; --refine 5 draws 30 smoothly, with 1024 times the vertices, and --force runs it anyway", "At most 2.21 fit; refinement 5 draws 30 smoothly, with 1024 times the vertices"],
    ];
    for (const [said, shown] of told) assert.equal(in_words_of_page(said), shown);
});

test("a sentence begins with a capital letter, a name does not", () => {
    assert.equal(in_words_of_page("warning: the field is flat"), "Warning: the field is flat");
    assert.equal(in_words_of_page("u is not a number at (3, 4)", ["u", "v"]), "u is not a number at (3, 4)");
    assert.equal(in_words_of_page("rate was read as 3", ["rate"]), "rate was read as 3");
    for (const text of ["size = 400 is one row", "equations.u has no end", "ink.toml:3:1: unknown key", "u-v falls", "3 steps -- no more", ""]) assert.equal(in_words_of_page(text), text);
});
