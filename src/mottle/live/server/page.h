// mottle/live/server/page.h: the page, which the build puts into this module
#pragma once
#include <string_view>

namespace mottle::live {

/// One file of HTML; empty where it was not built.
std::string_view page();

}  // namespace mottle::live
