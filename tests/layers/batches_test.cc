// SPDX-License-Identifier: Apache-2.0
// Layers that are replayed side by side have the figures that each has by itself.
#include "layers/replay/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "core/index.h"
#include "engine/fixtures.h"
#include "model/capture_list.h"
#include "model/cut.h"
#include "source_dir.h"

namespace edgeprobe::layers {
namespace {

constexpr std::size_t kFrames = 3;

// Another engine, which counts what it loads and refuses some of it.
class Counting final : public engine::Engine {
 public:
  explicit Counting(engine::Engine& behind) : behind_(behind) {}
  const engine::EngineIdentity& identity() const override { return behind_.identity(); }
  Result<std::unique_ptr<engine::Session>> load(ByteView model, std::string_view label,
                                                const engine::SessionOptions& options) override {
    ++loads;
    if (refused.count(std::string(label)) ||
        (refuses_batches && label.substr(0, 7) == std::string_view("layers ")))
      return Error{ErrorKind::kTarget, "ended by signal 11 while it loaded " + std::string(label)};
    return behind_.load(model, label, options);
  }
  std::set<std::string> refused;
  bool refuses_batches = false;
  std::size_t loads = 0;

 private:
  engine::Engine& behind_;
};

class Batches : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    EDGEPROBE_NEED_ENGINE("litert");
    auto opened = engine::open_in_process({"litert", {}});
    ASSERT_TRUE(opened) << opened.error().what;
    engine_ = *std::move(opened);
    counting_ = std::make_unique<Counting>(*engine_);
    host_.engine = counting_.get();
    host_.options.own = engine::TfliteOptions{engine::Kernels::kBuiltin};
    const auto path = std::filesystem::path(edgeprobe::test::source_dir()) / "models" / GetParam();
    bytes_ = *read_file(path);
    graph_ = *model::read_model(bytes_, GetParam(), {});
    record();
    for (const model::Layer& layer : graph_.layers)
      if (unplayable(file(), layer.index, values_).empty()) layers_.push_back(layer.index);
    ASSERT_GE(layers_.size(), 10u);
  }

  void record() {
    const auto tensors = model::capturable(graph_);
    auto all = engine_->load(*model::promote(graph_, bytes_, tensors), "all", host_.options);
    ASSERT_TRUE(all) << all.error().what;
    const auto shown = model::promoted_outputs(graph_, tensors);
    for (unsigned frame = 0; frame < kFrames; ++frame) {
      const auto inputs = engine::testing::seeded_inputs(**all, frame);
      const auto made = (*all)->infer(engine::testing::views(inputs));
      ASSERT_TRUE(made);
      values_.add(graph_.inputs[0], {spec(graph_.inputs[0]), inputs[0].bytes});
      for (std::size_t i = 0; i < shown.size(); ++i) {
        Tensor value{spec(shown[i]), made->outputs[i].bytes};
        // One layer differs from what its kernel computes.
        if (shown[i] == graph_.layers[kFaulty].outputs[0])
          for (std::size_t b = 2; b < value.bytes.size(); b += 4) value.bytes[b] ^= std::byte{0x10};
        values_.add(shown[i], std::move(value));
      }
    }
  }

  KernelError by_itself(int layer) {
    const Host host{engine_.get(), host_.options};
    auto fragment = open_layer(host, file(), layer, values_);
    EXPECT_TRUE(fragment) << layer;
    return *kernel_error_of(file(), layer, *fragment, values_);
  }

  ModelFile file() const { return {&graph_, bytes_}; }
  const TensorSpec& spec(int tensor) const { return graph_.tensors[at(tensor)].spec; }

  static constexpr std::size_t kFaulty = 5;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<Counting> counting_;
  Host host_;
  Bytes bytes_;
  model::Graph graph_;
  HeldValues values_{kFrames};
  std::vector<int> layers_;
};

void expect_equal(const KernelError& a, const KernelError& b) {
  EXPECT_EQ(a.layer, b.layer);
  EXPECT_EQ(a.not_checked, b.not_checked);
  EXPECT_EQ(a.integer, b.integer);
  EXPECT_EQ(a.largest, b.largest);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.differing, b.differing);
  EXPECT_EQ(a.relative_l2, b.relative_l2);
  EXPECT_EQ(a.elements, b.elements);
  EXPECT_EQ(a.live, b.live);
  EXPECT_EQ(a.not_finite, b.not_finite);
  EXPECT_EQ(a.steps_used, b.steps_used);
  EXPECT_EQ(a.faulty, b.faulty);
}

TEST_P(Batches, HaveTheFiguresOfEachLayerByItself) {
  const auto found = kernel_errors_of(host_, file(), layers_, values_, {});
  ASSERT_TRUE(found) << found.error().what;
  ASSERT_EQ(found->size(), layers_.size());
  for (std::size_t i = 0; i < layers_.size(); ++i) expect_equal((*found)[i], by_itself(layers_[i]));
  EXPECT_TRUE(std::any_of(found->begin(), found->end(),
                          [](const auto& one) { return one.layer == int(kFaulty) && one.faulty; }));
  EXPECT_LT(counting_->loads, layers_.size() / 2) << "each batch is opened once";
}

TEST_P(Batches, NoLayerReadsWhatAnotherOfItsBatchComputes) {
  std::vector<int> all;
  for (const auto& batch : batches_of(file(), layers_, values_)) {
    std::set<int> made, fed;
    for (const int layer : batch) {
      const model::Part part = model::one_op(graph_, layer);
      fed.insert(part.inputs.begin(), part.inputs.end());
      for (const int one : part.layers)
        made.insert(graph_.layers[at(one)].outputs.begin(), graph_.layers[at(one)].outputs.end());
    }
    for (const int tensor : fed) EXPECT_FALSE(made.count(tensor)) << tensor;
    all.insert(all.end(), batch.begin(), batch.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, layers_);
}

TEST_P(Batches, AnEngineThatRefusesThemReplaysLayerByLayer) {
  counting_->refuses_batches = true;
  counting_->refused = {"layer " + std::to_string(layers_[2])};
  const auto found = kernel_errors_of(host_, file(), layers_, values_, {});
  ASSERT_TRUE(found) << found.error().what;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (i == 2) EXPECT_NE((*found)[i].not_checked.find("signal 11"), std::string::npos);
    else expect_equal((*found)[i], by_itself(layers_[i]));
  }
}

TEST_P(Batches, StopEndsThem) {
  const std::atomic<bool> stop = true;
  const auto found = kernel_errors_of(host_, file(), layers_, values_, {&stop, {}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kInterrupted);
}

INSTANTIATE_TEST_SUITE_P(Models, Batches,
                         ::testing::Values("signs_float.tflite", "signs_int8.tflite"));

}  // namespace
}  // namespace edgeprobe::layers
