// SPDX-License-Identifier: Apache-2.0
#include "engine/fetch/fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "core/codec.h"
#include "core/file.h"
#include "core/scratch_folder.h"
#include "engine/fetch/download.h"
#include "process/child.h"
#include "process/pipe.h"
#include "process/wait.h"

namespace edgeprobe::engine {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Sets an environment variable; restores its former value.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_) ::setenv(name_, before_->c_str(), 1);
    else ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

template <class T>
void put(std::string& text, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
}

/// A ZIP file with one stored member.
std::string zip_of(const std::string& name, const std::string& content) {
  const auto sum = static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  const auto size = static_cast<std::uint32_t>(content.size());
  const auto common = [&](std::string& text) {
    for (const int field : {20, 0, 0, 0, 0}) put(text, static_cast<std::uint16_t>(field));
    for (const std::uint32_t field : {sum, size, size}) put(text, field);
    put(text, static_cast<std::uint16_t>(name.size()));
    put(text, std::uint16_t{0});
  };
  std::string file, directory;
  put(file, std::uint32_t{0x04034b50});
  common(file);
  file += name + content;
  put(directory, std::uint32_t{0x02014b50});
  put(directory, std::uint16_t{20});
  common(directory);
  for (int i = 0; i < 3; ++i) put(directory, std::uint16_t{0});
  for (int i = 0; i < 2; ++i) put(directory, std::uint32_t{0});
  directory += name;
  const auto start = static_cast<std::uint32_t>(file.size());
  file += directory;
  put(file, std::uint32_t{0x06054b50});
  for (const int field : {0, 0, 1, 1}) put(file, static_cast<std::uint16_t>(field));
  put(file, static_cast<std::uint32_t>(directory.size()));
  put(file, start);
  put(file, std::uint16_t{0});
  return file;
}

// Serves argv[1] on a free port of 127.0.0.1 and prints the port; the paths "slow" and "cut" make a
// slow and a truncated answer.
constexpr const char* kServer = R"(
import http.server, os, sys, time
os.chdir(sys.argv[1])
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments): pass
    def do_GET(self):
        if "cut" in self.path or "slow" in self.path:
            self.send_response(200); self.send_header("Content-Length", "1000000"); self.end_headers()
            self.wfile.write(b"x" * 1000); self.wfile.flush()
            time.sleep(600 if "slow" in self.path else 0)
        else: super().do_GET()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
)";

class FetchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(scratch_) << scratch_.error().what;
    site_ = scratch_->path() / "site";
    cache_ = scratch_->path() / "cache";
    fs::create_directories(site_ / "simple/a-package");
    fs::create_directories(site_ / "files");
    fs::create_directory(cache_);
    wheel_ = zip_of("a_package/lib.so", library_);
    wheel_hash_ = sha256(view_of(wheel_));
    library_hash_ = sha256(view_of(library_));
    put_file(site_ / "files/a.whl", wheel_);
    list("../../files/a.whl");
    auto out = process::pipe_from_child();
    ASSERT_TRUE(out);
    process::Command command;
    command.program = "python3";
    command.arguments = {"python3", "-c", kServer, site_.string()};
    command.descriptors = {{out->theirs.get(), 1}};
    auto child = process::Child::start(command);
    ASSERT_TRUE(child) << child.error().what;
    server_ = *std::move(child);
    out->theirs.close();
    process::Output said(std::move(out->ours), 100);
    for (int i = 0; i < 2000 && said.text().find('\n') == std::string::npos; ++i) {
      std::this_thread::sleep_for(50ms);
      said.drain();
    }
    port_ = std::to_string(std::atoi(said.text().c_str()));
    ASSERT_NE(port_, "0");
  }

  static void put_file(const fs::path& path, const std::string& text) {
    ASSERT_TRUE(write_file(path, view_of(text)));
  }
  /// The package's index page: other files, and ours.
  void list(const std::string& link) {
    put_file(site_ / "simple/a-package/index.html",
             "<a href=\"../../files/other.whl#sha256=" + std::string(64, '0') +
                 "\">other</a>\n<a href=\"" + link + "#sha256=" + wheel_hash_ +
                 "\" data-requires-python=\"&gt;=3.9\">a</a>\n");
  }
  Pin pin() const {
    return {EngineId::kLiteRt,
            "x86_64",
            maven_ ? Pin::Source::kMaven : Pin::Source::kPyPi,
            maven_ ? "org.example:a-package:linux" : "a-package",
            "1.0",
            wheel_hash_.c_str(),
            "a_package/lib.so",
            library_hash_.c_str(),
            wheel_.size()};
  }
  Result<Fetched> bring(const Control& control = {}) {
    return fetch(pin(), {"http://127.0.0.1:" + port_ + "/simple", ""}, folder_below(cache_, pin()),
                 control);
  }
  /// The files that a failed fetch left below the cache, except for its lock.
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(cache_))
      if (entry.is_regular_file() && entry.path().filename() != "lock")
        names.push_back(entry.path().filename());
    return names;
  }

  Result<ScratchFolder> scratch_ = ScratchFolder::make();
  fs::path site_, cache_;
  std::string library_ = std::string(5000, 'l'), wheel_, wheel_hash_, library_hash_, port_;
  bool maven_ = false;
  process::Child server_;
};

