// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/loading.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "core/file.h"

namespace edgeprobe::engine {
namespace {

using protocol::ExtensionKind;

constexpr std::size_t kPartsInFlight = 4;
/// For slow lines: 1 MiB in this time is 70 kbit/s.
constexpr auto kPartLimit = std::chrono::seconds(120);

CallError no_sense() { return {{ErrorKind::kTarget, "the server's answer makes no sense"}, false}; }

/// The number of bytes that the server has, from its answer to OFFER or UPLOAD.
std::variant<std::uint64_t, CallError> bytes_there(ByteView all, ByteView answer) {
  wire::Reader in(answer);
  const std::uint64_t here = in.u64();
  if (!in.ok() || here > all.size) return no_sense();
  return here;
}

}  // namespace

Bytes hash_of(ByteView bytes) {
  const std::string hex = edgeprobe::sha256(bytes);
  Bytes hash;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    hash.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return hash;
}

std::optional<CallError> upload(Link& link, std::uint64_t epoch, ByteView all, ByteView sha256) {
  wire::Writer offer;
  offer.append(sha256);
  offer.number<std::uint64_t>(all.size);
  auto answer = link.call(epoch, ExtensionKind::kOffer, offer.bytes(), {}, kAnswerLimit);
  if (auto* const problem = std::get_if<CallError>(&answer)) return std::move(*problem);
  auto there = bytes_there(all, std::get<Bytes>(answer));
  if (auto* const problem = std::get_if<CallError>(&there)) return std::move(*problem);
  auto at = static_cast<std::size_t>(std::get<std::uint64_t>(there));
  const std::size_t part = link.upload_part();
  std::deque<std::uint32_t> sent;
  while (at < all.size || !sent.empty()) {
    if (at < all.size && sent.size() < kPartsInFlight) {
      wire::Writer fields;
      fields.append(sha256);
      fields.number<std::uint64_t>(at);
      const ByteView bytes = all.sub(at, std::min(part, all.size - at));
      auto request = link.send(epoch, ExtensionKind::kUpload, fields.bytes(), bytes, kPartLimit);
      if (auto* const problem = std::get_if<CallError>(&request)) return std::move(*problem);
      sent.push_back(std::get<std::uint32_t>(request));
      at += bytes.size;
      continue;
    }
    auto taken = link.receive(epoch, sent.front(), kPartLimit);
    sent.pop_front();
    if (auto* const problem = std::get_if<CallError>(&taken)) return std::move(*problem);
    there = bytes_there(all, std::get<Answer>(taken).bytes());
    if (auto* const problem = std::get_if<CallError>(&there)) return std::move(*problem);
  }
  if (std::get<std::uint64_t>(there) != all.size) return no_sense();
  return std::nullopt;
}

std::variant<Loading, CallError> load_on(Link& link, std::uint64_t epoch, const Recall& recall) {
  if (auto problem = upload(link, epoch, recall.model, recall.sha256)) return std::move(*problem);
  wire::Writer fields;
  fields.append(recall.sha256);
  fields.text(recall.label);
  wire::write(fields, recall.options);
  auto answer = link.call(epoch, ExtensionKind::kLoad, fields.bytes(), {},
                          recall.options.load_limit + kAnswerLimit);
  if (auto* const problem = std::get_if<CallError>(&answer)) return std::move(*problem);
  wire::Reader in(std::get<Bytes>(answer));
  Loading loading;
  loading.number = in.u32();
  loading.engine = wire::read_identity(in).sha256;
  loading.loaded = wire::read_loaded(in);
  if (!in.ok()) return no_sense();
  return loading;
}

}  // namespace edgeprobe::engine
