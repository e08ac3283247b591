// SPDX-License-Identifier: Apache-2.0
#include "verdicts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/fixes/fixes.h"

namespace edgeprobe::report {
namespace {

using diagnose::Cause;
using diagnose::EvidenceKind;
using diagnose::HeadlineKind;
using diagnose::HintKind;
using diagnose::LayerClass;
using diagnose::LayerDrift;
using diagnose::Outcome;
using diagnose::Picture;
using diagnose::Unavailable;
using diagnose::UnavailableKind;
using diagnose::Verdict;

LayerDrift layer(int index, const std::string& name, const std::string& type, double drift,
                 double snr_db, double cosine) {
  LayerDrift made;
  made.index = index;
  made.name = made.target_name = name;
  made.type = type;
  made.moments.n = 36000;
  made.moments.min_r = made.moments.min_t = 0;
  made.moments.max_r = made.moments.max_t = 6;
  made.moments.max_index = 17;
  made.distances.exact = drift == 0;
  made.distances.rmse_over_range = drift;
  made.distances.rmse = drift * 6;
  made.distances.mae = drift * 4;
  made.distances.max_abs = drift * 20;
  if (drift > 0) made.distances.snr_db = snr_db;
  made.distances.cosine = cosine;
  return made;
}

// A sign in two colours on a blue field, as in a model input of 32 x 32.
Picture sign(const std::string& role, const std::string& sample, bool bgr, int size) {
  Picture picture{role, sample, size, size, {}};
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      const double u = (x + 0.5) / size - 0.5, v = (y + 0.5) / size - 0.5;
      const bool disc = u * u + v * v < 0.16, bar = std::abs(v) < 0.07 && std::abs(u) < 0.28;
      const int r = bar    ? 240
                    : disc ? 200
                           : 40 + 60 * y / size,
                g = bar    ? 240
                    : disc ? 30
                           : 110,
                b = bar    ? 230
                    : disc ? 35
                           : 190;
      for (const int value : {bgr ? b : r, g, bgr ? r : b})
        picture.rgb.push_back(static_cast<std::uint8_t>(value));
    }
  return picture;
}

std::vector<LayerDrift> drifting_layers() {
  return {layer(-1, "image", "INPUT", 0.1993, 6.2, 0.8712),
          layer(0, "conv1/Relu6", "CONV_2D", 0.1571, 7.9, 0.9121),
          layer(1, "block1/depthwise/Relu6", "DEPTHWISE_CONV_2D", 0.1204, 8.8, 0.9304),
          layer(2, "block1/project/Relu6", "CONV_2D", 0.0986, 9.4, 0.9412),
          layer(3, "block2/depthwise/Relu6", "DEPTHWISE_CONV_2D", 0.0931, 9.9, 0.9433),
          layer(4, "block2/project/Relu6", "CONV_2D", 0.0877, 10.1, 0.9460),
          layer(5, "pool", "MEAN", 0.1422, 8.1, 0.9203),
          layer(6, "logits", "FULLY_CONNECTED", 0.2310, 4.0, 0.7110),
          layer(7, "probabilities", "SOFTMAX", 0.3870, 1.1, 0.5230)};
}

Cause channel_order() {
  Cause cause;
  cause.kind = diagnose::CauseKind::kChannelOrder;
  cause.status = diagnose::CauseStatus::kConfirmed;
  cause.stage = diagnose::CauseStage::kPreprocessing;
  cause.detail = "the app feeds BGR; the reference feeds RGB";
  cause.explained_variance = 0.99998;
  cause.contribution = 50.83;
  cause.restored = 0.9306;
  cause.restored_unit = diagnose::RestoredUnit::kAccuracy;
  cause.evidence = {{EvidenceKind::kInputDistance, {{"distance", 50.83}, {"frames", 5}}},
                    {EvidenceKind::kLeftWithDifferences,
                     {{"differences", 1}, {"left", 0.02}, {"explained", 0.99998}}},
                    {EvidenceKind::kFramesAgree, {{"agreeing", 24}, {"frames", 24}}}};
  cause.fix_step = "color(rgb)";
  cause.fix_code = fix_code(cause.kind, "color(rgb)");
  return cause;
}

Cause resize(diagnose::CauseStatus status) {
  Cause cause;
  cause.kind = diagnose::CauseKind::kResize;
  cause.status = status;
  cause.stage = diagnose::CauseStage::kPreprocessing;
  cause.detail =
      "the app resizes with nearest (floor); the reference with bilinear, half-pixel centres, "
      "antialiased";
  cause.explained_variance = 0.994;
  cause.contribution = 7.81;
  cause.restored = 1.0;
  cause.restored_unit = diagnose::RestoredUnit::kOutputDistance;
  cause.evidence = {{EvidenceKind::kLeftWithFault, {{"distance", 7.81}, {"left", 0.31}}}};
  cause.alternatives = {"nearest (half-pixel)"};
  cause.fix_step = "resize(224x224, bilinear, antialias=on, align=half_pixel)";
  cause.fix_code = fix_code(cause.kind, cause.fix_step);
  return cause;
}

void common(Verdict& verdict) {
  verdict.coverage = {36, 36, 16, true, 9, 9, 9, {}};
  verdict.provenance = {{"edgeprobe", "0.1.0"},
                        {"engine", "litert 2.3.0, xnnpack, 2 threads"},
                        {"reference recipe", "resize(32x32, area) | color(rgb) | scale(-1..1)"},
                        {"target model", "signs_int8.tflite sha256 1f15078a6725d236"},
                        {"target trace", "app.mcap sha256 99aa07fe6725d2b0"}};
}

}  // namespace

