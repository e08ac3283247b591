// SPDX-License-Identifier: Apache-2.0
// The energy of a real model on a real engine, by an imitated counter: it charges a power for rest
// and more for CPU time of the engine's process, and lies in a folder made here in place of /sys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "bench/load.h"
#include "meter/threads.h"
#include "model/graph.h"
#include "placement/profile/profile.h"
#include "source_dir.h"

namespace edgeprobe::placement {
namespace {

namespace fs = std::filesystem;
constexpr double kRestWatts = 2, kBusyWatts = 20;

/// CPU seconds of this process's children, including ended ones up to their last reading.
class ChildrensTime {
 public:
  double seconds() {
    std::ifstream list("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    for (std::string child; list >> child;)
      if (!threads_.contains(child))
        threads_[child] = std::make_unique<meter::Threads>(meter::Root{}, child);
    double sum = 0;
    for (auto& [child, threads] : threads_) {
      threads->refresh();
      if (const auto read = threads->read())
        last_[child] = static_cast<double>(read->run_ns) * 1e-9;
      sum += last_[child];
    }
    return sum;
  }

 private:
  std::map<std::string, std::unique_ptr<meter::Threads>> threads_;
  std::map<std::string, double> last_;
};

class ImitatedCounter {
 public:
  ImitatedCounter() {
    std::string name = ::testing::TempDir() + "edgeprobe-profile-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    root_.path = name;
    fs::create_directories(zone());
    std::ofstream(zone() / "name") << "package-0";
    std::ofstream(zone() / "max_energy_range_uj") << 262143328850;
    std::ofstream(zone() / "energy_uj") << 0;
    counting_ = std::thread([this] { count(); });
  }
  ~ImitatedCounter() {
    stop_ = true;
    counting_.join();
    fs::remove_all(root_.path);
  }
  const meter::Root& root() const { return root_; }

 private:
  fs::path zone() const { return root_ / "sys/class/powercap/intel-rapl:0"; }

  void count() {
    ChildrensTime children;
    const auto start = std::chrono::steady_clock::now();
    while (!stop_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const double passed =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const double joules = kRestWatts * passed + kBusyWatts * children.seconds();
      // Written completely or not at all, like a counter.
      std::ofstream(zone() / "next") << static_cast<std::int64_t>(joules * 1e6);
      fs::rename(zone() / "next", zone() / "energy_uj");
    }
  }

  meter::Root root_;
  std::atomic<bool> stop_{false};
  std::thread counting_;
};

TEST(ProfileEnergy, IsWhatTheEnginesProcessTookAboveRest) {
  const ImitatedCounter counter;
  const fs::path path = fs::path(edgeprobe::test::source_dir()) / "models/signs_float.tflite";
  model::FileBytes file;
  const auto graph = model::load(path, file);
  ASSERT_TRUE(graph) << graph.error().what;
  const Profiled model{file.view(),
                       "signs",
                       "tflite",
                       {},
                       {},
                       {},
                       {},
                       [](const std::vector<TensorSpec>& specs) -> Result<bench::Inputs> {
                         auto inputs = bench::random_inputs(specs, 1);
                         if (!inputs) return std::move(inputs).error();
                         return bench::Inputs{*std::move(inputs)};
                       }};
  ProfileOptions options;
  options.seconds = 0.5;
  options.energy.root = counter.root();
  options.energy.rest = std::chrono::milliseconds(500);
  Result<Figures> figures = profile(model, options, {});
  // Other programs may delay the simulated counter, so that it also counts at rest: try again.
  for (int again = 0; again < 4 && figures && !figures->energy.joules; ++again)
    figures = profile(model, options, {});
  ASSERT_TRUE(figures) << figures.error().what;
  ASSERT_TRUE(figures->energy.joules) << figures->energy.reason;
  EXPECT_EQ(figures->energy.source, "package-0 of /sys/class/powercap");
  // The scheduler's account of another set of runs of the same session.
  ASSERT_TRUE(figures->cpu);
  const double ratio = *figures->energy.joules / (kBusyWatts * *figures->cpu);
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 2);
}

}  // namespace
}  // namespace edgeprobe::placement
