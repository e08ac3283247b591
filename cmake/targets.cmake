# SPDX-License-Identifier: Apache-2.0
# The few functions that every folder's CMakeLists.txt calls.

# Warnings, as they suit joined units and single sources.
function(edgeprobe_warnings target)
  # g++ 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651), and in joined units copies
  # beyond short strings. Sanitizers look for both.
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${EDGEPROBE_UNITY}>>:-Wno-array-bounds$<SEMICOLON>-Wno-stringop-overflow>
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion>
    # In a unit of several sources a local name may equal one that another file keeps to itself, and none of them is the main file.
    $<$<NOT:$<BOOL:${EDGEPROBE_UNITY}>>:-Wshadow>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${EDGEPROBE_UNITY}>>:-Wno-subobject-linkage>
    $<$<BOOL:${EDGEPROBE_WERROR}>:-Werror>)
endfunction()

# edgeprobe_options(TARGET STANDARD): warnings, sanitizers, include path.
function(edgeprobe_options target standard)
  target_compile_features(${target} PUBLIC cxx_std_${standard})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>)
  if(EDGEPROBE_UNITY AND NOT EDGEPROBE_WERROR)
    # Such a build is for use or for sanitizers, and clang spends a twentieth of its time on warnings.
    target_compile_options(${target} PRIVATE -w)
  else()
    edgeprobe_warnings(${target})
  endif()
  # The same sums on every processor: plain x86-64 has no fused multiplication that a compiler could put in by itself.
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    target_compile_options(${target} PRIVATE -ffp-contract=off)
  endif()
  # Where the rest is at -O0, for what goes into apps: every byte of a file is damaged there, and every library is hashed.
  if(standard EQUAL 17)
    target_compile_options(${target} PRIVATE ${EDGEPROBE_APP_LEVEL})
  endif()
  if(EDGEPROBE_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${EDGEPROBE_SANITIZE}
      -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_compile_options(${target} PUBLIC $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/undefined_ignored.txt>)
    target_link_options(${target} PUBLIC -fsanitize=${EDGEPROBE_SANITIZE})
    # libFuzzer steers by the coverage of the libraries, not of the target alone.
    if(EDGEPROBE_FUZZ)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endif()
endfunction()

# edgeprobe_unity(TARGET KIND): with EDGEPROBE_UNITY its sources are joined into a few translation units
# (cmake/unity_groups.py), over headers that are compiled once for all targets of that kind ("17", "20" or "test"; "none": over
# none). Most of a cold build is the same headers and templates again and again.
function(edgeprobe_unity target kind)
  if(EDGEPROBE_UNITY)
    get_property(joined GLOBAL PROPERTY edgeprobe_joined)
    if(NOT joined)
      # At the end of the last list, when all sources of all targets are known: one process reads each header once.
      cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL edgeprobe_join_all)
    endif()
    set_property(GLOBAL APPEND PROPERTY edgeprobe_joined ${target})
    set_target_properties(${target} PROPERTIES edgeprobe_kind ${kind})
    edgeprobe_share_headers(${target} ${kind})
  endif()
endfunction()

function(edgeprobe_share_headers target kind)
  # A tenth of g++'s time is the search for memory that it could free.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=500000>)
  if(TARGET edgeprobe_headers_${kind})
    target_precompile_headers(${target} REUSE_FROM edgeprobe_headers_${kind})
  endif()
endfunction()

# edgeprobe_precompile(KIND STANDARD HEADERS...): the headers that units of that kind share. A compiler cache cannot see into
# them, and would compile everything again.
function(edgeprobe_precompile kind standard)
  if(NOT EDGEPROBE_UNITY OR CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/headers_${kind}.cc CONTENT "// CMake precompiles headers for a source.\n")
  add_library(edgeprobe_headers_${kind} OBJECT ${CMAKE_BINARY_DIR}/headers_${kind}.cc)
  edgeprobe_options(edgeprobe_headers_${kind} ${standard})
  target_precompile_headers(edgeprobe_headers_${kind} PRIVATE ${ARGN})
