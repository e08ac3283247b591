// SPDX-License-Identifier: Apache-2.0
// What a call must not do in the steady state: allocate.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "support.h"

// At -O1, g++ inlines one of the two operators below and mistakes free() for the wrong partner.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {
thread_local std::size_t allocations = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace edgeprobe::test {
namespace {

TEST(ProbeCost, ATensorAllocatesNothing) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.level = EDGEPROBE_LEVEL_LAYERS;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  const Floats small(EDGEPROBE_STAGE_MODEL_INPUT, "serving_default_input_0",
                     std::vector<float>(12)),
      large(EDGEPROBE_STAGE_LAYER, "conv", std::vector<float>(40'000));
  std::size_t begins = 0, tensors = 0, ends = 0;
  for (int i = 0; i < 400; ++i) {
    edgeprobe_frame* frame = nullptr;
    allocations = 0;
    edgeprobe_frame_begin(probe, &frame);
    begins += i >= 20 ? allocations : 0;
    allocations = 0;
    edgeprobe_log_tensor(frame, small);
    edgeprobe_log_tensor(frame, large);
    edgeprobe_log_scalar(frame, "lux", i);
    tensors += i >= 20 ? allocations : 0;
    allocations = 0;
    edgeprobe_frame_end(frame);
    ends += i >= 20 ? allocations : 0;
    // the queue has room for these frames: it neither grows nor drops any
    if (i % 4 == 0) edgeprobe_flush(probe);
  }
  edgeprobe_close(probe, nullptr);
  EXPECT_EQ(begins, 0u);
  EXPECT_EQ(tensors, 0u);
  EXPECT_LE(ends, 380u);  // for the text of its record
}

}  // namespace
}  // namespace edgeprobe::test
