// SPDX-License-Identifier: Apache-2.0
#include "readback.h"

#include "trace/read/answer_text.h"
#include "trace/read/events.h"
#include "trace/read/reader.h"

namespace readback {

using namespace edgeprobe;

const Tensor* Trace::find(const std::string& path) const {
  for (const Tensor& tensor : tensors) {
    if (tensor.stage + "/" + tensor.name == path) return &tensor;
  }
  return nullptr;
}

std::string Trace::bytes(const std::string& path, std::uint32_t frame) const {
  const Tensor* const tensor = find(path);
  if (tensor == nullptr || tensor->frames.count(frame) == 0) return "absent";
  return tensor->frames.at(frame);
}

Trace read(const std::string& path) {
  Trace out;
  auto reader = trace::Reader::open(path);
  if (!reader) {
    out.problem = reader.error().what;
    return out;
  }
  for (const auto& from : reader->channels()) {
    const trace::Channel& channel = from.channel;
    Tensor tensor{trace::name(channel.stage),
                  channel.spec.name,
                  edgeprobe::name(channel.spec.dtype),
                  channel.encoding,
                  channel.layer_type,
                  channel.spec.shape,
                  channel.spec.quantization.scale,
                  channel.spec.quantization.zero_point,
                  channel.spec.quantization.axis,
                  channel.position,
                  {}};
    for (const std::uint32_t frame : reader->frames()) {
      const auto found = reader->read(frame, from.id);
      if (!found) out.problem = found.error().what;
      if (!found || !*found) continue;
      const ByteView bytes = (*found)->bytes;
      tensor.frames[frame] =
          channel.is_answer() ? trace::answer_json(bytes) : std::string(bytes.text());
    }
    out.tensors.push_back(std::move(tensor));
  }
  out.frames = reader->frames();
  for (const auto& record : reader->records()) {
    out.samples.push_back(record.sample);
    out.labels.push_back(record.label);
    out.latencies_ns.push_back(record.latency_ns);
    if (record.begins_sequence) out.sequence_begins.push_back(record.frame);
  }
  if (reader->metadata().count("edgeprobe.run") > 0)
    out.run = reader->metadata().at("edgeprobe.run");
  std::vector<std::string> problems;
  const auto visited = trace::visit_events(
      path, problems, [&](const trace::EventStream& stream, const trace::Event& event) {
        std::string line = std::string(trace::name(stream.kind)) + " " + stream.name;
        if (event.values) {
          for (const double value : *event.values) line += " " + std::to_string(value);
        }
        for (const std::string& text :
             std::vector<std::string>{event.unit, event.text, event.reason, event.from, event.to}) {
          if (!text.empty()) line += " " + text;
        }
        out.events.push_back(line);
        return Status();
      });
  if (!visited) out.problem = visited.error().what;
  if (!reader->is_finished()) out.problem = "the file has no footer";
  for (const std::string& problem : reader->problems()) out.problem = problem;
  for (const std::string& problem : problems) out.problem = problem;
  return out;
}

}  // namespace readback