endfunction()

function(edgeprobe_precompile_all)
  set(standard <algorithm> <array> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <map> <memory>
    <mutex> <optional> <set> <sstream> <string> <string_view> <thread> <unordered_map> <variant> <vector>)
  set(EDGEPROBE_STANDARD_HEADERS ${standard} PARENT_SCOPE)
  edgeprobe_precompile(17 17 ${standard})
  if(EDGEPROBE_LIBRARY_ONLY)
    return()
  endif()
  edgeprobe_precompile(20 20 ${standard} <span>)
  # Apart: whatever includes it instantiates its parser for the literals that it defines, 0.4 s a unit.
  edgeprobe_precompile(json 20 ${standard} <span> <nlohmann/json.hpp>)
endfunction()

function(edgeprobe_join_all)
  get_property(targets GLOBAL PROPERTY edgeprobe_joined)
  set(lines)
  foreach(target IN LISTS targets)
    edgeprobe_split_sources(${target})
    get_target_property(folder ${target} BINARY_DIR)
    string(JOIN "," line ${target} ${folder}/${target}_units ${joined})
    string(APPEND lines "${line}\n")
    set(others_of_${target} "${others}")
  endforeach()
  file(WRITE ${CMAKE_BINARY_DIR}/unity_sources.txt "${lines}")
  execute_process(COMMAND ${EDGEPROBE_UNITY_PYTHON} ${CMAKE_SOURCE_DIR}/cmake/unity_groups.py INPUT_FILE ${CMAKE_BINARY_DIR}/unity_sources.txt
    OUTPUT_VARIABLE units OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" units "${units}")
  foreach(line IN LISTS units)
    string(REPLACE "," ";" line "${line}")
    list(POP_FRONT line target)
    edgeprobe_set_units(${target} "${others_of_${target}}" "${line}")
  endforeach()
endfunction()

# edgeprobe_split_sources(TARGET): its sources that may share units in `joined`, all else in `others`.
function(edgeprobe_split_sources target)
  get_target_property(others ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(listed ${others})
  list(FILTER others EXCLUDE REGEX "\\.cc$")
  list(FILTER listed INCLUDE REGEX "\\.cc$")
  set(joined)
  foreach(source IN LISTS listed)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
    # Options of a source's own are for that source.
    get_source_file_property(options ${source} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} TARGET_DIRECTORY ${target} COMPILE_DEFINITIONS)
    if(options)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
    if(options OR definitions)
      list(APPEND others ${source})
    else()
      list(APPEND joined ${source})
    endif()
  endforeach()
  set(others "${others}" PARENT_SCOPE)
  set(joined "${joined}" PARENT_SCOPE)
endfunction()

function(edgeprobe_set_units target others units)
  get_target_property(kind ${target} edgeprobe_kind)
  set(json_units ${units})
  if(kind STREQUAL "20" AND TARGET edgeprobe_headers_json)
    list(FILTER units EXCLUDE REGEX "/json_[0-9]+.cc$")
    list(FILTER json_units INCLUDE REGEX "/json_[0-9]+.cc$")
  else()
    set(json_units)
  endif()
  # Another target of the folder may compile the same sources by themselves.
  set_target_properties(${target} PROPERTIES SOURCES "${others};${units}")
  if(json_units)
    edgeprobe_with_headers_of_json(${target} ${json_units})
  endif()
endfunction()

# A target has one set of precompiled headers: the units over the other one are objects of their own.
function(edgeprobe_with_headers_of_json target)
  add_library(${target}_json OBJECT ${ARGN})
  foreach(property IN ITEMS COMPILE_OPTIONS COMPILE_DEFINITIONS COMPILE_FEATURES INCLUDE_DIRECTORIES LINK_LIBRARIES)
    get_target_property(values ${target} ${property})
    if(values)
      set_target_properties(${target}_json PROPERTIES ${property} "${values}")
    endif()
  endforeach()
  target_precompile_headers(${target}_json REUSE_FROM edgeprobe_headers_json)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_json>)
