// SPDX-License-Identifier: Apache-2.0
// Real models on the real runtimes. That the numbers are right is checked against the Python
// interpreter in conformance.py; here it is what a session promises besides.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fixtures.h"
#include "source_dir.h"

namespace edgeprobe::engine::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kMobileNet = "coral/mobilenet_v2_1.0_224_quant.tflite";
constexpr const char* kSmall = "coral/mobilenet_v1_0.25_128_quant.tflite";
constexpr const char* kOpenBatch = "mlperf_tiny/vww_96_float.tflite";

Result<std::unique_ptr<Session>> load(const char* kind, const char* model,
                                      const SessionOptions& options, bool supervised = false) {
  const EngineChoice choice{kind, {}};
  auto engine = supervised ? open_supervised(choice) : open_in_process(choice);
  if (!engine) return engine.error();
  return (*engine)->load(model_bytes(model), model, options);
}

std::vector<Bytes> run(Session& session, const std::vector<Tensor>& inputs) {
  auto result = session.infer(views(inputs));
  EXPECT_TRUE(result) << result.error().what;
  std::vector<Bytes> outputs;
  if (result)
    for (Tensor& output : result->outputs) outputs.push_back(std::move(output.bytes));
  return outputs;
}

class EachEngine : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, EachEngine, ::testing::Values("litert", "tflite"),
                         [](const auto& engine) { return std::string(engine.param); });

TEST_P(EachEngine, TellsItsInputsAndOutputs) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  EDGEPROBE_NEED_MODEL(kSmall);
  auto session = load(GetParam(), kSmall, {});
  ASSERT_TRUE(session) << session.error().what;
  const TensorSpec& input = (*session)->inputs().at(0);
  EXPECT_EQ(input.name, "input");
  EXPECT_EQ(input.dtype, DType::kUInt8);
  EXPECT_EQ(input.shape, (Shape{1, 128, 128, 3}));
  EXPECT_EQ(input.quantization.scale, std::vector<float>{0.0078125f});
  EXPECT_EQ(input.quantization.zero_point_at(0), 128);
  const TensorSpec& output = (*session)->outputs().at(0);
  EXPECT_EQ(output.name, "MobilenetV1/Predictions/Reshape_1");
  EXPECT_EQ(output.shape, (Shape{1, 1001}));
  EXPECT_EQ(output.quantization.scale, std::vector<float>{0.00390625f});
}

TEST_P(EachEngine, ComputesTheSameInAProcessOfItsOwn) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  EDGEPROBE_NEED_MODEL(kSmall);
  auto here = load(GetParam(), kSmall, {}, false);
  auto there = load(GetParam(), kSmall, {}, true);
  ASSERT_TRUE(here && there);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const auto inputs = seeded_inputs(**here, seed);
    EXPECT_EQ(run(**here, inputs), run(**there, inputs));
  }
}

TEST_P(EachEngine, ComputesTheSameWithTwoThreads) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  EDGEPROBE_NEED_MODEL(kSmall);
  SessionOptions two;
  two.threads = 2;
  auto one_thread = load(GetParam(), kSmall, {});
  auto two_threads = load(GetParam(), kSmall, two);
  ASSERT_TRUE(one_thread && two_threads);
  const auto inputs = seeded_inputs(**one_thread);
  EXPECT_EQ(run(**one_thread, inputs), run(**two_threads, inputs));
}

TEST_P(EachEngine, ResizesOpenDimensions) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  EDGEPROBE_NEED_MODEL(kOpenBatch);
  for (const Kernels kernels : {Kernels::kXnnpack, Kernels::kBuiltin}) {
    SessionOptions options;
    options.own = TfliteOptions{kernels};
    auto single = load(GetParam(), kOpenBatch, options);
    options.input_shapes["input_1"] = {3, 96, 96, 3};
    auto triple = load(GetParam(), kOpenBatch, options, true);
    ASSERT_TRUE(single) << single.error().what;
    ASSERT_TRUE(triple) << triple.error().what;
    EXPECT_EQ((*triple)->inputs()[0].shape, (Shape{3, 96, 96, 3}));
    EXPECT_EQ((*triple)->outputs()[0].shape, (Shape{3, 2}));

    const auto batch = seeded_inputs(**triple);
    const auto together = run(**triple, batch);
    ASSERT_EQ(together.at(0).size(), 24u);
    for (std::size_t i = 0; i < 3; ++i) {
      auto one = seeded_inputs(**single);
      const std::size_t size = one[0].bytes.size();
      one[0].bytes.assign(batch[0].bytes.data() + i * size, batch[0].bytes.data() + (i + 1) * size);
      const auto alone = run(**single, one);
      float expected[2];
      float got[2];
      std::memcpy(expected, alone.at(0).data(), 8);
      std::memcpy(got, together.at(0).data() + i * 8, 8);
      EXPECT_NEAR(got[0], expected[0], 1e-5);
      EXPECT_NEAR(got[1], expected[1], 1e-5);
    }
  }
}

