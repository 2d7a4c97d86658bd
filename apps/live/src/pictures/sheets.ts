// apps/live/src/pictures/sheets.ts: the small pictures of the built-in models, one sheet for each; written by pictures.mjs

export const kTile = 72;  // pixels

export const kSheets: Record<string, { presets: string[]; address: string }> = {};
