#!/usr/bin/env python3
"""A stock that guards itself: it has seen a token, and refuses smaller ones. Python's standard library only; forgets all when it ends.

usage: stock.py [PORT]
"""
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
one_at_a_time = threading.Lock()
left, greatest = 100, 0


class Stock(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, f"{left}\n")

    # tag::put[]
    def do_PUT(self):
        global left, greatest
        written = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        token = int(self.headers.get("X-Fencing-Token", 0))
        with one_at_a_time:
            if token < greatest:
                return self.answer(412, "somebody else has the lock by now\n")
            left, greatest = int(written), token
        self.answer(204)
    # end::put[]

    def answer(self, status, text=""):
        self.send_response(status)
        if text:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", port), Stock)
print(f"http://127.0.0.1:{server.server_address[1]}/stock/42", flush=True)
server.serve_forever()
