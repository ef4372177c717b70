#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "catch.h"
#include "core/file_io.h"

namespace {

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("lcprep_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct Answer {
  int exit_code;
  std::string out;
  std::string err;
};

Answer lcprep(const Folder& folder, const std::string& arguments) {
  const std::string err = folder.path("stderr");
  const std::string command = "LCTRAIN_CACHE='" + folder.path("cache") +
                              "' " LC_BIN_DIR "/lcprep " + arguments + " 2> '" + err + "'";
  FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  for (int byte = 0; (byte = std::fgetc(pipe)) != EOF;) out += static_cast<char>(byte);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out, lc::read_file(err)};
}

int times_in(const std::string& text, const std::string& part) {
  int times = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

}  // namespace

TEST_CASE("lcprep prepares a text, finds it again, and shows what its token files hold") {
  const Folder folder;
  lc::write_file_atomically(folder.path("t"), "a b\nb c\n");
  const std::string settings =
      "--set data.train=" + folder.path("t") + " --set data.tokenizer.type=word";
  const Answer first = lcprep(folder, settings + " --json");
  REQUIRE(first.exit_code == 0);
  const auto prepared = nlohmann::json::parse(first.out);
  CHECK(prepared.at("splits").at("train").at("tokens") == 6);
  CHECK(prepared.at("cached") == false);
  CHECK(nlohmann::json::parse(lcprep(folder, settings + " --json").out).at("cached") == true);

  const std::string file = prepared.at("splits").at("train").at("file").get<std::string>();
  const auto info = nlohmann::json::parse(lcprep(folder, "--json --info " + file).out);
  CHECK(info.at("counts").at("words") == 4);
  CHECK(info.at("documents").at(0).at("name") == "t");
  CHECK(lcprep(folder, "--info " + file).out.find("\"tokens\":6") != std::string::npos);

  const Answer tokens = lcprep(
      folder, "tokenizer " + settings + " --json --encode 'b c' --out " + folder.path("words.txt"));
  REQUIRE(tokens.exit_code == 0);
  CHECK(nlohmann::json::parse(tokens.out).at("tokens") == nlohmann::json{"b ", "c "});
  // Counts: b 2, <eos> 2, a 1, c 1.
  CHECK(lc::read_file(folder.path("words.txt")) == "b\n<eos>\na\nc\n");

  lc::write_file_atomically(folder.path("short"), lc::read_file(file).substr(0, 120));
  const Answer damaged = lcprep(folder, "--info " + folder.path("short"));
  CHECK(damaged.exit_code == 3);
  CHECK(damaged.out.empty());
  CHECK(damaged.err.find("truncated or damaged") != std::string::npos);
}

TEST_CASE("lcprep warns once of CR LF in a text, and never where it reads it as LF") {
  const Folder folder;
  lc::write_file_atomically(folder.path("t"), "a\r\nb\r\n");
  const std::string text = folder.path("t");
  const std::string settings = "--set data.train=" + text + " --set data.valid=" + text +
                               " --set data.test=" + text + " --json";
  const auto bytes_of_train = [](const Answer& answer) {
    INFO(answer.err);
    REQUIRE(answer.exit_code == 0);
    return nlohmann::json::parse(answer.out).at("splits").at("train").at("bytes");
  };
  const Answer kept = lcprep(folder, settings);
  CHECK(bytes_of_train(kept) == 6);
  CHECK(times_in(kept.err, "warning") == 1);
  CHECK(times_in(kept.err, "CR LF line ends, which are kept: data.newlines \"lf\"") == 1);
  const Answer read_as_lf = lcprep(folder, settings + " --set data.newlines=lf");
  CHECK(bytes_of_train(read_as_lf) == 4);
  CHECK(times_in(read_as_lf.err, "warning") == 0);
  CHECK(times_in(read_as_lf.err, "CR LF") == 0);
}

TEST_CASE("lcprep warns once for all splits of an enwik8 of another size") {
  const Folder folder;
  lc::write_file_atomically(folder.path("enwik8"), std::string(1000, 'a'));
  const Answer answer =
      lcprep(folder, "--set data.corpus=enwik8 --set data.path=" + folder.path("enwik8"));
  INFO(answer.err);
  REQUIRE(answer.exit_code == 0);
  CHECK(times_in(answer.err, "warning") == 1);
  CHECK(times_in(answer.err, "enwik8: not the published split (train, valid, test)") == 1);
}

TEST_CASE("lcprep shows bytes that are no whole character as U+FFFD") {
  const Folder folder;
  lc::write_file_atomically(folder.path("t"), "a b\nb c\n");
  const std::string arguments = "tokenizer --set data.train=" + folder.path("t") +
                                " --set data.tokenizer.type=byte --encode 'na\xC3\xAFve'";
  const Answer text = lcprep(folder, arguments);
  INFO(text.err);
  CHECK(text.exit_code == 0);
  const std::string tokens = R"(["n","a","\uFFFD","\uFFFD","v","e"])";
  CHECK(text.out.find(nlohmann::json::parse(tokens).dump()) != std::string::npos);
  CHECK(nlohmann::json::parse(lcprep(folder, arguments + " --json").out).at("tokens") ==
        nlohmann::json::parse(tokens));
}