TEST_P(EachEngine, RefusesShapesThatCannotBe) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  EDGEPROBE_NEED_MODEL(kOpenBatch);
  const auto refusal = [](const std::string& input, const Shape& shape) {
    SessionOptions options;
    options.input_shapes[input] = shape;
    auto session = load(GetParam(), kOpenBatch, options, true);
    EXPECT_FALSE(session) << to_text(shape);
    return session ? Error{} : session.error();
  };
  const Error large = refusal("input_1", {1, 1'000'000, 1'000'000, 3});
  EXPECT_EQ(large.kind, ErrorKind::kLimit);
  EXPECT_THAT(large.what, HasSubstr("1x1000000x1000000x3 would exceed the limit"));
  EXPECT_EQ(refusal("input_1", {0, 96, 96, 3}).kind, ErrorKind::kUsage);
  EXPECT_EQ(refusal("input_1", {-1, 96, 96, 3}).kind, ErrorKind::kUsage);
  EXPECT_EQ(refusal("input_1", {1LL << 40, 1LL << 40, 2, 2}).kind, ErrorKind::kLimit);
  EXPECT_THAT(refusal("image", {1, 96, 96, 3}).what,
              AllOf(HasSubstr("'image'"), HasSubstr("its inputs are 'input_1'")));
  // The engine refuses another rank or number of channels.
  EXPECT_EQ(refusal("input_1", {1, 96, 96, 4}).kind, ErrorKind::kUnsupported);
  std::cout << "example: " << refusal("input_1", {1, 96, 96, 4}).what << "\n";
}

TEST_P(EachEngine, RefusesInputsThatDoNotFit) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  EDGEPROBE_NEED_MODEL(kSmall);
  auto session = load(GetParam(), kSmall, {}, true);
  ASSERT_TRUE(session);
  auto inputs = seeded_inputs(**session);
  const auto refusal = [&] {
    auto result = (*session)->infer(views(inputs));
    EXPECT_FALSE(result);
    return result ? Error{} : result.error();
  };
  inputs[0].bytes.pop_back();
  EXPECT_THAT(refusal().what, HasSubstr("'input' must have 49152 bytes, 49151 were given"));
  inputs = seeded_inputs(**session);
  inputs[0].spec.dtype = DType::kInt8;
  EXPECT_THAT(refusal().what, HasSubstr("must be uint8 1x128x128x3, int8 1x128x128x3 was given"));
  inputs.clear();
  EXPECT_THAT(refusal().what, HasSubstr("takes 1 inputs, 0 were given"));
  EXPECT_EQ(refusal().kind, ErrorKind::kUsage);
}

TEST_P(EachEngine, RefusesDamagedModels) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  EDGEPROBE_NEED_MODEL("invalid/truncated_half.tflite");
  for (const char* const model : {"invalid/truncated_half.tflite", "invalid/bad_identifier.tflite",
                                  "invalid/invalid_model.bin", "invalid/truncated.onnx"}) {
    auto session = load(GetParam(), model, {}, true);
    ASSERT_FALSE(session) << model;
    EXPECT_EQ(session.error().kind, ErrorKind::kCorrupt) << session.error().what;
    EXPECT_THAT(session.error().what, HasSubstr(model));
  }
  auto engine = open_supervised({GetParam(), {}});
  ASSERT_TRUE(engine);
  auto empty = (*engine)->load({}, "empty.tflite", {});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().kind, ErrorKind::kCorrupt) << empty.error().what;
}

TEST_P(EachEngine, GivesItsOwnReasonForOperatorsThatItLacks) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  EDGEPROBE_NEED_MODEL("invalid/model_invoking_error.tflite");
  for (const Kernels kernels : {Kernels::kXnnpack, Kernels::kBuiltin}) {
    SessionOptions options;
    options.own = TfliteOptions{kernels};
    auto session = load(GetParam(), "invalid/model_invoking_error.tflite", options, true);
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().kind, ErrorKind::kUnsupported);
    EXPECT_THAT(session.error().what, HasSubstr("unresolved custom op: fake-op-double"));
  }
}

