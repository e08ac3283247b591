// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's own library where it is installed, and a fake one for what a sound library never
// does. That the numbers are right is checked against ONNX Runtime's Python in
// onnxruntime_conformance.py.
#include <gmock/gmock.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

#include "../model/proto_writer.h"
#include "engine/onnxruntime/profile.h"
#include "fixtures.h"
#include "source_dir.h"

namespace edgeprobe::engine::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kMnist = "onnx/mnist.onnx";
constexpr const char* kUltraFace = "ultraface/version-RFB-320_without_postprocessing.onnx";

Result<std::unique_ptr<Session>> load(const char* model, const SessionOptions& options,
                                      bool supervised = false) {
  const EngineChoice choice{"onnxruntime", {}};
  auto engine = supervised ? open_supervised(choice) : open_in_process(choice);
  if (!engine) return engine.error();
  return (*engine)->load(model_bytes(model), model, options);
}

Bytes bytes_of(std::string_view text) { return view_of(text).copy(); }

Error refusal(const std::filesystem::path& library) {
  auto engine = open_in_process({"onnxruntime", library});
  EXPECT_FALSE(engine);
  return engine ? Error{} : engine.error();
}

TEST(OnnxRuntimeLibraries, OfANewerVersionRunWithAWarning) {
  auto newer = open_supervised({"onnxruntime", FAKE_ONNXRUNTIME_FUTURE});
  ASSERT_TRUE(newer) << newer.error().what;
  EXPECT_EQ((*newer)->identity().version, "1.99.0");
  const auto session = (*newer)->load(bytes_of("good"), "m", {});
  ASSERT_TRUE(session) << session.error().what;
  EXPECT_THAT((*session)->warnings(),
              ElementsAre(AllOf(HasSubstr("never tried with this onnxruntime (version 1.99.0)"),
                                HasSubstr("1.19 to 1.32"))));
  auto known = open_supervised({"onnxruntime", FAKE_ONNXRUNTIME});
  ASSERT_TRUE(known) << known.error().what;
  const auto quiet = (*known)->load(bytes_of("good"), "m", {});
  ASSERT_TRUE(quiet) << quiet.error().what;
  EXPECT_THAT((*quiet)->warnings(), IsEmpty());
}

TEST(OnnxRuntimeLibraries, WithoutTheTableAreTooOld) {
  EXPECT_THAT(refusal(FAKE_ONNXRUNTIME_OLD).what,
              AllOf(HasSubstr("is ONNX Runtime 1.13.1"), HasSubstr("needs 1.14 or newer")));
}

TEST(OnnxRuntimeLibraries, OfAnotherKindNameWhatTheyLack) {
  EXPECT_THAT(refusal(POOL_DELEGATE).what,
              AllOf(HasSubstr("is not an ONNX Runtime library"), HasSubstr("lacks OrtGetApiBase")));
  auto other = open_in_process({"tflite", FAKE_ONNXRUNTIME});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("is not a TFLite library"));
}

TEST(OnnxRuntimeLibraries, OfAnotherMachineOrNoneAtAll) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("edgeprobe_ort_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string header(64, '\0');
  header.replace(0, 7,
                 "\x7f"
                 "ELF\x02\x01\x01");
  header[16] = 3;
  header[18] = 20;  // 32-bit PowerPC
  std::ofstream(folder / "libonnxruntime.so", std::ios::binary) << header;
  EXPECT_THAT(refusal(folder / "libonnxruntime.so").what, HasSubstr("built for machine number 20"));
  std::ofstream(folder / "libonnxruntime.so", std::ios::binary) << "a text";
  EXPECT_THAT(refusal(folder / "libonnxruntime.so").what, HasSubstr("no ELF header"));
  std::filesystem::remove_all(folder);
}

TEST(OnnxRuntimeLibraries, NotInstalledSayWhatToRun) {
  ::setenv("EDGEPROBE_ONNXRUNTIME_LIB", "/nowhere/libonnxruntime.so", 1);
  const auto engine = open_supervised({"onnxruntime", {}});
  ::unsetenv("EDGEPROBE_ONNXRUNTIME_LIB");
  ASSERT_FALSE(engine);
  EXPECT_THAT(engine.error().what, HasSubstr("script/setup --onnxruntime"));
}