Verdict channel_order_verdict() {
  Verdict verdict;
  common(verdict);
  verdict.outcome = Outcome::kDiffers;
  verdict.headline = {HeadlineKind::kCauses, {{"difference_gone", 0.98}}};
  verdict.task = {"top1_accuracy",
                  0.9306,
                  0.4139,
                  0.9306,
                  {{0.8993, 0.9527}},
                  {{0.3642, 0.4654}},
                  {{0.8993, 0.9527}},
                  3.2e-41,
                  360,
                  12,
                  0.4417};
  verdict.causes = {channel_order()};
  verdict.layers = drifting_layers();
  verdict.output_distance = 0.4813;
  verdict.output_floor = 0.0121;
  verdict.output_distance_kind = "total_variation";
  for (const char* sample : {"signs/stop_0001.png", "signs/yield_0007.png"}) {
    verdict.pictures.push_back(sign("raw", sample, false, 300));
    verdict.pictures.push_back(sign("target_input", sample, true, 32));
    verdict.pictures.push_back(sign("reference_input", sample, false, 32));
    verdict.pictures.push_back(sign("fixed_input", sample, false, 32));
  }
  verdict.samples = {{"signs/stop_0001.png", 0, {2}, {{5, 0.61}, {2, 0.3}}, {{2, 0.97}, {5, 0.01}}},
                     {"signs/yield_0007.png", 6, {}, {}, {}}};
  return verdict;
}

Verdict two_faults_verdict() {
  Verdict verdict;
  common(verdict);
  verdict.outcome = Outcome::kDiffers;
  verdict.headline = {HeadlineKind::kCauses, {{"difference_gone", 1.0}}};
  verdict.task.n = 0;
  verdict.task.top1_agreement = 0.3;
  Cause first = channel_order(), second = resize(diagnose::CauseStatus::kConfirmed), note;
  first.restored = 0.771;
  first.restored_unit = diagnose::RestoredUnit::kOutputDistance;
  note.kind = diagnose::CauseKind::kInputQuantization;
  note.status = diagnose::CauseStatus::kNote;
  note.stage = diagnose::CauseStage::kPreprocessing;
  note.detail = "the app rounds down; the reference rounds to the nearest code";
  note.contribution = 0.49;
  note.restored_unavailable = Unavailable{UnavailableKind::kNoTargetModel};
  verdict.causes = {first, second, note};
  verdict.layers = drifting_layers();
  verdict.layers[2].distances = {};
  verdict.layers[2].moments = {};
  verdict.layers[4].moments.non_finite_mismatch = 12;
  verdict.layers[4].moments.nan_t = 12;
  verdict.layers[5] = layer(5, "pool", "MEAN", 0, 0, 1);
  verdict.output_distance = 0.567;
  verdict.output_floor = 0.0302;
  verdict.output_distance_kind = "total_variation";
  verdict.coverage = {40, 36, 36, false, 12, 9, 9, {"reshape_1", "transpose_4", "dequantize"}};
  verdict.warnings = {"4 frames have no raw image and were left out.",
                      "delegate gpu was asked for and took no operator"};
  return verdict;
}

