// SPDX-License-Identifier: Apache-2.0
// What is said of weights, biases and ranges that are to blame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/layer_causes/layer_causes.h"

namespace edgeprobe::diagnose {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

std::vector<EvidenceKind> kinds(const Cause& cause) {
  std::vector<EvidenceKind> found;
  for (const Evidence& one : cause.evidence) found.push_back(one.kind);
  return found;
}

layers::Row with_constants(const compare::LayerConstants& constants, int counterpart = 0) {
  layers::Row row;
  row.counterpart = row.reference_layer = counterpart;
  row.measured.constants = constants;
  return row;
}

Cause weights(const compare::LayerConstants& constants) {
  Cause cause;
  say_weights(with_constants(constants), "W", cause);
  return cause;
}

TEST(SayWeights, WeightsAreOffByStepsThatRoundingDoesNotMake) {
  compare::LayerConstants constants;
  constants.weight_steps = 3.5;
  const Cause cause = weights(constants);
  EXPECT_EQ(cause.detail, "the weights of W are not the reference's");
  EXPECT_THAT(kinds(cause), ElementsAre(EvidenceKind::kWeightsDiffer));
  EXPECT_EQ(cause.evidence[0].values.at("steps"), Value(3.5));
}

TEST(SayWeights, ABiasIsToldAloneWhereTheWeightsAreRounded) {
  compare::LayerConstants constants;
  constants.weight_steps = 1;
  constants.bias_share = 0.2;
  const Cause cause = weights(constants);
  EXPECT_EQ(cause.detail, "the bias of W is not the reference's");
  EXPECT_THAT(kinds(cause), ElementsAre(EvidenceKind::kBiasDiffers));
}

TEST(SayWeights, OfAnotherShapeNoStepsAreCounted) {
  compare::LayerConstants constants;
  constants.same_shape = false;
  constants.bias_share = 0.2;
  const Cause cause = weights(constants);
  EXPECT_EQ(cause.detail, "the weights and the bias of W are not the reference's");
  EXPECT_THAT(kinds(cause), ElementsAre(EvidenceKind::kWeightsShape, EvidenceKind::kBiasDiffers));
}

TEST(SayBiases, BothFaultsOfAGroupAreToldWithTheirLayers) {
  layers::Analysis analysis;
  compare::LayerConstants cut, unscaled;
  cut.cut_off = 2;
  unscaled.bias_scale_ratio = 10;
  analysis.rows = {with_constants(cut, 3), with_constants(unscaled, 5)};
  layers::Finding finding;
  finding.group = {0, 1};
  Cause cause;
  say_biases(analysis, finding, "W", cause);
  EXPECT_THAT(cause.layers, ElementsAre(3, 5));
  EXPECT_EQ(cause.detail,
            "the int32 biases of layer 5 were not rescaled with the scale of their input, first in "
            "W: they are added in steps 10 times as wide as they were made for; and the int32 "
            "biases of 2 channels in layer 3 are cut off at the end of their 32 bits");
  EXPECT_THAT(kinds(cause),
              ElementsAre(EvidenceKind::kRescaleBiases, EvidenceKind::kWidenWeightScale));
}

TEST(SayBiases, OneLayerIsCalledByItsName) {
  layers::Analysis analysis;
  compare::LayerConstants cut;
  cut.cut_off = 1;
  analysis.rows = {with_constants(cut, 3)};
  layers::Finding finding;
  finding.group = {0};
  Cause cause;
  say_biases(analysis, finding, "W", cause);
  EXPECT_EQ(cause.detail,
            "the int32 biases of 1 channel in W are cut off at the end of their 32 bits");
}

TEST(SayCalibration, CountsTheLayersThatHaveARangeAndTellsTheDirection) {
  layers::Analysis analysis;
  for (int layer = 0; layer < 4; ++layer) {
    layers::Row row;
    row.reference_layer = layer;
    if (layer < 3) row.measured.local.emplace().scale_ratio = 1;
    analysis.rows.push_back(row);
  }
  layers::Finding finding;
  finding.pair = 0;
  finding.group = {0, 2};
  finding.figures.clip = 0.3;
  Cause narrow, wide;
  say_calibration(analysis, finding, "W", narrow);
  EXPECT_THAT(narrow.detail, StartsWith("the quantised ranges of 2 of 3 layers are too narrow for "
                                        "what these pictures make"));
  EXPECT_THAT(narrow.layers, ElementsAre(2));
  EXPECT_EQ(narrow.evidence.at(0).values.at("cut_off"), Value(0.3));
  EXPECT_EQ(narrow.evidence[0].values.count("step_ratio"), 0U);
  finding.figures.clip = 0;
  finding.figures.scale_ratio = 8;
  say_calibration(analysis, finding, "W", wide);
  EXPECT_THAT(wide.detail, StartsWith("the quantisation steps of 2 of 3 layers are wider than "
                                      "these pictures need"));
  EXPECT_EQ(wide.evidence.at(0).values.at("step_ratio"), Value(8.0));
}

TEST(SayActivation, ARangeIsTooNarrowOrItsStepTooWideOrItCostsTooMuch) {
  const auto said = [](std::optional<double> clip, std::optional<double> ratio, bool tied = false) {
    layers::Finding finding;
    finding.figures.clip = clip;
    finding.figures.scale_ratio = ratio;
    finding.tied = tied;
    Cause cause;
    cause.op_type = "CONCAT";
    say_activation({}, finding, "W", cause);
    return cause.detail;
  };
  EXPECT_EQ(said(0.5, 9),
            "the quantised range of W is too narrow: it clips what the layer computes");
  EXPECT_EQ(said(0.05, 4.5), "the quantisation step of W is 4.5 times as wide as its values need");
  EXPECT_EQ(said({}, {}), "the quantisation of W costs far more than rounding has to");
  EXPECT_EQ(said({}, {}, true),
            "the quantisation of W costs far more than rounding has to (CONCAT shares the scale of "
            "its input: keep it in float, or requantise before it)");
}

}  // namespace
}  // namespace edgeprobe::diagnose
