// SPDX-License-Identifier: Apache-2.0
// Speed and memory of compare: inner loops against read bandwidth, and reading plus comparing two
// traces.
//   compare_bench kernels            loops by size and instruction set, GB/s of both operands
//   compare_bench write FILE N [D [S [TYPE]]] a trace of N frames of MobileNetV2-shaped layers for
//   an input of S x S pixels
//                                    (default 224: 28 MB a frame; at least 32); D: noise added;
//                                    TYPE: float32, int8 or uint8
//   compare_bench traces R T [...]   reads and compares; flags no-verify, no-channels; prints
//   seconds, GB/s, peak RSS compare_bench read FILE...       read(2) by 1 MiB, every cache line
//   touched: what the same bytes cost at least
// traces takes set=NAME and crc=NAME: the loops of another processor (generic, avx2, avx512, neon;
// sliced, pclmul, ...).
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <string_view>

#include "compare/compare_traces.h"
#include "compare/metrics/accumulate.h"
#include "compare/metrics/kernel_sets.h"
#include "compare/outputs/agreement.h"
#include "trace/mcap/crc32.h"
#include "trace/read/reader.h"
#include "trace/record/writer.h"

namespace {

using namespace edgeprobe;

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double peak_rss_mb() {
  // VmHWM, not ru_maxrss: the latter starts at the parent's size.
  std::FILE* status = std::fopen("/proc/self/status", "r");
  char line[256];
  double kilobytes = 0;
  while (status && std::fgets(line, sizeof line, status))
    if (std::strncmp(line, "VmHWM:", 6) == 0) kilobytes = std::atof(line + 6);
  if (status) std::fclose(status);
  return kilobytes / 1000;
}

// ReLU-like values: a third are zeros, and the tail is long. They come from a table, because
// drawing 7 million values per frame would take longer than writing them.
std::vector<float> value_table() {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0.3f, 1.f);
  std::vector<float> table((1u << 20) + 4099);
  for (float& value : table) value = std::min(6.f, std::max(0.f, normal(random)));
  return table;
}

void fill(std::vector<float>& out, const std::vector<float>& table, std::size_t start,
          float noise) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t at = (start + i) % table.size();
    out[i] = table[at] + noise * table[(at * 31 + 17) % table.size()];
  }
}

double best_of(int repeats, std::size_t inner, const auto& work) {
  double best = 1e30;
  for (int i = 0; i < repeats; ++i) {
    const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (std::size_t k = 0; k < inner; ++k) work();
    best = std::min(best, (seconds(CLOCK_THREAD_CPUTIME_ID) - start) / static_cast<double>(inner));
  }
  return best;
}

// A sum over all bytes at the processor's full width: the memory bandwidth of one core.
#if defined(__x86_64__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
std::uint64_t
read_all(const std::byte* data, std::size_t size) {
  std::uint64_t sum[32] = {};
  for (std::size_t i = 0; i + 256 <= size; i += 256) {
    std::uint64_t words[32];
    std::memcpy(words, data + i, 256);
    for (int k = 0; k < 32; ++k) sum[k] += words[k];
  }
  std::uint64_t all = 0;
  for (const std::uint64_t part : sum) all += part;
  return all;
}

