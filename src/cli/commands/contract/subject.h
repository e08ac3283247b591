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

/// What a contract is learned from or checked on: a trace, or a model that is run.
struct SubjectFlags {
  std::string what;        ///< A trace, or a model file.
  PipelineFlags pipeline;  ///< Its model is `what`; of a trace the recipe counts alone.
  DataFlags data;          ///< Samples of the model; completes what a trace lacks.
  std::string level = "io", raw = "encoded";  ///< As `run` records, for a model.
  std::string reference;  ///< A trace of the same frames, for drift; may be empty.
  std::string boxes = "xyxy,pixels";
};
void add_subject(Parser& parser, SubjectFlags& flags);

/// A trace that is open, with what is known beside it. Its parts point at each other: it is not
/// moved.
struct OpenSubject {
  std::optional<check::TraceFolder> folder;  ///< Of a trace that was recorded here.
  std::optional<trace::Reader> trace, reference;
  pipeline::TraceSamples raw;
  dataset::Labels labels;
  std::unique_ptr<pipeline::Tokenizer> tokenizer;  ///< Where one was given.
  contract::Subject subject;
  std::string name;  ///< The trace or the model, as the user named it.
};

/// Opens the trace, or runs the model into one.
Result<std::unique_ptr<OpenSubject>> open_subject(const SubjectFlags& flags, Terminal& terminal);

/// A model that is run, with its samples and what is recorded of them.
struct OpenModel {
  pipeline::Pipeline pipeline;
  std::vector<dataset::Sample> samples;
  pipeline::RunOptions options;
};
/// Whether the file is no trace: it is taken for a model.
bool is_model(const std::string& file);
/// kUsage without --data.
Result<OpenModel> open_model(const SubjectFlags& flags, Terminal& terminal);

/// The canonical text of --recipe, else of the recipe that the trace states; empty without either.
Result<std::string> recipe_of(const SubjectFlags& flags, const OpenSubject& subject);

/// What the contract's Python functions say of a trace. `file`: the contract, beside which they
/// lie.
Result<std::vector<contract::Finding>> python_findings(const SubjectFlags& flags,
                                                       const contract::Contract& contract,
                                                       const std::string& file,
                                                       const std::filesystem::path& trace,
                                                       Terminal& terminal);

/// Puts the trace and the recipe into the commands that findings advise. A model that was run here
/// leaves no trace.
void name_files(contract::Report& report, const std::string& recipe, const std::string& subject);

/// The contract in a file.
Result<contract::Contract> read_contract(const std::string& file);

}  // namespace edgeprobe::cli
