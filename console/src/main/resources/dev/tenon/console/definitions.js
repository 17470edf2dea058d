// The kinds of ID definitions: what the form asks for, what is sent, and how a definition is told in a line.
import { grouped } from './time.js';

const LAYOUT_FIELDS = [
  { name: 'unit', label: 'Unit of time', value: 'PT0.001S', hint: 'ISO 8601, such as PT0.001S for a millisecond', pattern: /^PT?\S+$/ },
  { name: 'timeBits', label: 'Time bits', value: '41', number: true },
  { name: 'workerBits', label: 'Worker bits', value: '10', number: true },
  { name: 'sequenceBits', label: 'Sequence bits', value: '12', number: true },
  { name: 'epoch', label: 'Epoch', value: '2020-01-01T00:00:00Z', hint: 'when time 0 was', pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d/ },
];
const START = { name: 'start', label: 'First number', placeholder: '1', number: true };
const STEP = { name: 'step', label: 'Numbers a fetch', placeholder: '1000', number: true, hint: 'what is left of a fetch is skipped at a restart' };
const MAX = { name: 'max', label: 'Last number', placeholder: 'no limit', number: true };

export const KINDS = {
  snowflake: {
    about: 'Numbers that ascend with time, made without asking the store.',
    numbers: true,
    fields: [
      { name: 'layout', label: 'Layout', options: ['twitter', 'sonyflake', 'baidu', 'jsSafe', 'custom'] },
      ...LAYOUT_FIELDS.map((field) => ({ ...field, inside: 'layout', when: { layout: 'custom' } })),
      { name: 'lane', label: 'Lane', options: ['strict', 'striped'], hint: 'striped: faster on many cores, ordered to within 10 ms' },
    ],
  },
  segment: { about: 'Ascending numbers, fetched ahead in portions.', numbers: true, fields: [START, STEP, MAX] },
  shuffled: { about: 'Each number of a portion once, in an unguessable order.', numbers: true, fields: [START, STEP, MAX] },
  sequence: {
    about: 'Contiguous numbers, strictly in order over all servers. Each call is a write.',
    numbers: true,
    fields: [START, { name: 'increment', label: 'Increment', placeholder: '1', number: true }, MAX],
  },
  interleaved: {
    about: 'This server’s share of 1, 2, 3 … beside servers on stores of their own.',
    numbers: true,
    fields: [
      { name: 'nodes', label: 'Servers', number: true, required: true, hint: 'how many share the numbers' },
      { name: 'node', label: 'This server', number: true, required: true, hint: 'from 1' },
    ],
  },
  template: {
    about: 'Serial numbers that people read.',
    fields: [
      { name: 'template', label: 'Template', required: true, placeholder: 'ORD{yyyyMMdd}{seq:6}', hint: 'with {seq:6}, and a date such as {yyyyMMdd}' },
      { name: 'reset', label: 'Begins anew', options: ['never', 'daily', 'monthly', 'yearly', 'fiscal year'] },
      { name: 'fiscalYearStart', label: 'Fiscal year starts', placeholder: '04-01', inside: 'reset', when: { reset: 'fiscal year' }, required: true, pattern: /^\d\d-\d\d$/, hint: 'month and day' },
      { name: 'timeZone', label: 'Time zone', placeholder: 'UTC' },
    ],
  },
  uuid: { about: 'UUIDs of RFC 9562.', fields: [{ name: 'version', label: 'Version', options: ['7', '6', '4', '1'], number: true }] },
  ulid: { about: '26 characters that sort by time.', fields: [] },
  objectid: { about: '24 hexadecimal digits, as MongoDB’s.', fields: [] },
  typeid: { about: 'A type and a UUID, such as user_01h….', fields: [{ name: 'typePrefix', label: 'Type', placeholder: 'user', hint: 'lower case; may be left out', pattern: /^[a-z_]*$/ }] },
  gene: {
    about: 'Numbers that carry the shard of a key in their lowest bits.',
    numbers: true,
    fields: [{ name: 'shardBits', label: 'Shard bits', placeholder: '8', number: true }],
  },
};

/** What every kind takes beside its own fields. */
export const LABELS = [
  { name: 'prefix', label: 'Prefix', hint: 'text before each ID, up to 40 characters', max: 40 },
  { name: 'machineIndex', label: 'Machine index', number: true, hint: '0 to 999 999, between prefix and number' },
  { name: 'code', label: 'Code', number: true, hint: 'for the ID-builder interface; JavaScript rounds a snowflake’s numbers there: call -str' },
];
export const PUBLIC = { name: 'public', label: 'Public type', placeholder: 'ord', hint: 'shows numbers as unguessable text, such as ord_…' };

/** The fields that the form shows for what has been chosen so far. */
export function shownFields(kind, values) {
  return KINDS[kind].fields.filter((field) =>
    Object.entries(field.when || {}).every(([name, value]) => (values[name] ?? '') === value));
}

export function labelFields(kind) {
  return KINDS[kind].numbers ? [...LABELS, PUBLIC] : LABELS;
}

/** What is wrong with a field's text; empty if nothing is that can be seen from here. */
export function complaint(field, text) {
  const value = (text ?? '').trim();
  if (value === '') {
    return field.required ? `${field.label} is needed.` : '';
  }
  if (field.number && !/^-?\d{1,19}$/.test(value)) {
    return `${field.label} must be a whole number.`;
  }
  if (field.pattern && !field.pattern.test(value)) {
    return `${field.label} must look like ${field.placeholder || field.value || 'lower case letters'}.`;
  }
  return field.max && value.length > field.max ? `${field.label} may have ${field.max} characters at most.` : '';
}

/** The body of the request that defines it. Numbers are BigInts. */
export function definitionOf(kind, values) {
  const body = { kind };
  for (const field of [...shownFields(kind, values), ...labelFields(kind)]) {
    const value = (values[field.name] ?? field.value ?? '').trim();
    if (value === '' || (field.options && (value === 'custom' || value === 'fiscal year'))) {
      continue;
    }
    const written = field.number ? BigInt(value) : value;
    if (field.inside) {
      body[field.inside] = { ...body[field.inside], [field.name]: written };
    } else {
      body[field.name] = field === PUBLIC ? { type: written } : written;
    }
  }
  return body;
}

/** A definition in a line, without its kind. */
export function told(definition) {
  const { kind, ...fields } = definition;
  return Object.entries(fields)
    .filter(([name, value]) => !isDefault(name, value))
    .map(([name, value]) => TOLD[name]?.(value) ?? `${name} ${plain(value)}`)
    .join(' · ');
}

const TOLD = {
  layout: (layout) => (typeof layout === 'string' ? `layout ${layout}` : 'own layout'),
  template: (template) => template,
  start: (start) => `from ${grouped(start)}`,
  step: (step) => `${grouped(step)} a fetch`,
  max: (max) => `to ${grouped(max)}`,
  version: (version) => `version ${version}`,
  public: (shown) => `shown as ${shown.type}_…`,
};

function isDefault(name, value) {
  return (name === 'max' && String(value) === '9223372036854775807') || (name === 'start' && String(value) === '1')
    || (name === 'lane' && value === 'strict') || (name === 'timeZone' && value === 'UTC') || (name === 'reset' && value === 'never')
    || (name === 'increment' && String(value) === '1') || value === '';
}

export function plain(value) {
  return value !== null && typeof value === 'object'
    ? Object.entries(value).map(([name, inner]) => `${name} ${plain(inner)}`).join(', ')
    : String(value);
}
