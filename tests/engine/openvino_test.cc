// SPDX-License-Identifier: Apache-2.0
// What a session of OpenVINO promises besides its numbers, which openvino_conformance.py checks.
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "fixtures.h"
#include "source_dir.h"

namespace edgeprobe::engine::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kOpenBatch = "mlperf_tiny/vww_96_float.tflite";

/// True if the runtime is installed and this build has the plug-in for it.
bool available() { return has_library("openvino") && open_in_process({"openvino", {}}); }
#define NEED_OPENVINO() \
  if (!available())     \
  GTEST_SKIP() << "engine openvino is not installed or was not built (script/setup --openvino)"

Bytes signs(const char* which) {
  auto bytes = read_file(std::filesystem::path(edgeprobe::test::source_dir()) / "models" / which);
  EXPECT_TRUE(bytes) << which;
  return bytes ? *std::move(bytes) : Bytes{};
}

Result<std::unique_ptr<Session>> load(const Bytes& model, const std::string& label,
                                      const SessionOptions& options = {}, bool supervised = false) {
  const EngineChoice choice{"openvino", {}};
  auto engine = supervised ? open_supervised(choice) : open_in_process(choice);
  if (!engine) return engine.error();
  return (*engine)->load(model, label, options);
}

Bytes first_output(Session& session, unsigned seed = 7) {
  const auto inputs = seeded_inputs(session, seed);
  auto result = session.infer(views(inputs));
  EXPECT_TRUE(result) << result.error().what;
  return result ? result->outputs.at(0).bytes : Bytes{};
}

/// Each test has its own folder.
class OpenVino : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("edgeprobe_openvino_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(OpenVino, IsNamedByItsLibraryOrAnyFolderAroundIt) {
  NEED_OPENVINO();
  const auto by_default = open_in_process({"openvino", {}});
  ASSERT_TRUE(by_default);
  const EngineIdentity& identity = (*by_default)->identity();
  EXPECT_THAT(identity.version, ::testing::StartsWith("2026.4.1-"));
  EXPECT_EQ(identity.sha256.size(), 64u);
  for (const auto& folder :
       {identity.library.parent_path(), identity.library.parent_path().parent_path()}) {
    const auto engine = open_in_process({"openvino", folder});
    ASSERT_TRUE(engine) << engine.error().what;
    EXPECT_EQ((*engine)->identity().sha256, identity.sha256);
  }
  const auto nothing = open_in_process({"openvino", folder_});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(nothing.error().what, HasSubstr("has no libopenvino.so"));
}

TEST_F(OpenVino, LibrariesThatAreNoneAreRefused) {
  const auto other = open_in_process({"openvino", POOL_DELEGATE});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(other.error().what,
              AllOf(HasSubstr("is not an OpenVINO library"), HasSubstr("get_openvino_version")));
}

TEST_F(OpenVino, AnotherReleaseNeedsAPlugInBuiltForIt) {
  const auto future = open_in_process({"openvino", FAKE_OPENVINO});
  ASSERT_FALSE(future);
  EXPECT_EQ(future.error().kind, available() ? ErrorKind::kUnsupported : future.error().kind);
  EXPECT_THAT(future.error().what, ::testing::AnyOf(HasSubstr("built for another OpenVINO"),
                                                    HasSubstr("no plug-in for OpenVINO")));
}

TEST_F(OpenVino, ABuildWithoutThePlugInSaysSo) {
  if (!has_library("openvino")) GTEST_SKIP() << "engine openvino is not installed";
  ::setenv("EDGEPROBE_OPENVINO_PLUGIN", (folder_ / "nowhere.so").c_str(), 1);
  const auto absent = open_in_process({"openvino", {}});
  ::setenv("EDGEPROBE_OPENVINO_PLUGIN", POOL_DELEGATE, 1);
  const auto other = open_in_process({"openvino", {}});
  ::unsetenv("EDGEPROBE_OPENVINO_PLUGIN");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().what,
              AllOf(HasSubstr("no plug-in for OpenVINO"), HasSubstr("script/setup --openvino")));
  EXPECT_FALSE(other);
}

#ifdef OPENVINO_PLUGIN
TEST_F(OpenVino, IsALibraryLikeThoseOfUsers) {
  NEED_OPENVINO();  // Its own library is in memory from here on.
  const auto engine = open_in_process({"native", OPENVINO_PLUGIN});
  ASSERT_TRUE(engine) << engine.error().what;
  EXPECT_EQ((*engine)->identity().kind, "openvino");
  EXPECT_THAT((*engine)->identity().abilities, ElementsAre("op times"));
  auto plain = (*engine)->load(signs("signs_int8.tflite"), "m", {});
  auto built_in = load(signs("signs_int8.tflite"), "m");
  ASSERT_TRUE(plain && built_in);
  EXPECT_EQ(first_output(**plain), first_output(**built_in));
}
#endif

