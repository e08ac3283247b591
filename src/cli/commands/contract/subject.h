// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "check/trace_folder.h"
#include "cli/commands/contract/subject_flags.h"
#include "cli/terminal.h"
#include "contract/contract.h"
#include "contract/evidence.h"
#include "dataset/labels.h"

namespace edgeprobe::cli {

/// A trace that is open, with what is known beside it. Its parts point at each other: it is not
/// moved.
struct OpenSubject {
  std::optional<check::TraceFolder> folder;  ///< Of a trace that was recorded here.
  std::optional<trace::Reader> trace, reference;
  pipeline::TraceSamples raw;
  dataset::Labels labels;
  contract::Subject subject;
  std::string name;  ///< The trace or the model, as the user named it.
};

/// Opens the trace, or runs the model into one.
Result<std::unique_ptr<OpenSubject>> open_subject(const SubjectFlags& flags, Terminal& terminal);

/// The canonical text of --recipe, else of the recipe that the trace states; empty without either.
Result<std::string> recipe_of(const SubjectFlags& flags, const OpenSubject& subject);

/// The contract in a file.
Result<contract::Contract> read_contract(const std::string& file);

}  // namespace edgeprobe::cli
