// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/contract/contract_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {
namespace {

void add_subject(Parser& app, SubjectFlags& flags) {
  app.option("subject", flags.what, "A trace, or a model that is run on --data").required();
  add_recipe_flag(app, "--recipe", flags.pipeline.recipe,
                  "How the model's input is made: text or a file (default: as the trace says)");
  add_function(app, flags.pipeline, "");
  add_tokenizer(app, flags.pipeline, "--tokenizer");
  add_states(app, flags.pipeline, "");
  add_data(app, flags.data, false);
  add_boxes(app, flags.boxes);
  app.option("--reference", flags.reference,
             "The reference's trace of the same samples: the drift of each layer")
      .type("FILE.mcap");
  app.option("--level", flags.level, "Of a model: what is recorded: io | embedding | layers")
      .shows_default();
  app.option("--raw", flags.raw, "Of a model: how the pictures are kept: encoded | pixels | none")
      .shows_default();
  add_engine(app, flags.pipeline, "", "Engine of a model");
  add_cpus(app, flags.pipeline, "", "Engine of a model");
  add_target(app, flags.pipeline, "Engine of a model");
}

}  // namespace

Work declare_contract_learn(Parser& parser) {
  auto args = std::make_shared<ContractLearnArgs>();
  add_subject(parser, args->subject);
  parser.option("-o,--out", args->out, "The contract to write").shows_default();
  parser.flag("--force", args->force, "Replace an existing contract");
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_contract_check(Parser& parser) {
  auto args = std::make_shared<ContractCheckArgs>();
  add_subject(parser, args->subject);
  parser.option("--contract", args->contract, "The contract").shows_default().type("FILE");
  parser.option("--junit", args->junit, "JUnit XML to write: a test case for each assertion")
      .type("FILE");
  const Argument mutate = parser.flag(
      "--mutate", args->mutate,
      "Run the model with each fault of a catalogue planted into its recipe (11 samples "
      "unless --frames): which of them would this contract miss?");
  const Argument follow = parser
                              .flag("--follow", args->follow.on,
                                    "Judge the first frames (8 unless --frames) of an app that is "
                                    "running, as soon as its probe has written them")
                              .excludes(mutate);
  parser
      .option("--timeout", args->follow.timeout_s,
              "Seconds that --follow waits for them; what came is judged")
      .shows_default()
      .needs(follow);
  parser.option("command", args->follow.command,
                "Behind --follow -- : the app, which is started and ended with the check");
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_contract_update(Parser& parser) {
  auto args = std::make_shared<ContractUpdateArgs>();
  add_subject(parser, args->subject);
  parser.option("--contract", args->contract, "The contract to change")
      .shows_default()
      .type("FILE");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
