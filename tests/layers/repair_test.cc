// SPDX-License-Identifier: Apache-2.0
// Real models on the real runtime: what repaired models compute, and what becomes of engines that
// refuse or crash.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "core/file.h"
#include "engine/fixtures.h"
#include "layers/replay/activation_patching.h"
#include "layers/replay/kernel_error.h"
#include "layers/search/finding.h"
#include "layers/search/repaired.h"
#include "model/edit.h"
#include "source_dir.h"

namespace edgeprobe::layers {
namespace {

struct File {
  Bytes bytes;
  model::Graph graph;
  ModelFile view() const { return {&graph, bytes}; }
};
File file_of(const char* name) {
  File file;
  auto bytes = read_file(std::filesystem::path(edgeprobe::test::source_dir()) / "models" / name);
  EXPECT_TRUE(bytes) << name;
  if (bytes) file.bytes = *std::move(bytes);
  auto graph = model::read_model(file.bytes, name, {});
  EXPECT_TRUE(graph) << graph.error().what;
  file.graph = *std::move(graph);
  return file;
}

class Repaired : public ::testing::Test {
 protected:
  void SetUp() override {
    EDGEPROBE_NEED_ENGINE("litert");
    auto opened = engine::open_in_process({"litert", {}});
    ASSERT_TRUE(opened) << opened.error().what;
    engine_ = *std::move(opened);
    host_ = {engine_.get(), {}};
    host_.options.own = engine::TfliteOptions{engine::Kernels::kBuiltin};
  }
  std::unique_ptr<engine::Session> whole(const File& file) {
    auto session = engine_->load(file.bytes, "whole", host_.options);
    EXPECT_TRUE(session) << session.error().what;
    return *std::move(session);
  }
  Workspace workspace() {
    return workspace_of(host_, reference_.view(), target_.view(),
                        pair_up(reference_.graph, target_.graph), nullptr);
  }

