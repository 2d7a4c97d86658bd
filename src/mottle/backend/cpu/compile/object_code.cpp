// mottle/backend/cpu/compile/object_code.cpp: a relocatable ELF object mapped as executable memory
#include "mottle/backend/cpu/compile/object_code.h"

#include "mottle/core/error.h"
#include "mottle/core/index.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace mottle::backend::cpu {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw core::InternalError("a compiled kernel cannot be loaded: " + why); }

/// Reads structures of an object with bounds checks.
class Reader {
   public:
    explicit Reader(const std::string& bytes) : bytes_(bytes) {}

    template <class T>
    T at(std::size_t offset) const {
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) refuse("it is truncated");
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof(T));
        return value;
    }
    const char* range(std::size_t offset, std::size_t size) const {
        if (offset > bytes_.size() || bytes_.size() - offset < size) refuse("it is truncated");
        return bytes_.data() + offset;
    }
    std::string text(std::size_t offset) const {
        std::size_t end = bytes_.find('\0', offset);
        if (offset >= bytes_.size() || end == std::string::npos) refuse("it is truncated");
        return bytes_.substr(offset, end - offset);
    }

   private:
    const std::string& bytes_;
};

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

struct Sections {
    std::vector<Elf64_Shdr> headers;
    std::vector<std::size_t> place;  // offset in memory of each section that is loaded
    std::size_t total = 0;
};

Sections lay_out(const Reader& reader) {
    auto header = reader.at<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL)
        refuse("it is not a 64-bit ELF object");
    Sections sections;
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
        sections.headers.push_back(reader.at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
        const Elf64_Shdr& section = sections.headers.back();
        std::size_t place = SIZE_MAX;
        if ((section.sh_flags & SHF_ALLOC) && section.sh_type == SHT_PROGBITS) {
            place = round_up(sections.total, section.sh_addralign ? section.sh_addralign : 1);
            sections.total = place + section.sh_size;
        }
        sections.place.push_back(place);
    }
    return sections;
}

}  // namespace

ObjectCode::ObjectCode(const std::string& object) {
    Reader reader(object);
    Sections sections = lay_out(reader);
    bytes_ = round_up(sections.total ? sections.total : 1, core::at(sysconf(_SC_PAGESIZE)));
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) {
        memory_ = nullptr;
        refuse("no memory");
    }
    auto* base = static_cast<char*>(memory_);
    for (std::size_t i = 0; i < sections.headers.size(); ++i) {
        const Elf64_Shdr& section = sections.headers[i];
        if (sections.place[i] != SIZE_MAX)
            std::memcpy(base + sections.place[i], reader.range(section.sh_offset, section.sh_size), section.sh_size);
    }
    auto address_of = [&](const Elf64_Sym& symbol) {
        if (symbol.st_shndx >= sections.place.size() || sections.place[symbol.st_shndx] == SIZE_MAX)
            refuse("it needs a symbol from outside");
        return sections.place[symbol.st_shndx] + symbol.st_value;
    };
    for (const Elf64_Shdr& section : sections.headers) {
        if (section.sh_type == SHT_SYMTAB) {
            std::size_t names = sections.headers.at(section.sh_link).sh_offset;
            for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
                auto symbol = reader.at<Elf64_Sym>(section.sh_offset + at);
                if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) symbols_[reader.text(names + symbol.st_name)] = address_of(symbol);
            }
        }
        if (section.sh_type != SHT_RELA || sections.place.at(section.sh_info) == SIZE_MAX) continue;
        const Elf64_Shdr& table = sections.headers.at(section.sh_link);
        for (std::size_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
            auto entry = reader.at<Elf64_Rela>(section.sh_offset + at);
            auto symbol = reader.at<Elf64_Sym>(table.sh_offset + ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym));
            if (ELF64_R_TYPE(entry.r_info) != R_X86_64_PC32 && ELF64_R_TYPE(entry.r_info) != R_X86_64_PLT32)
                refuse("it has an unknown relocation");
            std::size_t where = sections.place[section.sh_info] + entry.r_offset;
            if (where + 4 > bytes_) refuse("a relocation lies outside");
            auto value = static_cast<std::int32_t>(static_cast<std::int64_t>(address_of(symbol)) + entry.r_addend -
                                                   static_cast<std::int64_t>(where));
            std::memcpy(base + where, &value, sizeof value);
            ++relocations_;
        }
    }
    if (mprotect(memory_, bytes_, PROT_READ | PROT_EXEC) != 0) refuse("this system forbids code made at run time");
#if defined(__aarch64__)
    __builtin___clear_cache(base, base + bytes_);
#endif
}

ObjectCode::~ObjectCode() {
    if (memory_) munmap(memory_, bytes_);
}

void* ObjectCode::symbol(const std::string& name) const {
    auto found = symbols_.find(name);
    if (found == symbols_.end()) throw core::InternalError("a compiled kernel lacks the function '" + name + "'");
    return static_cast<char*>(memory_) + found->second;
}

}  // namespace mottle::backend::cpu