TEST_P(EachEngine, TimesEachOperator) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  EDGEPROBE_NEED_MODEL(kMobileNet);
  SessionOptions options;
  options.profile = true;
  options.own = TfliteOptions{Kernels::kBuiltin};
  auto builtin = load(GetParam(), kMobileNet, options, true);
  options.own = TfliteOptions{Kernels::kXnnpack};
  auto xnnpack = load(GetParam(), kMobileNet, options, true);
  ASSERT_TRUE(builtin && xnnpack);
  const auto inputs = seeded_inputs(**builtin);
  ASSERT_TRUE((*builtin)->infer(views(inputs)));
  auto plain = (*builtin)->infer(views(inputs));
  auto delegated = (*xnnpack)->infer(views(inputs));
  ASSERT_TRUE(plain && delegated);

  const auto sum = [](const std::vector<OpTime>& times, bool inner) {
    std::chrono::nanoseconds total{0};
    for (const OpTime& time : times)
      if (time.inner == inner) total += time.time;
    return total;
  };
  std::set<int> ops;
  for (const OpTime& time : plain->op_times) ops.insert(time.layers.begin(), time.layers.end());
  EXPECT_EQ(ops.size(), 66u) << "every operator of the graph once";
  EXPECT_EQ(*ops.begin(), 0);
  EXPECT_EQ(*ops.rbegin(), 65);
  EXPECT_LE(sum(plain->op_times, false), plain->latency);
  // Their share of the latency depends on the other programs on the machine.
  EXPECT_GT(sum(plain->op_times, false).count(), 0);
  EXPECT_GT(sum(delegated->op_times, true).count(), 0) << "operators inside XNNPACK";
  const auto outer =
      std::find_if(delegated->op_times.begin(), delegated->op_times.end(),
                   [](const OpTime& time) { return time.type == "delegate xnnpack"; });
  ASSERT_NE(outer, delegated->op_times.end());
  EXPECT_EQ(outer->layers.size(), 64u);
  EXPECT_LE(sum(delegated->op_times, true), outer->time);
  EXPECT_LE(sum(delegated->op_times, false), delegated->latency);
  for (const OpTime& time : delegated->op_times)
    if (!time.inner && time.type != outer->type) {
      EXPECT_THAT(time.layers, ::testing::AnyOf(ElementsAre(62), ElementsAre(65)));
    }
}

TEST_P(EachEngine, SaysWhichLayersXnnpacksOperatorsCompute) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  // XNNPACK takes the whole first model; of the second, TFLite keeps the softmax; in the third, a
  // pool of unsigned values divides it in two.
  const struct {
    std::filesystem::path model;
    std::size_t layers;
    const char* precision;
  } cases[] = {
      {std::filesystem::path(edgeprobe::test::source_dir()) / "models/signs_float.tflite", 19,
       "f32"},
      {std::filesystem::path(edgeprobe::test::source_dir()) / "models/signs_int8.tflite", 19, "i8"},
      {shared_data() / "models" / kMobileNet, 66, "u8"}};
  for (const auto& [model, layers, precision] : cases) {
    if (!std::filesystem::exists(model)) continue;
    auto engine = open_in_process({GetParam(), {}});
    ASSERT_TRUE(engine);
    SessionOptions options;
    options.profile = true;
    auto session = (*engine)->load(*read_file(model), model.filename().string(), options);
    ASSERT_TRUE(session) << session.error().what;
    const auto result = (*session)->infer(views(seeded_inputs(**session)));
    ASSERT_TRUE(result);
    std::set<int> covered;
    for (const OpTime& time : result->op_times) {
      if (time.type == "delegate xnnpack") continue;
      covered.insert(time.layers.begin(), time.layers.end());
      if (time.inner && time.type.starts_with("Convolution")) {
        EXPECT_EQ(time.precision, precision) << time.type;
      }
    }
    EXPECT_EQ(covered.size(), layers) << model;
    std::cout << GetParam() << " " << model.filename().string() << ": " << covered.size() << " of "
              << layers << " layers have a kernel of their own\n";
  }
}

