// SPDX-License-Identifier: Apache-2.0
#include "contract/evidence.h"

#include <map>

#include "preprocess/recipe/recipe.h"
#include "task/recorded.h"

namespace edgeprobe::contract {

Result<Evidence> measure(const Subject& subject, const std::string& recipe,
                         const std::vector<pipeline::CarriedState>& states, bool with_layers,
                         const Control& control) {
  Evidence evidence{subject, {}, {}, {}, {}, {}, {}};
  EP_TRY(evidence.figures, figures_of(*subject.trace, with_layers, control));
  std::map<std::uint32_t, task::Annotation> given;
  for (std::size_t i = 0; i < subject.raw->samples.size(); ++i)
    if (subject.raw->samples[i].annotation)
      given.emplace(subject.raw->frames[i], *subject.raw->samples[i].annotation);
  auto summary = compare::summary_of(
      *subject.trace,
      [&](const trace::FrameRecord& record) -> std::optional<task::Annotation> {
        if (subject.truths)
          if (auto truth = subject.truths(record)) return truth;
        const auto found = given.find(record.frame);
        return found == given.end() ? task::recorded(record) : std::optional(found->second);
      },
      subject.terms, subject.metric);
  if (summary) evidence.summary = *std::move(summary);
  else if (summary.error().kind != ErrorKind::kUsage) return std::move(summary.error());
  if (!recipe.empty()) {
    EP_TRY(evidence.front,
           replay_front(*subject.trace, *subject.raw, recipe, subject.tokenizer, control));
  }
  if (const auto parsed = preprocess::parse_recipe(recipe); parsed && !parsed->post.empty()) {
    EP_TRY(evidence.behind, replay_behind(*subject.trace, *subject.raw, recipe, control));
  }
  EP_TRY(auto recorded,
         diagnose::recorded_states(*subject.trace, {states, subject.raw, nullptr, nullptr}));
  if (recorded) {
    evidence.states = StateEvidence{*std::move(recorded), {}};
    evidence.states->findings = diagnose::state::findings(evidence.states->recorded.recording);
  }
  if (subject.reference) {
    compare::CompareOptions options;
    options.terms = subject.terms;
    options.channels = false;
    auto agreement = compare::compare_traces(*subject.reference, *subject.trace, options, control);
    if (!agreement) return std::move(agreement.error()).during("reference");
    if (agreement->interrupted) return interrupted();
    evidence.agreement = *std::move(agreement);
  }
  return evidence;
}

}  // namespace edgeprobe::contract
