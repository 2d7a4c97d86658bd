// mottle/run/watch/self_check.cpp: small runs on two devices, compared bit for bit
#include "mottle/run/watch/self_check.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/field/cell_text.h"
#include "mottle/run/settings/read_spec.h"

#include <array>
#include <cstring>

namespace mottle::run {

namespace {

constexpr Index kSteps = 75;  // several passes and a rest

struct Case {
    const char *name, *model, *flags;
};
constexpr std::array kCases = {
    Case{"gray-scott, 64x48 grid, f32", "gray-scott", "size = '64x48'\n"},
    Case{"gray-scott, 64x48 grid, f64", "gray-scott", "size = '64x48'\nprecision = 'f64'\n"},
    Case{"chemotaxis, sphere:3, f32", "chemotaxis", "mesh = 'sphere:3'\nacross = 2\n"},
};

Simulation start(const Case& which, const std::string& device, core::Context& context) {
    const core::Node flags = core::parse_document(std::string(which.flags) + "device = '" + device + "'\n", "self-check");
    return Simulation(read_spec(model::load_document(which.model), which.model, "", flags), context);
}

template <class Real>
void compare(const std::string& name, const Simulation& compiled, const Simulation& reference) {
    const domain::Domain& domain = compiled.kernel().domain();
    const auto length = core::at(domain::row_length(domain));
    std::vector<Real> a(length), b(length);
    for (ir::Array array = 0; array < compiled.kernel().program().field_count(); ++array) {
        for (Index row = 0; row < domain::row_count(domain); ++row) {
            compiled.kernel().read_row(compiled.field().state(), array, row, a);
            reference.kernel().read_row(reference.field().state(), array, row, b);
            for (std::size_t x = 0; x < length; ++x) {
                if (std::memcmp(&a[x], &b[x], sizeof(Real)) == 0) continue;
                throw core::InternalError("compiled code is wrong on this machine: " + name + ", field '" +
                                          compiled.field().names()[core::at(array)] + "', " +
                                          field::cell_text(domain, row * static_cast<Index>(length) + static_cast<Index>(x)) + ", step " +
                                          std::to_string(compiled.now().step) + ": " + core::number_text(static_cast<double>(a[x])) +
                                          " compiled, " + core::number_text(static_cast<double>(b[x])) + " by the reference");
            }
        }
    }
}

}  // namespace

void require_same_bits(const std::string& name, const Simulation& compiled, const Simulation& reference) {
    if (compiled.kernel().program().f64)
        compare<double>(name, compiled, reference);
    else
        compare<float>(name, compiled, reference);
}

std::vector<std::string> self_check(const std::string& device, core::Context& context) {
    core::Observer silent;
    core::Context quiet{context.team, silent, context.cache};
    std::vector<std::string> names;
    for (const Case& which : kCases) {
        Simulation compiled = start(which, device, quiet), reference = start(which, "reference", quiet);
        compiled.advance_to(kSteps);
        reference.advance_to(kSteps);
        require_same_bits(which.name, compiled, reference);
        names.emplace_back(which.name);
    }
    return names;
}

}  // namespace mottle::run
