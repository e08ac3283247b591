// SPDX-License-Identifier: Apache-2.0
// Which libraries are taken and how the others are refused.
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "engine/runtime_engine.h"
#include "fixtures.h"

namespace edgeprobe::engine::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class Libraries : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("edgeprobe_libraries_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const char* file, const std::string& text) const {
    std::ofstream(folder_ / file, std::ios::binary) << text;
    return folder_ / file;
  }
  static Error refusal(const char* kind, const std::filesystem::path& library) {
    auto engine = open_in_process({kind, library});
    EXPECT_FALSE(engine);
    return engine ? Error{} : engine.error();
  }
  std::filesystem::path folder_;
};

TEST(LoadFailures, FailureOfXnnpackNamesKernelsThatWorkWithoutIt) {
  const auto failure = [](const char* kind, const char* said, std::optional<Kernels> kernels) {
    RuntimeEngine engine(
        {kind, "1", "lib.so", ""},
        [said](ByteView, std::string_view,
               const SessionOptions&) -> Result<std::unique_ptr<Session>> {
          return Error{ErrorKind::kUnsupported, said};
        },
        load_advice);
    SessionOptions options;
    options.own = TfliteOptions{kernels};
    return engine.load({}, "m.tflite", options).error().what;
  };
  const char* const prepared =
      "the engine cannot prepare the model: Node number 3 (TfLiteXNNPackDelegate) failed to "
      "prepare";
  EXPECT_THAT(failure("litert", prepared, std::nullopt),
              HasSubstr("failed to prepare; --kernels builtin"));
  EXPECT_THAT(failure("tflite", prepared, Kernels::kXnnpack), HasSubstr("--kernels builtin"));
  EXPECT_THAT(failure("tflite", prepared, Kernels::kReference), Not(HasSubstr("--kernels")));
  EXPECT_THAT(failure("litert", "Node number 0 (RESHAPE) failed to prepare", std::nullopt),
              Not(HasSubstr("--kernels")));
}

TEST_F(Libraries, MissingLibrariesAreNotFound) {
  const Error error = refusal("tflite", folder_ / "absent.so");
  EXPECT_EQ(error.kind, ErrorKind::kNotFound);
  EXPECT_THAT(error.what, AllOf(HasSubstr("absent.so"), HasSubstr("does not exist")));
}

TEST_F(Libraries, TextFilesAreNotLibraries) {
  const Error error =
      refusal("litert", write("notes.so", "version https://git-lfs.github.com/spec/v1\nand so on"));
  EXPECT_EQ(error.kind, ErrorKind::kCorrupt);
  EXPECT_THAT(error.what, AllOf(HasSubstr("notes.so"), HasSubstr("no ELF header")));
}

