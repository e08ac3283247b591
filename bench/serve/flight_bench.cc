// SPDX-License-Identifier: Apache-2.0
// The rate of our own client on loopback, with an engine that computes nothing: samples with one
// and with many in flight, and as many in one request, next to a plain socket that carries the same
// bytes with as many in flight; and models of 64 MB, with their hash and (like Kenning's clients)
// without. Rounds of all alternate; ratios are of medians. Processor time is that of both sides.
//   flight_bench [ROUNDS]
//   flight_bench ROUNDS TARGET      samples of 12 KB on a server elsewhere:
//   bench/serve/link_bench.py
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <thread>
#include <vector>

#include "core/file.h"
#include "engine/pipelined.h"
#include "engine/remote/link.h"
#include "engine/remote/loading.h"
#include "protocol/parts.h"
#include "protocol/reply.h"
#include "serve/client.h"
#include "transport/listener.h"

#include "null_engine.h"

using namespace edgeprobe;
using namespace edgeprobe::bench;

namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Seconds of each round.
struct Times {
  std::vector<double> clock, processor;

  template <class Round>
  void add(const Round& round) {
    const double before = processor_seconds();
    const auto begun = Clock::now();
    round();
    clock.push_back(seconds(Clock::now() - begun));
    processor.push_back(processor_seconds() - before);
  }
};

/// Additional bytes of a message, about as many as in an INFER.
constexpr std::size_t kAround = 64;

/// Answers each message of that size with one of the same size.
void answer_each(int fd, std::size_t size) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  Bytes bytes(size);
  while (receive_all(fd, bytes.data(), size)) send_all(fd, bytes.data(), size);
}

/// `count` samples through a plain socket, `most` of them in flight.
void plain_samples(int fd, std::size_t size, std::size_t count, std::size_t most) {
  Bytes bytes(size);
  for (std::size_t sent = 0, came = 0; came < count;) {
    if (sent < count && sent - came < most) {
      send_all(fd, bytes.data(), size);
      ++sent;
      continue;
    }
    require(receive_all(fd, bytes.data(), size), "the socket closed");
    ++came;
  }
}

void our_samples(engine::PipelinedSession& session, const std::vector<TensorView>& inputs,
                 std::size_t count, std::size_t most) {
  for (std::size_t sent = 0, came = 0; came < count;) {
    if (sent < count && sent - came < most) {
      require(bool(session.submit(inputs)), "submit failed");
      ++sent;
      continue;
    }
    require(bool(session.collect()), "collect failed");
    ++came;
  }
}

/// The same samples, `most` of them in each request.
void samples_together(engine::Link& link, std::uint32_t session, ByteView inputs, std::size_t count,
                      std::size_t most) {
  engine::wire::Writer fields;
  fields.number(session);
  fields.number(static_cast<std::uint32_t>(most));
  for (std::size_t came = 0; came < count; came += most) {
    const auto answer = link.call(link.epoch(), protocol::ExtensionKind::kInfer, fields.bytes(),
                                  inputs, std::chrono::seconds(30));
    require(std::holds_alternative<Bytes>(answer), "INFER failed");
  }
}

/// 64 MB that the server takes for a compiled model, which only its engine reads.
Bytes large_model() {
  Bytes model(std::size_t{64} << 20);
  unsigned value = 1;
  for (std::byte& byte : model) byte = static_cast<std::byte>((value = value * 1664525 + 1) >> 24);
  const std::string_view elf =
      "\x7f"
      "ELF";
  for (std::size_t i = 0; i < elf.size(); ++i) model[i] = static_cast<std::byte>(elf[i]);
  return model;
}

serve::Options options_of_server() {
  serve::Options options;
  options.allow_native_models = true;
  return options;
}

