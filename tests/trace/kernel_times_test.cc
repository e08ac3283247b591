// SPDX-License-Identifier: Apache-2.0
#include "trace/kernel_times.h"

#include <gtest/gtest.h>

#include "trace/channel_text.h"

namespace edgeprobe::trace {
namespace {

std::vector<TimedKernel> some_kernels() {
  return {{"", "Delegate", {0, 1, 2}, {"CONV_2D", "RELU", "CONV_2D"}, "", false},
          {"conv \"0\"", "Convolution (NHWC, F32)", {0}, {"CONV_2D"}, "f32", true},
          {"reorder", "Reorder", {}, {}, "bf16", false}};
}

TEST(KernelTimes, SurviveTheTextOfAChannel) {
  const Channel written = kernel_times_channel(some_kernels(), "kernels");
  const auto read = channel_from(topic_of(written), metadata_of(written));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->stage, Stage::kKernelTime);
  EXPECT_EQ(read->spec.dtype, DType::kInt64);
  EXPECT_EQ(read->spec.shape, (Shape{3}));
  const auto kernels = timed_kernels(*read);
  ASSERT_TRUE(kernels) << kernels.error().what;
  EXPECT_EQ(*kernels, some_kernels());
  EXPECT_FALSE(of_model(Stage::kKernelTime));
}

TEST(KernelTimes, ListsThatDoNotFitAreRefused) {
  const Channel good = kernel_times_channel(some_kernels(), "kernels");
  const auto refused = [&](const std::string& list) {
    Channel channel = good;
    channel.extra["kernels"] = list;
    const auto kernels = timed_kernels(channel);
    return !kernels && kernels.error().kind == ErrorKind::kCorrupt;
  };
  EXPECT_TRUE(refused(""));
  EXPECT_TRUE(refused("{}"));
  EXPECT_TRUE(refused("[]")) << "three values, no kernel";
  EXPECT_TRUE(refused(R"([{"type":"a"},{"type":"b"},3])"));
  EXPECT_TRUE(refused(R"([{"type":"a"},{"type":7},{"type":"c"}])"));
  EXPECT_TRUE(refused(R"([{"type":"a"},{"type":"b","layers":["x"]},{"type":"c"}])"));
  EXPECT_TRUE(
      refused(R"([{"type":"a"},{"type":"b","layers":[1],"types":["x","y"]},{"type":"c"}])"));
  Channel other = good;
  other.spec.dtype = DType::kFloat32;
  EXPECT_FALSE(timed_kernels(other));
  other = good;
  other.extra.clear();
  EXPECT_FALSE(timed_kernels(other));
}

}  // namespace
}  // namespace edgeprobe::trace
