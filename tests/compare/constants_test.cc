// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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
  EXPECT_EQ(qat.differing, 28u);
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
    // The same without names: by type and order alone, and to the same partners.
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
