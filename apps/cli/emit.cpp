// apps/cli/emit.cpp: mottle emit
#include "commands.h"
#include "model_text.h"

#include "mottle/backend/registry.h"
#include "mottle/core/error.h"

#include <iostream>

namespace mottle::cli {

int emit(const ModelArguments& arguments, const std::string& what) {
    const core::Node document = model::load_document(arguments.model);
    const run::Spec spec = run::read_spec(document, model_name(arguments.model), arguments.preset, arguments.flags);
    if (what == "model") {
        std::cout << model_text(spec, run::read_model_document(document, arguments.preset, arguments.flags));
        return kDone;
    }
    const ir::Program program = ir::lower(ir::build(spec.model), spec.method, spec.domain);
    if (what == "ir")
        std::cout << ir::print(program);
    else
        std::cout << backend::create_backend(spec.device)->emit(program, spec.domain, spec.schedule);
    return kDone;
}

}  // namespace mottle::cli
