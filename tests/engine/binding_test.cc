// SPDX-License-Identifier: Apache-2.0
// Session::bind() of every engine that is at hand: the same outputs as infer(), in the places
// alone.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "../model/proto_writer.h"
#include "fixtures.h"
#include "places.h"

namespace edgeprobe::engine::testing {
namespace {

namespace proto = edgeprobe::model::testing;
using ::testing::HasSubstr;

struct Case {
  const char* engine;
  const char* model;     ///< "": SmallOnnx, y = Relu(x + {1, 2}).
  bool in_place = true;  ///< Nothing is copied.
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.engine << " " << (*one.model ? one.model : "small");
}

class Bindings : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    EDGEPROBE_NEED_ENGINE(GetParam().engine);
    if (*GetParam().model) EDGEPROBE_NEED_MODEL(GetParam().model);
    auto engine = open_in_process({GetParam().engine, {}});
    if (!engine) GTEST_SKIP() << engine.error().what;
    engine_ = *std::move(engine);
    session_ = load();
    ASSERT_TRUE(session_);
  }

  std::unique_ptr<Session> load(const SessionOptions& options = {}) {
    const std::string small = proto::SmallOnnx().bytes();
    model_ = *GetParam().model ? model_bytes(GetParam().model) : view_of(small).copy();
    auto session = engine_->load(model_, GetParam().model, options);
    EXPECT_TRUE(session) << session.error().what;
    return session ? *std::move(session) : nullptr;
  }

  /// Runs the binding and infer() of another session over the same inputs.
  void expect_same(Binding& binding, const Places& places, Session& reference, unsigned seed) {
    const auto inputs = seeded_inputs(reference, seed);
    places.fill(inputs);
    const auto expected = reference.infer(views(inputs));
    ASSERT_TRUE(expected) << expected.error().what;
    const Status ran = binding.run();
    ASSERT_TRUE(ran) << ran.error().what;
    for (std::size_t i = 0; i < places.outputs.size(); ++i) {
      const Bytes& bytes = expected->outputs[i].bytes;
      ASSERT_EQ(places.outputs[i].size, bytes.size());
      EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), places.outputs[i].data))
          << "output " << i << " with seed " << seed;
    }
    for (std::size_t i = 0; i < places.inputs.size(); ++i)
      EXPECT_TRUE(std::equal(inputs[i].bytes.begin(), inputs[i].bytes.end(), places.inputs[i].data))
          << "input " << i << " was written";
    EXPECT_TRUE(places.guards_hold()) << "with seed " << seed;
  }

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Session> session_;
  Bytes model_;
};

TEST_P(Bindings, ComputeWhatInferDoesInTheirPlacesAlone) {
  const auto reference = load();
  // Open shapes are known after one inference.
  ASSERT_TRUE(session_->infer(views(seeded_inputs(*session_))));
  Places places(session_->inputs(), session_->outputs());
  auto binding = session_->bind(places.inputs, places.outputs);
  ASSERT_TRUE(binding) << binding.error().what;
  for (unsigned seed = 1; seed <= 5; ++seed) expect_same(**binding, places, *reference, seed);
  EXPECT_EQ((*binding)->copied() == 0, GetParam().in_place);
}

TEST_P(Bindings, LeaveTheSessionAsItWas) {
  const auto reference = load();
  const auto inputs = seeded_inputs(*session_, 3);
  const auto before = session_->infer(views(inputs));
  ASSERT_TRUE(before) << before.error().what;
  {
    Places places(session_->inputs(), session_->outputs());
    auto binding = session_->bind(places.inputs, places.outputs);
    ASSERT_TRUE(binding) << binding.error().what;
    expect_same(**binding, places, *reference, 4);
  }
  // The places no longer exist.
  const auto after = session_->infer(views(inputs));
  ASSERT_TRUE(after) << after.error().what;
  for (std::size_t i = 0; i < after->outputs.size(); ++i)
    EXPECT_EQ(after->outputs[i].bytes, before->outputs[i].bytes);
  Places others(session_->inputs(), session_->outputs());
  auto again = session_->bind(others.inputs, others.outputs);
  ASSERT_TRUE(again) << again.error().what;
  expect_same(**again, others, *reference, 5);
}

