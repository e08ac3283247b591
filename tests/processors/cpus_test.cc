// SPDX-License-Identifier: Apache-2.0
// CPUs: clusters, what is off or hidden, and the choice of big and middle cores together.
#include "processors/cpus.h"

#include "placement/search/device.h"
#include "tree.h"

namespace edgeprobe::processors {
namespace {

using Cpus_ = std::vector<int>;

class CpusTest : public Tree {
 protected:
  /// Like Google's Tensor: four little, two middle, two big CPUs.
  void put_two_two_four() {
    put_cpus(0, 3, 160, 1803000);
    put_cpus(4, 5, 498, 2253000);
    put_cpus(6, 7, 1024, 2802000);
    put("sys/devices/system/cpu/online", "0-7\n");
    put_allowed("0-7");
  }
};

TEST_F(CpusTest, AreGroupedByCapacityTheFastestFirst) {
  // One, three and four CPUs, like Snapdragon.
  put_cpus(0, 3, 325, 1804800);
  put_cpus(4, 6, 871, 2419200);
  put_cpu(7, 1024, 2841600);
  put_allowed("0-7");
  const Cpus found = cpus(host_.root);
  ASSERT_EQ(found.clusters.size(), 3u);
  EXPECT_EQ(found.clusters[0], (Cluster{"big", {7}, {7}, 1024, 2841600e3}));
  EXPECT_EQ(found.clusters[1], (Cluster{"middle", {4, 5, 6}, {4, 5, 6}, 871, 2419200e3}));
  EXPECT_EQ(found.clusters[2], (Cluster{"little", {0, 1, 2, 3}, {0, 1, 2, 3}, 325, 1804800e3}));
  EXPECT_EQ(mixture(found, {3, 4, 5, 7}), "1 big + 2 middle + 1 little");
  EXPECT_TRUE(found.offline.empty());
  EXPECT_TRUE(found.hidden.empty());
}

TEST_F(CpusTest, AreGroupedByFrequencyWhereThereAreNoCapacities) {
  put_cpus(0, 3, 0, 1400000);
  put_cpus(4, 7, 0, 2000000);
  const Cpus found = cpus(host_.root);
  ASSERT_EQ(found.clusters.size(), 2u);
  EXPECT_EQ(found.clusters[0].name, "big");
  EXPECT_EQ(found.clusters[0].cpus, (Cpus_{4, 5, 6, 7}));
  EXPECT_EQ(found.clusters[1].name, "little");
}

TEST_F(CpusTest, EqualCoresAreOneClusterThoughSomeBoostHigher) {
  // Kernels rank the cores of a desktop processor by their highest boost.
  put_cpus(0, 3, 0, 5100000);
  put_cpus(4, 5, 0, 5300000);
  const Cpus found = cpus(host_.root);
  ASSERT_EQ(found.clusters.size(), 1u);
  EXPECT_EQ(found.clusters[0].name, "cpu");
  EXPECT_EQ(found.clusters[0].max_hz, 5300000e3);
}

TEST_F(CpusTest, HybridX86ProcessorHasTwoClusters) {
  put_cpus(0, 7, 0, 4900000);
  put_cpus(8, 11, 0, 4850000);
  put("sys/devices/cpu_core/cpus", "0-7\n");
  put("sys/devices/cpu_atom/cpus", "8-11\n");
  const Cpus found = cpus(host_.root);
  ASSERT_EQ(found.clusters.size(), 2u);
  EXPECT_EQ(found.clusters[1].cpus, (Cpus_{8, 9, 10, 11}));
}

TEST_F(CpusTest, FourThreadsOnTwoBigAndTwoMiddleAreNamedWithTheListAndTheMaskThatCureIt) {
  put_two_two_four();
  const Examination found = examined({{}, 4});
  const auto mixed = find(found.findings, "mixed_clusters");
  ASSERT_TRUE(mixed) << names(found.findings);
  EXPECT_EQ(mixed->severity, Severity::kWarning);
  EXPECT_TRUE(has(mixed->cause, "4 threads run on 2 big + 2 middle")) << mixed->cause;
  // 498 of 1024.
  EXPECT_TRUE(has(mixed->cause, "a big CPU takes 49 % of a middle one's time")) << mixed->cause;
  EXPECT_TRUE(has(mixed->commands, "edgeprobe bench MODEL --cpus 6-7 --threads 2"));
  EXPECT_TRUE(has(mixed->commands, "edgeprobe bench MODEL --cpus 4-5 --threads 2"));
  EXPECT_TRUE(has(mixed->commands, "taskset c0 PROGRAM"));
}

TEST_F(CpusTest, WithoutAnyChoiceFourThreadsAreTheExample) {
  put_two_two_four();
  const auto mixed = find(examined().findings, "mixed_clusters");
  ASSERT_TRUE(mixed);
  EXPECT_TRUE(has(mixed->cause, "4 threads run on 2 big + 2 middle"));
}

TEST_F(CpusTest, AChoiceOfCpusIsHeldAgainstTheClusters) {
  put_two_two_four();
  const auto mixed = find(examined({{4, 5, 6, 7}, 0}).findings, "mixed_clusters");
  ASSERT_TRUE(mixed);
  EXPECT_TRUE(has(mixed->cause, "CPUs 4-7 are 2 big + 2 middle")) << mixed->cause;
  EXPECT_TRUE(has(mixed->commands, "taskset c0 PROGRAM"));
  EXPECT_FALSE(find(examined({{6, 7}, 2}).findings, "mixed_clusters"));
  EXPECT_EQ(names(examined({{6, 7}, 2}).findings).find("unpinned"), std::string::npos);
}

TEST_F(CpusTest, ThreadsThatFitTheBigClusterAreStillToBeKeptThere) {
  put_two_two_four();
  const Examination found = examined({{}, 2});
  EXPECT_FALSE(find(found.findings, "mixed_clusters"));
  const auto loose = find(found.findings, "unpinned_threads");
  ASSERT_TRUE(loose);
  EXPECT_EQ(loose->severity, Severity::kNote);
  EXPECT_TRUE(has(loose->commands, "edgeprobe bench MODEL --cpus 6-7 --threads 2"));
}

TEST_F(CpusTest, MoreThreadsThanCpusAreAProblem) {
  put_two_two_four();
  const auto many = find(examined({{6, 7}, 4}).findings, "too_many_threads");
  ASSERT_TRUE(many);
  EXPECT_EQ(many->severity, Severity::kProblem);
  EXPECT_TRUE(has(many->cause, "4 threads on 2 CPUs"));
}

TEST_F(CpusTest, CpuOutsideTheProcessMaskIsRefused) {
  put_two_two_four();
  put_allowed("0-3");
  const auto found = examine(host_, {{3, 6}, 0});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(found.error().what, "CPU 6 was asked for, but this process may use 0-3 alone");
}

TEST_F(CpusTest, AsADeviceFileAreReadByTheSearch) {
  put_two_two_four();
  const Examination found = examined();
  const auto processors = placement::device_from_text(found.device);
  ASSERT_TRUE(processors) << processors.error().what << "\n" << found.device;
  ASSERT_EQ(processors->size(), 9u);
  EXPECT_EQ((*processors)[0].name, "big cpu7");
  EXPECT_EQ((*processors)[0].cpus, Cpus_{7});
  EXPECT_EQ((*processors)[2].cpus, Cpus_{5});
  EXPECT_EQ((*processors)[6].name, "all big");
  EXPECT_EQ((*processors)[6].cpus, (Cpus_{6, 7}));
  EXPECT_EQ((*processors)[6].threads, 2);
  EXPECT_EQ((*processors)[8].cpus, (Cpus_{0, 1, 2, 3}));
}

TEST_F(CpusTest, OneClusterNeedsNoDeviceFile) {
  put_cpus(0, 3, 0, 0);
  EXPECT_EQ(examined().device, "");
  EXPECT_FALSE(find(examined({{}, 4}).findings, "mixed_clusters"));
}

TEST_F(CpusTest, OfflineCpusAreListedWithTheEnablingCommand) {
  put_two_two_four();
  put("sys/devices/system/cpu/online", "0-5\n");
  const Examination found = examined();
  EXPECT_EQ(found.cpus.offline, (Cpus_{6, 7}));
  EXPECT_EQ(found.cpus.usable(), (Cpus_{0, 1, 2, 3, 4, 5}));
  const auto off = find(found.findings, "cpus_offline");
  ASSERT_TRUE(off);
  EXPECT_TRUE(has(off->cause, "CPUs 6-7 are switched off"));
  EXPECT_TRUE(has(off->commands, "sudo sh -c 'echo 1 > /sys/devices/system/cpu/cpu6/online'"));
  EXPECT_EQ(off->commands.size(), 2u);
  // Offline CPUs do not belong in a mask.
  for (const Finding& one : found.findings)
    for (const std::string& command : one.commands) EXPECT_FALSE(has(command, "taskset c0"));
}

TEST_F(CpusTest, CpusetAndAffinityAreDistinguished) {
  put_two_two_four();
  put_allowed("0-3");
  put("proc/self/cgroup", "4:cpuset:/background\n0::/\n");
  put("dev/cpuset/background/cpus", "0-3\n");
  Examination found = examined();
  EXPECT_EQ(found.cpus.hidden, (Cpus_{4, 5, 6, 7}));
  auto hidden = find(found.findings, "cpus_hidden");
  ASSERT_TRUE(hidden);
  EXPECT_TRUE(has(hidden->cause, "kept from this process by cpuset /background")) << hidden->cause;
  EXPECT_TRUE(has(hidden->commands, "echo $$ | sudo tee /dev/cpuset/cgroup.procs"));

  // The group has these CPUs, so the affinity hides them.
  put("dev/cpuset/background/cpus", "0-7\n");
  found = examined();
  hidden = find(found.findings, "cpus_hidden");
  ASSERT_TRUE(hidden);
  EXPECT_TRUE(has(hidden->cause, "not in the affinity of this process")) << hidden->cause;
  EXPECT_TRUE(has(hidden->commands, "taskset -p ff $$"));
}

TEST_F(CpusTest, CgroupV2IsFoundByItsPath) {
  put_cpus(0, 7, 0, 0);
  put_allowed("0-1");
  put("proc/self/cgroup", "0::/docker/abc\n");
  put("sys/fs/cgroup/docker/abc/cpuset.cpus.effective", "0-1\n");
  put("sys/fs/cgroup/docker/abc/cpu.max", "50000 100000\n");
  const Examination found = examined();
  EXPECT_EQ(found.cpus.hidden_by, "cpuset /docker/abc");
  EXPECT_EQ(found.cpus.quota, 0.5);
  const auto quota = find(found.findings, "cpu_quota");
  ASSERT_TRUE(quota);
  EXPECT_TRUE(has(quota->cause, "0.5 CPUs' worth of time on 2 CPUs")) << quota->cause;
  EXPECT_TRUE(has(quota->commands, "sudo sh -c 'echo max > /sys/fs/cgroup/docker/abc/cpu.max'"));
  EXPECT_TRUE(has(find(found.findings, "cpus_hidden")->commands,
                  "echo $$ | sudo tee /sys/fs/cgroup/cgroup.procs"));

  // An enclosing cgroup may have a lower limit.
  put("sys/fs/cgroup/docker/cpu.max", "25000 100000\n");
  put("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus(host_.root).quota, 0.25);
  EXPECT_EQ(cpus(host_.root).quota_file, "/sys/fs/cgroup/docker/cpu.max");
}

TEST_F(CpusTest, CgroupV1LimitIsReadFromTwoFiles) {
  put_cpus(0, 3, 0, 0);
  put_allowed("0-3");
  put("proc/self/cgroup", "3:cpu,cpuacct:/job\n2:cpuset:/job\n");
  put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "150000\n");
  put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  const auto quota = find(examined().findings, "cpu_quota");
  ASSERT_TRUE(quota);
  EXPECT_TRUE(has(quota->cause, "1.5 CPUs' worth of time on 4 CPUs"));
  EXPECT_TRUE(has(quota->commands,
                  "sudo sh -c 'echo -1 > /sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us'"));
  put("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(cpus(host_.root).quota);
}

TEST_F(CpusTest, OddGroupNamesAreQuotedInTheCommand) {
  put_cpus(0, 1, 0, 0);
  put("proc/self/cgroup", "0::/it's a job\n");
  put("sys/fs/cgroup/it's a job/cpu.max", "50000 100000\n");
  const auto quota = find(examined().findings, "cpu_quota");
  ASSERT_TRUE(quota);
  // The shell's expansion of the command, instead of sudo's.
  std::string command = quota->commands.at(0);
  ASSERT_EQ(command.substr(0, 5), "sudo ");
  const std::string real = (host_.root / "sys/fs/cgroup/it's a job/cpu.max").string();
  const std::size_t at = command.find("/sys/fs");
  command = command.substr(5, at - 5) + host_.root.path.string() + command.substr(at);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::string written;
  std::getline(std::ifstream(real), written);
  EXPECT_EQ(written, "max");
}

TEST_F(CpusTest, ASingleCpuIsAProblem) {
  put_cpu(0, 0, 0);
  const auto one = find(examined().findings, "one_cpu");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->severity, Severity::kProblem);
}

TEST_F(CpusTest, HardwareThreadsAreNamedWithAListOfOnePerCore) {
  put_cpus(0, 3, 0, 3000000);
  for (int cpu = 0; cpu < 4; ++cpu)
    put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list",
        cpu % 2 ? "1,3\n" : "0,2\n");
  const auto shared = find(examined().findings, "shared_cores");
  ASSERT_TRUE(shared);
  EXPECT_TRUE(has(shared->cause, "CPUs 0,2 are two threads of one core"));
  EXPECT_EQ(shared->commands,
            std::vector<std::string>{"edgeprobe stretch search MODEL --cpus 0-1"});
}

TEST_F(CpusTest, AGovernorThatChangesTheClockIsNamed) {
  put_cpus(0, 1, 0, 3000000);
  for (int cpu = 0; cpu < 2; ++cpu)
    put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor",
        "schedutil\n");
  const auto changing = find(examined().findings, "changing_frequency");
  ASSERT_TRUE(changing);
  EXPECT_TRUE(has(changing->cause, "schedutil on CPUs 0-1"));
  EXPECT_TRUE(has(changing->commands.at(0), "for n in 0 1; do echo performance >"));
  for (int cpu = 0; cpu < 2; ++cpu)
    put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor",
        "performance\n");
  EXPECT_FALSE(find(examined().findings, "changing_frequency"));
}

