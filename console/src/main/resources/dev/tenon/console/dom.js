// The one place that knows how views are made: htm's templates over Preact. Text in ${} is always escaped.
import { h } from './vendor/preact.js';
import htm from './vendor/htm.js';

export const html = htm.bind(h);
export { render, Fragment } from './vendor/preact.js';
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from './vendor/preact-hooks.js';
