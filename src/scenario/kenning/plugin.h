// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenario/kenning/source.h"

/// Classes of Kenning, or of its user, that run as plug-ins (docs/extending.md).
namespace edgeprobe::scenario::kenning {

/// A class and the parameters that become its options.
struct Plugin {
  std::string what;                ///< "python:kenning:CLASS" or "my/module.py:CLASS"; "" for none.
  bool is_own = false;             ///< A class of the user.
  std::vector<Parameter> options;  ///< By their names in a file.
};

/// The plug-in of a data set, a model wrapper or a runtime. None for a class of the user without a
/// module, whose file is unknown.
Plugin plugin_of(const Block& block, bool is_seed);
/// True if a class runs only in this way: of the user, or without a counterpart here.
bool runs_only_as_plugin(const Block& block);
/// True for a parameter that no option states: the model, batches, downloads.
bool is_left_out(Role role, std::string_view name);
/// WHAT?NAME=VALUE&NAME=VALUE.
std::string text_of(const Plugin& plugin);
/// The same with an object that the plug-in asks for: the data set of a model wrapper, or the model
/// wrapper that prepares the samples of a data set.
std::string text_of(const Plugin& plugin, const std::string& option, const Plugin& object);

}  // namespace edgeprobe::scenario::kenning
