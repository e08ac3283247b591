// SPDX-License-Identifier: Apache-2.0
#include "engine/worker_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

#include "engine/channel.h"
#include "engine/engine.h"
#include "engine/native/data.h"
#include "engine/native/library.h"
#include "meter/process.h"
#include "process/shared_memory.h"

namespace edgeprobe::engine {
namespace {

const process::Wait kForever;

/// Exits this process when the parent is gone, even if an engine loops forever. PR_SET_PDEATHSIG
/// would fire when the parent's *thread* exits, and sessions may outlive the thread that opened
/// them.
void end_with_parent() {
  std::thread([] {
    pollfd polled{kWorkerSocket, POLLRDHUP, 0};
    while (::poll(&polled, 1, -1) < 0) {
    }
    ::_exit(0);
  }).detach();
}

/// The state of one engine process: at most one engine and one session.
class Worker {
 public:
  explicit Worker(Channel& channel) : channel_(channel) {}

  int run() {
    while (true) {
      Message request;
      if (channel_.receive(request, kForever) != Broken::kNo) return 0;
      if (request.step == wire::Step::kClose) {
        session_.reset();
        engine_.reset();
        data_.reset();
        return 0;
      }
      wire::Reader in(request.body);
      wire::Writer out;
      out.number<std::uint8_t>(1);
      const Status done = serve(request, in, out);
      if (!done) {
        out = {};
        out.number<std::uint8_t>(0);
        out.number<std::uint8_t>(static_cast<std::uint8_t>(done.error().kind));
        out.text(done.error().what);
      }
      if (channel_.send(wire::Step::kReply, out.bytes(), -1, kForever) != Broken::kNo) return 0;
    }
  }

 private:
  Status serve(Message& request, wire::Reader& in, wire::Writer& out) {
    switch (request.step) {
      case wire::Step::kOpen: return open(in, out);
      case wire::Step::kLoad: return load(in, std::move(request.descriptor), out);
      case wire::Step::kArena: return attach(in, std::move(request.descriptor));
      case wire::Step::kInfer: return infer(out);
      case wire::Step::kRepeat: return repeat(in, out);
      case wire::Step::kMemory: return memory(out);
      case wire::Step::kDescribe: return describe(in, out);
      case wire::Step::kOpenData:
      case wire::Step::kSamples:
      case wire::Step::kSample:
      case wire::Step::kSampleAgain: return serve_data(request.step, in, out);
      default: return Error{ErrorKind::kTarget, "the engine process was asked for an unknown step"};
    }
  }

  Status open(wire::Reader& in, wire::Writer& out) {
    const EngineChoice choice = wire::read_choice(in);
    if (!in.ok())
      return Error{ErrorKind::kTarget,
                   "the engine process was asked for an engine that it cannot read"};
    EP_TRY(engine_, open_in_process(choice));
    wire::write(out, engine_->identity());
    return {};
  }

  static Status describe(wire::Reader& in, wire::Writer& out) {
    EP_TRY(const auto text, native::described(in.text()));
    out.text(text);
    return {};
  }

  Status serve_data(wire::Step step, wire::Reader& in, wire::Writer& out) {
    if (step == wire::Step::kOpenData) {
      EP_TRY(data_, native::DataServer::open(in.text()));
      return {};
    }
    if (!data_)
      return Error{ErrorKind::kTarget, "the engine process was asked for data before it had any"};
    if (step == wire::Step::kSamples) return data_->samples(out);
    if (step == wire::Step::kSample) return data_->sample(in, out);
    data_->again(out);
    return {};
  }

  Status load(wire::Reader& in, Descriptor file, wire::Writer& out) {
    const auto label = in.text();
    const auto size = in.number<std::uint64_t>();
    const SessionOptions options = wire::read_options(in);
    EP_TRY(auto model, process::SharedMemory::attach(std::move(file), size, false));
    if (!engine_ || !in.ok())
      return Error{ErrorKind::kTarget,
                   "the engine process was asked to load before it opened an engine"};
    session_.reset();  // One at a time.
    arena_ = {};
    slots_ = {};
    const meter::Root root;
    before_load_ = meter::peak_memory(root, "self");
    EP_TRY(session_, engine_->load(model.view(), label, options));
    after_load_ = meter::peak_memory(root, "self");
    slots_ = wire::arena_for(session_->inputs(), session_->outputs());
    wire::write(out, *session_);
    return {};
  }

