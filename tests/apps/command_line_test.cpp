// What is said of arguments that no flag or command takes, and what the help of commands lists.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/lceval_process.h"
#include "catch.h"
#include "common/app_main.h"
#include "common/command_help.h"
#include "core/error.h"

namespace {

using lceval::run_program;
using lceval::Workplace;

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool in_general(const CLI::Option& flag) { return flag.get_group() == "General"; }

// A program with a command that takes one group of its flags, and one that takes none.
struct Program {
  CLI::App app{"Does this and that.", "prog"};
  std::vector<std::string> texts = std::vector<std::string>(6);

  Program() {
    app.require_subcommand(0, 1);
    app.add_option("--context", texts[0], "How much.")->group("General");
    app.add_option("--checkpoint", texts[1], "Of whom.")->group("General");
    app.add_option("--contest", texts[2], "Never in slices.");
    CLI::App* slices = app.add_subcommand("slices", "Cuts.");
    slices->add_option("--by", texts[3], "By what.")->required();
    slices->fallthrough();
    lc::list_flags_of_program(*slices, in_general);
    app.add_subcommand("export", "Writes.")->add_option("--config", texts[4], "What.");
  }

  // What parsing throws; "": nothing.
  std::string refusal(std::vector<std::string> words) {
    words.insert(words.begin(), "prog");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    try {
      lc::parse_flags(app, static_cast<int>(arguments.size()), arguments.data(),
                      [this](const CLI::Option& flag) {
                        return !app.got_subcommand("slices") || in_general(flag);
                      });
    } catch (const lc::Error& error) {
      CHECK(error.kind() == lc::ErrorKind::kUsage);
      return error.what();
    }
    return "";
  }
};

std::string refused(const std::vector<std::string>& words) { return Program().refusal(words); }

// Exit code and message of a program.
std::string answer(const Workplace& place, const std::string& program,
                   const std::vector<std::string>& arguments) {
  const lctrain::Result result = run_program(place, program, arguments);
  CHECK(result.out.empty());
  return std::to_string(result.exit_code) + " " + result.err;
}

}  // namespace

TEST_CASE("the nearest flag that the called command takes is named for one it doesn't know") {
  CHECK(refused({"--context", "5", "slices", "--by", "x"}).empty());
  CHECK(refused({"--contxt", "5"}) == "--contxt: is no flag of prog; did you mean --context?");
  CHECK(refused({"--contxt=5"}) == "--contxt: is no flag of prog; did you mean --context?");
  CHECK(refused({"--contet", "5"}) == "--contet: is no flag of prog; did you mean --context?");
  CHECK(refused({"--contes", "5"}) == "--contes: is no flag of prog; did you mean --contest?");
  // Not what isn't taken there, and before what is missing.
  CHECK(refused({"slices", "--contes", "5"}) ==
        "--contes: is no flag of prog slices; did you mean --context?");
  CHECK(refused({"slices", "--yb", "x"}) == "--yb: is no flag of prog slices; did you mean --by?");
  CHECK(refused({"export", "--confg", "x"}) ==
        "--confg: is no flag of prog export; did you mean --config?");
  CHECK(refused({"export", "--contexd", "x"}) ==
        "--contexd: is no flag of prog export; see prog export --help");
  CHECK(refused({"--nothing-like-it"}) == "--nothing-like-it: is no flag of prog; see prog --help");
  CHECK(refused({"slices"}) == "--by is required; see prog slices --help");
}

TEST_CASE("a flag of another command, or before its own, is told as such") {
  CHECK(refused({"--by", "x"}) ==
        "--by: is no flag of prog, but one of prog slices; see prog slices --help");
  CHECK(refused({"export", "--by", "x"}) ==
        "--by: is no flag of prog export, but one of prog slices; see prog slices --help");
  CHECK(refused({"export", "--context", "5"}) ==
        "--context: is no flag of prog export, but one of prog; see prog --help");
  CHECK(refused({"--by", "x", "slices"}) ==
        "--by: stands before the command that it belongs to; write it after prog slices");
}

TEST_CASE("a word without a flag is told as a command misspelt, or the value of a flag") {
  const Workplace place;
  CHECK(refused({"slcies"}) == "slcies: is no command of prog; did you mean slices?");
  const std::string folder = place.path().string();
  CHECK(refused({folder}) ==
        folder + ": stands without a flag; did you mean --checkpoint " + folder + "?");
  CHECK(refused({"export", "a b.json"}) ==
        "a b.json: stands without a flag; did you mean --config 'a b.json'?");
  CHECK(refused({"a.json"}) == "a.json: is the value of no flag of prog; see prog --help");
  CHECK(refused({"export", "slices"}) ==
        "slices: is the value of no flag of prog export; see prog export --help");
}

TEST_CASE("the help of a command lists its own flags, then those of the program that it takes") {
  Program program;
  const std::string help = program.app.get_subcommand("slices")->help("prog");
  CHECK(holds(help, "Usage: prog slices"));
  const size_t own = help.find("--by");
  const size_t general = help.find("General:");
  REQUIRE(own != std::string::npos);
  REQUIRE(general != std::string::npos);
  CHECK(own < general);
  CHECK(help.find("--context") > general);
  CHECK(holds(help, "--checkpoint"));
  CHECK(!holds(help, "--contest"));
  CHECK(!holds(program.app.get_subcommand("export")->help("prog"), "General"));
}