Verdict agrees_verdict() {
  Verdict verdict;
  common(verdict);
  verdict.outcome = Outcome::kAgrees;
  verdict.headline = {HeadlineKind::kAgrees, {{"distance", 2.3e-7}, {"floor", 0.0121}}};
  verdict.task = {
      "top1_accuracy", 0.9306, 0.9306, {}, {{0.8993, 0.9527}}, {{0.8993, 0.9527}}, {}, 1.0, 360, 12,
      0.9972};
  verdict.layers = {layer(-1, "image", "INPUT", 0, 0, 1),
                    layer(0, "conv1/Relu6", "CONV_2D", 3.1e-7, 118.2, 1),
                    layer(1, "probabilities", "SOFTMAX", 8.4e-7, 109.0, 1)};
  verdict.output_distance = 2.3e-7;
  verdict.output_floor = 0.0121;
  verdict.output_distance_kind = "total_variation";
  return verdict;
}

Verdict undecided_verdict() {
  Verdict verdict;
  common(verdict);
  verdict.outcome = Outcome::kUndecided;
  verdict.headline = {HeadlineKind::kNotEnough};
  verdict.would_decide = {
      {HintKind::kGivePictures},
      {HintKind::kGiveMoreFrames, {{"frames", 59}, {"rate", 0.05}, {"probability", 0.95}}}};
  verdict.coverage = {3, 0, 0, false, 9, 0, 0, {}};
  return verdict;
}

Verdict unknown_cause_verdict() {
  Verdict verdict;
  common(verdict);
  verdict.outcome = Outcome::kDiffers;
  verdict.headline = {HeadlineKind::kUnknownCause};
  verdict.task.top1_agreement = 0.61;
  Cause nearest = resize(diagnose::CauseStatus::kPartial);
  nearest.explained_variance = 0.38;
  nearest.restored.reset();
  nearest.restored_unavailable = Unavailable{UnavailableKind::kOutputsNotComparable};
  verdict.causes = {nearest};
  verdict.layers = drifting_layers();
  verdict.scalars = diagnose::ScalarStudy{
      "another class than the reference",
      40,
      160,
      {{"light", diagnose::ScalarKind::kSensor, "lx", 40, 158, 12, 310.5, -0.91, 1e-12, 6e-12,
        true},
       {"exposure", diagnose::ScalarKind::kVariable, "", 40, 160, 30, 10, 0.5, 0.001, 0.005, true},
       {"latency", diagnose::ScalarKind::kFrame, "ms", 40, 160, 4.2, 4.1, 0.05, 0.6, 1, false}},
      "",
      "the frames that fail (another class than the reference: 40 of 200) have less 'light' than "
      "the others: median 12 lx against 310 lx"};
  verdict.output_distance = 0.211;
  verdict.output_distance_kind = "relative_l2";
  return verdict;
}

Verdict nearly_verdict() {
  Verdict verdict;
  common(verdict);
  verdict.outcome = Outcome::kUndecided;
  verdict.headline = {HeadlineKind::kUnnamedInput, {{"left", 0.7}}};
  verdict.would_decide = {{HintKind::kGiveFramesOrLabels}};
  Cause nearly = resize(diagnose::CauseStatus::kNearly);
  nearly.restored.reset();
  nearly.restored_unit.reset();
  nearly.fix_step.clear();
  nearly.fix_code.clear();
  verdict.causes = {nearly};
  return verdict;
}

Verdict other_model_verdict() {
  Verdict verdict;
  common(verdict);
  verdict.outcome = Outcome::kDiffers;
  verdict.headline = {HeadlineKind::kCauses};
  Cause cause;
  cause.kind = diagnose::CauseKind::kOtherModel;
  cause.status = diagnose::CauseStatus::kConfirmed;
  cause.stage = diagnose::CauseStage::kModel;
  cause.detail = "same layer names, other weights";
  cause.layer = "conv1/weights";
  cause.evidence = {{EvidenceKind::kWeightsDiffer, {{"steps", 131.0}}}};
  verdict.causes = {cause};
  return verdict;
}