  Status attach(wire::Reader& in, Descriptor file) {
    EP_TRY(auto arena,
           process::SharedMemory::attach(std::move(file), in.number<std::uint64_t>(), true));
    if (data_) {
      data_->attach(std::move(arena));
      return {};
    }
    if (arena.size() != slots_.size)
      return Error{ErrorKind::kTarget, "the shared memory does not fit the model"};
    arena_ = std::move(arena);
    return {};
  }

  /// The inputs in the shared memory.
  Result<std::vector<TensorView>> inputs() const {
    if (!session_ || arena_.size() != slots_.size)
      return Error{ErrorKind::kTarget,
                   "the engine process was asked to run before it loaded a model"};
    std::vector<TensorView> inputs;
    for (std::size_t i = 0; i < slots_.inputs.size(); ++i)
      inputs.emplace_back(session_->inputs()[i],
                          arena_.view().sub(slots_.inputs[i].offset, slots_.inputs[i].length));
    return inputs;
  }

  Status repeat(wire::Reader& in, wire::Writer& out) {
    const RepeatOptions options = wire::read_repeat(in);
    EP_TRY(auto views, inputs());
    if (!in.ok())
      return Error{ErrorKind::kTarget, "the engine process received an invalid request to repeat"};
    EP_TRY(const auto iterations, session_->repeat(views, options));
    wire::write(out, iterations);
    return {};
  }

  Status memory(wire::Writer& out) {
    if (!session_)
      return Error{ErrorKind::kTarget,
                   "the engine process was asked for its memory before it loaded a model"};
    MemoryUse use = session_->memory();
    if (before_load_.value) use.peak_before_load = static_cast<std::uint64_t>(*before_load_.value);
    if (after_load_.value) use.peak_after_load = static_cast<std::uint64_t>(*after_load_.value);
    wire::write(out, use);
    return {};
  }

  Status infer(wire::Writer& out) {
    EP_TRY(const auto views, inputs());
    EP_TRY(auto inference, session_->infer(views));
    wire::write_times(out, inference);
    for (std::size_t i = 0; i < inference.outputs.size(); ++i) {
      const Tensor& output = inference.outputs[i];
      const bool shared =
          i < slots_.outputs.size() && slots_.outputs[i].length == output.bytes.size();
      wire::write(out, output.spec);
      out.number<std::uint8_t>(shared);
      if (!shared) out.blob(output.bytes);
      else if (!output.bytes.empty())
        std::memcpy(arena_.data() + slots_.outputs[i].offset, output.bytes.data(),
                    output.bytes.size());
    }
    return {};
  }

  Channel& channel_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<native::DataServer> data_;
  wire::Arena slots_;
  process::SharedMemory arena_;
  meter::Reading before_load_, after_load_;
};

/// If memory runs out, the kernel ends this process and not the one that holds the results, which
/// can say at which frame it happened.
void go_first_without_memory() { std::ofstream("/proc/self/oom_score_adj") << 1000; }

}  // namespace

std::optional<int> run_worker_if_asked(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], kWorkerArgument) != 0) return std::nullopt;
  int kind = 0;
  socklen_t size = sizeof kind;
  if (!std::getenv(kWorkerVariable) ||
      ::getsockopt(kWorkerSocket, SOL_SOCKET, SO_TYPE, &kind, &size) != 0)
    return 2;  // The user typed this argument, which is only for edgeprobe itself.
  // A keyboard interrupt, or a service's stop signal, reaches both processes; the parent finishes
  // and closes in an orderly way.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  end_with_parent();
  go_first_without_memory();
  Channel channel{Descriptor(kWorkerSocket)};
  if (channel.send(wire::Step::kHello, {}, -1, kForever) != Broken::kNo) return 0;
  const int code = Worker(channel).run();
  // Skips static destructors, in which some libraries crash.
  ::_exit(code);
}

}  // namespace edgeprobe::engine
