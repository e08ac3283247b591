// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/wording.h"

#include <cmath>
#include <cstdlib>

#include "core/text.h"
#include "postprocess/words.h"

namespace edgeprobe::diagnose::postprocessing {
namespace {

using postprocess::Activation;
using postprocess::Order;
using postprocess::Reading;
using postprocess::TableOrder;

std::string activation_words(Activation activation) {
  switch (activation) {
    case Activation::kSoftmax: return "softmax";
    case Activation::kSigmoid: return "sigmoid";
    case Activation::kLogSoftmax: return "log softmax";
    case Activation::kShare: return "a division by the sum";
    case Activation::kOfLargest: return "a division by the largest";
    case Activation::kStretched: return "a stretch to 0..1";
    case Activation::kExp: return "exp without a division";
    case Activation::kBatchSoftmax: return "softmax over the batch axis";
  }
  return "?";
}

std::string chain_words(const std::vector<Activation>& chain) {
  if (chain.empty()) return "no activation";
  if (chain.size() == 2 && chain[0] == chain[1]) return activation_words(chain[0]) + " twice";
  std::string out = activation_words(chain[0]);
  for (std::size_t i = 1; i < chain.size(); ++i) out += ", then " + activation_words(chain[i]);
  return out;
}

std::string chain_key(const std::vector<Activation>& chain) {
  std::string out;
  for (const Activation activation : chain) {
    if (!out.empty()) out += "+";
    out += activation == Activation::kBatchSoftmax
               ? "batch_softmax"
               : std::string(postprocess::word_of(postprocess::kActivationWords, activation));
  }
  return out.empty() ? "none" : out;
}

std::string reading_words(Reading reading) {
  switch (reading) {
    case Reading::kValues: return "dequantises the output";
    case Reading::kCodes: return "takes the codes of the output for its values";
    case Reading::kNoZeroPoint: return "leaves the zero point of the output out";
    case Reading::kOf255:
      return "divides the codes of the output by 255 in place of using its scale";
    case Reading::kFlippedSign: return "confuses signed and unsigned codes of the output";
    case Reading::kFlippedCodes:
      return "confuses signed and unsigned codes of the output, and takes them for its values";
    case Reading::kFlippedNoZeroPoint:
      return "confuses signed and unsigned codes of the output, and leaves the zero point out";
  }
  return "?";
}

std::string reading_key(Reading reading) {
  constexpr const char* kNames[] = {
      "values",       "codes",         "no_zero_point",        "of_255",
      "flipped_sign", "flipped_codes", "flipped_no_zero_point"};
  return kNames[static_cast<std::size_t>(reading)];
}

std::string order_words(Order order) {
  switch (order) {
    case Order::kDescending: return "sorts the classes, largest score first";
    case Order::kAscending: return "sorts the classes, smallest score first";
    case Order::kUnsorted: return "does not sort the classes";
  }
  return "?";
}

std::string named(int class_id, const std::vector<std::string>& names) {
  std::string out = std::to_string(class_id);
  if (class_id >= 0 && static_cast<std::size_t>(class_id) < names.size())
    out += " ('" + sanitized(names[static_cast<std::size_t>(class_id)], 40) + "')";
  return out;
}

std::string table_words(const Hypothesis& app, const postprocess::Classification& reference,
                        const std::vector<std::string>& names) {
  if (const TableEdit* edit = app.edit.get()) {
    if (edit->kind == TableEdit::Kind::kMap) return "the app " + own_table_words(edit->own, names);
    const std::string where =
        "after class " + named(edit->right, names) + " and up to class " + named(edit->from, names);
    return edit->kind == TableEdit::Kind::kLineLost
               ? "the app's label file lacks a line: labels are right up to class " +
                     named(edit->right, names) + " and one too high from class " +
                     named(edit->from, names) + " on"
               : "the app's label file has a line too many " + where +
                     ": labels are one too low from there on";
  }
  const std::string file = "the app's label file is ";
  switch (app.recipe.labels->order) {
    case TableOrder::kFile: return file + "in the order of the classes";
    case TableOrder::kAlphabetical: return file + "sorted alphabetically";
    case TableOrder::kNoCase: return file + "sorted without regard to case";
    case TableOrder::kAsText: return file + "sorted by class numbers as text (0, 1, 10, 100, 2)";
    case TableOrder::kReversed: return file + "in reverse order";
    case TableOrder::kOther:
      return file + "another one: '" +
             sanitized(
                 reference.labels && reference.labels->other ? reference.labels->other->file : "",
                 120) +
             "'";
    case TableOrder::kNumbers: return "the app reports the numbers of the classes as labels";
  }
  return "?";
}

std::string table_key(const Hypothesis& app) {
  if (!app.edit)
    return std::string(postprocess::word_of(postprocess::kTableWords, app.recipe.labels->order));
  const TableEdit& edit = *app.edit;
  if (edit.kind == TableEdit::Kind::kMap) return "own_table";
  return std::string(edit.kind == TableEdit::Kind::kLineLost ? "line_lost" : "line_added") + ":" +
         std::to_string(edit.right) + ".." + std::to_string(edit.from);
}

std::string threshold_words(const Hypothesis& app, const postprocess::Classification& reference) {
  const std::string own = reference.threshold ? number(*reference.threshold) : std::string("none");
  if (!app.recipe.threshold) return "the app has no least score; the reference's is " + own;
  const auto [low, high] = app.threshold;
  const std::string range = std::isfinite(high)
                                ? "above " + number(low) + ", at most " + number(high)
                                : "above " + number(low);
  return "the app's least score is another one: " + range + " by these frames, such as " +
         number(*app.recipe.threshold) + "; the reference's is " + own;
}

std::string shift_words(const Hypothesis& app, const postprocess::Classification& reference) {
  const int by = app.recipe.labels->shift - (reference.labels ? reference.labels->shift : 0);
  const std::string how_far = std::abs(by) == 1 ? "one" : std::to_string(std::abs(by));
  return "the app's labels are " + how_far + (by < 0 ? " too low" : " too high") +
         ": class 5 gets the label of class " + std::to_string(5 + by);
}

}  // namespace

std::string words(const Change& change, const postprocess::Classification& reference,
                  const std::vector<std::string>& names) {
  Hypothesis changed;
  changed.recipe = reference;
  change.apply(changed);
  const postprocess::Classification& app = changed.recipe;
  switch (change.sets) {
    case kOutput:
      return "the app reads output " + std::to_string(app.output.value_or(0)) +
             "; the reference reads output " + std::to_string(reference.output.value_or(0));
    case kReading:
      return "the app " + reading_words(app.reading) + "; the reference " +
             reading_words(reference.reading);
    case kActivation:
      return "the app applies " + chain_words(app.activations) + "; the reference applies " +
             chain_words(reference.activations);
    case kSkip:
      return "the app skips the first class, so that every label is that of the class before";
    case kSkip | kShift: return "the app leaves the first class out";
    case kOrder:
      return "the app " + order_words(app.order) + "; the reference " +
             order_words(reference.order);
    case kMost: {
      const auto most = [](const std::optional<std::size_t>& k) {
        return k ? "at most " + std::to_string(*k) : std::string("all");
      };
      return "the app reports " + most(app.most) + " of the classes; the reference " +
             most(reference.most);
    }
    case kThreshold: return threshold_words(changed, reference);
    case kPercent:
      return reference.percent ? "the app's scores are fractions; the reference's are per cent"
                               : "the app's scores are per cent; the reference's are fractions";
    case kTable: return table_words(changed, reference, names);
    case kShift: return shift_words(changed, reference);
    case kPairing:
      return changed.pairing == Pairing::kRankForClass
                 ? "the app takes the rank of a score for the number of its class"
                 : "the app reports scores in the order of the classes next to sorted labels";
    default: return "the app's post-processing is another one";
  }
}

std::string short_words(const Change& change) {
  Hypothesis changed;
  change.apply(changed);
  const postprocess::Classification& app = changed.recipe;
  switch (change.sets) {
    case kOutput: return "output=" + std::to_string(app.output.value_or(0));
    case kReading: return "reading=" + reading_key(app.reading);
    case kActivation: return "activation=" + chain_key(app.activations);
    case kSkip: return "skip=" + std::to_string(app.skip);
    case kSkip | kShift: return "left_out=" + std::to_string(app.skip);
    case kOrder:
      return "order=" + std::string(postprocess::word_of(postprocess::kOrderWords, app.order));
    case kMost: return "most=" + (app.most ? std::to_string(*app.most) : "all");
    case kThreshold: return "threshold=" + (app.threshold ? number(*app.threshold, 6) : "none");
    case kPercent: return "percent=changed";
    case kTable: return "table=" + table_key(changed);
    case kShift: return "shift=" + std::to_string(app.labels->shift);
    case kPairing:
      return changed.pairing == Pairing::kRankForClass ? "pairing=rank_for_class"
                                                       : "pairing=scores_unsorted";
    default: return "?";
  }
}

std::string fix_line(const Change& change, const postprocess::Classification& reference) {
  switch (change.sets) {
    case kReading:
      if (reference.reading == Reading::kValues)
        return "values = (codes.astype(numpy.float32) - zero_point) * scale";
      return "";
    case kActivation:
      if (reference.activations.empty()) return "scores = values  # the model ends with its own";
      if (reference.activations == std::vector{Activation::kSoftmax})
        return "scores = numpy.exp(values - values.max()); scores /= scores.sum()";
      if (reference.activations == std::vector{Activation::kSigmoid})
        return "scores = 1 / (1 + numpy.exp(-values))";
      return "";
    case kOrder:
      return reference.order == Order::kDescending ? "best = numpy.argsort(-scores)[:k]" : "";
    case kOutput: return "values = outputs[" + std::to_string(reference.output.value_or(0)) + "]";
    case kMost:
      return reference.most
                 ? "best = numpy.argsort(-scores)[:" + std::to_string(*reference.most) + "]"
                 : "";
    case kThreshold:
      return reference.threshold
                 ? "kept = [i for i in best if scores[i] >= " + number(*reference.threshold, 9) +
                       "]"
                 : "kept = best";
    case kPercent: return reference.percent ? "scores = scores * 100" : "scores = scores / 100";
    case kPairing: return "answer = [(labels[i], scores[i]) for i in best]";
    case kTable:
    case kShift:
    case kSkip:
      return "labels = open('labels.txt').read().splitlines()  # the training's file; label = "
             "labels[class]";
    default: return "";
  }
}

}  // namespace edgeprobe::diagnose::postprocessing
