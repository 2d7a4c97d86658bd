# Script: writes HEADER with MOTTLE_VERSION and MOTTLE_BUILD_ID = version, compiler, commit and a hash of the library's sources.
# The hash tells two builds of one commit with different edits apart; compiled kernels are cached under this id.
execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
    set(commit "no-commit")
endif()
file(GLOB_RECURSE sources ${SOURCE_DIR}/src/mottle/*.h ${SOURCE_DIR}/src/mottle/*.cpp ${SOURCE_DIR}/src/mottle/*.inc ${SOURCE_DIR}/src/mottle/*.def)
list(SORT sources)
set(hashes "")
foreach(source IN LISTS sources)
    file(SHA256 ${source} hash)
    string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 12 hash)
string(STRIP "${VERSION} ${COMPILER} ${BUILD_TYPE} ${SANITIZE}" build)
set(content "// mottle_build_id.h: made by cmake/write_build_id.cmake
#pragma once
#define MOTTLE_VERSION \"${VERSION}\"
#define MOTTLE_BUILD_ID \"${build} ${commit} ${hash}\"
")
set(old "")
if(EXISTS ${HEADER})
    file(READ ${HEADER} old)
endif()
if(NOT content STREQUAL old)
    file(WRITE ${HEADER} "${content}")
endif()