TEST_P(EachEngine, RecordsWhatXnnpackTook) {
  EDGEPROBE_NEED_ENGINE(GetParam());
  EDGEPROBE_NEED_MODEL(kMobileNet);
  auto session = load(GetParam(), kMobileNet, {}, true);
  ASSERT_TRUE(session);
  ASSERT_EQ((*session)->delegations().size(), 1u);
  const Delegation& delegation = (*session)->delegations()[0];
  EXPECT_EQ(delegation.delegate, "xnnpack");
  EXPECT_EQ(delegation.ops_total, 66);
  EXPECT_EQ(delegation.ops_taken, 64);
  const std::set<int> taken(delegation.ops.begin(), delegation.ops.end());
  EXPECT_FALSE(taken.contains(62));  // AVERAGE_POOL_2D of unsigned 8-bit values
  EXPECT_FALSE(taken.contains(65));  // SOFTMAX of unsigned 8-bit values
  EXPECT_TRUE((*session)->warnings().empty());
}

TEST(TfliteSessions, RunExternalDelegatesWithOptions) {
  EDGEPROBE_NEED_ENGINE("tflite");
  EDGEPROBE_NEED_MODEL(kMobileNet);
  for (const bool supervised : {false, true}) {
    SessionOptions options;
    options.own = TfliteOptions{Kernels::kReference};
    auto plain = load("tflite", kMobileNet, options, supervised);
    options.delegates = {{POOL_DELEGATE, {{"value", "90"}}}};
    auto filled = load("tflite", kMobileNet, options, supervised);
    ASSERT_TRUE(plain && filled) << filled.error().what;
    ASSERT_EQ((*filled)->delegations().size(), 1u);
    EXPECT_EQ((*filled)->delegations()[0].ops_taken, 1);
    EXPECT_THAT((*filled)->delegations()[0].ops, ElementsAre(62));
    EXPECT_TRUE((*filled)->warnings().empty());
    const auto first = seeded_inputs(**plain, 1);
    const auto second = seeded_inputs(**plain, 2);
    EXPECT_NE(run(**plain, first), run(**filled, first)) << "the fault shows";
    EXPECT_EQ(run(**filled, first), run(**filled, second))
        << "behind the filled pool nothing depends on the input";
    if (supervised) break;
  }
}

TEST(TfliteSessions, WarnOnceAboutADelegateThatTakesNothing) {
  EDGEPROBE_NEED_ENGINE("tflite");
  EDGEPROBE_NEED_MODEL(kSmall);
  SessionOptions options;
  options.delegates = {{POOL_DELEGATE, {{"take", "nothing"}}}};
  auto session = load("tflite", kSmall, options, true);
  ASSERT_TRUE(session) << session.error().what;
  ASSERT_EQ((*session)->delegations().size(), 2u);
  EXPECT_EQ((*session)->delegations()[0].ops_taken, 0);
  EXPECT_GT((*session)->delegations()[1].ops_taken, 20) << "XNNPACK still takes the rest";
  ASSERT_EQ((*session)->warnings().size(), 1u);
  EXPECT_THAT((*session)->warnings()[0], HasSubstr("took none of the 31 operators"));
  auto plain = load("tflite", kSmall, {}, true);
  const auto inputs = seeded_inputs(**session);
  EXPECT_EQ(run(**session, inputs), run(**plain, inputs));
}

TEST(TfliteSessions, RefuseDelegatesThatAreNone) {
  EDGEPROBE_NEED_ENGINE("tflite");
  EDGEPROBE_NEED_MODEL(kSmall);
  const auto refusal = [](const Delegate& delegate) {
    SessionOptions options;
    options.delegates = {delegate};
    auto session = load("tflite", kSmall, options, true);
    EXPECT_FALSE(session);
    return session ? std::string() : session.error().what;
  };
  EXPECT_THAT(refusal({"/nowhere/edgetpu.so", {}}),
              AllOf(HasSubstr("delegate: "), HasSubstr("does not exist")));
  EXPECT_THAT(refusal({FAKE_RUNTIME, {}}), HasSubstr("lacks tflite_plugin_create_delegate"));
  EXPECT_THAT(refusal({POOL_DELEGATE, {{"colour", "red"}}}),
              HasSubstr("refuses its options or this device: pool_delegate: unknown option"));
}

/// Checks whether the delegate of `options` filled the pool of kMobileNet with `value`.
void expect_filled(const SessionOptions& options, const char* value) {
  auto session = load("tflite", kMobileNet, options, true);
  ASSERT_TRUE(session) << session.error().what;
  EXPECT_EQ((*session)->delegations().at(0).ops_taken, 1);
  SessionOptions plain;
  plain.own = options.own;
  plain.delegates = {{POOL_DELEGATE, {{"value", value}}}};
  auto same = load("tflite", kMobileNet, plain);
  ASSERT_TRUE(same) << same.error().what;
  const auto inputs = seeded_inputs(**session);
  EXPECT_EQ(run(**session, inputs), run(**same, inputs)) << value;
}

