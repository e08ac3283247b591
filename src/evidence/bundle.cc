// SPDX-License-Identifier: Apache-2.0
#include "evidence/bundle.h"

#include <algorithm>

#include "archive/zip.h"
#include "core/file.h"
#include "core/text.h"
#include "evidence/manifest.h"

namespace edgeprobe::evidence {
namespace {

constexpr archive::ZipKind kKind{"evidence file", "of evidence", std::uint64_t{256} << 20, 200};
constexpr const char* kManifest = "manifest.json";
constexpr const char* kNote = "README.txt";

std::string note(const Evidence& evidence) {
  return "A fault of an inference engine, reduced as far as possible: " + evidence.operators +
         "\n\nmodel." + evidence.format +
         " computes something else on the inputs (input_*.bin, raw values as manifest.json\n"
         "describes them) than is expected (expected_*.bin).\n\n"
         "    edgeprobe evidence FILE                  lists what is inside\n"
         "    edgeprobe evidence FILE --engine ENGINE  runs it again: 0 if the fault is gone, "
         "3 if it is present\n";
}

std::vector<std::string> named(const char* what, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i)
    names.push_back(what + ("_" + std::to_string(i)) + ".bin");
  return names;
}

}  // namespace

Result<Bytes> written(const Evidence& evidence) {
  Manifest manifest;
  manifest.evidence = evidence;
  manifest.evidence.model.clear();
  manifest.model = "model." + evidence.format;
  manifest.inputs = named("input", evidence.inputs.size());
  manifest.expected = named("expected", evidence.expected.size());
  const std::string readme = note(evidence);
  std::vector<std::pair<std::string, ByteView>> members{{kNote, view_of(readme)},
                                                        {manifest.model, evidence.model}};
  for (std::size_t i = 0; i < evidence.inputs.size(); ++i)
    members.emplace_back(manifest.inputs[i], evidence.inputs[i].bytes);
  for (std::size_t i = 0; i < evidence.expected.size(); ++i)
    members.emplace_back(manifest.expected[i], evidence.expected[i].bytes);
  for (const auto& [name, bytes] : members) manifest.hashes[name] = sha256(bytes);
  const std::string text = to_json(manifest);
  members.insert(members.begin(), {kManifest, view_of(text)});
  return archive::zip_of(members);
}

Result<Opened> read(ByteView file) {
  EP_TRY(const auto members, archive::read_zip(file, kKind));
  std::map<std::string, Bytes> unpacked;
  Opened opened;
  for (const archive::ZipMember& member : members) {
    EP_TRY(auto bytes, archive::unpack(file, member, kKind));
    if (unpacked.count(member.name))
      return archive::damaged(kKind, "'" + sanitized(member.name) + "' appears twice");
    opened.members.push_back({sanitized(member.name), bytes.size(), sha256(bytes)});
    unpacked[member.name] = std::move(bytes);
  }
  const auto text = unpacked.find(kManifest);
  if (text == unpacked.end()) return archive::damaged(kKind, "it has no manifest.json");
  EP_TRY(auto manifest, manifest_from_json(ByteView(text->second).text()));
  for (const Member& member : opened.members) {
    if (member.name == kManifest) continue;
    const auto hash = manifest.hashes.find(member.name);
    if (hash == manifest.hashes.end())
      return archive::damaged(kKind, "manifest.json does not name '" + member.name + "'");
    if (hash->second != member.sha256)
      return archive::damaged(
          kKind, "'" + member.name + "' is not what manifest.json says: sha256 " + member.sha256);
  }
  opened.evidence = std::move(manifest.evidence);
  const auto take = [&](const std::string& name, Bytes& into) -> Status {
    const auto found = unpacked.find(name);
    if (found == unpacked.end())
      return archive::damaged(kKind, "'" + sanitized(name, 100) + "' is missing");
    into = found->second;
    return {};
  };
  EP_CHECK(take(manifest.model, opened.evidence.model));
  for (const auto& [tensors, files] : {std::pair(&opened.evidence.inputs, &manifest.inputs),
                                       std::pair(&opened.evidence.expected, &manifest.expected)})
    for (std::size_t i = 0; i < tensors->size(); ++i) {
      Tensor& tensor = (*tensors)[i];
      EP_CHECK(take((*files)[i], tensor.bytes));
      const auto size = tensor.spec.byte_size();
      if (!size || *size != tensor.bytes.size())
        return archive::damaged(kKind, "'" + sanitized((*files)[i], 100) + "' has " +
                                           std::to_string(tensor.bytes.size()) +
                                           " bytes, which do not fit its shape");
    }
  return opened;
}

}  // namespace edgeprobe::evidence
