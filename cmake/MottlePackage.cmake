# Packages: `cpack -G DEB` makes mottle and mottle-dev, which depend on Debian's libraries; `cpack -G TGZ` makes one folder that runs on any Linux with the
# glibc of the machine it was built on or a later one: what FFmpeg, Embree, libpng and C++ need stands beside the modules, in lib/mottle/bundled.
# Completions and a manual page come from the program itself.
if(NOT TARGET mottle OR APPLE OR CMAKE_CROSSCOMPILING OR MOTTLE_SANITIZE)
    return()
endif()

set(made ${PROJECT_BINARY_DIR}/package)
set(products ${made}/mottle.bash ${made}/_mottle ${made}/mottle.fish ${made}/mottle.1)
add_custom_command(OUTPUT ${products}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:mottle> -DFOLDER=${made} -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/write_manual.cmake
    DEPENDS mottle ${PROJECT_SOURCE_DIR}/cmake/write_manual.cmake
    COMMENT "Writing completions and the manual page" VERBATIM)
add_custom_target(mottle_manual ALL DEPENDS ${products})
add_dependencies(mottle_product mottle_manual)
foreach(place "mottle.bash;${CMAKE_INSTALL_DATADIR}/bash-completion/completions;mottle" "_mottle;${CMAKE_INSTALL_DATADIR}/zsh/site-functions;_mottle"
    "mottle.fish;${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d;mottle.fish" "mottle.1;${CMAKE_INSTALL_MANDIR}/man1;mottle.1")
    list(GET place 0 file)
    list(GET place 1 folder)
    list(GET place 2 name)
    # a library can be built and installed without the program
    install(FILES ${made}/${file} DESTINATION ${folder} RENAME ${name} COMPONENT runtime OPTIONAL)
endforeach()

# All libraries that the installed files load, but those of glibc and of graphics drivers.
install(CODE "set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/mottle/bundled\")\nset(libraries \"${PROJECT_BINARY_DIR}/lib\")"
    COMPONENT bundled EXCLUDE_FROM_ALL)
install(CODE [[
    file(GLOB modules "${libraries}/mottle/*.so")  # parts of a package are put in folders of their own: those of the build are at hand
    list(FILTER modules EXCLUDE REGEX "mottle_mpi")  # which takes the MPI of the launcher, not one of its own
    file(GLOB library "${libraries}/libmottle.so.*")
    file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${modules} ${library} RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
        PRE_EXCLUDE_REGEXES "^(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libutil|libmvec|libanl|libnss_.*|libmottle)\\.so\\..*")
    if(missing)
        message(FATAL_ERROR "Not found, and so not bundled: ${missing}")
    endif()
    file(INSTALL DESTINATION "${folder}" TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN FILES ${found})
]] COMPONENT bundled EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/bundled_licences.txt DESTINATION ${CMAKE_INSTALL_LIBDIR}/mottle/bundled RENAME LICENCES COMPONENT bundled EXCLUDE_FROM_ALL)

set(CPACK_PACKAGE_NAME mottle)
set(CPACK_PACKAGE_VENDOR "Mottle contributors")
set(CPACK_PACKAGE_CONTACT "Mottle contributors <mottle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_FILE_NAME mottle-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
string(TOLOWER ${CPACK_PACKAGE_FILE_NAME} CPACK_PACKAGE_FILE_NAME)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_CMAKE_GENERATOR ${CMAKE_GENERATOR})
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_of_generator.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME mottle)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME mottle-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "mottle (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
