// SPDX-License-Identifier: Apache-2.0
#include "engine/stretch/engine.h"

#include <sched.h>

#include <set>
#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "engine/runtime_engine.h"
#include "engine/stretch/session.h"
#include "stretch/plan.h"

namespace edgeprobe::engine::stretch {
namespace {

using edgeprobe::stretch::Plan;
using edgeprobe::stretch::Processor;

/// kUsage for a CPU that is not there, before anything is opened.
Status check_cpus(const Plan& plan) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return {};  // Pinning will tell.
  for (const Processor& processor : plan.processors)
    for (const int cpu : processor.cpus)
      if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &mine))
        return Error{ErrorKind::kUsage, "processor '" + sanitized(processor.name, 60) +
                                            "' is CPU " + std::to_string(cpu) +
                                            ", which this process may not use; it has " +
                                            std::to_string(CPU_COUNT(&mine)) +
                                            "; change \"cpus\", or make a plan on this machine"};
  return {};
}

}  // namespace

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& path, bool force_version) {
  const std::string file = "plan '" + sanitized(path.string(), 300) + "'";
  const auto text = read_file(path);
  if (!text) return text.error();
  auto plan = edgeprobe::stretch::read_plan(ByteView(*text).text());
  if (!plan) return std::move(plan.error()).during(file);
  if (auto there = check_cpus(*plan); !there) return std::move(there.error()).during(file);
  auto engines = std::make_shared<Engines>();
  EngineIdentity identity{"stretch", "", path, ""};
  std::string hashes = sha256(*text);
  for (const Processor& processor : plan->processors) {
    std::unique_ptr<Engine>& engine = (*engines)[processor.engine];
    if (engine) continue;
    auto opened = open_processor(processor.engine, plan->format, force_version);
    if (!opened)
      return std::move(opened.error())
          .during(file + ", processor '" + sanitized(processor.name, 60) + "'");
    engine = *std::move(opened);
    const EngineIdentity& one = engine->identity();
    identity.version += (identity.version.empty() ? "" : " + ") + one.kind + " " + one.version;
    hashes += one.sha256;
  }
  // Another library below the same plan is another engine.
  identity.sha256 = sha256(view_of(hashes));
  identity.abilities.emplace_back("op times");
  return std::unique_ptr<Engine>(std::make_unique<RuntimeEngine>(
      std::move(identity),
      [engines, plan = *std::move(plan)](ByteView model, std::string_view label,
                                         const SessionOptions& options) {
        return load_session(plan, engines, model, label, options);
      }));
}

}  // namespace edgeprobe::engine::stretch
