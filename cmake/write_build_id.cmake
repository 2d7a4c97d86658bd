# Script: writes HEADER with MOTTLE_VERSION, MOTTLE_BUILD_ID = version, compiler, commit and a hash of the library's sources, which tells two builds of one commit
# with different edits apart, and MOTTLE_KERNEL_COMPILER_ID = the version of LLVM, the processor, and a hash of the sources that call LLVM.
# hash_of(FILES VARIABLE): twelve digits
function(hash_of files variable)
    list(SORT files)
    set(hashes "")
    foreach(file IN LISTS files)
        file(SHA256 ${file} hash)
        string(APPEND hashes ${hash})
    endforeach()
    string(SHA256 hash "${hashes}")
    string(SUBSTRING ${hash} 0 12 hash)
    set(${variable} ${hash} PARENT_SCOPE)
endfunction()

execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
    set(commit "no-commit")
endif()
file(GLOB_RECURSE sources ${SOURCE_DIR}/src/mottle/*.h ${SOURCE_DIR}/src/mottle/*.cpp ${SOURCE_DIR}/src/mottle/*.inc ${SOURCE_DIR}/src/mottle/*.def)
hash_of("${sources}" hash)
file(GLOB compiler_sources ${SOURCE_DIR}/src/mottle/backend/cpu_jit/*.cpp ${SOURCE_DIR}/src/mottle/backend/cpu/compile/jit_module.h)
hash_of("${compiler_sources}" compiler_hash)
string(STRIP "${VERSION} ${COMPILER} ${BUILD_TYPE} ${SANITIZE}" build)
set(content "// mottle_build_id.h: made by cmake/write_build_id.cmake
#pragma once
#define MOTTLE_VERSION \"${VERSION}\"
#define MOTTLE_BUILD_ID \"${build} ${commit} ${hash}\"
#define MOTTLE_KERNEL_COMPILER_ID \"LLVM ${LLVM} ${PROCESSOR} ${compiler_hash}\"
")
set(old "")
if(EXISTS ${HEADER})
    file(READ ${HEADER} old)
endif()
if(NOT content STREQUAL old)
    file(WRITE ${HEADER} "${content}")
endif()
