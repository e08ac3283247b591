// SPDX-License-Identifier: Apache-2.0
#include "trace/receive/received.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "trace/names.h"

namespace edgeprobe::trace {
namespace {

std::string json_of(const ReceivedEvent& event) {
  nlohmann::json json;
  json["frame"] = event.frame;
  if (event.values.empty()) {
    json["text"] = as_utf8(event.text);
    return json.dump();
  }
  json["unit"] = as_utf8(event.unit);
  json["values"] = nlohmann::json::array();
  for (const float value : event.values) {
    if (!std::isfinite(value)) {
      json["values"] = nullptr;
      json["reason"] = "the device sent a value that is not finite";
      break;
    }
    json["values"].push_back(value);
  }
  return json.dump();
}

}  // namespace

Status ReceivedWriter::write(const Received& received, const std::vector<Channel>& channels) {
  for (const ReceivedFrame& frame : received.frames) {
    for (const ReceivedTensor& tensor : frame.tensors) {
      auto known = ids_.find(tensor.channel);
      if (known == ids_.end()) {
        EP_TRY(const auto id, writer_.add_channel(channels[tensor.channel]));
        known = ids_.emplace(tensor.channel, id).first;
      }
      EP_CHECK(writer_.write(known->second, frame.record.frame, frame.record.time_ns,
                             ByteView(tensor.bytes)));
    }
    EP_CHECK(writer_.frame(frame.record));
  }
  for (const ReceivedEvent& event : received.events) {
    const std::string topic = (event.values.empty() ? "/mark/" : "/sensor/") + escape(event.name);
    EP_CHECK(writer_.stream(topic, event.time_ns, json_of(event)));
  }
  if (!received.facts.empty()) return writer_.metadata("edgeprobe.run", received.facts);
  return {};
}

}  // namespace edgeprobe::trace
