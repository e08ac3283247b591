// SPDX-License-Identifier: Apache-2.0
#include "flat_writer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace edgeprobe::testing {
namespace {

class Writer {
 public:
  Bytes write(const Node& root, std::string_view identifier) {
    append(std::uint32_t{0});
    for (const char c : identifier) bytes_.push_back(static_cast<std::byte>(c));
    pending_.push_back({0, root});
    // Breadth first: a node is written before the nodes to which it refers, so that references
    // point forwards.
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const auto [slot, node] = pending_[i];
      const auto known = written_.find(node.get());
      const std::size_t at = known != written_.end() ? known->second : emit(*node);
      written_[node.get()] = at;
      put(slot, static_cast<std::uint32_t>(at - slot));
    }
    return std::move(bytes_);
  }

 private:
  template <class T>
  void append(T value) {
    bytes_.resize(bytes_.size() + sizeof(T));
    put(bytes_.size() - sizeof(T), value);
  }
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  // Pads until the position `more` bytes ahead is a multiple of `unit`.
  void align(std::size_t unit, std::size_t more) {
    while ((bytes_.size() + more) % unit) bytes_.push_back(std::byte{0});
  }

  std::size_t emit(const FlatNode& node) {
    if (node.element_size == 0) return emit_table(node);
    const std::size_t count =
        node.tables.empty() ? node.elements.size() / node.element_size : node.tables.size();
    // Engines read tensor data as vectors, which need an alignment of 16 bytes.
    align(node.element_size == 1 ? 16 : std::max<std::size_t>(4, node.element_size), 4);
    const std::size_t at = bytes_.size();
    append(static_cast<std::uint32_t>(node.claimed >= 0 ? node.claimed
                                                        : static_cast<std::int64_t>(count)));
    bytes_.insert(bytes_.end(), node.elements.begin(), node.elements.end());
    for (const Node& table : node.tables) refer(table);
    if (node.element_size == 1) bytes_.push_back(std::byte{0});
    return at;
  }

  std::size_t emit_table(const FlatNode& node) {
    int last = -1;
    if (!node.scalars.empty()) last = std::max(last, node.scalars.rbegin()->first);
    if (!node.children.empty()) last = std::max(last, node.children.rbegin()->first);
    std::vector<std::uint16_t> offsets(static_cast<std::size_t>(last + 1));
    // Eight-byte fields come first, at offset 8 of a table whose position is a multiple of 8.
    std::size_t size = 4;
    for (const std::size_t width :
         {std::size_t{8}, std::size_t{4}, std::size_t{2}, std::size_t{1}}) {
      for (const auto& [field, value] : node.scalars)
        if (value.size() == width) place(offsets, field, size, width);
      if (width == 4)
        for (const auto& [field, child] : node.children) place(offsets, field, size, width);
    }
    align(2, 0);
    const std::size_t vtable = bytes_.size();
    append(static_cast<std::uint16_t>(4 + 2 * offsets.size()));
    append(static_cast<std::uint16_t>(size));
    for (const std::uint16_t offset : offsets) append(offset);
    align(8, 0);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    put(at, static_cast<std::int32_t>(at - vtable));
    for (const auto& [field, value] : node.scalars)
      std::memcpy(bytes_.data() + at + offsets[static_cast<std::size_t>(field)], value.data(),
                  value.size());
    for (const auto& [field, child] : node.children)
      pending_.push_back({at + offsets[static_cast<std::size_t>(field)], child});
    return at;
  }

  static void place(std::vector<std::uint16_t>& offsets, int field, std::size_t& size,
                    std::size_t width) {
    size = (size + width - 1) / width * width;
    offsets[static_cast<std::size_t>(field)] = static_cast<std::uint16_t>(size);
    size += width;
  }

  void refer(const Node& node) {
    pending_.push_back({bytes_.size(), node});
    append(std::uint32_t{0});
  }

  Bytes bytes_;
  std::vector<std::pair<std::size_t, Node>> pending_;
  std::unordered_map<const FlatNode*, std::size_t> written_;
};

}  // namespace

Node flat_table() { return std::make_shared<FlatNode>(); }

Node flat_vector(std::vector<Node> tables) {
  auto node = std::make_shared<FlatNode>();
  node->element_size = 4;
  node->tables = std::move(tables);
  return node;
}

Node flat_text(std::string_view text) {
  auto node = std::make_shared<FlatNode>();
  node->element_size = 1;
  node->elements = view_of(text).copy();
  return node;
}

Bytes flat_file(const Node& root, std::string_view identifier) {
  return Writer().write(root, identifier);
}

}  // namespace edgeprobe::testing
