// mottle/backend/schedule.h: how a Program is run: never changes a result, only the time
#pragma once
#include "mottle/ir/program/program.h"

#include <string>

namespace mottle::backend {

using core::Index;

struct Schedule {
    int steps = 0;   ///< time steps fused in one sweep over the grid; 0: chosen by the cost model
    int rows = 0;    ///< rows one kernel call updates; 0: chosen
    int chunk = -1;  ///< cells of a row in one strip; 0: whole rows (on a card: the whole plane, in registers); -1: chosen
    int parts = 0;   ///< bands, one per thread; 0: chosen
    /// In which order the vertices of a mesh stand in memory: by breadth-first rings, which passes of several steps need, by their numbers in the file, or along a Morton curve.
    enum class Order { chosen, rings, file, morton };
    Order order = Order::chosen;
    /// How the CPU fetches the fields of a vertex's neighbours: by the instruction that gathers a vector, or word by word.
    enum class Gather { chosen, vector, words };
    Gather gather = Gather::chosen;
};

/// Parses "steps=32 rows=2 chunk=512 parts=2", "order=rings steps=8", "gather=words"; "" is all chosen. Throws: InputError.
Schedule parse_schedule(const std::string& text);
std::string print(const Schedule& schedule);
/// The same, but one step at a time where the steps of `program` are made of phases.
Schedule unfused_if_phased(Schedule schedule, const ir::Program& program);

}  // namespace mottle::backend
