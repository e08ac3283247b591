// SPDX-License-Identifier: Apache-2.0
// The table of engines answers for formats, options and defaults.
#include "engine/kinds.h"

#include <gmock/gmock.h>

#include <set>

#include "model/format.h"

namespace edgeprobe::engine::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(EngineId id, const OwnOptions& own, ErrorKind kind = ErrorKind::kUsage) {
  SessionOptions options;
  options.own = own;
  const auto good = check_options(kind_of(id), options);
  EXPECT_FALSE(good);
  if (!good) {
    EXPECT_EQ(good.error().kind, kind);
  }
  return good ? "" : good.error().what;
}

TEST(EngineKinds, AreFoundByTheirNames) {
  std::set<std::string> names, variables;
  for (const EngineKind& kind : engine_kinds()) {
    EXPECT_EQ(find_kind(kind.name), &kind);
    EXPECT_EQ(&kind_of(kind.id), &kind);
    EXPECT_NE(kind.open, nullptr);
    EXPECT_EQ(format_names(kind).empty(), kind.plugged) << kind.name;
    names.insert(kind.name);
    if (!kind.plugged) variables.insert(kind.variable);
  }
  EXPECT_EQ(names.size(), engine_kinds().size());
  EXPECT_EQ(variables.size(), engine_kinds().size() - 2);  // Both kinds of plug-ins have none.
  EXPECT_EQ(find_kind("keras"), nullptr);
  EXPECT_EQ(find_kind(""), nullptr);
  EXPECT_EQ(EngineChoice{}.kind, engine_kinds().front().name);
}

TEST(EngineKinds, HaveOneOfThemForEachFormat) {
  EXPECT_EQ(default_engine("m.tflite").id, EngineId::kLiteRt);
  EXPECT_EQ(default_engine("m.onnx").id, EngineId::kOnnxRuntime);
  EXPECT_EQ(default_engine("m.xml").id, EngineId::kOpenVino);
  EXPECT_EQ(default_engine("m.so").id, EngineId::kTvm);
  EXPECT_EQ(default_engine("m.bin").id, EngineId::kLiteRt);
  for (const FormatKind& format : file_formats())
    EXPECT_TRUE(kind_of(format.default_engine).opens(format.id)) << format.name;
}

TEST(EngineKinds, OpenEveryFormatThatIsReadHere) {
  for (const model::Format format : {model::Format::kTflite, model::Format::kOnnx}) {
    const std::string name = model::operations_of(format).name;
    EXPECT_TRUE(default_engine("m." + name).opens(name)) << name;
  }
  EXPECT_FALSE(kind_of(EngineId::kLiteRt).opens("onnx"));
  EXPECT_FALSE(kind_of(EngineId::kLiteRt).opens("keras"));
  EXPECT_THAT(format_names(kind_of(EngineId::kOpenVino)),
              ElementsAre("tflite", "onnx", "openvino-ir"));
  EXPECT_THAT(check_format(kind_of(EngineId::kOpenVino), "tvm", "m.so").error().what,
              HasSubstr("is a model of format tvm, engine openvino loads tflite, onnx, "
                        "openvino-ir; choose another engine"));
}

TEST(EngineKinds, RecognizeClosedFormatsByTheirFirstBytes) {
  EXPECT_EQ(closed_format(view_of("\x7f"
                                  "ELF\x02")),
            FileFormat::kTvm);
  EXPECT_EQ(closed_format(view_of("\xef\xbb\xbf\n<?xml version=\"1.0\"?>")),
            FileFormat::kOpenVinoIr);
  EXPECT_EQ(closed_format(view_of("<net name=\"m\">")), FileFormat::kOpenVinoIr);
  EXPECT_EQ(closed_format(view_of("TFL3")), std::nullopt);
  EXPECT_EQ(closed_format({}), std::nullopt);
}

