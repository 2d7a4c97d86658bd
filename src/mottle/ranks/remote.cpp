// mottle/ranks/remote.cpp: kernels that are wholly on one other rank, as rank 0 sees them
#include "mottle/core/error.h"
#include "mottle/domain/mesh/piece.h"
#include "mottle/field/expression_rows.h"
#include "mottle/ranks/backend.h"
#include "mottle/ranks/fetched_rows.h"
#include "mottle/ranks/requests.h"

#include <numeric>

namespace mottle::ranks {

void require_done(const Answer& answer) {
    if (answer.exit_code == 0) return;
    if (answer.exit_code == core::InputError("").exit_code()) throw core::InputError(answer.message);
    if (answer.exit_code == core::DeviceError("").exit_code()) throw core::DeviceError(answer.message);
    if (answer.exit_code == core::OutputError("").exit_code()) throw core::OutputError(answer.message);
    throw core::InternalError(answer.message);
}

namespace {

class RemoteState final : public backend::State {
   public:
    RemoteState(Link& link, int rank, std::int32_t its_number) : number(its_number), link_(link), rank_(rank) {}
    ~RemoteState() override { link_.forget_on(rank_, Command::forget_state, number); }

    const std::int32_t number;
    mutable FetchedRows fetched;

   private:
    Link& link_;
    int rank_;
};

RemoteState& remote_state(backend::State& state) { return static_cast<RemoteState&>(state); }
const RemoteState& remote_state(const backend::State& state) { return static_cast<const RemoteState&>(state); }

/// All that the rank is asked for is answered before something else is: a message that it has no time to take would keep all others waiting.
class RemoteKernel final : public backend::Kernel {
   public:
    RemoteKernel(int rank, const CompileRequest& request, const domain::Domain& domain, core::Context& context, Link& link)
        : Kernel(context), link_(link), rank_(rank), number_(link.next_number()), program_(request.program), domain_(domain) {
        const auto answer = unpack_one<Answer>(link_.ask(rank_, pack_all(Command::compile, number_, request)));
        require_done(answer);
        schedule_ = backend::parse_schedule(answer.schedule, static_cast<backend::Family>(request.family));
    }
    ~RemoteKernel() override { link_.forget_on(rank_, Command::forget_kernel, number_); }

    const ir::Program& program() const override { return program_; }
    const domain::Domain& domain() const override { return domain_; }
    const backend::Schedule& schedule() const override { return schedule_; }

    std::unique_ptr<backend::State> create_state() override {
        auto state = std::make_unique<RemoteState>(link_, rank_, link_.next_number());
        require_done(unpack_one<Answer>(link_.ask(rank_, pack_all(Command::create_state, state->number, number_))));
        return state;
    }

    void advance(backend::State& base, Index first_step, Index n, backend::UniformTable uniforms) override {
        if (n <= 0) return;
        RemoteState& state = remote_state(base);
        state.fetched.clear();
        AdvanceRequest request{first_step, n, {uniforms.values.begin(), uniforms.values.end()}, uniforms.columns, uniforms.stages};
        request.answers = true;
        require_done(unpack_one<Answer>(link_.ask(rank_, pack_all(Command::advance, state.number, request))));
    }

    void read_row(const backend::State& state, ir::Array array, Index row, std::span<float> cells) const override {
        copy_row(state, array, row, cells);
    }
    void read_row(const backend::State& state, ir::Array array, Index row, std::span<double> cells) const override {
        copy_row(state, array, row, cells);
    }
    void write_row(backend::State& base, ir::Array array, Index row, std::span<const double> cells) override {
        RemoteState& state = remote_state(base);
        state.fetched.clear();
        link_.tell(rank_, pack_all(Command::write_row, state.number, RowRequest{array, row, {cells.begin(), cells.end()}}));
    }

