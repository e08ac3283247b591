// SPDX-License-Identifier: Apache-2.0
// The rate of our own client on loopback, with an engine that computes nothing: samples with one
// and with many in flight, next to a plain socket that carries the same bytes with as many in
// flight; and models of 64 MB, with their hash and (like Kenning's clients) without. Rounds of all
// alternate; ratios are of medians.
//   flight_bench [ROUNDS]
//   flight_bench ROUNDS TARGET      samples of 12 KB on a server elsewhere:
//   bench/serve/link_bench.py
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
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

/// Additional bytes of a message, about as many as in an INFER.
constexpr std::size_t kAround = 64;

/// Answers each message of that size with one of the same size.
void answer_each(int fd, std::size_t size) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  Bytes bytes(size);
  while (receive_all(fd, bytes.data(), size)) send_all(fd, bytes.data(), size);
}

/// Seconds for `count` samples through a plain socket, `most` of them in flight.
double plain_samples(int fd, std::size_t size, std::size_t count, std::size_t most) {
  Bytes bytes(size);
  const auto begun = Clock::now();
  for (std::size_t sent = 0, came = 0; came < count;) {
    if (sent < count && sent - came < most) {
      send_all(fd, bytes.data(), size);
      ++sent;
      continue;
    }
    require(receive_all(fd, bytes.data(), size), "the socket closed");
    ++came;
  }
  return seconds(Clock::now() - begun);
}

double our_samples(engine::PipelinedSession& session, const std::vector<TensorView>& inputs,
                   std::size_t count, std::size_t most) {
  const auto begun = Clock::now();
  for (std::size_t sent = 0, came = 0; came < count;) {
    if (sent < count && sent - came < most) {
      require(bool(session.submit(inputs)), "submit failed");
      ++sent;
      continue;
    }
    require(bool(session.collect()), "collect failed");
    ++came;
  }
  return seconds(Clock::now() - begun);
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
  std::vector<double> one, many;
  for (std::size_t i = 0; i < rounds; ++i) {
    one.push_back(our_samples(ours, {input}, kCount, 1));
    many.push_back(our_samples(ours, {input}, kCount, ours.most_in_flight()));
  }
  std::printf("%zu bytes a sample: one in flight %.2f ms, %zu in flight %.2f ms, ratio %.2f\n",
              input.bytes.size(), quantile(one, .5) / kCount * 1e3, ours.most_in_flight(),
              quantile(many, .5) / kCount * 1e3, quantile(one, .5) / quantile(many, .5));
}

engine::EngineChoice choice_of(std::uint16_t port) {
  engine::EngineChoice choice;
  choice.address = "tcp://127.0.0.1:" + std::to_string(port);
  return choice;
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
  std::vector<double> one, many, plain_one, plain_many;
  for (std::size_t i = 0; i < rounds; ++i) {
    one.push_back(our_samples(*ours, inputs, kCount, 1));
    plain_one.push_back(plain_samples(fd, bytes + kAround, kCount, 1));
    many.push_back(our_samples(*ours, inputs, kCount, most));
    plain_many.push_back(plain_samples(fd, bytes + kAround, kCount, most));
  }
  ::shutdown(fd, SHUT_RDWR);
  plain.join();
  const auto micro = [](const std::vector<double>& of) { return quantile(of, .5) / kCount * 1e6; };
  std::printf(
      "%6zu KB a sample: one in flight %7.1f us (socket %7.1f), %zu in flight %7.1f us (socket "
      "%7.1f): rate %.2f of the socket's, %.2f of a socket's with one\n",
      bytes / 1000, micro(one), micro(plain_one), most, micro(many), micro(plain_many),
      micro(plain_many) / micro(many), micro(plain_one) / micro(many));
}

void measure_models(std::size_t rounds) {
  input_bytes = output_bytes = 1000;
  const Bytes model = large_model();
  const double mega = static_cast<double>(model.size()) / 1e6;
  std::string hex = sha256(model);
  engine::Recall recall;
  recall.model = model;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    recall.sha256.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  recall.label = "model";
  const Bytes kenning =
      protocol::to_bytes(protocol::request(protocol::Type::kModel, model), {}).value();
  std::vector<double> with, without, hashing;
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto hashed = Clock::now();
    require(sha256(model) == hex, "another hash");
    hashing.push_back(mega / seconds(Clock::now() - hashed));
    Server server;  // A new server, which does not have the model.
    {
      const engine::EngineChoice choice = choice_of(server.port());
      auto link = engine::Link::open(*engine::target_from_text(choice.address), choice, "tflite");
      require(bool(link), "no connection");
      const auto begun = Clock::now();
      auto loaded = engine::load_on(**link, (*link)->epoch(), recall);
      with.push_back(mega / seconds(Clock::now() - begun));
      require(std::holds_alternative<engine::Loading>(loaded), "the model was not loaded");
    }
    const int fd = connect_to(server.port());
    Bytes answer(13);
    require(receive_all(fd, answer.data(), 1), "no greeting");
    const auto begun = Clock::now();
    send_all(fd, kenning.data(), kenning.size());
    require(receive_all(fd, answer.data(), answer.size()), "no answer to MODEL");
    without.push_back(mega / seconds(Clock::now() - begun));
    ::shutdown(fd, SHUT_RDWR);
    ::close(fd);
  }
  std::printf(
      "a model of %.0f MB: %.0f MB/s without its hash (10 %%: %.0f); %.0f MB/s with it (10 %%: "
      "%.0f), %.2f of the hash alone, %.0f MB/s\n",
      mega, quantile(without, .5), quantile(without, .1), quantile(with, .5), quantile(with, .1),
      quantile(with, .5) / quantile(hashing, .5), quantile(hashing, .5));
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