class FakeOnnxRuntime : public ::testing::Test {
 protected:
  static Result<std::unique_ptr<Session>> load(std::string_view word) {
    auto engine = open_supervised({"onnxruntime", FAKE_ONNXRUNTIME});
    if (!engine) return engine.error();
    // A call that hangs gets a short time limit; one that ends may take as long as it needs.
    const auto limit = [&](std::string_view hangs) {
      return word == hangs ? std::chrono::milliseconds(400) : std::chrono::seconds(120);
    };
    SessionOptions options;
    options.load_limit = limit("hang load");
    options.invoke_limit = limit("hang run");
    return (*engine)->load(bytes_of(word), "model.onnx", options);
  }
  static Result<Inference> run(Session& session) {
    return session.infer(views(seeded_inputs(session)));
  }
};

TEST_F(FakeOnnxRuntime, GivesBackWhatItComputes) {
  auto session = load("good");
  ASSERT_TRUE(session) << session.error().what;
  const auto inputs = seeded_inputs(**session);
  auto result = (*session)->infer(views(inputs));
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outputs.at(0).bytes, inputs[0].bytes);
}

TEST_F(FakeOnnxRuntime, TurnsACrashAndAHangIntoASentence) {
  const auto crashed = load("crash load");
  ASSERT_FALSE(crashed);
  EXPECT_THAT(crashed.error().what,
              AllOf(HasSubstr("loading 'model.onnx' in onnxruntime 1.20.0"), HasSubstr("SIGSEGV")));
  const auto hung = load("hang load");
  ASSERT_FALSE(hung);
  EXPECT_THAT(hung.error().what, HasSubstr("longer than the limit of 400 ms"));
  for (const auto& [word, sentence] :
       {std::pair{"crash run", "SIGSEGV"}, std::pair{"hang run", "longer than the limit"}}) {
    auto session = load(word);
    ASSERT_TRUE(session);
    const auto result = run(**session);
    ASSERT_FALSE(result) << word;
    EXPECT_EQ(result.error().kind, ErrorKind::kTarget);
    EXPECT_THAT(result.error().what, AllOf(HasSubstr("running 'model.onnx'"), HasSubstr(sentence)));
  }
}

TEST_F(FakeOnnxRuntime, PassesItsOwnReasonOn) {
  const auto refused = load("refuse load");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what,
              HasSubstr("the engine refuses the model: this word is no model"));
  auto session = load("refuse run");
  ASSERT_TRUE(session);
  EXPECT_THAT(run(**session).error().what, HasSubstr("node 3 does not like it"));
}

TEST_F(FakeOnnxRuntime, HasNoTimesAndNoProvidersBeforeTheVersionsThatBroughtThem) {
  auto engine = open_in_process({"onnxruntime", FAKE_ONNXRUNTIME});
  ASSERT_TRUE(engine);
  EXPECT_THAT((*engine)->identity().abilities, ElementsAre("optimization levels"));
  SessionOptions options;
  options.profile = true;
  auto session = (*engine)->load(bytes_of("good"), "m", options);
  ASSERT_TRUE(session) << session.error().what;
  EXPECT_THAT((*session)->warnings(),
              ElementsAre(HasSubstr("1.20.0 is not known to profile single runs")));
  options.profile = false;
  options.delegates = {{POOL_DELEGATE, {}}};
  const auto refused = (*engine)->load(bytes_of("good"), "m", options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("that came with 1.22"));
}

TEST(OnnxRuntimeSessions, TellTheirInputsAndOutputs) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  EDGEPROBE_NEED_MODEL(kUltraFace);
  auto session = load(kUltraFace, {}, true);
  ASSERT_TRUE(session) << session.error().what;
  // The file declares its weights as inputs, too; they already have values.
  ASSERT_EQ((*session)->inputs().size(), 1u);
  EXPECT_EQ((*session)->inputs()[0].name, "input");
  EXPECT_EQ((*session)->inputs()[0].shape, (Shape{1, 3, 240, 320}));
  ASSERT_EQ((*session)->outputs().size(), 2u);
  EXPECT_EQ((*session)->outputs()[1].name, "boxes");
  EXPECT_EQ((*session)->outputs()[1].shape, (Shape{1, 4420, 4}));
}

