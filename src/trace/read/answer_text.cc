// SPDX-License-Identifier: Apache-2.0
#include "trace/read/answer_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "trace/json_text.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kLongestLabel = 60, kLongestShown = 4096;

std::string real_text(float value) { return number(static_cast<double>(value)); }

template <class Row>
std::string numbers_text(const Row& row) {
  std::string text = "(";
  for (const float value : row) text += (text.size() > 1 ? " " : "") + real_text(value);
  return text + ")";
}

/// Label, class, box and score of one item.
std::string item_text(const Answer& answer, std::size_t i) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  if (answer.labels) add(sanitized((*answer.labels)[i], kLongestLabel));
  if (answer.classes) add("class " + std::to_string((*answer.classes)[i]));
  if (answer.boxes) add(numbers_text((*answer.boxes)[i]));
  if (answer.scores) add(real_text((*answer.scores)[i]));
  return text;
}

template <class Text>
std::string listed_text(std::size_t count, std::size_t most, const Text& text) {
  std::string out;
  const std::size_t listed = most == 0 ? count : std::min(count, most);
  for (std::size_t i = 0; i < listed; ++i) out += (i ? ", " : "") + text(i);
  if (listed < count) out += " … " + std::to_string(count - listed) + " more";
  return out;
}

std::string mask_text(const Mask& mask) {
  const std::string size = "mask " + std::to_string(mask.height) + "x" + std::to_string(mask.width);
  if (mask.classes.empty()) return size;
  const auto [least, most] = std::minmax_element(mask.classes.begin(), mask.classes.end());
  return size + " of classes " + std::to_string(*least) + " to " + std::to_string(*most);
}

// Appends the shortest text that reads back as the same float: 0.1, not 0.10000000149011612.
void append_answer(std::string& json, float value) {
  if (!std::isfinite(value)) {
    json += "null";
    return;
  }
  std::array<char, 32> digits{};
  json.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}
void append_answer(std::string& json, std::int64_t value) { json += std::to_string(value); }
void append_answer(std::string& json, std::int32_t value) { json += std::to_string(value); }
void append_answer(std::string& json, const std::string& text) { append_json_text(json, text); }
template <class List>
void append_answer(std::string& json, const List& values) {
  json += '[';
  bool is_first = true;
  for (const auto& value : values) {
    if (!is_first) json += ',';
    is_first = false;
    append_answer(json, value);
  }
  json += ']';
}

}  // namespace

std::string to_text(const Answer& answer, std::size_t most) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  const std::size_t count = answer.labels    ? answer.labels->size()
                            : answer.classes ? answer.classes->size()
                            : answer.boxes   ? answer.boxes->size()
                            : answer.scores  ? answer.scores->size()
                                             : 0;
  if (count) add(listed_text(count, most, [&](std::size_t i) { return item_text(answer, i); }));
  else if (answer.boxes) add("no boxes");
  else if (answer.labels || answer.classes) add("no labels");
  else if (answer.scores) add("no scores");
  if (answer.mask) add(mask_text(*answer.mask));
  if (answer.points)
    add(answer.points->empty()
            ? "no points"
            : "points " + listed_text(answer.points->size(), most, [&](std::size_t i) {
                return numbers_text((*answer.points)[i]);
              }));
  if (answer.vector)
    add("vector of " + std::to_string(answer.vector->size()) + ": " +
        listed_text(answer.vector->size(), most,
                    [&](std::size_t i) { return real_text((*answer.vector)[i]); }));
  if (answer.score) add("score " + real_text(*answer.score));
  if (answer.alarm) add(*answer.alarm ? "alarm" : "no alarm");
  if (answer.text) add("text '" + sanitized(*answer.text, kLongestShown) + "'");
  return text.empty() ? "nothing" : text;
}

std::string answer_line(ByteView message) {
  constexpr std::size_t kMostEntries = 32;
  const auto answer = decode_answer(message);
  return sanitized(answer ? to_text(*answer, kMostEntries) : answer.error().what, kLongestShown);
}

std::string answer_json(const Answer& answer, MaskForm mask) {
  std::string json;
  const auto add = [&](const char* key, const auto& value) {
    json += json.empty() ? "{\"" : ",\"";
    json += std::string(key) + "\":";
    append_answer(json, value);
  };
  if (answer.labels) add("labels", *answer.labels);
  if (answer.classes) add("classes", *answer.classes);
  if (answer.scores) add("scores", *answer.scores);
  if (answer.boxes) add("boxes", *answer.boxes);
  if (answer.mask) {
    json += std::string(json.empty() ? "{" : ",") + R"("mask":{"height":)" +
            std::to_string(answer.mask->height) +
            ",\"width\":" + std::to_string(answer.mask->width);
    if (mask == MaskForm::kWhole) {
      json += ",\"classes\":";
      append_answer(json, answer.mask->classes);
    }
    json += '}';
  }
  if (answer.points) add("points", *answer.points);
  if (answer.vector) add("vector", *answer.vector);
  if (answer.score) add("score", *answer.score);
  if (answer.alarm)
    json +=
        std::string(json.empty() ? "{" : ",") + "\"alarm\":" + (*answer.alarm ? "true" : "false");
  if (answer.text) add("text", *answer.text);
  return json.empty() ? "{}" : json + "}";
}

std::string answer_json(ByteView message) {
  const auto answer = decode_answer(message);
  if (answer) return answer_json(*answer);
  std::string json = R"({"problem":)";
  append_json_text(json, answer.error().what);
  return json + "}";
}

}  // namespace edgeprobe::trace
