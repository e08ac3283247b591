// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/change_list.h"

#include <algorithm>
#include <optional>

#include "core/text.h"

namespace edgeprobe::diagnose::tokens {
namespace {

/// Ids of a template that nobody named.
constexpr std::size_t kLongestTemplate = 24;

/// Ids that stand at one place of every recorded row; of rows that were cut off there, none.
std::vector<Ids> constant_runs(const Problem& problem, const text::FrontEnd& f, std::size_t skipped,
                               bool at_end) {
  std::vector<Ids> rows;
  for (const Observation& one : problem.observations()) {
    Ids ids = one.recorded.ids;
    const auto is_padding = [&](std::int64_t id) { return f.pad && id == f.pad->id; };
    ids.erase(ids.begin(), std::find_if_not(ids.begin(), ids.end(), is_padding));
    while (!ids.empty() && is_padding(ids.back())) ids.pop_back();
    const bool is_cut = f.truncate && static_cast<std::int64_t>(ids.size()) >= f.truncate->length &&
                        at_end == (f.truncate->side == text::Side::kRight);
    if (is_cut) continue;
    if (at_end) std::reverse(ids.begin(), ids.end());
    ids.erase(ids.begin(),
              ids.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, ids.size())));
    rows.push_back(std::move(ids));
  }
  // In one row everything is constant.
  if (rows.size() < 2) return {};
  std::size_t longest = 0;
  while (longest < kLongestTemplate && std::all_of(rows.begin(), rows.end(), [&](const Ids& row) {
           return row.size() > longest && row[longest] == rows[0][longest];
         }))
    ++longest;
  // The texts themselves may begin alike, so the template may be shorter.
  std::vector<Ids> runs;
  for (std::size_t n = longest; n > 0; --n) {
    Ids run(rows[0].begin(), rows[0].begin() + static_cast<std::ptrdiff_t>(n));
    if (at_end) std::reverse(run.begin(), run.end());
    runs.push_back(std::move(run));
  }
  return runs;
}

std::string list_of(const Ids& ids) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(ids.size(), 12); ++i)
    out += (i ? " " : "") + std::to_string(ids[i]);
  return out + (ids.size() > 12 ? " …" : "");
}

/// A run of ids in front of each text or behind it: as the text that it stands for, and as ids.
void add_template(ChangeList& out, const Problem& problem, const text::FrontEnd& f, const Ids& run,
                  bool at_end) {
  const std::string where = at_end ? "behind" : "in front of";
  const double bits = kIdBits * static_cast<double>(run.size());
  Ids own = run;
  for (std::int64_t& id : own) id -= f.shift;
  // Tokenizing each again beside every other change would take long.
  std::string text = f == problem.reference() ? problem.text_of(own) : std::string();
  const std::size_t begin = text.find_first_not_of(' ');
  text =
      begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
  if (!text.empty()) {
    text::TextStep step{at_end ? text::Change::kSuffix : text::Change::kPrefix,
                        at_end ? " " + text : text + " "};
    out.add(
        CauseKind::kTextTemplate, Part::kTemplate,
        "the app puts '" + sanitized(step.text, 80) + "' " + where +
            " each text; the reference does not",
        1.25, [step](text::FrontEnd& to) { to.before.push_back(step); }, bits);
  }
  out.add(
      CauseKind::kTextTemplate, Part::kTemplate,
      "the app puts ids " + where + " each text that the reference does not: " + list_of(run), 1.3,
      [run, at_end](text::FrontEnd& to) { (at_end ? to.back : to.front) = run; }, bits);
}

}  // namespace

void add_templates(ChangeList& out, const Problem& problem, const text::FrontEnd& f) {
  const auto skip = [](const std::optional<std::int64_t>& id, int count) {
    return id ? static_cast<std::size_t>(std::max(0, count)) : 0;
  };
  if (f.front.empty())
    for (const Ids& run : constant_runs(problem, f, skip(f.special.first, f.special.firsts), false))
      add_template(out, problem, f, run, false);
  if (f.back.empty())
    for (const Ids& run : constant_runs(problem, f, skip(f.special.last, f.special.lasts), true))
      add_template(out, problem, f, run, true);
}

}  // namespace edgeprobe::diagnose::tokens
