// apps/live/src/main.tsx: begins the page
import { effect } from "@preact/signals";
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/controls.css";
import "./styles/over_picture.css";
import "./styles/panels.css";
import "./styles/editor.css";
import "./styles/layout.css";
import "./styles/phone.css";
import * as session from "./session";
import { Pointer } from "./stage/pointer";
import { Stage } from "./stage/stage";
import * as tools from "./tools";
import { App } from "./ui/app";
import { listen_for_files } from "./ui/files";
import { take_pictures } from "./ui/pictures";
import { listen_for_shortcuts } from "./ui/shortcuts";

const root = document.getElementById("page")!;

function begin(): void {
    const canvas = document.createElement("canvas");
    canvas.className = "simulation";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    effect(() => {
        const model = session.model.value;
        const what = model ? `${model.title || model.name}${model.preset ? `, ${model.preset}` : ""}: ${session.shown_field.value} on a ${model.domain.text}` : "Simulation";
        canvas.setAttribute("aria-label", `${what}. Arrow keys move the view, plus and minus zoom, Enter uses the tool in the middle.`);
    });
    effect(() => void (canvas.dataset["tool"] = tools.tool.value));
    const stage = new Stage(canvas);
    session.on_geometry(() => (tools.extent.value = 2 * stage.surface.radius));
    new Pointer(stage);
    render(<App stage={stage} />, root);
    listen_for_shortcuts(stage);
    listen_for_files();
    take_pictures(stage);
}

if (document.createElement("canvas").getContext("webgl2")) {
    begin();
} else {
    root.innerHTML = `<div class="no-webgl"><h1>Mottle</h1><p>This browser does not draw with WebGL 2, which the page needs. In Chrome and Firefox it is part of “hardware acceleration”, which may be turned off in the settings.</p></div>`;
}
