// SPDX-License-Identifier: Apache-2.0
#include "pipeline/same_computation.h"

#include "engine/kinds.h"
#include "pipeline/carry.h"

namespace edgeprobe::pipeline {

bool are_same_computation(const Pipeline& a, const Pipeline& b) {
  // A repaired model, for instance, has a session and no engine.
  if (!a.engine || !b.engine || !a.session || !b.session) return false;
  if (may_keep_state(a) || may_keep_state(b) || !a.states.empty() || !b.states.empty())
    return false;
  const engine::EngineIdentity &of_a = a.engine->identity(), &of_b = b.engine->identity();
  const engine::EngineChoice &chosen_a = a.spec.engine, &chosen_b = b.spec.engine;
  engine::SessionOptions options_a = a.spec.session;
  options_a.folder = b.spec.session.folder;  // The model's hash covers what is read from there.
  return !a.graph.sha256.empty() && a.graph.sha256 == b.graph.sha256 && of_a.kind == of_b.kind &&
         of_a.version == of_b.version && of_a.sha256 == of_b.sha256 &&
         // A divided model's plan is its library; a plug-in's options are part of the choice.
         of_a.library == of_b.library &&
         (!engine::kind_of(of_a).plugged || chosen_a.library == chosen_b.library) &&
         chosen_a.address == chosen_b.address && chosen_a.python == chosen_b.python &&
         options_a == b.spec.session;
}

}  // namespace edgeprobe::pipeline
