// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <memory>
#include <utility>

namespace edgeprobe::serve {
namespace {

using transport::Connection;
using transport::Transfer;
using transport::Wait;

/// The serial line for one client: it outlives the client.
class Turn final : public Connection {
 public:
  Turn(Connection& line, bool& gone) : line_(line), gone_(gone) {}

  Transfer read(std::byte* to, std::size_t size, std::size_t& got, const Wait& wait) override {
    return noted(line_.read(to, size, got, wait));
  }
  Transfer wait_readable(const Wait& wait) override { return noted(line_.wait_readable(wait)); }
  Transfer write(std::span<const ByteView> parts, const Wait& wait) override {
    return noted(line_.write(parts, wait));
  }
  void shut() override {}
  const std::string& peer() const override { return line_.peer(); }

 private:
  Transfer noted(Transfer transfer) {
    gone_ = gone_ || transfer == Transfer::kClosed;
    return transfer;
  }

  Connection& line_;
  bool& gone_;
};

}  // namespace

Status serve_line(const transport::SerialLine& where, const Options& options, const Log& log,
                  const Control& control) {
  EP_TRY(auto line, transport::open_serial(where));
  if (log.listening) log.listening({{}, 0, where.path});
  Device device(options);
  Uploads uploads(options.limits.uploads);
  bool gone = false;
  while (!control.stopped()) {
    const Served served = serve_client(std::make_unique<Turn>(*line, gone), device, uploads,
                                       control.stop, Carrier::kSerialLine);
    if (served.requests > 0 && log.ended) log.ended(served);
    if (gone)
      return Error{ErrorKind::kTarget, line->peer() + " is gone: it was unplugged or closed"};
  }
  return {};
}

}  // namespace edgeprobe::serve
