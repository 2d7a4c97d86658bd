// mottle/ranks/kernel.cpp: a kernel whose cells are spread over all ranks, as rank 0 sees it
#include "mottle/ranks/kernel.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/ranks/fetched_rows.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>

namespace mottle::ranks {

using core::at;

namespace {

/// Asks all ranks and does the share of this one meanwhile. Throws: what this rank throws, else the error of the lowest.
template <class RequestFor, class Work>
void do_on_all(Link& link, const RequestFor& request_for, const Work& own) {
    const auto lock = link.lock();
    for (int rank = 1; rank < link.transport().count(); ++rank) link.transport().send(rank, channel::command, request_for(rank));
    std::exception_ptr failure;
    try {
        own();
    } catch (...) {
        failure = std::current_exception();
    }
    std::optional<Answer> first;
    for (int rank = 1; rank < link.transport().count(); ++rank) {
        Answer answer = unpack_one<Answer>(link.transport().receive(rank, channel::reply));
        if (answer.exit_code != 0 && !first) first = std::move(answer);
    }
    if (failure) std::rethrow_exception(failure);
    if (first) require_done(*first);
}

}  // namespace

class RanksState final : public backend::State {
   public:
    RanksState(Link& link, std::int32_t its_number) : number(its_number), link_(link) {}
    ~RanksState() override { link_.forget(Command::forget_state, number); }

    const std::int32_t number;
    std::unique_ptr<PartState> own;
    mutable FetchedRows fetched;

