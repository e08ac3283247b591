// SPDX-License-Identifier: Apache-2.0
// A library that calls itself an OpenVINO of the future and is nothing else.
extern "C" {
struct Version {
  const char* build;
  const char* description;
};
Version get_openvino_version() { return {"2099.1.0-1-future", "OpenVINO Runtime"}; }
}
