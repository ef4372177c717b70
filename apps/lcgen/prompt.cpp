#include "lcgen/prompt.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/error.h"

namespace lc {
namespace {

constexpr const char* kStdin = "stdin";

[[noreturn]] void cannot_read(const std::string& source) {
  throw Error(ErrorKind::kData, source,
              std::string("the prompt can't be read: ") + std::strerror(errno),
              "name a text file, or give the text with --prompt");
}

// Pipes serve as well as files.
std::string read_all(std::FILE* file, const std::string& source) {
  std::string text;
  std::array<char, 1 << 16> buffer;
  for (size_t count; (count = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;) {
    text.append(buffer.data(), count);
  }
  if (std::ferror(file) != 0) cannot_read(source);
  return text;
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string read_named(const std::string& name) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(name.c_str(), "rb"));
  if (!file) cannot_read(name);
  return read_all(file.get(), name);
}

}  // namespace

Prompt read_prompt(const GenFlags& flags) {
  if (flags.prompt) return {*flags.prompt, "--prompt"};
  if (!flags.prompt_file) {
    const bool terminal = isatty(STDIN_FILENO) != 0;
    return {terminal ? "" : read_all(stdin, kStdin), kStdin};
  }
  const bool from_stdin = *flags.prompt_file == "-";
  Prompt prompt;
  prompt.source = from_stdin ? kStdin : *flags.prompt_file;
  prompt.text = from_stdin ? read_all(stdin, kStdin) : read_named(*flags.prompt_file);
  if (prompt.text.empty()) {
    throw Error(ErrorKind::kData, prompt.source, "the prompt is empty",
                "give a text, or leave --prompt-file out to begin without a prompt");
  }
  return prompt;
}

}  // namespace lc
