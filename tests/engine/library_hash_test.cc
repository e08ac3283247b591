// SPDX-License-Identifier: Apache-2.0
#include "engine/library_hash.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "core/scratch_folder.h"

namespace edgeprobe::engine {
namespace {

namespace fs = std::filesystem;

// 2 MiB of 'a', and of 'b', by sha256sum.
constexpr const char* kHashOfA = "5256ec18f11624025905d057d6befb03d77b243511ac5f77ed5e0221ce6d84b5";
constexpr const char* kHashOfB = "85a6e0cdf20bfbc76abca53afb39fdf2edd59ac8fcf236ee730d8ea2851ca975";

class LibraryHash : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = ScratchFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(*std::move(made));
    if (const char* const cache = std::getenv("XDG_CACHE_HOME")) before_ = cache;
    ::setenv("XDG_CACHE_HOME", (folder_->path() / "cache").c_str(), 1);
    library_ = folder_->path() / "library.so";
    write('a');
  }
  void TearDown() override {
    if (before_) ::setenv("XDG_CACHE_HOME", before_->c_str(), 1);
    else ::unsetenv("XDG_CACHE_HOME");
  }
  void write(char letter, std::size_t size = 2 << 20) const {
    std::ofstream(library_, std::ios::binary) << std::string(size, letter);
  }
  std::string hash(std::chrono::seconds later = std::chrono::seconds(60)) const {
    const auto hash = library_sha256(library_, std::chrono::system_clock::now() + later);
    return hash ? *hash : hash.error().what;
  }
  fs::path hashes() const { return folder_->path() / "cache" / "edgeprobe" / "hashes"; }
  std::size_t stored() const {
    std::error_code missing;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(hashes(), missing), fs::directory_iterator()));
  }
  /// Changes the stored hash, so that its use shows.
  std::string change_stored() const {
    const fs::path file = fs::directory_iterator(hashes())->path();
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string other(64, 'c');
    text.replace(text.size() - 64, 64, other);
    std::ofstream(file, std::ios::binary) << text;
    return other;
  }

  std::optional<ScratchFolder> folder_;
  std::optional<std::string> before_;
  fs::path library_;
};

TEST_F(LibraryHash, IsStoredAndUsedAgain) {
  EXPECT_EQ(hash(), kHashOfA);
  EXPECT_EQ(stored(), 1u);
  EXPECT_EQ(hash(), kHashOfA);
  const std::string other = change_stored();
  EXPECT_EQ(hash(), other);
}

TEST_F(LibraryHash, OfAReplacedLibraryOfTheSameSizeAndTimeIsComputed) {
  struct stat info {};
  ASSERT_EQ(::stat(library_.c_str(), &info), 0);
  EXPECT_EQ(hash(), kHashOfA);
  write('b');
  const timespec times[] = {info.st_atim, info.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, library_.c_str(), times, 0), 0);
  EXPECT_EQ(hash(), kHashOfB);
  EXPECT_EQ(stored(), 1u);
}

TEST_F(LibraryHash, OfWhatHasJustChangedIsNotStored) {
  EXPECT_EQ(hash(std::chrono::seconds(0)), kHashOfA);
  EXPECT_EQ(stored(), 0u);
  // A clock that is behind that of the file's server.
  EXPECT_EQ(hash(std::chrono::seconds(-3600)), kHashOfA);
  EXPECT_EQ(stored(), 0u);
}

TEST_F(LibraryHash, WithoutAFolderOfTheUsersOwnIsComputed) {
  EXPECT_EQ(hash(), kHashOfA);
  change_stored();
  fs::permissions(hashes(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(hash(), kHashOfA);
  fs::permissions(hashes(), fs::perms::others_write, fs::perm_options::remove);
  EXPECT_NE(hash(), kHashOfA);
  ::setenv("XDG_CACHE_HOME", "/proc/none", 1);
  EXPECT_EQ(hash(), kHashOfA);
}

TEST_F(LibraryHash, IsNotStoredInTheHomeOfAnotherUser) {
  const fs::path home = folder_->path() / "cache";
  fs::create_directory(home);
  if (::chown(home.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root gives folders away";
  EXPECT_EQ(hash(), kHashOfA);
  EXPECT_TRUE(fs::is_empty(home));
}

TEST_F(LibraryHash, AStoredTextThatIsNoHashIsReplaced) {
  EXPECT_EQ(hash(), kHashOfA);
  const fs::path file = fs::directory_iterator(hashes())->path();
  for (const char* const text : {"", "edgeprobe", "edgeprobe library hash 1\n"}) {
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_EQ(hash(), kHashOfA);
  }
  const std::string other = change_stored();
  EXPECT_EQ(hash(), other);
}

TEST_F(LibraryHash, OfSmallFilesIsNotStoredAndMissingOnesHaveASentence) {
  write('a', 1000);
  EXPECT_EQ(hash().size(), 64u);
  EXPECT_EQ(stored(), 0u);
  fs::remove(library_);
  EXPECT_NE(hash().find("library.so': cannot open it"), std::string::npos);
  library_ = folder_->path();
  EXPECT_NE(hash().find("is no file"), std::string::npos);
}

}  // namespace
}  // namespace edgeprobe::engine
