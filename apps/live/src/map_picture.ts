// apps/live/src/map_picture.ts: which run of a sheet a place of its picture shows
import type { MapDone } from "./protocol";

/// Width and height of the picture, in its pixels: tiles with gaps between, and no margin.
export function picture_size(map: MapDone): [number, number] {
    return [map.columns * map.tile[0] + (map.columns - 1) * map.gap, map.rows * map.tile[1] + (map.rows - 1) * map.gap];
}

/// Column and row (from above) of the tile at a place, given as shares of the picture.
export function tile_at(map: MapDone, across: number, down: number): { column: number; row: number } {
    const [wide, high] = picture_size(map);
    const place = (share: number, length: number, tile: number, count: number) => Math.min(count - 1, Math.max(0, Math.floor((share * length + map.gap / 2) / (tile + map.gap))));
    return { column: place(across, wide, map.tile[0], map.columns), row: place(down, high, map.tile[1], map.rows) };
}

/// The values of the two parameters of a tile; row 0, above, has the last value of y.
export function values_of_tile(map: MapDone, column: number, row: number): { x: number; y: number | null } {
    return { x: map.x[column]!, y: map.y[map.rows - 1 - row] ?? null };
}

/// Left, top, width and height of a tile, in shares of the picture.
export function box_of_tile(map: MapDone, column: number, row: number): [number, number, number, number] {
    const [wide, high] = picture_size(map);
    const [tile_x, tile_y] = map.tile;
    return [(column * (tile_x + map.gap)) / wide, (row * (tile_y + map.gap)) / high, tile_x / wide, tile_y / high];
}