TEST_F(CpusTest, ALimitBelowWhatTheHardwareCanIsNamed) {
  put_cpus(0, 1, 0, 3000000);
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq", "1500000\n");
  const auto limited = find(examined().findings, "limited_frequency");
  ASSERT_TRUE(limited);
  EXPECT_TRUE(has(limited->cause, "CPU 1 is limited: 1.5 of 3 GHz on CPU 1")) << limited->cause;
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq", "3000000\n");
  EXPECT_FALSE(find(examined().findings, "limited_frequency"));
}

TEST_F(CpusTest, ThrottledCpusAreNamed) {
  put_cpus(0, 1, 0, 0);
  put("sys/class/thermal/cooling_device0/type", "cpufreq-cpu0\n");
  put("sys/class/thermal/cooling_device0/cur_state", "0\n");
  put("sys/class/thermal/cooling_device1/type", "fan\n");
  put("sys/class/thermal/cooling_device1/cur_state", "9\n");
  EXPECT_FALSE(find(examined().findings, "throttled"));
  put("sys/class/thermal/cooling_device0/cur_state", "3\n");
  const auto hot = find(examined().findings, "throttled");
  ASSERT_TRUE(hot);
  EXPECT_TRUE(has(hot->cause, "cpufreq-cpu0 at 3"));
}

