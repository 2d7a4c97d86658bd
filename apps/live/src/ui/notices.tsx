// apps/live/src/ui/notices.tsx: what the program says, a run that has diverged, and a connection that is gone
import { short } from "../numbers";
import * as session from "../session";
import { context_lost } from "../stage/stage";
import { IconButton } from "./icons";
import { restart } from "./transport";

export function Notices() {
    return (
        <div class="notices" aria-live="polite" aria-relevant="additions">
            {session.notices.value.map((notice) => (
                <div key={notice.key} class={`notice ${notice.kind}`} role={notice.kind === "error" ? "alert" : "status"}>
                    <span>{notice.text}</span>
                    <IconButton icon="close" label="Dismiss" onClick={() => session.dismiss(notice.key)} />
                </div>
            ))}
        </div>
    );
}

export function Divergence() {
    const diverged = session.diverged.value;
    if (!diverged || session.link.value !== "open") return null;
    return (
        <div class="stage-message card" role="alertdialog" aria-labelledby="diverged-title" aria-describedby="diverged-text">
            <h2 id="diverged-title">The run has blown up</h2>
            <p id="diverged-text">{session.shown_text(diverged.message)}</p>
            {diverged.advice && <p class="hint">{session.shown_text(diverged.advice)}</p>}
            <div class="buttons">
                {diverged.can_go_back && <button type="button" class="primary" autofocus onClick={() => session.send({ do: "go_back" })}>Go back, with a shorter time step</button>}
                <button type="button" onClick={restart}>Restart</button>
            </div>
            <p class="hint">At step {diverged.step}, time {short(diverged.time, 6)}</p>
        </div>
    );
}

export function Connection() {
    const link = session.link.value;
    if (context_lost.value) return <div class="stage-message card" role="status"><h2>The picture is lost</h2><p>The browser has taken the graphics memory away; the picture comes back with it.</p></div>;
    if (link === "open") return session.has_frame.value ? null : <div class="stage-message bare" role="status"><span class="spinner" />Waiting for the first picture</div>;
    if (link === "connecting") return <div class="stage-message bare" role="status"><span class="spinner" />Connecting</div>;
    if (link === "refused") {
        return (
            <div class="stage-message card" role="alert">
                <h2>This address is no longer valid</h2>
                <p>Another <code>mottle live</code> has been started since. Open the address that it printed in its terminal.</p>
            </div>
        );
    }
    return (
        <div class="stage-message card" role="alert">
            <h2>The connection is gone</h2>
            <p>Has <code>mottle live</code> been ended, or the tunnel been closed? This page connects again by itself.</p>
            <div class="buttons"><button type="button" class="primary" onClick={session.reconnect}>Try now</button></div>
        </div>
    );
}
