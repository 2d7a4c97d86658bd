// tests/oracle/language/word.h: names and signs of the model language, compared without a look at their letters; includes nothing of Mottle
#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace language {

/// Equal texts are one object: two words are the same where their addresses are.
class Word {
   public:
    Word() : Word("") {}
    Word(const char* text) : Word(std::string_view(text)) {}
    Word(const std::string& text) : Word(std::string_view(text)) {}
    explicit Word(std::string_view text) : text_(&*known().emplace(text).first) {}

    const std::string& text() const { return *text_; }
    friend bool operator==(Word a, Word b) { return a.text_ == b.text_; }
    friend bool operator<(Word a, Word b) { return std::less<>()(a.text_, b.text_); }

   private:
    static std::set<std::string>& known() {
        static std::set<std::string> words;
        return words;
    }
    const std::string* text_;
};

namespace words {

inline const Word neg("neg"), sin("sin"), cos("cos"), exp("exp"), tanh("tanh"), sqrt("sqrt"), abs("abs"), min("min"), max("max"),
    where("where");
inline const Word plus("+"), minus("-"), times("*"), over("/"), to_the("^"), below("<"), above(">"), at_most("<="), at_least(">=");
inline const Word lap("lap"), bilap("bilap"), dx("dx"), dy("dy"), dz("dz"), grad("grad"), div("div"), dot("dot"), norm2("norm2");
inline const Word mean("mean"), integral("integral"), white("white"), t("t"), pi("pi");
inline const Word periodic("periodic"), no_flux("no-flux"), still("still"), value("value"), outside("outside"), flux("flux"),
    robin("robin");

}  // namespace words
}  // namespace language
