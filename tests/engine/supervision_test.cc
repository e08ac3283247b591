// SPDX-License-Identifier: Apache-2.0
// A runtime that crashes, hangs or lies becomes one sentence, and the program goes on.
#include <gmock/gmock.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "core/text.h"
#include "fixtures.h"

extern char** environ;

namespace edgeprobe::engine::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Clock = std::chrono::steady_clock;

const EngineChoice kFake{"tflite", FAKE_RUNTIME};

// A call that hangs gets a short time limit; one that ends may take as long as a busy machine
// needs.
constexpr std::chrono::milliseconds kShort = 400ms, kPatience = 120s;

SessionOptions limited(std::chrono::milliseconds load, std::chrono::milliseconds invoke) {
  SessionOptions options;
  options.own = TfliteOptions{Kernels::kBuiltin};
  options.load_limit = load;
  options.invoke_limit = invoke;
  return options;
}
SessionOptions patient() { return limited(kPatience, kPatience); }

std::unique_ptr<Engine> fake() {
  auto engine = open_supervised(kFake);
  EXPECT_TRUE(engine) << engine.error().what;
  return engine ? std::move(*engine) : nullptr;
}

/// The error of running the fake model `word` once.
Error failure(Engine& engine, std::string_view word, const SessionOptions& options = patient()) {
  auto session = engine.load(view_of(word), word, options);
  if (!session) return session.error();
  const auto inputs = seeded_inputs(**session);
  auto result = (*session)->infer(views(inputs));
  EXPECT_FALSE(result) << word;
  return result ? Error{} : result.error();
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    std::ifstream status(entry.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(status)), {});
    const auto after_name = text.rfind(')');
    if (after_name == std::string::npos) continue;
    char state = 0;
    int ppid = 0;
    if (std::sscanf(text.c_str() + after_name + 1, " %c %d", &state, &ppid) == 2 &&
        ppid == parent && state != 'Z')
      children.push_back(pid);
  }
  return children;
}

bool gone_or_zombie(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(status)), {});
  const auto after_name = text.rfind(')');
  return after_name == std::string::npos || text.find(" Z ", after_name) == after_name + 1;
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  long resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / 1e6;
}

TEST(Supervision, GivesBackWhatTheEngineComputes) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  EXPECT_EQ(engine->identity().version, "2.18.0-fake");
  auto session = engine->load(view_of("good"), "good", patient());
  ASSERT_TRUE(session) << session.error().what;
  ASSERT_EQ((*session)->inputs().size(), 1u);
  EXPECT_EQ((*session)->inputs()[0].name, "in");
  EXPECT_THAT((*session)->inputs()[0].shape, ElementsAre(4));
  const auto inputs = seeded_inputs(**session);
  for (int i = 0; i < 3; ++i) {
    auto result = (*session)->infer(views(inputs));
    ASSERT_TRUE(result) << result.error().what;
    ASSERT_EQ(result->outputs.size(), 1u);
    EXPECT_EQ(result->outputs[0].bytes, inputs[0].bytes);
  }
}

TEST(Supervision, IsStartedByALauncher) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("edgeprobe_launcher_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto launcher = folder / "launcher";
  std::ofstream(launcher) << "#!/bin/sh\necho \"$*\" >'" << (folder / "started").string()
                          << "'\nexec \"$@\"\n";
  std::filesystem::permissions(launcher, std::filesystem::perms::owner_all);
  ::setenv("EDGEPROBE_WORKER_LAUNCHER", launcher.c_str(), 1);
  auto engine = fake();
  ASSERT_TRUE(engine);
  auto session = engine->load(view_of("good"), "good", patient());
  ASSERT_TRUE(session) << session.error().what;
  const auto inputs = seeded_inputs(**session);
  EXPECT_TRUE((*session)->infer(views(inputs)));
  std::string line;
  std::getline(std::ifstream(folder / "started") >> std::ws, line);
  EXPECT_EQ(line, std::filesystem::read_symlink("/proc/self/exe").string() + " " + kWorkerArgument);

  ::setenv("EDGEPROBE_WORKER_LAUNCHER", "/no/such/launcher", 1);
  const auto missing = open_supervised(kFake);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what,
              AllOf(HasSubstr("/no/such/launcher"), HasSubstr("No such file")));
  ::setenv("EDGEPROBE_WORKER_LAUNCHER", "", 1);
  EXPECT_TRUE(open_supervised(kFake));
  ::unsetenv("EDGEPROBE_WORKER_LAUNCHER");
  std::filesystem::remove_all(folder);
}

