// apps/live/src/words.ts: what the program says, which speaks of its flags, in the words of the page

/// Flags that the page calls something else than their own names.
const kNames: Record<string, string> = {
    across: "wavelengths across",
    dt: "time step",
    refine: "refinement",
    scale: "scale of lengths",
    mesh: "surface",
};
/// In the place of a whole sentence's "--force runs it anyway": the page has no such thing.
const kForce = /(,? and|;|,) --force [^,;:.)]*/g;
const kTry = /\btry --dt (?=[\d.])/g;
const kFlag = /(^|[\s("'`])--([a-z][a-z\d]*(?:-[a-z\d]+)*)/g;

/// `names` are those of fields and parameters, which keep their letters as they are where they begin a sentence.
export function in_words_of_page(text: string, names: readonly string[] = []): string {
    const plain = text
        .replace(kForce, "")
        .replace(kTry, "try a time step of ")
        .replace(kFlag, (_, before: string, flag: string) => before + (kNames[flag] ?? flag.replaceAll("-", " ")))
        .replace(/^(warning: )?dt (?=is\b|\d)/, "$1the time step ");
    // A word alone begins a sentence; a file, an equation or a flag with its dots and colons does not.
    const first = /^([a-z]+)(?= (?!=)|, |: )/.exec(plain)?.[1];
    return first && first !== "dt" && !names.includes(first) ? plain[0]!.toUpperCase() + plain.slice(1) : plain;
}
