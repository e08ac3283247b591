// SPDX-License-Identifier: Apache-2.0
#include "recipe/arguments.h"

#include <charconv>
#include <cmath>

#include "core/text.h"
#include "recipe/limits.h"

namespace edgeprobe::recipe {
namespace {

constexpr std::size_t kMostArguments = 64;
constexpr std::size_t kMostChannels = 16;

std::optional<double> parse_real(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return {};
  return value;
}

std::optional<int> parse_whole(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::string quoted(std::string_view text) { return "\"" + sanitized(text, 60) + "\""; }

std::string listing(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace

std::optional<Argument> Arguments::next() {
  for (std::size_t i = 0; i < std::min(step_.arguments.size(), kMostArguments); ++i) {
    if ((taken_ >> i & 1) != 0 || !step_.arguments[i].key.empty()) continue;
    taken_ |= std::size_t{1} << i;
    return step_.arguments[i];
  }
  return {};
}

std::optional<Argument> Arguments::take(std::string_view key) {
  keys_.emplace_back(key);
  for (std::size_t i = 0; i < std::min(step_.arguments.size(), kMostArguments); ++i) {
    if ((taken_ >> i & 1) != 0 || step_.arguments[i].key != key) continue;
    taken_ |= std::size_t{1} << i;
    return step_.arguments[i];
  }
  return {};
}

Result<Argument> Arguments::require(std::string_view what) {
  if (auto argument = next()) return *argument;
  return error(step_.at, std::string(step_.name) + " needs " + std::string(what));
}

Result<double> Arguments::real(const Argument& argument, double least, double most) const {
  const auto value = parse_real(argument.value);
  if (value && *value >= least && *value <= most) return *value;
  return error(argument.at, "expected a number from " + number(least) + " to " + number(most) +
                                ", found " + quoted(argument.value));
}

Result<int> Arguments::whole(const Argument& argument, int least, int most) const {
  const auto value = parse_whole(argument.value);
  if (value && *value >= least && *value <= most) return *value;
  return error(argument.at, "expected a whole number from " + std::to_string(least) + " to " +
                                std::to_string(most) + ", found " + quoted(argument.value));
}

Result<Size> Arguments::size(const Argument& argument) const {
  const std::size_t x = argument.value.find('x');
  const auto height = parse_whole(argument.value.substr(0, x));
  const auto width =
      x == std::string_view::npos ? std::nullopt : parse_whole(argument.value.substr(x + 1));
  if (!height || !width) {
    return error(argument.at,
                 "expected a size like 224x224 (height x width), found " + quoted(argument.value));
  }
  if (*height < 1 || *width < 1 || *height > kMostSide || *width > kMostSide ||
      std::int64_t(*height) * *width > kMostPixels) {
    return error(argument.at, "the size " + quoted(argument.value) + " is out of range: 1 to " +
                                  std::to_string(kMostSide) + " a side and at most " +
                                  std::to_string(kMostPixels / 1'000'000) + " megapixels");
  }
  return Size{*height, *width};
}

Result<std::vector<double>> Arguments::list(const Argument& argument, double least,
                                            double most) const {
  std::string_view text = argument.value;
  if (text.front() != '[') {
    EP_TRY(auto one, real(argument, least, most));
    return std::vector<double>{one};
  }
  if (text.back() != ']') return error(argument.at, "a list ends with \"]\"");
  text = text.substr(1, text.size() - 2);
  std::vector<double> values;
  for (;;) {
    const std::size_t comma = text.find(',');
    EP_TRY(auto value, real({{}, trim(text.substr(0, comma)), argument.at}, least, most));
    values.push_back(value);
    if (values.size() > kMostChannels) return error(argument.at, "a list of over 16 values");
    if (comma == std::string_view::npos) return values;
    text = text.substr(comma + 1);
  }
}

Result<int> Arguments::word(const Argument& argument, Words words) const {
  std::vector<std::string> known;
  for (const Word& word : words) {
    if (word.text.empty()) continue;
    if (word.text == argument.value) return word.value;
    known.emplace_back(word.text);
  }
  return unknown(argument, known);
}

bool Arguments::has_taken(std::string_view key) const {
  for (std::size_t i = 0; i < std::min(step_.arguments.size(), kMostArguments); ++i)
    if ((taken_ >> i & 1) != 0 && step_.arguments[i].key == key) return true;
  return false;
}

Status Arguments::finish() const {
  if (step_.arguments.size() > kMostArguments) return error(step_.at, "over 64 arguments");
  for (std::size_t i = 0; i < step_.arguments.size(); ++i) {
    if ((taken_ >> i & 1) != 0) continue;
    const Argument& left = step_.arguments[i];
    const std::string step(step_.name);
    if (left.key.empty()) {
      return error(left.at, quoted(left.value) + " is one argument too many for " + step);
    }
    for (const std::string& key : keys_) {
      if (key == left.key) return error(left.at, quoted(left.key) + " is given twice");
    }
    if (keys_.empty()) return error(left.at, step + " takes no \"name=\" arguments");
    const std::string close = closest_match(left.key, keys_);
    return error(left.at, step + " has no argument " + quoted(left.key) +
                              (close.empty() ? "; it takes " + listing(keys_)
                                             : "; did you mean \"" + close + "\"?"));
  }
  return {};
}

Error Arguments::error(std::size_t at, std::string_view what) const {
  return {ErrorKind::kUsage, "recipe step " + std::to_string(step_.number) + " " +
                                 quoted(step_.text) + ", " + place(recipe_, at) + ": " +
                                 std::string(what)};
}

Error Arguments::unknown(const Argument& argument, const std::vector<std::string>& known) const {
  const std::string close = closest_match(argument.value, known);
  return error(argument.at, "unknown word " + quoted(argument.value) +
                                (close.empty() ? "; known are " + listing(known)
                                               : "; did you mean \"" + close +
                                                     "\"? (known: " + listing(known) + ")"));
}

Error unknown_step(const Arguments& arguments, const StepText& step,
                   const std::vector<std::string>& known) {
  return arguments.unknown({{}, step.name, step.at}, known);
}

}  // namespace edgeprobe::recipe
