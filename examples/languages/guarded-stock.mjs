#!/usr/bin/env node
// Takes from a stock that a lock guards. Needs Node 18 or newer, no package, and nothing of Tenon's.
// usage: guarded-stock.mjs http://127.0.0.1:7700 http://stock.example/stock/42 [TIMES]
import { setTimeout as pause } from 'node:timers/promises';

const [tenon, stock, times = '1'] = process.argv.slice(2);

// tag::call[]
// The server's status and answer; status 0 means that none came.
async function call(method, path, body) {
  try {
    const response = await fetch(tenon + path, { method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(60_000) });
    const text = await response.text();
    return { status: response.status, answer: text ? JSON.parse(text) : {} };
  } catch {
    return { status: 0, answer: {} };
  }
}

// Asks again while the server is away (0), busy or stopping (503), or lost track (504).
async function insist(method, path, body) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const outcome = await call(method, path, body);
    if (![0, 503, 504].includes(outcome.status)) return outcome;
    console.log('asking again, after', outcome.status);
    await pause(300);
  }
  throw new Error('no answer');
}

function expect(wanted, { status, answer }) {
  if (!wanted.includes(status)) throw new Error(`${status}: ${answer.detail}`); // a problem document (RFC 9457)
  return answer;
}
// end::call[]

// tag::ids[]
expect([200, 201], await insist('PUT', '/v1/ids/orders', { kind: 'segment' })); // 200: it is defined already
const orders = expect([200], await insist('POST', `/v1/ids/orders/next?count=${times}`)).ids; // text, not numbers
// end::ids[]

// tag::session[]
const owner = `guarded-stock.mjs, process ${process.pid}`;
const session = expect([201], await insist('POST', '/v1/sessions', { ttl: 'PT30S', owner })).id;
const keeper = setInterval(() => call('POST', `/v1/sessions/${session}/keepalive`), 10_000);
// end::session[]

async function takeOne(order) {
  // tag::acquire[]
  // A request ID of its own, and the same each time it is asked: whatever got lost, it is taken once.
  const wanted = { session, requestId: `order-${order}`, wait: 'PT30S' };
  let outcome = await insist('POST', '/v1/locks/stock%2F42/acquire', wanted);
  while (outcome.answer.type === 'urn:tenon:problem:lock-not-acquired') { // 409
    console.log('still held by', outcome.answer.holder?.owner);
    outcome = await insist('POST', '/v1/locks/stock%2F42/acquire', wanted);
  }
  const { token } = expect([200], outcome);
  // end::acquire[]

  // tag::write[]
  const left = Number(await (await fetch(stock)).text()) - 1;
  const written = await fetch(stock, { method: 'PUT', headers: { 'X-Fencing-Token': String(token) }, body: String(left) });
  if (written.status === 412) throw new Error('too late: somebody else holds the lock by now');
  if (!written.ok) throw new Error(`the stock answered ${written.status}`);
  console.log('order', order, 'took one under token', token);
  // end::write[]

  // tag::release[]
  const released = await insist('POST', '/v1/locks/stock%2F42/release', { session, token });
  expect([200, 409], released); // 409: it was released, and the answer got lost
  // end::release[]
}

try {
  for (const order of orders) await takeOne(order);
} catch (problem) {
  console.error(problem.message);
  process.exitCode = 1;
} finally {
  clearInterval(keeper);
  await call('DELETE', `/v1/sessions/${session}`); // what it still holds ends with it
}