/// A server for one client after the other, in threads of this process.
class Server {
 public:
  Server() : listener_(*transport::Listener::open({"127.0.0.1", 0, {}})) {
    thread_ = std::thread([this] {
      while (auto connection = listener_.accept({process::kForever, &stop_})) {
        serve::Uploads uploads(options_.limits.uploads);
        serve::serve_client(std::move(connection), device_, uploads, &stop_);
      }
    });
  }
  ~Server() {
    stop_ = true;
    thread_.join();
  }
  std::uint16_t port() const { return listener_.address().port; }

 private:
  std::atomic<bool> stop_{false};
  serve::Options options_ = options_of_server();
  serve::Device device_{options_, open_null};
  transport::Listener listener_;
  std::thread thread_;
};

/// The model of 12 KB a sample at an address, with one and with many in flight.
void measure_target(const char* address, std::size_t rounds) {
  constexpr std::size_t kCount = 64;
  engine::EngineChoice choice;
  choice.address = address;
  auto engine = engine::open_supervised(choice);
  if (!engine) std::fprintf(stderr, "%s\n", engine.error().what.c_str());
  require(bool(engine), "no connection");
  const auto model = read_file(EDGEPROBE_SOURCE_DIR "/models/signs_int8.tflite");
  auto session = (*engine)->load(*model, "model", {});
  require(bool(session), "the model was not loaded");
  auto& ours = dynamic_cast<engine::PipelinedSession&>(**session);
  const TensorSpec& spec = (*session)->inputs()[0];
  const Tensor input{spec, Bytes(spec.byte_size().value())};
  Times ones, manys;
  for (std::size_t i = 0; i < rounds; ++i) {
    ones.add([&] { our_samples(ours, {input}, kCount, 1); });
    manys.add([&] { our_samples(ours, {input}, kCount, ours.most_in_flight()); });
  }
  const auto &one = ones.clock, &many = manys.clock;
  std::printf("%zu bytes a sample: one in flight %.2f ms, %zu in flight %.2f ms, ratio %.2f\n",
              input.bytes.size(), quantile(one, .5) / kCount * 1e3, ours.most_in_flight(),
              quantile(many, .5) / kCount * 1e3, quantile(one, .5) / quantile(many, .5));
}

engine::EngineChoice choice_of(std::uint16_t port) {
  engine::EngineChoice choice;
  choice.address = "tcp://127.0.0.1:" + std::to_string(port);
  return choice;
}

engine::Recall recall_of(const Bytes& model) {
  engine::Recall recall;
  recall.model = model;
  recall.sha256 = engine::hash_of(model);
  recall.label = "model";
  return recall;
}

