# Defines lc::torch: headers as system includes, libraries linked directly. The stock package file
# isn't used, since that of a CUDA build asks for the whole CUDA toolkit, which neither this project
# nor a machine that only runs it needs.
include(LibTorchFolder)

lc_find_libtorch(${PROJECT_SOURCE_DIR})
if(NOT LC_LIBTORCH_FOLDER)
  message(FATAL_ERROR "No LibTorch ${LC_LIBTORCH_FLOOR} or newer found: run scripts/setup.sh, which "
                      "fetches one into .deps/, or set LIBTORCH to a LibTorch folder.")
endif()
set(LC_LIBTORCH_REMEMBERED "${LC_LIBTORCH_FOLDER}" CACHE INTERNAL "LibTorch of this build folder")
lc_libtorch_version(LC_LIBTORCH_VERSION "${LC_LIBTORCH_FOLDER}")

set(libraries torch torch_cpu c10)
set(LC_LIBTORCH_BUILD CPU)
if(EXISTS ${LC_LIBTORCH_FOLDER}/lib/libtorch_cuda.so)
  list(APPEND libraries torch_cuda c10_cuda)
  set(LC_LIBTORCH_BUILD CUDA)
endif()
list(TRANSFORM libraries REPLACE "(.+)" "${LC_LIBTORCH_FOLDER}/lib/lib\\1.so")
message(STATUS "LibTorch ${LC_LIBTORCH_VERSION} (${LC_LIBTORCH_BUILD}, from ${LC_LIBTORCH_ORIGIN}): "
               "${LC_LIBTORCH_FOLDER}")

# Kept although no symbol is asked of it: libtorch_cuda registers itself when it is loaded.
set(CMAKE_CXX_LINK_LIBRARY_USING_kept "LINKER:--push-state,--no-as-needed" "<LINK_ITEM>"
                                      "LINKER:--pop-state")
set(CMAKE_CXX_LINK_LIBRARY_USING_kept_SUPPORTED TRUE)

add_library(lc_torch INTERFACE)
add_library(lc::torch ALIAS lc_torch)
target_include_directories(lc_torch SYSTEM INTERFACE
                           ${LC_LIBTORCH_FOLDER}/include
                           ${LC_LIBTORCH_FOLDER}/include/torch/csrc/api/include)
target_compile_definitions(lc_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
target_link_libraries(lc_torch INTERFACE "$<LINK_LIBRARY:kept,${libraries}>")
# What LibTorch's own libraries need (CUDA's among them) is found when a program starts.
target_link_options(lc_torch INTERFACE LINKER:--allow-shlib-undefined
                    LINKER:-rpath,${LC_LIBTORCH_FOLDER}/lib)
