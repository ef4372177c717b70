"""Fetches, verifies and unpacks corpora: the work behind scripts/get_data.sh (see its help).

The table sources.json tells for each corpus the archives (addresses in the order in which they are
tried, size, sha256) and the files in the end (size and checksum where one is published). A corpus
with "base" has no archive: each file is fetched by its own name from there, and "list" names a table
of split, id, bytes and sha256. Only Python's standard library is used.
"""

import argparse
import concurrent.futures
import gzip
import hashlib
import http.client
import json
import os
import shutil
import sys
import time
import urllib.error
import urllib.request
import zipfile

TRIES = 5
BLOCK = 1 << 20
TIMEOUT_S = 60


class Failure(Exception):
    """One sentence for the user, with the exit code: 1 not fetched, 2 usage, 3 wrong data."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def say(text):
    print(text, file=sys.stderr, flush=True)


def checksum(path, name):
    digest = hashlib.new(name)
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def fault(path, entry):
    """Why the file isn't the one that the entry describes, or None."""
    size = os.path.getsize(path)
    if "bytes" in entry and size != entry["bytes"]:
        return f"it has {size} bytes instead of {entry['bytes']}"
    for name in ("sha256", "md5"):
        if name in entry:
            found = checksum(path, name)
            if found != entry[name]:
                return f"its {name} is {found} instead of {entry[name]}"
    return None


class Progress:
    """A line with megabytes and percent, on a terminal only."""

    def __init__(self, label, total):
        self.label, self.total, self.drawn = label, total, 0.0
        self.shown = sys.stderr.isatty()

    def update(self, done):
        if self.shown and time.monotonic() - self.drawn > 0.2:
            self.drawn = time.monotonic()
            percent = 100 * done // max(self.total, 1)
            sys.stderr.write(f"\r{self.label}: {done / 1e6:.1f} MB ({percent} %)\x1b[K")

    def close(self):
        if self.shown:
            sys.stderr.write("\r\x1b[K")