    bool fill_array(backend::State& base, ir::Array array, const ir::Expression& expression, std::uint64_t seed) override {
        RemoteState& state = remote_state(base);
        state.fetched.clear();
        const auto answer = unpack_one<FillAnswer>(link_.ask(
            rank_, pack_all(Command::fill_array, state.number, FillRequest{array, field::for_pieces(expression, domain_, seed), seed})));
        require_done(answer.answer);
        return answer.filled;
    }

    backend::Range range(const backend::State& state, ir::Array array) const override {
        return look<backend::Range>(Command::range, state, array);
    }
    backend::Statistics reduce(const backend::State& state, ir::Array array) const override {
        return look<backend::Statistics>(Command::reduce, state, array);
    }
    std::optional<double> sum(const backend::State& state, ir::Array array) const override {
        return look<std::optional<double>>(Command::total, state, array);
    }

   protected:
    void copy(backend::State& to, const backend::State& from, ir::ArrayInfo::Kind kind) override {
        remote_state(to).fetched.clear();
        link_.tell(rank_, pack_all(Command::copy, remote_state(to).number, CopyRequest{remote_state(from).number, kind}));
    }

   private:
    template <class Seen>
    Seen look(Command command, const backend::State& state, ir::Array array) const {
        return unpack_one<Seen>(link_.ask(rank_, pack_all(command, remote_state(state).number, array)));
    }
    template <class Real>
    void copy_row(const backend::State& base, ir::Array array, Index row, std::span<Real> cells) const {
        constexpr std::size_t kKept = 4;
        const RemoteState& state = remote_state(base);
        state.fetched.read(*this, array, row, kKept, cells, [&](Index first, Index end) {
            return link_.ask(rank_, pack_all(Command::read_rows, state.number, RowsRequest{array, first, end}));
        });
    }

    Link& link_;
    int rank_;
    std::int32_t number_;
    ir::Program program_;
    domain::Domain domain_;
    backend::Schedule schedule_;
};

class RemoteBackend final : public backend::Backend {
   public:
    RemoteBackend(int rank, const backend::Backend& like, std::string device, int threads, Link& link)
        : rank_(rank), like_(like), device_(std::move(device)), threads_(threads), link_(link) {}

    std::string name() const override { return like_.name(); }
    std::string description() const override { return like_.description(); }
    bool on_card() const override { return like_.on_card(); }
    backend::Family family(const domain::Domain& domain) const override { return like_.family(domain); }
    std::string emit(const ir::Program&, const domain::Domain&, const backend::Schedule&) override {
        throw core::InternalError("the text of a kernel on another rank");
    }

    std::unique_ptr<backend::Kernel> compile(const ir::Program& program, const domain::Domain& domain, const backend::Schedule& schedule,
                                             core::Context& context) override {
        require_only_kernels(program);
        CompileRequest request{.device = device_,
                               .schedule = backend::print(schedule),
                               .cache = context.cache.string(),
                               .family = static_cast<std::int32_t>(family(domain)),
                               .threads = threads_,
                               .program = program};
        if (const auto* grid = std::get_if<domain::Grid>(&domain)) request.grid = GridCut{*grid, Blocks{}};
        if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) {
            SurfaceShare all;
            all.vertices.resize(core::at(mesh->vertex_count()));
            std::iota(all.vertices.begin(), all.vertices.end(), 0);
            all.own = all.vertices;
            request.surface = SurfaceCut{domain::piece_of(*mesh, all.vertices, weights_of(program)), std::nullopt, std::move(all)};
        }
        return std::make_unique<RemoteKernel>(rank_, request, domain, context, link_);
    }

   private:
    int rank_;
    const backend::Backend& like_;
    std::string device_;
    int threads_;
    Link& link_;
};

}  // namespace

std::unique_ptr<backend::Backend> create_remote_backend(int rank, const backend::Backend& like, std::string device, int threads,
                                                        Link& link) {
    return std::make_unique<RemoteBackend>(rank, like, std::move(device), threads, link);
}

}  // namespace mottle::ranks