TEST_P(Bindings, RefusePlacesThatDoNotFit) {
  ASSERT_TRUE(session_->infer(views(seeded_inputs(*session_))));
  const Places places(session_->inputs(), session_->outputs());
  for (const bool output : {false, true}) {
    auto inputs = places.inputs;
    auto outputs = places.outputs;
    auto& side = output ? outputs : inputs;
    side.back().size -= 1;
    const auto small = session_->bind(inputs, outputs);
    ASSERT_FALSE(small);
    EXPECT_EQ(small.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(small.error().what, HasSubstr("does not fit a place of"));
    side.pop_back();
    const auto fewer = session_->bind(inputs, outputs);
    ASSERT_FALSE(fewer);
    EXPECT_EQ(fewer.error().kind, ErrorKind::kUsage);
  }
}

TEST_P(Bindings, OfProfiledSessionsComputeTheSame) {
  SessionOptions options;
  options.profile = true;
  const auto profiled = load(options);
  ASSERT_TRUE(profiled);
  ASSERT_TRUE(profiled->infer(views(seeded_inputs(*profiled))));
  ASSERT_TRUE(session_->infer(views(seeded_inputs(*session_))));
  Places places(profiled->inputs(), profiled->outputs());
  auto binding = profiled->bind(places.inputs, places.outputs);
  ASSERT_TRUE(binding) << binding.error().what;
  const auto reference = load(options);
  for (unsigned seed = 1; seed <= 2; ++seed) expect_same(**binding, places, *reference, seed);
}

TEST_P(Bindings, ReadNothingBehindAPlaceAtTheEndOfItsMapping) {
  const TensorSpec& input = session_->inputs().front();
  const std::size_t size = input.byte_size().value();
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t pages = (size + page - 1) / page * page;
  // Only a size that is a multiple of a line lets the place begin at one.
  if (size % kLine != 0) GTEST_SKIP() << "the input has " << size << " bytes";
  ASSERT_TRUE(session_->infer(views(seeded_inputs(*session_))));
  auto* const mapped = static_cast<std::byte*>(
      ::mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(mapped, MAP_FAILED);
  ASSERT_EQ(::mprotect(mapped + pages, page, PROT_NONE), 0);
  {
    Places places(session_->inputs(), session_->outputs());
    places.inputs.front().data = mapped + pages - size;
    auto binding = session_->bind(places.inputs, places.outputs);
    ASSERT_TRUE(binding) << binding.error().what;
    const auto inputs = seeded_inputs(*session_, 6);
    places.fill(inputs);
    const auto expected = load()->infer(views(inputs));
    ASSERT_TRUE(expected) << expected.error().what;
    const Status ran = (*binding)->run();
    ASSERT_TRUE(ran) << ran.error().what;
    const Bytes& bytes = expected->outputs.front().bytes;
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), places.outputs.front().data));
  }
  ::munmap(mapped, pages + page);
}

INSTANTIATE_TEST_SUITE_P(
    OnnxRuntime, Bindings,
    ::testing::Values(Case{"onnxruntime", ""}, Case{"onnxruntime", "onnx/mnist.onnx"},
                      Case{"onnxruntime", "onnx_light/light_squeezenet.onnx"},
                      Case{"onnxruntime",
                           "ultraface/version-RFB-320_without_postprocessing.onnx"}));
/// The last model computes the shapes of its outputs; the one before contains a custom operator.
constexpr const char* kLite[] = {"litert_testdata/add.bin",
                                 "litert_testdata/multi_add.bin",
                                 "coral/mobilenet_v1_0.25_128_quant.tflite",
                                 "mlperf_tiny/pretrainedResnet.tflite",
                                 "tflite_support/yamnet_audio_classifier_with_metadata.tflite",
                                 "tflite_support/coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite",
                                 "ultraface/version-RFB-320_without_postprocessing.tflite"};
