// Moments and durations as people read them.

const ISO = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(-?\d+(?:\.\d+)?)S)?)?$/;

/** The milliseconds of an ISO 8601 duration such as PT1M2.5S; undefined if it is none. */
export function millis(duration) {
  const parts = ISO.exec(String(duration));
  if (!parts) {
    return undefined;
  }
  const [, minus, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  const total = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (minus ? -1 : 1) * total * 1000;
}

/** A duration in two units at most: 4 s, 1 min 05 s, 3 h 20 min, 12 days. */
export function span(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) {
    return `${seconds} s`;
  }
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 24 * 60) {
    return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
  }
  const days = Math.floor(minutes / 24 / 60);
  return days < 730 ? `${days} ${days === 1 ? 'day' : 'days'}` : `${Math.floor(days / 365.25)} years`;
}

/** A moment in this browser's time zone, without what is the same as today's. */
export function moment(iso) {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) {
    return String(iso);
  }
  const pad = (number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  return new Date().toDateString() === date.toDateString() ? time : `${day} ${time}`;
}

/** Whether a text is a moment of ISO 8601. */
export function isMoment(text) {
  return /^-?\+?\d{4,}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(String(text));
}

/** How long ago, or how long until then. */
export function relative(iso) {
  const ms = Date.now() - new Date(iso).getTime();
  return ms >= 0 ? `${span(ms)} ago` : `in ${span(-ms)}`;
}

/** A counter, in groups of three digits. Takes a number, a BigInt or a string of digits. */
export function grouped(value) {
  return /^-?\d+$/.test(String(value)) ? BigInt(value).toLocaleString('en').replaceAll(',', '\u202f') : String(value);
}
