// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tokens/change_list.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/text.h"

namespace edgeprobe::diagnose::tokens {
namespace {

/// Longest template of unknown ids.
constexpr std::size_t kLongestTemplate = 24;
/// Number of ids after a template that must match before it is tried.
constexpr std::size_t kSeenBehind = 4;

/// A row without padding and special ids, starting from the end at which a template would be.
Ids tokens_from(Ids ids, const FrontEnd& f, std::size_t skipped, bool at_end) {
  const auto is_padding = [&](std::int64_t id) { return f.pad && id == f.pad->id; };
  ids.erase(ids.begin(), std::find_if_not(ids.begin(), ids.end(), is_padding));
  while (!ids.empty() && is_padding(ids.back())) ids.pop_back();
  if (at_end) std::reverse(ids.begin(), ids.end());
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, ids.size())));
  return ids;
}

/// Prefixes of these lengths, in the given order.
std::vector<Ids> runs_of(const Ids& row, const std::vector<std::size_t>& lengths, bool at_end) {
  std::vector<Ids> runs;
  for (const std::size_t n : lengths) {
    runs.emplace_back(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
    if (at_end) std::reverse(runs.back().begin(), runs.back().end());
  }
  return runs;
}

/// Candidate templates in the only row: those after which it continues as the front end predicts.
/// In a single row all ids are constant, so there is no other evidence.
std::vector<Ids> further_runs(const Ids& recorded, const Ids& own, bool at_end) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = kLongestTemplate; n > 0; --n) {
    const std::size_t seen =
        std::min({kSeenBehind, own.size(), recorded.size() - std::min(n, recorded.size())});
    if (seen > 0 && std::equal(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(seen),
                               recorded.begin() + static_cast<std::ptrdiff_t>(n)))
      lengths.push_back(n);
  }
  return runs_of(recorded, lengths, at_end);
}

/// Ids that are the same in every recorded row at one end; ignores rows that were truncated there.
std::vector<Ids> constant_runs(const Problem& problem, const FrontEnd& f,
                               const std::vector<text::Encoding>& said, std::size_t skipped,
                               bool at_end) {
  std::vector<Ids> rows;
  for (const Observation& one : problem.observations()) {
    Ids ids = tokens_from(one.recorded.ids, f, 0, at_end);
    const bool is_cut = f.truncate && static_cast<std::int64_t>(ids.size()) >= f.truncate->length &&
                        at_end == (f.truncate->side == text::Side::kRight);
    if (is_cut) continue;
    ids.erase(ids.begin(),
              ids.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, ids.size())));
    rows.push_back(std::move(ids));
  }
  if (problem.observations().size() == 1 && rows.size() == 1)
    return further_runs(rows[0], tokens_from(said[0].ids, f, skipped, at_end), at_end);
  if (rows.size() < 2) return {};
  std::size_t longest = 0;
  while (longest < kLongestTemplate && std::all_of(rows.begin(), rows.end(), [&](const Ids& row) {
           return row.size() > longest && row[longest] == rows[0][longest];
         }))
    ++longest;
  // The texts may have a common beginning, so the template may be shorter.
  std::vector<std::size_t> lengths;
  for (std::size_t n = longest; n > 0; --n) lengths.push_back(n);
  return runs_of(rows[0], lengths, at_end);
}

std::string list_of(const Ids& ids) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(ids.size(), 12); ++i)
    out += (i ? " " : "") + std::to_string(ids[i]);
  return out + (ids.size() > 12 ? " …" : "");
}

/// Adds two changes for a run of ids before or after each text: as decoded text, and as ids.
void add_template(ChangeList& out, const Problem& problem, const FrontEnd& f, const Ids& run,
                  bool at_end) {
  const std::string where = at_end ? "after" : "before";
  const double bits = kIdBits * static_cast<double>(run.size());
  Ids own = run;
  for (std::int64_t& id : own) id -= f.shift;
  // Decodes only for the reference's own changes: tokenizing each text with every other change is
  // slow.
  const FrontEnd& reference = problem.reference();
  std::string text = f == reference || f.before.size() < reference.before.size()
                         ? problem.text_of(own)
                         : std::string();
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
        1.25, [step](FrontEnd& to) { to.before.push_back(step); }, bits);
  }
  out.add(
      CauseKind::kTextTemplate, Part::kTemplate,
      "the app puts ids " + where + " each text that the reference does not: " + list_of(run), 1.3,
      [run, at_end](FrontEnd& to) { (at_end ? to.back : to.front) = run; }, bits);
}