int kernels() {
  const std::vector<float> table = value_table();
  std::printf("%-8s %-8s %-22s %8s %8s\n", "MB", "set", "pair", "GB/s", "of read");
  for (const std::size_t n : {std::size_t{1} << 16, std::size_t{1} << 19, std::size_t{1} << 25}) {
    std::vector<float> r(n), t(n);
    fill(r, table, 0, 0);
    fill(t, table, 0, 0.01f);
    Bytes rb(n * 4 + 1), tb(n * 4 + 1), qb(n + 1), pb(n + 1);  // odd addresses, as in a trace
    std::memcpy(rb.data() + 1, r.data(), n * 4);
    std::memcpy(tb.data() + 1, t.data(), n * 4);
    for (std::size_t i = 0; i < n; ++i) {
      qb[i + 1] = static_cast<std::byte>(static_cast<std::int8_t>(t[i] / 0.05f - 60));
      pb[i + 1] = static_cast<std::byte>(static_cast<std::int8_t>(r[i] / 0.05f - 60));
    }
    const std::size_t inner = std::max<std::size_t>(1, (std::size_t{1} << 25) / n);
    volatile std::uint64_t sink = 0;
    const double read =
        static_cast<double>(n * 8) /
        best_of(7, inner,
                [&] {
                  sink = sink + read_all(rb.data(), rb.size()) + read_all(tb.data(), tb.size());
                }) /
        1e9;
    const double megabytes = static_cast<double>(n) * 8 / 1e6;
    std::printf("%-8.1f %-8s %-22s %8.1f\n", megabytes, "-", "read both", read);
    const auto flat = [&](DType dtype) {
      return TensorSpec{"",
                        dtype,
                        {static_cast<std::int64_t>(n)},
                        dtype == DType::kInt8 ? Quantization{{0.05f}, {-60}, 0} : Quantization{}};
    };
    const TensorSpec f = flat(DType::kFloat32), q = flat(DType::kInt8);
    const TensorView vr{f, {rb.data() + 1, n * 4}}, vt{f, {tb.data() + 1, n * 4}},
        vq{q, {qb.data() + 1, n}}, vp{q, {pb.data() + 1, n}};
    for (const compare::Kernels* set : compare::available_kernels()) {
      const auto show = [&](const std::string& pair, double bytes, double time) {
        std::printf("%-8.1f %-8s %-22s %8.1f %8.2f\n", megabytes, set->name, pair.c_str(),
                    bytes / time / 1e9, bytes / time / 1e9 / read);
      };
      const auto tensor = [&](const char* pair, const TensorView& a, const TensorView& b) {
        show(pair, static_cast<double>(a.bytes.size + b.bytes.size), best_of(7, inner, [&] {
               compare::Moments m;
               if (!compare::accumulate_with(*set, a, b, m)) std::abort();
               sink = sink + m.n;
             }));
      };
      tensor("float32/float32", vr, vt);
      tensor("float32/int8", vr, vq);
      tensor("int8/int8", vp, vq);
      TensorSpec other = q;
      other.quantization.scale[0] = 0.049f;
      tensor("int8/int8, other scale", {other, vp.bytes}, vq);
      for (const std::int64_t channels : {3, 16, 96, 320, 1280}) {
        const auto rows = static_cast<std::int64_t>(n) / channels;
        for (const DType dtype : {DType::kFloat32, DType::kInt8}) {
          const TensorSpec spec{"", dtype, {rows, channels}, {}};
          const std::size_t bytes = *spec.byte_size();
          const std::byte *a = dtype == DType::kInt8 ? pb.data() : rb.data(),
                          *b = dtype == DType::kInt8 ? qb.data() : tb.data();
          std::vector<double> squares;
          show(std::string("channels ") + name(dtype) + " C=" + std::to_string(channels),
               static_cast<double>(2 * bytes), best_of(5, std::max<std::size_t>(1, inner / 4), [&] {
                 compare::Moments m;
                 if (!compare::accumulate_with(*set, {spec, {a + 1, bytes}}, {spec, {b + 1, bytes}},
                                               1, m, squares))
                   std::abort();
               }));
        }
      }
    }
  }
  return 0;
}

struct LayerShape {
  std::string type;
  Shape shape;
};

// The operator outputs of MobileNetV2 1.0.
std::vector<LayerShape> mobilenet_v2(std::int64_t pixels) {
  std::vector<LayerShape> layers;
  std::int64_t size = pixels / 2, in = 32;
  const auto add = [&](const char* type, std::int64_t channels) {
    layers.push_back({type, {1, size, size, channels}});
  };
  add("CONV_2D", in);
  struct Stage {
    std::int64_t expand, out, count, stride;
  };
  for (const Stage& stage : {Stage{1, 16, 1, 1},
                             {6, 24, 2, 2},
                             {6, 32, 3, 2},
                             {6, 64, 4, 2},
                             {6, 96, 3, 1},
                             {6, 160, 3, 2},
                             {6, 320, 1, 1}})
    for (std::int64_t i = 0; i < stage.count; ++i) {
      const std::int64_t wide = in * stage.expand;
      if (stage.expand > 1) add("CONV_2D", wide);
      if (i == 0) size /= stage.stride;
      add("DEPTHWISE_CONV_2D", wide);
      add("CONV_2D", stage.out);
      if (i > 0) add("ADD", stage.out);
      in = stage.out;
    }
  add("CONV_2D", 1280);
  size = 1;
  add("AVERAGE_POOL_2D", 1280);
  add("CONV_2D", 1001);
  layers.push_back({"RESHAPE", {1, 1001}});
  return layers;
}

int write(const char* path, int frames, float noise, int pixels, DType dtype) {
  const std::vector<float> table = value_table();
  auto writer = trace::Writer::open(path, {}, true);
  if (!writer) return std::fprintf(stderr, "%s\n", writer.error().what.c_str()), 1;
  const std::vector<LayerShape> layers = mobilenet_v2(std::max(32, pixels));
  std::vector<trace::ChannelId> ids;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    trace::Channel channel;
    channel.stage = trace::Stage::kLayer;
    channel.spec = {"layer_" + std::to_string(i), dtype, layers[i].shape, {}};
    if (dtype != DType::kFloat32)
      channel.spec.quantization = {{6.f / 255}, {dtype == DType::kInt8 ? -128 : 0}, 0};
    channel.layer_type = layers[i].type;
    channel.position = static_cast<std::int32_t>(i);
    ids.push_back(*writer->add_channel(channel));
  }
  std::uint64_t bytes = 0;
  std::vector<float> values;
  std::vector<std::uint8_t> codes;
  for (int frame = 0; frame < frames; ++frame) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      values.resize(*element_count(layers[i].shape));
      fill(values, table, static_cast<std::size_t>(frame) * 7919 + i * 104729, noise);
      ByteView view{reinterpret_cast<const std::byte*>(values.data()), values.size() * 4};
      if (dtype != DType::kFloat32) {
        codes.resize(values.size());
        for (std::size_t k = 0; k < values.size(); ++k)
          codes[k] = static_cast<std::uint8_t>(
              static_cast<int>(std::min(255.f, values[k] * (255.f / 6) + 0.5f)) ^
              (dtype == DType::kInt8 ? 0x80 : 0));
        view = {reinterpret_cast<const std::byte*>(codes.data()), codes.size()};
      }
      bytes += view.size;
      if (auto done = writer->write(ids[i], static_cast<std::uint32_t>(frame), 1, view); !done)
        return std::fprintf(stderr, "%s\n", done.error().what.c_str()), 1;
    }
    trace::FrameRecord record;
    record.frame = static_cast<std::uint32_t>(frame);
    if (!writer->frame(record)) return 1;
  }
  if (!writer->close()) return 1;
  std::printf("{\"frames\": %d, \"tensors\": %zu, \"bytes\": %llu}\n", frames, layers.size(),
              static_cast<unsigned long long>(bytes));
  return 0;
}

