// SPDX-License-Identifier: Apache-2.0
#include "report/text/tables.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text.h"
#include "matrix/matrix.h"
#include "report/text/columns.h"

namespace edgeprobe::report {
namespace {

using matrix::Matrix;
using matrix::Row;
using nlohmann::ordered_json;

constexpr std::size_t kMostRows = 40;
constexpr std::size_t kCell = 9;

/// A, B, …, Z, then numbers.
std::string letter(std::size_t column) {
  return column < 26 ? std::string(1, static_cast<char>('A' + column)) : std::to_string(column + 1);
}

std::string distance_text(const matrix::Distance& distance) {
  return distance.exact                        ? "="
         : std::isfinite(distance.relative_l2) ? number(distance.relative_l2, 2)
                                               : "inf";
}

std::string letters(const std::vector<std::size_t>& columns) {
  std::string text;
  for (const std::size_t column : columns) text += (text.empty() ? "" : " ") + letter(column);
  return text;
}

bool beyond(const Matrix& matrix, const Row& row, std::size_t column) {
  return row.from_base[column] && row.from_base[column]->relative_l2 > matrix.floor;
}

/// The first row in which a column exceeds the floor.
const Row* first_beyond(const Matrix& matrix, std::size_t column) {
  for (const Row& row : matrix.rows)
    if (beyond(matrix, row, column)) return &row;
  return nullptr;
}

/// The pair of a column and the base; null if one of them has no outputs.
const matrix::Pair* pair_with_base(const Matrix& matrix, std::size_t column) {
  for (const matrix::Pair& pair : matrix.pairs)
    if ((pair.a == column && pair.b == matrix.base) || (pair.b == column && pair.a == matrix.base))
      return &pair;
  return nullptr;
}

double farthest(const Row& row) {
  double most = 0;
  for (const auto& distance : row.from_base)
    if (distance) most = std::max(most, distance->relative_l2);
  return most;
}

std::vector<const Row*> shown_rows(const Matrix& matrix, bool all) {
  std::vector<const Row*> rows;
  for (const Row& row : matrix.rows) rows.push_back(&row);
  if (all || rows.size() <= kMostRows) return rows;
  std::set<const Row*> kept;
  for (std::size_t c = 0; c < matrix.columns.size(); ++c)
    if (const Row* first = first_beyond(matrix, c)) kept.insert(first);
  for (const Row& row : matrix.rows)
    if (row.output) kept.insert(&row);
  auto by_distance = rows;
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const Row* a, const Row* b) { return farthest(*a) > farthest(*b); });
  for (const Row* row : by_distance)
    if (kept.size() < kMostRows) kept.insert(row);
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const Row* row) { return kept.count(row) == 0; }),
             rows.end());
  return rows;
}

/// "output 'y' is 2x3 and 3x3 (A, B)".
std::string shapes_text(const matrix::Pair& pair) {
  return pair.shapes + " (" + letter(pair.a) + ", " + letter(pair.b) + ")";
}

std::string engines_text(const Matrix& matrix) {
  std::string text;
  for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
    const matrix::Ran& ran = matrix.columns[c];
    text += "  " + letter(c) + "  " + padded(sanitized(ran.name, 40), 24) + " ";
    if (!ran.problem.empty()) {
      text += "  cannot: " + sanitized(ran.problem, 400) + "\n";
      continue;
    }
    text += padded(sanitized(ran.identity.version, 20), 12) + " ";
    const Row* const first = first_beyond(matrix, c);
    const matrix::Pair* const pair = pair_with_base(matrix, c);
    const bool apart = pair && !pair->agree;
    if (c == matrix.base) text += matrix.reference ? "trusted" : "compared with";
    else if (ran.rounding)
      text += "every layer gives what " + letter(matrix.base) +
              "'s kernels give for its inputs, up to rounding: that adds up";
    else if (first && apart)
      text += "differs from " + letter(matrix.base) + " first at " +
              (first->output ? "output '" : "layer " + std::to_string(first->layer) + " '") +
              sanitized(first->name, 60) + "' (" + sanitized(first->type, 40) + ")";
    else if (apart && pair->changed > 0)
      text += "answers " + std::to_string(pair->changed) + " of " + std::to_string(matrix.frames) +
              " frames with another class than " + letter(matrix.base);
    else if (apart && !pair->shapes.empty())
      text += "differs from " + letter(matrix.base) + " in shape: " + shapes_text(*pair);
    else {
      double most = 0;
      bool exact = true;
      std::string inside;
      for (const Row& row : matrix.rows)
        if (row.output && row.from_base[c]) {
          most = std::max(most, row.from_base[c]->relative_l2);
          exact = exact && row.from_base[c]->exact;
        }
      if (first)
        inside = "; inside, layer " + std::to_string(first->layer) + " '" +
                 sanitized(first->name, 60) + "' is beyond the floor";
      text += exact ? "outputs equal " + letter(matrix.base) + " bit for bit"
                    : "outputs within " + number(most, 2) + " of " + letter(matrix.base);
      text += inside;
    }
    text += "\n";
    for (const std::string& warning : ran.warnings)
      text += "       note: " + sanitized(warning, 300) + "\n";
  }
  return text;
}

