// SPDX-License-Identifier: Apache-2.0
#include "why/relative.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace edgeprobe::why {
namespace {

using diagnose::Cause;
using diagnose::CauseKind;

constexpr std::array kRelative{CauseKind::kChannelOrder, CauseKind::kOrientation,
                               CauseKind::kTone,         CauseKind::kColorConversion,
                               CauseKind::kCrop,         CauseKind::kResize,
                               CauseKind::kDecoding};

struct Order {
  std::string_view name, channels;
};
constexpr std::array kOrders{Order{"BGR", "2, 1, 0 (RGB and BGR exchanged)"},
                             Order{"RBG", "0, 2, 1"}, Order{"GRB", "1, 0, 2"},
                             Order{"GBR", "1, 2, 0"}, Order{"BRG", "2, 0, 1"}};
constexpr std::string_view kFeeds = "the app feeds ", kOfReference = "; the reference feeds RGB";

std::string relative(const Cause& cause) {
  const std::string& detail = cause.detail;
  for (const Order& order : kOrders)
    if (detail == std::string(kFeeds) + std::string(order.name) + std::string(kOfReference))
      return "the app's channels are the reference's in the order " + std::string(order.channels);
  return detail.substr(0, detail.find("; the reference")) + ", against the reference's tensor";
}

/// Longer phrases before those that they contain.
struct Phrase {
  std::string_view of_model, of_tensor;
};
constexpr std::array kPhrases{
    Phrase{"the model expects NHWC", "the reference's tensor is NHWC"},
    Phrase{"the model expects NCHW", "the reference's tensor is NCHW"},
    Phrase{"the model expects", "the reference has"},
    Phrase{"which the model reads as picture", "which is read as picture"},
    Phrase{"where the model takes", "where the reference has"},
    Phrase{"the model takes", "the reference has"},
    Phrase{"the model has", "the reference has"},
    Phrase{"the model input", "the tensor"},
    Phrase{"then to the model's input", "then to the tensor's size"},
    Phrase{"the model's input", "the reference's tensor"},
    Phrase{"the model's", "the reference's"},
    Phrase{"the app's input", "the app's tensor"},
};

}  // namespace

std::string without_model(std::string text) {
  for (const Phrase& phrase : kPhrases)
    for (std::size_t at = 0; (at = text.find(phrase.of_model, at)) != std::string::npos;
         at += phrase.of_tensor.size())
      text.replace(at, phrase.of_model.size(), phrase.of_tensor);
  return text;
}

void make_relative(Answer& answer) {
  bool any = false;
  for (Cause& cause : answer.causes) {
    if (std::find(kRelative.begin(), kRelative.end(), cause.kind) == kRelative.end()) continue;
    any = true;
    cause.detail = relative(cause);
    cause.fix_step.clear();
  }
  if (any)
    answer.would_decide.push_back(
        "which of the two is right: the picture that both were made of (--image)");
}

void exchange_words(Answer& answer) {
  for (Cause& cause : answer.causes) {
    cause.detail = exchanged(cause.detail);
    for (std::string& other : cause.alternatives) other = exchanged(other);
    cause.fix_step.clear();
  }
  for (std::string& text : answer.would_decide) text = exchanged(text);
  std::swap(answer.app_recipe, answer.reference_recipe);
}

}  // namespace edgeprobe::why
