// python/src/document.h: values of Python as nodes of a document
#pragma once
#include "mottle/core/document.h"

#include <pybind11/pybind11.h>

namespace mottle::python {

/// A dictionary, a list or tuple, text, a number or a truth value, as a file would have it. `origin` is what messages call its place ("argument size").
/// Throws: InputError naming the type of anything else.
core::Node node_of(pybind11::handle value, const std::string& origin);

/// A dictionary of arguments: each is the place of what it holds.
core::Node node_of_arguments(const pybind11::dict& arguments);

/// The document of a model: that of a library model's name, if `text` is None, else the text of `file`.
core::Node document_of(const pybind11::object& text, const std::string& file, const std::string& name);

}  // namespace mottle::python