endfunction()

# Libraries where no inner loop runs over samples, pixels, layers' values or candidates of a search: they call those that have one,
# and put words together. -O1 compiles them in three quarters of the time.
set(EDGEPROBE_WITHOUT_INNER_LOOPS bench bisect check cli contract contract_file dataset engine evidence fix fleet kinds lint matrix measurements
  model pipeline placement_device placement_profile placement_search process processors protocol recipe report report_measured scenario
  document names serve serve_recording stretch transport)

# edgeprobe_library(NAME STANDARD SOURCES ... LIBS ... PRIVATE_LIBS ...): edgeprobe_NAME, alias edgeprobe::NAME.
function(edgeprobe_library name standard)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;PRIVATE_LIBS" ${ARGN})
  add_library(edgeprobe_${name} STATIC ${arg_SOURCES})
  add_library(edgeprobe::${name} ALIAS edgeprobe_${name})
  edgeprobe_options(edgeprobe_${name} ${standard})
  # Tests of other processors and under sanitizers are at -O0 as a whole.
  if(name IN_LIST EDGEPROBE_WITHOUT_INNER_LOOPS AND CMAKE_CXX_FLAGS_RELEASE MATCHES "-O2")
    target_compile_options(edgeprobe_${name} PRIVATE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-O1>)
  endif()
  edgeprobe_unity(edgeprobe_${name} ${standard})
  target_link_libraries(edgeprobe_${name} PUBLIC ${arg_LIBS} PRIVATE ${arg_PRIVATE_LIBS})
endfunction()

# Seconds after which a test counts as hanging. Beside sixteen other programs on two CPUs it takes nine times as long as alone.
set(EDGEPROBE_TEST_PATIENCE 1800)

# edgeprobe_test_tool(NAME SOURCES ... LIBS ...): a program that tests run.
function(edgeprobe_test_tool name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  edgeprobe_options(${name} 20)
  edgeprobe_unity(${name} test)
  target_link_libraries(${name} PRIVATE ${arg_LIBS})
  if(EDGEPROBE_UNITY)
    target_compile_options(${name} PRIVATE ${EDGEPROBE_TEST_OPTIONS})
    # Their headers are in the precompiled ones.
    target_link_libraries(${name} PRIVATE GTest::gtest GTest::gmock)
  endif()
endfunction()

# edgeprobe_test(NAME SOURCES ... LIBS ...): a gtest program, one ctest entry a test case.
function(edgeprobe_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;LABELS" ${ARGN})
  edgeprobe_test_tool(${name} SOURCES ${arg_SOURCES} LIBS ${arg_LIBS})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gmock)
  # Tests that bring their own main (to act as an engine worker) list no gtest_main.
  if(NOT "${arg_LIBS}" MATCHES "test_main")
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
  endif()
  target_link_libraries(${name} PRIVATE edgeprobe::source_dir)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${EDGEPROBE_TEST_PATIENCE} LABELS "unit;${arg_LABELS}")
endfunction()

# edgeprobe_fuzz(NAME SOURCES ... LIBS ...): a libFuzzer program, only with -DEDGEPROBE_FUZZ=ON.
function(edgeprobe_fuzz name)
  if(NOT EDGEPROBE_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  # As a test's source: what steers the fuzzer is the coverage of the libraries.
  edgeprobe_test_tool(${name} SOURCES ${arg_SOURCES} LIBS ${arg_LIBS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endfunction()

# edgeprobe_python_test(NAME SCRIPT ARGS...): a Python program as a test; exit code 77 is a skip that says why.
function(edgeprobe_python_test name script)
  add_test(NAME ${name} COMMAND ${EDGEPROBE_PYTHON} ${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${EDGEPROBE_TEST_PATIENCE} LABELS "python" SKIP_RETURN_CODE 77
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;OMP_NUM_THREADS=1")
endfunction()