def receive(address, part, total, progress):
    """Appends what is missing to the file part; the server may also start anew."""
    have = os.path.getsize(part) if os.path.exists(part) else 0
    request = urllib.request.Request(address, headers={"User-Agent": "lctrain-get-data"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        resumed = have > 0 and answer.status == 206
        with open(part, "ab" if resumed else "wb") as file:
            done = have if resumed else 0
            while block := answer.read(BLOCK):
                file.write(block)
                done += len(block)
                progress.update(done)
                if done > total:
                    return


def fetch(addresses, part, entry, label):
    """The entry's file under the name part, complete and verified."""
    total = entry["bytes"]
    last = "no answer"
    for address in addresses:
        for attempt in range(TRIES):
            have = os.path.getsize(part) if os.path.exists(part) else 0
            if have >= total:
                break
            if have:
                say(f"{label}: resuming at {have} of {total} bytes")
            progress = Progress(label, total)
            try:
                receive(address, part, total, progress)
            except urllib.error.HTTPError as error:
                last = f"{address} answers {error.code} ({error.reason})"
                if error.code < 500:
                    break
            except (urllib.error.URLError, http.client.HTTPException, TimeoutError,
                    ConnectionError) as error:
                last = f"{address}: {getattr(error, 'reason', error)}"
            else:
                last = f"{address} ended the transfer early"
            finally:
                progress.close()
            if os.path.exists(part) and os.path.getsize(part) >= total:
                break
            if attempt + 1 < TRIES:
                time.sleep(min(2**attempt, 8) * RETRY_PAUSE_S)
        if os.path.exists(part) and os.path.getsize(part) >= total:
            break
    else:
        raise Failure(1, f"{label} could not be fetched: {last}; run this again to go on from where "
                         "it stopped, or give the file with --from PATH.")
    wrong = fault(part, entry)
    if wrong:
        os.remove(part)
        raise Failure(3, f"{label} from {address} is not the official file: {wrong}; it was removed, "
                         "so run this again, or give the file with --from PATH.")


def put(source, target):
    """The source's content at target, without a copy where the file system allows."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    temporary = target + ".new"
    if os.path.exists(temporary):
        os.remove(temporary)
    try:
        os.link(source, temporary)
    except OSError:
        shutil.copyfile(source, temporary)
    os.replace(temporary, target)


def unpack(archive, corpus, folder):
    with zipfile.ZipFile(archive) as packed:
        members = {os.path.basename(name): name for name in packed.namelist()}
        for entry in corpus["files"]:
            if entry["path"] not in members:
                raise Failure(3, f"{archive} holds no {entry['path']}: it is another archive; give "
                                 "the official one.")
            target = os.path.join(folder, entry["path"])
            with packed.open(members[entry["path"]]) as source, open(target + ".new", "wb") as file:
                shutil.copyfileobj(source, file, BLOCK)
            wrong = fault(target + ".new", entry)
            if wrong:
                os.remove(target + ".new")
                raise Failure(3, f"{entry['path']} in {archive} is not the official file: {wrong}.")
            os.replace(target + ".new", target)
            say(f"unpacked {target}")


def entries_of(corpus, table_folder, splits):
    """Every file of the corpus in the end; the books of PG-19 come from their list."""
    entries = list(corpus["files"])
    if "list" in corpus:
        with gzip.open(os.path.join(table_folder, corpus["list"]), "rt") as lines:
            next(lines)
            for line in lines:
                split, book, size, digest = line.split()
                if split in splits:
                    entries.append({"path": f"{split}/{book}.txt", "bytes": int(size),
                                    "sha256": digest})
    return entries


def missing(entries, folder):
    """The entries that are not in the folder yet, or not whole."""
    absent = []
    for entry in entries:
        path = os.path.join(folder, entry["path"])
        if not os.path.exists(path):
            absent.append(entry)
        elif wrong := fault(path, entry):
            say(f"{path}: {wrong}; it is replaced")
            absent.append(entry)
    return absent


def take(corpus, given, wanted, folder):
    """What the user has: an archive, a file, or a folder with either."""
    if not os.path.exists(given):
        raise Failure(3, f"--from {given}: there is no such file or folder; give the archive, the "
                         "file, or a folder that holds either.")
    inside = given if os.path.isdir(given) else os.path.dirname(given) or "."
    named = None if os.path.isdir(given) else os.path.basename(given)
    for archive in corpus.get("archives", []):
        path = os.path.join(inside, archive["file"])
        if named not in (None, archive["file"]) and zipfile.is_zipfile(given):
            path = given  # an archive under another name
        if os.path.exists(path) and (named is None or path == given or named == archive["file"]):
            wrong = fault(path, archive)
            if wrong:
                raise Failure(3, f"{path} is not the official file: {wrong}; give the official one.")
            unpack(path, corpus, folder)
            return
    for entry in wanted:
        path = os.path.join(inside, entry["path"])
        if named is not None and len(corpus["files"]) == 1 and "list" not in corpus:
            path = given  # the one file under another name
        if not os.path.exists(path):
            raise Failure(3, f"--from {given}: it holds neither the archive nor {entry['path']}; give "
                             "a path that holds one of them.")
        wrong = fault(path, entry)
        if wrong:
            raise Failure(3, f"{path} is not the official file: {wrong}; give the official one.")
        put(path, os.path.join(folder, entry["path"]))
    unproven = [entry["path"] for entry in wanted if "sha256" not in entry and "md5" not in entry]
    if unproven:
        say(f"taken as it is, since no checksum is published: {', '.join(unproven)}")


def fetch_archives(corpus, folder):
    for archive in corpus["archives"]:
        part = os.path.join(folder, archive["file"] + ".part")
        say(f"fetching {archive['file']} ({archive['bytes']} bytes)")
        fetch(archive["addresses"], part, archive, archive["file"])
        unpack(part, corpus, folder)
        os.remove(part)


def fetch_files(corpus, wanted, folder):
    """Many small files, eight at a time."""
    say(f"fetching {len(wanted)} files ({sum(entry['bytes'] for entry in wanted)} bytes)")

    def one(entry):
        target = os.path.join(folder, entry["path"])
        os.makedirs(os.path.dirname(target), exist_ok=True)
        fetch([corpus["base"] + entry["path"]], target + ".part", entry, entry["path"])
        os.replace(target + ".part", target)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        running = [pool.submit(one, entry) for entry in wanted]
        try:
            for done, future in enumerate(concurrent.futures.as_completed(running), 1):
                future.result()
                if done % 1000 == 0:
                    say(f"{done} of {len(wanted)} files")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def arguments(root, words):
    parser = argparse.ArgumentParser(prog="get_data.sh", add_help=False)
    parser.add_argument("corpus")
    parser.add_argument("--to")
    parser.add_argument("--from", dest="given")
    parser.add_argument("--splits", default="train,validation,test")
    parser.add_argument("--sources", default=os.path.join(root, "scripts/data/sources.json"))
    return parser.parse_args(words)


def run(root, words):
    options = arguments(root, words)
    with open(options.sources, encoding="utf-8") as file:
        sources = json.load(file)
    if options.corpus not in sources:
        raise Failure(2, f"unknown corpus {options.corpus}: known are {', '.join(sources)}.")
    splits = options.splits.split(",")
    if unknown := set(splits) - {"train", "validation", "test"}:
        raise Failure(2, f"--splits {options.splits}: unknown split {', '.join(sorted(unknown))}; "
                         "known are train, validation, test.")
    corpus = sources[options.corpus]
    folder = options.to or os.path.join(root, "data", options.corpus)
    os.makedirs(folder, exist_ok=True)
    entries = entries_of(corpus, os.path.dirname(options.sources), splits)
    wanted = missing(entries, folder)
    if not wanted:
        say(f"{options.corpus}: complete in {folder}, nothing to do")
    elif options.given:
        take(corpus, options.given, wanted, folder)
    elif "archives" in corpus:
        fetch_archives(corpus, folder)
    else:
        fetch_files(corpus, wanted, folder)
    path = os.path.join(folder, corpus["config"]["path"]).rstrip("/")
    section = json.dumps({"corpus": corpus["config"]["corpus"], "path": path})
    print(f'"data": {section}')


RETRY_PAUSE_S = float(os.environ.get("LC_RETRY_PAUSE_S", "1"))

if __name__ == "__main__":
    try:
        run(sys.argv[1], sys.argv[2:])
    except Failure as failure:
        say(f"get_data.sh: {failure}")
        sys.exit(failure.code)
    except KeyboardInterrupt:
        say("get_data.sh: interrupted; run it again to go on from where it stopped.")
        sys.exit(1)
    except OSError as error:
        say(f"get_data.sh: {error.filename or 'file system'}: {error.strerror or error}; see to the "
            "free space and rights there, and run this again to go on from where it stopped.")
        sys.exit(1)