Verdict layer_culprit_verdict() {
  Verdict verdict;
  common(verdict);
  verdict.outcome = Outcome::kDiffers;
  verdict.headline = {HeadlineKind::kCauses};
  Cause kernel, weights;
  kernel.kind = diagnose::CauseKind::kKernel;
  kernel.status = diagnose::CauseStatus::kConfirmed;
  kernel.stage = diagnose::CauseStage::kModel;
  kernel.detail =
      "the target's DEPTHWISE_CONV_2D kernel miscomputes: 2 of 2 layers of that type differ from "
      "the same operator on the host, given the same inputs";
  kernel.layer = "block1/depthwise/Relu6";
  kernel.op_type = "DEPTHWISE_CONV_2D";
  kernel.scope = diagnose::CauseScope::kType;
  kernel.layers = {1, 3};
  kernel.explained_variance = 0.97;
  kernel.restored = 0.9306;
  kernel.restored_unit = diagnose::RestoredUnit::kAccuracy;
  kernel.evidence = {{EvidenceKind::kKernelResidue,
                      {{"layers", 2},
                       {"layer", 3},
                       {"unit", "lsb"},
                       {"largest", 37.0},
                       {"mean", 4.9},
                       {"differing", 0.31}}}};
  weights = kernel;
  weights.kind = diagnose::CauseKind::kWeights;
  weights.status = diagnose::CauseStatus::kNote;
  weights.detail = "the bias of FULLY_CONNECTED layer 6 ('logits') is not the reference's";
  weights.layer = "logits";
  weights.op_type = "FULLY_CONNECTED";
  weights.scope = diagnose::CauseScope::kOp;
  weights.layers = {6};
  weights.explained_variance = 0.01;
  weights.restored.reset();
  weights.restored_unavailable =
      Unavailable{UnavailableKind::kNotRepaired, {{"why", "the gap is too small to decide"}}};
  verdict.causes = {kernel, weights};
  verdict.layers = drifting_layers();
  for (std::size_t i = 1; i < verdict.layers.size(); ++i) {
    LayerDrift& row = verdict.layers[i];
    row.error_gain = i == 2 ? 120.5 : 0.9 + 0.01 * static_cast<double>(i);
    row.kernel_error = i == 2 ? 31 : i == 4 ? 37 : i == 6 ? 0 : 1;
    row.kernel_error_mean = i == 2 ? 4.9 : 0.01;
    row.kernel_error_unit = diagnose::KernelErrorUnit::kLsb;
    row.local_error = 0.012;
    row.floor = 0.011;
    row.share = i == 2 ? 0.71 : i == 4 ? 0.26 : 0.001;
    if (i > 1)
      row.layer_class = i == 2 || i == 4 ? LayerClass::kFaulty
                        : i == 7         ? LayerClass::kBenign
                        : i == 8         ? LayerClass::kAmplifier
                                         : LayerClass::kVictim;
  }
  verdict.layer_faults = diagnose::LayerFaultSummary{
      8,
      0.61,
      7,
      {{7, "state", "UNIDIRECTIONAL_SEQUENCE_LSTM", "it keeps a state from one run to the next"}},
      ""};
  verdict.first_layer = diagnose::FirstLayer{
      2,
      verdict.layers[3].name,
      verdict.layers[3].type,
      2,
      {2, compare::FirstRule::kEqualBefore, 0.0712, compare::kFirstNrmseInteger, 2, 0}};
  verdict.output_distance = 0.44;
  verdict.output_floor = 0.125;
  verdict.output_distance_kind = "total_variation";
  return verdict;
}

