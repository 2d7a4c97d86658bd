// mottle/backend/cpu/emit/text.h: what every emitter of LLVM IR text shares: types, numbered values, the arithmetic of the IR
#pragma once
#include "mottle/backend/cpu/compile/isa.h"
#include "mottle/ir/program/program.h"

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace mottle::backend::cpu {

/// Names of LLVM types and what every function of a module shares.
struct TextTypes {
    TextTypes(bool f64, const Isa& isa, int lanes);
    std::string scalar, integer, real, word, mask;  ///< float i32, <16 x float> <16 x i32> <16 x i1>
    std::string suffix;                             ///< of intrinsics: v16f32
    bool fma;                                       ///< the instruction set has one; else every fma is a call, lane by lane
    bool half_products;                             ///< products of 32-bit words are taken in lanes of 64 bits (HalfWords)
    int lanes, scalar_bytes, vector_bytes;

    std::string vector_of(const std::string& element) const;
};

/// A vector of 32-bit words in two: its even and its odd lanes, each word in the lower half of a lane of 64 bits. The upper halves hold anything. A product of two
/// words then has its lower and its upper half in one lane, from one instruction.
struct HalfWords {
    std::string even, odd;
};

/// Text of a function under construction: numbered values.
class TextBuilder {
   public:
    explicit TextBuilder(const TextTypes& types) : types_(types) {}
    std::string fresh() { return "%v" + std::to_string(next_++); }
    std::string assign(const std::string& expression);  ///< "%vN = expression"
    void line(const std::string& text) { text_ += "  " + text + "\n"; }
    void label(const std::string& name) { text_ += name + ":\n"; }
    std::string pointer(const std::string& base, const std::string& bytes);
    std::string load_real(const std::string& pointer);  ///< a whole vector, aligned
    void store_real(const std::string& value, const std::string& pointer);
    std::string splat(const std::string& scalar_type, const std::string& scalar_value);
    /// Number `index` of those at `numbers`, in all lanes.
    std::string number(const std::string& numbers, int index, bool word = false);
    const std::string& text() const { return text_; }

    /// `value`, which has the same number in all lanes, is known as such from here on.
    void mark_uniform(const std::string& value) { uniform_.insert(value); }
    bool is_uniform(const std::string& value) const { return uniform_.contains(value); }
    bool has_halves(const std::string& word) const { return halves_.contains(word); }
    /// The halves that `word` was joined from, or new ones.
    HalfWords halves_of(const std::string& word);
    /// The vector of words that `halves` are of; where only its halves are used, the compiler drops it.
    std::string join(HalfWords halves);

   private:
    const TextTypes& types_;
    std::string text_;
    std::unordered_set<std::string> uniform_;
    std::unordered_map<std::string, HalfWords> halves_;
    int next_ = 0;
};

/// Pointers to the scalar functions that stand in for instructions which the instruction set lacks; empty where it has them.
struct ScalarCalls {
    std::string fma, floor;
};

/// A real argument, or its negation, which an fma includes at no cost.
struct Operand {
    std::string value;
    bool negated = false;
};

/// The value of an arithmetic operation. Only the operands of an fma may be negated. `shift`: the count of a word shift. The second operand of neg and abs
/// is a word from memory (the sign bit; all but the sign bit): an fneg outside an fma would make the compiler place a constant of its own.
std::string emit_arithmetic(TextBuilder& out, const TextTypes& types, ir::Op op, std::span<const Operand> args, std::uint64_t shift,
                            const ScalarCalls& calls);
/// Declarations of the intrinsics in use, and fma_lanes and floor_lanes where they are needed.
std::string arithmetic_declarations(const TextTypes& types);
/// The attributes that every function of a module names as #0.
std::string attributes(const TextTypes& types);
/// Loads a member of the argument structure %arguments, under a name of its own if one is given.
std::string load_member(TextBuilder& out, std::size_t offset, const std::string& type, const std::string& name = {});

}  // namespace mottle::backend::cpu
