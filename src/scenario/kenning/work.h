// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scenario/kenning/compile.h"
#include "scenario/kenning/notes.h"
#include "scenario/kenning/plugin.h"
#include "scenario/kenning/recipe.h"
#include "scenario/kenning/source.h"

/// State and steps of a translation. Internal to this folder.
namespace edgeprobe::scenario::kenning {

/// Data collected until the scenario can be written.
struct Work {
  Translation out;
  Pictures pictures;
  std::vector<Compiler> compilers;
  std::string model, root, host, port, baud, dataset, wrapper, runtime, protocol;
  std::map<Role, Plugin> plugins;  ///< Of the data set, the model wrapper and the runtime.
  bool downloads = false;
  Role own = Role::kScenario;  ///< Of a class of the user's own; kScenario: there is none.

  void note(const std::string& what, const std::string& why) {
    out.notes.push_back(note_of(what, why));
  }
  void set(const char* block, const char* key, std::vector<std::string> values) {
    out.scenario.set({find_key(block, key), std::move(values)});
  }
};

/// Does what the rule of an option says. `block` is the class that it belongs to, or null.
void apply(Work& work, const Option& option, const Parameter& parameter, Block* block);

void set_engine(Work& work);
/// The model and its conversions.
void set_model(Work& work);
/// The data set as a plug-in. False if a layout or a folder, and a recipe, stand for it.
bool set_data(Work& work, bool is_seed);
void set_target(Work& work);
/// With a target, leaves out what the other machine decides.
void leave_engine_to_operator(Work& work);
/// Trains the built-in model that corresponds to the wrapper.
void set_training(Work& work);
/// The folder for the models and the table.
void set_conversions(Work& work, const std::vector<std::string>& operands);
/// Classes run in a Python that can import them.
void note_python(Work& work);

}  // namespace edgeprobe::scenario::kenning
