// mottle/run/settings/parameter_change.h: another value of a parameter while a run goes on, and all that follows it
#pragma once
#include "mottle/run/settings/spec.h"

#include <memory>
#include <string>
#include <vector>

namespace mottle::run {

/// What a run becomes by the change of one parameter.
struct ParameterChange {
    model::Model model;                ///< of the run after it
    field::InitialSpec initial;        ///< with the array of a map that was replaced by one
    std::vector<std::string> numbers;  ///< whose values are others: the parameter, and what is computed from it
    std::vector<ir::Array> maps;       ///< of the program whose values are others
    std::string fixed;  ///< what follows the parameter and yet was made before the first step, in words; "" where nothing was
};

/// Gives the number `name` this value. Throws: InputError (no such parameter, a map, not finite; a number that is computed from it is not).
ParameterChange change_number(const Spec& spec, const ir::Program& program, const std::string& name, double value);

/// Gives the map `name` these values: of a grid cell by cell along x, then y, then z; of a surface by the vertices of its file.
/// Throws: InputError (no such map, another number of values, not finite; a map of which the program keeps fewer values, since its expression varied along fewer axes).
ParameterChange change_map(const Spec& spec, const ir::Program& program, const std::string& name,
                           std::shared_ptr<const std::vector<double>> values);

}  // namespace mottle::run
