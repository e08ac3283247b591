// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "compare/align/align.h"
#include "compare/align/constants.h"
#include "source_dir.h"

namespace edgeprobe::compare {
namespace {

namespace fs = std::filesystem;

fs::path shared(const std::string& name) {
  const char* data = std::getenv("EDGEPROBE_SHARED_DATA");
  return (data ? fs::path(data) : fs::path(edgeprobe::test::source_dir()) / "../shared/data") /
         "models" / name;
}

struct Loaded {
  model::FileBytes file;
  model::Graph graph;
};

Loaded load(const fs::path& path) {
  Loaded loaded;
  auto graph = model::load(path, loaded.file);
  EXPECT_TRUE(graph) << graph.error().what;
  if (graph) loaded.graph = *std::move(graph);
  return loaded;
}

ConstantComparison compare(const Loaded& r, const Loaded& t) {
  auto result = compare_constants(r.graph, r.file, t.graph, t.file);
  EXPECT_TRUE(result) << result.error().what;
  return result ? *std::move(result) : ConstantComparison{};
}

TEST(Constants, OfOurOwnPairAreOneModel) {
  const auto models = fs::path(edgeprobe::test::source_dir()) / "models";
  const auto r = load(models / "signs_float.tflite"), t = load(models / "signs_int8.tflite");
  for (const auto& c : {compare(r, t), compare(t, r), compare(r, r), compare(t, t)}) {
    EXPECT_FALSE(c.other_model) << c.sentence;
    EXPECT_EQ(c.differing, 0u) << c.sentence;
    EXPECT_EQ(c.paired, c.weighted_reference);
    EXPECT_GT(c.paired, 10u);
    for (const LayerConstants& layer : c.layers) EXPECT_LE(*layer.weight_steps, 0.51) << layer.name;
  }
  EXPECT_TRUE(compare(r, r).layers[0].identical);
}

// Sets the weights to zero in all channels but the first two, in a layer whose channels come last.
Bytes with_dead_channels(const Loaded& model, int tensor, std::size_t channels) {
  const model::ModelTensor& weights = model.graph.tensors[static_cast<std::size_t>(tensor)];
  Bytes bytes = ByteView(model.file).copy();
  const std::size_t each = size_of(weights.spec.dtype);
  for (std::size_t i = 0; i < weights.data_size / each; ++i)
    if (i % channels > 1)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(weights.data_offset + i * each), each,
                  std::byte{0});
  return bytes;
}

TEST(Constants, AStepForAllChannelsIsJudgedWhereThereIsOneAndTheyLive) {
  const auto models = fs::path(edgeprobe::test::source_dir()) / "models";
  const auto r = load(models / "signs_float.tflite");
  auto t = load(models / "signs_int8.tflite");
  for (const LayerConstants& layer : compare(r, t).layers) {
    const int weights = t.graph.layers[static_cast<std::size_t>(layer.target_layer)].inputs[1];
    const auto& scale = t.graph.tensors[static_cast<std::size_t>(weights)].spec.quantization.scale;
    EXPECT_EQ(layer.step_width.has_value(), scale.size() == 1) << layer.name;
  }
  for (const model::Layer& layer : t.graph.layers) {
    if (layer.type != "DEPTHWISE_CONV_2D") continue;
    const int of_r = r.graph.layers[static_cast<std::size_t>(layer.index)].inputs[1];
    model::ModelTensor& weights = t.graph.tensors[static_cast<std::size_t>(layer.inputs[1])];
    const auto channels = static_cast<std::size_t>(weights.spec.shape.back());
    const float scale = weights.spec.quantization.scale[0];
    weights.spec.quantization.scale = {1000 * scale};
    weights.spec.quantization.zero_point = {0};
    const Bytes dead_r = with_dead_channels(r, of_r, channels),
                dead_t = with_dead_channels(t, layer.inputs[1], channels);
    const auto found = compare_constants(r.graph, dead_r, t.graph, dead_t);
    ASSERT_TRUE(found) << found.error().what;
    const auto one =
        std::find_if(found->layers.begin(), found->layers.end(),
                     [&](const LayerConstants& c) { return c.target_layer == layer.index; });
    ASSERT_NE(one, found->layers.end());
    // Both have codes up to about 127 with that step.
    EXPECT_NEAR(one->step_width.value_or(0), 1, 0.2) << layer.index;
    break;
  }
}

TEST(Constants, OfSharedPairsAreOneModel) {
  if (!fs::exists(shared("mlperf_tiny")))
    GTEST_SKIP() << "no shared data: set EDGEPROBE_SHARED_DATA";
  struct Pair {
    const char *reference, *target;
    double steps;
  };
  const Pair pairs[] = {
      {"mlperf_tiny/pretrainedResnet.tflite", "mlperf_tiny/pretrainedResnet_quant.tflite", 0.51},
      {"mlperf_tiny/vww_96_float.tflite", "mlperf_tiny/vww_96_int8.tflite", 0.51},
      // Its "float32" filters are int8 with other scales: two roundings.
      {"mlperf_tiny/kws_ref_model_float32.tflite", "mlperf_tiny/kws_ref_model.tflite", 1.0}};
  for (const auto& [r, t, steps] : pairs) {
    const auto c = compare(load(shared(r)), load(shared(t)));
    SCOPED_TRACE(std::string(r) + ": " + c.sentence);
    EXPECT_FALSE(c.other_model);
    EXPECT_EQ(c.differing, 0u);
    EXPECT_EQ(c.paired, c.weighted_reference);
    for (const LayerConstants& layer : c.layers) {
      EXPECT_LE(*layer.weight_steps, steps) << layer.name;
      EXPECT_LE(*layer.bias_share, 0.011) << layer.name;
    }
  }
}

TEST(Constants, OfATrainedTwinAreAnotherModel) {
  if (!fs::exists(shared("aeq"))) GTEST_SKIP() << "no shared data: set EDGEPROBE_SHARED_DATA";
  const auto c = compare(load(shared("aeq/conv_fc_mnist.tflite")),
                         load(shared("aeq/conv_fc_mnist_srq_a8w8.tflite")));
  EXPECT_TRUE(c.other_model) << c.sentence;
  EXPECT_EQ(c.differing, 3u);
  EXPECT_NEAR(*c.layers[0].weight_steps, 414, 1);
  const auto qat = compare(load(shared("tflite_support/mobilenet_v1_0.25_224_1_default_1.tflite")),
                           load(shared("tflite_support/mobilenet_v1_0.25_224_quant.tflite")));
  EXPECT_TRUE(qat.other_model) << qat.sentence;
  // Training scaled the channels of a few layers, and changed little else in them.
  EXPECT_EQ(qat.differing + qat.moved, 28u);
  EXPECT_GT(qat.differing, 20u);
}

TEST(Constants, OfOtherArchitecturesAreAnotherModel) {
  if (!fs::exists(shared("mlperf_tiny")))
    GTEST_SKIP() << "no shared data: set EDGEPROBE_SHARED_DATA";
  const auto c = compare(load(shared("mlperf_tiny/pretrainedResnet.tflite")),
                         load(shared("mlperf_tiny/vww_96_int8.tflite")));
  EXPECT_TRUE(c.other_model) << c.sentence;
}

TEST(Constants, GraphsOfSharedPairsAlignInFull) {
  if (!fs::exists(shared("mlperf_tiny")))
    GTEST_SKIP() << "no shared data: set EDGEPROBE_SHARED_DATA";
  const std::pair<const char*, const char*> pairs[] = {
      {"mlperf_tiny/pretrainedResnet.tflite", "mlperf_tiny/pretrainedResnet_quant.tflite"},
      {"mlperf_tiny/vww_96_float.tflite", "mlperf_tiny/vww_96_int8.tflite"},
      {"aeq/conv_fc_mnist.tflite", "aeq/conv_fc_mnist_srq_a8w8.tflite"},
      {"tflite_support/mobilenet_v1_0.25_224_1_default_1.tflite",
       "tflite_support/mobilenet_v1_0.25_224_quant.tflite"}};
  for (const auto& [r, t] : pairs) {
    const auto reference = load(shared(r)), target = load(shared(t));
    std::vector<int> tensors_r, tensors_t;
    auto items_r = items_of(reference.graph, tensors_r),
         items_t = items_of(target.graph, tensors_t);
    const auto named = align(items_r, items_t);
    EXPECT_EQ(named.coverage(), 1) << r;
    // The same without names: pairs only by type and order, with the same result.
    for (Item& item : items_t) item.name.clear();
    const auto ordered = align(items_r, items_t);
    EXPECT_EQ(ordered.coverage(), 1) << r;
    ASSERT_EQ(named.pairs.size(), ordered.pairs.size());
    for (std::size_t i = 0; i < named.pairs.size(); ++i)
      EXPECT_EQ(named.pairs[i].target, ordered.pairs[i].target);
  }
}

}  // namespace
}  // namespace edgeprobe::compare
