// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

namespace edgeprobe::diagnose {

/// Closed lists of words in a verdict. docs/reference/report.schema.json lists them in the same
/// order; tests/report/words_test.cc holds them equal.

/// Difference between target and reference that a cause names; docs/reference/report.md explains
/// each.
enum class CauseKind {
  // In front of the model; kInputScale is the model's own.
  kChannelOrder,
  kValueRange,
  kResize,
  kCrop,
  kOrientation,
  kLayout,
  kInputQuantization,
  kEmptyInput,
  kNonFiniteInput,
  kValueTable,
  kOtherFrame,
  kIncompleteInput,
  kByteOrder,
  kInputScale,
  kTone,
  kColorConversion,
  kDecoding,
  kPipelineStage,
  kInputOrder,
  // In front of a model of sound.
  kSampleFormat,
  kChannelMix,
  kSampleRate,
  kAudioLevel,
  kAudioPosition,
  kAudioPadding,
  kPreEmphasis,
  kFraming,
  kSpectrum,
  kFilterBank,
  kLogScale,
  kCepstrum,
  kFeatureNormalization,
  // In front of a model of a sensor's readings.
  kAxisOrder,
  kUnit,
  kWindow,
  // In front of a model of text.
  kTextNormalization,
  kTokenizer,
  kTextTemplate,
  kSpecialTokens,
  kTruncation,
  kTokenPadding,
  kAttentionMask,
  kTokenTypes,
  kPositionIds,
  // Inside the model.
  kPrecision,
  kKernel,
  kOperator,
  kQuantization,
  kWeights,
  kBias,
  kOtherModel,
  // Between its steps.
  kState,
  // Behind it.
  kOutputOrder,
  kPostprocessing,
  kUnknown,
};
inline constexpr const char* kCauseKindNames[] = {"channel_order",
                                                  "value_range",
                                                  "resize",
                                                  "crop",
                                                  "orientation",
                                                  "layout",
                                                  "input_quantization",
                                                  "empty_input",
                                                  "non_finite_input",
                                                  "value_table",
                                                  "other_frame",
                                                  "incomplete_input",
                                                  "byte_order",
                                                  "input_scale",
                                                  "tone",
                                                  "color_conversion",
                                                  "decoding",
                                                  "pipeline_stage",
                                                  "input_order",
                                                  "sample_format",
                                                  "channel_mix",
                                                  "sample_rate",
                                                  "audio_level",
                                                  "audio_position",
                                                  "audio_padding",
                                                  "pre_emphasis",
                                                  "framing",
                                                  "spectrum",
                                                  "filter_bank",
                                                  "log_scale",
                                                  "cepstrum",
                                                  "feature_normalization",
                                                  "axis_order",
                                                  "unit",
                                                  "window",
                                                  "text_normalization",
                                                  "tokenizer",
                                                  "text_template",
                                                  "special_tokens",
                                                  "truncation",
                                                  "token_padding",
                                                  "attention_mask",
                                                  "token_types",
                                                  "position_ids",
                                                  "precision",
                                                  "kernel",
                                                  "operator",
                                                  "quantization",
                                                  "weights",
                                                  "bias",
                                                  "other_model",
                                                  "state",
                                                  "output_order",
                                                  "postprocessing",
                                                  "unknown"};
static_assert(std::size(kCauseKindNames) == std::size_t(CauseKind::kUnknown) + 1);
constexpr const char* name(CauseKind kind) { return kCauseKindNames[std::size_t(kind)]; }

/// Where a cause acts.
enum class CauseStage { kPreprocessing, kModel, kState, kOutputs };
inline constexpr const char* kCauseStageNames[] = {"preprocessing", "model", "state", "outputs"};
static_assert(std::size(kCauseStageNames) == std::size_t(CauseStage::kOutputs) + 1);
constexpr const char* name(CauseStage stage) { return kCauseStageNames[std::size_t(stage)]; }

/// Layers that a cause inside the model blames: the listed ones, or the kernel of their type.
enum class CauseScope { kOp, kType };
inline constexpr const char* kCauseScopeNames[] = {"op", "type"};
static_assert(std::size(kCauseScopeNames) == std::size_t(CauseScope::kType) + 1);
constexpr const char* name(CauseScope scope) { return kCauseScopeNames[std::size_t(scope)]; }

/// Certainty of a cause.
enum class CauseStatus {
  kConfirmed,  ///< Synthesising or replaying with it reproduces what the target recorded.
  kNearly,     ///< Reproduces it but for a gray step or so without a name; never confirmed.
  kNote,       ///< Confirmed, but its effect stays under the floor.
  kPartial,    ///< The nearest explanation; never sold as the cause.
};
inline constexpr const char* kCauseStatusNames[] = {"confirmed", "nearly", "note", "partial"};
static_assert(std::size(kCauseStatusNames) == std::size_t(CauseStatus::kPartial) + 1);
constexpr const char* name(CauseStatus status) { return kCauseStatusNames[std::size_t(status)]; }

/// Measure in which Cause::restored is told.
enum class RestoredUnit { kAccuracy, kOutputDistance };
inline constexpr const char* kRestoredUnitNames[] = {"accuracy", "output_distance"};
static_assert(std::size(kRestoredUnitNames) == std::size_t(RestoredUnit::kOutputDistance) + 1);
constexpr const char* name(RestoredUnit unit) { return kRestoredUnitNames[std::size_t(unit)]; }

/// Part of a layer in what goes wrong.
enum class LayerClass { kFaulty, kVictim, kAmplifier, kBenign };
inline constexpr const char* kLayerClassNames[] = {"faulty", "victim", "amplifier", "benign"};
static_assert(std::size(kLayerClassNames) == std::size_t(LayerClass::kBenign) + 1);
constexpr const char* name(LayerClass part) { return kLayerClassNames[std::size_t(part)]; }

/// Measure of a layer's kernel error: steps of its codes, or its RMS.
enum class KernelErrorUnit { kLsb, kRelative };
inline constexpr const char* kKernelErrorUnitNames[] = {"lsb", "relative"};
static_assert(std::size(kKernelErrorUnitNames) == std::size_t(KernelErrorUnit::kRelative) + 1);
constexpr const char* name(KernelErrorUnit unit) {
  return kKernelErrorUnitNames[std::size_t(unit)];
}

/// Origin of a logged number.
enum class ScalarKind { kVariable, kSpan, kSensor, kFrame };
inline constexpr const char* kScalarKindNames[] = {"variable", "span", "sensor", "frame"};
static_assert(std::size(kScalarKindNames) == std::size_t(ScalarKind::kFrame) + 1);
constexpr const char* name(ScalarKind kind) { return kScalarKindNames[std::size_t(kind)]; }

/// Value of `Enum` with that name in its list; nothing for any other text.
template <class Enum, std::size_t n>
constexpr std::optional<Enum> from_name(const char* const (&names)[n], std::string_view text) {
  for (std::size_t i = 0; i < n; ++i)
    if (text == names[i]) return static_cast<Enum>(i);
  return std::nullopt;
}
constexpr std::optional<CauseKind> cause_kind_from_name(std::string_view text) {
  return from_name<CauseKind>(kCauseKindNames, text);
}
constexpr std::optional<CauseStage> cause_stage_from_name(std::string_view text) {
  return from_name<CauseStage>(kCauseStageNames, text);
}
constexpr std::optional<CauseScope> cause_scope_from_name(std::string_view text) {
  return from_name<CauseScope>(kCauseScopeNames, text);
}
constexpr std::optional<CauseStatus> cause_status_from_name(std::string_view text) {
  return from_name<CauseStatus>(kCauseStatusNames, text);
}

/// The model saw no picture at all; such a cause is never a mere note.
constexpr bool is_without_picture(CauseKind kind) {
  return kind == CauseKind::kEmptyInput || kind == CauseKind::kNonFiniteInput;
}

}  // namespace edgeprobe::diagnose
