// tests/conformance/suite.h: one Program on one domain, run by any backend, compared bit for bit with the reference interpreter
#pragma once
#include "mottle/device/registry.h"
#include "mottle/core/document.h"
#include "mottle/ir/lower/system.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace conformance {

/// A model text, and where and how it runs.
struct Case {
    std::string model;  ///< TOML, or the name of a library model
    std::string size = "48x40";
    std::string boundary = "periodic";
    std::string stencil = "5";
    bool f64 = false;
    std::vector<int> launches = {7, 1, 16, 33};  ///< steps of one advance after another
    std::string mesh = {};  ///< a shape, or two with a + between; then `boundary` is that of its first loop, size and stencil mean nothing
    double scale = 1;       ///< of the mesh
    bool curve = false;     ///< its vertices are numbered along a curve
};

struct Way {
    std::string device = "cpu";
    std::string schedule;
    int threads = 1;
    int kernels = 1;  ///< compiled alike, each with threads of its own; they take the launches in turn
};

/// The state of all fields, as bits of the precision, rows in order, vertices in the order of the file.
struct Result {
    std::vector<std::uint64_t> bits;
    bool finite = true, varying = true;
};

Result run(const Case& test, const Way& way);
/// The same on a backend of the caller's.
Result run_on(mottle::backend::Backend& backend, const Case& test, const Way& way);
/// The same for several states of one kernel that advance together, if there are others. They differ in their cells, by some per cent in their
/// parameters, and in the steps of each launch, some of which make none.
std::vector<Result> run_together(mottle::backend::Backend& backend, const Case& test, const Way& way, int members);
/// Checks that two results are the same bits, finite and varying; `what` says of what.
void compare(const Result& expected, const Result& actual, const std::string& what);
/// Checks that `way` gives the bits of the reference, that they are finite and that they vary.
void expect_same(const Case& test, const Way& way);

/// The model with another dt; and with another method.
std::string with_dt(std::string model, const std::string& dt);
std::string by_method(const std::string& model, const std::string& method);
/// By one whose steps have `stages` stages, each a step of the kernel: launches count these.
std::string by_stages(const std::string& model, const std::string& method, int stages);

/// The models of the full cross product: plain, held stages, every operator and kind of input, elementary functions.
extern const char* const kGrayScott;
extern const char* const kHeld;
extern const char* const kTripleLaplacian;  ///< reaches three cells per step
extern const char* const kEverything;
extern const char* const kFunctions;
/// One stage that reads maps with neighbours, coordinates and a field without any.
extern const char* const kTables;
extern const char* const kDeepTables;  ///< the same with neighbours along z
extern const char* const kEverythingOnMeshes;
extern const char* const kNoise;      ///< white() of every kind, in one stage
extern const char* const kHeldNoise;  ///< and under operators of grids
/// Held operators, places and maps in conductivities, which borders see each by its own rule.
extern const char* const kConductivities;
/// Fields u, v, w, the last without neighbours, for rules of their own: coordinates, a map and a held stage read beyond borders.
extern const char* const kAcross;  ///< derivatives along z alone
extern const char* const kWrapping;

}  // namespace conformance
