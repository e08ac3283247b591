// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu_affinity.h"

#include <sched.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "core/cpu_list.h"

namespace edgeprobe::engine {
namespace {

/// Such as "0-3,6".
std::string to_text(const cpu_set_t& set) {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpu_list_text(cpus);
}

cpu_set_t set_of(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus)
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  return set;
}

/// The CPUs that the calling thread may use.
Result<cpu_set_t> own_cpus() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) == 0) return mine;
  return Error{ErrorKind::kTarget,
               std::string("the CPUs of this process cannot be read: ") + std::strerror(errno)};
}

Status check_among(const std::vector<int>& cpus, const cpu_set_t& mine) {
  for (const int cpu : cpus)
    if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &mine))
      return Error{ErrorKind::kUsage, "CPU " + std::to_string(cpu) +
                                          " was asked for, but this process may use only " +
                                          to_text(mine)};
  return {};
}

/// Pins a thread (0: the calling one) to these CPUs. Reads the mask back, because the kernel
/// ignores CPUs that are offline or forbidden by a cgroup.
Status move_to(pid_t thread, const cpu_set_t& wanted) {
  cpu_set_t seen;
  CPU_ZERO(&seen);
  const bool moved = ::sched_setaffinity(thread, sizeof wanted, &wanted) == 0 &&
                     ::sched_getaffinity(thread, sizeof seen, &seen) == 0;
  if (moved && CPU_EQUAL(&wanted, &seen)) return {};
  return Error{ErrorKind::kTarget,
               (thread == 0 ? "this process" : "thread " + std::to_string(thread)) +
                   " cannot be kept on CPU " + to_text(wanted) + ": " +
                   (moved ? "the kernel keeps it on " + to_text(seen) : std::strerror(errno))};
}

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
    // The calling thread also computes, and some runtimes start their threads on the first
    // inference.
    CpuPin pin;
    EP_CHECK(pin.to(cpus_));
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
    CpuPin pin;
    EP_CHECK(pin.to(options.cpus));
    auto session = engine_->load(model, label, options);
    if (!session) return session;
    return std::unique_ptr<Session>(
        std::make_unique<AffineSession>(*std::move(session), options.cpus));
  }

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace

Status check_cpus(const std::vector<int>& cpus) {
  const auto mine = own_cpus();
  return mine ? check_among(cpus, *mine) : mine.error();
}

struct CpuPin::Mask {
  cpu_set_t cpus;
};

CpuPin::CpuPin() = default;

CpuPin::~CpuPin() {
  if (before_) ::sched_setaffinity(0, sizeof before_->cpus, &before_->cpus);
}

Status CpuPin::to(const std::vector<int>& cpus) {
  EP_TRY(const auto now, own_cpus());
  EP_CHECK(check_among(cpus, now));
  const cpu_set_t wanted = set_of(cpus);
  if (CPU_EQUAL(&wanted, &now)) return {};
  auto moved = move_to(0, wanted);
  if (moved) before_ = std::make_unique<Mask>(Mask{now});
  return moved;
}

Status pin_thread(int thread, const std::vector<int>& cpus) {
  constexpr int kAttempts = 200;
  Status kept = move_to(thread, set_of(cpus));
  for (int i = 1; !kept && i < kAttempts; ++i) {
    std::error_code failure;
    if (!std::filesystem::exists("/proc/self/task/" + std::to_string(thread), failure)) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kept = move_to(thread, set_of(cpus));
  }
  return kept;
}

std::unique_ptr<Engine> with_cpu_affinity(std::unique_ptr<Engine> engine) {
  return std::make_unique<AffineEngine>(std::move(engine));
}

}  // namespace edgeprobe::engine
