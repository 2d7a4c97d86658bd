// apps/cli/help.cpp: the help of each command, set by hand so that it fits a screen
#include "flags.h"

#include "mottle/backend/schedule.h"
#include "mottle/core/provenance.h"

namespace mottle::cli {

namespace {

constexpr std::string_view kRun = R"(mottle run MODEL|FILE.toml [flags]     run a model, write pictures, video, data

what    --preset NAME           a named pattern; `mottle show MODEL` lists them
        --set a=b               a parameter: a number, or a map such as
                                "0.03 + 0.02*X"; repeatable
where   --size W[xH[xD]]        cells (512x512)      --spacing h   length (1)
        --stencil 5|9|a,b,..    Laplacian, or nine weights row by row
        --mesh FILE|SHAPE       a surface: .obj .ply .off .stl, sphere:5, torus,
                                plane:WxH, cylinder, ellipsoid, snake
        --across N | --scale s  wavelengths over its longest side; or a factor
        --refine N              finer mesh   --subdivision loop|midpoint (loop)
        --region EXPR           solve only where EXPR > 0: "X < 0.5"
        --delaunay              flip edges until no weight is negative
        --boundary RULE         periodic no-flux value(c) outside(c) flux(g)
                                robin(a,b,c) still; left=R,u.left=R,loop0=R
how     --steps N | --time T    how long (10,000 steps)
        --dt h|auto             time step (0.9 of the stable limit), or
        --tolerance 1e-3        choose each time step for this error at the end
        --until steady=1e-4     stop when steady; steady=newton: go on to 1e-10
        --method auto|euler|midpoint|heun|rk4|rkl1|rkl2|sts1|sts2|imex|imex2|
                 etdrk4   --stages n (rkl, sts)  --precision f32|f64  --seed N
out     -o FILE                 .mp4 .gif .png name-%05d.png; numbers: .npy
                                name-%05d.npy .csv, grids .vti .pvd,
                                surfaces .ply .glb .vtp .vtu .pvd; repeatable
        --watch                 show the run in this terminal
        --frames n | --every k | --at "10*n^2"     when to draw (300 frames)
        --fps n (60)   --palette NAME   --field u   --range auto|frame|lo:hi
        --scale-pixels n | --cells-per-pixel n       size of pictures of grids
        --chroma 420|444   --encoder auto|x264|nvenc   colours, encoder of .mp4
        surfaces: --pixels WxH   --camera azimuth,elevation[,distance]
                  --turn 360    --background COLOUR|transparent
on      --device NAME (auto) | --devices 0,1 (GPUs)         --threads n (all)
        --schedule "steps=32"   --force (run even if memory seems too small)
        --checkpoint FILE       save the state; --checkpoint-every seconds (60)
        --resume FILE           continue from a saved state with the same bits
        --quiet | --json        no progress or summary; the summary as JSON

examples
  mottle run gray-scott --preset coral -o coral.mp4
  mottle run gray-scott --set F=0.03 --set k=0.058 --steps 9000 -o a.png
)";

constexpr std::string_view kLive = R"(mottle live MODEL|FILE.toml|LINK [flags]   run a model in a browser page

Prints the address of a page that shows the run, and opens it. There one can
paint into the fields, move sliders, change the equations, turn a surface, save
pictures, videos, the model and its state. Only those who have the address, with
its token, can connect. Ctrl-C ends the run. LINK is one that a page has copied:
the page shows the model that it holds, and asks before that runs.

  --preset, --set, --size, --mesh, --device, ...      as for run
  --port n            where to listen (any free port)
  --host ADDRESS      listen on another address; anyone who reaches it and has
                      the address can control the run (127.0.0.1)
  --no-open           print the address, open no browser
  --json              the address as one JSON object: {"url": "http://..."}
  --quiet             no notes

examples
  mottle live my-model.toml --size 1024x1024
  ssh -L 8000:127.0.0.1:8000 server mottle live gray-scott --port 8000 --no-open
)";

constexpr std::string_view kSweep = R"(mottle sweep MODEL|FILE.toml --over NAME=VALUES [flags of run]

Runs a model once for each value of a parameter, or for each pair of values of
two. Runs share the threads, one method and one dt; each has bit for bit the
result of `mottle run` with these.

  --over F=0.02:0.06:9    nine values from 0.02 to 0.06: columns
  --over k=0.055,0.06     a second parameter: rows, from the bottom up;
                          seed=1:8:8 varies the random numbers
  -o FILE    .png         all final states in a table with labels
             .mp4 .gif name-%05d.png      all runs side by side, as copies
                          of a surface too
             .csv         the result of each: verdict, minimum, maximum, mean
             .npy         all final states as one array
  --until steady=1e-4     each run stops on its own: patterned or uniform
  --size, --steps, --palette ...     as for run; no --checkpoint, --resume

examples
  mottle sweep gray-scott --size 128x128 --over k=0.056:0.066:6 --over F=0.02:0.06:5 -o map.png
  mottle sweep my-model.toml --over alpha=1:2:11 --until steady=1e-3 -o table.csv
)";

constexpr std::string_view kModels = R"(mottle models [--json]     lists the built-in models with descriptions

  --json              name, title, description, source, fields, parameters
                      and presets of each, as one JSON list

examples
  mottle models
  mottle show gray-scott
)";

constexpr std::string_view kShow = R"(mottle show MODEL     equations, parameters with their ranges, presets, source

MODEL is a name of `mottle models` or a file.

examples
  mottle show gray-scott
  mottle show my-model.toml
)";

