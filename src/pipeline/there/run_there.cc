// SPDX-License-Identifier: Apache-2.0
#include "pipeline/there/run_there.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/file.h"
#include "core/text.h"
#include "engine/remote/link.h"
#include "engine/remote/loading.h"
#include "engine/target.h"
#include "model/file_bytes.h"
#include "pipeline/there/plan.h"
#include "preprocess/recipe/recipe.h"
#include "task/recorded.h"
#include "trace/record/file_sink.h"

namespace edgeprobe::pipeline {
namespace {

using engine::CallError;
using protocol::ExtensionKind;

/// Time limit for an answer; the server waits if a trace does not grow.
constexpr std::chrono::seconds kAnswerLimit{60};
/// For the summary and the index of a trace, which its limit does not count.
constexpr std::uint64_t kBesideFrames = std::uint64_t{64} << 20;

Status check_spec(const PipelineSpec& spec, const RunOptions& options) {
  const char* const stays = spec.function                ? "a Python function"
                            : spec.tokenizer             ? "a tokenizer"
                            : !spec.arrays.empty()       ? "recorded tensors"
                            : !spec.states.empty()       ? "a carried state"
                            : !spec.input_shapes.empty() ? "another input shape"
                            : spec.recipe && !spec.recipe->post.empty()
                                ? "the half of a recipe after the model"
                            : options.beside ? "sensors"
                                             : nullptr;
  if (!stays) return {};
  return Error{ErrorKind::kUsage, std::string("a run on the target takes pictures and a recipe; ") +
                                      stays + " is not done there: run without --there"};
}

/// The plan for the target, followed by the bytes of its pictures, concatenated.
struct Packed {
  Plan plan;
  Bytes pictures;
};
Result<Packed> pack(const PipelineSpec& spec, const std::vector<dataset::Sample>& samples,
                    const RunOptions& options, RunSummary& left_out) {
  Packed packed{{spec.recipe ? preprocess::to_text(*spec.recipe) : "", options, {}}, {}};
  for (const dataset::Sample& sample : samples) {
    const auto loaded = sample.load();
    if (!loaded) {
      left_out.unreadable.push_back({sample.name, loaded.error().what});
      continue;
    }
    const dataset::Picture* const picture = dataset::picture_of(loaded->input);
    if (!picture || picture->encoded.empty())
      return Error{ErrorKind::kUsage, "'" + sanitized(sample.name) +
                                          "' is not a picture file, and a run on the target takes "
                                          "nothing else; run without --there"};
    trace::FrameRecord record;
    record.sample = sample.name;
    record.begins_sequence = sample.begins_sequence;
    packed.plan.samples.push_back(
        {picture->encoded.size(), task::annotated(std::move(record), sample.annotation)});
    packed.pictures.insert(packed.pictures.end(), picture->encoded.begin(), picture->encoded.end());
  }
  if (!packed.plan.samples.empty()) return packed;
  return Error{ErrorKind::kCorrupt,
               "none of the " + std::to_string(samples.size()) + " samples could be read" +
                   (samples.empty() ? "" : "; the first: " + left_out.unreadable.front().why)};
}

/// A reply to TRACE.
struct Part {
  bool is_last = false;
  std::uint64_t done = 0, all = 0;
  std::string pass;
  ByteView trace;
  std::uint16_t code = 0;  ///< In the last part: the code of its error.
  std::string end;         ///< The summary, or the error message.
};
Result<Part> read_part(engine::wire::Reader in) {
  Part part;
  part.is_last = in.u8() != 0;
  part.done = in.u64();
  part.all = in.u64();
  part.pass = in.text();
  part.trace = in.blob();
  if (part.is_last) {
    part.code = in.u16();
    part.end = in.text();
  }
  if (in.ok()) return part;
  return Error{ErrorKind::kTarget, "the server's answer makes no sense"};
}

/// Fetches the whole trace and returns the run's summary. `begun` is set once a frame is done.
Result<RunSummary> fetch(engine::Link& link, std::uint64_t epoch, trace::RecordSink& file,
                         std::uint64_t most, const Control& control, bool& begun) {
  while (true) {
    engine::wire::Writer request;
    request.number(static_cast<std::uint8_t>(control.stopped() ? 1 : 0));
    auto answer = link.call(epoch, ExtensionKind::kTrace, request.bytes(), {}, kAnswerLimit);
    if (auto* const problem = std::get_if<CallError>(&answer))
      return std::move(problem->error).during("the trace ends where the target was lost");
    EP_TRY(const auto part, read_part(engine::wire::Reader(std::get<Bytes>(answer))));
    if (file.size() + part.trace.size > most + kBesideFrames)
      return Error{ErrorKind::kLimit, "the trace is longer than --max-size"};
    if (!part.trace.empty()) EP_CHECK(file.append({part.trace}, {}));
    begun = begun || part.done > 0;
    if (control.progress && part.all > 0)
      control.progress(static_cast<std::size_t>(part.done), static_cast<std::size_t>(part.all),
                       part.pass);
    if (!part.is_last) continue;
    if (part.code != 0) return Error{protocol::error_of(part.code), part.end};
    return summary_from_json(part.end);
  }
}

}  // namespace

Result<RunSummary> run_there(const PipelineSpec& spec, const std::vector<dataset::Sample>& samples,
                             const std::filesystem::path& trace_path, const RunOptions& options,
                             const Control& control) {
  EP_CHECK(check_spec(spec, options));
  EP_TRY(const auto model, model::FileBytes::open(spec.model));
  EP_TRY(const auto target, engine::address_from_target_text(spec.engine.address));
  if (target.transport == engine::Transport::kKenning)
    return Error{ErrorKind::kUnsupported,
                 "a server of Kenning only runs models: run without --there"};
  RunSummary left_out;
  EP_TRY(const auto packed, pack(spec, samples, options, left_out));
  EP_TRY(const auto link, engine::Link::open(target, spec.engine, ""));
  const std::string there = link->address();
  const std::uint64_t epoch = link->epoch();
  engine::wire::Writer request;
  for (const ByteView bytes : {model.view(), ByteView(packed.pictures)}) {
    const Bytes hash = engine::hash_of(bytes);
    if (auto problem = engine::upload(*link, epoch, bytes, hash))
      return std::move(problem->error).during(there);
    request.append(hash);
  }
  engine::SessionOptions session = spec.session;
  session.folder.clear();
  request.text(spec.model.filename().string());
  engine::wire::write(request, session);
  request.text(to_json(packed.plan));
  auto begun = link->call(epoch, ExtensionKind::kRun, request.bytes(), {}, kAnswerLimit);
  if (auto* const problem = std::get_if<CallError>(&begun))
    return std::move(problem->error).during(there);
  EP_TRY(auto file, trace::FileSink::create(trace_path, {options.replace, /*hidden=*/false, 0}));
  bool has_frames = false;
  auto summary = fetch(*link, epoch, *file, options.most_bytes, control, has_frames);
  using End = trace::RecordSink::End;
  const std::uint64_t bytes = file->size();
  const Status ended = file->end(!has_frames ? End::kDiscarded
                                 : summary   ? End::kWhole
                                             : End::kBroken);
  if (!summary) return std::move(summary.error()).during(there);
  if (!ended) return ended.error();
  summary->written.bytes = bytes;
  summary->written.frames = summary->frames;
  for (dataset::Unreadable& one : left_out.unreadable)
    summary->unreadable.push_back(std::move(one));
  return summary;
}

}  // namespace edgeprobe::pipeline
