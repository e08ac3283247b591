// SPDX-License-Identifier: Apache-2.0
// What sessions of a plug-in's library promise to callers inside the program: bindings, and whether
// they keep a state. native_test.py checks the rest through the program.
#include <gmock/gmock.h>

#include "../../engine/fixtures.h"
#include "../../engine/places.h"

namespace edgeprobe::engine::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<std::unique_ptr<Session>> load(const std::string& options, const SessionOptions& with = {}) {
  EP_TRY(const auto engine, open_in_process({"native", std::string(AFFINE "?") + options}));
  return engine->load(view_of("4"), "m.aff", with);
}

std::vector<Tensor> inputs_of(Session& session) {
  std::vector<Tensor> inputs = seeded_inputs(session);
  inputs[0] = make_tensor("x", {1, 4}, {0, 1, 2, -4});
  return inputs;
}

/// The first output in its place.
std::vector<float> scaled(const Places& places) {
  std::vector<float> values(4);
  std::memcpy(values.data(), places.outputs[0].data, 16);
  return values;
}

TEST(NativeBinding, ComputesInItsPlaces) {
  auto session = load("outputs=2&factor=3");
  ASSERT_TRUE(session) << session.error().what;
  Places places((*session)->inputs(), (*session)->outputs());
  auto binding = (*session)->bind(places.inputs, places.outputs);
  ASSERT_TRUE(binding) << binding.error().what;
  EXPECT_EQ((*binding)->copied(), 0u);
  for (int run = 0; run < 2; ++run) {
    places.fill(inputs_of(**session));
    const Status ran = (*binding)->run();
    ASSERT_TRUE(ran) << ran.error().what;
    EXPECT_THAT(scaled(places), ElementsAre(0.f, 3.f, 6.f, -12.f));
    EXPECT_TRUE(places.guards_hold());
  }
}

TEST(NativeBinding, CopiesIfTheLibraryDeclinesOrDecidesShapes) {
  for (const char* const options : {"outputs=2&fault=no bind", "outputs=3"}) {
    auto session = load(options);
    ASSERT_TRUE(session) << session.error().what;
    const auto inputs = inputs_of(**session);
    ASSERT_TRUE((*session)->infer(views(inputs)));  // Shapes are known after a run.
    // The library's third output grows with each run.
    if ((*session)->outputs().size() > 2) {
      EXPECT_EQ((*session)->outputs()[2].shape, (Shape{1}));
      continue;
    }
    Places places((*session)->inputs(), (*session)->outputs());
    auto binding = (*session)->bind(places.inputs, places.outputs);
    ASSERT_TRUE(binding) << binding.error().what;
    EXPECT_GT((*binding)->copied(), 0u);
    places.fill(inputs);
    ASSERT_TRUE((*binding)->run());
    EXPECT_THAT(scaled(places), ElementsAre(0.f, 2.f, 4.f, -8.f));
  }
}

TEST(NativeBinding, ReportsALibraryThatLeavesItsPlaces) {
  auto session = load("outputs=2&fault=other memory");
  ASSERT_TRUE(session) << session.error().what;
  Places places((*session)->inputs(), (*session)->outputs());
  places.fill(inputs_of(**session));
  auto binding = (*session)->bind(places.inputs, places.outputs);
  ASSERT_TRUE(binding) << binding.error().what;
  const Status ran = (*binding)->run();
  ASSERT_FALSE(ran);
  EXPECT_THAT(ran.error().what, HasSubstr("affine-c changed the memory of output 0"));
}

TEST(NativeSession, SaysWhetherItKeepsAState) {
  for (const auto& [stateful, memory] :
       {std::pair{"0", Memory::kUnknown}, {"1", Memory::kState}, {"-1", Memory::kNone}}) {
    const auto session = load(std::string("stateful=") + stateful);
    ASSERT_TRUE(session) << session.error().what;
    EXPECT_EQ((*session)->remembers(), memory);
  }
}

TEST(NativeSession, HasTimesOfItsKernels) {
  SessionOptions options;
  options.profile = true;
  auto session = load("", options);
  ASSERT_TRUE(session) << session.error().what;
  const auto result = (*session)->infer(views(inputs_of(**session)));
  ASSERT_TRUE(result) << result.error().what;
  ASSERT_EQ(result->op_times.size(), 2u);
  const OpTime& first = result->op_times[0];
  EXPECT_EQ(first.name, "square and scale");
  EXPECT_EQ(first.type, "FusedMultiply");
  EXPECT_EQ(first.precision, "f32");
  EXPECT_THAT(first.layers, ElementsAre(0));
  EXPECT_EQ(first.time.count(), 5000);
  EXPECT_EQ(result->op_times[1].name, "");
  EXPECT_EQ(result->op_times[1].time.count(), 2000);
}

}  // namespace
}  // namespace edgeprobe::engine::testing