TEST_F(Libraries, LibraryOfAnotherMachineIsNamed) {
  std::string header(64, '\0');
  header.replace(0, 7,
                 "\x7f"
                 "ELF\x02\x01\x01");
  header[16] = 3;  // A shared object for 32-bit PowerPC.
  header[18] = 20;
  const Error other = refusal("tflite", write("ppc.so", header));
  EXPECT_EQ(other.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(other.what, HasSubstr("built for machine number 20"));
#if defined(__x86_64__)
  header[18] = static_cast<char>(183);  // A shared object for 64-bit ARM.
  EXPECT_THAT(refusal("tflite", write("arm.so", header)).what,
              HasSubstr("built for 64-bit ARM, this program runs on x86-64"));
#endif
}

TEST_F(Libraries, CutShortAreNotHandedToTheLoader) {
  EDGEPROBE_NEED_ENGINE("tflite");
  auto genuine = open_in_process({"tflite", {}});
  ASSERT_TRUE(genuine) << genuine.error().what;
  std::ifstream whole((*genuine)->identity().library, std::ios::binary);
  std::string start(100'000, '\0');
  whole.read(start.data(), static_cast<std::streamsize>(start.size()));
  for (const std::size_t length : {100'000u, 5'000u, 100u, 64u}) {
    const Error error = refusal("tflite", write("short.so", start.substr(0, length)));
    EXPECT_EQ(error.kind, ErrorKind::kCorrupt);
    EXPECT_THAT(error.what, HasSubstr("is cut short: it has " + std::to_string(length) + " bytes"));
  }
}

TEST_F(Libraries, WithoutTheFunctionsNameTheOnesThatAreMissing) {
  const Error error = refusal("tflite", POOL_DELEGATE);
  EXPECT_EQ(error.kind, ErrorKind::kUnsupported);
  EXPECT_THAT(error.what, AllOf(HasSubstr("is not a TFLite library"),
                                HasSubstr("lacks TfLiteVersion"), HasSubstr(" more")));
  EXPECT_THAT(refusal("litert", POOL_DELEGATE).what, HasSubstr("lacks LiteRtCreateEnvironment"));
}

TEST_F(Libraries, OfANewerVersionRunWithAWarning) {
  auto newer = open_supervised({"tflite", FAKE_RUNTIME_FUTURE});
  ASSERT_TRUE(newer) << newer.error().what;
  EXPECT_EQ((*newer)->identity().version, "2.99.0");
  SessionOptions options;
  options.own = TfliteOptions{Kernels::kBuiltin};
  const auto session = (*newer)->load(view_of("good"), "m", options);
  ASSERT_TRUE(session) << session.error().what;
  EXPECT_THAT((*session)->warnings(),
              Contains(HasSubstr("never tried with this tflite (version 2.99.0)")));
}

TEST_F(Libraries, OfLiteRtAreKnownByTheirHash) {
  EDGEPROBE_NEED_ENGINE("litert");
  auto genuine = open_in_process({"litert", {}});
  ASSERT_TRUE(genuine) << genuine.error().what;
  EXPECT_EQ((*genuine)->identity().version, "2.3.0");
  EXPECT_EQ((*genuine)->identity().sha256.size(), 64u);

  // An appended byte changes only the hash.
  const auto copy = folder_ / "libLiteRt.so";
  std::filesystem::copy_file((*genuine)->identity().library, copy);
  std::ofstream(copy, std::ios::binary | std::ios::app) << 'x';
  const auto other = open_in_process({"litert", copy});
  ASSERT_TRUE(other) << other.error().what;
  EXPECT_EQ((*other)->identity().version, "unknown");
  EXPECT_THAT(untried_note((*other)->identity()), HasSubstr("version unknown"));
  EXPECT_EQ(untried_note((*genuine)->identity()), "");

  // As pip installs it: the package's own folder, and next to it one with the version in its name.
  const auto package = folder_ / "ai_edge_litert";
  std::filesystem::create_directory(package);
  std::filesystem::create_directory(folder_ / "ai_edge_litert-2.9.1.dist-info");
  std::filesystem::rename(copy, package / "libLiteRt.so");
  const auto packaged = open_in_process({"litert", package / "libLiteRt.so"});
  ASSERT_TRUE(packaged) << packaged.error().what;
  EXPECT_EQ((*packaged)->identity().version, "2.9.1");
  std::filesystem::rename(folder_ / "ai_edge_litert-2.9.1.dist-info",
                          folder_ / "ai_edge_litert-2.1.4.dist-info");
  EXPECT_THAT(refusal("litert", package / "libLiteRt.so").what,
              AllOf(HasSubstr("is LiteRT 2.1.4"), HasSubstr("edgeprobe fetch litert")));
}

TEST_F(Libraries, NotInstalledSayWhatToRun) {
  ::setenv("EDGEPROBE_TFLITE_LIB", (folder_ / "nowhere.so").c_str(), 1);
  const auto engine = open_supervised({"tflite", {}});
  ::unsetenv("EDGEPROBE_TFLITE_LIB");
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(engine.error().what,
              AllOf(HasSubstr("script/setup --tflite"), HasSubstr("nowhere.so")));
}

}  // namespace
}  // namespace edgeprobe::engine::testing
