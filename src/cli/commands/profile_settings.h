// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "cli/commands/model_inputs.h"
#include "cli/options/pipeline_flags.h"
#include "core/result.h"
#include "placement/profile/profile.h"
#include "placement/profile/rows.h"
#include "placement/profile/subjects.h"

namespace edgeprobe::cli {

/// Identities of engines; each engine is opened once.
class Identities {
 public:
  Result<engine::EngineIdentity> of(const engine::EngineChoice& choice);

 private:
  std::map<std::string, engine::EngineIdentity> known_;
};

/// Sets the time and the program's version.
void tell_now(placement::Row& row);

/// Origin of one configuration's measurements.
struct ProfileSettings {
  const GivenModel& given;
  const placement::Subject& subject;
  const placement::Profiled& model;
  const PipelineFlags& flags;  ///< How to open the models.
  const std::string& data;     ///< Same as DataFlags::data.
  const std::string& labels;   ///< Hash of what the accuracy depends on; "": none is measured.
  const placement::ProfileOptions& options;
  Identities& identities;

  /// Fills the columns of the model, the engine, its options, the inputs and the machine, and
  /// `settings`, a hash of everything that affects the measurements. Fails if an engine cannot be
  /// opened.
  Status tell(placement::Row& row) const;
};

}  // namespace edgeprobe::cli