TEST_F(OpenVino, KeepsNamesAndQuantisationOfTheFile) {
  NEED_OPENVINO();
  auto session = load(signs("signs_int8.tflite"), "signs_int8.tflite");
  ASSERT_TRUE(session) << session.error().what;
  const TensorSpec& input = (*session)->inputs().at(0);
  EXPECT_EQ(input.name, "image");
  EXPECT_EQ(input.dtype, DType::kInt8);
  EXPECT_EQ(input.shape, (Shape{1, 64, 64, 3}));
  EXPECT_FALSE(input.quantization.empty());
  const TensorSpec& output = (*session)->outputs().at(0);
  EXPECT_EQ(output.name, "probabilities");
  EXPECT_EQ(output.quantization.scale_at(0), 1.f / 256);
  EXPECT_EQ(output.quantization.zero_point_at(0), -128);
  EXPECT_THAT((*session)->warnings(), ElementsAre(HasSubstr("was asked for float32")));
}

TEST_F(OpenVino, ComputesTheSameInAProcessOfItsOwnAndWithTwoThreads) {
  NEED_OPENVINO();
  const Bytes model = signs("signs_int8.tflite");
  SessionOptions two;
  two.threads = 2;
  auto here = load(model, "m");
  auto there = load(model, "m", {}, true);
  auto faster = load(model, "m", two);
  ASSERT_TRUE(here && there && faster);
  EXPECT_EQ(first_output(**here), first_output(**there));
  EXPECT_EQ(first_output(**here), first_output(**faster));
}

TEST_F(OpenVino, LeavesNoFileBehind) {
  NEED_OPENVINO();
  const char* const before = std::getenv("TMPDIR");
  const std::string old = before ? before : "";
  ::setenv("TMPDIR", folder_.c_str(), 1);
  auto session = load(signs("signs_float.tflite"), "m");
  const Bytes whole = signs("signs_float.tflite");
  const auto refused = load(Bytes(whole.begin(), whole.begin() + 40), "m");
  before ? ::setenv("TMPDIR", old.c_str(), 1) : ::unsetenv("TMPDIR");
  ASSERT_TRUE(session) << session.error().what;
  EXPECT_FALSE(refused);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_FALSE(first_output(**session).empty());
}

TEST_F(OpenVino, TakesTheShapesThatAreAskedFor) {
  NEED_OPENVINO();
  EDGEPROBE_NEED_MODEL(kOpenBatch);
  SessionOptions options;
  options.input_shapes["input_1"] = {3, 96, 96, 3};
  auto session = load(model_bytes(kOpenBatch), "m", options);
  ASSERT_TRUE(session) << session.error().what;
  EXPECT_EQ((*session)->inputs().at(0).shape, (Shape{3, 96, 96, 3}));
  EXPECT_EQ((*session)->outputs().at(0).shape, (Shape{3, 2}));
  EXPECT_EQ(first_output(**session).size(), 3u * 2 * 4);
  options.input_shapes["input_1"] = {1, 95, 96};
  const auto refused = load(model_bytes(kOpenBatch), "m", options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, Not(HasSubstr("Exception from")));
  options.input_shapes = {{"nonsense", {1}}};
  EXPECT_THAT(load(model_bytes(kOpenBatch), "m", options).error().what,
              HasSubstr("'nonsense', which the model does not have"));
}

TEST_F(OpenVino, NamesTheSameKernelsInEveryInferenceAndTheLayersOfEach) {
  NEED_OPENVINO();
  SessionOptions options;
  options.profile = true;
  auto session = load(signs("signs_float.tflite"), "m", options, true);
  ASSERT_TRUE(session) << session.error().what;
  const auto inputs = seeded_inputs(**session);
  const auto first = (*session)->infer(views(inputs));
  const auto second = (*session)->infer(views(inputs));
  ASSERT_TRUE(first && second);
  ASSERT_EQ(first->op_times.size(), second->op_times.size());
  std::chrono::nanoseconds sum{0};
  std::set<int> layers;
  bool fused = false;
  for (std::size_t i = 0; i < first->op_times.size(); ++i) {
    const OpTime& op = second->op_times[i];
    EXPECT_EQ(op.name, first->op_times[i].name);
    EXPECT_EQ(op.layers, first->op_times[i].layers);
    EXPECT_EQ(op.precision, "f32");
    EXPECT_THAT(op.name, Not(HasSubstr("#")));
    sum += op.time;
    layers.insert(op.layers.begin(), op.layers.end());
    fused = fused || op.layers.size() > 1;  // An addition after a convolution.
  }
  EXPECT_EQ(layers.size(), 19u);
  EXPECT_TRUE(fused);
  EXPECT_GT(sum.count(), 0);
  // OpenVINO reports means over both inferences; the first one took several times longer.
  EXPECT_LT(sum, second->latency + std::chrono::microseconds(first->op_times.size()));
}

