// SPDX-License-Identifier: Apache-2.0
#include "fleet/columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/text.h"

namespace edgeprobe::fleet {
namespace {

constexpr const char* kNotStated = "(not stated)";
// Beyond this, a correction leaves nothing significant, and the tests take minutes.
constexpr std::size_t kMostColumns = 400;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Texts = std::vector<std::optional<std::string>>;

std::optional<double> number_from(const std::string& text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::size_t distinct(const std::vector<double>& values) {
  std::set<double> found;
  for (const double value : values)
    if (std::isfinite(value)) found.insert(value);
  return found.size();
}

// Number of values that only one device has.
std::size_t alone(const std::vector<double>& values) {
  std::map<double, std::size_t> counts;
  for (const double value : values)
    if (std::isfinite(value)) ++counts[value];
  return static_cast<std::size_t>(std::count_if(
      counts.begin(), counts.end(), [](const auto& entry) { return entry.second == 1; }));
}

// Equal for columns that partition the devices identically: 0 for the first value, 1 for the next
// new one.
std::vector<std::size_t> partition_of(const Texts& texts) {
  std::map<std::string, std::size_t> places;
  std::vector<std::size_t> partition;
  for (const auto& text : texts)
    partition.push_back(places.emplace(text.value_or(kNotStated), places.size()).first->second);
  return partition;
}

// Equal for columns that order the devices identically: for each, the number of smaller values.
std::vector<std::size_t> order_of(const std::vector<double>& values) {
  std::vector<double> sorted;
  for (const double value : values)
    if (std::isfinite(value)) sorted.push_back(value);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> order;
  for (const double value : values) {
    const auto less = std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
    order.push_back(std::isfinite(value) ? static_cast<std::size_t>(less) : values.size());
  }
  return order;
}

class Gathered {
 public:
  void add(const std::string& name, Texts texts) {
    const std::vector<std::size_t> partition = partition_of(texts);
    const std::size_t values =
        1 + *std::max_element(partition.begin(), partition.end());  // There is at least one device.
    if (values == 1) {
      ++columns_.same;
      return;
    }
    if (values == texts.size()) {
      ++columns_.singular;
      return;
    }
    if (is_full() && !text_places_.contains(partition)) {
      ++columns_.left_out;
      return;
    }
    const auto [place, is_new] = text_places_.emplace(partition, columns_.texts.size());
    if (is_new) columns_.texts.emplace_back();
    columns_.texts[place->second].names.push_back(name);
    columns_.texts[place->second].values.push_back(std::move(texts));
  }
  void add(const std::string& name, const std::string& unit, std::vector<double> values) {
    const std::vector<std::size_t> order = order_of(values);
    if (is_full() && !number_places_.contains(order)) {
      ++columns_.left_out;
      return;
    }
    const auto [place, is_new] = number_places_.emplace(order, columns_.numbers.size());
    if (is_new) columns_.numbers.push_back({{}, unit, std::move(values)});
    columns_.numbers[place->second].names.push_back(name);
  }
  Columns take() { return std::move(columns_); }

 private:
  bool is_full() const { return columns_.texts.size() + columns_.numbers.size() >= kMostColumns; }

  Columns columns_;
  std::map<std::vector<std::size_t>, std::size_t> text_places_, number_places_;
};

}  // namespace

Columns columns_of(const std::vector<Device>& devices) {
  std::set<std::string> text_names, number_names;
  for (const Device& device : devices) {
    for (const auto& [name, text] : device.facts.texts) text_names.insert(name);
    for (const auto& [name, number] : device.facts.numbers) number_names.insert(name);
  }
  Gathered gathered;
  for (const std::string& name : text_names) {
    Texts texts;
    std::vector<double> values;
    bool are_numbers = !name.ends_with("sha256");
    for (const Device& device : devices) {
      const auto at = device.facts.texts.find(name);
      texts.emplace_back(at == device.facts.texts.end() ? kNotStated : at->second);
      const auto value = number_from(*texts.back());
      are_numbers = are_numbers && (value || *texts.back() == kNotStated);
      values.push_back(value.value_or(kNone));
    }
    // Values shared by devices are names, such as versions; "535.2" is not larger than "530.1".
    if (are_numbers && 2 * alone(values) > devices.size())
      gathered.add(name, "", std::move(values));
    gathered.add(name, std::move(texts));
  }
  for (const std::string& name : number_names) {
    std::vector<double> values;
    std::string unit;
    for (const Device& device : devices) {
      const auto at = device.facts.numbers.find(name);
      values.push_back(at == device.facts.numbers.end() ? kNone : at->second.value);
      if (at != device.facts.numbers.end() && unit.empty()) unit = at->second.unit;
    }
    if (distinct(values) > 2) {
      gathered.add(name, unit, std::move(values));
      continue;
    }
    Texts texts;
    for (const double value : values)
      texts.emplace_back(std::isfinite(value) ? number(value, 6) : kNotStated);
    gathered.add(name, std::move(texts));
  }
  return gathered.take();
}

}  // namespace edgeprobe::fleet