int traces(const char* reference_path, const char* target_path, bool verify, bool channels) {
  const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  auto reference = trace::Reader::open(reference_path, {verify});
  auto target = trace::Reader::open(target_path, {verify});
  if (!reference || !target) return std::fprintf(stderr, "cannot open the traces\n"), 1;
  compare::CompareOptions options;
  options.channels = channels;
  const auto agreement = compare::compare_traces(*reference, *target, options);
  if (!agreement) return std::fprintf(stderr, "%s\n", agreement.error().what.c_str()), 1;
  const double wall_s = seconds(CLOCK_MONOTONIC) - wall,
               cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  double bytes = 0, relative = 0;
  for (const compare::LayerAgreement& layer : agreement->layers) {
    bytes +=
        static_cast<double>(layer.moments.n) * (layer.reference_dtype == DType::kFloat32 ? 8 : 2);
    relative = std::max(relative, layer.distances.relative_l2.value_or(0));
  }
  std::printf(
      "{\"frames\": %zu, \"bytes\": %.0f, \"wall_s\": %.6f, \"cpu_s\": %.6f, \"gb_per_cpu_s\": "
      "%.3f, \"rss_mb\": %.1f, "
      "\"worst_relative_l2\": %.6g}\n",
      agreement->frames.size(), bytes, wall_s, cpu_s, bytes / cpu_s / 1e9, peak_rss_mb(), relative);
  return 0;
}

int read_files(char** paths, int count) {
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  volatile std::uint64_t sink = 0;
  double bytes = 0;
  for (int i = 0; i < count; ++i) {
    const int fd = ::open(paths[i], O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::fprintf(stderr, "cannot open %s\n", paths[i]), 1;
    for (ssize_t got; (got = ::read(fd, buffer.data(), buffer.size())) > 0;
         bytes += static_cast<double>(got)) {
      std::uint64_t sum = 0;
      for (ssize_t at = 0; at < got; at += 64)
        sum += static_cast<std::uint64_t>(buffer[static_cast<std::size_t>(at)]);
      sink = sink + sum;
    }
    ::close(fd);
  }
  const double cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  std::printf("{\"bytes\": %.0f, \"cpu_s\": %.6f, \"gb_per_cpu_s\": %.3f}\n", bytes, cpu_s,
              bytes / cpu_s / 1e9);
  return 0;
}

// False when this processor has no such loops.
bool choose(std::string_view flag) {
  if (flag.starts_with("set=")) {
    for (const compare::Kernels* set : compare::available_kernels())
      if (flag.substr(4) == set->name) return compare::use_kernels(*set), true;
    return false;
  }
  if (!flag.starts_with("crc=")) return true;
  for (const trace::Crc32Kernel& kernel : trace::crc32_kernels())
    if (flag.substr(4) == kernel.name) return trace::use_crc32(kernel), true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "kernels") return kernels();
  if (mode == "write" && argc >= 4)
    return write(argv[2], std::atoi(argv[3]), argc > 4 ? std::strtof(argv[4], nullptr) : 0.f,
                 argc > 5 ? std::atoi(argv[5]) : 224,
                 argc > 6 ? dtype_from_name(argv[6]).value_or(DType::kFloat32) : DType::kFloat32);
  if (mode == "read" && argc >= 3) return read_files(argv + 2, argc - 2);
  if (mode == "traces" && argc >= 4) {
    bool verify = true, channels = true;
    for (int i = 4; i < argc; ++i) {
      verify = verify && std::string_view(argv[i]) != "no-verify";
      channels = channels && std::string_view(argv[i]) != "no-channels";
      if (!choose(argv[i])) return std::fprintf(stderr, "this processor has no %s\n", argv[i]), 2;
    }
    return traces(argv[2], argv[3], verify, channels);
  }
  std::fprintf(stderr,
               "usage: compare_bench kernels | write FILE FRAMES [NOISE [PIXELS [TYPE]]] | traces "
               "REFERENCE TARGET [no-verify] [no-channels] "
               "[set=NAME] [crc=NAME] | read FILE...\n");
  return 2;
}
