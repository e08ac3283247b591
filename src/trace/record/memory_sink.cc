// SPDX-License-Identifier: Apache-2.0
#include "trace/record/memory_sink.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "core/text.h"

namespace edgeprobe::trace {

MemorySink::MemorySink(Bytes& out) : out_(out) { out_.clear(); }

Status MemorySink::append(const std::vector<ByteView>& parts, const Shorten&) {
  if (!status_) return status_;
  std::size_t total = out_.size();
  for (const ByteView part : parts) total += part.size;
  const char* failure = nullptr;
  try {
    if (total > out_.capacity()) out_.reserve(std::max(total, 2 * out_.capacity()));
  } catch (const std::bad_alloc&) {
    failure = "no memory";
  } catch (const std::length_error&) {
    failure = "no address space";
  }
  if (failure)
    return status_ = Error{ErrorKind::kLimit, std::string(failure) + " for a trace of " +
                                                  bytes_text(static_cast<double>(total)) +
                                                  " in memory; write it to a file"};
  for (const ByteView part : parts) out_.insert(out_.end(), part.begin(), part.end());
  return {};
}

Status MemorySink::end(End how) {
  if (how != End::kDiscarded) return status_;
  out_.clear();
  return {};
}

}  // namespace edgeprobe::trace
