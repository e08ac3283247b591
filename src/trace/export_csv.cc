#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "core/text.h"
#include "trace/export.h"
#include "trace/output.h"

namespace edgeprobe::trace {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) return number(static_cast<double>(value));
  }
  std::array<char, 64> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

template <class T>
T element(ByteView bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data + index * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

std::string stored_text(const TensorView& tensor, std::size_t index) {
  const ByteView b = tensor.bytes;
  switch (tensor.spec->dtype) {
    case DType::kFloat32: return text_of(element<float>(b, index));
    case DType::kFloat16: return text_of(half_to_float(element<std::uint16_t>(b, index)));
    case DType::kBFloat16: return text_of(bfloat16_to_float(element<std::uint16_t>(b, index)));
    case DType::kFloat64: return text_of(element<double>(b, index));
    case DType::kInt8: return text_of(static_cast<int>(element<std::int8_t>(b, index)));
    case DType::kUInt8:
    case DType::kBool:
    case DType::kOther: return text_of(static_cast<int>(element<std::uint8_t>(b, index)));
    case DType::kInt16: return text_of(element<std::int16_t>(b, index));
    case DType::kUInt16: return text_of(element<std::uint16_t>(b, index));
    case DType::kInt32: return text_of(element<std::int32_t>(b, index));
    case DType::kUInt32: return text_of(element<std::uint32_t>(b, index));
    case DType::kInt64: return text_of(element<std::int64_t>(b, index));
    case DType::kUInt64: return text_of(element<std::uint64_t>(b, index));
    case DType::kInt4: {
      const int byte = element<std::uint8_t>(b, index / 2);
      const int nibble = index % 2 ? byte >> 4 : byte & 15;
      return text_of(nibble >= 8 ? nibble - 16 : nibble);
    }
  }
  return "";
}

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
  std::size_t left_out = 0;
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
        ++left_out;
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
  if (left_out) report.note(std::to_string(left_out) + " encoded pictures were left out (--npz keeps them)");
  auto done = file->append({view_of(buffer)});
  if (done) done = file->close();
  if (done) done = file->place();
  if (!done) return done.error();
  return report;
}

}  // namespace edgeprobe::trace
