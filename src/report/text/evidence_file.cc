// SPDX-License-Identifier: Apache-2.0
#include "report/text/tables.h"

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "evidence/bundle.h"
#include "evidence/replay.h"

namespace edgeprobe::report {
namespace {

using nlohmann::ordered_json;

std::string engine_text(const engine::EngineIdentity& engine) {
  return sanitized(engine.kind, 60) + " " + sanitized(engine.version, 100) + ", " +
         sanitized(engine.library.filename().string(), 100) + ", sha256 " +
         sanitized(engine.sha256, 64);
}

std::string error_text(double error) {
  return error >= 1e8 ? "off without bound" : "off by " + number(error, 3) + " times its limit";
}

ordered_json engine_json(const engine::EngineIdentity& engine) {
  return {{"kind", sanitized(engine.kind, 60)},
          {"version", sanitized(engine.version, 200)},
          {"library", sanitized(engine.library.filename().string(), 200)},
          {"sha256", sanitized(engine.sha256, 64)}};
}

std::string tensor_text(const Tensor& tensor) {
  return std::string(name(tensor.spec.dtype)) + " " + to_text(tensor.spec.shape) + " '" +
         sanitized(tensor.spec.name, 60) + "'";
}

}  // namespace

std::string evidence_file_text(const evidence::Opened& opened, std::size_t bytes,
                               const engine::EngineIdentity* engine,
                               const evidence::Replayed* replayed) {
  const evidence::Evidence& evidence = opened.evidence;
  const evidence::Environment& seen = evidence.environment;
  std::string text =
      "Evidence against " + seen.device.kind + ": " + evidence.operators + ", " +
      (evidence.refused.empty() ? error_text(evidence.error_over_limit)
                                : "the device gave nothing: " + sanitized(evidence.refused, 200)) +
      " (" + bytes_text(static_cast<double>(bytes)) + ")\n";
  text += "  from      " + sanitized(evidence.source, 100) + ", sha256 " +
          sanitized(evidence.source_sha256, 64) + "\n";
  text += "  device    " + engine_text(seen.device) + "\n";
  for (const evidence::DelegateFile& delegate : seen.delegates)
    text += "  with      " + sanitized(delegate.name, 100) + ", sha256 " +
            sanitized(delegate.sha256, 64) + "\n";
  text += "  host      " + engine_text(seen.host) + "\n";
  text += "  machine   " + seen.architecture + ", " +
          (seen.processor.empty() ? "processor not reported" : seen.processor) + ", kernel " +
          seen.kernel + "; " + seen.program + "\n";
  for (const Tensor& input : evidence.inputs) text += "  input     " + tensor_text(input) + "\n";
  for (const Tensor& output : evidence.expected)
    text += "  expected  " + tensor_text(output) + "\n";
  for (const evidence::Member& member : opened.members)
    text += "  holds     " + member.sha256 + "  " + member.name + ", " +
            bytes_text(static_cast<double>(member.bytes)) + "\n";
  for (const std::string& left : evidence.left_out) text += "  left out  " + left + "\n";
  if (engine && replayed)
    text += std::string("  replay    ") +
            (replayed->there ? "the fault is reproduced" : "the fault is not reproduced") + " on " +
            engine_text(*engine) + ": " +
            (replayed->refused.empty() ? error_text(replayed->error_over_limit)
                                       : sanitized(replayed->refused, 200)) +
            "\n";
  return text;
}

std::string evidence_file_json(const evidence::Opened& opened, std::size_t bytes,
                               const engine::EngineIdentity* engine,
                               const evidence::Replayed* replayed) {
  const evidence::Evidence& evidence = opened.evidence;
  const evidence::Environment& seen = evidence.environment;
  ordered_json json;
  json["operators"] = evidence.operators;
  json["bytes"] = bytes;
  json["error_over_limit"] = evidence.error_over_limit;
  json["refused"] = evidence.refused;
  json["source"] = {{"name", evidence.source}, {"sha256", evidence.source_sha256}};
  json["device"] = engine_json(seen.device);
  json["delegates"] = ordered_json::array();
  for (const evidence::DelegateFile& delegate : seen.delegates)
    json["delegates"].push_back(
        {{"library", sanitized(delegate.name, 200)}, {"sha256", sanitized(delegate.sha256, 64)}});
  json["host"] = engine_json(seen.host);
  json["machine"] = {
      {"processor", seen.processor}, {"architecture", seen.architecture}, {"kernel", seen.kernel}};
  json["program"] = seen.program;
  json["contents"] = ordered_json::array();
  for (const evidence::Member& member : opened.members)
    json["contents"].push_back(
        {{"file", member.name}, {"bytes", member.bytes}, {"sha256", member.sha256}});
  json["left_out"] = evidence.left_out;
  if (engine && replayed) {
    json["replay"] = {{"engine", engine_json(*engine)},
                      {"there", replayed->there},
                      {"error_over_limit", replayed->error_over_limit},
                      {"refused", sanitized(replayed->refused, 400)}};
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::report
