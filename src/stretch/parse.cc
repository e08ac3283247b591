// SPDX-License-Identifier: Apache-2.0
#include "stretch/parse.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <vector>

namespace edgeprobe::stretch {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostKeys = 10'000;  // Of one object: keys are searched linearly.

std::string line_and_column(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const std::size_t line_end = before.rfind('\n');
  return "line " + std::to_string(std::count(before.begin(), before.end(), '\n') + 1) +
         ", column " +
         std::to_string(before.size() - (line_end == std::string_view::npos ? 0 : line_end + 1) +
                        1);
}

/// Stops the parser early; caught in this source.
struct Refused {
  Error error;
};

/// Watches the text during parsing: a parsed object no longer shows duplicate keys, and a too
/// deeply nested one should not be built.
class Watch {
 public:
  bool operator()(json::parse_event_t event, const json& value) {
    using Event = json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        next_item();
        if (levels_.size() == kDeepest)
          throw Refused{
              {ErrorKind::kUsage,
               sentence(place(), "nested deeper than " + std::to_string(kDeepest) + " levels")}};
        levels_.push_back({event == Event::array_start, {}, {}, {}});
        break;
      case Event::object_end:
      case Event::array_end: levels_.pop_back(); break;
      case Event::key: key(value.get_ref<const std::string&>()); break;
      case Event::value: next_item(); break;
    }
    return true;
  }

 private:
  struct Level {
    bool is_list = false;
    std::optional<std::size_t> item;
    std::string key;
    std::unordered_set<std::string> keys;
  };

  void next_item() {
    if (levels_.empty() || !levels_.back().is_list) return;
    std::optional<std::size_t>& item = levels_.back().item;
    item = item ? *item + 1 : 0;
  }
  void key(const std::string& name) {
    Level& level = levels_.back();
    level.key = name;
    if (!level.keys.insert(name).second)
      throw Refused{{ErrorKind::kUsage, sentence(place(), "the key appears twice")}};
    if (level.keys.size() > kMostKeys)
      throw Refused{
          {ErrorKind::kLimit,
           sentence(place(), "one object has more than " + std::to_string(kMostKeys) + " keys")}};
  }
  std::string place() const {
    std::string all;
    for (const Level& level : levels_)
      all = level.is_list ? join(all, level.item.value_or(0)) : join(all, level.key);
    return all;
  }

  std::vector<Level> levels_;
};

}  // namespace

Result<json> parse_json(std::string_view text) {
  Watch watch;
  try {
    return json::parse(
        text, [&](int, json::parse_event_t event, json& value) { return watch(event, value); });
  } catch (const Refused& refused) {
    return refused.error;
  } catch (const json::parse_error& wrong) {
    return Error{ErrorKind::kUsage,
                 line_and_column(text, wrong.byte > 0 ? wrong.byte - 1 : 0) +
                     ": this is not valid JSON (a missing or extra comma or quote?)"};
  } catch (const json::out_of_range&) {
    return Error{ErrorKind::kUsage,
                 "a number is beyond what a float64 holds (1.8e308); write a smaller one"};
  }
}

}  // namespace edgeprobe::stretch
