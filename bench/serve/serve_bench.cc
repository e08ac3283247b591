// SPDX-License-Identifier: Apache-2.0
// The cost of the server: a sample of a g4 client (DATA, PROCESS, OUTPUT) with an engine that
// computes nothing, next to a plain socket that exchanges the same bytes in the same order. Rounds
// of both alternate; the ratio is of their medians. Then a real engine in its process: the time
// that the way there and back adds to an inference, and PROCESS of a client.
//   serve_bench [ROUNDS]
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "core/file.h"
#include "protocol/parts.h"
#include "protocol/reply.h"
#include "serve/client.h"
#include "transport/dial.h"
#include "transport/listener.h"

#include "null_engine.h"

using namespace edgeprobe;
using namespace edgeprobe::bench;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeader = 12;

/// Answers like the server, but only with the right sizes: 13 bytes, 13 bytes, header and output.
void echo(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  Bytes input(kHeader + input_bytes), output(kHeader + output_bytes);
  while (receive_all(fd, input.data(), kHeader) &&
         receive_all(fd, input.data() + kHeader, input_bytes)) {
    send_all(fd, output.data(), kHeader + 1);
    require(receive_all(fd, input.data(), kHeader), "closed");
    send_all(fd, output.data(), kHeader + 1);
    require(receive_all(fd, input.data(), kHeader), "closed");
    send_all(fd, output.data(), output.size());
  }
}

Bytes bytes_of(protocol::Type type, ByteView payload = {}) {
  return protocol::to_bytes(protocol::request(type, payload), {}).value();
}

/// Microseconds per sample over `count` consecutive samples, and those of only PROCESS.
std::pair<double, double> run_samples(int fd, std::size_t count) {
  const Bytes payload(input_bytes), data = bytes_of(protocol::Type::kData, payload),
                                    process = bytes_of(protocol::Type::kProcess),
                                    output = bytes_of(protocol::Type::kOutput);
  Bytes answer(kHeader + std::max<std::size_t>(output_bytes, 1));
  const auto begun = Clock::now();
  Clock::duration in_process{0};
  for (std::size_t i = 0; i < count; ++i) {
    send_all(fd, data.data(), data.size());
    require(receive_all(fd, answer.data(), kHeader + 1), "no answer to DATA");
    const auto asked = Clock::now();
    send_all(fd, process.data(), process.size());
    require(receive_all(fd, answer.data(), kHeader + 1), "no answer to PROCESS");
    in_process += Clock::now() - asked;
    send_all(fd, output.data(), output.size());
    require(receive_all(fd, answer.data(), kHeader + output_bytes), "no answer to OUTPUT");
  }
  const auto micro = [&](Clock::duration time) {
    return std::chrono::duration<double, std::micro>(time).count() / static_cast<double>(count);
  };
  return {micro(Clock::now() - begun), micro(in_process)};
}

/// The time that sending an inference to the engine's process adds to its latency.
void measure_engine_process(const Bytes& model, std::size_t rounds) {
  const auto engine = engine::open_supervised({});
  require(engine.has_value(), "no engine: script/setup fetches them");
  auto session = (*engine)->load(model, "signs", {});
  require(session.has_value(), "the model does not load");
  std::vector<TensorView> inputs;
  for (const TensorSpec& spec : (*session)->inputs())
    inputs.emplace_back(spec, ByteView((*session)->input_memory(0), spec.byte_size().value()));
  input_bytes = (*session)->inputs()[0].byte_size().value();
  output_bytes = (*session)->outputs()[0].byte_size().value();
  std::vector<double> hops, latencies;
  for (std::size_t i = 0; i < rounds * 50; ++i) {
    const auto begun = Clock::now();
    const auto inference = (*session)->infer(inputs);
    const auto all = Clock::now() - begun;
    require(inference.has_value(), "an inference failed");
    hops.push_back(std::chrono::duration<double, std::micro>(all - inference->latency).count());
    latencies.push_back(std::chrono::duration<double, std::micro>(inference->latency).count());
  }
  std::printf(
      "engine process: %.1f us there and back (10 %% to 90 %%: %.1f to %.1f) beside %.1f us "
      "of inference\n",
      quantile(hops, .5), quantile(hops, .1), quantile(hops, .9), quantile(latencies, .5));
}

void measure(const Bytes& model, serve::Device::Opener opener, std::size_t rounds) {
  serve::Options options;
  options.protocol = protocol::Generation::kG4;
  serve::Device device(options, opener);
  serve::Uploads uploads(1'000'000);
  std::atomic<bool> stop{false};
  auto ours = transport::Listener::open({"127.0.0.1", 0, {}});
  auto theirs = transport::Listener::open({"127.0.0.1", 0, {}});
  require(ours && theirs, "cannot listen");
  std::thread server([&] { serve::serve_client(ours->accept({}), device, uploads, &stop); });
  std::thread plain([&] { echo(::accept(theirs->descriptor(), nullptr, nullptr)); });
  const int to_ours = connect_to(ours->address().port);
  const int to_plain = connect_to(theirs->address().port);
  std::byte greeting{};
  require(receive_all(to_ours, &greeting, 1), "no greeting");
  const Bytes load = bytes_of(protocol::Type::kModel, model);
  Bytes answer(kHeader + 1);
  send_all(to_ours, load.data(), load.size());
  require(receive_all(to_ours, answer.data(), answer.size()), "no answer to MODEL");

  std::vector<double> server_us, plain_us, process_us, ratios;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto [sample, process] = run_samples(to_ours, 50);
    const double echoed = run_samples(to_plain, 50).first;
    server_us.push_back(sample);
    plain_us.push_back(echoed);
    process_us.push_back(process);
    ratios.push_back(sample / echoed);
  }
  ::shutdown(to_ours, SHUT_RDWR);
  ::shutdown(to_plain, SHUT_RDWR);
  server.join();
  plain.join();
  std::printf(
      "%6zu KB a sample: server %7.1f us (10 %% to 90 %%: %.1f to %.1f), socket %7.1f us, ratio "
      "%.2f (%.2f to %.2f); PROCESS %.1f us\n",
      input_bytes / 1000, quantile(server_us, .5), quantile(server_us, .1), quantile(server_us, .9),
      quantile(plain_us, .5), quantile(server_us, .5) / quantile(plain_us, .5),
      quantile(ratios, .1), quantile(ratios, .9), quantile(process_us, .5));
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto code = engine::run_worker_if_asked(argc, argv)) return *code;
  const std::size_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100;
  require(rounds > 0, "expected a number of rounds");
  const auto model = read_file(EDGEPROBE_SOURCE_DIR "/models/signs_float.tflite");
  require(model.has_value(), "no model");
  for (const std::size_t bytes : {12'000U, 150'528U, 602'112U}) {
    input_bytes = output_bytes = bytes;
    measure(*model, open_null, rounds);
  }
  measure_engine_process(*model, rounds);
  measure(*model, engine::open_supervised, rounds);
  return 0;
}
