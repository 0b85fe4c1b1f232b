import base64
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
SEEN = set()  # in a real receiver: a table


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        id = self.headers.get("webhook-id", "")
        sent = self.headers.get("webhook-timestamp", "0")
        digest = hmac.digest(KEY, f"{id}.{sent}.".encode() + body, "sha256")
        expected = "v1," + base64.b64encode(digest).decode()
        signatures = self.headers.get("webhook-signature", "").split(" ")
        is_signed = any(hmac.compare_digest(s, expected) for s in signatures)
        may = abs(time.time() - int(sent)) < 300 and is_signed
        if may and id not in SEEN:
            event = json.loads(body)
            data = event["data"]
            print(event["type"], data.get("projectSlug"), data["url"], flush=True)
            SEEN.add(id)
        self.send_response(204 if may else 401)
        self.end_headers()


PORT = int(os.environ.get("PORT", "8080"))
HTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
