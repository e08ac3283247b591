// SPDX-License-Identifier: Apache-2.0
#include "engine/stretch/engine.h"

#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "engine/cpu_affinity.h"
#include "engine/options.h"
#include "engine/runtime_engine.h"
#include "engine/stretch/session.h"
#include "stretch/plan.h"

namespace edgeprobe::engine::stretch {

using edgeprobe::stretch::Processor;
namespace {

/// A plan that names a missing library is wrong: kUsage, before anything is loaded.
Error usage_if_missing(Error error) {
  if (error.kind == ErrorKind::kNotFound) error.kind = ErrorKind::kUsage;
  return error;
}

/// kUsage for an invalid delegate, or one whose library does not exist.
Status check_delegate(const Processor& processor) {
  if (processor.delegate.empty()) return {};
  EP_TRY(const auto delegate, delegate_from_text(processor.delegate));
  std::error_code failure;
  // A bare name is looked up by the loader.
  if (!delegate.library.has_parent_path() || std::filesystem::exists(delegate.library, failure))
    return {};
  return Error{ErrorKind::kUsage,
               "delegate '" + sanitized(delegate.library.string(), 300) + "' does not exist"};
}

}  // namespace

Result<std::unique_ptr<Engine>> open(const std::filesystem::path& path) {
  const std::string file = "plan '" + sanitized(path.string(), 300) + "'";
  EP_TRY(auto plan, edgeprobe::stretch::read_plan_file(path));
  const auto here = [&](const Processor& processor) {
    return file + ", processor '" + sanitized(processor.name, 60) + "'";
  };
  for (const Processor& processor : plan.processors)
    if (auto there = check_cpus(processor.cpus); !there)
      return std::move(there.error()).during(here(processor));
  for (const Processor& processor : plan.processors)
    if (auto good = check_delegate(processor); !good)
      return std::move(good.error()).during(here(processor));
  auto engines = std::make_shared<Engines>();
  EngineIdentity identity{"stretch", "", path, ""};
  std::string hashes = sha256(view_of(edgeprobe::stretch::to_json(plan)));
  for (const Processor& processor : plan.processors) {
    std::unique_ptr<Engine>& engine = (*engines)[processor.engine];
    if (engine) continue;
    auto opened = open_processor(processor.engine, plan.format);
    if (!opened) return usage_if_missing(std::move(opened.error())).during(here(processor));
    engine = *std::move(opened);
    const EngineIdentity& one = engine->identity();
    identity.version += (identity.version.empty() ? "" : " + ") + one.kind + " " + one.version;
    hashes += one.sha256;
  }
  // The same plan with another library counts as a different engine.
  identity.sha256 = sha256(view_of(hashes));
  identity.abilities.emplace_back("op times");
  return std::unique_ptr<Engine>(std::make_unique<RuntimeEngine>(
      std::move(identity), [engines, plan = std::move(plan)](ByteView model, std::string_view label,
                                                             const SessionOptions& options) {
        return load_session(plan, engines, model, label, options);
      }));
}

}  // namespace edgeprobe::engine::stretch