Verdict extreme_verdict() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                   kInf = std::numeric_limits<double>::infinity();
  const std::string attack =
      "</script><script>alert(1)</script><img src=x onerror=alert(2)><!-- \" ' & =cmd|x";
  const std::string noise = std::string("\x1b[31mred\x07 nul:") + '\0' +
                            " bad:\xff\xc3( bidi:\xe2\x80\xae line\nend\r\u2028";
  Verdict verdict;
  verdict.outcome = Outcome::kDiffers;
  verdict.headline = {HeadlineKind::kRecipeGuessed,
                      {{"app_recipe", attack + noise}, {"suspect", noise}, {noise, kNan}}};
  verdict.before_headline = attack;
  verdict.task = {attack,
                  kNan,
                  -kInf,
                  kInf,
                  {{kNan, kInf}},
                  {{-kInf, 0}},
                  {{1e300, 2e300}},
                  kNan,
                  ~std::uint64_t{0},
                  ~std::size_t{0},
                  kNan};
  Cause cause;
  cause.kind = diagnose::CauseKind::kUnknown;
  cause.status = diagnose::CauseStatus::kConfirmed;
  cause.detail = attack;
  cause.layer = std::string(1 << 20, 'L');
  cause.explained_variance = kNan;
  cause.contribution = kInf;
  cause.restored = -kInf;
  cause.restored_unavailable =
      Unavailable{UnavailableKind::kRepairedModelFails, {{"error", attack}}};
  cause.evidence = {
      {EvidenceKind::kOtherDecoder, {{"decoder", noise}, {attack, kNan}}},
      {EvidenceKind::kFirstStage,
       {{"stage", attack}, {"state", noise}, {"shape", attack}, {"frames", "many"}}},
      {EvidenceKind::kOtherLayersRight,
       {{"type", std::string(1 << 20, '<')}, {"layers", ~std::uint64_t{0}}}},
      {EvidenceKind::kGrayPictures, {{noise, std::vector<double>{kInf, kNan, -kInf}}}}};
  cause.alternatives = {"", noise};
  cause.fix_step = attack;
  cause.fix_code = {{"opencv", attack + "\n" + noise}, {attack, ""}, {"numpy", "\n\n"}};
  verdict.causes = {cause, {}};
  LayerDrift broken = layer(0, attack, noise, 0.5, 1, 1);
  broken.distances.rmse_over_range = kNan;
  broken.distances.snr_db = kInf;
  broken.distances.cosine = -kNan;
  broken.moments.min_r = -kInf;
  broken.moments.non_finite_mismatch = ~std::uint64_t{0};
  broken.worst_channel = -7;
  LayerDrift huge = layer(1, std::string(1 << 20, 'n'), "T", 1e300, -1e300, 1e300);
  LayerDrift tiny = layer(2, "\xff\xfe\xfd", "", 1e-300, 1e300, -1e-300);
  broken.error_gain = kInf;
  broken.kernel_error = kNan;
  broken.kernel_error_unit = diagnose::KernelErrorUnit::kRelative;
  broken.layer_class = diagnose::LayerClass::kFaulty;
  huge.error_gain = 1e300;
  huge.share = -kInf;
  verdict.layers = {layer(-1, "", "", 0, 0, 1), broken, huge, tiny};
  verdict.layer_faults =
      diagnose::LayerFaultSummary{~std::uint64_t{0}, kNan, 3, {{0, attack, noise, attack}}, noise};
  verdict.first_layer = diagnose::FirstLayer{
      0, attack, noise, 3, {3, compare::FirstRule::kErrorGain, kInf, kNan, 1, kNan}};
  verdict.scalars = diagnose::ScalarStudy{
      attack,
      ~std::uint64_t{0},
      0,
      {{attack, diagnose::ScalarKind::kSensor, noise, 1, 2, kInf, -kInf, kNan, kNan, kNan, true}},
      noise,
      attack};
  verdict.causes[0].layers = {0, 2147483647};
  verdict.causes[0].op_type = attack;
  verdict.coverage = {
      ~std::uint64_t{0}, 0, 0, false, 0, 0, 0, std::vector<std::string>(5000, attack)};
  verdict.output_distance = kNan;
  verdict.output_floor = -kInf;
  verdict.output_distance_kind = attack;
  verdict.provenance = {{attack, noise}, {noise, attack}, {"", std::string(1 << 20, 'p')}};
  verdict.warnings = {noise, attack};
  verdict.would_decide = {{HintKind::kMakeComparable, {{"why", attack}}},
                          {HintKind::kGiveReferenceOfThisModel, {{"output", noise}}}};
  verdict.samples = {{attack, ~std::uint32_t{0}, {-1}, {{-7, kNan}}, {{2147483647, kInf}}},
                     {noise, 0, {2, 7}, {}, {}},
                     {"", 0, {3}, {}, {}}};
  verdict.pictures = {{attack, noise, 2, 2, std::vector<std::uint8_t>(11)},
                      {"raw", attack, -1, 5, {}},
                      {"target_input", attack, 2147483647, 2147483647, {1, 2, 3}},
                      {"reference_input", attack, 1, 1, {255, 0, 0}}};
  return verdict;
}

std::vector<std::pair<std::string, Verdict>> sample_verdicts() {
  return {{"channel_order", channel_order_verdict()},
          {"two_faults", two_faults_verdict()},
          {"agrees", agrees_verdict()},
          {"undecided", undecided_verdict()},
          {"unknown_cause", unknown_cause_verdict()},
          {"nearly", nearly_verdict()},
          {"other_model", other_model_verdict()},
          {"layer_culprit", layer_culprit_verdict()},
          {"extreme", extreme_verdict()},
          {"empty", {}}};
}

}  // namespace edgeprobe::report