TEST(Supervision, TurnsACrashIntoOneSentence) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  const Error run = failure(*engine, "crash run");
  EXPECT_EQ(run.kind, ErrorKind::kTarget);
  EXPECT_THAT(run.what,
              AllOf(HasSubstr("running 'crash run' in tflite 2.18.0-fake"), HasSubstr("SIGSEGV"),
                    HasSubstr("about to touch address zero"), Not(HasSubstr("\n"))));
  const Error load = failure(*engine, "crash load");
  EXPECT_THAT(load.what, AllOf(HasSubstr("loading 'crash load' in tflite"), HasSubstr("SIGSEGV")));
  EXPECT_THAT(failure(*engine, "abort run").what, HasSubstr("SIGABRT"));
  EXPECT_THAT(failure(*engine, "exit run").what, HasSubstr("ended with exit code 7"));
  std::cout << "example: " << run.what << "\n";
}

TEST(Supervision, StopsWhatTakesTooLong) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  for (const auto& [word, options] : {std::pair("hang load", limited(kShort, kPatience)),
                                      std::pair("hang run", limited(kPatience, kShort))}) {
    const auto start = Clock::now();
    const Error error = failure(*engine, word, options);
    const auto took = Clock::now() - start;
    EXPECT_EQ(error.kind, ErrorKind::kTarget);
    EXPECT_THAT(error.what, AllOf(HasSubstr(word),
                                  HasSubstr("longer than the limit of 400 ms and was stopped")));
    EXPECT_GE(took, kShort);
    EXPECT_LT(took, kPatience);
  }
}

TEST(Supervision, NamesTheLimitThatWasSetWhereManyRunsAreAskedFor) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  auto session = engine->load(view_of("hang run"), "hang run", limited(kPatience, kShort));
  ASSERT_TRUE(session);
  const auto inputs = seeded_inputs(**session);
  RepeatOptions options;
  options.count = 2;
  const auto repeated = (*session)->repeat(views(inputs), options, Control{});
  ASSERT_FALSE(repeated);
  EXPECT_THAT(repeated.error().what, HasSubstr("longer than the limit of 400 ms and was stopped"));
}

TEST(Supervision, ReportsTheEnginesOwnRefusalAndGoesOn) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  auto session = engine->load(view_of("refuse run"), "refuse run", patient());
  ASSERT_TRUE(session);
  const auto inputs = seeded_inputs(**session);
  for (int i = 0; i < 2; ++i) {  // A refusal does not end the session.
    auto result = (*session)->infer(views(inputs));
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().what, HasSubstr("Node number 3 (WORD) failed to invoke"));
  }
}

TEST(Supervision, IsNotHeldUpByAnEngineThatPrintsALot) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  auto session = engine->load(view_of("noisy run"), "noisy run", patient());
  ASSERT_TRUE(session);
  const auto inputs = seeded_inputs(**session);
  auto result = (*session)->infer(views(inputs));
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outputs[0].bytes, inputs[0].bytes);
}

TEST(Supervision, DoesNotBelieveGarbage) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  EXPECT_THAT(failure(*engine, "overwrite run").what,
              HasSubstr("sent an invalid answer and was stopped"));
}

TEST(Supervision, MakesARefusalPrintable) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  const std::string what = failure(*engine, "forge run").what;
  EXPECT_THAT(what, HasSubstr("\\x1b[31m"));
  for (const char letter : what) EXPECT_GE(static_cast<unsigned char>(letter), 0x20u) << what;
}

TEST(Supervision, OwnsEveryDescriptorThatIsSent) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  const std::size_t before = open_descriptors();
  auto session = engine->load(view_of("attach run"), "attach run", patient());
  ASSERT_TRUE(session) << session.error().what;
  const std::size_t loaded = open_descriptors();
  const auto inputs = seeded_inputs(**session);
  EXPECT_THAT((*session)->infer(views(inputs)).error().what, HasSubstr("agrees"));
  EXPECT_EQ(open_descriptors(), loaded);
  session->reset();
  EXPECT_LE(open_descriptors(), before);
}

TEST(Supervision, TakesNoAnswerThatIsTooLong) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  const auto start = Clock::now();
  EXPECT_THAT(failure(*engine, "claim run").what, HasSubstr("more bytes than are taken"));
  EXPECT_LT(Clock::now() - start, kPatience);
}

TEST(Supervision, IsNotHeldUpByWhatTheEngineStarted) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  const auto start = Clock::now();
  EXPECT_THAT(failure(*engine, "helper run", limited(kPatience, kShort)).what,
              AllOf(HasSubstr("limit of 400 ms"), HasSubstr("again")));
  EXPECT_LT(Clock::now() - start, kPatience);
}

TEST(Supervision, EndsTheSessionButNotTheEngine) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  auto broken = engine->load(view_of("crash run"), "crash run", patient());
  auto good = engine->load(view_of("good"), "good", patient());
  ASSERT_TRUE(broken && good);
  const auto inputs = seeded_inputs(**good);
  EXPECT_FALSE((*broken)->infer(views(inputs)));
  const auto again = (*broken)->infer(views(inputs));
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().what, AllOf(HasSubstr("this session is over since"),
                                        HasSubstr("SIGSEGV"), HasSubstr("load the model again")));
  EXPECT_TRUE((*good)->infer(views(inputs))) << "another session of the same engine";
  auto fresh = engine->load(view_of("good"), "good", patient());
  ASSERT_TRUE(fresh);
  EXPECT_TRUE((*fresh)->infer(views(inputs)));
}

