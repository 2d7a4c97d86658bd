// python/src/errors.h: errors of the library as exceptions of Python, with their place
#pragma once
#include <pybind11/pybind11.h>

#include <exception>
#include <string>
#include <vector>

namespace mottle::python {

/// Everything of core::Error that leaves a bound function becomes an exception of mottle.errors with message, file, line, column and hint.
void translate_errors();

/// Throws `failure` as the exception of Python that it becomes, so that nothing of the interpreter runs for it later.
[[noreturn]] void throw_in_python(const std::exception_ptr& failure);

/// Throws DivergedError of mottle.errors.
[[noreturn]] void throw_diverged(const std::string& message, long long step, const std::vector<std::string>& files);

}  // namespace mottle::python
