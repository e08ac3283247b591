// SPDX-License-Identifier: Apache-2.0
#include "postprocess/transcript/proposal.h"

#include <algorithm>

#include "core/text.h"
#include "names/characters.h"

namespace edgeprobe::postprocess::transcript {
namespace {

// Height of a line of text in PaddleOCR since PP-OCRv3, and before; the usual width.
constexpr std::int64_t kHeight = 48, kOlderHeight = 32, kWidth = 320;
// Fewer classes than the digits and a blank have.
constexpr std::int64_t kFewestClasses = 11;
// Stands for a file that the user has.
constexpr const char* kPlaceholder = "dictionary.txt";

bool is_near(std::int64_t steps, std::int64_t columns) {
  return steps >= columns && steps <= columns + 1;
}

bool is_line(const Recogniser& model) {
  const Shape &in = model.input, &out = model.output;
  if (in.size() != 4 || (in[1] != 1 && in[1] != 3) || out.size() != 3) return false;
  if (out[2] < kFewestClasses) return false;
  if (in[3] > 0 && in[2] > 0 && in[3] <= in[2]) return false;
  return in[3] <= 0 || out[1] <= 0 || is_near(out[1], in[3] / 4) || is_near(out[1], in[3] / 8);
}

std::string front(const Recogniser& model) {
  const std::int64_t height = model.input[2] > 0 ? model.input[2] : kHeight,
                     width = model.input[3] > 0 ? model.input[3] : kWidth;
  return "letterbox(" + std::to_string(height) + "x" + std::to_string(width) +
         ", bilinear, like=opencv, sides=ceil, place=top_left, fill=127.5) | " +
         (model.input[1] == 1 ? "gray" : "color(bgr)") +
         " | normalize(mean=127.5, std=127.5) | layout(nchw) || ";
}

// A path that a recipe can hold; texts of recipes have no quotes.
bool is_argument(const std::string& path) {
  return path.find_first_of(",()[]|=#\"\n") == std::string::npos;
}

}  // namespace

std::optional<Proposal> proposal(const Recogniser& model) {
  if (!is_line(model)) return std::nullopt;
  const std::int64_t classes = model.output[2];
  const std::string words = "a text recogniser (" + std::to_string(classes) + " classes, ";
  if (const auto given = model.properties.find("character"); given != model.properties.end()) {
    const auto all = names::characters(view_of(given->second), "");
    if (!all) return std::nullopt;
    const auto space = classes - static_cast<std::int64_t>(all->size()) - 1;
    if (space != 0 && space != 1) return std::nullopt;
    return Proposal{words + std::to_string(all->size()) + " characters in its metadata)",
                    front(model) + "ctc(" + (is_argument(model.path) ? model.path : kPlaceholder) +
                        (space ? ", blank=first, space=last)" : ", blank=first)")};
  }
  if (model.input[2] != kHeight && model.input[2] != kOlderHeight) return std::nullopt;
  return Proposal{words + "with the blank; " + kPlaceholder + " stands for its dictionary)",
                  front(model) + "ctc(" + kPlaceholder + ", blank=first)"};
}

}  // namespace edgeprobe::postprocess::transcript