TEST(EngineKinds, RefuseTheOptionsOfOthersByName) {
  EXPECT_THAT(refusal(EngineId::kTflite, OnnxRuntimeOptions{Optimization::kOff}),
              HasSubstr("--optimization is for onnxruntime; engine tflite has no such setting"));
  EXPECT_THAT(refusal(EngineId::kTvm, OnnxRuntimeOptions{Optimization::kAll, false}),
              HasSubstr("--no-spinning is for onnxruntime; engine tvm has no such setting"));
  EXPECT_THAT(refusal(EngineId::kOpenVino, TfliteOptions{Kernels::kBuiltin}),
              HasSubstr("engine openvino has one set of kernels; --kernels builtin is for litert "
                        "and tflite"));
  SessionOptions precise;
  precise.precision = Precision::kEngine;
  EXPECT_THAT(
      check_options(kind_of(EngineId::kTvm), precise).error().what,
      HasSubstr("--precision engine is for litert, tflite, onnxruntime and openvino; engine "
                "tvm has no such setting"));
  SessionOptions delegated;
  delegated.delegates = {{{}, {}, Delegate::Kind::kGpu}};
  const auto refused = check_options(kind_of(EngineId::kOpenVino), delegated);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(refused.error().what,
              AllOf(HasSubstr("engine openvino takes no delegates such as 'gpu'"),
                    HasSubstr("--delegate is for litert, tflite and onnxruntime")));
  for (const EngineId takes : {EngineId::kLiteRt, EngineId::kTflite})
    EXPECT_TRUE(check_options(kind_of(takes), delegated));
}

TEST(EngineKinds, LetAPlanSayWhatItSays) {
  const auto refusal_of = [](const auto& set) {
    SessionOptions options;
    set(options);
    const auto good = check_options(kind_of(EngineId::kStretch), options);
    EXPECT_EQ(good.error().kind, ErrorKind::kUsage);
    return good.error().what;
  };
  EXPECT_THAT(refusal_of([](SessionOptions& one) { one.threads = 2; }),
              HasSubstr("--threads with a plan"));
  EXPECT_THAT(refusal_of([](SessionOptions& one) { one.cpus = {0}; }),
              HasSubstr("--cpus with a plan"));
  EXPECT_THAT(refusal_of([](SessionOptions& one) { one.own = TfliteOptions{Kernels::kXnnpack}; }),
              HasSubstr("--kernels with a plan"));
  EXPECT_THAT(refusal_of([](SessionOptions& one) {
                one.delegates = {{{}, {}, Delegate::Kind::kGpu}};
              }),
              HasSubstr("leave --delegate out, or change the plan"));
}

TEST(EngineKinds, TakeDefaultsOfOthers) {
  for (const EngineKind& kind : engine_kinds())
    for (const OwnOptions& own :
         {OwnOptions(), OwnOptions(TfliteOptions{}), OwnOptions(OnnxRuntimeOptions{})}) {
      SessionOptions options;
      options.own = own;
      EXPECT_TRUE(check_options(kind, options)) << kind.name;
    }
}

TEST(EngineKinds, NameOneThatCanWhatAnotherCannot) {
  EXPECT_EQ(engine_like(kind_of(EngineId::kLiteRt), Capability::kModelState)->id,
            EngineId::kTflite);
  EXPECT_EQ(engine_like(kind_of(EngineId::kTflite), Capability::kModelState)->id,
            EngineId::kTflite);
  EXPECT_EQ(engine_like(kind_of(EngineId::kOnnxRuntime), Capability::kModelState), nullptr);
}

TEST(Capabilities, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Capability capability : all_capabilities()) names.insert(name(capability));
  EXPECT_EQ(names.size(), all_capabilities().size());
  EXPECT_EQ(names.count("unknown"), 0u);
}

TEST(KernelNames, ReadBackAsThemselves) {
  for (const Kernels kernels : {Kernels::kXnnpack, Kernels::kBuiltin, Kernels::kReference})
    EXPECT_EQ(kernels_from_name(name(kernels)), kernels);
  EXPECT_FALSE(kernels_from_name("fast"));
}

}  // namespace
}  // namespace edgeprobe::engine::testing