TEST_F(FetchTest, TheLibraryIsWholeAndComesOnce) {
  const auto first = bring();
  ASSERT_TRUE(first) << first.error().what;
  EXPECT_FALSE(first->was_there);
  EXPECT_EQ(first->archive_bytes, wheel_.size());
  EXPECT_EQ(first->library, cache_ / "engines/litert-1.0-x86_64/lib.so");
  EXPECT_EQ(ByteView(*read_file(first->library)).text(), library_);
  EXPECT_EQ(left(), std::vector<std::string>{"lib.so"});
  server_.end(0ms);  // the second fetch needs no server
  const auto second = bring();
  ASSERT_TRUE(second) << second.error().what;
  EXPECT_TRUE(second->was_there);
}

TEST_F(FetchTest, AJarOfMavenIsBroughtFromItsPlaceThere) {
  maven_ = true;
  const fs::path place = site_ / "maven/org/example/a-package/1.0";
  fs::create_directories(place);
  put_file(place / "a-package-1.0-linux.jar", wheel_);
  const Variable url("EDGEPROBE_MAVEN_URL", "http://127.0.0.1:" + port_ + "/maven/");
  const auto fetched = bring();
  ASSERT_TRUE(fetched) << fetched.error().what;
  EXPECT_EQ(ByteView(*read_file(fetched->library)).text(), library_);
  const Variable none("EDGEPROBE_MAVEN_URL", "");
  EXPECT_EQ(maven_url("org.example.b:c:linux-x86_64", "2.0"),
            "https://repo1.maven.org/maven2/org/example/b/c/2.0/c-2.0-linux-x86_64.jar");
}

TEST_F(FetchTest, EachOfTheThreeProgramsFetches) {
  for (const char* const tool : {"curl", "wget", "python3"}) {
    const fs::path folder = scratch_->path() / tool;
    fs::create_directory(folder);
    std::error_code failed;
    for (const char* const place : {"/usr/bin", "/usr/local/bin", "/bin"})
      if (fs::exists(fs::path(place) / tool))
        fs::create_symlink(fs::path(place) / tool, folder / tool, failed);
    if (!fs::exists(folder / tool)) {
      std::cout << "skipped: no " << tool << "\n";
      continue;
    }
    const Variable path("PATH", folder.string());
    fs::remove_all(cache_ / "engines");
    const auto fetched = bring();
    ASSERT_TRUE(fetched) << tool << ": " << fetched.error().what;
    EXPECT_EQ(fetched->tool, tool);
  }
}

TEST_F(FetchTest, ADamagedLibraryIsFetchedAgain) {
  ASSERT_TRUE(bring());
  put_file(cache_ / "engines/litert-1.0-x86_64/lib.so", "damaged");
  const auto again = bring();
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_FALSE(again->was_there);
  EXPECT_EQ(ByteView(*read_file(again->library)).text(), library_);
}

TEST_F(FetchTest, AnotherHashIsRefusedAndNothingIsKept) {
  put_file(site_ / "files/a.whl", wheel_ + "x");
  const auto fetched = bring();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().kind, ErrorKind::kCorrupt);
  EXPECT_THAT(fetched.error().what, HasSubstr("another sha256"));
  EXPECT_TRUE(left().empty());
}

TEST_F(FetchTest, AnotherLibraryInTheRightWheelIsRefused) {
  library_hash_ = std::string(64, '1');
  const auto fetched = bring();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().kind, ErrorKind::kCorrupt);
  EXPECT_TRUE(left().empty());
}

