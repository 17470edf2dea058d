// Reads the text format of Prometheus: only what the overview draws.

const SAMPLE = /^([a-zA-Z_:][\w:]*)(\{.*\})?\s+(\S+)/;

/** The sum over all labels of each metric: {name: number}. */
export function sums(text) {
  const found = {};
  for (const line of text.split('\n')) {
    const sample = line.startsWith('#') ? undefined : SAMPLE.exec(line);
    const value = sample && Number(sample[3]);
    if (sample && Number.isFinite(value)) {
      found[sample[1]] = (found[sample[1]] ?? 0) + value;
    }
  }
  return found;
}

/** The value of the first of these that is there. */
export function first(found, names) {
  const name = names.find((one) => found[one] !== undefined);
  return name === undefined ? undefined : found[name];
}
