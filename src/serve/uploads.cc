// SPDX-License-Identifier: Apache-2.0
#include "serve/uploads.h"

#include <algorithm>

#include "core/huge_pages.h"
#include "core/text.h"

namespace edgeprobe::serve {
namespace {

constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kMostModels = 256;

std::string hex(ByteView bytes) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    text += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

Error unknown() {
  return {ErrorKind::kUsage, "a model of this hash was not offered, or had to make room since"};
}

}  // namespace

std::uint64_t Uploads::held() const {
  std::uint64_t bytes = 0;
  for (const auto& [hash, upload] : uploads_) bytes += upload.size;
  return bytes;
}

void Uploads::make_room(std::uint64_t bytes, const std::string& but) {
  while (held() + bytes > most_ || uploads_.size() >= kMostModels) {
    auto oldest = uploads_.end();
    for (auto one = uploads_.begin(); one != uploads_.end(); ++one)
      if (one->first != but && (oldest == uploads_.end() || one->second.used < oldest->second.used))
        oldest = one;
    if (oldest == uploads_.end()) return;
    uploads_.erase(oldest);
  }
}

Result<std::uint64_t> Uploads::offer(ByteView sha256, std::uint64_t size) {
  if (sha256.size != kHashBytes || size == 0)
    return Error{ErrorKind::kUsage, "an offer has a hash of 32 bytes and a size above 0"};
  const std::string hash = hex(sha256);
  const auto found = uploads_.find(hash);
  // An unverified size may have been wrong.
  if (found != uploads_.end() && found->second.size != size && found->second.checked)
    return Error{ErrorKind::kUsage, "the model of this hash has " +
                                        std::to_string(found->second.size) + " bytes, not " +
                                        std::to_string(size)};
  if (found != uploads_.end() && found->second.size == size) {
    found->second.used = ++uses_;
    return found->second.bytes.size();
  }
  if (found != uploads_.end()) uploads_.erase(found);
  if (size > most_)
    return Error{ErrorKind::kLimit, "a model of " + bytes_text(static_cast<double>(size)) +
                                        " is larger than this server takes (" +
                                        bytes_text(static_cast<double>(most_)) + ")"};
  make_room(size, hash);
  uploads_[hash] = {size, {}, {}, false, ++uses_};
  return std::uint64_t{0};
}

Result<std::uint64_t> Uploads::add(ByteView sha256, std::uint64_t offset, ByteView bytes) {
  const auto found = uploads_.find(hex(sha256));
  if (found == uploads_.end()) return unknown();
  Upload& upload = found->second;
  const std::uint64_t here = upload.bytes.size();
  if (offset > here || offset + bytes.size > upload.size || offset + bytes.size < offset)
    return Error{ErrorKind::kUsage, "bytes from " + std::to_string(offset) +
                                        " do not go on where the model ends so far, at " +
                                        std::to_string(here) + " of " +
                                        std::to_string(upload.size)};
  const std::size_t known =
      static_cast<std::size_t>(std::min<std::uint64_t>(here - offset, bytes.size));
  const ByteView fresh = bytes.sub(known, bytes.size - known);
  // Untouched memory costs nothing: a size is only a claim.
  if (upload.bytes.capacity() < upload.size) {
    upload.bytes.reserve(static_cast<std::size_t>(upload.size));
    ask_for_huge_pages(upload.bytes);
  }
  upload.bytes.insert(upload.bytes.end(), fresh.begin(), fresh.end());
  upload.hash.add(fresh);
  upload.used = ++uses_;
  return upload.bytes.size();
}

Result<ByteView> Uploads::model(ByteView sha256) {
  const std::string hash = hex(sha256);
  const auto found = uploads_.find(hash);
  if (found == uploads_.end()) return unknown();
  Upload& upload = found->second;
  if (upload.bytes.size() != upload.size)
    return Error{ErrorKind::kUsage,
                 "the model is not whole: " + std::to_string(upload.bytes.size()) + " of " +
                     std::to_string(upload.size) + " bytes have come"};
  if (!upload.checked && upload.hash.hex() != hash) {
    uploads_.erase(found);
    return Error{ErrorKind::kCorrupt, "the bytes that came have another SHA-256 than was said"};
  }
  upload.checked = true;
  upload.used = ++uses_;
  return ByteView(upload.bytes);
}

Result<Bytes> Uploads::take(ByteView sha256) {
  EP_CHECK(model(sha256));
  return std::move(uploads_.extract(hex(sha256)).mapped().bytes);
}

}  // namespace edgeprobe::serve
