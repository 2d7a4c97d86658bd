// mottle/backend/cpu/compile/object_code.h: a relocatable ELF object mapped as executable memory
#pragma once
#include <cstddef>
#include <map>
#include <string>

namespace mottle::backend::cpu {

/// Kernels compile to position-independent text without outside symbols, so mapping the sections side by side is all the linking they need.
class ObjectCode {
   public:
    /// Throws: InternalError if the bytes are no such object (another format, outside symbols, unknown relocations).
    explicit ObjectCode(const std::string& object);
    ~ObjectCode();
    ObjectCode(const ObjectCode&) = delete;
    ObjectCode& operator=(const ObjectCode&) = delete;

    /// The address of a function. Throws: InternalError if it is missing.
    void* symbol(const std::string& name) const;
    /// Relocations that were applied: 0 while every constant comes through the arguments.
    int relocations() const { return relocations_; }

   private:
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
    int relocations_ = 0;
    std::map<std::string, std::size_t> symbols_;
};

}  // namespace mottle::backend::cpu
