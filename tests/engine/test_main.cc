// The main() of tests that open engines: the engine process is the test program itself.
#include <gtest/gtest.h>

#include "engine/engine.h"

int main(int argc, char** argv) {
  if (const auto worker = edgeprobe::engine::run_worker_if_asked(argc, argv)) return *worker;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