TEST(OnnxRuntimeSessions, ComputeTheSameInAProcessOfTheirOwnAndWithTwoThreads) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  EDGEPROBE_NEED_MODEL(kMnist);
  auto here = load(kMnist, {});
  auto there = load(kMnist, {}, true);
  SessionOptions two;
  two.threads = 2;
  two.own = OnnxRuntimeOptions{Optimization::kAll, false};
  auto threads = load(kMnist, two);
  ASSERT_TRUE(here && there && threads);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const auto inputs = seeded_inputs(**here, seed);
    const auto first = (*here)->infer(views(inputs));
    ASSERT_TRUE(first) << first.error().what;
    EXPECT_EQ(first->outputs[0].bytes, (*there)->infer(views(inputs))->outputs[0].bytes);
    EXPECT_EQ(first->outputs[0].bytes, (*threads)->infer(views(inputs))->outputs[0].bytes);
  }
}

TEST(OnnxRuntimeSessions, TimeEveryKernelOfEachInference) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  EDGEPROBE_NEED_MODEL(kMnist);
  SessionOptions options;
  options.profile = true;
  std::vector<std::size_t> kernels;
  for (const Optimization level : {Optimization::kOff, Optimization::kAll}) {
    options.own = OnnxRuntimeOptions{level};
    auto session = load(kMnist, options, true);
    ASSERT_TRUE(session) << session.error().what;
    const auto inputs = seeded_inputs(**session);
    std::vector<std::vector<std::string>> names;
    for (int run = 0; run < 3; ++run) {
      const auto result = (*session)->infer(views(inputs));
      ASSERT_TRUE(result) << result.error().what;
      std::chrono::nanoseconds sum{0};
      std::vector<std::string>& these = names.emplace_back();
      for (const OpTime& op : result->op_times) {
        sum += op.time;
        these.push_back(op.name);
        EXPECT_FALSE(op.type.empty());
        EXPECT_EQ(op.precision, "f32") << op.type;
      }
      EXPECT_LE(sum, result->latency);
    }
    EXPECT_EQ(names[0], names[1]);
    EXPECT_EQ(names[0], names[2]);
    kernels.push_back(names[0].size());
  }
  EXPECT_GT(kernels[0], kernels[1]) << "fused at level all";
}

TEST(OnnxRuntimeSessions, SayWhichLayersEachKernelComputes) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  struct Case {
    std::filesystem::path model;
    std::size_t layers;
    std::set<std::size_t> covered;
  };
  const auto models = std::filesystem::path(edgeprobe::test::source_dir()) / "models";
  // UltraFace has nodes without names, and 48 layers that only compute shapes; SqueezeNet's 3 are
  // dropouts and a reshape. A fourth one disappears on processors with vectors of 8 but not 16
  // floats: the engine's blocked layout depends on them.
  const Case cases[] = {
      {models / "inception_like.onnx", 50, {50}},
      {models / "signs_float.onnx", 29, {29}},
      {models / "signs_int8.onnx", 90, {90}},
      {shared_data() / "models" / kUltraFace, 193, {145}},
      {shared_data() / "models/onnx_light/light_squeezenet.onnx", 105, {101, 102}}};
  for (const auto& [model, layers, expected] : cases) {
    if (!std::filesystem::exists(model)) continue;
    for (const Optimization level : {Optimization::kOff, Optimization::kAll}) {
      auto engine = open_in_process({"onnxruntime", {}});
      ASSERT_TRUE(engine);
      SessionOptions options;
      options.profile = true;
      options.own = OnnxRuntimeOptions{level};
      auto session = (*engine)->load(*read_file(model), model.filename().string(), options);
      ASSERT_TRUE(session) << session.error().what;
      EXPECT_THAT((*session)->warnings(), IsEmpty());
      const auto result = (*session)->infer(views(seeded_inputs(**session)));
      ASSERT_TRUE(result) << result.error().what;
      std::vector<int> covered;
      for (const OpTime& op : result->op_times)
        covered.insert(covered.end(), op.layers.begin(), op.layers.end());
      const std::set<int> once(covered.begin(), covered.end());
      EXPECT_EQ(once.size(), covered.size()) << "no layer belongs to two kernels";
      const std::set<std::size_t> wanted =
          level == Optimization::kOff ? std::set{layers} : expected;
      EXPECT_TRUE(wanted.count(once.size())) << model << ": " << once.size();
      std::cout << model.filename().string() << " at " << name(level) << ": "
                << result->op_times.size() << " kernels for " << once.size() << " of " << layers
                << " layers\n";
    }
  }
}

