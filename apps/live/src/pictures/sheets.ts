// apps/live/src/pictures/sheets.ts: the small pictures of the built-in models, one sheet for each; written by pictures.mjs
import allen_cahn from "./allen-cahn.webp";
import bar_eiswirth from "./bar-eiswirth.webp";
import barkley from "./barkley.webp";
import brusselator from "./brusselator.webp";
import cahn_hilliard from "./cahn-hilliard.webp";
import chemotaxis from "./chemotaxis.webp";
import conserved_allen_cahn from "./conserved-allen-cahn.webp";
import cyclic_competition from "./cyclic-competition.webp";
import fisher_kpp from "./fisher-kpp.webp";
import fitzhugh_nagumo from "./fitzhugh-nagumo.webp";
import gierer_meinhardt from "./gierer-meinhardt.webp";
import ginzburg_landau from "./ginzburg-landau.webp";
import gray_scott from "./gray-scott.webp";
import heat from "./heat.webp";
import kardar_parisi_zhang from "./kardar-parisi-zhang.webp";
import kuramoto_sivashinsky from "./kuramoto-sivashinsky.webp";
import schnakenberg from "./schnakenberg.webp";
import swift_hohenberg from "./swift-hohenberg.webp";

export const kTile = 64;  // pixels

export const kSheets: Record<string, { presets: string[]; address: string }> = {
    "allen-cahn": { address: allen_cahn, presets: ["domains","islands","nucleation"] },
    "bar-eiswirth": { address: bar_eiswirth, presets: ["break-up","turbulence","stable"] },
    "barkley": { address: barkley, presets: ["spirals","spiral","meander","sparse"] },
    "brusselator": { address: brusselator, presets: ["spirals","stripes","hexagons","labyrinth"] },
    "cahn-hilliard": { address: cahn_hilliard, presets: ["spinodal","droplets"] },
    "chemotaxis": { address: chemotaxis, presets: ["snakeskin","paper","honeycomb"] },
    "conserved-allen-cahn": { address: conserved_allen_cahn, presets: ["drops","islands"] },
    "cyclic-competition": { address: cyclic_competition, presets: ["spirals","fierce"] },
    "fisher-kpp": { address: fisher_kpp, presets: ["habitat","invasion","rough-land"] },
    "fitzhugh-nagumo": { address: fitzhugh_nagumo, presets: ["spirals","spiral","labyrinth","spots","fingers","splitting-fronts"] },
    "gierer-meinhardt": { address: gierer_meinhardt, presets: ["stripes","peaks","holes"] },
    "ginzburg-landau": { address: ginzburg_landau, presets: ["spirals","frozen","turbulence","drifting"] },
    "gray-scott": { address: gray_scott, presets: ["coral","fingerprints","mazes","mitosis","worms","solitons","pulsating-solitons","chaos","holes","moving-spots","spots-and-loops","waves","warring-microbes","worms-and-loops","stable-solitons","negatons","bubbles","soap-bubbles","u-skate","alpha","beta","gamma","delta","delta-stripes","epsilon","zeta","eta","theta","iota","kappa","lambda","mu","nu","xi","pi","rho","rho-droplets","sigma"] },
    "heat": { address: heat, presets: ["waves","cooling","plate"] },
    "kardar-parisi-zhang": { address: kardar_parisi_zhang, presets: ["growth","relaxation","profile"] },
    "kuramoto-sivashinsky": { address: kuramoto_sivashinsky, presets: ["cells","lattice","flames"] },
    "schnakenberg": { address: schnakenberg, presets: ["spots","labyrinth","dots-and-dashes","crowded"] },
    "swift-hohenberg": { address: swift_hohenberg, presets: ["rolls","labyrinth","hexagons"] },
};
