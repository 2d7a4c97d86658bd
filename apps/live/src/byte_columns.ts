// apps/live/src/byte_columns.ts: from Mottle's places, lines and bytes of UTF-8 from 1, to offsets in a text of UTF-16

function bytes_of(code_point: number): number {
    if (code_point < 0x80) return 1;
    if (code_point < 0x800) return 2;
    return code_point < 0x10000 ? 3 : 4;
}

/// The number of UTF-16 units before byte `bytes` of `line`; the end of the line where it is shorter.
export function units_before(line: string, bytes: number): number {
    let units = 0;
    let seen = 0;
    while (units < line.length && seen < bytes) {
        const code_point = line.codePointAt(units)!;
        seen += bytes_of(code_point);
        units += code_point > 0xffff ? 2 : 1;
    }
    return units;
}

/// The part of `text` that Mottle's place names, at least one character where there is one; null where it names none.
export function place_in(text: string, line: number, column: number, length: number): { from: number; to: number } | null {
    if (line < 1) return null;
    let start = 0;
    for (let number = 1; number < line; ++number) {
        const end = text.indexOf("\n", start);
        if (end < 0) return { from: text.length, to: text.length };
        start = end + 1;
    }
    const end = text.indexOf("\n", start);
    const content = text.slice(start, end < 0 ? text.length : end);
    if (column < 1) {
        const indent = content.length - content.trimStart().length;
        return { from: start + indent, to: start + content.trimEnd().length };
    }
    const from = units_before(content, column - 1);
    let to = units_before(content, column - 1 + Math.max(1, length));
    if (to === from && to < content.length) ++to;
    const back = to === from && from > 0 ? 1 : 0;  // at the end of a line: its last character
    return { from: start + from - back, to: start + to };
}
