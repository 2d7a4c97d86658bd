// apps/cli/commands.h: the commands of the program; each returns its exit code
#pragma once
#include "mottle/core/document.h"

#include <string>
#include <vector>

namespace mottle::ranks {
class Link;
}

namespace mottle::cli {

/// What every command that reads a model takes.
struct ModelArguments {
    std::string model;  ///< a library name or a file
    std::string preset;
    core::Node flags;  ///< for run::read_spec
};

struct RunArguments {
    ModelArguments model;
    bool quiet = false, json = false;
    bool watch = false;           ///< pictures in the terminal
    ranks::Link* link = nullptr;  ///< to the other ranks, if an MPI launcher started several
};

enum ExitCode { kDone = 0, kInput = 3, kDevice = 4, kDiverged = 5, kOutput = 6, kInternal = 70, kInterrupted = 130 };

/// "gray-scott" of gray-scott and of path/gray-scott.toml.
std::string model_name(const std::string& argument);

int run(const RunArguments& arguments);
/// `over`: as sweep::read_spec.
int sweep(const RunArguments& arguments, const std::vector<std::string>& over);
/// `seconds`: of the whole search, about.
int tune(const RunArguments& arguments, double seconds);
/// What `mottle bench` takes.
struct BenchArguments {
    double seconds = 60;
    int threads = 0;  ///< 0: all cores
    bool quiet = false, json = false;
};
int bench(const BenchArguments& arguments);
int models(bool json);
int show(const std::string& model);
/// What `mottle check` takes.
struct CheckArguments {
    ModelArguments model;
    std::string ranks, network;  ///< as typed; "": no forecast, 2us,12GB/s
};
/// With a preset or flags the one run that `run` would make of them, else every preset of the file.
int check(const CheckArguments& arguments);
int devices();
struct LiveArguments {
    ModelArguments model;
    std::string host = "127.0.0.1";
    int port = 0;       ///< 0: any that is free
    bool opens = true;  ///< the browser
    bool quiet = false, json = false;
};
int live(const LiveArguments& arguments);
/// What `mottle mesh info` takes.
struct MeshInfoArguments {
    std::string mesh, scale;          ///< a file or a shape; lengths of the equations per length of the file, "" for 1
    std::string refine, subdivision;  ///< "": none; loop
    bool delaunay = false, json = false;
};
int mesh_info(const MeshInfoArguments& arguments);
int emit(const ModelArguments& arguments, const std::string& what);
int completion(const std::string& shell);

}  // namespace mottle::cli
