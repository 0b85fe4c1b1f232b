"""Evaluates a flag by OFREP: OFREP_URL=… OFREP_TOKEN=… python3 flag.py KEY [TARGETING_KEY]"""
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request


def flag(key, fallback, context):
    """Returns the value of a flag, or the fallback if there is none."""
    request = urllib.request.Request(
        f"{os.environ['OFREP_URL']}/ofrep/v1/evaluate/flags/{urllib.parse.quote(key, safe='')}",
        data=json.dumps({"context": context}).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['OFREP_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            return json.load(response).get("value", fallback)
    except urllib.error.HTTPError as error:
        print(f"{error.code} {json.load(error).get('errorDetails')}", file=sys.stderr)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
    return fallback


context = {"targetingKey": sys.argv[2]} if len(sys.argv) > 2 else {}
print(json.dumps(flag(sys.argv[1], "fallback", context)))
