// What the text of an ID says by itself, whoever made it. 64-bit arithmetic is BigInt's. Fields are named as the server's.

const LONG_MAX = (1n << 63n) - 1n;
const GREGORIAN_START_MS = -12219292800000n; // 1582-10-15, RFC 9562, 5.1
const SYMBOLS = '0123456789abcdefghjkmnpqrstvwxyz'; // Crockford's base 32
const DAY_MS = 86400000;

// As IdLayout's presets: [name, unit in ms, bits of time, worker, sequence, epoch, more].
const LAYOUTS = [
  { name: 'Twitter', unit: 1n, time: 41n, worker: 10n, sequence: 12n, epoch: 1288834974657n, datacenter: 5n },
  { name: 'Sonyflake', unit: 10n, time: 39n, worker: 16n, sequence: 8n, epoch: BigInt(Date.UTC(2014, 8, 1)), workerLast: true },
  { name: 'Baidu (epoch 2025)', unit: 1000n, time: 28n, worker: 22n, sequence: 13n, epoch: BigInt(Date.UTC(2025, 0, 1)) },
  { name: 'Baidu (epoch 2016-05-20)', unit: 1000n, time: 28n, worker: 22n, sequence: 13n, epoch: 1463673600000n },
  { name: 'JavaScript-safe', unit: 1n, time: 41n, worker: 5n, sequence: 7n, epoch: BigInt(Date.UTC(2025, 0, 1)) },
];

/** Every format that a text has: [{format, likely, note, fields: {name: text}}], the likely ones first. */
export function formatsOf(text, now = Date.now()) {
  const found = [uuid(text), ulid(text), typeId(text), objectId(text), publicText(text), ...numbers(text, now)];
  return found.filter(Boolean).sort((a, b) => Number(b.likely) - Number(a.likely));
}

function uuid(text) {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) {
    return undefined;
  }
  const lower = text.toLowerCase();
  if (/^[0-]+$/.test(lower) || /^[f-]+$/.test(lower)) {
    return found(lower.startsWith('0') ? 'Nil UUID' : 'Max UUID', {}, 'RFC 9562: stands for no UUID at all.');
  }
  const bits = BigInt(`0x${lower.replaceAll('-', '')}`);
  const version = Number((bits >> 76n) & 15n);
  if (((bits >> 62n) & 3n) !== 2n) {
    return found('UUID of another variant', {}, 'Not laid out as RFC 9562 says, such as those of Microsoft’s COM.');
  }
  const fields = { version: String(version), ...uuidTime(bits, version) };
  if (version === 1 || version === 6) {
    fields.clockSequence = String((bits >> 48n) & 0x3fffn);
    fields.node = (bits & 0xffffffffffffn).toString(16).padStart(12, '0');
  }
  const notes = { 3: 'Made of a name with MD5.', 4: 'Random: it says nothing else.', 5: 'Made of a name with SHA-1.', 8: 'Made in a way of its maker’s own.' };
  return found(`UUID of version ${version}`, fields, notes[version]);
}

function uuidTime(bits, version) {
  const gregorian = {
    1: () => (((bits >> 64n) & 0xfffn) << 48n) | (((bits >> 80n) & 0xffffn) << 32n) | (bits >> 96n),
    6: () => ((bits >> 80n) << 12n) | ((bits >> 64n) & 0xfffn),
  }[version];
  if (gregorian) {
    const ticks = gregorian(); // of 100 ns
    return { time: iso(GREGORIAN_START_MS + ticks / 10000n, (ticks % 10000n) * 100n) };
  }
  return version === 7 ? { time: iso(bits >> 80n) } : {};
}

function ulid(text) {
  if (!/^[0-7][0-9a-hjkmnp-tv-z]{25}$/i.test(text)) {
    return undefined;
  }
  const bits = base32(text);
  return found('ULID', { time: iso(bits >> 80n), uuid: uuidText(bits) });
}

function typeId(text) {
  const parts = /^(?:([a-z](?:[a-z_]{0,61}[a-z])?)_)?([0-7][0-9a-hjkmnp-tv-z]{25})$/.exec(text);
  if (!parts) {
    return undefined;
  }
  const bits = base32(parts[2]);
  const version = Number((bits >> 76n) & 15n);
  return found('TypeID', { typePrefix: parts[1] || '', uuid: uuidText(bits), ...uuidTime(bits, version) });
}

function objectId(text) {
  if (!/^[0-9a-f]{24}$/i.test(text)) {
    return undefined;
  }
  return found('ObjectId', {
    time: iso(BigInt(parseInt(text.slice(0, 8), 16)) * 1000n),
    process: text.slice(8, 18).toLowerCase(),
    counter: String(parseInt(text.slice(18), 16)),
  });
}

function publicText(text) {
  return /^[a-z][a-z0-9]*_[0-9a-z]{13}$/.test(text)
    ? { ...found('Public text', {}, 'Hides a number; only a server that has its key can read it, by the definition that made it.'), likely: false }
    : undefined;
}

function numbers(text, now) {
  if (!/^\d{1,19}$/.test(text) || BigInt(text) > LONG_MAX) {
    return [];
  }
  const id = BigInt(text);
  const layouts = LAYOUTS.filter((layout) => id < 1n << (layout.time + layout.worker + layout.sequence));
  return [
    ...layouts.map((layout) => snowflake(layout, id, now)),
    { ...found('Number', { hexadecimal: `0x${id.toString(16)}`, bits: String(id.toString(2).length) }), likely: false },
  ];
}

function snowflake(layout, id, now) {
  const mask = (bits) => (1n << bits) - 1n;
  const worker = (layout.workerLast ? id : id >> layout.sequence) & mask(layout.worker);
  const sequence = (layout.workerLast ? id >> layout.worker : id) & mask(layout.sequence);
  const millis = layout.epoch + (id >> (layout.worker + layout.sequence)) * layout.unit;
  const fields = { time: iso(millis), workerId: String(worker) };
  if (layout.datacenter) {
    const low = layout.worker - layout.datacenter;
    fields.datacenter = String(worker >> low);
    fields.worker = String(worker & mask(low));
  }
  fields.sequence = String(sequence);
  const afterStart = millis > layout.epoch + BigInt(DAY_MS);
  const likely = afterStart && millis < BigInt(now + DAY_MS);
  return {
    ...found(`Snowflake, ${layout.name}`, fields, likely ? undefined : afterStart ? 'Its time would be to come.' : 'Its time would be the first day of the layout.'),
    likely,
  };
}

function found(format, fields, note) {
  return { format, fields, note, likely: true };
}

function base32(text) {
  let bits = 0n;
  for (const symbol of text.toLowerCase()) {
    bits = (bits << 5n) | BigInt(SYMBOLS.indexOf(symbol));
  }
  return bits;
}

function uuidText(bits) {
  return bits.toString(16).padStart(32, '0').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** As Instant.toString: no fraction, or one of three, six or nine digits. */
function iso(millis, nanos = 0n) {
  const date = new Date(Number(millis));
  if (Number.isNaN(date.getTime())) {
    return `${millis} ms since 1970`;
  }
  const fraction = ((((millis % 1000n) + 1000n) % 1000n) * 1000000n + nanos).toString().padStart(9, '0');
  const shortest = fraction.replace(/(000){1,3}$/, '');
  return date.toISOString().replace(/\.\d{3}Z$/, shortest === '' ? 'Z' : `.${shortest}Z`);
}
