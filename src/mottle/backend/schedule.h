// mottle/backend/schedule.h: how a Program is run: never changes a result, only the time; a type for each family of kernels
#pragma once
#include "mottle/ir/program/program.h"

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mottle::backend {

using core::Index;

/// In which order the vertices of a mesh are stored: ring by ring (breadth first), which passes of several steps need, as in the file, or along a
/// Morton curve.
enum class VertexOrder { rings, file, morton };
/// How the CPU fetches the fields of a vertex's neighbours: by the instruction that gathers a vector, or word by word.
enum class Gather { vector, words };
/// Blocks along x, y and z, one for each rank.
using BlockCounts = std::array<int, 3>;

// What a schedule does not say is left to the cost model. The names, ranges and meanings of the keys are in the table of schedule.cpp.

/// Nothing is said; fits every family.
struct OpenSchedule {};
struct PlaneSchedule {
    std::optional<int> steps = {}, rows = {}, strip = {}, bands = {}, halo = {};
    std::optional<BlockCounts> blocks = {};
};
struct VolumeSchedule {
    std::optional<int> steps = {}, rows = {}, tile = {}, slabs = {}, halo = {};
    std::optional<BlockCounts> blocks = {};
};
struct MeshSchedule {
    std::optional<VertexOrder> order = {};
    std::optional<int> steps = {}, parts = {};
    std::optional<Gather> gather = {};
    std::optional<int> halo = {};
};
struct CardPlaneSchedule {
    std::optional<int> steps = {}, strip = {}, tile = {}, warps = {}, halo = {};
    std::optional<BlockCounts> blocks = {};
};
struct CardVolumeSchedule {
    std::optional<int> steps = {}, planes = {}, halo = {};
    std::optional<BlockCounts> blocks = {};
};
struct CardMeshSchedule {
    std::optional<VertexOrder> order = {};
    std::optional<int> steps = {}, threads = {}, halo = {};
};

using Schedule =
    std::variant<OpenSchedule, PlaneSchedule, VolumeSchedule, MeshSchedule, CardPlaneSchedule, CardVolumeSchedule, CardMeshSchedule>;

/// The families of kernels, in the order of the types above. `none`: an interpreter, which has nothing to choose.
enum class Family { none, plane, volume, mesh, card_plane, card_volume, card_mesh };
inline constexpr std::array kFamilies = {Family::plane,      Family::volume,      Family::mesh,
                                         Family::card_plane, Family::card_volume, Family::card_mesh};
/// "a plane on the CPU"
std::string describe(Family family);

/// A row of the table of keys.
struct ScheduleKey {
    std::string name;
    std::string former;  ///< the name in schedules of older versions, which are still read; "" if it was the same
    std::string values;  ///< "1 to 1024", "rings, file or morton"
    std::string meaning;
};
std::vector<ScheduleKey> schedule_keys(Family family);

/// Parses "steps=32 rows=2 strip=512 bands=2" for a plane, "order=rings steps=8" for a mesh; "" leaves all open.
/// Throws: InputError that names the keys of the family.
Schedule parse_schedule(const std::string& text, Family family);
std::string print(const Schedule& schedule);
std::string print(const BlockCounts& blocks);
/// Steps of one pass, if the schedule says them.
std::optional<int> steps_of(const Schedule& schedule);
/// How a schedule spreads a run over several ranks, which kernels of one process know nothing of.
struct Spread {
    std::optional<int> halo = {};  ///< steps between two exchanges of halos
    std::optional<BlockCounts> blocks = {};
};
Spread spread_of(const Schedule& schedule);
/// `schedule` with another spread, as far as its family has one.
Schedule with_spread(Schedule schedule, const Spread& spread);
/// Throws: InputError, if there are not as many blocks as ranks.
void require_blocks(const BlockCounts& blocks, int ranks);
/// `schedule` as one of `family` for one process, which exchanges no halos, with one step per pass if the steps of `program` are made of phases.
/// Throws: InputError, if it is of another family or for several ranks.
Schedule schedule_for(const Schedule& schedule, Family family, const ir::Program& program);

}  // namespace mottle::backend