void measure_samples(std::size_t bytes, std::size_t rounds) {
  constexpr std::size_t kCount = 200;
  input_bytes = output_bytes = bytes;
  Server server;
  auto engine = engine::open_supervised(choice_of(server.port()));
  require(bool(engine), "no connection");
  const auto model = read_file(EDGEPROBE_SOURCE_DIR "/models/signs_float.tflite");
  auto session = (*engine)->load(*model, "model", {});
  require(bool(session), "the model was not loaded");
  auto* const ours = dynamic_cast<engine::PipelinedSession*>(session->get());
  require(ours != nullptr, "the session takes one sample at a time");
  const Tensor input{(*session)->inputs()[0], Bytes(bytes)};
  const std::vector<TensorView> inputs{input};

  auto listener = transport::Listener::open({"127.0.0.1", 0, {}});
  std::thread plain(
      [&] { answer_each(::accept(listener->descriptor(), nullptr, nullptr), bytes + kAround); });
  const int fd = connect_to(listener->address().port);
  const std::size_t most = ours->most_in_flight();
  auto link = engine::Link::open(*engine::target_from_text(choice_of(server.port()).address),
                                 choice_of(server.port()), "tflite");
  require(bool(link), "no connection");
  auto loaded = engine::load_on(**link, (*link)->epoch(), recall_of(*model));
  require(std::holds_alternative<engine::Loading>(loaded), "the model was not loaded");
  const std::uint32_t number = std::get<engine::Loading>(loaded).number;
  const Bytes joined(most * bytes);
  Times one, many, together, plain_one, plain_many;
  for (std::size_t i = 0; i < rounds; ++i) {
    one.add([&] { our_samples(*ours, inputs, kCount, 1); });
    plain_one.add([&] { plain_samples(fd, bytes + kAround, kCount, 1); });
    many.add([&] { our_samples(*ours, inputs, kCount, most); });
    plain_many.add([&] { plain_samples(fd, bytes + kAround, kCount, most); });
    together.add([&] { samples_together(**link, number, joined, kCount, most); });
  }
  ::shutdown(fd, SHUT_RDWR);
  plain.join();
  const double base = quantile(plain_many.clock, .5), work = quantile(plain_many.processor, .5);
  std::printf("%6zu KB a sample\n", bytes / 1000);
  const auto print = [&](const char* what, const Times& times) {
    const double clock = quantile(times.clock, .5), processor = quantile(times.processor, .5);
    std::printf(
        "  %-22s %7.1f us (10 %% to 90 %%: %7.1f to %7.1f), rate %.2f; processor %7.1f us, %.2f\n",
        what, clock / kCount * 1e6, quantile(times.clock, .1) / kCount * 1e6,
        quantile(times.clock, .9) / kCount * 1e6, base / clock, processor / kCount * 1e6,
        work / processor);
  };
  const std::string n = std::to_string(most);
  print(("socket, " + n + " in flight").c_str(), plain_many);
  print((n + " in flight").c_str(), many);
  print((n + " in one request").c_str(), together);
  print("socket, 1 in flight", plain_one);
  print("1 in flight", one);
}

void measure_models(std::size_t rounds) {
  input_bytes = output_bytes = 1000;
  const Bytes model = large_model();
  const double mega = static_cast<double>(model.size()) / 1e6;
  const std::string hex = sha256(model);
  const engine::Recall recall = recall_of(model);
  const Bytes kenning =
      protocol::to_bytes(protocol::request(protocol::Type::kModel, model), {}).value();
  Times with, without, hashing;
  for (std::size_t i = 0; i < rounds; ++i) {
    hashing.add([&] { require(sha256(model) == hex, "another hash"); });
    Server server;  // A new server, which does not have the model.
    {
      const engine::EngineChoice choice = choice_of(server.port());
      auto link = engine::Link::open(*engine::target_from_text(choice.address), choice, "tflite");
      require(bool(link), "no connection");
      with.add([&] {
        auto loaded = engine::load_on(**link, (*link)->epoch(), recall);
        require(std::holds_alternative<engine::Loading>(loaded), "the model was not loaded");
      });
    }
    const int fd = connect_to(server.port());
    Bytes answer(13);
    require(receive_all(fd, answer.data(), 1), "no greeting");
    without.add([&] {
      send_all(fd, kenning.data(), kenning.size());
      require(receive_all(fd, answer.data(), answer.size()), "no answer to MODEL");
    });
    ::shutdown(fd, SHUT_RDWR);
    ::close(fd);
  }
  std::printf("a model of %.0f MB\n", mega);
  const auto print = [&](const char* what, const Times& times) {
    std::printf(
        "  %-18s %5.0f MB/s (slowest tenth below %.0f), %.2f of the hash alone; processor %.1f "
        "ms\n",
        what, mega / quantile(times.clock, .5), mega / quantile(times.clock, .9),
        quantile(hashing.clock, .5) / quantile(times.clock, .5),
        quantile(times.processor, .5) * 1e3);
  };
  print("only its hash", hashing);
  print("with its hash", with);
  print("without its hash", without);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20;
  require(rounds > 0, "expected a number of rounds");
  if (argc > 2) {
    measure_target(argv[2], rounds);
    return 0;
  }
  for (const std::size_t bytes : {12'000U, 150'528U, 602'112U}) measure_samples(bytes, rounds);
  measure_models(rounds);
  return 0;
}