TEST(Supervision, NoticesAKillFromOutside) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  const auto before = children_of(::getpid());
  ASSERT_EQ(before.size(), 1u) << "the one that opened the library";
  std::thread killer([pid = before[0]] {
    std::this_thread::sleep_for(200ms);
    ::kill(pid, SIGKILL);
  });
  const auto start = Clock::now();
  const Error error = failure(*engine, "hang run");
  killer.join();
  EXPECT_LT(Clock::now() - start, kPatience);
  EXPECT_THAT(error.what,
              AllOf(HasSubstr("SIGKILL"), HasSubstr("killed from outside or for lack of memory")));
}

TEST(Supervision, LeavesTheEngineAloneOnInterrupt) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  auto session = engine->load(view_of("good"), "good", patient());
  ASSERT_TRUE(session);
  for (const pid_t pid : children_of(::getpid())) ::kill(pid, SIGINT);
  std::this_thread::sleep_for(50ms);
  const auto inputs = seeded_inputs(**session);
  EXPECT_TRUE((*session)->infer(views(inputs)));
}

TEST(Supervision, SurvivesTheThreadThatOpenedTheSession) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  std::unique_ptr<Session> session;
  std::thread([&] {
    auto first = engine->load(view_of("good"), "good", patient());
    auto second = engine->load(view_of("good"), "good", patient());  // Started by this thread.
    if (second) session = std::move(*second);
  }).join();
  ASSERT_TRUE(session);
  std::this_thread::sleep_for(100ms);
  const auto inputs = seeded_inputs(*session);
  EXPECT_TRUE(session->infer(views(inputs)));
}

TEST(Supervision, EndsWithItsParent) {
  const auto model =
      std::filesystem::temp_directory_path() / ("edgeprobe_hang_" + std::to_string(::getpid()));
  ASSERT_TRUE(write_file(model, view_of("hang run")));
  const std::string engine = std::string("tflite:") + FAKE_RUNTIME;
  const std::string program = RUN_MODEL;
  std::vector<std::string> words = {program,      engine,         "builtin",  "1",
                                    "supervised", model.string(), "/dev/null"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t parent = -1;
  ASSERT_EQ(::posix_spawn(&parent, program.c_str(), nullptr, nullptr, arguments.data(), environ),
            0);
  std::vector<pid_t> children;
  for (int i = 0; i < 4000 && children.empty(); ++i) {
    std::this_thread::sleep_for(25ms);
    children = children_of(parent);
  }
  ASSERT_EQ(children.size(), 1u);
  std::this_thread::sleep_for(200ms);  // By then, the engine hangs.
  ::kill(parent, SIGKILL);
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  bool ended = false;
  for (int i = 0; i < 10'000 && !ended; ++i) {
    std::this_thread::sleep_for(10ms);
    ended = gone_or_zombie(children[0]);
  }
  EXPECT_TRUE(ended);
  std::filesystem::remove(model);
}

TEST(Supervision, LeaksNothingOverTwoHundredSessions) {
  auto engine = fake();
  ASSERT_TRUE(engine);
  const auto cycle = [&] {
    auto session = engine->load(view_of("good"), "good", patient());
    ASSERT_TRUE(session) << session.error().what;
    const auto inputs = seeded_inputs(**session);
    ASSERT_TRUE((*session)->infer(views(inputs)));
  };
  for (int i = 0; i < 10; ++i) cycle();
  const std::size_t descriptors = open_descriptors();
  const double before = resident_megabytes();
  const auto start = Clock::now();
  for (int i = 0; i < 200; ++i) cycle();
  const auto took = std::chrono::duration<double, std::milli>(Clock::now() - start).count() / 200;
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_TRUE(children_of(::getpid()).empty());
  EXPECT_LT(resident_megabytes() - before, 8);
  std::cout << "200 sessions: " << number(took) << " ms each, resident " << number(before) << " -> "
            << number(resident_megabytes()) << " MB, " << open_descriptors()
            << " descriptors before and after\n";
}

TEST(WorkerArgument, TypedByHandDoesNothing) {
  std::string program = "program";
  std::string argument = kWorkerArgument;
  char* typed[] = {program.data(), argument.data(), nullptr};
  EXPECT_EQ(run_worker_if_asked(2, typed), 2);
  char* plain[] = {program.data(), nullptr};
  EXPECT_FALSE(run_worker_if_asked(1, plain));
}

}  // namespace
}  // namespace edgeprobe::engine::testing
