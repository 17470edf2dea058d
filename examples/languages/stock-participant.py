#!/usr/bin/env python3
"""A participant of sagas and TCC: a stock in SQLite, with the barrier in the same database. Python's standard library only.

usage: [CALL_SECRETS="whsec_… …"] stock-participant.py DATABASE [PORT]
"""
import base64
import hmac
import json
import os
import re
import sqlite3
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

database = sys.argv[1]
port = int(sys.argv[2]) if len(sys.argv) > 2 else 0

# tag::verify[]
def key(secret):
    return base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()


KEYS = [key(secret) for secret in os.environ.get("CALL_SECRETS", "").split()]  # two, while one is replaced


def is_signed(headers, body, now):
    """Whether who has the secret has signed this call lately: its ID, which says which call it is, the time, and the body."""
    branch = headers.get("Tenon-Branch", "").replace("/", "%2F").replace(".", "%2E")
    call = f"{headers.get('Tenon-Gid')}/{branch}/{headers.get('Tenon-Operation')}"
    sent = headers.get("webhook-timestamp", "")
    if headers.get("webhook-id") != call or not re.fullmatch("[0-9]{1,12}", sent) or abs(now - int(sent)) > 300:
        return False
    signed = f"{call}.{sent}.".encode() + body
    wanted = [b"v1," + base64.b64encode(hmac.digest(k, signed, "sha256")) for k in KEYS]
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any([hmac.compare_digest(w, g) for w in wanted for g in given])
# end::verify[]


# tag::barrier[]
UNDOES = {"compensate": "action", "cancel": "try"}


class Refused(Exception):
    """Had no effect, and never will have: 409."""


def insert(db, gid, branch, operation, by):
    """Writes the row of an operation, unless it is there; then says who wrote it, and what came of it."""
    wrote = db.execute("INSERT INTO tenon_barrier (gid, branch, operation, written_by, written_at, repeats, result)"
                       " VALUES (?, ?, ?, ?, unixepoch() * 1000000, 0, '') ON CONFLICT DO NOTHING",
                       (gid, branch, operation, by)).rowcount
    return None if wrote else db.execute("SELECT written_by, result FROM tenon_barrier"
                                         " WHERE gid = ? AND branch = ? AND operation = ?",
                                         (gid, branch, operation)).fetchone()


def through_barrier(db, gid, branch, operation, work):
    """The work, once and in the right order. The caller commits what this returns, and rolls back what it throws."""
    if operation in UNDOES:
        done = insert(db, gid, branch, UNDOES[operation], operation)
        if done is None or done[0] == operation:
            return ""  # never done, and from now on never will be
    row = insert(db, gid, branch, operation, operation)
    if row is not None:
        if row[0] != operation:
            raise Refused("it was undone before it was done")
        return row[1]  # the first answer again
    result = work()
    db.execute("UPDATE tenon_barrier SET result = ? WHERE gid = ? AND branch = ? AND operation = ?",
               (result, gid, branch, operation))
    return result
# end::barrier[]


# tag::work[]
def take(db, order):
    if db.execute("UPDATE stock SET amount = amount - ? WHERE sku = ? AND amount >= ?",
                  (order["count"], order["sku"], order["count"])).rowcount == 0:
        raise Refused(f"not enough of {order['sku']}")
    return json.dumps({"taken": order["count"]})


def put_back(db, order):
    db.execute("UPDATE stock SET amount = amount + ? WHERE sku = ?", (order["count"], order["sku"]))
    return ""


WORK = {"action": take, "compensate": put_back}
# end::work[]


class Participant(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    # tag::handler[]
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if KEYS and not is_signed(self.headers, body, time.time()):
            return self.answer(401, "only signed calls are taken here")
        order = json.loads(body)
        operation = self.headers["Tenon-Operation"]
        db = sqlite3.connect(database, timeout=5, isolation_level=None)
        try:
            db.execute("BEGIN IMMEDIATE")
            result = through_barrier(db, self.headers["Tenon-Gid"], self.headers["Tenon-Branch"], operation,
                                     lambda: WORK[operation](db, order))
            db.execute("COMMIT")
            self.answer(200, result)
        except Refused as refused:  # the row of the barrier is rolled back with the rest
            db.execute("ROLLBACK")
            self.answer(409, str(refused))
        finally:
            db.close()  # whatever else went wrong: no answer, and the call comes again
    # end::handler[]

    def do_GET(self):
        db = sqlite3.connect(database)
        self.answer(200, json.dumps(dict(db.execute("SELECT sku, amount FROM stock").fetchall())))
        db.close()

    def answer(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


with sqlite3.connect(database) as tables:
    tables.executescript("""
        -- tag::table[]
        CREATE TABLE IF NOT EXISTS tenon_barrier (
          gid        VARCHAR(128) NOT NULL,
          branch     VARCHAR(200) NOT NULL,
          operation  VARCHAR(20) NOT NULL,
          written_by VARCHAR(20) NOT NULL,
          written_at BIGINT NOT NULL,
          repeats    INT NOT NULL,
          result     TEXT NOT NULL,
          PRIMARY KEY (gid, branch, operation));
        -- end::table[]
        CREATE TABLE IF NOT EXISTS stock (sku TEXT PRIMARY KEY, amount INT NOT NULL);
        INSERT INTO stock VALUES ('A7', 10) ON CONFLICT DO NOTHING;
    """)

server = ThreadingHTTPServer(("127.0.0.1", port), Participant)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
