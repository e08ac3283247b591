// SPDX-License-Identifier: Apache-2.0
#include "postprocess/tables.h"

#include <algorithm>
#include <numeric>

#include "core/text.h"
#include "names/class_names.h"

namespace edgeprobe::postprocess {
namespace {

Status load(Table& table) {
  EP_TRY(table.names, names::read_class_names(table.file, table.column));
  return {};
}

}  // namespace

Status load_tables(Classification& recipe) {
  if (!recipe.labels) return {};
  EP_CHECK(load(recipe.labels->table));
  if (recipe.labels->other) return load(*recipe.labels->other);
  return {};
}

std::vector<std::string> in_order(const Labels& labels, TableOrder order) {
  std::vector<std::string> names = labels.table.names;
  std::vector<std::size_t> index(names.size());
  std::iota(index.begin(), index.end(), std::size_t{0});
  switch (order) {
    case TableOrder::kFile: break;
    case TableOrder::kAlphabetical: std::sort(names.begin(), names.end()); break;
    case TableOrder::kNoCase:
      std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
        return lower_case(a) < lower_case(b);
      });
      break;
    case TableOrder::kAsText: {
      std::sort(index.begin(), index.end(),
                [](std::size_t a, std::size_t b) { return std::to_string(a) < std::to_string(b); });
      for (std::size_t i = 0; i < names.size(); ++i) names[i] = labels.table.names[index[i]];
      break;
    }
    case TableOrder::kReversed: std::reverse(names.begin(), names.end()); break;
    case TableOrder::kOther:
      if (labels.other) names = labels.other->names;
      break;
    case TableOrder::kNumbers:
      for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::to_string(i);
      break;
  }
  return names;
}

}  // namespace edgeprobe::postprocess
