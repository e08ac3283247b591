// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/commands/trace/words.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "trace/answer.h"
#include "trace/export/element.h"
#include "trace/export/export.h"
#include "trace/names.h"
#include "trace/read/answer_text.h"
#include "trace/read/reader.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe trace cat FILE`: prints the values of its tensors.
struct TraceCatArgs {
  std::string file;
  std::optional<std::uint32_t> frame;  ///< Unset: all.
  std::string tensor;      ///< A name, "<stage>/<name>" or "/<stage>/<name>"; empty: all.
  std::size_t values = 8;  ///< Most values per tensor; 0: all.
};

namespace {

using trace::FrameRecord;
using trace::ReadChannel;
using trace::Reader;

void write_values(std::ostream& out, const TensorView& tensor, std::size_t most) {
  const std::size_t count = element_count(tensor.spec->shape).value_or(0);
  const std::size_t shown = most == 0 ? count : std::min(count, most);
  for (std::size_t i = 0; i < shown; ++i) out << (i ? " " : "") << trace::stored_text(tensor, i);
  if (shown < count) out << " … " << count - shown << " more";
  if (shown == count) return;
  const auto real = to_float(tensor);
  if (!real || real->empty()) return;
  const auto [least, largest] = std::minmax_element(real->begin(), real->end());
  out << "  (" << number(static_cast<double>(*least)) << " to "
      << number(static_cast<double>(*largest)) << ")";
}

void write_record(std::ostream& out, const FrameRecord& record) {
  out << "frame " << record.frame;
  if (!record.sample.empty()) out << "  " << sanitized(record.sample);
  if (record.label) out << "  label " << *record.label;
  if (record.annotation)
    out << "  " << sanitized(record.annotation->kind) << " "
        << sanitized(record.annotation->value, 200);
  if (record.latency_ns)
    out << "  " << number(static_cast<double>(*record.latency_ns) * 1e-6) << " ms";
  if (record.begins_sequence) out << "  begins a sequence";
  out << "\n";
}

}  // namespace

Result<Outcome> run(const TraceCatArgs& args, Terminal& terminal) {
  EP_TRY(const auto reader, Reader::open(args.file));
  const trace::Selection selection{args.frame, args.tensor};
  EP_TRY(const auto channels, trace::selected_channels(reader, selection));
  EP_TRY(const auto frames, trace::selected_frames(reader, selection));
  warn(reader, terminal);
  for (const std::uint32_t frame : frames) {
    if (terminal.stopped()) return Error{ErrorKind::kInterrupted, "stopped"};
    const auto at = std::lower_bound(reader.frames().begin(), reader.frames().end(), frame);
    write_record(terminal.out,
                 reader.records()[static_cast<std::size_t>(at - reader.frames().begin())]);
    for (const ReadChannel* channel : channels) {
      const auto tensor = reader.read(frame, channel->id);
      if (!tensor) {
        terminal.err << "warning: " << tensor.error().what << "\n";
        continue;
      }
      if (!*tensor) continue;
      terminal.out << "  " << trace::name(channel->channel.stage) << "/"
                   << sanitized(channel->channel.spec.name, 80) << "  "
                   << edgeprobe::name(channel->channel.spec.dtype) << " " << shape_text(*channel)
                   << "  ";
      if (channel->channel.is_answer()) {
        const auto answer = trace::decode_answer((*tensor)->bytes);
        terminal.out << (answer ? trace::to_text(*answer, args.values) : answer.error().what);
      } else if (channel->channel.is_open())
        terminal.out << (channel->channel.encoding == "encoded"
                             ? std::to_string((*tensor)->bytes.size) + " bytes, sha256 " +
                                   sha256((*tensor)->bytes)
                             : sanitized((*tensor)->bytes.text(), 4096));
      else write_values(terminal.out, **tensor, args.values);
      terminal.out << "\n";
    }
  }
  return Outcome::kDone;
}

Work declare_trace_cat(Parser& parser) {
  auto args = std::make_shared<TraceCatArgs>();
  parser.option("file", args->file, "A trace").required();
  parser.option("--frame", args->frame, "One frame (default: all)");
  parser.option("--tensor", args->tensor, "One tensor: NAME or STAGE/NAME (default: all)");
  parser.option("--values", args->values, "Values to print of each tensor; 0: all").shows_default();
  return work_of(args);
}

}  // namespace edgeprobe::cli
