// JSON whose whole numbers keep all their digits: JavaScript's own numbers end at 53 bits, IDs and tokens at 63.

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** As JSON.parse, but a whole number that a JavaScript number can't hold becomes a string of its digits. */
export function parse(text) {
  return JSON.parse(text.replace(TOKEN, (token) => (tooGreat(token) ? `"${token}"` : token)));
}

function tooGreat(token) {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
}

/** As JSON.stringify, but a BigInt is written as a number, with all its digits. */
export function write(value) {
  if (typeof value === 'bigint') {
    return String(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(write).join(',')}]`;
  }
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${write(field)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
