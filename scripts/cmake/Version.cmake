# lc_version: what src/core/version.h declares. The commit is read at each build, and the library is
# made anew only when it changed; only the apps link it, so a commit rebuilds no more than that.
add_custom_target(lc_version_source
  COMMAND ${CMAKE_COMMAND}
          -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
          -DTEMPLATE=${PROJECT_SOURCE_DIR}/src/core/version.cpp.in
          -DOUTPUT=${PROJECT_BINARY_DIR}/generated/version.cpp
          -DVERSION=${PROJECT_VERSION}
          "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}"
          "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
          -DLIBTORCH_VERSION=${LC_LIBTORCH_VERSION}
          -DLIBTORCH_BUILD=${LC_LIBTORCH_BUILD}
          -P ${PROJECT_SOURCE_DIR}/scripts/cmake/WriteVersion.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/version.cpp
  VERBATIM)
add_library(lc_version STATIC ${PROJECT_BINARY_DIR}/generated/version.cpp)
add_dependencies(lc_version lc_version_source)
target_link_libraries(lc_version PUBLIC lc_flags)
