// SPDX-License-Identifier: Apache-2.0
// Files that get their name when they are whole: nothing of them is seen before, or stays when the
// program is killed.
#include "trace/record/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

namespace edgeprobe::trace {
namespace {

/// File systems without nameless files (NFS, FAT) get a temporary name instead, which remains after
/// a kill.
bool has_nameless_files(const Folder& folder) {
  const int fd = ::open(folder.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

OutputFile hidden(const std::filesystem::path& path, bool replace) {
  auto output = OutputFile::create_hidden(path, replace);
  EXPECT_TRUE(output) << output.error().what;
  EXPECT_TRUE(output->append({view_of("whole")}));
  return *std::move(output);
}

TEST(OutputFile, AHiddenFileHasItsNameWhenItIsPlaced) {
  const Folder folder;
  const std::size_t before = has_nameless_files(folder) ? 0u : 1u;
  for (const bool closed_first : {true, false}) {
    const auto path = folder / (closed_first ? "closed" : "open");
    const std::size_t others = folder.file_count();
    OutputFile output = hidden(path, false);
    EXPECT_EQ(folder.file_count(), others + before);
    if (closed_first) {
      ASSERT_TRUE(output.close());
    }
    ASSERT_TRUE(output.place());
    EXPECT_EQ(folder.file_count(), others + 1);
    if (!closed_first) {
      ASSERT_TRUE(output.append({view_of(" and more")}));
      ASSERT_TRUE(output.close());
    }
    EXPECT_EQ(ByteView(file_bytes(path)).text(), closed_first ? "whole" : "whole and more");
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777u, 0600u);
  }
}

TEST(OutputFile, AHiddenFileReplacesOnlyWhenItMay) {
  const Folder folder;
  put_file(folder / "there", view_of("precious"));
  {
    OutputFile output = hidden(folder / "there", true);
    EXPECT_EQ(ByteView(file_bytes(folder / "there")).text(), "precious");
    ASSERT_TRUE(output.close());
    ASSERT_TRUE(output.place());
  }
  EXPECT_EQ(ByteView(file_bytes(folder / "there")).text(), "whole");
  {
    OutputFile output = hidden(folder / "new", false);
    put_file(folder / "new", view_of("came meanwhile"));
    ASSERT_TRUE(output.close());
    EXPECT_FALSE(output.place());
  }
  EXPECT_EQ(ByteView(file_bytes(folder / "new")).text(), "came meanwhile");
  {
    OutputFile output = hidden(folder / "new", true);
    output.discard();
  }
  EXPECT_EQ(ByteView(file_bytes(folder / "new")).text(), "came meanwhile");
  EXPECT_EQ(folder.file_count(), 2u);
}

TEST(OutputFile, AKillLeavesNothingOfAHiddenFile) {
  const Folder folder;
  if (!has_nameless_files(folder))
    GTEST_SKIP() << "the file system of " << folder.path() << " has no files without a name";
  put_file(folder / "there", view_of("precious"));
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputFile a = hidden(folder / "new", false), b = hidden(folder / "there", true);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.file_count(), 1u);
  EXPECT_EQ(ByteView(file_bytes(folder / "there")).text(), "precious");
}

}  // namespace
}  // namespace edgeprobe::trace
