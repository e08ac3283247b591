// SPDX-License-Identifier: Apache-2.0
#include "cli/options/parse_contract.h"
#include "cli/commands/contract/contract_command.h"

namespace edgeprobe::cli {
namespace {

void add_subject(CLI::App& app, SubjectFlags& flags) {
  app.add_option("subject", flags.what, "A trace, or a model that is run on --data")->required();
  add_recipe_flag(app, "--recipe", flags.pipeline.recipe,
                  "How the model's input is made: text or a file (default: as the trace says)");
  add_function(app, flags.pipeline, "");
  add_tokenizer(app, flags.pipeline, "--tokenizer");
  add_states(app, flags.pipeline, "");
  add_data(app, flags.data, false);
  add_boxes(app, flags.boxes);
  app.add_option("--reference", flags.reference,
                 "The reference's trace of the same samples: the drift of each layer")
      ->type_name("FILE.mcap");
  app.add_option("--level", flags.level, "Of a model: what is recorded: io | embedding | layers")
      ->capture_default_str();
  app.add_option("--raw", flags.raw,
                 "Of a model: how the pictures are kept: encoded | pixels | none")
      ->capture_default_str();
  add_engine(app, flags.pipeline, "", "Engine of a model");
  add_cpus(app, flags.pipeline, "", "Engine of a model");
  add_target(app, flags.pipeline, "Engine of a model");
}

}  // namespace

void add_contract(CLI::App& app, Work& chosen) {
  auto* contract = app.add_subcommand(
      "contract", "What a deployment promises, as a file: learned from a trace, checked in CI");
  contract->require_subcommand(1);
  contract->footer(
      "\nExample:\n  edgeprobe contract learn yesterday.mcap -o contract.json\n  edgeprobe "
      "contract check today.mcap --contract contract.json");
  CLI::App* sub = nullptr;
  auto learn = verb<ContractLearnArgs>(*contract, "learn", "Write down what a good trace does",
                                       "edgeprobe contract learn yesterday.mcap -o contract.json",
                                       chosen, sub);
  add_subject(*sub, learn->subject);
  sub->add_option("-o,--out", learn->out, "The contract to write")->capture_default_str();
  sub->add_flag("--force", learn->force, "Replace an existing contract");
  add_json(*sub, learn->json);
  auto check = verb<ContractCheckArgs>(
      *contract, "check", "Does a trace, or a model, keep a contract?",
      "edgeprobe contract check today.mcap --contract contract.json --junit contract.xml", chosen,
      sub);
  add_subject(*sub, check->subject);
  sub->add_option("--contract", check->contract, "The contract")
      ->capture_default_str()
      ->type_name("FILE");
  sub->add_option("--junit", check->junit, "JUnit XML to write: a test case for each assertion")
      ->type_name("FILE");
  auto* mutate = sub->add_flag(
      "--mutate", check->mutate,
      "Run the model with each fault of a catalogue planted into its recipe (11 samples "
      "unless --frames): which of them would this contract miss?");
  auto* follow = sub->add_flag("--follow", check->follow.on,
                               "Judge the first frames (8 unless --frames) of an app that is "
                               "running, as soon as its probe has written them")
                     ->excludes(mutate);
  sub->add_option("--timeout", check->follow.timeout_s,
                  "Seconds that --follow waits for them; what came is judged")
      ->capture_default_str()
      ->needs(follow);
  sub->add_option("command", check->follow.command,
                  "Behind --follow -- : the app, which is started and ended with the check");
  add_json(*sub, check->json);
  auto update = verb<ContractUpdateArgs>(
      *contract, "update", "Take over what a new trace does, and say each change",
      "edgeprobe contract update today.mcap --contract contract.json", chosen, sub);
  add_subject(*sub, update->subject);
  sub->add_option("--contract", update->contract, "The contract to change")
      ->capture_default_str()
      ->type_name("FILE");
  add_json(*sub, update->json);
}

}  // namespace edgeprobe::cli
