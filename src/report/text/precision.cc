// SPDX-License-Identifier: Apache-2.0
#include "report/text/tables.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "precision/predict.h"
#include "report/text/columns.h"

namespace edgeprobe::report {
namespace {

using nlohmann::ordered_json;
using precision::Kept;
using precision::Level;
using precision::Outcome;
using precision::Predicted;
using precision::Prediction;
using precision::Reason;

// "#12 SUM 'se/sum'"
std::string layer_text(const precision::StepName& step) {
  return "#" + std::to_string(step.layers.front()) + " " + sanitized(step.type, 40) + " '" +
         sanitized(step.output, 60) + "'";
}

std::string outcome_text(const Outcome& outcome, const Predicted& predicted) {
  std::string text = outcome.not_finite > 0
                         ? "NaN or infinity in " + std::to_string(outcome.not_finite) + " of " +
                               std::to_string(predicted.frames) + " frames"
                         : "logit NRMSE " + number(outcome.logit_nrmse, 3);
  if (outcome.agreement && outcome.not_finite == 0)
    text += ", same answer in " + percent(*outcome.agreement);
  if (outcome.accuracy) text += ", " + predicted.metric + " " + percent(*outcome.accuracy);
  return text;
}

std::string why(const Kept& kept, const Prediction& prediction) {
  const precision::LayerOutcome& layer = prediction.layers[kept.step];
  const std::string end = number(precision::largest(prediction.scheme), 6);
  const std::string format =
      prediction.scheme == precision::Scheme::kBFloat16 ? "bfloat16" : "float16";
  if (prediction.scheme == precision::Scheme::kInt8)
    return "8 bits move its channels by " + percent(layer.channel_error) +
           " of their standard deviation (root mean square)";
  switch (kept.reason) {
    case Reason::kValue:
      return layer.largest > precision::largest(prediction.scheme)
                 ? "its values reach " + number(layer.largest, 5) + ", " + format + " ends at " +
                       end
                 : "its values pass " + end + ", where " + format + " ends";
    case Reason::kPartial:
      return "its values reach " + number(layer.largest, 5) + ", but sums on the way pass " + end +
             ", where " + format + " ends";
    case Reason::kInput: return "what it reads passes " + end;
    case Reason::kRounding: break;
  }
  return "rounding moves its values by " + percent(layer.relative_error) +
         " of their standard deviation";
}

ordered_json finite(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}
ordered_json finite(const std::optional<double>& value) {
  return value ? finite(*value) : ordered_json(nullptr);
}

ordered_json outcome_json(const Outcome& outcome) {
  return {
      {"level", name(outcome.level())},
      {"logit_nrmse", outcome.not_finite > 0 ? ordered_json(nullptr) : finite(outcome.logit_nrmse)},
      {"frames_not_finite", outcome.not_finite},
      {"answer_agreement", finite(outcome.agreement)},
      {"accuracy", finite(outcome.accuracy)}};
}

ordered_json step_json(const precision::StepName& step) {
  return {{"layer", step.layers.front()},
          {"layers", step.layers},
          {"type", step.type},
          {"name", step.name},
          {"output", step.output}};
}

ordered_json kept_json(const Predicted& predicted, const Kept& kept) {
  ordered_json json = step_json(predicted.steps[kept.step]);
  json["reason"] = name(kept.reason);
  return json;
}

ordered_json prediction_json(const Predicted& predicted, const Prediction& prediction) {
  ordered_json json{{"precision", name(prediction.scheme)},
                    {"outcome", outcome_json(prediction.outcome)}};
  json["first_not_finite"] =
      prediction.first ? kept_json(predicted, *prediction.first) : ordered_json(nullptr);
  json["worst_alone"] = nullptr;
  if (prediction.worst) {
    json["worst_alone"] = step_json(predicted.steps[prediction.worst->step]);
    json["worst_alone"]["logit_nrmse"] = finite(prediction.worst->logit_nrmse);
  }
  json["keep_in_float32"] = nullptr;
  json["with_kept"] = nullptr;
  if (prediction.kept) {
    json["keep_in_float32"] = ordered_json::array();
    for (const Kept& kept : *prediction.kept)
      json["keep_in_float32"].push_back(kept_json(predicted, kept));
    json["with_kept"] = outcome_json(prediction.with_kept);
  }
  json["layers"] = ordered_json::array();
  for (const precision::LayerOutcome& layer : prediction.layers) {
    ordered_json row = step_json(predicted.steps[layer.step]);
    row["relative_error"] = layer.frames > 0 ? ordered_json(nullptr) : finite(layer.relative_error);
    row["channel_error"] = layer.frames > 0 ? ordered_json(nullptr) : finite(layer.channel_error);
    row["largest"] = finite(layer.largest);
    row["largest_partial_sum"] = finite(layer.partial);
    row["frames_not_finite"] = layer.frames;
    json["layers"].push_back(std::move(row));
  }
  return json;
}

}  // namespace

std::string precision_text(const Predicted& predicted, const std::string& model,
                           const std::string& inputs) {
  std::string text = sanitized(model, 200) + ", " + std::to_string(predicted.frames) +
                     (predicted.frames == 1 ? " frame of " : " frames of ") + inputs;
  if (predicted.accuracy)
    text += "; float32: " + predicted.metric + " " + percent(*predicted.accuracy);
  text += "\n\n";
  for (const Prediction& prediction : predicted.predictions) {
    text += padded(name(prediction.scheme), 13) + " " +
            padded(name(prediction.outcome.level()), 7) + " " +
            outcome_text(prediction.outcome, predicted) + "\n";
    if (prediction.first)
      text += "  first not finite: " + layer_text(predicted.steps[prediction.first->step]) + ": " +
              why(*prediction.first, prediction) + "\n";
    if (prediction.outcome.level() != Level::kBreaks) continue;
    if (prediction.worst)
      text += "  worst layer: " + layer_text(predicted.steps[prediction.worst->step]) +
              ": with only this layer in int8, logit NRMSE " +
              number(prediction.worst->logit_nrmse, 3) + "\n";
    if (!prediction.kept) {
      text += "  no set of up to half of the layers, kept in float32, fixes it\n";
      continue;
    }
    text += "  keep in float32:\n";
    for (const Kept& kept : *prediction.kept)
      text += "    " + layer_text(predicted.steps[kept.step]) + ": " + why(kept, prediction) + "\n";
    text += "  then " + std::string(name(prediction.with_kept.level())) + ": " +
            outcome_text(prediction.with_kept, predicted) + "\n";
  }
  for (const std::string& warning : predicted.warnings) text += "note: " + warning + "\n";
  return text;
}

std::string precision_json(const Predicted& predicted, const std::string& model,
                           const std::string& inputs) {
  ordered_json json{
      {"model", model},
      {"sha256", predicted.sha256},
      {"frames", predicted.frames},
      {"inputs", inputs},
      {"frames_with_annotation", predicted.scored},
      {"metric", predicted.accuracy ? ordered_json(predicted.metric) : ordered_json(nullptr)},
      {"accuracy", finite(predicted.accuracy)}};
  json["predictions"] = ordered_json::array();
  for (const Prediction& prediction : predicted.predictions)
    json["predictions"].push_back(prediction_json(predicted, prediction));
  json["warnings"] = predicted.warnings;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::report