TEST(OnnxRuntimeSessions, FusedKernelsHoldTheActivationOfTheirConvolution) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  auto engine = open_in_process({"onnxruntime", {}});
  ASSERT_TRUE(engine);
  SessionOptions options;
  options.profile = true;
  const auto file =
      std::filesystem::path(edgeprobe::test::source_dir()) / "models/inception_like.onnx";
  auto session = (*engine)->load(*read_file(file), "inception_like.onnx", options);
  ASSERT_TRUE(session);
  const auto result = (*session)->infer(views(seeded_inputs(**session)));
  ASSERT_TRUE(result);
  // The file begins with the stem's Conv and Relu, and ends with Flatten, Gemm and Softmax.
  EXPECT_EQ(result->op_times.front().type, "Conv");
  EXPECT_THAT(result->op_times.front().layers, ElementsAre(0, 1));
  EXPECT_EQ(result->op_times.back().type, "Softmax");
  EXPECT_THAT(result->op_times.back().layers, ElementsAre(49));
}

TEST(OnnxRuntimeSessions, FusedKernelsHoldTheSumOfTheirResidual) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  auto engine = open_in_process({"onnxruntime", {}});
  ASSERT_TRUE(engine);
  SessionOptions options;
  options.profile = true;
  const auto file =
      std::filesystem::path(edgeprobe::test::source_dir()) / "models/signs_float.onnx";
  auto session = (*engine)->load(*read_file(file), "signs_float.onnx", options);
  ASSERT_TRUE(session);
  const auto result = (*session)->infer(views(seeded_inputs(**session)));
  ASSERT_TRUE(result);
  // The engine fuses the sum into the second project convolution as its other input. In the file,
  // the sum is layer 9; layers 10 and 11 are the next block.
  const auto kernel_of = [&](int layer) {
    for (const OpTime& op : result->op_times)
      if (std::find(op.layers.begin(), op.layers.end(), layer) != op.layers.end()) return op;
    return OpTime{};
  };
  EXPECT_THAT(kernel_of(9).layers, ElementsAre(8, 9)) << kernel_of(9).name;
  EXPECT_THAT(kernel_of(10).layers, ElementsAre(10, 11)) << kernel_of(10).name;
}

TEST(OnnxRuntimeSessions, RunOnTheCpusThatWereAskedFor) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  EDGEPROBE_NEED_MODEL(kMnist);
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  for (const bool supervised : {false, true}) {
    SessionOptions options;
    options.cpus = {first};
    auto session = load(kMnist, options, supervised);
    ASSERT_TRUE(session) << session.error().what;
    EXPECT_TRUE((*session)->infer(views(seeded_inputs(**session))));
    cpu_set_t after;
    ::sched_getaffinity(0, sizeof after, &after);
    EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "the caller keeps its CPUs";
    options.cpus = {first, 1000};
    auto refused = load(kMnist, options, supervised);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(refused.error().what, HasSubstr("CPU 1000"));
  }
}

