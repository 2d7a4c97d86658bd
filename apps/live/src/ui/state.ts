// apps/live/src/ui/state.ts: what is open on the page, and how it looks
import { computed, effect, signal } from "@preact/signals";

export type Tab = "model" | "equations" | "numerics" | "explore" | "save";

function stored(key: string): string | null {
    try {
        return localStorage.getItem(`mottle.${key}`);
    } catch {
        return null;  // a browser that keeps nothing
    }
}

function store(key: string, value: string): void {
    try {
        localStorage.setItem(`mottle.${key}`, value);
    } catch {
        // not kept then
    }
}

export const kNarrow = 860;  // CSS pixels; styles/phone.css has the same
const narrow_screen = matchMedia(`(max-width: ${kNarrow}px)`);
export const narrow = signal(narrow_screen.matches);
narrow_screen.addEventListener("change", () => (narrow.value = narrow_screen.matches));

export const tab = signal<Tab>("model");
export const panel_open = signal(!narrow_screen.matches && stored("panel") !== "closed");
export const gallery_open = signal(false);
export const help_open = signal(false);
export const colours_open = signal(false);
/// A model from a link or a file, which is read before it runs.
export const review = signal<{ text: string; from: string } | null>(null);
/// A picture that was dropped, before it is said what it is.
export const dropped = signal<{ name: string; data: string; url: string } | null>(null);

const system = matchMedia("(prefers-color-scheme: light)");
const system_is_light = signal(system.matches);
system.addEventListener("change", () => (system_is_light.value = system.matches));
const chosen_theme = signal(stored("theme"));
export const theme = computed<"dark" | "light">(() => {
    if (chosen_theme.value === "dark" || chosen_theme.value === "light") return chosen_theme.value;
    return system_is_light.value ? "light" : "dark";
});

export function toggle_theme(): void {
    chosen_theme.value = theme.value === "dark" ? "light" : "dark";
    store("theme", chosen_theme.value);
}

export function toggle_panel(): void {
    panel_open.value = !panel_open.value;
    if (!narrow.value) store("panel", panel_open.value ? "open" : "closed");
}

export function show_tab(next: Tab): void {
    if (tab.value === next && panel_open.value && narrow.value) {
        panel_open.value = false;
        return;
    }
    tab.value = next;
    panel_open.value = true;
    if (narrow.value) colours_open.value = false;
}

effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
});