  std::unique_ptr<engine::Engine> engine_;
  Host host_;
  File reference_ = file_of("signs_float.tflite"), target_ = file_of("signs_int8.tflite");
};

TEST_F(Repaired, WithoutRepairsItIsTheModelItself) {
  const Workspace workspace = this->workspace();
  auto session = whole(target_);
  auto repaired = RepairedModel::open(workspace, {}, {});
  ASSERT_TRUE(repaired) << repaired.error().what;
  const auto inputs = engine::testing::seeded_inputs(*session);
  const auto expected = session->infer(engine::testing::views(inputs)),
             got = (*repaired)->infer(engine::testing::views(inputs));
  ASSERT_TRUE(expected && got);
  EXPECT_EQ(expected->outputs[0].bytes, got->outputs[0].bytes);
}

TEST_F(Repaired, EveryLayerOfAHealthyModelCanBeRepairedAndChangesLittle) {
  const Workspace workspace = this->workspace();
  ASSERT_EQ(workspace.pairing.ops.size(), 19u);
  auto session = whole(target_);
  const auto inputs = engine::testing::seeded_inputs(*session);
  const auto expected = to_float(session->infer(engine::testing::views(inputs))->outputs[0]);
  for (const OpPair& pair : workspace.pairing.ops) {
    auto repaired = RepairedModel::open(workspace, {{pair, std::nullopt}}, {});
    ASSERT_TRUE(repaired) << pair.target_layer << ": " << repaired.error().what;
    const auto got = (*repaired)->infer(engine::testing::views(inputs));
    ASSERT_TRUE(got) << pair.target_layer << ": " << got.error().what;
    const auto values = to_float(got->outputs[0]);
    for (std::size_t i = 0; i < values->size(); ++i)
      EXPECT_NEAR((*values)[i], (*expected)[i], 0.1) << pair.target_layer;
  }
}

// Found by cut_fuzz: the ratio of the scales was used without a check.
TEST_F(Repaired, AScaleThatIsNoPositiveNumberIsRefused) {
  const OpPair pair = workspace().pairing.ops[6];
  const Quantization right =
      target_.graph.tensors[static_cast<std::size_t>(pair.target)].spec.quantization;
  for (const float broken : {std::numeric_limits<float>::quiet_NaN(), 0.0f, -1.0f}) {
    target_.graph.tensors[static_cast<std::size_t>(pair.target)].spec.quantization.scale[0] =
        broken;
    const Bytes before = target_.bytes;
    EXPECT_FALSE(model::set_scale(target_.graph, target_.bytes, pair.target, right.scale[0],
                                  right.zero_point[0]))
        << broken;
    EXPECT_EQ(target_.bytes, before);
  }
}

TEST_F(Repaired, AClippedLayerGetsItsRangeBack) {
  auto session = whole(target_);
  const auto inputs = engine::testing::seeded_inputs(*session);
  const auto expected = to_float(session->infer(engine::testing::views(inputs))->outputs[0]);
  const OpPair pair = workspace().pairing.ops[6];
  const Quantization right =
      target_.graph.tensors[static_cast<std::size_t>(pair.target)].spec.quantization;
  // A quarter of the range; the biases of its readers follow, as in a file made with that scale.
  ASSERT_TRUE(model::set_scale(target_.graph, target_.bytes, pair.target, right.scale[0] / 4,
                               right.zero_point[0]));
  target_.graph = *model::read_model(target_.bytes, "clipped", {});

  const Workspace workspace = this->workspace();
  const auto distance = [&](const std::vector<Repair>& repairs) {
    auto repaired = RepairedModel::open(workspace, repairs, {});
    EXPECT_TRUE(repaired) << repaired.error().what;
    const auto values = to_float((*repaired)->infer(engine::testing::views(inputs))->outputs[0]);
    double sum = 0;
    for (std::size_t i = 0; i < values->size(); ++i) sum += std::abs((*values)[i] - (*expected)[i]);
    return sum;
  };
  const double clipped = distance({}), unchanged = distance({{pair, std::nullopt}}),
               repaired = distance({{pair, Affine{right.scale[0], right.zero_point[0]}}});
  EXPECT_GT(clipped, 0.2);
  // Right arithmetic with the old scale fixes nothing: the scale is the cause.
  EXPECT_GT(unchanged, 0.5 * clipped);
  EXPECT_LT(repaired, 0.2 * clipped);
}

TEST_F(Repaired, AClippedLayerIsMendedByItsOwnOperator) {
  auto session = whole(target_);
  const auto inputs = engine::testing::seeded_inputs(*session);
  const auto expected = to_float(session->infer(engine::testing::views(inputs))->outputs[0]);
  const OpPair pair = workspace().pairing.ops[6];
  const Quantization right =
      target_.graph.tensors[static_cast<std::size_t>(pair.target)].spec.quantization;
  ASSERT_TRUE(model::set_scale(target_.graph, target_.bytes, pair.target, right.scale[0] / 4,
                               right.zero_point[0]));
  target_.graph = *model::read_model(target_.bytes, "clipped", {});
  const Workspace workspace = this->workspace();
  auto repaired = RepairedModel::open(
      workspace, {{pair, Affine{right.scale[0], right.zero_point[0]}, Repair::By::kOwn}}, {});
  ASSERT_TRUE(repaired) << repaired.error().what;
  const auto values = to_float((*repaired)->infer(engine::testing::views(inputs))->outputs[0]);
  // The file equals the original again, except for biases that were rounded twice.
  for (std::size_t i = 0; i < values->size(); ++i) EXPECT_NEAR((*values)[i], (*expected)[i], 0.02);
}

TEST_F(Repaired, ABiasGetsItsValuesBackAndAWiderScaleWhereItNeedsOne) {
  const Workspace healthy = workspace();
  const OpPair pair = healthy.pairing.ops[7];
  const int layer = pair.target_layer;
  const model::Layer& op = target_.graph.layers[static_cast<std::size_t>(layer)];
  const auto before = to_float(*model::constant(target_.graph, target_.bytes, op.inputs[2]));
  ASSERT_TRUE(before);
  // Setting the file's own values changes nothing.
  Bytes same = target_.bytes;
  ASSERT_TRUE(model::set_bias(target_.graph, same, layer, *before));
  EXPECT_EQ(same, target_.bytes);
  // A value beyond 32 bits raises only the scale of its channel's weights.
  auto far = *before;
  const auto& weights =
      target_.graph.tensors[static_cast<std::size_t>(op.inputs[1])].spec.quantization.scale;
  const double fed =
      target_.graph.tensors[static_cast<std::size_t>(op.inputs[0])].spec.quantization.scale[0];
  far[3] = static_cast<float>(3e9 * fed * weights[3]);
  Bytes wide = target_.bytes;
  ASSERT_TRUE(model::set_bias(target_.graph, wide, layer, far));
  const auto graph = model::read_model(wide, "wide", {});
  ASSERT_TRUE(graph) << graph.error().what;
  const auto after = to_float(*model::constant(*graph, wide, op.inputs[2]));
  for (std::size_t c = 0; c < far.size(); ++c)
    EXPECT_NEAR((*after)[c], far[c], 1e-4 * std::abs(far[c]) + 1e-6) << c;
  const auto& scales =
      graph->tensors[static_cast<std::size_t>(op.inputs[1])].spec.quantization.scale;
  for (std::size_t c = 0; c < scales.size(); ++c)
    EXPECT_TRUE(c == 3 ? scales[c] > weights[c] : scales[c] == weights[c]) << c;
  EXPECT_FALSE(model::set_bias(target_.graph, wide, 5, *before)) << "ADD has no bias";
}

// Loads and runs with another engine, except for what the test makes it refuse.
class Moody final : public engine::Engine {
 public:
  Moody(engine::Engine& behind, std::string refused)
      : behind_(behind), refused_(std::move(refused)) {}
  const engine::EngineIdentity& identity() const override { return behind_.identity(); }
  Result<std::unique_ptr<engine::Session>> load(ByteView model, std::string_view label,
                                                const engine::SessionOptions& options) override {
    if (refused_.empty() || label == refused_)
      return Error{
          ErrorKind::kTarget,
          "the engine process was ended by signal 11 while it loaded " + std::string(label)};
    return behind_.load(model, label, options);
  }

