// apps/live/src/link.ts: a whole model in the fragment of an address: deflate, then base64 of URLs

const kKey = "model=";
const kLongest = 4 << 20;  // bytes of a model that a link may unfold to

function to_base64url(bytes: Uint8Array): string {
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function from_base64url(text: string): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}

async function through(bytes: Uint8Array<ArrayBuffer>, transform: CompressionStream | DecompressionStream, longest: number): Promise<Uint8Array<ArrayBuffer>> {
    const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
    const parts: Uint8Array[] = [];
    let length = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        length += value.length;
        if (length > longest) {
            void reader.cancel();
            throw new Error("the model in the link is too long");
        }
        parts.push(value);
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole;
}

/// "#model=..." for the text of a model.
export async function fragment_of(text: string): Promise<string> {
    const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate"), Infinity);
    return `#${kKey}${to_base64url(packed)}`;
}

/// The text of the model in an address, or null where it holds none. Throws: Error, if what it holds is damaged.
export async function model_in(address: string): Promise<string | null> {
    const found = /#(?:.*&)?model=([A-Za-z0-9_-]+)/.exec(address);
    if (!found) return null;
    try {
        const bytes = await through(from_base64url(found[1]!), new DecompressionStream("deflate"), kLongest);
        return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (error) {
        if (error instanceof Error && error.message.includes("too long")) throw error;
        throw new Error("the model in this link is damaged; was all of the link copied?");
    }
}
