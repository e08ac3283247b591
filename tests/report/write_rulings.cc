// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>

#include "core/file.h"
#include "report/json/verdict.h"
#include "report/rulings/of_contract.h"
#include "report/rulings/of_verdict.h"
#include "verdicts.h"

namespace edgeprobe {
namespace {

// One assertion in each state; every text of them is untrusted.
report::Rulings contract_rulings(const std::string& hostile) {
  using contract::Finding;
  using contract::State;
  contract::Report report;
  for (const State state :
       {State::kPasses, State::kFails, State::kCannotTell, State::kNotYet, State::kCannotTell}) {
    Finding finding;
    finding.id = "inputs." + hostile + std::to_string(report.findings.size()) + ".range";
    finding.state = state;
    finding.frame = 7;
    finding.failing = 3;
    finding.frames = 9;
    finding.sample = finding.value = finding.bound = hostile;
    finding.of_time = report.findings.size() == 4;
    if (state != State::kPasses) finding.why = finding.cure = hostile;
    report.findings.push_back(finding);
  }
  return report::rulings_of(report, "my contract.json", hostile, [&](const std::string& id) {
    return report::Place{"ci/my contract,%.json", id.size()};
  });
}

Status write(const std::filesystem::path& base, const report::Rulings& rulings) {
  EP_CHECK(write_file(base.string() + ".xml", view_of(report::junit_text(rulings))));
  EP_CHECK(write_file(base.string() + ".sarif", view_of(report::sarif_text(rulings, "1.2.3"))));
  EP_CHECK(write_file(base.string() + ".md", view_of(report::markdown_text(rulings))));
  return write_file(base.string() + ".annotations", view_of(report::annotations_text(rulings)));
}

Status write_all(const std::filesystem::path& folder, const std::string& hostile) {
  for (const auto& [name, verdict] : report::sample_verdicts()) {
    EP_CHECK(write(
        folder / name,
        report::rulings_of(verdict, "check", {"models/net.recipe", "models/net.tflite", ""})));
    EP_CHECK(write_file(folder / (name + ".json"), view_of(report::render_json(verdict))));
  }
  return write(folder / "contract", contract_rulings(hostile));
}

}  // namespace
}  // namespace edgeprobe

// report_rulings DIR TEXT: writes the sample verdicts, and a contract whose names are TEXT, in each
// format.
int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: report_rulings DIR TEXT\n", stderr);
    return 2;
  }
  const edgeprobe::Status written = edgeprobe::write_all(argv[1], argv[2]);
  if (!written) std::fputs((written.error().what + "\n").c_str(), stderr);
  return written ? 0 : 1;
}
