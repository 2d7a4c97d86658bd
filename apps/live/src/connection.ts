// apps/live/src/connection.ts: the WebSocket to `mottle live`: answers by number, and a new connection when one drops
import type { Incoming, Outgoing } from "./protocol";

/// refused: the program is there, but another one than this page belongs to.
export type LinkState = "connecting" | "open" | "lost" | "refused";

export interface Handlers {
    state(state: LinkState): void;
    /// claimed: somebody waits for it as an answer.
    message(message: Incoming, claimed: boolean): void;
    binary(message: ArrayBuffer): void;
}

const kFirstWait = 250;  // milliseconds
const kLongestWait = 4000;

export class Connection {
    private socket_: WebSocket | null = null;
    private wait_ = kFirstWait;
    private next_id_ = 1;
    private timer_ = 0;
    private readonly waiting_ = new Map<number, (answer: Incoming | null) => void>();

    constructor(
        private readonly token_: string,
        private readonly handlers_: Handlers,
    ) {
        window.addEventListener("online", () => this.connect());
        this.connect();
    }

    /// Sends `message`, or drops it where there is no connection: what the page shows is sent again with the next one.
    send(message: Outgoing): void {
        if (this.socket_?.readyState === WebSocket.OPEN) this.socket_.send(JSON.stringify(message));
    }

    /// The first answer to `message`; null where the connection ended before.
    ask(message: Outgoing): Promise<Incoming | null> {
        if (this.socket_?.readyState !== WebSocket.OPEN) return Promise.resolve(null);
        const id = this.next_id_++;
        return new Promise((resolve) => {
            this.waiting_.set(id, resolve);
            this.socket_!.send(JSON.stringify({ ...message, id }));
        });
    }

    /// At once, rather than at the end of the wait.
    connect(): void {
        if (this.socket_ && this.socket_.readyState <= WebSocket.OPEN) return;
        clearTimeout(this.timer_);
        const scheme = location.protocol === "https:" ? "wss:" : "ws:";
        const socket = new WebSocket(`${scheme}//${location.host}/ws?token=${encodeURIComponent(this.token_)}`);
        socket.binaryType = "arraybuffer";
        this.socket_ = socket;
        socket.onopen = () => {
            this.wait_ = kFirstWait;
            this.handlers_.state("open");
        };
        socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
            if (typeof event.data === "string") this.receive_(event.data);
            else this.handlers_.binary(event.data);
        };
        socket.onclose = () => this.lose_(socket);
    }

    private receive_(text: string): void {
        let message: Incoming;
        try {
            message = JSON.parse(text) as Incoming;
        } catch {
            return;  // not ours
        }
        const about = "about" in message ? message.about : undefined;
        const resolve = about === undefined ? undefined : this.waiting_.get(about);
        if (about !== undefined) this.waiting_.delete(about);
        this.handlers_.message(message, resolve !== undefined);
        resolve?.(message);
    }

    private lose_(socket: WebSocket): void {
        if (socket !== this.socket_) return;
        this.socket_ = null;
        for (const resolve of this.waiting_.values()) resolve(null);
        this.waiting_.clear();
        this.handlers_.state("lost");
        this.timer_ = window.setTimeout(() => this.connect(), this.wait_);
        this.wait_ = Math.min(kLongestWait, this.wait_ * 1.6);
        void this.ask_whether_refused_();
    }

    /// A browser does not tell why a WebSocket was not opened; a plain request does.
    private async ask_whether_refused_(): Promise<void> {
        try {
            const answer = await fetch(`/?token=${encodeURIComponent(this.token_)}`, { cache: "no-store" });
            if (answer.status === 403 && !this.socket_) this.handlers_.state("refused");
        } catch {
            // nobody is there: the connection is lost, and tried again
        }
    }
}