std::vector<Case> lite_cases(const char* engine) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < std::size(kLite); ++i)
    cases.push_back({engine, kLite[i], i + 2 < std::size(kLite)});
  return cases;
}
INSTANTIATE_TEST_SUITE_P(LiteRt, Bindings, ::testing::ValuesIn(lite_cases("litert")));
INSTANTIATE_TEST_SUITE_P(Tflite, Bindings, ::testing::ValuesIn(lite_cases("tflite")));
INSTANTIATE_TEST_SUITE_P(OpenVino, Bindings,
                         ::testing::Values(Case{"openvino", ""},
                                           Case{"openvino", "onnx/mnist.onnx"},
                                           Case{"openvino", "litert_testdata/multi_add.bin"},
                                           Case{"openvino", "mlperf_tiny/vww_96_int8.tflite"}));

/// Models whose output fits their input.
using Chains = Bindings;

TEST_P(Chains, HandAnOutputOnInItsPlace) {
  const auto second = load();
  const auto reference = load();
  Places places(session_->inputs(), session_->outputs());
  Places behind(second->inputs(), second->outputs());
  auto first = session_->bind(places.inputs, places.outputs);
  auto next = second->bind(places.outputs, behind.outputs);
  ASSERT_TRUE(first) << first.error().what;
  ASSERT_TRUE(next) << next.error().what;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const auto inputs = seeded_inputs(*reference, seed);
    auto between = reference->infer(views(inputs));
    ASSERT_TRUE(between) << between.error().what;
    between->outputs[0].spec = reference->inputs()[0];
    const auto expected = reference->infer(views(between->outputs));
    ASSERT_TRUE(expected) << expected.error().what;
    places.fill(inputs);
    ASSERT_TRUE((*first)->run());
    ASSERT_TRUE((*next)->run());
    const Bytes& bytes = expected->outputs[0].bytes;
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), behind.outputs[0].data)) << seed;
    EXPECT_TRUE(places.guards_hold());
    EXPECT_TRUE(behind.guards_hold());
  }
}

TEST_P(Chains, ComputeOverTheirOwnInputByCopies) {
  const auto reference = load();
  Places places(session_->inputs(), session_->outputs());
  auto binding = session_->bind(places.inputs, places.inputs);
  ASSERT_TRUE(binding) << binding.error().what;
  EXPECT_GT((*binding)->copied(), 0u);
  const auto inputs = seeded_inputs(*reference);
  const auto expected = reference->infer(views(inputs));
  ASSERT_TRUE(expected) << expected.error().what;
  places.fill(inputs);
  ASSERT_TRUE((*binding)->run());
  const Bytes& bytes = expected->outputs[0].bytes;
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), places.inputs[0].data));
}

INSTANTIATE_TEST_SUITE_P(Engines, Chains,
                         ::testing::Values(Case{"onnxruntime", ""},
                                           Case{"litert", "litert_testdata/add.bin"},
                                           Case{"tflite", "litert_testdata/add.bin"},
                                           Case{"openvino", ""}));

Result<std::unique_ptr<Session>> load_onnx(const char* kind, const proto::SmallOnnx& model,
                                           const SessionOptions& options = {}) {
  auto engine = open_in_process({kind, {}});
  if (!engine) return engine.error();
  const std::string bytes = model.bytes();
  return (*engine)->load(view_of(bytes), "small", options);
}

TEST(OnnxRuntimeBindings, TellThatAnOutputHasAnotherShapeThanItsPlace) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  proto::SmallOnnx model;
  model.x = proto::field(1, "x") + proto::field(2, proto::field(1, proto::number(1, 1)));
  model.y = proto::field(1, "y") + proto::field(2, proto::field(1, proto::number(1, 1)));
  SessionOptions options;
  options.input_shapes["x"] = {2};
  auto session = load_onnx("onnxruntime", model, options);
  ASSERT_TRUE(session) << session.error().what;
  // A shape that is not declared is reported as that of a scalar.
  ASSERT_EQ((*session)->outputs()[0].byte_size(), 4u);
  Places places((*session)->inputs(), (*session)->outputs());
  auto binding = (*session)->bind(places.inputs, places.outputs);
  ASSERT_TRUE(binding) << binding.error().what;
  const Status ran = (*binding)->run();
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().kind, ErrorKind::kTarget);
  EXPECT_THAT(ran.error().what, HasSubstr("onnxruntime failed while running the model"));
  EXPECT_TRUE(places.guards_hold());
}

