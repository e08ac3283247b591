// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/problem.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

namespace edgeprobe::diagnose::tokens {
namespace {

/// Largest number of cells in a table for the longest common sequence.
constexpr std::size_t kMostCells = 1 << 18;

std::vector<text::Encoding> encoded(const FrontEnd& front_end,
                                    const std::vector<text::Tokens>& tokens) {
  std::vector<text::Encoding> out;
  for (const text::Tokens& sample : tokens) out.push_back(text::encode(front_end, sample));
  return out;
}

text::Encoding zeros_like(text::Encoding encoding) {
  for (Ids* const values : {&encoding.ids, &encoding.mask, &encoding.types, &encoding.positions})
    std::fill(values->begin(), values->end(), 0);
  return encoding;
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

bool is_equal(const text::Encoding& said, const text::Encoding& recorded, text::Role role) {
  const Ids& values = text::values_of(recorded, role);
  return values.empty() || values == text::values_of(said, role);
}

bool is_equal(const text::Encoding& said, const text::Encoding& recorded) {
  return std::all_of(kRoles.begin(), kRoles.end(),
                     [&](text::Role role) { return is_equal(said, recorded, role); });
}

bool Problem::has_pairs() const {
  return std::any_of(observations_.begin(), observations_.end(),
                     [](const Observation& one) { return one.texts.size() > 1; });
}

bool Problem::has_before() const {
  return std::any_of(observations_.begin(), observations_.end(),
                     [](const Observation& one) { return one.before.has_value(); });
}

std::vector<std::vector<std::string>> Problem::texts_before() const {
  std::vector<std::vector<std::string>> texts;
  for (const Observation& one : observations_)
    if (one.before) texts.push_back(one.before->texts);
  return texts;
}

const Result<std::vector<text::Tokens>>& Problem::tokens_of(
    Known& known, const FrontEnd& front_end, const std::vector<std::vector<std::string>>& texts) {
  Key key{{}, front_end.edit};
  for (const text::TextStep& step : front_end.before)
    key.first.emplace_back(static_cast<int>(step.change), step.text);
  auto at = known.find(key);
  if (at == known.end())
    at = known.emplace(std::move(key), tokenizer_.encode(texts, front_end.before, front_end.edit))
             .first;
  return at->second;
}

Result<std::vector<text::Encoding>> Problem::encode(const FrontEnd& front_end) {
  std::vector<std::vector<std::string>> texts;
  for (const Observation& one : observations_) texts.push_back(one.texts);
  const auto& tokens = tokens_of(known_, front_end, texts);
  if (!tokens) return tokens.error();
  if (!front_end.keeps()) return encoded(front_end, *tokens);
  const auto& tokens_before = tokens_of(known_before_, front_end, texts_before());
  if (!tokens_before) return tokens_before.error();
  std::vector<text::Encoding> out;
  auto next = tokens_before->begin();
  for (std::size_t i = 0; i < observations_.size(); ++i) {
    const Observation& one = observations_[i];
    const text::Encoding own = text::encode(front_end, (*tokens)[i]);
    // The first frame has no predecessor: buffers begin with zeros.
    Before before{zeros_like(own), zeros_like(own)};
    if (one.before) before = {one.before->recorded, text::encode(front_end, *next++)};
    text::Encoding kept = tokens::encode(front_end, (*tokens)[i], before);
    // Data may be kept only in some frames.
    for (const text::Role role : kRoles)
      if (is_equal(own, one.recorded, role)) place_of(kept, role) = text::values_of(own, role);
    out.push_back(std::move(kept));
  }
  return out;
}

Result<std::vector<text::Encoding>> Problem::encode(
    const FrontEnd& front_end, const std::vector<std::vector<std::string>>& texts) {
  EP_TRY(auto tokens, tokenizer_.encode(texts, front_end.before, front_end.edit));
  return encoded(front_end, tokens);
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
