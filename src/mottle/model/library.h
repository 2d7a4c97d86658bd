// mottle/model/library.h: the models that come with Mottle, embedded from models/*.toml
#pragma once
#include <span>
#include <string_view>

namespace mottle::model {

struct LibraryModel {
    std::string_view name, text;
};
/// In alphabetical order.
std::span<const LibraryModel> library();

}  // namespace mottle::model