TEST(TfliteSessions, MakeTheirOwnDelegatesOutOfALibraryThatHasThem) {
  EDGEPROBE_NEED_ENGINE("tflite");
  EDGEPROBE_NEED_MODEL(kMobileNet);
  SessionOptions options;
  options.own = TfliteOptions{Kernels::kBuiltin};
  options.delegates = {{GPU_DELEGATE, {}, Delegate::Kind::kGpu}};
  expect_filled(options, "90");
  options.precision = Precision::kEngine;
  expect_filled(options, "91");
  options.delegates = {{GPU_DELEGATE, {}, Delegate::Kind::kNnapi}};
  expect_filled(options, "71");
  options.precision = Precision::kFloat32;
  expect_filled(options, "70");
}

TEST(TfliteSessions, NameTheSymbolsOfADelegateThatALibraryLacks) {
  EDGEPROBE_NEED_ENGINE("tflite");
  EDGEPROBE_NEED_MODEL(kSmall);
  const auto refusal = [](const Delegate& delegate) {
    SessionOptions options;
    options.delegates = {delegate};
    auto session = load("tflite", kSmall, options, true);
    EXPECT_FALSE(session);
    return session ? std::string() : session.error().what;
  };
  EXPECT_THAT(refusal({{}, {}, Delegate::Kind::kGpu}),
              AllOf(HasSubstr("delegate 'gpu'"), HasSubstr("tensorflowlite"),
                    HasSubstr("lacks TfLiteGpuDelegateV2Create")));
  EXPECT_THAT(refusal({{}, {}, Delegate::Kind::kNnapi}),
              HasSubstr("lacks TfLiteNnapiDelegateCreate"));
  EXPECT_THAT(refusal({POOL_DELEGATE, {}, Delegate::Kind::kGpu}),
              AllOf(HasSubstr("pool_delegate"), HasSubstr("lacks TfLiteGpuDelegateV2Create")));
  EXPECT_THAT(refusal({"/nowhere/gpu.so", {}, Delegate::Kind::kGpu}), HasSubstr("does not exist"));
  EXPECT_THAT(refusal({GPU_DELEGATE, {{"speed", "high"}}, Delegate::Kind::kGpu}),
              HasSubstr("takes no options, 'speed' was given"));
  std::cout << "example: " << refusal({{}, {}, Delegate::Kind::kGpu}) << "\n";
}

TEST(LiteRtSessions, SendWhatTheyCannotDoToTflite) {
  EDGEPROBE_NEED_ENGINE("litert");
  EDGEPROBE_NEED_MODEL(kSmall);
  SessionOptions options;
  options.own = TfliteOptions{Kernels::kReference};
  auto reference = load("litert", kSmall, options);
  ASSERT_FALSE(reference);
  EXPECT_EQ(reference.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(reference.error().what, HasSubstr("use engine tflite"));
  options = {};
  options.delegates = {{POOL_DELEGATE, {}}};
  auto delegated = load("litert", kSmall, options);
  ASSERT_FALSE(delegated);
  EXPECT_EQ(delegated.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(delegated.error().what, HasSubstr("LiteRT takes the delegate gpu and no other"));
}

TEST(Engines, RunSideBySideInOneProcess) {
  EDGEPROBE_NEED_ENGINE("litert");
  EDGEPROBE_NEED_ENGINE("tflite");
  EDGEPROBE_NEED_MODEL(kSmall);
  auto first = load("litert", kSmall, {});
  auto second = load("tflite", kSmall, {});
  ASSERT_TRUE(first && second);
  const auto inputs = seeded_inputs(**first);
  const auto a = run(**first, inputs);
  const auto b = run(**second, inputs);
  ASSERT_EQ(a.at(0).size(), b.at(0).size());
  int worst = 0;
  for (std::size_t i = 0; i < a[0].size(); ++i)
    worst = std::max(worst, std::abs(static_cast<int>(a[0][i]) - static_cast<int>(b[0][i])));
  std::cout << "litert against tflite, XNNPACK, " << kSmall << ": largest difference " << worst
            << " codes\n";
  EXPECT_LE(worst, 3);
}

}  // namespace
}  // namespace edgeprobe::engine::testing
