// apps/live/src/protocol.ts: the messages between the page and `mottle live`, as docs/live-protocol.md describes them

/// Cells x0, y0, x1, y1 of a plane; the ends are outside.
export type Region = readonly [number, number, number, number];
export type Axis = "x" | "y" | "z";
export type Point = readonly number[];

export interface Hello {
    event: "hello";
    version: string;
    device: string;
    palettes: Record<string, string>;
    models: { name: string; title: string; about: string; presets: string[] }[];
    methods: string[];
    shapes: string[];
}

export interface FieldInfo {
    name: string;
    range: [number, number] | null;
    /// What most of the start is like.
    rest: number | null;
    unit: string;
    about: string;
}

export interface Parameter {
    name: string;
    value: number;
    min: number | null;
    max: number | null;
    about: string;
    map: boolean;
}

export interface Preset {
    name: string;
    about: string;
    parameters: Record<string, number>;
}

export interface GridDomain {
    kind: "grid";
    size: [number, number, number];
    spacing: [number, number, number];
    text: string;
}

export interface MeshDomain {
    kind: "mesh";
    vertices: number;
    faces: number;
    text: string;
    closed: boolean;
}

export interface Model {
    event: "model";
    generation: number;
    about?: number;
    name: string;
    title: string;
    about_text: string;
    source: string;
    text: string;
    preset: string;
    fields: FieldInfo[];
    parameters: Parameter[];
    presets: Preset[];
    domain: GridDomain | MeshDomain;
    /// How often each triangle of the surface was cut into four.
    refinement: number;
    dt: number;
    stable_dt: number | null;
    dt_chosen: boolean;
    warning: string;
    method: string;
    precision: string;
    /// In digits: it may have more of them than a number here.
    seed: string | number;
    steps: number;
    boundary: string;
    settings: Record<string, string>;
    palette: string;
    shown_field: string;
    range: [number, number] | null;
}

/// A parameter has been set, by this page or another.
export interface ParameterSet {
    event: "parameter";
    name: string;
    value: number;
    dt: number;
    stable_dt: number | null;
    warning: string;
}

export interface Status {
    event: "status";
    step: number;
    time: number;
    playing: boolean;
    resting: boolean;
    pace: "auto" | "most" | number;
    steps_per_second: number;
    cells_per_second: number;
    share: number | null;
    undo: number;
    redo: number;
    recording: boolean;
}

export interface Samples {
    event: "samples";
    step: number;
    time: number;
    probes: { probe: number; values: Record<string, number> }[];
}

export interface Failure {
    event: "error";
    about?: number;
    do?: string;
    message: string;
    line: number;
    column: number;
    length: number;
    hint: string;
}

export interface Notice {
    event: "notice";
    message: string;
}

export interface Diverged {
    event: "diverged";
    message: string;
    step: number;
    time: number;
    advice: string;
    can_go_back: boolean;
}

export interface OfferedFile {
    event: "file";
    about?: number;
    name: string;
    url: string;
    bytes: number;
}

export interface MapRunning {
    event: "map";
    state: "running";
    done: number;
}

export interface MapDone {
    event: "map";
    state: "done";
    url: string;
    columns: number;
    rows: number;
    tile: [number, number];
    gap: number;
    x: number[];
    y: number[];
    x_name: string;
    y_name: string;
}

export interface MapStopped {
    event: "map";
    state: "stopped";
}

export type Incoming = Hello | Model | ParameterSet | Status | Samples | Failure | Notice | Diverged | OfferedFile | MapRunning | MapDone | MapStopped;

export type Pace = "auto" | "most" | number;

export interface MapAxis {
    parameter: string;
    from: number;
    to: number;
    count: number;
}

/// How a picture is coloured.
export interface PictureLook {
    field: string;
    palette: string;
    range: [number, number];
}

export type Outgoing =
    | { do: "view"; field?: string; region?: Region | null; pixels?: [number, number]; axis?: Axis; slice?: number; bits?: 8 | 16 }
    | { do: "ack"; frame: number }
    | { do: "visible"; visible: boolean }
    | { do: "play" | "pause" | "undo" | "redo" | "go_back" | "map_stop" }
    | { do: "step"; steps: number }
    | { do: "pace"; pace: Pace }
    | { do: "restart"; seed?: number | "new" }
    | { do: "set"; parameter: string; value: number }
    | { do: "stroke"; stroke: number; field: string; value: number; mode: "set" | "add"; radius: number; soft: number; points: Point[] }
    | { do: "probe"; probe: number; at?: Point }
    | { do: "model"; text: string; restart?: boolean }
    | { do: "open"; model?: string; text?: string; preset?: string }
    | { do: "preset"; preset: string }
    | ({ do: "settings" } & Record<string, string | null>)
    | { do: "image"; name: string; data: string; field?: string; parameter?: string }
    | { do: "map"; x: MapAxis; y?: MapAxis; cells: number; steps: number; field: string }
    | ({ do: "record"; on: boolean; fps?: number } & Partial<PictureLook>)
    | ({ do: "save"; what: string } & Partial<PictureLook>);