TEST_CASE("each program names the flag, command or way that was meant, with exit code 2") {
  const Workplace place;
  place.write("xl.json", place.config("xl"));
  std::filesystem::create_directories(place.path() / "runs" / "xl");
  CHECK(answer(place, "lctrain", {"--confg", "xl.json"}) ==
        "2 lctrain: --confg: is no flag of lctrain; did you mean --config?\n");
  CHECK(answer(place, "lctrain", {"xl.json"}) ==
        "2 lctrain: xl.json: stands without a flag; did you mean --config xl.json?\n");
  CHECK(answer(place, "lcgen", {"--prmpt", "a"}) ==
        "2 lcgen: --prmpt: is no flag of lcgen; did you mean --prompt?\n");
  CHECK(answer(place, "lcgen", {"runs/xl"}) ==
        "2 lcgen: runs/xl: stands without a flag; did you mean --checkpoint runs/xl?\n");
  CHECK(answer(place, "lcprep", {"exprt"}) ==
        "2 lcprep: exprt: is no command of lcprep; did you mean export?\n");
  CHECK(answer(place, "lcprep", {"import", "--weigths", "w"}) ==
        "2 lcprep: --weigths: is no flag of lcprep import; did you mean --weights?\n");
  CHECK(answer(place, "lceval", {"--contxt", "5"}) ==
        "2 lceval: --contxt: is no flag of lceval; did you mean --context?\n");
  CHECK(answer(place, "lceval", {"slices", "--tokns", "5"}) ==
        "2 lceval: --tokns: is no flag of lceval slices; did you mean --tokens?\n");
  CHECK(
      answer(place, "lceval", {"slcies", "runs/xl"}) ==
      "2 lceval: slcies: is neither a run nor a command of lceval; did you mean lceval slices?\n");
  CHECK(answer(place, "lceval", {"--by", "frequency", "--checkpoint", "runs/xl"}) ==
        "2 lceval: --by: is no flag of lceval, but one of lceval slices; see lceval slices "
        "--help\n");
  // A flag that this command doesn't take is not the one that was meant.
  CHECK(answer(place, "lceval", {"--memory-footprint", "--spilt", "valid"}) ==
        "2 lceval: --spilt: is no flag of lceval; see lceval --help\n");
}

TEST_CASE("lceval's commands list every flag that they take, and refuse all others") {
  const Workplace place;
  const auto help = [&](const std::string& verb) {
    const lctrain::Result result = run_program(place, "lceval", {verb, "--help"});
    CHECK(result.exit_code == 0);
    return result.out;
  };
  for (const std::string verb : {"slices", "recl", "passkey", "attention", "speed"}) {
    CAPTURE(verb);
    const std::string text = help(verb);
    for (const char* flag : {"--checkpoint RUN", "--segment", "--memory", "--json", "--out",
                             "--device", "--threads", "--quiet", "--version"}) {
      CAPTURE(flag);
      CHECK(holds(text, flag));
    }
    CHECK(!holds(text, "--dump-nll"));
    CHECK(!holds(text, "--memory-footprint"));
  }
  CHECK(help("slices").find("--by") < help("slices").find("--checkpoint"));
  CHECK(!holds(help("slices"), "--context"));
  CHECK(holds(help("compare"), "--dynamic"));
  CHECK(!holds(help("compare"), "--checkpoint"));
  const std::string report = help("report");
  CHECK(holds(report, "--out"));
  CHECK(holds(report, "--quiet"));
  CHECK(!holds(report, "--device"));
  CHECK(!holds(report, "--json"));
  CHECK(answer(place, "lceval", {"report", "runs/xl", "--threads", "1"})
            .starts_with("2 lceval: --threads: does not go with report, which reads what"));
}

TEST_CASE("lcprep's commands take the flags of messages before and after their name") {
  const Workplace place;
  lceval::write(place.path() / "a.txt", "the river runs");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"tokenizer", "--set", "data.path=a.txt", "--quiet"},
        {"--quiet", "tokenizer", "--set", "data.path=a.txt"}}) {
    CHECK(run_program(place, "lcprep", arguments).exit_code == 0);
  }
  const lctrain::Result help = run_program(place, "lcprep", {"export", "--help"});
  CHECK(holds(help.out, "--quiet"));
  CHECK(!holds(help.out, "--info"));
}

TEST_CASE("lceval takes runs without --checkpoint, beside those with it") {
  const Workplace place;
  lceval::train_xl(place);
  const auto named = lceval::json_of(place, {"--checkpoint", "runs/xl"});
  const auto bare = lceval::json_of(place, {"runs/xl"});
  CHECK(bare.at("nats_per_token") == named.at("nats_per_token"));
  CHECK(lceval::json_of(place, {"runs/xl", "--checkpoint", "runs/xl"}).at("runs").size() == 2);
  CHECK(lceval::json_of(place, {"--set", "data.boundaries=reset", "runs/xl"})
            .at("protocol")
            .at("boundaries") == "reset");
  CHECK(lceval::json_of(place, {"slices", "runs/xl", "--by", "position"}).at("by") == "position");
  CHECK(lceval::refusal(place, 2, {"compare", "runs/xl", "runs/xl", "--checkpoint", "runs/xl"})
            .find("--checkpoint: does not go with compare") != std::string::npos);
  CHECK(lceval::refusal(place, 3, {"runs/absent"}).find("runs/absent: there is no such folder") !=
        std::string::npos);
}
