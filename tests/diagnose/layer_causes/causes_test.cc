// SPDX-License-Identifier: Apache-2.0
// Which findings are confirmed, and which kernels are to blame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "chain.h"
#include "diagnose/layer_causes/layer_causes.h"

namespace edgeprobe::diagnose {
namespace {

using ::testing::ElementsAre;

class ModelCauses : public ::testing::Test {
 protected:
  ModelCauses() {
    reference_.graph = chain(6);
    target_.graph = chain(6);
    known_.reference_pipeline = &reference_;
    known_.target_model = &target_;
    for (int i = 0; i < 6; ++i) analysis_.rows.push_back(pair(i));
    analysis_.logit_nrmse = 0.5;
  }

  /// Other weights in layer 2: the error of the logits is 0.5 before its repair, 0.1 after it.
  layers::Finding other_weights() {
    compare::LayerConstants constants;
    constants.weight_steps = 5;
    analysis_.rows[2].measured.constants = constants;
    layers::Finding finding;
    finding.pair = 2;
    finding.group = {2};
    finding.suspicion = layers::Suspicion::kWeights;
    finding.before = 0.5;
    finding.after = 0.1;
    finding.restores = true;
    finding.repairs.emplace_back();
    return finding;
  }

  layers::KernelFault kernel(int layer, double relative, const std::string& type = "CONV_2D") {
    layers::KernelError error;
    error.layer = layer;
    error.faulty = true;
    error.relative_l2 = error.largest = relative;
    analysis_.rows[static_cast<std::size_t>(layer)].kernel_error = error;
    layers::KernelFault fault;
    fault.type = type;
    fault.layers = {layer};
    fault.checked = 6;
    return fault;
  }

  std::vector<Cause> causes(bool severe = false, bool outputs_off = true) const {
    return model_causes(known_, analysis_, severe, outputs_off);
  }

  pipeline::Pipeline reference_, target_;
  Case known_;
  layers::Analysis analysis_;
};

TEST_F(ModelCauses, AFindingWhoseRepairBringsTheLogitsBackIsConfirmed) {
  analysis_.findings = {other_weights()};
  const auto found = causes();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, CauseKind::kWeights);
  EXPECT_EQ(found[0].status, CauseStatus::kConfirmed);
  EXPECT_EQ(found[0].layer, "t3");
  EXPECT_THAT(found[0].layers, ElementsAre(2));
  EXPECT_EQ(found[0].detail, "the weights of CONV_2D layer 2 ('t3') are not the reference's");
  // Of 0.25, the square of 0.5, 0.01 remains.
  EXPECT_DOUBLE_EQ(*found[0].explained_variance, 0.24 / 0.25);
  EXPECT_EQ(found[0].repaired_by, 0);
  EXPECT_FALSE(found[0].restored_unavailable);
}

TEST_F(ModelCauses, OneThatRestoresNothingIsANoteAndSaysWhy) {
  analysis_.findings = {other_weights()};
  analysis_.findings[0].restores = false;
  const auto found = causes();
  EXPECT_EQ(found.at(0).status, CauseStatus::kNote);
  EXPECT_EQ(found[0].repaired_by, -1);
  EXPECT_EQ(found[0].restored_unavailable->kind, UnavailableKind::kNoRepairHelps);
  analysis_.findings[0].not_repaired = "a scale is shared";
  const auto other = causes();
  EXPECT_EQ(other.at(0).restored_unavailable->kind, UnavailableKind::kNotRepaired);
  EXPECT_EQ(other[0].restored_unavailable->values.at("why"), Value("a scale is shared"));
}

TEST_F(ModelCauses, BelowTheLimitOnlyALossOfAccuracyConfirms) {
  analysis_.findings = {other_weights()};
  analysis_.logit_nrmse = analysis_.findings[0].before = 0.2;
  EXPECT_EQ(causes().at(0).status, CauseStatus::kNote);
  EXPECT_EQ(causes(true).at(0).status, CauseStatus::kConfirmed);
}

TEST_F(ModelCauses, OfRealNumbersTheOutputsHaveToBeOff) {
  analysis_.limits = layers::kRealLimits;
  analysis_.findings = {other_weights()};
  analysis_.logit_nrmse = analysis_.findings[0].before = 0.1;
  EXPECT_EQ(causes(false, false).at(0).status, CauseStatus::kNote);
  EXPECT_EQ(causes(false, true).at(0).status, CauseStatus::kConfirmed);
}

TEST_F(ModelCauses, AKernelIsToldWithTheShareThatTheHostsKernelsTakeAway) {
  analysis_.kernels = {kernel(1, 0.3)};
  analysis_.host_logit_nrmse = 0.3;
  const auto found = causes();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, CauseKind::kKernel);
  EXPECT_EQ(found[0].status, CauseStatus::kConfirmed);
  EXPECT_EQ(found[0].detail,
            "the target miscomputes CONV_2D in layer 1 ('t2'), given the same inputs");
  EXPECT_DOUBLE_EQ(*found[0].explained_variance, (0.25 - 0.09) / 0.25);
  EXPECT_EQ(found[0].evidence.back().values.at("layers"), Value(5)) << "the others are right";
  analysis_.host_logit_nrmse = 0.5;
  EXPECT_EQ(causes().at(0).status, CauseStatus::kNote) << "the host's kernels change nothing";
}

TEST_F(ModelCauses, AKernelBesideOneThatIsMuchLouderHasNoPartOfItsOwn) {
  analysis_.kernels = {kernel(1, 0.3), kernel(4, 0.02, "ADD")};
  analysis_.host_logit_nrmse = 0.1;
  const auto found = causes();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].status, CauseStatus::kConfirmed);
  EXPECT_EQ(found[1].status, CauseStatus::kNote);
  EXPECT_FALSE(found[1].explained_variance);
  EXPECT_EQ(found[1].restored_unavailable->kind, UnavailableKind::kLouderKernel);
}

TEST_F(ModelCauses, AKernelThatMakesNaNIsTheLoudest) {
  const layers::KernelFault quiet = kernel(1, 0.3), loud = kernel(4, 0.1);
  EXPECT_DOUBLE_EQ(loudness(analysis_, quiet), 0.3);
  analysis_.rows[4].kernel_error->not_finite = 2;
  EXPECT_TRUE(std::isinf(loudness(analysis_, loud)));
  EXPECT_EQ(loudness(analysis_, {}), 0);
}

TEST_F(ModelCauses, ARepairAfterAKernelIsTheSecondStep) {
  analysis_.kernels = {kernel(1, 0.3)};
  analysis_.host_logit_nrmse = 0.3;
  analysis_.findings = {other_weights()};
  const auto found = causes();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].repaired_by, 0);
  EXPECT_EQ(found[1].repaired_by, 1);
}

TEST_F(ModelCauses, AReferenceThatIsTheBadSideIsNeverConfirmed) {
  layers::ReferenceFault fault;
  fault.layer = 3;
  fault.figures.scale_ratio = 12;
  fault.before = 0.5;
  fault.after = 0.1;
  analysis_.of_reference = fault;
  const auto found = causes(true);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].status, CauseStatus::kPartial);
  EXPECT_EQ(found[0].detail,
            "the reference itself is the bad side: the quantisation step of its CONV_2D layer 3 "
            "('t4') is 12 times as wide as its values need");
}

}  // namespace
}  // namespace edgeprobe::diagnose