/// The shortest leading ids of two rows after which both continue equally.
std::pair<Ids, Ids> heads_of(const Ids& recorded, const Ids& own) {
  const std::size_t most = std::min({kLongestTemplate, recorded.size(), own.size()});
  for (std::size_t sum = 1; sum <= 2 * most; ++sum)
    for (std::size_t n = sum > most ? sum - most : 0; n <= std::min(sum, most); ++n) {
      const auto a = static_cast<std::ptrdiff_t>(n), b = static_cast<std::ptrdiff_t>(sum - n);
      const auto both =
          std::min(recorded.end() - recorded.begin() - a, own.end() - own.begin() - b);
      if (both > 0 &&
          std::equal(recorded.begin() + a, recorded.begin() + a + both, own.begin() + b))
        return {Ids(recorded.begin(), recorded.begin() + a), Ids(own.begin(), own.begin() + b)};
    }
  return {};
}

/// Another text before each text than the reference's, from the row with the fewest ids.
void add_other_prefix(ChangeList& out, const Problem& problem, const FrontEnd& f,
                      const std::vector<text::Encoding>& said) {
  const auto at = std::find_if(f.before.begin(), f.before.end(), [](const text::TextStep& step) {
    return step.change == text::Change::kPrefix;
  });
  if (at == f.before.end() || said.empty() || !(f == problem.reference())) return;
  // Without special ids, which mean nothing at the end of truncated rows.
  const auto row = [&](const Ids& ids) {
    Ids one =
        tokens_from(ids, f, f.special.last ? static_cast<std::size_t>(f.special.lasts) : 0, true);
    std::reverse(one.begin(), one.end());
    const std::size_t first = f.special.first ? static_cast<std::size_t>(f.special.firsts) : 0;
    one.erase(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(std::min(first, one.size())));
    return one;
  };
  Ids recorded = row(problem.observations()[0].recorded.ids), own = row(said[0].ids);
  for (std::size_t i = 1; i < said.size(); ++i)
    if (Ids one = row(problem.observations()[i].recorded.ids); one.size() < recorded.size()) {
      recorded = std::move(one);
      own = row(said[i].ids);
    }
  const auto [run, own_run] = heads_of(recorded, own);
  if (run.empty() || run.size() > kLongestTemplate) return;
  std::string text = problem.text_of(run);
  const std::string own_text = problem.text_of(own_run);
  // Only the beginnings of the templates differ; the rest of the reference's is kept.
  if (text.empty() || at->text.substr(0, own_text.size()) != own_text) return;
  text += at->text.substr(own_text.size());
  const auto place = at - f.before.begin();
  out.add(
      CauseKind::kTextTemplate, Part::kTemplate,
      "the app puts '" + sanitized(text, 80) + "' before each text; the reference '" +
          sanitized(at->text, 80) + "'",
      1.2, [text, place](FrontEnd& to) { to.before[static_cast<std::size_t>(place)].text = text; },
      kIdBits * static_cast<double>(run.size()));
}

}  // namespace

void add_templates(ChangeList& out, const Problem& problem, const FrontEnd& f,
                   const std::vector<text::Encoding>& said) {
  const auto skip = [](const std::optional<std::int64_t>& id, int count) {
    return id ? static_cast<std::size_t>(std::max(0, count)) : 0;
  };
  add_other_prefix(out, problem, f, said);
  if (f.front.empty())
    for (const Ids& run :
         constant_runs(problem, f, said, skip(f.special.first, f.special.firsts), false))
      add_template(out, problem, f, run, false);
  if (f.back.empty())
    for (const Ids& run :
         constant_runs(problem, f, said, skip(f.special.last, f.special.lasts), true))
      add_template(out, problem, f, run, true);
}

}  // namespace edgeprobe::diagnose::tokens
