// SPDX-License-Identifier: Apache-2.0
#include "trace/parquet.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "trace/crc32.h"
#include "trace/output.h"
#include "trace/parquet_column.h"
#include "trace/thrift.h"

#if EDGEPROBE_ZSTD
#include <zstd.h>
#endif

namespace edgeprobe::trace {
namespace {

using Kind = ParquetColumn::Kind;

constexpr std::string_view kMagic = "PAR1";
constexpr std::size_t kGroupRows = std::size_t{1} << 18, kGroupBytes = std::size_t{16} << 20;

// Numbers of the format's own schema (parquet.thrift).
constexpr std::int32_t kInt64 = 2, kDouble = 5, kByteArray = 6;
constexpr std::int32_t kOptional = 1, kRepeated = 2;
constexpr std::int32_t kUtf8 = 0, kList = 3, kUnsigned64 = 14;
constexpr std::int32_t kPlain = 0, kRle = 3, kRleDictionary = 8;
constexpr std::int32_t kDataPage = 0, kDictionaryPage = 2;
#if EDGEPROBE_ZSTD
constexpr std::int32_t kCodec = 6;

Result<std::string> packed(const std::string& page) {
  std::string out(ZSTD_compressBound(page.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), page.data(), page.size(), 1);
  if (ZSTD_isError(size))
    return Error{Fault::kLimit,
                 std::string("cannot compress with zstd: ") + ZSTD_getErrorName(size)};
  out.resize(size);
  return out;
}
#else
constexpr std::int32_t kCodec = 0;

Result<std::string> packed(const std::string& page) { return page; }
#endif

std::int32_t physical(Kind kind) {
  if (kind == Kind::kText) return kByteArray;
  return kind == Kind::kReal || kind == Kind::kReals ? kDouble : kInt64;
}

void put_element(Thrift& out, const ParquetColumn& column) {
  out.begin_element();
  if (column.kind == Kind::kReals) {  // three levels: the list, its repetition, its elements
    out.int32(3, kOptional)
        .text(4, column.name)
        .int32(5, 1)
        .int32(6, kList)
        .begin(10)
        .begin(3)
        .end()
        .end()
        .end();
    out.begin_element().int32(3, kRepeated).text(4, "list").int32(5, 1).end();
    out.begin_element().int32(1, kDouble).int32(3, kOptional).text(4, "element").end();
    return;
  }
  out.int32(1, physical(column.kind)).int32(3, kOptional).text(4, column.name);
  if (column.kind == Kind::kText) out.int32(6, kUtf8).begin(10).begin(1).end().end();
  if (column.kind == Kind::kUnsigned)
    out.int32(6, kUnsigned64).begin(10).begin(10).int8(1, 64).flag(2, false).end().end();
  if (column.kind == Kind::kTime)
    out.begin(10).begin(8).flag(1, true).begin(2).begin(3).end().end().end().end();
  out.end();
}

std::string_view bytes_of(const std::int64_t& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

struct ParquetTable::State {
  State(Output o, std::vector<ParquetColumn> list) : output(std::move(o)) {
    for (ParquetColumn& column : list) {
      column.name = as_name(column.name);
      columns.emplace_back(std::move(column));
    }
  }
  static std::string as_name(const std::string& name) { return printable(name, 1000); }

  Output output;
  std::vector<ColumnCells> columns;
  Thrift groups;
  std::size_t group_count = 0;
  std::uint64_t rows = 0;
  std::string buffer;

  Status append(std::string_view bytes) { return output.append({view_of(bytes)}); }

  // Where a page stands and what it takes, with its head.
  struct Page {
    std::uint64_t offset = 0, plain_bytes = 0, bytes = 0;
  };
  Result<Page> put_page(const std::string& plain, std::int32_t type, const ColumnCells& cells) {
    const auto stored = packed(plain);
    if (!stored) return stored.error();
    Thrift head;
    head.int32(1, type)
        .int32(2, static_cast<std::int32_t>(plain.size()))
        .int32(3, static_cast<std::int32_t>(stored->size()));
    head.int32(4, static_cast<std::int32_t>(crc32(view_of(*stored))));
    if (type == kDataPage) {
      head.begin(5)
          .int32(1, static_cast<std::int32_t>(cells.values()))
          .int32(2, cells.has_dictionary() ? kRleDictionary : kPlain);
      head.int32(3, kRle).int32(4, kRle).end();
    } else {
      head.begin(7)
          .int32(1, static_cast<std::int32_t>(cells.dictionary_size()))
          .int32(2, kPlain)
          .end();
    }
    head.end();
    const Page page{output.size(), head.bytes().size() + plain.size(),
                    head.bytes().size() + stored->size()};
    if (auto done = output.append({view_of(head.bytes()), view_of(*stored)}); !done)
      return done.error();
    return page;
  }

  Result<std::uint64_t> put_column(const ColumnCells& cells) {
    Page dictionary;
    if (cells.has_dictionary()) {
      const auto page = put_page(cells.dictionary_page(), kDictionaryPage, cells);
      if (!page) return page.error();
      dictionary = *page;
    }
    const auto data = put_page(cells.data_page(), kDataPage, cells);
    if (!data) return data.error();
    const std::uint64_t plain = dictionary.plain_bytes + data->plain_bytes,
                        stored = dictionary.bytes + data->bytes;
    groups.begin_element().int64(2, 0).begin(3);
    groups.int32(1, physical(cells.column().kind));
    groups.list(2, Thrift::Type::kInt32, 3)
        .element(kPlain)
        .element(kRle)
        .element(cells.has_dictionary() ? kRleDictionary : kPlain);
    groups.list(3, Thrift::Type::kText, cells.is_list() ? 3 : 1).element(cells.column().name);
    if (cells.is_list()) groups.element("list").element("element");
    groups.int32(4, kCodec)
        .int64(5, static_cast<std::int64_t>(cells.values()))
        .int64(6, static_cast<std::int64_t>(plain));
    groups.int64(7, static_cast<std::int64_t>(stored))
        .int64(9, static_cast<std::int64_t>(data->offset));
    if (cells.has_dictionary()) groups.int64(11, static_cast<std::int64_t>(dictionary.offset));
    if (!cells.is_list()) {
      groups.begin(12).int64(3, static_cast<std::int64_t>(cells.nulls()));
      if (cells.has_range()) {
        const std::int64_t least = cells.least(), greatest = cells.greatest();
        groups.text(5, bytes_of(greatest)).text(6, bytes_of(least));
      }
      groups.end();
    }
    groups.end().end();
    return plain;
  }

  Status put_group() {
    const std::size_t count = columns.front().rows();
    if (count == 0) return {};
    groups.begin_element().list(1, Thrift::Type::kStruct, columns.size());
    std::uint64_t bytes = 0;
    for (ColumnCells& cells : columns) {
      const auto put = put_column(cells);
      if (!put) return put.error();
      bytes += *put;
      cells.clear();
    }
    groups.int64(2, static_cast<std::int64_t>(bytes))
        .int64(3, static_cast<std::int64_t>(count))
        .end();
    ++group_count;
    rows += count;
    return {};
  }

  std::string footer() const {
    Thrift out;
    std::size_t elements = 1;
    for (const ColumnCells& cells : columns) elements += cells.is_list() ? 3 : 1;
    out.int32(1, 2).list(2, Thrift::Type::kStruct, elements);
    out.begin_element().text(4, "table").int32(5, static_cast<std::int32_t>(columns.size())).end();
    for (const ColumnCells& cells : columns) put_element(out, cells.column());
    out.int64(3, static_cast<std::int64_t>(rows))
        .list(4, Thrift::Type::kStruct, group_count)
        .elements(groups.bytes());
    out.text(6, "edgeprobe version " EDGEPROBE_VERSION);
    // ranges are in the order of each column's type
    out.list(7, Thrift::Type::kStruct, columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) out.begin_element().begin(1).end().end();
    return out.end().bytes();
  }
};

ParquetTable::ParquetTable(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParquetTable::ParquetTable(ParquetTable&&) noexcept = default;
ParquetTable::~ParquetTable() = default;

Result<ParquetTable> ParquetTable::create(const std::filesystem::path& path,
                                          std::vector<ParquetColumn> columns, bool replace) {
  auto output = Output::create_hidden(path, replace);
  if (!output) return output.error();
  auto state = std::make_unique<State>(std::move(*output), std::move(columns));
  if (auto done = state->append(kMagic); !done) return done.error();
  return ParquetTable(std::move(state));
}

void ParquetTable::integer(std::size_t column, std::int64_t value, std::size_t rows) {
  state_->columns[column].integer(value, rows);
}
void ParquetTable::real(std::size_t column, double value) { state_->columns[column].real(value); }
void ParquetTable::text(std::size_t column, std::string_view value, std::size_t rows) {
  state_->columns[column].text(value, rows);
}
void ParquetTable::reals(std::size_t column, const std::vector<double>& values) {
  state_->columns[column].reals(values);
}
void ParquetTable::none(std::size_t column, std::size_t rows) {
  state_->columns[column].none(rows);
}

Status ParquetTable::end_rows() {
  std::size_t memory = 0;
  for (const ColumnCells& cells : state_->columns) memory += cells.memory();
  return memory < kGroupBytes && state_->columns.front().rows() < kGroupRows ? Status()
                                                                             : state_->put_group();
}

std::uint64_t ParquetTable::rows() const { return state_->rows + state_->columns.front().rows(); }

Status ParquetTable::finish() {
  if (auto done = state_->put_group(); !done) return done;
  const std::string footer = state_->footer();
  const auto size = static_cast<std::uint32_t>(footer.size());
  auto done =
      state_->append(footer + std::string(reinterpret_cast<const char*>(&size), sizeof size) +
                     std::string(kMagic));
  return done ? state_->output.close() : done;
}

Status ParquetTable::place() { return state_->output.place(); }

}  // namespace edgeprobe::trace
