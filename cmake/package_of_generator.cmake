# Which parts go into a package: the folder has the libraries of others beside it, and headers for who builds with it; Debian's packages depend on them.
if(CPACK_GENERATOR STREQUAL "TGZ")
    set(CPACK_COMPONENTS_ALL runtime development bundled)
    set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
else()
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
