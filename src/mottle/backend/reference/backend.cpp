// mottle/backend/reference/backend.cpp: the interpreter as a backend
#include "mottle/backend/reference/backend.h"

#include "mottle/backend/reference/kernel.h"

#include <utility>

namespace mottle::backend {
namespace {

class ReferenceBackend final : public Backend {
   public:
    explicit ReferenceBackend(std::string note) : note_(std::move(note)) {}

    std::string name() const override { return "reference"; }
    std::string description() const override { return "interpreter on one thread" + (note_.empty() ? note_ : "; " + note_); }

    std::unique_ptr<Kernel> compile(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule,
                                    core::Context& context) override {
        if (program.f64) return std::make_unique<reference::ReferenceKernel<double>>(program, domain, schedule, context);
        return std::make_unique<reference::ReferenceKernel<float>>(program, domain, schedule, context);
    }

    Family family(const domain::Domain&) const override { return Family::none; }

    std::string emit(const ir::Program& program, const domain::Domain&, const Schedule&) override { return ir::print(program); }

   private:
    std::string note_;
};

}  // namespace

std::unique_ptr<Backend> create_reference_backend(std::string note) { return std::make_unique<ReferenceBackend>(std::move(note)); }

}  // namespace mottle::backend
