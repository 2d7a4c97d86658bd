// apps/cli/json.h: JSON as text: strings, numbers, objects
#pragma once
#include <string>
#include <string_view>

namespace mottle::cli {

std::string json_text(std::string_view text);
/// The shortest text that reads back as `value`; null if it is not finite.
std::string json_number(double value);

/// {"a": 1, "b": "x"} from names and values that are JSON already.
class JsonObject {
   public:
    JsonObject& add(std::string_view name, const std::string& value);
    std::string text() const { return "{" + text_ + "}"; }

   private:
    std::string text_;
};

}  // namespace mottle::cli
