// SPDX-License-Identifier: Apache-2.0
// The main() of tests that open engines: the engine process is the test program itself.
#include <gtest/gtest.h>

#include "engine/engine.h"

#if defined(__SANITIZE_ADDRESS__)
// Memory that the runtimes never free is not a leak of ours.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libLiteRt.so\nleak:libjnitensorflowlite.so\nleak:libtensorflowlite_c.so\n";
}
#endif

int main(int argc, char** argv) {
  if (const auto worker = edgeprobe::engine::run_worker_if_asked(argc, argv)) return *worker;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