TEST_F(OpenVino, SaysWhatItCannotTake) {
  NEED_OPENVINO();
  const Bytes model = signs("signs_float.tflite");
  SessionOptions options;
  options.own = TfliteOptions{Kernels::kReference};
  EXPECT_THAT(load(model, "m", options).error().what,
              HasSubstr("engine openvino has one set of kernels"));
  options.own = OnnxRuntimeOptions{Optimization::kOff};
  EXPECT_THAT(load(model, "m", options).error().what, HasSubstr("engine openvino has no such"));
  SessionOptions delegate;
  delegate.delegates = {{POOL_DELEGATE, {}}};
  EXPECT_THAT(load(model, "m", delegate).error().what, HasSubstr("takes no delegates"));
  const auto text = load(view_of("This is not a model").copy(), "notes.txt");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().what,
              AllOf(HasSubstr("cannot load 'notes.txt'"), Not(HasSubstr("Exception from"))));
}

/// y = x * 2.5 + 1, with the constants in a .bin next to it.
constexpr const char* kIr = R"(<?xml version="1.0"?>
<net name="line" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,4" element_type="f32"/><output><port id="0" precision="FP32" names="x"><dim>1</dim><dim>4</dim></port></output></layer>
<layer id="1" name="a" type="Const" version="opset1"><data element_type="f32" shape="1,1" offset="0" size="4"/><output><port id="0" precision="FP32"><dim>1</dim><dim>1</dim></port></output></layer>
<layer id="2" name="m" type="Multiply" version="opset1"><data auto_broadcast="numpy"/><input><port id="0"><dim>1</dim><dim>4</dim></port><port id="1"><dim>1</dim><dim>1</dim></port></input><output><port id="2" precision="FP32"><dim>1</dim><dim>4</dim></port></output></layer>
<layer id="3" name="b" type="Const" version="opset1"><data element_type="f32" shape="1,1" offset="4" size="4"/><output><port id="0" precision="FP32"><dim>1</dim><dim>1</dim></port></output></layer>
<layer id="4" name="y" type="Add" version="opset1"><data auto_broadcast="numpy"/><input><port id="0"><dim>1</dim><dim>4</dim></port><port id="1"><dim>1</dim><dim>1</dim></port></input><output><port id="2" precision="FP32" names="y"><dim>1</dim><dim>4</dim></port></output></layer>
<layer id="5" name="r" type="Result" version="opset1"><input><port id="0"><dim>1</dim><dim>4</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/><edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="4" to-port="0"/><edge from-layer="3" from-port="0" to-layer="4" to-port="1"/>
<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/></edges></net>)";

TEST_F(OpenVino, ReadsItsOwnFormatWithTheWeightsBesideIt) {
  NEED_OPENVINO();
  const Bytes model = view_of(kIr).copy();
  SessionOptions options;
  EXPECT_THAT(load(model, "line.xml", options).error().what,
              HasSubstr("folder of the model was not given"));
  options.folder = folder_;
  const auto absent = load(model, "line.xml", options);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(absent.error().what, HasSubstr("line.bin"));

  const float line[] = {2.5f, 1.f};
  std::ofstream(folder_ / "line.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(line), sizeof line);
  auto session = load(model, "line.xml", options, true);
  ASSERT_TRUE(session) << session.error().what;
  EXPECT_EQ((*session)->inputs().at(0).name, "x");
  EXPECT_EQ((*session)->outputs().at(0).name, "y");
  const Tensor x = make_tensor("x", {1, 4}, {0, 1, 2, -4});
  const auto result = (*session)->infer({x});
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_THAT(*to_float(result->outputs.at(0)), ElementsAre(1.f, 3.5f, 6.f, -9.f));

  std::ofstream(folder_ / "line.bin", std::ios::binary | std::ios::trunc) << "x";
  const auto cut = load(model, "line.xml", options);
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().what, Not(HasSubstr("Exception from")));
}

}  // namespace
}  // namespace edgeprobe::engine::testing
