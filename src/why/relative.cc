// SPDX-License-Identifier: Apache-2.0
#include "why/relative.h"

#include <algorithm>
#include <array>
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

}  // namespace

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