TEST_CASE("lcprep never advises to delete a file that it didn't make") {
  const Folder folder;
  lc::write_file_atomically(folder.path("mine.txt"), std::string(200, 'a'));
  const Answer mine = lcprep(folder, "--info " + folder.path("mine.txt"));
  CHECK(mine.exit_code == 3);
  CHECK(mine.err.find("is no token file") != std::string::npos);
  CHECK(mine.err.find("delete") == std::string::npos);
  lc::write_file_atomically(folder.path("made.lctok"), std::string(200, 'a'));
  CHECK(lcprep(folder, "--info " + folder.path("made.lctok")).err.find("delete the file") !=
        std::string::npos);
}

TEST_CASE("lcprep fails where its output is lost") {
  const Folder folder;
  lc::write_file_atomically(folder.path("t"), "a b\nb c\n");
  const std::string settings =
      "--set data.train=" + folder.path("t") + " --set data.tokenizer.type=word";
  const auto prepared = nlohmann::json::parse(lcprep(folder, settings + " --json").out);
  const std::string file = prepared.at("splits").at("train").at("file").get<std::string>();
  for (const std::string& arguments :
       {settings, settings + " --json", "tokenizer " + settings, "--info " + file,
        "--json --info " + file, std::string("--help")}) {
    const Answer lost = lcprep(folder, arguments + " > /dev/full");
    CAPTURE(arguments, lost.err);
    CHECK(lost.exit_code == 1);
    CHECK(lost.err.find("lcprep: stdout: can't be written: ") != std::string::npos);
  }
}

TEST_CASE("lcprep refuses flags that it wouldn't look at") {
  const Folder folder;
  const std::string exporting = " export --format huggingface --checkpoint runs/xl --out new";
  for (const auto& [arguments, message] :
       {std::pair<std::string, std::string>{
            "--json" + exporting,
            "--json: stands before the command export, which has its own; write it after export"},
        {"--set nonsense=1" + exporting, "--set: does not go with the command export; leave it"},
        {"--info t tokenizer --set data.train=t", "--info: does not go with the command tokenizer"},
        {"--set data.train=t tokenizer", "--set: stands before the command tokenizer"},
        {"--config absent.json --info t", "--config: does not go with --info, which reads a token"},
        {"--set nonsense=1 --info t", "--set: does not go with --info, which reads a token"}}) {
    const Answer refused = lcprep(folder, arguments);
    CAPTURE(arguments, refused.err);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find("lcprep: " + message) != std::string::npos);
  }
}

TEST_CASE("lcprep refuses an empty path with the flag's name") {
  const Folder folder;
  const std::string importing = "import --format kimiyoung --weights w --config c --out ";
  for (const auto& [arguments, flag] :
       {std::pair<std::string, std::string>{"--config ''", "--config"},
        {"--info ''", "--info"},
        {"tokenizer --set data.train=t --out ''", "--out"},
        {importing + "''", "--out"},
        {importing + "run --vocab ''", "--vocab"},
        {"import --format kimiyoung --weights '' --config c --out run", "--weights"},
        {"import --format kimiyoung --weights w --config '' --out run", "--config"},
        {"export --format huggingface --checkpoint '' --out new", "--checkpoint"},
        {"export --format huggingface --checkpoint runs/xl --out ''", "--out"}}) {
    const Answer refused = lcprep(folder, arguments);
    CAPTURE(arguments, refused.err);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err == "lcprep: " + flag + ": is empty; give a path\n");
  }
}

TEST_CASE("lcprep ends with the documented exit codes") {
  const Folder folder;
  CHECK(lcprep(folder, "").exit_code == 2);
  CHECK(lcprep(folder, "--set data.corpos=text").exit_code == 2);
  CHECK(lcprep(folder, "--config " + folder.path("absent.json")).exit_code == 2);
  const Answer absent = lcprep(folder, "--set data.path=" + folder.path("absent"));
  CHECK(absent.exit_code == 3);
  CHECK(absent.err.find("doesn't exist") != std::string::npos);
}

TEST_CASE("lcprep ends with exit code 3 and one sentence where a text is bad") {
  const Folder folder;
  for (const auto& [name, content, message] :
       {std::tuple("empty", std::string(), "is empty: 0 bytes"),
        {"binary", std::string("ab\0c", 4), "looks like binary data, not text: a NUL at byte 2"},
        {"latin", std::string("na\xEFve\n"), "isn't UTF-8 at byte 2, line 1"},
        {"huge", std::string(70'000, 'x'), "line 1: has a word longer than 65536 bytes"}}) {
    lc::write_file_atomically(folder.path(name), content);
    const Answer refused =
        lcprep(folder, "--set data.tokenizer.type=word --set data.train=" + folder.path(name));
    CAPTURE(name, refused.err);
    CHECK(refused.exit_code == 3);
    CHECK(refused.out.empty());
    CHECK(refused.err.find(message) != std::string::npos);
    CHECK(times_in(refused.err, "\n") == 1);
    CHECK(refused.err.find("lcprep: ") == 0);
  }
}
