// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain.h"

namespace edgeprobe::diagnose {
namespace {

layers::KernelError kernel_error(int layer, bool faulty) {
  layers::KernelError made;
  made.layer = layer;
  made.faulty = faulty;
  made.integer = true;
  made.largest = faulty ? 40 : 1;
  made.mean = 0.5;
  return made;
}

TEST(OnlyRounding, IsOneFileWhoseLayersAllComputeWhatTheHostComputes) {
  layers::Analysis analysis;
  analysis.same_model = true;
  analysis.rows = {pair(0), pair(1)};
  EXPECT_FALSE(is_only_rounding(analysis)) << "no layer was checked";
  analysis.rows[0].kernel_error = kernel_error(0, false);
  EXPECT_FALSE(is_only_rounding(analysis)) << "the reference's layers were not";
  analysis.reference_checked = true;
  EXPECT_TRUE(is_only_rounding(analysis));
  analysis.reference_kernels.emplace_back();
  EXPECT_FALSE(is_only_rounding(analysis));
  analysis.reference_kernels.clear();
  analysis.not_checked = {{1, "it reads a string"}};
  EXPECT_FALSE(is_only_rounding(analysis));
  analysis.not_checked.clear();
  analysis.kernels.emplace_back();
  EXPECT_FALSE(is_only_rounding(analysis));
  analysis.kernels.clear();
  analysis.same_model = false;
  EXPECT_FALSE(is_only_rounding(analysis));
}

TEST(Figures, TellTheFaultyLayerFromThoseThatSufferAndThoseThatAmplify) {
  pipeline::Pipeline reference;
  reference.graph = chain(5);
  Case known;
  known.reference_pipeline = &reference;
  layers::Analysis analysis;
  for (int i = 0; i < 5; ++i) {
    analysis.rows.push_back(pair(i));
    analysis.rows.back().nse = i == 4 ? 1e-5 : 0.5;
    analysis.rows.back().measured.error_gain = 1;
    analysis.rows.back().kernel_error = kernel_error(i, i == 1);
  }
  analysis.rows[3].measured.error_gain = 5;
  analysis.rows[2].measured.local.emplace();
  analysis.rows[2].measured.local->error = 4;
  analysis.rows[2].measured.local->relative = 0.2;
  analysis.rows[2].measured.local->floor = 1;
  const auto figures = figures_of(known, analysis);
  ASSERT_EQ(figures.size(), 5U);
  EXPECT_EQ(figures.at("t1").layer_class, std::nullopt) << "in front of the fault";
  EXPECT_EQ(figures.at("t2").layer_class, LayerClass::kFaulty);
  EXPECT_EQ(figures.at("t3").layer_class, LayerClass::kVictim);
  EXPECT_EQ(figures.at("t4").layer_class, LayerClass::kAmplifier);
  EXPECT_EQ(figures.at("t5").layer_class, std::nullopt) << "too near to the reference";
  EXPECT_EQ(figures.at("t2").kernel_error, 40);
  EXPECT_EQ(figures.at("t2").kernel_error_unit, KernelErrorUnit::kLsb);
  EXPECT_EQ(figures.at("t3").local_error, 0.2);
  // The floor over the standard deviation that makes 4 a relative 0.2: 1 / 20.
  EXPECT_DOUBLE_EQ(*figures.at("t3").floor, 0.05);
}

TEST(Summary, CountsWhatWasCheckedAndListsWhatWasNot) {
  pipeline::Pipeline reference, target;
  reference.graph = chain(3);
  target.graph = chain(3, "QLinearConv");
  Case known;
  known.reference_pipeline = &reference;
  known.target_model = &target;
  layers::Analysis analysis;
  analysis.frames = 7;
  analysis.rows = {pair(0), pair(1), pair(2)};
  analysis.rows[0].kernel_error = kernel_error(0, false);
  analysis.rows[2].measured.no_local = "its inputs are not recorded";
  analysis.not_checked = {{1, "no kernel"}};
  const LayerFaultSummary summary = summary_of(known, analysis);
  EXPECT_EQ(summary.frames, 7U);
  EXPECT_EQ(summary.checked, 1U);
  ASSERT_EQ(summary.not_checked.size(), 1U);
  EXPECT_EQ(summary.not_checked[0].name, "t2");
  EXPECT_EQ(summary.not_checked[0].type, "QLinearConv");
  ASSERT_EQ(summary.not_measured.size(), 1U);
  EXPECT_EQ(summary.not_measured[0].name, "t3");
  EXPECT_EQ(summary.not_measured[0].reason, "its inputs are not recorded");
}

}  // namespace
}  // namespace edgeprobe::diagnose
