// mottle/core/span.cpp: the lines of a document
#include "mottle/core/span.h"

#include "mottle/core/index.h"

namespace mottle::core {

std::shared_ptr<const Source> make_source(std::string text) {
    auto source = std::make_shared<Source>();
    source->line_starts.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') source->line_starts.push_back(i + 1);
    }
    source->text = std::move(text);
    return source;
}

std::string_view Source::line(int number) const {
    if (number < 1 || core::at(number) > line_starts.size()) return {};
    const auto index = core::at(number - 1);
    const std::size_t begin = line_starts[index];
    std::size_t end = index + 1 < line_starts.size() ? line_starts[index + 1] - 1 : text.size();
    if (end > begin && text[end - 1] == '\r') --end;
    return std::string_view(text).substr(begin, end - begin);
}

std::string_view Span::source_line() const {
    if (!source) return {};
    return source->line(line > 0 ? line : 1);
}

}  // namespace mottle::core
