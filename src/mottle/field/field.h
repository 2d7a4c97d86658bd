// mottle/field/field.h: the fields of a simulation: a kernel's state with names, initial values and statistics
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/model/model.h"

#include <filesystem>
#include <memory>

namespace mottle::field {

/// What the initial state and the maps need beyond the model.
struct InitialSpec {
    std::uint64_t seed = 0;
    std::filesystem::path folder;  ///< where image files of the model are looked up
};

class Field {
   public:
    /// Evaluates initial expressions and maps in f64 row by row, rounds once, flushes subnormals (f32).
    /// Throws: ModelError, InputError (no initial state, image, not finite).
    Field(backend::Kernel& kernel, const model::Model& model, const InitialSpec& initial, core::Context& context);

    /// As the kernel makes its state: nothing is evaluated.
    explicit Field(backend::Kernel& kernel) : kernel_(&kernel), state_(kernel.create_state()) {}

    backend::Kernel& kernel() { return *kernel_; }
    const backend::Kernel& kernel() const { return *kernel_; }
    /// Hands the field to another kernel that was compiled alike. See backend::State.
    void hand_to(backend::Kernel& kernel) { kernel_ = &kernel; }
    backend::State& state() { return *state_; }
    const backend::State& state() const { return *state_; }

    /// The array of a field. Throws: InputError with the nearest name.
    ir::Array find(const std::string& name) const;
    std::vector<std::string> names() const;  ///< state fields in model order
    /// All values of a field: of a grid cell by cell along x, then y, then z; of a surface by its vertices, in the order of domain::Surface.
    std::vector<double> values(ir::Array array) const;
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
