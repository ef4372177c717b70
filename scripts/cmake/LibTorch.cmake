# Finds LibTorch and defines lc::torch (headers as system includes, libraries linked).
find_path(LIBTORCH_INCLUDE_DIR ATen/core/Tensor.h
          HINTS ${PROJECT_SOURCE_DIR}/.deps/lib/python3.11/site-packages/torch/include)
get_filename_component(LIBTORCH_ROOT ${LIBTORCH_INCLUDE_DIR} DIRECTORY)
add_library(lc_torch INTERFACE)
add_library(lc::torch ALIAS lc_torch)
target_include_directories(lc_torch SYSTEM INTERFACE ${LIBTORCH_INCLUDE_DIR}
                           ${LIBTORCH_INCLUDE_DIR}/torch/csrc/api/include)
target_link_libraries(lc_torch INTERFACE ${LIBTORCH_ROOT}/lib/libtorch.so
                      ${LIBTORCH_ROOT}/lib/libtorch_cpu.so ${LIBTORCH_ROOT}/lib/libc10.so)
target_compile_definitions(lc_torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
target_link_options(lc_torch INTERFACE -Wl,-rpath,${LIBTORCH_ROOT}/lib)
