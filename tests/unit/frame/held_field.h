// tests/unit/frame/held_field.h: a field whose kernel only holds what a test puts into it
#pragma once
#include "kernel_cache.h"
#include "mottle/core/document.h"
#include "mottle/field/field.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mottle::held {

using core::Index;

struct State : backend::State {
    std::vector<std::vector<double>> arrays;
};

class Kernel : public backend::Kernel {
   public:
    Kernel(core::Context& context, domain::Domain domain, const std::vector<std::string>& fields, bool f64)
        : backend::Kernel(context), domain_(std::move(domain)) {
        program_.f64 = f64;
        for (const auto& name : fields) program_.arrays.push_back({name, ir::ArrayInfo::Kind::state, 0});
    }
    const ir::Program& program() const override { return program_; }
    const domain::Domain& domain() const override { return domain_; }
    const backend::Schedule& schedule() const override { return schedule_; }
    std::unique_ptr<backend::State> create_state() override {
        auto state = std::make_unique<State>();
        state->arrays.assign(program_.arrays.size(), std::vector<double>(static_cast<std::size_t>(domain::cell_count(domain_))));
        return state;
    }
    /// Another domain of as many cells.
    void move_to(domain::Domain domain) { domain_ = std::move(domain); }
    void advance(backend::State&, Index, Index, backend::UniformTable) override {}
    void read_row(const backend::State& state, ir::Array array, Index row, std::span<float> cells) const override {
        copy(state, array, row, cells);
    }
    void read_row(const backend::State& state, ir::Array array, Index row, std::span<double> cells) const override {
        copy(state, array, row, cells);
    }
    void write_row(backend::State& state, ir::Array array, Index row, std::span<const double> cells) override {
        auto& values = static_cast<State&>(state).arrays[static_cast<std::size_t>(array)];
        std::copy(cells.begin(), cells.end(), values.begin() + row * domain::row_length(domain_));
    }

   private:
    template <class Real>
    void copy(const backend::State& state, ir::Array array, Index row, std::span<Real> cells) const {
        const auto& values = static_cast<const State&>(state).arrays[static_cast<std::size_t>(array)];
        const auto first = static_cast<std::size_t>(row * domain::row_length(domain_));
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<Real>(values[first + i]);
    }

    ir::Program program_;
    domain::Domain domain_;
    backend::Schedule schedule_;
};

struct Listener : core::Observer {
    void notice(const std::string& message) override { notices.push_back(message); }
    bool keep_going(core::Moment, double) override { return true; }
    std::vector<std::string> notices;
};

/// A domain that holds `surface` and nothing else.
inline domain::Mesh mesh_of(domain::Surface surface) {
    domain::Mesh mesh;
    mesh.surface = std::make_shared<const domain::Surface>(std::move(surface));
    return mesh;
}

/// Everything that a field needs, and the field. Fields "u" and "v" (or the given ones) start at 0.
struct World {
    explicit World(domain::Triple size, bool f64 = false, const std::vector<std::string>& fields = {"u", "v"})
        : kernel(context, grid_of(size), fields, f64), field(kernel, model_of(fields), {}, context) {}

    void set(const std::string& name, const std::function<double(Index x, Index y, Index z)>& value) {
        const auto& size = std::get<domain::Grid>(kernel.domain()).size;
        std::vector<double> cells(static_cast<std::size_t>(size[0]));
        for (Index row = 0; row < size[1] * size[2]; ++row) {
            for (Index x = 0; x < size[0]; ++x) cells[static_cast<std::size_t>(x)] = value(x, row % size[1], row / size[1]);
            kernel.write_row(field.state(), field.find(name), row, cells);
        }
    }

    /// On a surface; values come by set_vertices.
    explicit World(const domain::Mesh& mesh, bool f64 = false, const std::vector<std::string>& fields = {"u", "v"})
        : World(domain::Triple{mesh.vertex_count(), 1, 1}, f64, fields) {
        kernel.move_to(mesh);
    }
    void set_vertices(const std::string& name, const std::function<double(Index vertex)>& value) {
        std::vector<double> cells(static_cast<std::size_t>(domain::cell_count(kernel.domain())));
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = value(static_cast<Index>(i));
        kernel.write_row(field.state(), field.find(name), 0, cells);
    }

    static domain::Grid grid_of(domain::Triple size) {
        domain::Grid grid;
        grid.size = size;
        return grid;
    }
    static model::Model model_of(const std::vector<std::string>& fields) {
        std::string equations = "[equations]\n", initial = "[initial]\n";
        for (const auto& name : fields) {
            equations += name + " = \"-" + name + "\"\n";
            initial += name + " = \"0\"\n";
        }
        return model::check(core::parse_document(equations + initial, "held.toml"), "held");
    }

    core::ThreadTeam team{2};
    Listener listener;
    core::Context context{team, listener, kernel_cache()};
    Kernel kernel;
    field::Field field;
};

}  // namespace mottle::held
