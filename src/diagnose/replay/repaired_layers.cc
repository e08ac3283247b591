// SPDX-License-Identifier: Apache-2.0
#include "diagnose/replay/replays.h"

#include "diagnose/case/rerun.h"
#include "diagnose/layer_causes/analysis.h"
#include "diagnose/replay/crossed.h"

namespace edgeprobe::diagnose {

Result<std::vector<Answers>> repaired_answers(const Study& study, const InputEvidence& input,
                                              const layers::Analysis& analysis,
                                              const std::vector<std::uint32_t>& frames,
                                              const std::vector<std::size_t>& which,
                                              const Control& control) {
  const Case& known = study.known;
  layers::Workspace workspace = layers::workspace_of(analysis.deployment, analysis.pairing);
  // An open dimension of the file has a fixed size in the session.
  const std::vector<int>& fed = known.target_model->graph.inputs;
  const std::vector<TensorSpec>& sized = known.target_model->session->inputs();
  for (std::size_t i = 0; i < fed.size() && i < sized.size(); ++i)
    workspace.shapes[fed[i]] = sized[i].shape;
  std::vector<std::vector<layers::Repair>> steps;
  if (!analysis.kernels.empty()) steps.emplace_back();
  std::vector<layers::Repair> repairs;
  for (const layers::Finding& finding : analysis.findings)
    if (finding.restores && !finding.repairs.empty()) {
      repairs.insert(repairs.end(), finding.repairs.begin(), finding.repairs.end());
      steps.push_back(repairs);
    }
  const bool without_faults = input.diagnosis &&
                              input.diagnosis->status == InputDiagnosis::Status::kFound &&
                              !input.diagnosis->faults.empty() && !input.diagnosis->as_recorded;
  std::vector<Answers> answers;
  for (const auto& step : steps) {
    EP_TRY(auto session, layers::RepairedModel::open(workspace, step, {}));
    pipeline::Pipeline repaired;
    repaired.graph = known.target_model->graph;
    repaired.session = std::move(session);
    repaired.open_inputs = repaired.session->inputs();
    const std::string title =
        step.empty() ? "frames of the target's model on the host's kernels"
                     : "frames of the target's model with " + std::to_string(step.size()) +
                           (step.size() == 1 ? " layer" : " layers") + " repaired";
    if (without_faults) {
      Rerun rerun(known, {}, repaired);
      std::vector<Replay> run{{&rerun, &input.diagnosis->faults.back().without_it}};
      EP_CHECK(replay(run, *known.raw, which, title, control));
      answers.push_back(std::move(run.front().answers));
      continue;
    }
    EP_TRY(auto one,
           repaired.session->inputs().size() > 1
               ? on_recorded(repaired, *known.target, frames, title, control)
               : replayed_inputs(*repaired.session, *known.target, frames, title, control));
    answers.push_back(std::move(one));
  }
  return answers;
}

}  // namespace edgeprobe::diagnose
