// Passkey retrieval: a number hidden in a text that says nothing, asked for at its end.
//
// newline and space: the wording of the Landmark Attention test (Mohtashami & Jaggi 2023, arXiv
// 2305.16300), its five parts (task, filler, needle, filler, question) joined by line ends, or by
// blanks around whole units of filler as in the Infini-attention paper (arXiv 2404.07143, appendix
// B). toy: a short form that is learned in minutes (toy_passkey.h). All lengths are bytes; a byte
// is a character, for the texts are ASCII.
//
// What a prompt holds is drawn by SplitMix64 from a sample's number: newline and space draw the
// key alone, 1 .. 50000; toy its key and the phase of its filler. A depth d in [0, 1] puts
// floor(d * n + 0.5) of the n bytes (newline, toy) or units (space) of filler before the needle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/passkey/split_mix.h"

namespace lc {

enum class PasskeyFormat { kNewline, kSpace, kToy };

// "newline", "space", "toy". Error(kUsage) that names the flag for anything else.
PasskeyFormat passkey_format(const std::string& name, const std::string& flag);
std::string name_of(PasskeyFormat format);

enum class AnswerWidth {
  kOpen,   // a number of any width, and the text may go on after it
  kFixed,  // as many digits as the answer has; nothing is said of what follows
};

struct PasskeyPrompt {
  std::string text;          // what is read before the answer
  std::string continuation;  // what must follow: the answer, a blank before it in newline and space
  std::string answer;        // the digits of the key
  int64_t needle_offset = 0;  // bytes [needle_offset, needle_end) of the text
  int64_t needle_end = 0;
  AnswerWidth width = AnswerWidth::kOpen;
};

// By their own measures, whatever the whole comes to.
struct NewlineShape {
  int64_t filler_chars = 0;
  int64_t prefix_chars = 0;  // of the filler, before the needle
};
struct SpaceShape {
  int64_t units_before = 0;
  int64_t units_after = 0;
};
PasskeyPrompt newline_prompt(int64_t key, NewlineShape shape);
PasskeyPrompt space_prompt(int64_t key, SpaceShape shape);

// By length and depth. The length is that of the prompt, which newline fills exactly and space with
// the most whole units that fit; a toy sample is that long with its answer.
struct PasskeyPlace {
  int64_t length = 0;  // at least shortest_prompt()
  double depth = 0;
};
PasskeyPrompt passkey_prompt(PasskeyFormat format, PasskeyPlace place, SampleNumber number);

// The shortest length that has room for every key.
int64_t shortest_prompt(PasskeyFormat format);

// What guessing comes to.
struct PasskeyChance {
  double digit;
  double exact;
};
PasskeyChance passkey_chance(PasskeyFormat format);

// The filler's unit, and bytes [first, first + count) of unit, blank, unit, blank, ...
std::string_view filler_unit();
std::string endless_filler(int64_t first, int64_t count);

}  // namespace lc