   private:
    Link& link_;
};

namespace {

RanksState& cast_state(backend::State& state) { return static_cast<RanksState&>(state); }
const RanksState& cast_state(const backend::State& state) { return static_cast<const RanksState&>(state); }

}  // namespace

RanksKernel::RanksKernel(const ir::Program& program, const domain::Domain& domain, Hiding hiding, core::Context& context, Link& link,
                         const std::function<CompileRequest(int rank)>& request_for, const std::function<std::unique_ptr<Part>()>& make_own)
    : Kernel(context), link_(link), number_(link.next_number()), program_(program), domain_(domain) {
    exponents_.resize(program_.arrays.size());
    const std::span<const double> areas = domain::measures(domain_);
    if (!areas.empty()) heaviest_ = *std::max_element(areas.begin(), areas.end());
    try {
        do_on_all(
            link_, [&](int rank) { return pack_all(Command::compile, number_, request_for(rank)); }, [&] { part_ = make_own(); });
    } catch (...) {
        link_.forget(Command::forget_kernel, number_);
        throw;
    }
    hiding_ = HidingChoice(hiding, part_->can_hide(), part_->steps());
}

RanksKernel::~RanksKernel() { link_.forget(Command::forget_kernel, number_); }

std::unique_ptr<backend::State> RanksKernel::create_state() {
    auto state = std::make_unique<RanksState>(link_, link_.next_number());
    const Bytes request = pack_all(Command::create_state, state->number, number_);
    do_on_all(
        link_, [&](int) { return request; }, [&] { state->own = part_->create_state(); });
    return state;
}

void RanksKernel::advance(backend::State& base, Index first_step, Index n, backend::UniformTable uniforms) {
    if (n <= 0) return;
    RanksState& state = cast_state(base);
    const auto lock = link_.lock();
    state.fetched.clear();
    const bool hides = hiding_.next(n);
    AdvanceRequest request{first_step, n, {uniforms.values.begin(), uniforms.values.end()}, uniforms.columns, uniforms.stages, hides};
    link_.tell_all(pack_all(Command::advance, state.number, request));
    const core::CancellationScope none(nullptr);  // the others would wait for halos: a launch is never left
    const auto start = std::chrono::steady_clock::now();
    try {
        part_->advance(*state.own, first_step, n, uniforms, hides);
    } catch (...) {
        link_.give_up();
        throw;
    }
    hiding_.took(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

// ---- rows

Bytes RanksKernel::fetch(const RanksState& state, ir::Array array, Index first, Index end) const {
    const auto lock = link_.lock();
    Transport& transport = link_.transport();
    Bytes rows(at(end - first) * at(domain::row_length(domain_)) * (program_.f64 ? sizeof(double) : sizeof(float)));
    std::vector<int> owners;
    for (int rank = 1; rank < transport.count(); ++rank) {
        if (!part_->owns_of(first, end, rank)) continue;
        owners.push_back(rank);
        transport.send(rank, channel::command, pack_all(Command::read_rows, state.number, RowsRequest{array, first, end}));
    }
    part_->place_rows(0, part_->read_rows(*state.own, array, first, end), first, end, rows);
    for (const int rank : owners) part_->place_rows(rank, transport.receive(rank, channel::reply), first, end, rows);
    return rows;
}

template <class Real>
void RanksKernel::copy_row(const backend::State& base, ir::Array array, Index row, std::span<Real> cells) const {
    const RanksState& state = cast_state(base);
    state.fetched.read(*this, array, row, 2 * at(context_.team.size()) + 2, cells,
                       [&](Index first, Index end) { return fetch(state, array, first, end); });
}

void RanksKernel::read_row(const backend::State& state, ir::Array array, Index row, std::span<float> cells) const {
    copy_row(state, array, row, cells);
}

void RanksKernel::read_row(const backend::State& state, ir::Array array, Index row, std::span<double> cells) const {
    copy_row(state, array, row, cells);
}

void RanksKernel::write_row(backend::State& base, ir::Array array, Index row, std::span<const double> cells) {
    RanksState& state = cast_state(base);
    state.fetched.clear();
    const auto lock = link_.lock();
    for (int rank = 0; rank < link_.transport().count(); ++rank) {
        std::vector<double> own = part_->cells_for(rank, row, cells);
        if (own.empty()) continue;
        if (rank == 0)
            part_->write_row(*state.own, array, row, own);
        else
            link_.transport().send(rank, channel::command,
                                   pack_all(Command::write_row, state.number, RowRequest{array, row, std::move(own)}));
    }
}

// ---- sums and ranges

backend::Range RanksKernel::range(const backend::State& base, ir::Array array) const {
    const RanksState& state = cast_state(base);
    const auto lock = link_.lock();
    link_.tell_all(pack_all(Command::range, state.number, array));
    backend::Range all = part_->range(*state.own, array);
    for (int rank = 1; rank < link_.transport().count(); ++rank) {
        const auto other = unpack_one<backend::Range>(link_.transport().receive(rank, channel::reply));
        if (other.first_bad >= 0 && (all.first_bad < 0 || other.first_bad < all.first_bad)) all.first_bad = other.first_bad;
        all.min = std::min(all.min, other.min);
        all.max = std::max(all.max, other.max);
    }
    if (all.first_bad >= 0) all.min = all.max = std::numeric_limits<double>::quiet_NaN();
    return all;
}

SumShare RanksKernel::sum_of_all(const RanksState& state, ir::Array array, const SumTerms& terms) const {
    const auto lock = link_.lock();
    link_.tell_all(pack_all(Command::sum, state.number, SumRequest{array, terms}));
    SumShare all = part_->sum(*state.own, array, terms);
    for (int rank = 1; rank < link_.transport().count(); ++rank) {
        const auto other = unpack_one<SumShare>(link_.transport().receive(rank, channel::reply));
        if (!(other.largest <= all.largest)) all.largest = std::isnan(all.largest) ? all.largest : other.largest;
        for (std::size_t k = 0; k < all.parts.size(); ++k) all.parts[k] += other.parts[k];  // exact
    }
    return all;
}

// As CellSums::sum: how cells are split depends on the largest, which is guessed to be about that of the last time.
double RanksKernel::sum(const backend::State& base, ir::Array array) const {
    const Index count = domain::cell_count(domain_);
    while (true) {
        int& exponent = exponents_[at(array)];
        backend::ExactSum whole(std::ldexp(1, exponent - 1), count);
        SumTerms terms;
        std::copy_n(whole.magic().begin(), terms.magic.size(), terms.magic.begin());
        const SumShare all = sum_of_all(cast_state(base), array, terms);
        if (!(all.largest <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::quiet_NaN();
        const double bound = all.largest * heaviest_;
        if (bound == 0 || !std::isfinite(bound)) return backend::ExactSum(bound, count).value();
        int needed = 0;
        std::frexp(bound, &needed);
        if (needed == exponent) {
            whole.add_parts(all.parts);
            return whole.value();
        }
        exponent = needed;
    }
}

backend::Statistics RanksKernel::reduce(const backend::State& base, ir::Array array) const {
    return backend::statistics_of(range(base, array), domain::cell_count(domain_), domain::measures(domain_),
                                  [&](double mean, bool squares, backend::ExactSum& sum) {
                                      SumTerms terms{{}, squares, mean};
                                      std::copy_n(sum.magic().begin(), terms.magic.size(), terms.magic.begin());
                                      sum.add_parts(sum_of_all(cast_state(base), array, terms).parts);
                                  });
}

}  // namespace mottle::ranks
