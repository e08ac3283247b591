// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/contract/contract_command.h"
#include "cli/commands/contract/subject.h"
#include "cli/options/json_flag.h"
#include "cli/options/metric_flag.h"
#include "cli/options/truth_flags.h"
#include "cli/terminal/progress.h"
#include "contract/mutate/mutate.h"
#include "core/text.h"
#include "report/json/contract.h"
#include "report/text/contract.h"

namespace edgeprobe::cli {

Result<Outcome> run_mutate(const ContractCheckArgs& args, const contract::Contract& contract,
                           Terminal& terminal) {
  SubjectFlags flags = args.subject;
  if (!is_model(flags.what))
    return Error{ErrorKind::kUsage,
                 "--mutate runs a model with faults before it and after it; '" +
                     sanitized(flags.what, 400) +
                     "' is not a model: give the model, its --recipe and its --data"};
  if (args.rulings.wanted())
    return Error{ErrorKind::kUsage,
                 args.rulings.given() + " is the report of a check; --mutate has --json"};
  if (flags.data.frames.empty())
    // A prime number, so that data with cycling classes yields all of them.
    flags.data.frames = "11";
  EP_TRY(auto model, open_model(flags, terminal));
  EP_TRY(auto folder, check::trace_folder(""));
  contract::MutationOptions options;
  options.run = model.options;
  options.folder = folder.path;
  std::optional<trace::Reader> reference;
  if (!flags.reference.empty()) {
    auto opened = trace::Reader::open(flags.reference);
    if (!opened) return std::move(opened.error()).during("--reference");
    reference = *std::move(opened);
    options.reference = &*reference;
  }
  EP_TRY(options.terms.boxes, boxes_from(flags.boxes));
  EP_TRY(const auto metric, metric_from(flags.metric, flags.data, terminal.control()));
  options.metric = metric.get();
  options.more = [&](const std::filesystem::path& trace) {
    return python_findings(flags, contract, args.contract, trace, terminal);
  };
  const auto mutate = [&] {
    Progress progress(terminal, "mutate");
    return contract::mutate(model.pipeline, model.samples, contract, options,
                            Control{terminal.stop, progress.callback()});
  };
  EP_TRY(const auto report, mutate());
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, report::mutation_json(report), terminal.out));
  if (!args.json.wanted || !args.json.file.empty()) terminal.out << report::mutation_text(report);
  if (!report.broken.empty() || report.count(contract::Effect::kMatters) == 0)
    return Outcome::kUndecided;
  return report.caught(contract::Effect::kMatters) == report.count(contract::Effect::kMatters)
             ? Outcome::kDone
             : Outcome::kDiffers;
}

}  // namespace edgeprobe::cli
