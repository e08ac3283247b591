// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/usable.h"

#include <algorithm>

#include "cli/terminal/progress.h"
#include "core/text.h"
#include "pipeline/prepare.h"

namespace edgeprobe::cli {
namespace {

constexpr std::size_t kMostNamed = 10;

void tell(const std::vector<dataset::Unreadable>& left_out, std::size_t all, Terminal& terminal) {
  if (left_out.empty()) return;
  terminal.err << "warning: " << left_out.size() << " of " << all
               << " samples cannot be used; they are left out of the calibration and of the check:"
               << "\n";
  const std::size_t named = std::min(kMostNamed, left_out.size());
  for (std::size_t i = 0; i < named; ++i)
    terminal.err << "  left out: " << sanitized(left_out[i].why, 300) << "\n";
  if (left_out.size() > named)
    terminal.err << "  … and " << left_out.size() - named << " more (all with --json)\n";
}

}  // namespace

Result<UsableSamples> usable_samples(pipeline::Pipeline& pipeline,
                                     const std::vector<dataset::Sample>& samples,
                                     Terminal& terminal) {
  UsableSamples found;
  {
    Progress bar(terminal, "pictures");
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (terminal.stopped()) return interrupted();
      const dataset::Sample& sample = samples[i];
      const auto loaded = sample.load();
      const auto prepared =
          loaded ? pipeline::prepare(pipeline, loaded->input, sample.name, terminal.control())
                 : Result<pipeline::Prepared>(loaded.error());
      if (!prepared && prepared.error().kind == ErrorKind::kInterrupted)
        return Error(prepared.error());
      if (prepared) found.samples.push_back(sample);
      else found.left_out.push_back({sample.name, prepared.error().what});
      bar.show(i + 1, samples.size(), "read");
    }
  }
  tell(found.left_out, samples.size(), terminal);
  if (found.samples.empty())
    return Error{ErrorKind::kUsage,
                 "no sample of --data could be used" +
                     (found.left_out.empty() ? "" : ": " + found.left_out.front().why)};
  return found;
}

}  // namespace edgeprobe::cli
