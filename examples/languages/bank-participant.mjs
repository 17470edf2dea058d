#!/usr/bin/env node
// A participant of sagas and TCC: accounts in a journal, with the barrier in the same journal. Node 18, no package.
// usage: [CALL_SECRETS="whsec_… …"] bank-participant.mjs JOURNAL [PORT]
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

const [journal, port = '0'] = process.argv.slice(2);

// tag::journal[]
// One line is one local transaction: what it did, and the rows of the barrier that belong to it.
const balances = new Map([['alice', 100], ['bob', 0]]);
const barrier = new Map();

function apply({ rows, change }) {
  for (const row of rows) barrier.set(row.key, row);
  if (change) balances.set(change.account, balances.get(change.account) + change.cents);
}

if (existsSync(journal)) {
  const lines = readFileSync(journal, 'utf8').split('\n');
  lines.pop(); // empty, or cut off by a crash: never answered
  lines.forEach((line) => apply(JSON.parse(line)));
}
const file = openSync(journal, 'a');

function commit(transaction) {
  writeSync(file, `${JSON.stringify(transaction)}\n`);
  fsyncSync(file); // before anybody is told
  apply(transaction);
}
// end::journal[]

// tag::verify[]
const secrets = (process.env.CALL_SECRETS ?? '').split(' ').filter(Boolean); // two, while one is replaced
const keys = secrets.map((s) => (s.startsWith('whsec_') ? Buffer.from(s.slice(6), 'base64') : Buffer.from(s)));

/** Whether who has the secret has signed this call lately: its ID, which says which call it is, the time, and the body. */
function isSigned(headers, body, now) {
  const branch = (headers['tenon-branch'] ?? '').replaceAll('/', '%2F').replaceAll('.', '%2E');
  const id = `${headers['tenon-gid']}/${branch}/${headers['tenon-operation']}`;
  const sent = headers['webhook-timestamp'] ?? '';
  if (headers['webhook-id'] !== id || !/^\d{1,12}$/.test(sent) || Math.abs(now - Number(sent)) > 300) return false;
  const given = (headers['webhook-signature'] ?? '').split(' ').map((s) => Buffer.from(s));
  return keys.some((key) => {
    const hash = createHmac('sha256', key).update(`${id}.${sent}.`).update(body).digest('base64');
    const wanted = Buffer.from(`v1,${hash}`);
    return given.some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
  });
}
// end::verify[]

// tag::barrier[]
const UNDOES = { compensate: 'action', cancel: 'try' };

/** One call, through the barrier: nothing else runs in between, as all of it is one turn of the event loop. */
function call(gid, branch, operation, order) {
  const key = (op) => JSON.stringify([gid, branch, op]);
  const rows = [];
  if (UNDOES[operation]) {
    const done = barrier.get(key(UNDOES[operation]));
    if (!done) rows.push({ key: key(UNDOES[operation]), by: operation, result: '' });
    if (!done || done.by === operation) {
      if (rows.length) commit({ rows }); // never done, and from now on never will be
      return [200, ''];
    }
  }
  const row = barrier.get(key(operation));
  if (row) return row.by === operation ? [200, row.result] : [409, 'it was undone before it was done'];
  const cents = UNDOES[operation] ? -order.cents : order.cents;
  if (!balances.has(order.account) || balances.get(order.account) + cents < 0) return [409, `${order.account} can't pay`];
  const result = JSON.stringify({ booked: cents });
  commit({ rows: [{ key: key(operation), by: operation, result }], change: { account: order.account, cents } });
  return [200, result];
}
// end::barrier[]

// tag::handler[]
const server = createServer(async (request, response) => {
  if (request.method === 'GET') return response.end(JSON.stringify(Object.fromEntries(balances)));
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (keys.length && !isSigned(request.headers, body, Date.now() / 1000)) {
    return response.writeHead(401).end('only signed calls are taken here');
  }
  try {
    const { 'tenon-gid': gid, 'tenon-branch': branch, 'tenon-operation': operation } = request.headers;
    const [status, text] = call(gid, branch, operation, JSON.parse(body));
    response.writeHead(status).end(text);
  } catch (failure) {
    response.writeHead(500).end(String(failure)); // the call comes again
  }
});
// end::handler[]
process.on('exit', () => closeSync(file));
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