TEST_F(FetchTest, ATransferThatIsCutFails) {
  list("/files/cut.whl");
  const auto fetched = bring();
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.error().what, HasSubstr("cannot be fetched"));
  EXPECT_TRUE(left().empty());
}

TEST_F(FetchTest, AnIndexWithoutTheFileIsNamed) {
  put_file(site_ / "simple/a-package/index.html", "<a href=\"b.whl\">b</a>");
  const auto fetched = bring();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(fetched.error().what,
              HasSubstr("/simple/a-package/' lists no file of a-package 1.0"));
}

TEST_F(FetchTest, ARefusedConnectionIsTold) {
  server_.end(0ms);
  const auto fetched = bring();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().kind, ErrorKind::kTarget);
  EXPECT_THAT(fetched.error().what, HasSubstr("cannot be fetched: "));
  EXPECT_TRUE(left().empty());
}

TEST_F(FetchTest, WithoutAnyProgramItSaysWhatToInstall) {
  const Variable path("PATH", scratch_->path().string());
  const auto fetched = bring();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(fetched.error().what, HasSubstr("no curl, wget or python3"));
}

TEST_F(FetchTest, ACacheThatCannotBeWrittenIsTold) {
  put_file(cache_ / "engines", "a file in the way");  // a file mode would not stop root
  const auto fetched = bring();
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.error().what, HasSubstr("engines"));
}

TEST_F(FetchTest, StoppingLeavesNothing) {
  list("/files/slow.whl");
  std::atomic<bool> stop{false};
  std::thread user([&] {
    std::this_thread::sleep_for(700ms);
    stop = true;
  });
  const auto began = std::chrono::steady_clock::now();
  const auto fetched = bring({&stop, {}});
  user.join();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().kind, ErrorKind::kInterrupted);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 120s);
  EXPECT_TRUE(left().empty());
}

TEST(PackageIndex, ComesFromThePlacesOfPip) {
  const auto scratch = ScratchFolder::make();
  ASSERT_TRUE(scratch);
  const fs::path file = scratch->path() / "pip.conf";
  ASSERT_TRUE(write_file(file, view_of("[install]\nindex-url = http://wrong\n[global]\n"
                                       "# index-url = http://comment\n"
                                       "index_url = https://a.example/simple/ \ncert=/a/b.pem")));
  const Variable configuration("PIP_CONFIG_FILE", file.string());
  const Variable no_url("PIP_INDEX_URL", ""), no_cert("PIP_CERT", "");
  EXPECT_EQ(package_index().url, "https://a.example/simple");
  EXPECT_EQ(package_index().certificates, "/a/b.pem");
  const Variable url("PIP_INDEX_URL", "http://b.example/x");
  EXPECT_EQ(package_index().url, "http://b.example/x");
  const Variable none("PIP_CONFIG_FILE", "/dev/null"), empty("PIP_INDEX_URL", "");
  EXPECT_EQ(package_index().url, "https://pypi.org/simple");
}

TEST(PackageIndex, LinksAreMadeAbsolute) {
  const auto link = [](const std::string& href) {
    return link_with("<a href=\"" + href + "#sha256=aa\">", "https://h.example/simple/p/", "aa");
  };
  EXPECT_EQ(link("https://other.example/f.whl"), "https://other.example/f.whl");
  EXPECT_EQ(link("//other.example/f.whl"), "https://other.example/f.whl");
  EXPECT_EQ(link("/f.whl"), "https://h.example/f.whl");
  EXPECT_EQ(link("../../f.whl"), "https://h.example/f.whl");
  EXPECT_EQ(link("f.whl?a=1&amp;b=2"), "https://h.example/simple/p/f.whl?a=1&b=2");
  EXPECT_EQ(link("bad file.whl"), std::nullopt);
  EXPECT_EQ(link_with("no link", "https://h.example/", "aa"), std::nullopt);
}

TEST(PackageIndex, APasswordIsNotShown) {
  EXPECT_EQ(without_credentials("https://user:secret@h.example/p@q"), "https://h.example/p@q");
  EXPECT_EQ(without_credentials("https://h.example/p@q"), "https://h.example/p@q");
}

TEST(Download, OtherAddressesAreRefused) {
  for (const char* const url : {"file:///etc/passwd", "ftp://h/x", "-o/tmp/x", "http://h/a\nb"})
    EXPECT_FALSE(download({url, "", 0, ""}, "/nowhere/at/all", {})) << url;
}

}  // namespace
}  // namespace edgeprobe::engine
