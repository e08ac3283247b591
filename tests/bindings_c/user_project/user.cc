// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <vector>

#include <edgeprobe.hpp>
#include <edgeprobe/tflite.hpp>

int main(int argc, char** argv) {
  edgeprobe::Probe probe(argc > 1 ? argv[1] : "");
  const auto frame = probe.frame();
  frame.start();
  frame.stop();
  frame.output("scores", std::vector<float>{0.25f, 0.75f}, {2});
  if (!probe.ok()) std::fprintf(stderr, "%s\n", probe.error().c_str());
  return probe.ok() ? 0 : 1;
}