TEST_F(CpusTest, KernelWithoutRunDelayIsNamed) {
  put_cpus(0, 1, 0, 0);
  EXPECT_TRUE(find(examined().findings, "no_run_delay"));
  put_allowed("0-1");
  EXPECT_FALSE(find(examined().findings, "no_run_delay"));
}

TEST_F(CpusTest, MalformedFilesCountAsMissing) {
  const std::string huge(200'000, '7');
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("garbage"), std::string("-5"), huge,
        std::string("0-99999999999"), std::string("\0\xff\xfe", 3), std::string("0")}) {
    put_two_two_four();
    for (const char* const file :
         {"sys/devices/system/cpu/online", "sys/devices/system/cpu/cpu7/cpu_capacity",
          "sys/devices/system/cpu/cpu7/cpufreq/cpuinfo_max_freq",
          "sys/devices/system/cpu/cpu7/cpufreq/scaling_max_freq",
          "sys/devices/system/cpu/cpu7/cpufreq/scaling_governor",
          "sys/devices/system/cpu/cpu7/topology/thread_siblings_list", "sys/devices/cpu_atom/cpus",
          "proc/self/cgroup", "proc/self/task/1/schedstat",
          "sys/class/thermal/cooling_device0/type", "sys/class/thermal/cooling_device0/cur_state"})
      put(file, text);
    put("proc/self/status", "Cpus_allowed_list:\t" + text + "\n");
    const Examination found = examined();
    EXPECT_FALSE(found.cpus.usable().empty()) << text.substr(0, 20);
    for (const Finding& one : found.findings) EXPECT_LT(one.cause.size(), 700u) << one.what;
  }
}

TEST_F(CpusTest, EmptyTreeHasNoCpus) {
  const Examination found = examined();
  EXPECT_TRUE(found.cpus.clusters.empty());
  EXPECT_FALSE(find(found.findings, "one_cpu"));
}

}  // namespace
}  // namespace edgeprobe::processors
