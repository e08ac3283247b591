#include <algorithm>

#include "core/text.h"
#include "trace/element.h"
#include "trace/export.h"
#include "trace/output.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

}  // namespace

std::string csv_text(std::string_view text) {
  std::string safe = printable(text, 4096);
  // Spreadsheets run cells that start so, also behind blanks.
  const std::size_t first = safe.find_first_not_of(' ');
  if (first != std::string::npos && std::string_view("=+-@").find(safe[first]) != std::string_view::npos)
    safe.insert(0, 1, '\'');
  if (safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

Result<ExportReport> export_csv(const Reader& reader, const std::filesystem::path& path, const ExportOptions& options) {
  auto channels = selected_channels(reader, options.selection);
  if (!channels) return channels.error();
  auto frames = selected_frames(reader, options.selection);
  if (!frames) return frames.error();
  auto file = Output::create_hidden(path, options.replace);
  if (!file) return file.error();

  ExportReport report;
  std::string buffer = "frame,time_ns,sample,label,stage,tensor,index,stored,value\n";
  OpenMessages left_out;
  for (const std::uint32_t frame : *frames) {
    const auto at = std::lower_bound(reader.frames().begin(), reader.frames().end(), frame);
    const FrameRecord& record = reader.records()[static_cast<std::size_t>(at - reader.frames().begin())];
    const std::string start = std::to_string(frame) + "," + (record.time_ns ? std::to_string(record.time_ns) : "") + "," +
                              csv_text(record.sample) + "," + (record.label ? std::to_string(*record.label) : "") + ",";
    for (const ReadChannel* channel : *channels) {
      if (options.stop && options.stop->load(std::memory_order_relaxed))
        return Error{Fault::kInterrupted, "stopped; nothing was written"};
      const auto tensor = reader.read(frame, channel->id);
      if (!tensor) {
        report.note(tensor.error().what);
        continue;
      }
      if (!*tensor) continue;
      if (channel->channel.is_open()) {
        left_out.add(channel->channel);
        continue;
      }
      const TensorSpec& spec = channel->channel.spec;
      std::vector<float> values;
      if (!spec.quantization.empty()) {
        auto real = to_float(**tensor);
        if (!real) {
          report.note(real.error().what);
          continue;
        }
        values = std::move(*real);
      }
      const std::string prefix = start + name(channel->channel.stage) + "," + csv_text(spec.name) + ",";
      const std::size_t count = element_count(spec.shape).value_or(0);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string stored = stored_text(**tensor, i);
        buffer += prefix + std::to_string(i) + "," + stored + "," + (values.empty() ? stored : text_of(values[i])) + "\n";
        if (buffer.size() < kBuffer) continue;
        if (auto done = file->append({view_of(buffer)}); !done) return done.error();
        buffer.clear();
      }
      report.rows += count;
      ++report.tensors;
    }
  }
  if (!left_out.empty()) report.note(left_out.text() + " left out (--npz keeps them)");
  auto done = file->append({view_of(buffer)});
  if (done) done = file->close();
  if (done) done = file->place();
  if (!done) return done.error();
  return report;
}

}  // namespace edgeprobe::trace