class OnnxBindings : public ::testing::TestWithParam<const char*> {};

TEST_P(OnnxBindings, WriteOutputsThatNoOperatorMakesInARun) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  const auto output = [](const char* name) { return proto::field(12, proto::value(name, 1, {2})); };
  const std::string copy = proto::field(1, proto::node("Identity", {"x"}, {"copy"}));
  const std::string folded = proto::field(1, proto::node("Neg", {"w"}, {"folded"}));
  const std::string twice = proto::field(1, proto::node("Identity", {"y"}, {"twice"}));
  for (const std::string& more :
       {output("x"), output("w"), copy + output("copy"), folded + output("folded"), output("sum"),
        twice + output("twice")}) {
    proto::SmallOnnx model;
    model.in_graph = more;
    auto session = load_onnx(GetParam(), model);
    ASSERT_TRUE(session) << session.error().what;
    const auto inputs = seeded_inputs(**session);
    const auto expected = (*session)->infer(views(inputs));
    ASSERT_TRUE(expected) << expected.error().what;
    Places places((*session)->inputs(), (*session)->outputs());
    ASSERT_EQ(places.outputs.size(), 2u);
    auto binding = (*session)->bind(places.inputs, places.outputs);
    ASSERT_TRUE(binding) << binding.error().what;
    places.fill(inputs);
    for (int round = 0; round < 2; ++round) {
      for (const Place& place : places.outputs) std::fill_n(place.data, place.size, kGuard);
      ASSERT_TRUE((*binding)->run());
      for (std::size_t i = 0; i < 2; ++i) {
        const Tensor& value = expected->outputs[i];
        EXPECT_TRUE(std::equal(value.bytes.begin(), value.bytes.end(), places.outputs[i].data))
            << value.spec.name;
      }
    }
    EXPECT_TRUE(places.guards_hold());
  }
}

TEST_P(OnnxBindings, TellThatAnOutputDoesNotFitItsPlace) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  proto::SmallOnnx model;  // w is 0, so that y = Relu(x).
  model.w = proto::tensor("w", 1, {2}, proto::field(9, std::string_view("\0\0\0\0\0\0\0\0", 8)));
  model.in_graph = proto::field(1, proto::node("NonZero", {"y"}, {"where"})) +
                   proto::field(12, proto::value("where", 7, {1, -1}));
  auto session = load_onnx(GetParam(), model);
  ASSERT_TRUE(session) << session.error().what;
  const auto input = [&](float first, float second) {
    Tensor made = make_tensor("x", {2}, {first, second});
    made.spec = (*session)->inputs()[0];
    return made;
  };
  ASSERT_TRUE((*session)->infer({input(0, 1)}));
  Places places((*session)->inputs(), (*session)->outputs());
  ASSERT_EQ(places.outputs[1].size, 8u);
  auto binding = (*session)->bind(places.inputs, places.outputs);
  ASSERT_TRUE(binding) << binding.error().what;
  for (const Tensor& refused : {input(1, 1), input(0, 0)}) {
    places.fill({input(0, 1)});
    const Status fits = (*binding)->run();
    EXPECT_TRUE(fits) << fits.error().what;
    std::int64_t index = 0;
    std::memcpy(&index, places.outputs[1].data, sizeof index);
    EXPECT_EQ(index, 1);
    places.fill({refused});
    const Status ran = (*binding)->run();
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().kind, ErrorKind::kTarget);
    EXPECT_TRUE(places.guards_hold());
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, OnnxBindings, ::testing::Values("onnxruntime", "openvino"));

}  // namespace
}  // namespace edgeprobe::engine::testing
