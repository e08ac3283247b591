// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/problem.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

namespace edgeprobe::diagnose::tokens {
namespace {

/// Cells of a table for the longest common sequence.
constexpr std::size_t kMostCells = 1 << 18;

std::vector<text::Encoding> encoded(const text::FrontEnd& front_end,
                                    const std::vector<text::Tokens>& tokens) {
  std::vector<text::Encoding> out;
  for (const text::Tokens& sample : tokens) out.push_back(text::encode(front_end, sample));
  return out;
}

std::size_t common_bag(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  std::map<std::int64_t, std::ptrdiff_t> count;
  for (const std::int64_t id : a) ++count[id];
  std::size_t common = 0;
  for (const std::int64_t id : b)
    if (count[id]-- > 0) ++common;
  return common;
}

std::size_t common_sequence(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (const std::int64_t id : a) {
    std::size_t before = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = id == b[j] ? before + 1 : std::max(above, row[j]);
      before = above;
    }
  }
  return row.back();
}

}  // namespace

bool Problem::has_pairs() const {
  return std::any_of(observations_.begin(), observations_.end(),
                     [](const Observation& one) { return one.texts.size() > 1; });
}

Result<std::vector<text::Encoding>> Problem::encode(const text::FrontEnd& front_end) {
  Key key{{}, front_end.edit};
  for (const text::TextStep& step : front_end.before)
    key.first.emplace_back(static_cast<int>(step.change), step.text);
  auto at = known_.find(key);
  if (at == known_.end()) {
    std::vector<std::vector<std::string>> texts;
    for (const Observation& one : observations_) texts.push_back(one.texts);
    at = known_.emplace(std::move(key), tokenizer_.encode(texts, front_end.before, front_end.edit))
             .first;
  }
  if (!at->second) return at->second.error();
  return encoded(front_end, *at->second);
}

Result<std::vector<text::Encoding>> Problem::encode(
    const text::FrontEnd& front_end, const std::vector<std::vector<std::string>>& texts) {
  auto tokens = tokenizer_.encode(texts, front_end.before, front_end.edit);
  if (!tokens) return std::move(tokens.error());
  return encoded(front_end, *tokens);
}

double Problem::bits_of_id() const {
  std::int64_t largest = 255;
  for (const Observation& one : observations_)
    for (const std::int64_t id : one.recorded.ids) largest = std::max(largest, id);
  return std::log2(static_cast<double>(largest) + 1);
}

std::size_t edits_between(const Ids& a, const Ids& b) {
  std::span<const std::int64_t> x(a), y(b);
  while (!x.empty() && !y.empty() && x.front() == y.front()) {
    x = x.subspan(1);
    y = y.subspan(1);
  }
  while (!x.empty() && !y.empty() && x.back() == y.back()) {
    x = x.first(x.size() - 1);
    y = y.first(y.size() - 1);
  }
  const std::size_t longer = std::max(x.size(), y.size());
  if (x.empty() || y.empty()) return longer;
  return longer - (x.size() * y.size() > kMostCells ? common_bag(x, y) : common_sequence(x, y));
}

std::size_t unlike(const Ids& a, const Ids& b) {
  if (a.size() != b.size()) return std::max(a.size(), b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

}  // namespace edgeprobe::diagnose::tokens
