// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "diagnose/postprocessing/transcripts/transcripts.h"
#include "search/rows.h"

namespace edgeprobe::diagnose::transcripts {
namespace {

using namespace postprocess::transcript;  // NOLINT(google-build-using-namespace): only its words.
using postprocess::Activation;
using postprocess::Reading;
using TextChange = search::Change<Recipe>;

// Lines by which an app's dictionary may be shifted: a header, a blank or a space too many.
constexpr int kShifts[] = {1, -1, 2, -2};

std::string shift_words(int shift) {
  const std::string lines = std::abs(shift) == 1 ? "the line " : "2 lines ";
  return "writes the character " + lines + (shift > 0 ? "after" : "before") +
         " the right one in the dictionary";
}

void add_activations(std::vector<TextChange>& out) {
  const std::pair<std::vector<Activation>, const char*> all[] = {
      {{}, "takes the output for the scores, without an activation"},
      {{Activation::kSoftmax}, "applies softmax"},
      {{Activation::kSoftmax, Activation::kSoftmax}, "applies softmax twice"},
      {{Activation::kSigmoid}, "applies sigmoid"},
      {{Activation::kExp}, "applies exp"},
  };
  double weight = 1;
  for (const auto& [activations, words] : all) {
    out.push_back({kActivations, weight, words,
                   [activations = activations](Recipe& r) { r.activations = activations; }, 0});
    weight += 0.1;
  }
}

void add_readings(std::vector<TextChange>& out) {
  const std::pair<Reading, const char*> all[] = {
      {Reading::kValues, "dequantises the output"},
      {Reading::kCodes, "takes the output's codes for values, without dequantising them"},
      {Reading::kNoZeroPoint, "dequantises the output without its zero point"},
      {Reading::kFlippedSign, "takes signed codes for unsigned ones, or the reverse"},
  };
  double weight = 1;
  for (const auto& [reading, words] : all) {
    out.push_back(
        {kReading, weight, words, [reading = reading](Recipe& r) { r.reading = reading; }, 0});
    weight += 0.1;
  }
}

}  // namespace

std::vector<TextChange> Transcripts::changes(const Recipe& recipe) {
  std::vector<TextChange> out;
  const std::vector<Tensor>& outputs = frames_.front().outputs;
  for (std::size_t i = 0; outputs.size() > 1 && i < outputs.size(); ++i)
    out.push_back(
        {kOutput, 1.1, "reads output " + std::to_string(i), [i](Recipe& r) { r.output = i; }, 0});
  if (recipe.output < outputs.size() && !outputs[recipe.output].spec.quantization.empty())
    add_readings(out);
  search::add_words(steps(), "ctc.blank", kBlank, out);
  search::add_words(steps(), "ctc.repeats", kRepeats, out);
  search::add_words(steps(), "ctc.blanks", kBlanks, out);
  if (recipe.space != Space::kNone) search::add_words(steps(), "ctc.space", kSpace, out);
  for (const int shift : kShifts)
    out.push_back({kShift, 1 + 0.1 * std::abs(shift), shift_words(shift),
                   [shift](Recipe& r) { r.shift = shift; }, 0});
  if (!has_confidences_) return out;
  add_activations(out);
  search::add_words(steps(), "ctc.confidence", kConfidence, out);
  return out;
}

std::string_view step_of(const TextChange& change) {
  switch (change.sets) {
    case kOutput: return "output";
    case kReading: return "dequantize";
    case kActivations: return "softmax";
    default: return "ctc";
  }
}

std::string fix_line(const TextChange& change, const Recipe& reference) {
  const bool is_first = reference.blank == Blank::kFirst;
  const bool is_known = reference.repeats == Repeats::kMerged &&
                        reference.blanks == Blanks::kDropped && reference.shift == 0;
  switch (change.sets) {
    case kOutput: return "scores = outputs[" + std::to_string(reference.output) + "]";
    case kReading:
      return reference.reading == Reading::kValues
                 ? "scores = (codes.astype(numpy.float32) - zero_point) * scale"
                 : "";
    case kActivations:
      if (reference.activations.empty()) return "best = scores.max(-1)";
      if (reference.activations != std::vector{Activation::kSoftmax}) return "";
      return "e = numpy.exp(scores - scores.max(-1, keepdims=True)); "
             "best = (e / e.sum(-1, keepdims=True)).max(-1)";
    case kConfidence:
      return reference.confidence == Confidence::kMean
                 ? "confidence = best[keep].mean() if keep.any() else 0.0"
                 : "";
    case kBlank:
    case kSpace:
    case kShift: {
      if (!is_known || reference.space == Space::kDropped) return "";
      const std::string space = reference.space == Space::kLast ? " + [' ']" : "";
      return is_first ? "characters = [''] + dictionary" + space
                      : "characters = dictionary" + space + " + ['']";
    }
    default:
      if (!is_known) return "";
      return std::string("keep = numpy.append(True, path[1:] != path[:-1]) & (path != ") +
             (is_first ? "0" : "classes - 1") + ")";
  }
}

bool differ(const Recipe& a, const Recipe& b, const RecordedFrame& frame) {
  const std::vector<TensorView> outputs(frame.outputs.begin(), frame.outputs.end());
  const auto of_a = run(a, outputs), of_b = run(b, outputs);
  if (!of_a || !of_b) return false;
  if (*of_a->text != *of_b->text) return true;
  const double one = of_a->scores->front(), other = of_b->scores->front();
  return frame.answer.scores && std::fabs(one - other) > 2e-3 * std::fabs(one);
}

std::string deciding_input(const Recipe& a, const Recipe& b,
                           std::span<const RecordedFrame> /*frames*/) {
  const std::size_t count = a.dictionary.characters.size();
  const std::size_t space = a.space != Space::kNone ? 1 : 0, classes = count + 1 + space;
  if (count < 2) return "";
  const std::size_t first = a.blank == Blank::kFirst ? 1 : 0, blank = first ? 0 : classes - 1;
  struct Made {
    std::vector<std::size_t> best;
    const char* words;
  };
  std::vector<Made> made{
      {{first, blank, first, blank, first + 1}, "a text with a doubled character"},
      {{first, first, first + 1}, "a text whose characters take several steps each"},
      {{first + count - 1}, "a text with the dictionary's last character"},
      {{first}, "a text with the dictionary's first character"},
      {{blank, blank}, "a picture without a text"},
  };
  if (space) made.push_back({{first, first + count, first + 1}, "a text with a space"});
  for (Made& one : made) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < one.best.size(); ++i)
      scores.push_back(0.9 - 0.07 * static_cast<double>(i));
    const Path path{classes, std::move(one.best), std::move(scores)};
    if (transcribed(a, path).text != transcribed(b, path).text) return one.words;
  }
  return "";
}

}  // namespace edgeprobe::diagnose::transcripts
