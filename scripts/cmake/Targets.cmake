# Targets of this project: a library per folder of src/, a program per folder of apps/, a test program
# per folder of tests/. Source files are found by glob, so that adding a file is adding a file.

add_library(lc_flags INTERFACE)
target_compile_options(lc_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion
                       # False alarms of g++ 12 on joined strings.
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow>
                       $<$<BOOL:${LC_WERROR}>:-Werror>
                       $<$<AND:$<BOOL:${LC_WERROR}>,$<CXX_COMPILER_ID:GNU>>:-Wno-error=array-bounds;-Wno-error=stringop-overread>)
target_include_directories(lc_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)

# LibTorch's headers take 9 CPU seconds a file, so they are compiled once: a header for the libraries
# and apps, and one with Catch2 for the tests. lc_use_pch(target lc_pch | lc_test_pch)
function(lc_pch name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINKS" ${ARGN})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  target_link_libraries(${name} PRIVATE lc_flags lc::torch nlohmann_json::nlohmann_json ${ARG_LINKS})
  target_precompile_headers(${name} PRIVATE <ATen/ATen.h> <nlohmann/json.hpp> ${ARG_HEADERS})
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

function(lc_use_pch target pch)
  if(LC_PCH)
    target_precompile_headers(${target} REUSE_FROM ${pch})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endfunction()

if(LC_PCH)
  lc_pch(lc_pch)
endif()

# Even so, reading headers is half of each file's time: several files of a target are compiled as one.
# For that, names in anonymous namespaces must differ within a target, but for the models, which are
# made by copying one of them.
function(lc_join_files target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LC_UNITY} UNITY_BUILD_BATCH_SIZE 16)
endfunction()

# Reports, programs and tests are compiled in two thirds of the time, and no step of a model waits for them.
function(lc_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-O1>)
endfunction()

# lc_use_memory(program): how every program of this project takes and keeps memory.
if(JEMALLOC_FOUND)
  add_library(lc_memory OBJECT ${PROJECT_SOURCE_DIR}/apps/memory/jemalloc_settings.cpp)
  target_link_libraries(lc_memory PUBLIC lc_flags PkgConfig::JEMALLOC)
endif()
function(lc_use_memory program)
  if(JEMALLOC_FOUND)
    target_link_libraries(${program} PRIVATE lc_memory)
  endif()
endfunction()

# lc_library(name LINKS targets... [NO_TORCH files...] [NO_TORCH_LINKS targets...])
# NO_TORCH files are compiled without LibTorch's headers in sight (its folder carries another fmt).
function(lc_library name)
  cmake_parse_arguments(ARG "" "" "LINKS;NO_TORCH;NO_TORCH_LINKS" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  foreach(file ${ARG_NO_TORCH})
    list(REMOVE_ITEM sources ${folder}/${file})
  endforeach()
  if(NOT sources)
    add_library(lc_${name} INTERFACE)
    target_link_libraries(lc_${name} INTERFACE lc_flags ${ARG_LINKS})
    return()
  endif()
  foreach(file ${ARG_NO_TORCH})
    if(NOT EXISTS ${folder}/${file})
      list(REMOVE_ITEM ARG_NO_TORCH ${file})
    endif()
  endforeach()
  add_library(lc_${name} STATIC ${sources})
  target_link_libraries(lc_${name} PUBLIC lc_flags ${ARG_LINKS})
  lc_use_pch(lc_${name} lc_pch)
  if(NOT name STREQUAL models)
    lc_join_files(lc_${name})
  endif()
  if(ARG_NO_TORCH)
    list(TRANSFORM ARG_NO_TORCH PREPEND ${folder}/)
    add_library(lc_${name}_no_torch OBJECT ${ARG_NO_TORCH})
    target_link_libraries(lc_${name}_no_torch PRIVATE lc_flags ${ARG_NO_TORCH_LINKS})
    target_sources(lc_${name} PRIVATE $<TARGET_OBJECTS:lc_${name}_no_torch>)
    target_link_libraries(lc_${name} PRIVATE ${ARG_NO_TORCH_LINKS})
  endif()
endfunction()

# lc_app(name LINKS targets...): the program bin/NAME from the files of its folder.
function(lc_app name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} lc_version CLI11::CLI11)
  lc_use_memory(${name})
  lc_optimise_little(${name})
  lc_use_pch(${name} lc_pch)
  lc_join_files(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# lc_test(folder LINKS targets...): one program from tests/FOLDER/*.cpp, each case a ctest test with
# the folder as its label.
function(lc_test folder)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${folder} ${sources})
  target_include_directories(test_${folder} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(test_${folder} PRIVATE LC_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(test_${folder} PRIVATE ${ARG_LINKS} lc_catch_main)
  lc_use_memory(test_${folder})
  lc_optimise_little(test_${folder})
  lc_use_pch(test_${folder} lc_test_pch)
  catch_discover_tests(test_${folder} TEST_PREFIX "${folder}: " PROPERTIES LABELS ${folder})
endfunction()

if(LC_TESTS)
  include(Catch)
  add_library(lc_catch_main STATIC ${PROJECT_SOURCE_DIR}/tests/catch_main.cpp)
  target_include_directories(lc_catch_main PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(lc_catch_main PUBLIC Catch2::Catch2)
  if(LC_PCH)
    lc_pch(lc_test_pch HEADERS ${PROJECT_SOURCE_DIR}/tests/catch.h LINKS Catch2::Catch2)
  endif()
endif()
