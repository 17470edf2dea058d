#!/usr/bin/env python3
"""A participant of sagas and TCC: a stock in SQLite, with the barrier in the same database. Python's standard library only.

usage: stock-participant.py DATABASE [PORT]
"""
import json
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

database = sys.argv[1]
port = int(sys.argv[2]) if len(sys.argv) > 2 else 0

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
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)))
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
