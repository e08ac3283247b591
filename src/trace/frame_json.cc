#include "trace/frame_json.h"

#include "trace/json_text.h"
#include "trace/names.h"

namespace edgeprobe::trace {

std::string frame_schema() {
  return R"({"$schema":"https://json-schema.org/draft/2020-12/schema","title":"edgeprobe.Frame","type":"object",)"
         R"("properties":{"sample":{"type":"string"},"sha256":{"type":"string","pattern":"^[0-9a-f]{64}$"},)"
         R"("label":{"type":"integer"},"latency_ns":{"type":"integer"},"dropped":{"type":"integer"}}})";
}

// Keys in byte order, as a JSON library would write them.
void append_frame_json(std::string& out, const FrameRecord& record, std::uint64_t dropped) {
  const std::size_t start = out.size();
  const auto key = [&](std::string_view name) {
    out += out.size() == start ? "{\"" : ",\"";
    out += name;
    out += "\":";
  };
  if (dropped) {
    key("dropped");
    append_json_number(out, dropped);
  }
  if (record.label) {
    key("label");
    append_json_number(out, std::int64_t{*record.label});
  }
  if (record.latency_ns) {
    key("latency_ns");
    append_json_number(out, *record.latency_ns);
  }
  if (!record.sample.empty()) {
    key("sample");
    append_json_text(out, escape(record.sample));
  }
  if (!record.sha256.empty()) {
    key("sha256");
    append_json_text(out, as_utf8(record.sha256));
  }
  out += out.size() == start ? "{}" : "}";
}

std::string frame_json(const FrameRecord& record, std::uint64_t dropped) {
  std::string out;
  append_frame_json(out, record, dropped);
  return out;
}

}  // namespace edgeprobe::trace
