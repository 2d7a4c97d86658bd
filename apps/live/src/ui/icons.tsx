// apps/live/src/ui/icons.tsx: the icons, drawn on 24 x 24 with one line width
import type { ComponentChildren } from "preact";

const kPaths: Record<string, ComponentChildren> = {
    play: <path d="M8 5.5v13l10.5-6.5z" fill="currentColor" stroke-linejoin="round" />,
    pause: <path d="M8.5 5.5v13M15.5 5.5v13" stroke-width="3" />,
    step: <path d="M6 5.5v13l9-6.5zM18.5 5.5v13" stroke-linejoin="round" />,
    restart: <path d="M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4.5 4v4h4" />,
    dice: (
        <>
            <rect x="4.5" y="4.5" width="15" height="15" rx="3.5" />
            <path d="M9 9h.01M15 9h.01M12 12h.01M9 15h.01M15 15h.01" stroke-width="2.2" />
        </>
    ),
    undo: <path d="M8 5 4 9l4 4M4 9h9.5a5.5 5.5 0 0 1 0 11H10" />,
    redo: <path d="m16 5 4 4-4 4M20 9h-9.5a5.5 5.5 0 0 0 0 11H14" />,
    hand: <path d="M12 3.5v17M3.5 12h17M12 3.5 9.5 6M12 3.5 14.5 6M12 20.5 9.5 18M12 20.5l2.5-2.5M3.5 12 6 9.5M3.5 12 6 14.5M20.5 12 18 9.5M20.5 12 18 14.5" />,
    brush: <path d="M19.5 4.5c-4.5 1.6-8 4.7-10 8.2l1.9 1.9c3.5-2 6.6-5.5 8.1-10.1ZM9 13.5c-2.4.1-3.6 1.4-3.8 3.2-.1 1-.6 1.9-1.7 2.3 1.3.9 3.1 1.3 4.8.8 1.9-.5 3-2 2.9-4.1" />,
    eraser: <path d="m4.5 15 8.7-9.3a2 2 0 0 1 2.9 0l3.4 3.4a2 2 0 0 1 0 2.8L12.5 19H8.3zM9 10.5l6 5.9M8.3 19h11.2" />,
    probe: (
        <>
            <circle cx="12" cy="12" r="3" />
            <path d="M12 3.5v4M12 16.5v4M3.5 12h4M16.5 12h4" />
        </>
    ),
    line: (
        <>
            <path d="M7.2 16.8 16.8 7.2" />
            <circle cx="5.7" cy="18.3" r="2" />
            <circle cx="18.3" cy="5.7" r="2" />
        </>
    ),
    fit: <path d="M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15" />,
    moon: <path d="M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7Z" />,
    sun: (
        <>
            <circle cx="12" cy="12" r="4" />
            <path d="M12 2.8v2M12 19.2v2M2.8 12h2M19.2 12h2M5.5 5.5l1.4 1.4M17.1 17.1l1.4 1.4M5.5 18.5l1.4-1.4M17.1 6.9l1.4-1.4" />
        </>
    ),
    help: (
        <>
            <circle cx="12" cy="12" r="8.5" />
            <path d="M9.6 9.6a2.5 2.5 0 1 1 3.6 2.3c-.8.4-1.2 1-1.2 1.9M12 16.6h.01" />
        </>
    ),
    panel: (
        <>
            <rect x="3.5" y="4.5" width="17" height="15" rx="2.5" />
            <path d="M14.5 4.5v15" />
        </>
    ),
    grid: (
        <>
            <rect x="4" y="4" width="6.5" height="6.5" rx="1.5" />
            <rect x="13.5" y="4" width="6.5" height="6.5" rx="1.5" />
            <rect x="4" y="13.5" width="6.5" height="6.5" rx="1.5" />
            <rect x="13.5" y="13.5" width="6.5" height="6.5" rx="1.5" />
        </>
    ),
    sliders: <path d="M4 7h9M17 7h3M4 17h3M11 17h9M15 4.8v4.4M9 14.8v4.4" />,
    equation: <path d="M19 5.5H6.5L12 12l-5.5 6.5H19" />,
    gauge: <path d="M5.2 17.5a8.3 8.3 0 1 1 13.6 0M12 13.5l4-4.5" />,
    map: <path d="M4 20V4M4 20h16M8.5 15.5h.01M8.5 11h.01M8.5 6.5h.01M13 15.5h.01M13 11h.01M17.5 15.5h.01M13 6.5h.01M17.5 11h.01M17.5 6.5h.01" stroke-width="1.9" />,
    save: <path d="M12 4v11M7.5 10.8 12 15.3l4.5-4.5M4.5 19.5h15" />,
    close: <path d="m6 6 12 12M18 6 6 18" />,
    down: <path d="m6.5 9.5 5.5 5.5 5.5-5.5" />,
    link: <path d="M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1.2 1.2M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2" />,
    record: <circle cx="12" cy="12" r="6" fill="currentColor" />,
    stop: <rect x="7" y="7" width="10" height="10" rx="1.5" fill="currentColor" />,
    image: (
        <>
            <rect x="3.5" y="4.5" width="17" height="15" rx="2.5" />
            <path d="m4 17 5-5 4 4 2.5-2.5L20 18M15.5 9h.01" />
        </>
    ),
    camera: (
        <>
            <path d="M4 8.5a2 2 0 0 1 2-2h2l1.3-2h5.4l1.3 2h2a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2z" />
            <circle cx="12" cy="12.5" r="3.4" />
        </>
    ),
    back: <path d="M10 6 4 12l6 6M4 12h16" />,
    speed: <path d="m5 6.5 6.5 5.5L5 17.5zM12.5 6.5 19 12l-6.5 5.5z" />,
};

export function Icon({ name }: { name: string }) {
    return (
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round">
            {kPaths[name]}
        </svg>
    );
}

export function IconButton(props: {
    icon: string;
    label: string;
    hint?: string;
    onClick(): void;
    disabled?: boolean;
    pressed?: boolean;
    class?: string;
}) {
    const title = props.hint ? `${props.label} (${props.hint})` : props.label;
    return (
        <button
            type="button"
            class={`icon-button ${props.class ?? ""}`}
            title={title}
            aria-label={props.label}
            disabled={props.disabled ?? false}
            {...(props.pressed === undefined ? {} : { "aria-pressed": props.pressed })}
            onClick={props.onClick}
        >
            <Icon name={props.icon} />
        </button>
    );
}
