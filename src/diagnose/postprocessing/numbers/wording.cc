// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/numbers/wording.h"

#include "core/text.h"
#include "diagnose/postprocessing/numbers/scores.h"
#include "diagnose/postprocessing/numbers/vectors.h"
#include "search/words.h"

namespace edgeprobe::diagnose::numbers {
namespace {

using postprocess::anomaly::Measure;
using postprocess::anomaly::Windows;
using postprocess::embedding::Bits;
using postprocess::embedding::Norm;
using postprocess::embedding::Pool;
using postprocess::embedding::Rows;

std::string pool_line(const postprocess::embedding::Recipe& reference) {
  std::string rows = "rows";
  if (reference.mask && reference.rows != Rows::kAll) rows = "rows[mask == 1]";
  if (reference.rows == Rows::kInner) rows += "[1:-1]";
  switch (reference.pool) {
    case Pool::kNone: return "vector = rows.reshape(-1)";
    case Pool::kMean: return "vector = " + rows + ".mean(0)";
    case Pool::kSum: return "vector = " + rows + ".sum(0)";
    case Pool::kLargest: return "vector = " + rows + ".max(0)";
    case Pool::kFirst: return "vector = " + rows + "[0]";
    case Pool::kLast: return "vector = " + rows + "[-1]";
  }
  return "";
}

std::string norm_line(Norm norm) {
  switch (norm) {
    case Norm::kNone: break;
    case Norm::kL2: return "vector = vector / numpy.linalg.norm(vector)";
    case Norm::kL1: return "vector = vector / numpy.abs(vector).sum()";
    case Norm::kLargest: return "vector = vector / numpy.abs(vector).max()";
    case Norm::kMinMax: return "vector = (vector - vector.min()) / (vector.max() - vector.min())";
  }
  return "";
}

std::string measure_line(Measure measure) {
  switch (measure) {
    case Measure::kMse: return "numpy.mean(d * d, 1)";
    case Measure::kMae: return "numpy.mean(numpy.abs(d), 1)";
    case Measure::kRmse: return "numpy.sqrt(numpy.mean(d * d, 1))";
    case Measure::kSse: return "numpy.sum(d * d, 1)";
    case Measure::kSae: return "numpy.sum(numpy.abs(d), 1)";
    case Measure::kL2: return "numpy.linalg.norm(d, axis=1)";
    case Measure::kLargestSquare: return "numpy.max(d * d, 1)";
    case Measure::kLargestAbsolute: return "numpy.max(numpy.abs(d), 1)";
    case Measure::kOutput: return "output.reshape(-1)";
  }
  return "";
}

std::string score_line(const postprocess::anomaly::Recipe& reference) {
  const std::string windows = measure_line(reference.measure);
  const char* const d = reference.measure == Measure::kOutput ? "" : "d = output - input; ";
  switch (reference.windows) {
    case Windows::kMean: return d + ("score = " + windows) + ".mean()";
    case Windows::kLargest: return d + ("score = " + windows) + ".max()";
    case Windows::kMedian: return d + ("score = numpy.median(" + windows) + ")";
    case Windows::kFirst: return d + ("score = " + windows) + "[0]";
    case Windows::kLast: return d + ("score = " + windows) + "[-1]";
    case Windows::kSum: return d + ("score = " + windows) + ".sum()";
  }
  return "";
}

}  // namespace

std::string_view step_of(const search::Change<postprocess::embedding::Recipe>& change) {
  switch (change.sets) {
    case kVectorOutput: return "output";
    case kVectorReading: return "dequantize";
    case kNorm: return "normalize";
    case kLength:
    case kCutSide: return "cut";
    case kBits: return "quantize";
    default: return "pool";
  }
}

std::string_view step_of(const search::Change<postprocess::anomaly::Recipe>& change) {
  switch (change.sets) {
    case kScoreOutput: return "output";
    case kScoreReading: return "dequantize";
    case kThreshold:
    case kAlarmSide: return "threshold";
    default: return "score";
  }
}

std::string difference_words(const std::string& app, std::string_view step,
                             const std::string& recipe) {
  const std::string_view steps[] = {step, step == "dequantize" ? "codes" : step};
  return search::difference_words(app, steps, recipe);
}

std::string fix_line(std::string_view step, const postprocess::embedding::Recipe& reference) {
  if (step == "pool") return pool_line(reference);
  if (step == "normalize") return norm_line(reference.norm);
  if (step == "output") return "rows = outputs[" + std::to_string(reference.output) + "]";
  if (step == "dequantize" && reference.reading == postprocess::Reading::kValues)
    return "rows = (codes.astype(numpy.float32) - zero_point) * scale";
  if (step == "cut" && reference.length)
    return "vector = vector[:" + std::to_string(*reference.length) + "]";
  if (step == "quantize" && reference.bits == Bits::kCodes)
    return "vector = numpy.clip(numpy.rint(127 * vector), -128, 127)";
  return "";
}

std::string fix_line(std::string_view step, const postprocess::anomaly::Recipe& reference) {
  if (step == "score") return score_line(reference);
  if (step == "output") return "output = outputs[" + std::to_string(reference.output) + "]";
  if (step == "dequantize" && reference.reading == postprocess::Reading::kValues)
    return "values = (codes.astype(numpy.float32) - zero_point) * scale  # each its own";
  if (step == "threshold" && reference.threshold)
    return std::string("alarm = score ") + (reference.is_inverted ? "< " : ">= ") +
           number(*reference.threshold, 9);
  return "";
}

}  // namespace edgeprobe::diagnose::numbers
