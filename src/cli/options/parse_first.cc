// SPDX-License-Identifier: Apache-2.0
// Verbs of the first minutes.
#include "cli/commands/fetch_command.h"
#include "cli/demo/demo_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_fetch(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<FetchArgs>(
      app, "fetch",
      "An engine's library from the Python package index into ~/.cache/edgeprobe, checked by its "
      "hash",
      "edgeprobe fetch litert", chosen, sub);
  sub->add_option("engine", args->engine, "The engine: litert (22 MB; on ARM 14 MB)")->required();
  add_json(*sub, args->json);
}

void add_demo(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<DemoArgs>(
      app, "demo",
      "The main job on a model and pictures inside this program: exit code 0 when the planted "
      "fault is found",
      "edgeprobe demo --out edgeprobe-demo", chosen, sub);
  sub->add_option("--out", args->out,
                  "New folder for the models, pictures and reports (default: kept nowhere)");
  sub->add_option("--engine", args->engine, "Engine, as of other verbs (default: litert)");
  sub->add_flag("--fetch", args->fetch, "Fetch the engine when there is none (edgeprobe fetch)");
}

}  // namespace edgeprobe::cli
