# Script: writes OUTPUT, the function mottle::model::library(), from the model FILES. Every byte becomes an escape, so that no
# content can break the literal; a file is at most 64 KiB, the limit of one literal that every compiler takes.
set(entries "")
set(names "")
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME_WE)
    list(APPEND names ${name})
    set(file_${name} ${file})
endforeach()
list(SORT names)
list(LENGTH names count)
foreach(name IN LISTS names)
    file(READ ${file_${name}} hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR size "${digits} / 2")
    if(size GREATER 65535)
        message(FATAL_ERROR "${file_${name}} has ${size} bytes; a library model has at most 65,535")
    endif()
    string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${hex}")
    string(REPLACE "\\x0a" "\\x0a\"\n     \"" escaped "${escaped}")
    string(APPEND entries "    {\"${name}\", {\n     \"${escaped}\", ${size}}},\n")
endforeach()
file(WRITE ${OUTPUT} "// model_library.cpp: the models of models/*.toml, made by cmake/embed_models.cmake
#include \"mottle/model/library.h\"

#include <array>

namespace mottle::model {
namespace {
constexpr std::array<LibraryModel, ${count}> kModels{{
${entries}}};
}  // namespace

std::span<const LibraryModel> library() { return kModels; }

}  // namespace mottle::model
")
