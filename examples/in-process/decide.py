"""Decides variables of Rollkey inside a program (docs/in-process.md), with the standard library alone.

python3 decide.py NAME [SEED…]  prints the value for each seed, of the stage that ROLLKEY_URL, _TOKEN, _ORG, _PROJECT, _STAGE name
python3 decide.py --cases       prints the decision for each line {variable, salt, seed, key, context} of its input
"""
import datetime
import hashlib
import json
import math
import os
import random
import re
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid


class Rollkey:
    """Decisions of one stage. Any thread may call get, and one thread refresh and report."""

    def __init__(self, url, token, org, project, stage):
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._stage = {"orgSlug": org, "projectSlug": project, "stageSlug": stage}
        self._etag, self._variables = "", {}
        self._lock, self._counts, self._unanswered = threading.Lock(), {}, None

    def refresh(self):
        """Fetches the ruleset if it has changed. Call it at the start, then every 30 seconds: only a change is billed."""
        status, body, etag = self._post("ruleset", {}, {"If-None-Match": self._etag} if self._etag else {})
        if status in (401, 403):  # What the token may not read any more, the program may not use.
            self._etag, self._variables = "", {}
        if status == 200:
            ruleset = json.loads(body)
            self._variables = {each["name"]: (each, ruleset["salt"]) for each in ruleset["variables"]}
            self._etag = etag
        elif status != 304:
            raise RuntimeError(f"{status} {body}")

    def get(self, name, seed="", key="", context=None):
        """Returns the text of a value, and counts the decision. Raises LookupError."""
        variable, salt = self._variables.get(name, (None, None))
        if not variable:
            raise LookupError(f"{name} is not in the ruleset (expected a roll or a variable that is not secret): check the name")
        row, value = {"name": name}, variable.get("value")
        if variable["kind"] == "ab_roll":
            row = decide(variable, salt, seed, key, context)
            value = variable["valueA" if row["decision"] == "a" else "valueB"]
        row = tuple(row.items())
        with self._lock:
            self._counts[row] = self._counts.get(row, 0) + 1
        return value

    def report(self):
        """Reports what was decided. Call it every ten seconds, and at the end. If it raises because there is no answer, the next call
        sends the same report under the same key, so that the service counts it once."""
        while True:
            if self._unanswered and time.monotonic() - self._unanswered[2] > 1_800:
                self._unanswered = None  # The service forgets the key after an hour.
            if not self._unanswered:
                with self._lock:
                    rows = [{**dict(row), "count": self._counts.pop(row)} for row in list(self._counts)[:1_000]]
                if not rows:
                    return
                self._unanswered = (str(uuid.uuid4()), rows, time.monotonic())
            key, rows, _ = self._unanswered
            status, body, _ = self._post("report", {"decisions": rows}, {"X-Service-Request-Key": key})
            if status < 500 and status not in (408, 429):
                self._unanswered = None
            if status != 200:
                raise RuntimeError(f"{status} {body}")

    def _post(self, path, body, headers):
        """Returns status, body and ETag of the answer. Raises OSError if there is none."""
        body = json.dumps({**self._stage, **body}).encode()
        request = urllib.request.Request(f"{self._url}/v1/env/{path}", body, {**self._headers, **headers})
        try:
            with urllib.request.urlopen(request, timeout=5) as response:
                return response.status, response.read().decode(), response.headers["ETag"]
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace"), ""


def decide(variable, salt, seed="", key="", context=None):
    """Returns the side of a roll and what decided, as it is reported: the pin of the seed, the first rule that matches, or the chance."""
    decision = {"name": variable["name"]}
    if seed and "pins" in variable:
        pin = sha256(salt + seed).hex()[:32]
        for side in ("a", "b"):
            if pin in variable["pins"][side]:
                return {**decision, "decision": side, "step": "pin"}
    step, chance = {"step": "chance", "chance": variable["chance"]}, variable["chance"]
    for number, rule in enumerate(variable.get("rules", []), 1):
        if all(fulfils((context or {}).get(attribute), condition) for attribute, condition in rule["when"].items()):
            step, chance = {"step": "rule", "rule": number}, rule["then"]
            break
    if chance not in ("a", "b"):
        unit = bucket(variable["name"], seed, key) if seed or key else random.random()
        chance = "a" if unit < chance else "b"
    return {**decision, "decision": chance, **step}


def sha256(text):
    return hashlib.sha256(text.encode()).digest()


def bucket(name, seed, key):
    """Returns 0 <= u < 1: the top 53 bits of the hash."""
    return (int.from_bytes(sha256(f"ab_roll:{name}:{seed}:{key}")[:8], "big") >> 11) / 2**53


def scalar(value):
    """Returns a boolean, a finite number as float, or a well-formed text. Returns None for all else, which fulfils nothing."""
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value) if math.isfinite(value) else None
        return value if isinstance(value, bool) or value.encode() is not None else None
    except (AttributeError, OverflowError, UnicodeEncodeError):
        return None


def is_in(value, operands):
    return any(type(value) is type(each) and value == each for each in map(scalar, operands))


def texts(operand):
    return tuple(operand) if isinstance(operand, list) else operand


OPERATORS = {
    "in": is_in,
    "notIn": lambda value, operand: not is_in(value, operand),
    "equals": lambda value, operand: is_in(value, [operand]),
    "startsWith": lambda value, operand: isinstance(value, str) and value.startswith(texts(operand)),
    "endsWith": lambda value, operand: isinstance(value, str) and value.endswith(texts(operand)),
    "greaterThan": lambda value, operand: isinstance(value, float) and value > scalar(operand),
    "lessThan": lambda value, operand: isinstance(value, float) and value < scalar(operand),
    "semver": lambda value, operand: isinstance(value, str) and is_version_in(value, operand),
    "before": lambda value, operand: time_of(value) < time_of(operand),
    "after": lambda value, operand: time_of(value) > time_of(operand),
}


