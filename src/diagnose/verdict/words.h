// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

namespace edgeprobe::diagnose {

/// Closed lists of words in a verdict. docs/reference/report.schema.json lists them in the same
/// order; tests/report/words_test.cc checks that they are equal.

/// Difference between target and reference that a cause names; docs/reference/report.md explains
/// each.
enum class CauseKind {
  // Before the model; kInputScale belongs to the model itself.
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
  // Before a model for sound.
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
  // Before a model for a sensor's readings.
  kAxisOrder,
  kUnit,
  kWindow,
  // Before a model for text.
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
  // Between the model's steps.
  kState,
  // After the model.
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

/// Layers affected by a cause inside the model: those listed, or all with the faulty kernel's type.
enum class CauseScope { kOp, kType };
inline constexpr const char* kCauseScopeNames[] = {"op", "type"};
static_assert(std::size(kCauseScopeNames) == std::size_t(CauseScope::kType) + 1);
constexpr const char* name(CauseScope scope) { return kCauseScopeNames[std::size_t(scope)]; }

/// Certainty of a cause.
enum class CauseStatus {
  kConfirmed,  ///< Synthesising or replaying with it reproduces what the target recorded.
  kNearly,     ///< Reproduces it except for an unexplained gray step or so; never confirmed.
  kNote,       ///< Confirmed, but its effect stays under the floor.
  kPartial,    ///< The nearest explanation; never presented as the cause.
};
inline constexpr const char* kCauseStatusNames[] = {"confirmed", "nearly", "note", "partial"};
static_assert(std::size(kCauseStatusNames) == std::size_t(CauseStatus::kPartial) + 1);
constexpr const char* name(CauseStatus status) { return kCauseStatusNames[std::size_t(status)]; }

/// Unit of Cause::restored.
enum class RestoredUnit { kAccuracy, kOutputDistance, kMetric };
inline constexpr const char* kRestoredUnitNames[] = {"accuracy", "output_distance", "metric"};
static_assert(std::size(kRestoredUnitNames) == std::size_t(RestoredUnit::kMetric) + 1);
constexpr const char* name(RestoredUnit unit) { return kRestoredUnitNames[std::size_t(unit)]; }

/// Role of a layer in a fault.
enum class LayerClass { kFaulty, kVictim, kAmplifier, kBenign };
inline constexpr const char* kLayerClassNames[] = {"faulty", "victim", "amplifier", "benign"};
static_assert(std::size(kLayerClassNames) == std::size_t(LayerClass::kBenign) + 1);
constexpr const char* name(LayerClass part) { return kLayerClassNames[std::size_t(part)]; }

/// Unit of a layer's kernel error: steps of its codes, or its RMS.
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

/// True if the model received no picture at all; these causes are never mere notes.
constexpr bool is_without_picture(CauseKind kind) {
  return kind == CauseKind::kEmptyInput || kind == CauseKind::kNonFiniteInput;
}

}  // namespace edgeprobe::diagnose
