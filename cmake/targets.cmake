# The few functions that every folder's CMakeLists.txt calls.

# edgeprobe_options(TARGET STANDARD): warnings, sanitizers, include path.
function(edgeprobe_options target standard)
  target_compile_features(${target} PUBLIC cxx_std_${standard})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>)
  # g++ 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>
    $<$<BOOL:${EDGEPROBE_WERROR}>:-Werror>)
  # The same sums on every processor: plain x86-64 has no fused multiplication that a compiler could put in by itself.
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    target_compile_options(${target} PRIVATE -ffp-contract=off)
  endif()
  if(EDGEPROBE_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${EDGEPROBE_SANITIZE}
      -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${EDGEPROBE_SANITIZE})
    # libFuzzer steers by the coverage of the libraries, not of the target alone.
    if(EDGEPROBE_FUZZ)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endif()
endfunction()

# edgeprobe_library(NAME STANDARD SOURCES ... LIBS ... PRIVATE_LIBS ...): edgeprobe_NAME, alias edgeprobe::NAME.
function(edgeprobe_library name standard)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;PRIVATE_LIBS" ${ARGN})
  add_library(edgeprobe_${name} STATIC ${arg_SOURCES})
  add_library(edgeprobe::${name} ALIAS edgeprobe_${name})
  edgeprobe_options(edgeprobe_${name} ${standard})
  target_link_libraries(edgeprobe_${name} PUBLIC ${arg_LIBS} PRIVATE ${arg_PRIVATE_LIBS})
endfunction()

# edgeprobe_test(NAME SOURCES ... LIBS ...): a gtest program, one ctest entry a test case.
function(edgeprobe_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  edgeprobe_options(${name} 20)
  # Tests that bring their own main (to act as an engine worker) list no gtest_main.
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gtest GTest::gmock)
  if(NOT "${arg_LIBS}" MATCHES "test_main")
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
  endif()
  target_compile_definitions(${name} PRIVATE EDGEPROBE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS "unit;${arg_LABELS}")
endfunction()

# edgeprobe_fuzz(NAME SOURCES ... LIBS ...): a libFuzzer program, only with -DEDGEPROBE_FUZZ=ON.
function(edgeprobe_fuzz name)
  if(NOT EDGEPROBE_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  edgeprobe_options(${name} 20)
  target_link_libraries(${name} PRIVATE ${arg_LIBS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endfunction()

# edgeprobe_python_test(NAME SCRIPT ARGS...): a Python program as a test; exit code 77 is a skip that says why.
function(edgeprobe_python_test name script)
  add_test(NAME ${name} COMMAND ${EDGEPROBE_PYTHON} ${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "python" SKIP_RETURN_CODE 77
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;OMP_NUM_THREADS=1")
endfunction()