TEST(OnnxRuntimeSessions, LeaveOutWhatIsNoTensor) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  EDGEPROBE_NEED_MODEL("onnx/logreg_iris.onnx");
  auto session = load("onnx/logreg_iris.onnx", {}, true);
  ASSERT_TRUE(session) << session.error().what;
  ASSERT_EQ((*session)->outputs().size(), 1u);
  EXPECT_EQ((*session)->outputs()[0].name, "label");
  EXPECT_THAT((*session)->warnings(),
              ElementsAre(HasSubstr("output 1 'probabilities' is a sequence")));
  EXPECT_TRUE((*session)->infer(views(seeded_inputs(**session))));
}

TEST(OnnxRuntimeSessions, OfANewerFileSayWhichReleaseReadsIt) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  const auto engine = open_in_process({"onnxruntime", {}});
  ASSERT_TRUE(engine) << engine.error().what;
  namespace parts = model::testing;
  const auto said = [&](std::uint64_t ir, std::uint64_t opset) {
    const std::string graph = parts::field(1, parts::node("Neg", {"x"}, {"y"})) +
                              parts::field(11, parts::value("x", 1, {1})) +
                              parts::field(12, parts::value("y", 1, {1}));
    const std::string file =
        parts::number(1, ir) + parts::field(7, graph) + parts::field(8, parts::number(2, opset));
    const auto session = (*engine)->load(view_of(file), "m", {});
    return session ? std::string("read") : session.error().what;
  };
  EXPECT_EQ(said(13, 26), "read");
  EXPECT_THAT(said(14, 26),
              AllOf(HasSubstr("IR version: 14"), HasSubstr("ONNX Runtime 1.32 and newer read it"),
                    HasSubstr("lower ir_version")));
  EXPECT_THAT(said(13, 28),
              AllOf(HasSubstr("pip install 'onnxruntime>=1.32'"), HasSubstr("lower opset")));
  EXPECT_THAT(said(13, 90), HasSubstr("no release up to 1.32 reads it"));
}

TEST(OnnxRuntimeSessions, RefuseWhatTheyDoNotHave) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  EDGEPROBE_NEED_MODEL(kMnist);
  const auto refused = [](const SessionOptions& options) {
    auto session = load(kMnist, options);
    EXPECT_FALSE(session);
    return session ? std::string() : session.error().what;
  };
  SessionOptions kernels;
  kernels.own = TfliteOptions{Kernels::kReference};
  EXPECT_THAT(refused(kernels), HasSubstr("engine onnxruntime has one set of kernels"));
  SessionOptions gpu;
  gpu.delegates = {{{}, {}, Delegate::Kind::kGpu}};
  EXPECT_THAT(refused(gpu), HasSubstr("'gpu' belongs to TFLite"));
  SessionOptions provider;
  provider.delegates = {{POOL_DELEGATE, {}}};
  EXPECT_THAT(refused(provider), AllOf(HasSubstr("is not an execution provider"),
                                       HasSubstr("lacks CreateEpFactories")));
  provider.delegates = {{EMPTY_PROVIDER, {}}};
  EXPECT_THAT(refused(provider),
              AllOf(HasSubstr("empty_provider"), HasSubstr("finds no device on this machine")));
  provider.delegates = {{"/nowhere/provider.so", {}}};
  EXPECT_THAT(refused(provider),
              HasSubstr("execution provider: library '/nowhere/provider.so' does not exist"));
  SessionOptions resized;
  resized.input_shapes["Input3"] = {2, 1, 28, 28};
  EXPECT_THAT(refused(resized),
              HasSubstr("cannot be resized to 2x1x28x28: the model fixes dimension 0 at 1"));
  resized.input_shapes["Input3"] = {28, 28};
  EXPECT_THAT(refused(resized), HasSubstr("the model gives it 4 dimensions"));
}

TEST(OnnxRuntimeSessions, TakeOperatorsOfALibrary) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
#ifndef CUSTOM_OPS
  GTEST_SKIP() << "no headers of ONNX Runtime (script/setup --test)";