/// "2 of 3 libraries, " if several kernel sets share their library's vote.
std::string votes_text(const Matrix& matrix) {
  const std::vector<std::size_t> library = matrix::libraries_of(matrix.columns);
  std::set<std::size_t> all, voting;
  std::size_t working = 0;
  for (std::size_t c = 0; c < matrix.columns.size(); ++c)
    if (matrix.columns[c].problem.empty()) {
      all.insert(library[c]);
      ++working;
    }
  for (const std::size_t c : matrix.majority) voting.insert(library[c]);
  if (all.size() == working) return "";
  return std::to_string(voting.size()) + " of " + std::to_string(all.size()) + " libraries, ";
}

std::string verdict_text(const Matrix& matrix) {
  std::size_t working = 0;
  for (const matrix::Ran& ran : matrix.columns) working += ran.problem.empty();
  if (working < 2)
    return "undecided: " + std::to_string(working) + " of " +
           std::to_string(matrix.columns.size()) + " engines ran the model; two are needed\n";
  std::string text;
  const bool all = std::all_of(matrix.pairs.begin(), matrix.pairs.end(),
                               [](const matrix::Pair& pair) { return pair.agree; });
  double added_up = 0;
  for (const matrix::Pair& pair : matrix.pairs)
    if (pair.rounding) added_up = std::max(added_up, pair.distance);
  if (all && added_up > 0)
    return "all " + std::to_string(working) +
           " agree layer by layer, up to rounding; that adds up on the outputs to " +
           number(added_up, 2) + " (floor " + number(matrix.floor, 2) + ")\n";
  if (all)
    return "all " + std::to_string(working) + " agree (outputs within " + number(matrix.floor, 2) +
           ")\n";
  for (const matrix::Pair& pair : matrix.pairs)
    if (!pair.agree)
      text +=
          "  " + letter(pair.a) + " and " + letter(pair.b) + " differ" +
          (std::isfinite(pair.distance) ? " by " + number(pair.distance, 2)
           : !pair.shapes.empty()       ? " in shape: " + shapes_text(pair)
                                  : std::string(": NaN, infinite values, or zeros on one side")) +
          (pair.changed ? ", and in the answers to " + std::to_string(pair.changed) + " of " +
                              std::to_string(matrix.frames) + " frames"
                        : std::string()) +
          "\n";
  if (matrix.majority.empty())
    return "they differ, and no majority agrees with itself (floor " + number(matrix.floor, 2) +
           ")\n" + text;
  return "majority: " + letters(matrix.majority) + " (" + std::to_string(matrix.majority.size()) +
         " of " + std::to_string(working) + ", " + votes_text(matrix) + "outputs within " +
         number(matrix.floor, 2) + ")" +
         (matrix.reference ? "; the trusted one is " + letter(*matrix.reference) : "") + "\n" +
         text;
}

