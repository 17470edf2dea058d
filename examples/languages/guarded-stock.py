#!/usr/bin/env python3
"""Takes from a stock that a lock guards. Needs Python's standard library, and nothing of Tenon's.

usage: guarded-stock.py http://127.0.0.1:7700 http://stock.example/stock/42 [TIMES]
"""
import http.client
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request

tenon, stock = sys.argv[1:3]
times = int(sys.argv[3]) if len(sys.argv) > 3 else 1


# tag::call[]
def call(method, path, body=None):
    """The server's status and answer; status 0 means that none came."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(tenon + path, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.loads(response.read() or b"{}")
    except urllib.error.HTTPError as refused:  # a problem document (RFC 9457); its detail says what to do
        return refused.code, json.loads(refused.read() or b"{}")
    except (OSError, http.client.HTTPException):
        return 0, {}


def insist(method, path, body=None):
    """Asks again while the server is away (0), busy or stopping (503), or lost track (504)."""
    for _ in range(100):
        status, answer = call(method, path, body)
        if status not in (0, 503, 504):
            return status, answer
        print("asking again, after", status)
        time.sleep(0.3)
    sys.exit("no answer")


def expect(wanted, outcome):
    status, answer = outcome
    if status not in wanted:
        sys.exit(f"{status}: {answer.get('detail')}")
    return answer
# end::call[]


# tag::ids[]
expect((200, 201), insist("PUT", "/v1/ids/orders", {"kind": "segment"}))  # 200: it is defined already
orders = expect((200,), insist("POST", f"/v1/ids/orders/next?count={times}"))["ids"]  # text, not numbers
# end::ids[]

# tag::session[]
owner = f"guarded-stock.py, process {os.getpid()}"
session = expect((201,), insist("POST", "/v1/sessions", {"ttl": "PT30S", "owner": owner}))["id"]
done = threading.Event()


def keep_alive():
    while not done.wait(10):
        call("POST", f"/v1/sessions/{session}/keepalive")


threading.Thread(target=keep_alive, daemon=True).start()
# end::session[]


def take_one(order):
    # tag::acquire[]
    # A request ID of its own, and the same each time it is asked: whatever got lost, it is taken once.
    wanted = {"session": session, "requestId": f"order-{order}", "wait": "PT30S"}
    outcome = insist("POST", "/v1/locks/stock%2F42/acquire", wanted)
    while outcome[1].get("type") == "urn:tenon:problem:lock-not-acquired":  # 409
        print("still held by", outcome[1].get("holder", {}).get("owner"))
        outcome = insist("POST", "/v1/locks/stock%2F42/acquire", wanted)
    token = expect((200,), outcome)["token"]
    # end::acquire[]

    # tag::write[]
    with urllib.request.urlopen(stock) as response:
        left = int(response.read()) - 1
    write = urllib.request.Request(stock, str(left).encode(), {"X-Fencing-Token": str(token)}, method="PUT")
    try:
        urllib.request.urlopen(write).close()
    except urllib.error.HTTPError as refused:
        sys.exit("too late: somebody else holds the lock by now" if refused.code == 412 else str(refused))
    print("order", order, "took one under token", token)
    # end::write[]

    # tag::release[]
    release = insist("POST", "/v1/locks/stock%2F42/release", {"session": session, "token": token})
    expect((200, 409), release)  # 409: it was released, and the answer got lost
    # end::release[]


try:
    for each in orders:
        take_one(each)
finally:
    done.set()
    call("DELETE", f"/v1/sessions/{session}")  # what it still holds ends with it