constexpr std::string_view kCheck = R"(mottle check MODEL|FILE [flags of run]     check a file, or a run of it

Reads everything that a run reads before its first step, evaluates the initial
state, and reports the stable time step. No step is computed, nothing is
written. Without flags every preset is checked; with any flag only the run that
`mottle run` would start with the same flags. The exit code is 2 for an error in
an expression, 3 for any other error.

  --ranks N           what the run would take on N processes: blocks, memory,
                      halos, bytes, speed; from a rate that is measured here
                      with --threads per rank, and from two numbers of
  --network L,B       a network: latency and bandwidth (2us,12GB/s)

examples
  mottle check my-model.toml
  mottle check gray-scott --size 1048576x1048576 --ranks 4096
)";

constexpr std::string_view kDevices = R"(mottle devices     lists devices that can compute here, and why others cannot

examples
  mottle devices
  mottle run heat --device reference --size 64 --steps 100
)";

constexpr std::string_view kTune = R"(mottle tune MODEL|FILE [flags of run]     find the fastest schedule for a run

Builds the run with many schedules (on grids steps and rows, on meshes steps
and parts), checks that all give the same bits, and measures them alternately.
One that is faster than the choice of the cost model by 2 % in the median is
stored in the cache folder; later runs of the same program, domain, precision,
device and number of threads use it. Ctrl-C keeps the best so far.
Under mpirun, cuts of the grid (blocks) and steps between exchanges of halos
(halo) are compared, too, and one process is compared with the ranks.

  --seconds n         how long to search (30)
  --quiet --json      as for run; all other flags of run too, but --schedule

examples
  mottle tune gray-scott --size 1024x1024
  mottle tune chemotaxis --mesh cow.obj --threads 1 --seconds 10
)";

constexpr std::string_view kBench = R"(mottle bench [flags]     check and measure Mottle on this machine

First compares compiled kernels with the reference, bit for bit (exit code 70 if
they differ). Then measures the limits of this machine (arithmetic, bandwidth
of each cache and of memory) and how close Mottle comes to them.

  --seconds n         how long, about, at most (60)
  --threads n         1 to 1024 (all cores)
  --quiet --json      as for run

examples
  mottle bench
  mottle bench --seconds 10 --json
)";

constexpr std::string_view kMesh = R"(mottle mesh info FILE|SHAPE [--refine N] [--scale s] [--delaunay] [--json]

Prints properties of a mesh: vertices, faces, pieces, boundary loops; repairs;
angles, negative weights, area; the longest stable time step for lap(u), by
Lanczos iteration and by Gershgorin's bound, and the vertex that limits it.
With --refine, --subdivision, --scale and --delaunay as in a run with these
flags (area and mean edge in units of length of the equations).

examples
  mottle mesh info sphere:5
  mottle mesh info cow.obj --json
)";

constexpr std::string_view kEmit = R"(mottle emit MODEL|FILE [flags]     print the kernel or settings of a run

  --what kernel       the compiled kernel as text (default)
  --what ir           the program: stages, uniforms, ghost rules
  --what model        a complete run file with every setting
  --preset --set --size --spacing --stencil --mesh --across --scale --region
  --refine --subdivision --delaunay --boundary --method --stages --precision
  --tolerance --steps --time --dt --until --device --threads --schedule --seed
                      as for run

examples
  mottle emit gray-scott --what ir
  mottle emit gray-scott --preset coral --what model > my-coral.toml
)";

constexpr std::string_view kCompletion = R"(mottle completion SHELL     print completions for bash, zsh or fish

examples
  source <(mottle completion bash)
  mottle completion fish > ~/.config/fish/completions/mottle.fish
)";

constexpr std::string_view kProgram = R"(reaction-diffusion models, from equations to pictures and video

  mottle run MODEL|FILE.toml [flags]   run a model; -o name.mp4 makes a video
  mottle live MODEL                    the same, interactively in a browser page
  mottle models                        lists the built-in models
  mottle show MODEL                    equations, parameters and presets of one
  mottle check FILE.toml [flags]       check a model or run file

`mottle COMMAND --help` shows details; other commands: sweep, devices, tune,
bench, mesh, emit and completion.

examples
  mottle run gray-scott --preset coral -o coral.mp4
  mottle run my-model.toml --set F=0.03 -o picture.png
)";

/// The help of tune, with the keys of schedules before its examples.
std::string tune_help() {
    std::string keys = "keys of --schedule \"key=value key=value\" (docs/command-line.md explains them)\n";
    for (const backend::Family family : backend::kFamilies) {
        std::string line = "  " + backend::describe(family);
        line.resize(22, ' ');
        for (const backend::ScheduleKey& key : backend::schedule_keys(family)) line += " " + key.name;
        keys += line + "\n";
    }
    std::string text(kTune);
    return text.insert(text.find("examples\n"), keys + "\n");
}

}  // namespace

std::string help_text(std::string_view command) {
    if (command == "run") return std::string(kRun);
    if (command == "live") return std::string(kLive);
    if (command == "sweep") return std::string(kSweep);
    if (command == "models") return std::string(kModels);
    if (command == "show") return std::string(kShow);
    if (command == "check") return std::string(kCheck);
    if (command == "devices") return std::string(kDevices);
    if (command == "tune") return tune_help();
    if (command == "bench") return std::string(kBench);
    if (command == "mesh") return std::string(kMesh);
    if (command == "emit") return std::string(kEmit);
    if (command == "completion") return std::string(kCompletion);
    return "Mottle " + core::version() + ": " + std::string(kProgram);
}

}  // namespace mottle::cli
