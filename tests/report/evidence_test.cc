// SPDX-License-Identifier: Apache-2.0
#include "report/words/evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/text.h"
#include "documented.h"
#include "golden.h"
#include "report/words/sentence.h"

namespace edgeprobe::report {
namespace {

using diagnose::Evidence;
using diagnose::EvidenceKind;

// Every kind with the values that src/diagnose gives it; with and without each optional value.
std::vector<Evidence> samples() {
  using enum EvidenceKind;
  const char* const kTotal = "total_variation";
  return {
      {kInputDistance, {{"distance", 50.834}, {"frames", 5}}},
      {kInputDistance, {{"distance", 50.834}, {"frames", 1}}},
      {kLeftWithDifferences, {{"differences", 1}, {"left", 0.0213}, {"explained", 0.99998}}},
      {kLeftWithDifferences, {{"differences", 2}, {"left", 0.0213}, {"explained", 0.99998}}},
      {kLeftWithFault, {{"distance", 12.3456}, {"left", 0.4}}},
      {kFramesAgree, {{"agreeing", 23}, {"frames", 24}}},
      {kValueLines,
       {{"gain", std::vector<double>{1 / 255.0, 1 / 127.5}},
        {"offset", std::vector<double>{0, -1}},
        {"reference_gain", std::vector<double>{1 / 127.5}},
        {"reference_offset", std::vector<double>{-1}}}},
      {kGrayPictures},
      {kTargetPixelsWhole},
      {kReferencePixelsWhole},
      {kDistinctValues, {{"values", 3}}},
      {kOtherDecoder, {{"decoder", "a fast DCT"}}},
      {kDecoderRounding},
      {kStoredValues,
       {{"least", -1.0},
        {"most", 1.0},
        {"mean", -0.12345},
        {"deviation", 0.45678},
        {"reference_least", -0.99},
        {"reference_most", 0.98},
        {"reference_mean", -0.1},
        {"reference_deviation", 0.5}}},
      {kInputCorrelation, {{"correlation", 0.98765}}},
      {kNeighbourVariance, {{"share", 0.0123}, {"reference_share", 0.0234}}},
      {kNeighbourVariance, {{"share", 0.0345}, {"reference_share", 0.0234}}},
      {kMovedPlaces, {{"left", 0.123}}},
      {kOwnRanges, {{"left", 0.123}}},
      {kValueTable, {{"left", 0.123}, {"line_left", 31.456}}},
      {kOtherPictures, {{"distance", 44.567}, {"from_other", 0.3}}},
      {kBytesReordered, {{"left", 0.0}, {"frames", 10}}},
      {kDifferencePlace,
       {{"sentence", "all of the difference is in rows 48 to 63 of 64"},
        {"equal", 0.75},
        {"where", "rows 48 to 63 of 64"},
        {"rows", std::vector<double>{48, 63}},
        {"columns", std::vector<double>{}},
        {"luma", 12.5},
        {"color", 3.5},
        {"at_edges", 1.5},
        {"like", "the frame before"},
        {"frames", 3},
        {"all_frames", 4},
        {"first_frame", 1},
        {"distances", std::vector<double>{0, 31.5, 30.0, 29.1}}}},
      {kReferenceWithFaultAccuracy, {{"accuracy", 0.414}, {"target_accuracy", 0.4139}}},
      {kReferenceWithFaultDistance, {{"distance", 0.001}, {"without", 0.4813}, {"kind", kTotal}}},
      {kTargetReproduced, {{"distance", 0.0}, {"kind", kTotal}}},
      {kTargetReproduced, {{"distance", 0.0123}, {"kind", kTotal}}},
      {kOnRecordedInputs, {{"distance", 0.0123}, {"on_own_inputs", 0.4813}, {"kind", kTotal}}},
      {kOnReferenceInputs, {{"distance", 0.4813}, {"kind", "relative_l2"}}},
      {kEffectUnderFloor, {{"effect", 0.0123}, {"limit", 0.02}}},
      {kStage, {{"stage", "resized"}, {"state", "equal"}, {"frames", 6}}},
      {kStage,
       {{"stage", "resized"},
        {"state", "rounding"},
        {"frames", 6},
        {"rmse", 0.51},
        {"rmse_over_range", 0.002},
        {"max_abs", 1.0}}},
      {kStage,
       {{"stage", "bad\x1b[31m"},
        {"state", "differs"},
        {"frames", 1},
        {"equal_share", 0.25},
        {"differing_frames", 1},
        {"first_frame", 0},
        {"following_frames", 0},
        {"of_other_frames", 1},
        {"axis_N", std::vector<double>{2, 3, 2, 6}}}},
      {kStage,
       {{"state", "differs"},
        {"frames", 6},
        {"unlike_frames", 2},
        {"shape", "64x48x3"},
        {"reference_shape", "48x64x3"}}},
      {kFirstStage,
       {{"state", "differs"},
        {"frames", 6},
        {"rmse", 0.51},
        {"rmse_over_range", 0.2},
        {"max_abs", 1.0}}},
      {kFirstStage,
       {{"stage", "s"},
        {"state", "differs"},
        {"frames", 6},
        {"unlike_frames", 6},
        {"shape", "64x48x3"},
        {"reference_shape", "48x64x3"}}},
      {kCodesLose, {{"lost", 0.3}, {"lost_steps", 12.345}, {"decoder_limit", 2.2}}},
      {kCodesLose, {{"lost", 0.3}}},
      {kCodesNotReplayed},
      {kThroughCodes, {{"distance", 0.0123}, {"without", 0.4813}, {"kind", kTotal}}},
      {kGiveTrainingRecipe},
      {kQuantiseAgain},
      {kFittingCodes,
       {{"frames", 24},
        {"distance", 0.064},
        {"target_distance", 0.146},
        {"unexplained", 0.021},
        {"kind", kTotal},
        {"same", 0.9167},
        {"target_same", 0.8333}}},
      {kFittingCodes,
       {{"frames", 24},
        {"distance", 0.64},
        {"target_distance", 0.7},
        {"unexplained", 0.021},
        {"kind", kTotal}}},
      {kKernelResidue,
       {{"layers", 1},
        {"layer", 3},
        {"unit", "lsb"},
        {"largest", 37.0},
        {"mean", 4.9},
        {"differing", 0.31}}},
      {kKernelResidue,
       {{"layers", 2},
        {"layer", 3},
        {"unit", "lsb"},
        {"largest", 1.0},
        {"mean", 0.49},
        {"differing", 0.31}}},
      {kKernelResidue, {{"layers", 1}, {"layer", 3}, {"unit", "relative"}, {"largest", 0.0123}}},
      {kKernelResidue, {{"layers", 1}, {"layer", 3}, {"not_finite", 12}}},
      {kKernelsReplaced, {{"before", 0.61}, {"after", 0.012}}},
      {kOtherLayersRight, {{"layers", 5}, {"type", "CONV_2D"}}},
      {kSegmentAlone, {{"operators", 1}, {"distance", 0.3}, {"recorded", 0.0000012}}},
      {kSegmentAlone, {{"operators", 3}, {"distance", 0.3}, {"recorded", 0.0000012}}},
      {kSegmentRelation, {{"explained", 0.99999}}},
      {kRestRestored,
       {{"layer", "relu_pw"}, {"before", 0.29}, {"after", 2e-7}, {"kind", "relative_l2"}}},
      {kActivationCodes,
       {{"least", -12.8}, {"most", 12.7}, {"cut_off", 0.0}, {"step_ratio", 8.123}}},
      {kFittingScale,
       {{"scale", 0.012345},
        {"zero_point", -3},
        {"scale_in_file", 0.1},
        {"zero_point_in_file", 0}}},
      {kWeightsDiffer, {{"steps", 12.34}}},
      {kWeightsShape},
      {kBiasDiffers, {{"share", 0.31}}},
      {kRescaleBiases},
      {kWidenWeightScale},
      {kAttributeDiffers, {{"name", "axis"}, {"target", "1"}, {"reference", "-1"}}},
      {kAttributeDiffers,
       {{"name", "nearest_mode"},
        {"target", "floor"},
        {"reference", "ceil"},
        {"option", "coordinates"}}},
      {kSetAttribute,
       {{"layer", 12},
        {"type", "Conv"},
        {"node", "conv3"},
        {"attribute", "strides"},
        {"value", "[1, 1]"}}},
      {kOperatorsApart, {{"distance", 0.4567}}},
      {kStepWidth, {{"times", 11.4}}},
      {kCalibratedRanges, {{"layers", 12}, {"of", 18}, {"cut_off", 0.42}}},
      {kCalibratedRanges, {{"layers", 12}, {"of", 18}, {"step_ratio", 9.5}}},
      {kOwnOperatorError, {{"error", 0.0123}}},
      {kLocalError, {{"error", 0.123}, {"times", 41.2}}},
      {kGapShare, {{"share", 0.71}}},
      {kGapShare, {{"share", 0.71}, {"injection", 0.66}}},
      {kRepaired, {{"how", "rest_by_reference"}, {"before", 0.61}, {"after", 0.012}}},
      {kRepaired, {{"how", "scale_in_reference"}, {"before", 0.75}, {"after", 0.05}}},
      {kRepaired, {{"how", "reference_biases"}, {"before", 0.61}, {"after", 0.012}}},
      {kRepaired, {{"how", "fitting_scales"}, {"before", 0.61}, {"after", 0.012}}},
      {kRepaired, {{"how", "own_attributes"}, {"before", 0.61}, {"after", 0.012}}},
      {kRepaired, {{"how", "fitting_scale"}, {"before", 0.61}, {"after", 0.012}}},
      {kRepaired, {{"how", "reference_operator"}, {"before", 0.61}, {"after", 0.012}}},
      {kRepaired,
       {{"how", "reference_operator"}, {"before", 4.1}, {"after", 0.012}, {"of", "outputs"}}},
      {kGapBelowLimit, {{"gap", 0.0123}, {"limit", 0.1}}},
      {kRestBelowLimit, {{"gap", 0.0123}, {"limit", 0.1}}},
      {kRepairFinite, {{"frames", 4}}},
      {kRepairRestores, {{"before", 0.2}, {"after", 0.01}, {"floor", 0.02}, {"kind", kTotal}}},
      {kRepairWithoutEffect, {{"before", 0.2}, {"after", 0.2}, {"kind", kTotal}}},
      {kStoredPrecision, {{"format", "bfloat16"}, {"layers", 22}, {"of", 25}}},
      {kPrecisionLayers, {{"format", "bfloat16"}, {"layers", 20}, {"of", 21}}},
      {kPrecisionReplayed,
       {{"format", "bfloat16"}, {"distance", 0.61}, {"target_distance", 0.65}, {"kind", kTotal}}},
      {kPrecisionBreaks,
       {{"format", "float16"}, {"frames", 12}, {"target_frames", 12}, {"of", 24}}},
      {kPrecisionNearest,
       {{"format", "tf32"}, {"layers", 19}, {"distance", 0.0000041}, {"moved", 0.00035}}},
      {kPrecisionUndecided, {{"format", "tf32"}, {"other", "float16-products"}}},
      {kPrecisionDenormal, {{"values", 4096}, {"zeros", 4090}}},
      {kPrecisionSteps, {{"format", "tf32"}, {"layers", 26}, {"of", 26}}},
      {kPrecisionLands, {{"distance", 0.0123}, {"kind", kTotal}}},
      {kStateSteps, {{"states", "h, c"}, {"steps", 18}, {"of", 20}, {"first_frame", 1}}},
      {kStatesCarried, {{"distance", 1.2e-7}, {"without", 0.31}, {"kind", kTotal}}},
      {kEachIsTheOther, {{"distance", 0.0123}}},
      {kOutputsExchanged, {{"before", 1.2}, {"after", 0.01}, {"floor", 0.02}}},
      {kAnswersUnlike, {{"frames", 5}, {"of", 12}, {"parts", "labels, scores"}}},
      {kAnswersReproduced, {{"frames", 12}, {"changes", 1}}},
      {kAnswersReproduced, {{"frames", 12}, {"changes", 2}}},
      {kAnswersFit, {{"bits", 7.3}}},
      {kAnswerDecides, {{"what", "class"}, {"class", 417}, {"name", "balloon"}}},
      {kAnswerDecides, {{"what", "count"}, {"class", -1}, {"name", ""}}},
      {kAnswerDecides, {{"what", "scores"}, {"class", -1}, {"name", ""}}},
      {kAnswerDecides, {{"what", "frames"}, {"class", -1}, {"name", ""}}},
      {kAnswerDecides, {{"what", "lengths"}, {"class", -1}, {"name", ""}}},
      {kAnswerDecides, {{"what", "alarms"}, {"class", -1}, {"name", ""}}},
      {kAnswerDecides, {{"what", "pictures"}, {"class", -1}, {"name", ""}}},
      {kAnswerDecides, {{"what", "recorded"}, {"class", -1}, {"name", ""}, {"frame", 7}}},
      {kAnswerDecides, {{"what", "recorded"}, {"class", -1}, {"name", "cat.bmp"}, {"frame", 7}}},
      {kAnswerDecides, {{"what", "property"}, {"class", -1}, {"name", "an upright picture"}}},
      {kAnswerDecides, {{"what", "nothing"}, {"class", -1}, {"name", ""}}},
      {kAnswerTies, {}},
      {kTextUnlike, {{"frames", 5}, {"of", 12}, {"inputs", "ids, mask"}}},
      {kTextReproduced, {{"frames", 12}, {"changes", 1}}},
      {kTextReproduced, {{"frames", 12}, {"changes", 2}}},
      {kTextFit, {{"bits", 7.3}}},
      {kTextDecides, {{"text", "a text with accents"}}},
      {kTextFirstDifference,
       {{"frame", 3},
        {"place", 5},
        {"reference", "2044 'cafe'"},
        {"target", "7668"},
        {"text", "a café in Zürich"}}},
  };
}

TEST(EvidenceText, IsWhatTheGoldenShows) {
  std::string text;
  for (const Evidence& one : samples())
    text += std::string(name(one.kind)) + ": " + evidence_text(one) + "\n";
  expect_golden("evidence.txt", text);
}

TEST(EvidenceText, SaysSomethingOfEachKind) {
  std::set<EvidenceKind> shown;
  for (const Evidence& one : samples()) {
    shown.insert(one.kind);
    EXPECT_FALSE(evidence_text(one).empty()) << name(one.kind);
  }
  EXPECT_EQ(shown.size(), std::size(diagnose::kEvidenceKindNames));
}

TEST(EvidenceText, NeverFailsForValuesThatAreMissing) {
  for (std::size_t kind = 0; kind < std::size(diagnose::kEvidenceKindNames); ++kind)
    EXPECT_FALSE(evidence_text({static_cast<EvidenceKind>(kind)}).empty()) << kind;
  EXPECT_FALSE(evidence_text(
                   {EvidenceKind::kInputDistance, {{"distance", std::nan("")}, {"frames", "many"}}})
                   .empty());
}

TEST(Sentences, AreFilledWithTheirValues) {
  const Evidence one(EvidenceKind::kInputDistance, {{"left", 1.23456},
                                                    {"share", 0.12345},
                                                    {"frames", 1},
                                                    {"layers", 3},
                                                    {"name", "a {left} name\n"}});
  EXPECT_EQ(filled("{left}, {left:2}, {%share}, {%share:0}", Values(one)),
            "1.23, 1.2, 12.3 %, 12 %");
  EXPECT_EQ(filled("{#frames:frame}, {#layers:layer}, {#layers}", Values(one)),
            "1 frame, 3 layers, 3");
  EXPECT_EQ(filled("'{'name:9}'", Values(one)), "'" + sanitized("a {left} name\n", 9) + "'");
  EXPECT_EQ(filled("{'name}", Values(one)), "a {left} name\n");
  EXPECT_EQ(filled("{'other}, {#other}", Values(one)), ", 0");
  EXPECT_EQ(filled("without", Values(one)), "without");
}

TEST(EvidenceText, TheDocumentationListsTheValuesOfEachKind) {
  expect_documented(samples(), "## Evidence as values");
}

}  // namespace
}  // namespace edgeprobe::report
