// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe_plugin.h"

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/binding.h"

namespace edgeprobe::engine::native {

/// True if the library left a struct as it got it.
bool is_same(const edgeprobe_plugin_value& a, const edgeprobe_plugin_value& b);

/// Runs the state that the library's bind() returned for this memory. The session, which owns
/// `table`, outlives the binding.
std::unique_ptr<Binding> bind_to(const edgeprobe_plugin_engine& table, std::string name,
                                 void* state, std::vector<const void*> inputs,
                                 std::vector<edgeprobe_plugin_value> outputs);

}  // namespace edgeprobe::engine::native
