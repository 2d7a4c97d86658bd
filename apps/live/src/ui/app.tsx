// apps/live/src/ui/app.tsx: how the page is laid out: the picture, what floats over it, and the panel
import { effect } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as session from "../session";
import type { Stage } from "../stage/stage";
import { ProbeChart, ProfileChart } from "./charts";
import { ColourBar, Colours, FieldPicker } from "./colour_bar";
import { EquationsPanel } from "./editor";
import { ExplorePanel } from "./explore_panel";
import { DroppedDialog, ReviewDialog } from "./files";
import { Gallery, ModelTitle } from "./gallery";
import { Icon, IconButton } from "./icons";
import { ModelPanel } from "./model_panel";
import { Connection, Divergence, Notices } from "./notices";
import { NumericsPanel } from "./numerics_panel";
import { Overlay } from "./overlay";
import { save, SavePanel } from "./save_panel";
import { HelpSheet } from "./shortcuts";
import { Slices } from "./slices";
import * as state from "./state";
import { ToolBar, ToolSettings } from "./tool_bar";
import { Readings, Transport } from "./transport";

const kTabs: { tab: state.Tab; label: string; icon: string; panel: ComponentType }[] = [
    { tab: "model", label: "Model", icon: "sliders", panel: ModelPanel },
    { tab: "equations", label: "Equations", icon: "equation", panel: EquationsPanel },
    { tab: "numerics", label: "Numerics", icon: "gauge", panel: NumericsPanel },
    { tab: "explore", label: "Explore", icon: "map", panel: ExplorePanel },
    { tab: "save", label: "Save", icon: "save", panel: SavePanel },
];

function Tabs() {
    const move = (event: KeyboardEvent) => {
        const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : event.key === "ArrowLeft" || event.key === "ArrowUp" ? -1 : 0;
        if (step === 0) return;
        event.preventDefault();
        event.stopPropagation();
        const now = kTabs.findIndex(({ tab }) => tab === state.tab.value);
        const next = kTabs[(now + step + kTabs.length) % kTabs.length]!;
        state.tab.value = next.tab;
        document.getElementById(`tab-${next.tab}`)?.focus();
    };
    return (
        <div class="tabs" role="tablist" aria-label="Settings" onKeyDown={move}>
            {kTabs.map(({ tab, label, icon }) => {
                const chosen = state.tab.value === tab;
                const unread = tab === "numerics" ? session.unread.value : 0;
                return (
                    <button key={tab} id={`tab-${tab}`} type="button" role="tab" aria-selected={chosen && state.panel_open.value} aria-controls="panel" tabIndex={chosen ? 0 : -1} onClick={() => state.show_tab(tab)}>
                        <Icon name={icon} />
                        <span>{label}</span>
                        {unread > 0 && <span class="unread" title="Notes about this run">{unread}<span class="unseen">{unread > 1 ? " notes" : " note"}</span></span>}
                    </button>
                );
            })}
        </div>
    );
}

function Panel() {
    const Content = kTabs.find(({ tab }) => tab === state.tab.value)!.panel;
    return (
        <aside class="panel" aria-label="Settings">
            <Tabs />
            {state.panel_open.value && (
                <div class={`panel-content ${state.tab.value}`} id="panel" role="tabpanel" aria-labelledby={`tab-${state.tab.value}`} tabIndex={-1}>
                    <Content />
                </div>
            )}
        </aside>
    );
}

function TopBar() {
    return (
        <header class="top-bar">
            <div class="name-plate">
                <h1>Mottle</h1>
                <ModelTitle />
            </div>
            <div class="top-middle"><ToolSettings /></div>
            <div class="top-buttons">
                {session.status.value?.recording && <span class="on-air" role="status"><i />Recording</span>}
                <IconButton icon="camera" label="Save the picture" hint="S" class="wide-only" onClick={() => save("png")} />
                <IconButton icon={state.theme.value === "dark" ? "sun" : "moon"} label={state.theme.value === "dark" ? "Light" : "Dark"} hint="D" onClick={state.toggle_theme} />
                <IconButton icon="help" label="Keys and gestures" hint="?" onClick={() => (state.help_open.value = true)} />
                <IconButton icon="panel" label="Panel" hint="\" class="wide-only" pressed={state.panel_open.value} onClick={state.toggle_panel} />
            </div>
        </header>
    );
}

/// What floats over the picture and covers it, in CSS pixels from each side.
function covered(box: HTMLElement): { left: number; top: number; right: number; bottom: number } {
    const outer = box.getBoundingClientRect();
    const part = (selector: string) => box.querySelector(selector)?.getBoundingClientRect();
    const [top, tools, bottom] = [part(".top-bar"), part(".tools"), part(".bottom")];
    const gap = outer.width < 600 ? 8 : 16;
    const beside = tools && tools.height > tools.width;  // a column of tools covers a side
    return {
        left: (beside ? tools.right - outer.left : 0) + gap,
        right: (beside && outer.width > 600 ? tools.right - outer.left : 0) + gap,
        top: (top ? top.bottom - outer.top : 0) + gap,
        bottom: (bottom ? outer.bottom - bottom.top : 0) + gap,
    };
}

export function App({ stage }: { stage: Stage }) {
    const box = useRef<HTMLElement>(null);
    useEffect(() => {
        const element = box.current!;
        element.prepend(stage.canvas);
        stage.canvas.addEventListener("pointerdown", () => (state.colours_open.value = false));
        const resize = () => stage.resize(element.clientWidth, element.clientHeight, covered(element));
        const sizes = new ResizeObserver(resize);
        sizes.observe(element);
        for (const part of element.querySelectorAll(".top-bar, .tools, .bottom")) sizes.observe(part);
        const background = () => {
            void state.theme.value;
            const [r = 0, g = 0, b = 0] = (getComputedStyle(document.documentElement).getPropertyValue("--ground").match(/[\da-f]{2}/gi) ?? []).map((hex) => parseInt(hex, 16) / 255);
            stage.background = [r, g, b];
        };
        return effect(background);
    }, []);
    const lost = session.link.value === "lost" || session.link.value === "refused";
    return (
        <div class={`page ${state.panel_open.value ? "with-panel" : ""}`}>
            <main class={`stage ${lost ? "lost" : ""}`} ref={box} aria-label="Simulation">
                <Overlay stage={stage} />
                <TopBar />
                <ToolBar />
                <div class="under-top">
                    <Divergence />
                    <Connection />
                </div>
                <div class="charts">
                    <ProbeChart />
                    <ProfileChart stage={stage} />
                </div>
                <div class="bottom">
                    <div class="bottom-row">
                        <div class="colour-corner">
                            {state.colours_open.value && <Colours />}
                            <FieldPicker />
                            <ColourBar stage={stage} />
                        </div>
                        <Slices />
                        <Transport />
                        <div class="fit-corner">
                            <Readings />
                            <IconButton icon="fit" label="All of it" hint="0" onClick={() => stage.fit()} />
                        </div>
                    </div>
                    <Notices />
                </div>
            </main>
            <Panel />
            {state.gallery_open.value && <Gallery />}
            {state.help_open.value && <HelpSheet />}
            <ReviewDialog />
            <DroppedDialog />
        </div>
    );
}