 private:
  engine::Engine& behind_;
  std::string refused_;
};

TEST_F(Repaired, AnEngineThatCrashesCostsOneLayer) {
  Moody moody(*engine_, "layer 3");
  host_.engine = &moody;
  const Workspace workspace = this->workspace();
  auto session = whole(reference_);
  // The reference compared with itself; every layer is captured.
  const auto tensors = model::capturable(reference_.graph);
  const auto promoted = *model::promote(reference_.graph, reference_.bytes, tensors);
  auto all = engine_->load(promoted, "all", host_.options);
  ASSERT_TRUE(all);
  const auto inputs = engine::testing::seeded_inputs(**all);
  const auto made = (*all)->infer(engine::testing::views(inputs));
  HeldValues values(1);
  values.add(reference_.graph.inputs[0],
             {reference_.graph.tensors[static_cast<std::size_t>(reference_.graph.inputs[0])].spec,
              inputs[0].bytes});
  const auto shown = model::promoted_outputs(reference_.graph, tensors);
  for (std::size_t i = 0; i < shown.size(); ++i)
    values.add(shown[i], {reference_.graph.tensors[static_cast<std::size_t>(shown[i])].spec,
                          made->outputs[i].bytes});

  std::vector<int> crashed;
  for (const OpPair& pair : workspace.pairing.ops) {
    const auto local = local_error(workspace, pair, values);
    if (local) continue;
    crashed.push_back(pair.reference_layer);
    EXPECT_EQ(local.error().kind, ErrorKind::kTarget);
  }
  EXPECT_EQ(crashed, std::vector{3});
}

TEST_F(Repaired, AnEngineThatNeverLoadsSaysSo) {
  Moody moody(*engine_, "");
  host_.engine = &moody;
  const Workspace workspace = this->workspace();
  const auto repaired = RepairedModel::open(workspace, {}, {});
  ASSERT_FALSE(repaired);
  EXPECT_NE(repaired.error().what.find("signal 11"), std::string::npos);
}

TEST_F(Repaired, StoppingEndsTheSearch) {
  const Workspace workspace = this->workspace();
  HeldValues none(1);
  Accumulated sums;
  sums.pairs.resize(workspace.pairing.ops.size());
  std::atomic<bool> stop{true};
  const std::vector<int> logits = logits_of(reference_.graph);
  const auto found = search(
      {workspace, logits, none, none, sums, 1.0, 4e-4, kIntegerLimits, false, false, 1 << 20},
      {&stop, {}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace edgeprobe::layers
