// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu_affinity.h"

#include <sched.h>

#include <cerrno>
#include <cstring>

namespace edgeprobe::engine {
namespace {

/// "0-3,6"
std::string to_text(const cpu_set_t& set) {
  std::string text;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first) +
            (last > first ? "-" + std::to_string(last) : "");
    first = last;
  }
  return text;
}

/// Keeps the calling thread on some CPUs and gives it its former ones back when it goes.
class Pin {
 public:
  Pin() { CPU_ZERO(&before_); }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin() {
    if (moved_) ::sched_setaffinity(0, sizeof before_, &before_);
  }

  Status to(const std::vector<int>& cpus) {
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0)
      return Error{ErrorKind::kTarget,
                   std::string("the CPUs of this process cannot be read: ") + std::strerror(errno)};
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (const int cpu : cpus) {
      if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &before_))
        return Error{ErrorKind::kUsage, "CPU " + std::to_string(cpu) +
                                            " was asked for, but this process may use " +
                                            to_text(before_) + " alone"};
      CPU_SET(cpu, &wanted);
    }
    if (CPU_EQUAL(&wanted, &before_)) return {};
    moved_ = ::sched_setaffinity(0, sizeof wanted, &wanted) == 0;
    if (!moved_)
      return Error{ErrorKind::kTarget, "this process cannot be kept on CPU " + to_text(wanted) +
                                           ": " + std::strerror(errno)};
    return {};
  }

 private:
  cpu_set_t before_;
  bool moved_ = false;
};

class AffineSession final : public Session {
 public:
  AffineSession(std::unique_ptr<Session> session, std::vector<int> cpus)
      : session_(std::move(session)), cpus_(std::move(cpus)) {}

  const std::vector<TensorSpec>& inputs() const override { return session_->inputs(); }
  const std::vector<TensorSpec>& outputs() const override { return session_->outputs(); }
  const std::vector<Delegation>& delegations() const override { return session_->delegations(); }
  const std::vector<std::string>& warnings() const override { return session_->warnings(); }
  std::optional<std::uint64_t> arena() const override { return session_->arena(); }
  Result<Inference> infer(const std::vector<TensorView>& inputs) override {
    // The calling thread computes too, and some runtimes start their threads with the first
    // inference.
    Pin pin;
    if (auto moved = pin.to(cpus_); !moved) return std::move(moved).error();
    return session_->infer(inputs);
  }

 private:
  std::unique_ptr<Session> session_;
  std::vector<int> cpus_;
};

class AffineEngine final : public Engine {
 public:
  explicit AffineEngine(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  const EngineIdentity& identity() const override { return engine_->identity(); }
  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                        const SessionOptions& options) override {
    if (options.cpus.empty()) return engine_->load(model, label, options);
    Pin pin;
    if (auto moved = pin.to(options.cpus); !moved) return std::move(moved).error();
    auto session = engine_->load(model, label, options);
    if (!session) return session;
    return std::unique_ptr<Session>(
        std::make_unique<AffineSession>(*std::move(session), options.cpus));
  }

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace

std::unique_ptr<Engine> with_cpu_affinity(std::unique_ptr<Engine> engine) {
  return std::make_unique<AffineEngine>(std::move(engine));
}

}  // namespace edgeprobe::engine