def fulfils(attribute, condition):
    value = scalar(attribute)
    return value is not None and all(OPERATORS.get(name, lambda *_: False)(value, operand) for name, operand in condition.items())


DATE = re.compile(
    "([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2})))?"
)


def time_of(text):
    """Returns a date or time of RFC 3339 in milliseconds since a fixed moment, or NaN, which is neither before nor after anything."""
    match = DATE.fullmatch(text) if isinstance(text, str) else None
    if not match:
        return math.nan
    year, month, day, hour, minute, second, east_hour, east_minute = (int(each or 0) for each in match.group(1, 2, 3, 4, 5, 6, 9, 10))
    if hour > 23 or minute > 59 or second > 60 or east_hour > 23 or east_minute > 59:
        return math.nan
    try:  # Python has no year 0. The calendar repeats every 400 years.
        date = datetime.date(2000 + year % 400, month, day)
    except ValueError:
        return math.nan
    east = (east_hour * 60 + east_minute) * (-1 if match[8] == "-" else 1)
    days, seconds = divmod((hour * 60 + minute - east) * 60 + second, 86_400)
    date += datetime.timedelta(days)
    # A leap second ends June or December in UTC.
    if second == 60 and (seconds != 0 or date.day != 1 or date.month not in (1, 7)):
        return math.nan
    milliseconds = int((match[7] or "")[:3].ljust(3, "0"))
    return ((date.toordinal() + year // 400 * 146_097) * 86_400 + seconds) * 1_000 + milliseconds


NUMBER = "(0|[1-9][0-9]{0,14})"
IDENTIFIER = "(?:0|[1-9][0-9]{0,14}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
SUFFIX = rf"(?:-({IDENTIFIER}(?:\.{IDENTIFIER})*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
VERSION = re.compile(rf"v?{NUMBER}\.{NUMBER}\.{NUMBER}{SUFFIX}")
PATCH = rf"(?:\.(?:[xX*]|{NUMBER}{SUFFIX}))?"
MINOR = rf"(?:\.(?:[xX*](?:\.[xX*])?|{NUMBER}{PATCH}))?"
COMPARATOR = re.compile(rf"(\^|~|<=|>=|<|>|=)?v?(?:[xX*](?:\.[xX*]){{0,2}}|{NUMBER}{MINOR})")
SPACE = "[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+"
LAST = "~"  # After every version.


def version_key(core, pre):
    """Returns a text that sorts as the version does: 51 characters of numbers, then the pre-release, or "~" for a release."""
    numbers = "".join(f"{each:016d}." for each in [*core, 0, 0, 0][:3])
    identifiers = (f"0{int(each):015d}" if each.isdigit() else f"1{each}" for each in (pre or "").split("."))
    return numbers + ("\x01".join(identifiers) if pre else "~")


def interval(word):
    """Returns the first version that a word of a range contains, and the first after those; None if the word is malformed."""
    match = COMPARATOR.fullmatch(word)
    if not match:
        return None
    sign, pre = match[1] or "=", match[5]
    core = [int(each) for each in match.group(2, 3, 4) if each]
    start = version_key(core, pre)
    if not core:
        return ("", version_key(core, "0")) if sign in "<>" else (start, LAST)
    kept = len(core)
    if sign == "^":
        kept = next((at for at, each in enumerate(core, 1) if each > 0), kept)
    if sign == "~":
        kept = min(kept, 2)
    following = [*core[: kept - 1], core[kept - 1] + 1]
    lowest, above, stop = version_key(core, "0"), version_key(following, None), version_key(following, "0")
    if len(core) == 3 and sign not in "^~":
        lowest, above, stop = start, start + "\0", start + "\0"
    return {"<": ("", lowest), "<=": ("", stop), ">": (above, LAST), ">=": (start, LAST)}.get(sign, (start, stop))


def is_version_in(text, versions):
    """Returns whether a text is a version in a range. A pre-release must be compared with one of the same version."""
    match = VERSION.fullmatch(text) if len(text) <= 256 else None
    alternatives = []
    for each in versions.split("||"):
        words = re.split(SPACE, re.sub(f"([<>=^~]){SPACE}", r"\1", each))
        alternatives.append([interval(word) for word in words if word])
    if not match or not all(each and None not in each for each in alternatives):
        return False
    version = version_key(map(int, match.group(1, 2, 3)), match[4])
    for each in alternatives:
        allowed = match[4] is None or any(end[:51] == version[:51] and end[51] != "~" for ends in each for end in ends)
        if allowed and all(start <= version < stop for start, stop in each):
            return True
    return False


def main(arguments):
    if arguments[0] == "--cases":
        for line in sys.stdin.buffer:
            print(json.dumps(decide(**json.loads(line))))
        return
    rollkey = Rollkey(*(os.environ[f"ROLLKEY_{part}"] for part in ("URL", "TOKEN", "ORG", "PROJECT", "STAGE")))
    for seed in arguments[1:] or [""]:
        rollkey.refresh()
        print(rollkey.get(arguments[0], seed))
    try:
        rollkey.report()
    except (OSError, RuntimeError):
        rollkey.report()


if __name__ == "__main__":
    main(sys.argv[1:])