std::string layers_text(const Matrix& matrix, bool all) {
  const auto rows = shown_rows(matrix, all);
  if (rows.empty()) return "";
  std::string text = "\nrelative L2 from " + letter(matrix.base) +
                     " by layer (= bit for bit, - no value, * beyond the floor, inf: NaN, "
                     "infinite, or out of zeros)\n";
  text += right("layer", 7) + "  " + padded("operator", 22);
  for (std::size_t c = 0; c < matrix.columns.size(); ++c)
    if (c != matrix.base) text += right(letter(c), kCell);
  text += "  tensor\n";
  for (const Row* row : rows) {
    text += right(row->layer < 0 ? "-" : std::to_string(row->layer), 7) + "  " +
            padded(shortened(sanitized(row->type), 22, 12), 22);
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
      if (c == matrix.base) continue;
      const auto& distance = row->from_base[c];
      text += right(
          distance ? distance_text(*distance) + (beyond(matrix, *row, c) ? "*" : "") : "-", kCell);
    }
    text +=
        "  " + shortened(sanitized(row->name), 60, 20) + (row->output ? " (output)" : "") + "\n";
  }
  if (rows.size() < matrix.rows.size())
    text += "  … " + std::to_string(matrix.rows.size() - rows.size()) + " more with --all\n";
  std::set<std::string> told;
  for (std::size_t c = 0; c < matrix.columns.size(); ++c)
    for (const Row& row : matrix.rows)
      if (!row.problems[c].empty() && row.problems[c] != matrix.columns[c].problem &&
          told.insert(letter(c) + row.problems[c]).second) {
        const auto without =
            std::count_if(matrix.rows.begin(), matrix.rows.end(),
                          [&](const Row& other) { return other.problems[c] == row.problems[c]; });
        text += "  " + letter(c) + ", " + counted(static_cast<std::size_t>(without), "layer") +
                " without a value (" + (without > 1 ? "the first is '" : "'") +
                sanitized(row.name, 60) + "'): " + sanitized(row.problems[c], 300) + "\n";
      }
  return text;
}

ordered_json distance_json(const std::optional<matrix::Distance>& distance) {
  if (!distance) return nullptr;
  const ordered_json relative = std::isfinite(distance->relative_l2)
                                    ? ordered_json(distance->relative_l2)
                                    : ordered_json(nullptr);
  return {{"exact", distance->exact}, {"relative_l2", relative}, {"max_abs", distance->max_abs}};
}

}  // namespace

std::string matrix_text(const Matrix& matrix, const std::string& model, const std::string& inputs,
                        bool all) {
  std::string text = sanitized(model, 200) + " on " + std::to_string(matrix.columns.size()) +
                     " engines, " + std::to_string(matrix.frames) +
                     (matrix.frames == 1 ? " frame of " : " frames of ") + inputs + "\n";
  return text + engines_text(matrix) + verdict_text(matrix) + layers_text(matrix, all);
}

std::string matrix_json(const Matrix& matrix, const std::string& model, const std::string& inputs) {
  ordered_json json{
      {"model", model}, {"frames", matrix.frames}, {"inputs", inputs}, {"floor", matrix.floor}};
  const auto name = [&](std::size_t column) { return matrix.columns[column].name; };
  json["columns"] = ordered_json::array();
  for (const matrix::Ran& ran : matrix.columns) {
    ordered_json column{{"name", ran.name},
                        {"engine", ran.identity.kind},
                        {"version", ran.identity.version},
                        {"sha256", ran.identity.sha256}};
    column["problem"] = ran.problem.empty() ? ordered_json(nullptr) : ordered_json(ran.problem);
    column["latency_ns"] = ran.latency ? ordered_json(ran.latency->count()) : ordered_json(nullptr);
    column["warnings"] = ran.warnings;
    json["columns"].push_back(std::move(column));
  }
  json["base"] = matrix.columns.empty() ? ordered_json(nullptr) : ordered_json(name(matrix.base));
  json["reference"] =
      matrix.reference ? ordered_json(name(*matrix.reference)) : ordered_json(nullptr);
  json["majority"] = ordered_json::array();
  for (const std::size_t column : matrix.majority) json["majority"].push_back(name(column));
  json["pairs"] = ordered_json::array();
  for (const matrix::Pair& pair : matrix.pairs)
    json["pairs"].push_back(
        {{"a", name(pair.a)},
         {"b", name(pair.b)},
         {"exact", pair.exact},
         {"relative_l2",
          std::isfinite(pair.distance) ? ordered_json(pair.distance) : ordered_json(nullptr)},
         {"shapes", pair.shapes.empty() ? ordered_json(nullptr) : ordered_json(pair.shapes)},
         {"agree", pair.agree},
         {"rounding", pair.rounding},
         {"changed_answers", pair.changed}});
  json["rows"] = ordered_json::array();
  for (const Row& row : matrix.rows) {
    ordered_json entry{{"tensor", row.tensor},
                       {"layer", row.layer},
                       {"type", row.type},
                       {"name", row.name},
                       {"output", row.output}};
    entry["from_base"] = ordered_json::object();
    for (std::size_t c = 0; c < matrix.columns.size(); ++c)
      entry["from_base"][name(c)] = row.problems[c].empty()
                                        ? distance_json(row.from_base[c])
                                        : ordered_json{{"problem", row.problems[c]}};
    json["rows"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::report
