// apps/live/src/functions.ts: the functions and operators of the model language, as docs/functions.md and docs/model-language.md list them

export const kFunctions: Record<string, string> = {
    lap: "Laplacian", bilap: "Laplacian of the Laplacian", dx: "slope along x", dy: "slope along y", dz: "slope along z", grad: "gradient", dot: "product of vectors",
    norm2: "square of a vector", div: "divergence", tensor: "diffusion along a direction", mean: "mean over all cells", integral: "integral over the domain",
    white: "white noise in time", noise: "a random number in each cell", disk: "1 in a disc", ring: "1 on a ring", box: "1 in a rectangle", gauss: "a bell", spots: "1 in random discs",
    image: "brightness of a picture", given: "numbers that a program hands over", near: "1 near a place of a surface", attr: "a number of each vertex", where: "where(condition, then, else)", min: "the smaller", max: "the larger",
    clamp: "clamp(x, low, high)", abs: "size without sign", sign: "-1, 0 or 1", floor: "whole number below", mod: "remainder", sqrt: "square root", exp: "exponential", log: "natural logarithm",
    sin: "sine", cos: "cosine", tan: "tangent", atan2: "angle of (y, x)", tanh: "hyperbolic tangent", pow: "power",
};
