// SPDX-License-Identifier: Apache-2.0
#include "compare/align/names.h"

#include <algorithm>
#include <map>

#include "compare/align/align.h"
#include "core/csv.h"
#include "core/pattern.h"
#include "core/text.h"

namespace edgeprobe::compare {
namespace {

std::string at_line(std::size_t line) { return "line " + std::to_string(line) + ": "; }

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;
       at = line.find_first_not_of(" \t", at)) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

using ByName = std::multimap<std::string_view, const trace::Channel*>;

ByName by_name(const std::vector<trace::Channel>& channels) {
  ByName named;
  for (const trace::Channel& channel : channels) named.emplace(channel.spec.name, &channel);
  return named;
}

Status known_name(const std::string& name, const ByName& named, std::size_t line,
                  const char* side) {
  if (named.count(name)) return {};
  std::vector<std::string> names;
  for (const auto& [known, channel] : named) names.emplace_back(known);
  const std::string near = closest_match(name, names);
  return Error{ErrorKind::kUsage,
               at_line(line) + "the " + side + " has no tensor '" + sanitized(name) + "'" +
                   (near.empty() ? "; its names are shown by 'edgeprobe trace info'"
                                 : "; did you mean '" + sanitized(near) + "'?")};
}

}  // namespace

Result<std::vector<MappedNames>> parse_map(std::string_view text) {
  if (text.size() > kMostMapBytes)
    return Error{ErrorKind::kLimit,
                 "a map has at most " + bytes_text(static_cast<double>(kMostMapBytes))};
  const auto lines = lines_of(text);
  if (lines.size() > kMostMapLines)
    return Error{ErrorKind::kLimit,
                 "a map has at most " + std::to_string(kMostMapLines) + " lines"};
  std::vector<MappedNames> map;
  std::map<std::string, std::size_t> reference_lines, target_lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t first = lines[i].find_first_not_of(" \t");
    if (first == std::string_view::npos || lines[i][first] == '#') continue;
    std::vector<std::string> names;
    if (lines[i].find(',') != std::string_view::npos) {
      auto fields = csv_fields(lines[i]);
      if (!fields) return std::move(fields.error()).during("line " + std::to_string(i + 1));
      names = *std::move(fields);
    } else {
      names = words_of(lines[i]);
    }
    if (names.size() != 2 || names[0].empty() || names[1].empty())
      return Error{ErrorKind::kCorrupt, at_line(i + 1) +
                                            "expected two names, reference first, found " +
                                            std::to_string(names.size()) +
                                            (names.size() == 2 ? ", one of them empty" : "")};
    if (map.empty() && reference_lines.empty() && names[0] == "reference" && names[1] == "target")
      continue;
    for (auto [seen, name] :
         {std::pair{&reference_lines, &names[0]}, std::pair{&target_lines, &names[1]}}) {
      const auto [at, fresh] = seen->emplace(*name, i + 1);
      if (!fresh)
        return Error{ErrorKind::kCorrupt, at_line(i + 1) + "'" + sanitized(*name) +
                                              "' is in line " + std::to_string(at->second) +
                                              " already"};
    }
    map.push_back({std::move(names[0]), std::move(names[1]), i + 1});
  }
  if (map.empty())
    return Error{ErrorKind::kCorrupt,
                 "contains no pair of names; expected two names per line, reference first"};
  return map;
}

Status check_map(const std::vector<MappedNames>& map, const std::vector<trace::Channel>& reference,
                 const std::vector<trace::Channel>& target) {
  const ByName named_r = by_name(reference), named_t = by_name(target);
  for (const MappedNames& pair : map) {
    EP_CHECK(known_name(pair.reference, named_r, pair.line, "reference"));
    EP_CHECK(known_name(pair.target, named_t, pair.line, "target"));
    bool fits = false;
    std::string shapes;
    for (auto [r, last_r] = named_r.equal_range(pair.reference); r != last_r; ++r)
      for (auto [t, last_t] = named_t.equal_range(pair.target); t != last_t; ++t) {
        const Shape &shape_r = r->second->spec.shape, &shape_t = t->second->spec.shape;
        fits = fits || layout_of(shape_r, shape_t).has_value();
        shapes = to_text(shape_r) + " and " + to_text(shape_t);
      }
    if (!fits)
      return Error{ErrorKind::kUsage, at_line(pair.line) + "'" + sanitized(pair.reference) +
                                          "' and '" + sanitized(pair.target) +
                                          "' cannot be compared: their shapes are " + shapes};
  }
  return {};
}

bool fits_any(const std::vector<std::string>& patterns, trace::Stage stage, std::string_view name) {
  const std::string staged = std::string(trace::name(stage)) + "/" + std::string(name);
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return matches(pattern, name) || matches(pattern, staged);
  });
}

}  // namespace edgeprobe::compare
