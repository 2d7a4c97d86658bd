// mottle/field/field.h: the fields of a simulation: a kernel's state with names, initial values and statistics
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/model/model.h"

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mottle::field {

/// What the initial state and the maps need beyond the model.
struct InitialSpec {
    std::uint64_t seed = 0;
    std::filesystem::path folder;  ///< where image files of the model are looked up
    /// What given("name", low, high) stands for: of a grid cell by cell along x, then y, then z; of a surface by the vertices of its file.
    std::map<std::string, std::shared_ptr<const std::vector<double>>> arrays = {};
};

class Field {
   public:
    /// Evaluates initial expressions and maps in f64 row by row, rounds once, flushes subnormals (f32).
    /// Throws: ModelError, InputError (no initial state, image, not finite).
    Field(backend::Kernel& kernel, const model::Model& model, const InitialSpec& initial, core::Context& context);

    /// Evaluates a map again, as it stands in `model` now. Throws: as above; the map may hold parts of both then.
    void fill_map(ir::Array map, const model::Model& model, const InitialSpec& initial, core::Context& context);

    /// As the kernel makes its state: nothing is evaluated.
    explicit Field(backend::Kernel& kernel) : kernel_(&kernel), state_(kernel.create_state()) {}

    backend::Kernel& kernel() { return *kernel_; }
    const backend::Kernel& kernel() const { return *kernel_; }
    /// Hands the field to another kernel that was compiled alike. See backend::State.
    void hand_to(backend::Kernel& kernel) { kernel_ = &kernel; }
    /// The same where states are not shared: moves all that a step reads, to the same bits, into a new state of `kernel`.
    void move_to(backend::Kernel& kernel);
    backend::State& state() { return *state_; }
    const backend::State& state() const { return *state_; }

    /// The array of a field. Throws: InputError with the nearest name.
    ir::Array find(const std::string& name) const;
    std::vector<std::string> names() const;  ///< state fields in model order
    /// All values of a field: of a grid cell by cell along x, then y, then z; of a surface by its vertices, in the order of domain::Surface.
    std::vector<double> values(ir::Array array) const;
    /// The same into or out of the memory of a caller, rows on all threads of `team`, which may not be running. Shape: one entry per cell. Values are rounded
    /// once; what f32 cannot hold as a normal number becomes 0 with its sign. Throws: InputError (a wrong number of entries; write: not finite in the
    /// precision of the run, with the cell; then nothing is written).
    void read(ir::Array array, std::span<float> cells, core::ThreadTeam& team) const;
    void read(ir::Array array, std::span<double> cells, core::ThreadTeam& team) const;
    void write(ir::Array array, std::span<const float> cells, core::ThreadTeam& team);
    void write(ir::Array array, std::span<const double> cells, core::ThreadTeam& team);
    backend::Statistics statistics(ir::Array array) const { return kernel_->reduce(*state_, array); }
    backend::Range range(ir::Array array) const { return kernel_->range(*state_, array); }

   private:
    backend::Kernel* kernel_;
    std::unique_ptr<backend::State> state_;
};

/// Evaluates the initial expressions and maps that a Field would, and keeps none of their values. Throws: as Field.
void require_finite_start(const ir::Program& program, const model::Model& model, const domain::Domain& domain, const InitialSpec& initial,
                          core::ThreadTeam& team);

}  // namespace mottle::field
