// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/trace_folder.h"
#include "cli/options/data_flags.h"
#include "cli/options/pipeline_flags.h"
#include "cli/terminal/terminal.h"
#include "contract/contract.h"
#include "contract/evidence.h"
#include "contract/finding.h"
#include "core/result.h"
#include "dataset/labels.h"
#include "pipeline/run.h"

namespace edgeprobe::cli {

/// Subject of a contract, for learning or checking: a trace, or a model to run.
struct SubjectFlags {
  std::string what;        ///< A trace, or a model file.
  PipelineFlags pipeline;  ///< Its model is `what`; for a trace only the recipe is used.
  DataFlags data;          ///< Samples for the model; completes what a trace lacks.
  std::string level = "io", raw = "encoded";  ///< For a model: the same values as in `run`.
  std::string reference;  ///< A trace of the same frames, for drift; may be empty.
  std::string boxes = "xyxy,pixels";
  std::string metric;  ///< A plug-in, instead of the task's metric; empty: none.
};
void add_subject(Parser& parser, SubjectFlags& flags);

/// An open trace with additional facts. Not movable, because its parts refer to each other.
struct OpenSubject {
  std::optional<check::TraceFolder> folder;  ///< Set for a trace that was recorded here.
  std::optional<trace::Reader> trace, reference;
  pipeline::TraceSamples raw;
  dataset::Labels labels;
  std::unique_ptr<pipeline::Tokenizer> tokenizer;  ///< Set if one was given.
  std::shared_ptr<task::UserMetric> metric;        ///< Set if one was given.
  contract::Subject subject;
  std::string name;  ///< The user's name for the trace or model.
};

/// Opens the trace, or runs the model into one.
Result<std::unique_ptr<OpenSubject>> open_subject(const SubjectFlags& flags, Terminal& terminal);

/// A model to run, with its samples and recording options.
struct OpenModel {
  pipeline::Pipeline pipeline;
  std::vector<dataset::Sample> samples;
  pipeline::RunOptions options;
  bool has_background = false;  ///< As dataset::fit_background() says.
};
/// True if the file is not a trace. The caller then takes it for a model.
bool is_model(const std::string& file);
/// kUsage without --data.
Result<OpenModel> open_model(const SubjectFlags& flags, Terminal& terminal);

/// The canonical text of --recipe, else of the recipe in the trace; empty without either.
Result<std::string> recipe_of(const SubjectFlags& flags, const OpenSubject& subject);

/// Findings of the contract's Python functions on a trace. `file`: the contract, whose folder
/// contains them.
Result<std::vector<contract::Finding>> python_findings(const SubjectFlags& flags,
                                                       const contract::Contract& contract,
                                                       const std::string& file,
                                                       const std::filesystem::path& trace,
                                                       Terminal& terminal);

/// Inserts the names of trace and recipe into the commands advised by findings. A model that was
/// run here leaves no trace.
void name_files(contract::Report& report, const std::string& recipe, const std::string& subject);

/// The contract in a file.
Result<contract::Contract> read_contract(const std::string& file);

}  // namespace edgeprobe::cli