#else
  namespace parts = model::testing;
  const std::string domain = "edgeprobe.test";
  const std::string graph =
      parts::field(1, parts::node("Thrice", {"x"}, {"y"}, parts::field(7, domain))) +
      parts::field(11, parts::value("x", 1, {2})) + parts::field(12, parts::value("y", 1, {2}));
  const std::string file = parts::number(1, 8) + parts::field(7, graph) +
                           parts::field(8, parts::number(2, 13)) +
                           parts::field(8, parts::field(1, domain) + parts::number(2, 1));
  const auto engine = open_supervised({"onnxruntime", {}});
  ASSERT_TRUE(engine) << engine.error().what;
  const auto without = (*engine)->load(view_of(file), "m", {});
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().what, HasSubstr("--custom-ops LIBRARY"));
  SessionOptions options;
  options.custom_ops = {CUSTOM_OPS};
  const auto session = (*engine)->load(view_of(file), "m", options);
  ASSERT_TRUE(session) << session.error().what;
  const float values[] = {1.5f, -2.f};
  const auto made =
      (*session)->infer({{{"x", DType::kFloat32, {2}, {}},
                          {reinterpret_cast<const std::byte*>(values), sizeof values}}});
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(*to_float(TensorView(made->outputs[0])), ElementsAre(4.5f, -6.f));
  options.custom_ops = {POOL_DELEGATE};
  const auto other = (*engine)->load(view_of(file), "m", options);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("lacks RegisterCustomOps"));
#endif
}

TEST(OnnxRuntimeSessions, TakeAnyShapeWhereTheModelDeclaresNone) {
  EDGEPROBE_NEED_ENGINE("onnxruntime");
  namespace proto = edgeprobe::model::testing;
  proto::SmallOnnx model;
  model.x = proto::field(1, "x") + proto::field(2, proto::field(1, proto::number(1, 1)));
  model.y = proto::field(1, "y") + proto::field(2, proto::field(1, proto::number(1, 1)));
  auto engine = open_in_process({"onnxruntime", {}});
  ASSERT_TRUE(engine) << engine.error().what;
  SessionOptions sized;
  sized.input_shapes["x"] = {3, 2};
  auto session = (*engine)->load(bytes_of(model.bytes()), "small", sized);
  ASSERT_TRUE(session) << session.error().what;
  EXPECT_EQ((*session)->inputs()[0].shape, (Shape{3, 2}));
  const auto made = (*session)->infer(views(seeded_inputs(**session)));
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(made->outputs[0].spec.shape, (Shape{3, 2}));
}

TEST(OnnxRuntimeProfiles, CountWhatABodyDoesToTheNodeThatHoldsIt) {
  const auto node = [](const char* name, const char* type, int start, int duration) {
    return R"({"cat":"Node","name":")" + std::string(name) + R"(_kernel_time","ts":)" +
           std::to_string(start) + R"(,"dur":)" + std::to_string(duration) +
           R"(,"args":{"op_name":")" + type +
           R"(","provider":"CPUExecutionProvider","output_type_shape":[{"float16":[1]}]}})";
  };
  const std::string text = R"([{"cat":"Session","name":"model_run","ts":0,"dur":99},)" +
                           node("first", "Relu", 1, 4) + "," + node("in_body", "Add", 6, 2) + "," +
                           node("branch", "If", 5, 10) + "," +
                           R"({"cat":"Node","name":"x_fence_before","ts":1,"dur":1,"args":{}},)" +
                           node("last", "Relu", 15, 3) + "]";
  const auto nodes = onnxruntime::read_profile(text);
  ASSERT_TRUE(nodes) << nodes.error().what;
  std::vector<std::string> names;
  for (const auto& one : *nodes) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("first", "branch", "last"));
  EXPECT_EQ((*nodes)[1].time.count(), 10);
  EXPECT_EQ((*nodes)[0].precision, "f16");
  EXPECT_FALSE(onnxruntime::read_profile("{\"cat\": 1"));
  EXPECT_FALSE(onnxruntime::read_profile("{}"));
  EXPECT_THAT(*onnxruntime::read_profile("[1, {}, {\"cat\": \"Node\"}]"), IsEmpty());
}

}  // namespace
}  // namespace edgeprobe::engine::testing
