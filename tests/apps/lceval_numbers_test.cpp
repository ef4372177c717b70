// Numbers that are no numbers, or beyond all that can be counted, given to lceval's flags.
#include <string>
#include <vector>

#include "apps/lceval_process.h"
#include "catch.h"

namespace lceval {
namespace {

constexpr const char* kLargest = "9223372036854775807";

}  // namespace

TEST_CASE("lceval refuses lengths beyond what can be counted, and never counts on with them") {
  const Workplace place;
  train_xl(place);
  const auto refused = [&](int exit_code, std::vector<std::string> arguments) {
    arguments.emplace_back("runs/xl");
    CAPTURE(arguments);
    return refusal(place, exit_code, arguments);
  };
  const std::string range = std::string(": ") + kLargest +
                            " is out of range; give an integer of at least 0 and at most "
                            "2147483648\n";
  CHECK(refused(2, {"--memory", kLargest}).ends_with(range));
  CHECK(refused(2, {"--memory-footprint", "--memory", kLargest}).ends_with(range));
  CHECK(refused(2, {"--sweep", std::string("memory=1,") + kLargest}).ends_with(range));
  CHECK(refused(2, {"--set", std::string("data.sequence_segments=") + kLargest}).ends_with(range));
  const std::string segment = "lceval: --segment: " + std::string(kLargest) +
                              " is too long; give at most 2147483648 tokens\n";
  CHECK(refused(2, {"--segment", kLargest}) == segment);
  CHECK(refused(2, {"--memory-footprint", "--segment", kLargest}) == segment);
  CHECK(refused(3, {"--context", kLargest}).find("is longer than the text of 3000 tokens") !=
        std::string::npos);
  CHECK(refused(3, {"speed", "--context", kLargest}).find("is longer than the text of 3000") !=
        std::string::npos);
  CHECK(refused(2, {"recl", "--longest", kLargest}).find("--longest: value 9223372036854775807") !=
        std::string::npos);
  CHECK(refused(2, {"recl", "--longest", "2000000", "--step", "1"}).find("--step: value 1 makes") !=
        std::string::npos);
  CHECK(refused(2, {"--threads", "1000000"})
            .ends_with(": 1000000 is out of range; give an integer of at least 1 and at most 1024, "
                       "or null\n"));

  // Larger than the text is no fault: the whole text is meant.
  const double whole = json_of(place, {"runs/xl", "--memory", "3000"}).at("nats_per_token");
  CHECK(json_of(place, {"runs/xl", "--memory", "2147483648"}).at("nats_per_token") == whole);
  const double all = json_of(place, {"runs/xl"}).at("nats_per_token");
  CHECK(json_of(place, {"runs/xl", "--tokens", kLargest}).at("nats_per_token") == all);
  const std::vector<std::string> reference = {"runs/xl", "--set", "data.lane_split=reference"};
  std::vector<std::string> limited = reference;
  limited.insert(limited.end(), {"--tokens", kLargest});
  CHECK(json_of(place, limited).at("nats_per_token") ==
        json_of(place, reference).at("nats_per_token"));
  limited = reference;
  limited.insert(limited.end(), {"--lanes", kLargest});
  CHECK(refusal(place, 3, limited).find("nothing to score; give a longer text") !=
        std::string::npos);
}

TEST_CASE("lceval and lcgen name the flag of a text that is no number") {
  const Workplace place;
  for (const char* flag : {"--dynamic-lr", "--dynamic-decay", "--dynamic-epsilon"}) {
    for (const char* value : {"abc", "nan"}) {
      CHECK(refusal(place, 2, {"runs/xl", "--dynamic", "sgd", flag, value}) ==
            "lceval: " + std::string(flag) + ": \"" + value +
                "\" is no finite number; give one such as 0.01\n");
    }
  }
  CHECK(refusal(place, 2, {"recl", "runs/xl", "--step", "abc"}) ==
        "lceval: --step: \"abc\" is no whole number; give a whole number from 1 on\n");
  const lctrain::Result warm = run_program(place, "lcgen", {"--temperature", "warm"});
  CHECK(warm.exit_code == 2);
  CHECK(warm.err == "lcgen: --temperature: \"warm\" is no finite number; give one such as 0.01\n");
}

}  // namespace lceval
