// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/text.h"
#include "report/page/html.h"
#include "report/page/parts.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

// A bar from 0 to 100 % with the interval as a band and the value as a mark; decorative, since the
// text has the same figures.
std::string track(const std::optional<double>& value, const std::optional<diagnose::Interval>& ci) {
  if (!known(value) || *value < 0 || *value > 1) return "";
  std::string out = "<span class=\"track\" aria-hidden=\"true\">";
  if (ci && ci->low >= 0 && ci->high <= 1 && ci->low <= ci->high)
    out += "<i style=\"left:" + number(ci->low * 100) +
           "%;width:" + number((ci->high - ci->low) * 100) + "%\"></i>";
  return out + "<b style=\"left:" + number(*value * 100) + "%\"></b></span>";
}

}  // namespace

std::string unharmed(const diagnose::Verdict& verdict) {
  const diagnose::TaskResult& task = verdict.task;
  if (!known(task.target) || !known(task.reference) || *task.target != *task.reference ||
      (known(task.fixed) && *task.fixed != *task.target))
    return "";
  const std::string noun = verdict.pictures.empty() ? "frame" : "picture";
  return "did not suffer on " + (task.n == 1 ? "this " + noun : "these " + counted(task.n, noun));
}

std::string key_figures(const diagnose::Verdict& verdict) {
  const diagnose::TaskResult& task = verdict.task;
  const auto confirmed = with_status(verdict, diagnose::CauseStatus::kConfirmed);
  const diagnose::Cause* const first = confirmed.empty() ? nullptr : confirmed.front();
  const std::string metric = escaped(capitalised(metric_title(task.metric)), kLongestName);
  std::string out;
  std::size_t count = 0;
  const auto add = [&](const std::string& term, const std::string& value,
                       const std::string& more = "", const std::string& bar = "") {
    ++count;
    out += "<div><dt>" + term + "</dt><dd>" + value + bar +
           (more.empty() ? "" : "<small>" + more + "</small>") + "</dd></div>\n";
  };
  const auto task_figure = [&](const char* who, const std::optional<double>& value,
                               const std::optional<diagnose::Interval>& ci, std::string more) {
    const std::string interval = metric_interval(task.metric, ci);
    if (!interval.empty()) more = "95 %: " + interval + (more.empty() ? "" : "<br>" + more);
    // Only shares have a scale.
    add(metric + (*who ? " " : "") + who, metric_value(task.metric, value), more,
        task.of_plugin ? "" : track(value, ci));
  };
  if (const std::string said = unharmed(verdict); !said.empty()) {
    task_figure("", task.target, task.target_ci95, said);
  } else if (known(task.target) || known(task.reference) || known(task.fixed)) {
    const std::string p = p_text(task.p_value);
    task_figure("on the target", task.target, task.target_ci95,
                "n = " + std::to_string(task.n) +
                    (p.empty() ? "" : ", " + escaped(p + " (" + task.test + ")")));
    task_figure("of the reference", task.reference, task.reference_ci95, "");
    if (known(task.fixed)) task_figure("after the fix", task.fixed, task.fixed_ci95, "");
  } else {
    add(metric, "–", task.of_plugin ? "not defined over these frames" : "not measured: no labels");
  }
  if (first && known(first->explained_variance))
    add(first->together > 1 ? "Explained by the causes" : "Explained by the cause",
        share(first->explained_variance),
        first->stage == diagnose::CauseStage::kModel ? "of the distance of the outputs"
                                                     : "of the distance at the model input");
  if (const diagnose::Cause* last = fixed_outputs(verdict))
    add(first == last ? "Restored by the fix" : "Restored by the fixes", share(last->restored),
        "of the output distance");
  if (known(task.top1_agreement))
    add("Agreement", share(task.top1_agreement), "of the answers equal the reference’s");
  if (known(verdict.output_distance))
    add("Distance of the outputs", decimals(verdict.output_distance, 4),
        escaped(distance_title(verdict.output_distance_kind)) +
            (known(verdict.output_floor) ? ", floor " + decimals(verdict.output_floor, 4) : ""));
  // Fills rows: three across, or all in one row if there are fewer than six (other than three).
  const std::size_t across = count > 5 || count == 3 ? 3 : count;
  return "<dl class=\"figures\" style=\"--across:" + std::to_string(across) + "\">\n" + out +
         "</dl>\n";
}

}  // namespace edgeprobe::report
