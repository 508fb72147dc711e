// Ticks of rulers: indices of elements, or the tensor's coordinates, dates or names.
import { abs, ceil, clamp, floor, max, min, niceStep } from "./geometry.js";
import { shortNumber } from "./elements.js";

const DAY = 864e5;
/** Steps of less than a month, in milliseconds. */
const SPANS = [1, 10, 100, 1e3, 5e3, 15e3, 30e3, 6e4, 3e5, 9e5, 18e5, 36e5, 108e5, 216e5, 432e5, DAY, 2 * DAY, 7 * DAY];
const MONTH = 30.4 * DAY, LETTERS_OF_DATE = 10, LETTERS_OF_NUMBER = 8, SIGN_AND_POINT = 2;

/** The most letters of a tick of a ruler over `n` elements. */
export function lettersOf(ruler, n) {
  if (!ruler) return String(n).length;
  if (ruler.texts) return max(...ruler.texts.map(text => text.length));
  const { first, step, is_date } = ruler;
  return is_date ? LETTERS_OF_DATE : max(LETTERS_OF_NUMBER, SIGN_AND_POINT + digitsOf(first, first + n * step, step));
}

/** Ticks [[element, text], ...] between two positions of an axis of `n` elements, at least `least` elements apart. */
export function ticksOf(ruler, from, to, n, least) {
  if (!ruler || ruler.texts) return indicesOf(from, to, n, least).map(i => [i, ruler ? ruler.texts[i] : i]);
  const { first, step, is_date } = ruler, [low, high] = [max(from, 0), min(to, n)].map(at => first + (at - 0.5) * step),
    apart = abs(step) * max(least, 1);
  const values = (is_date ? datesOf : numbersOf)(min(low, high), max(low, high), apart);
  return values.map(([value, text]) => [(value - first) / step, text]);
}

/** The text of one element, as the pointer shows it. */
export function textAt(ruler, i) {
  if (!ruler) return String(i);
  const { texts, first, step, is_date } = ruler, value = first + i * step;
  if (texts) return texts[i] ?? "";
  return is_date ? dateText(value, abs(step)) : shortNumber(value, digitsOf(first, value, step / 10));
}

function indicesOf(from, to, n, least) {
  const step = niceStep(max(least, 1));
  return numbersBetween(ceil(max(from - 0.5, 0) / step), ceil(min(to - 0.5, n) / step) - 1).map(i => i * step);
}

/** Digits in which numbers differ that are a step apart. */
export const digitsOf = (low, high, step) => clamp(1 + ceil(Math.log10(max(abs(low), abs(high)) / abs(step) || 1)), 1, 16);

/** Round numbers between two values with their texts, [[value, text], ...], that are `apart` at least. */
export function numbersOf(low, high, apart) {
  const step = niceStep(apart), digits = digitsOf(low, high, step);
  return numbersBetween(ceil(low / step - 1e-9), floor(high / step + 1e-9)).map(i => [i * step, shortNumber(i * step, digits)]);
}

function datesOf(low, high, apart) {
  const step = SPANS.find(span => span >= apart);
  if (step) return numbersBetween(ceil(low / step), floor(high / step)).map(i => [i * step, dateText(i * step, step)]);
  const months = [1, 3, 6].find(n => n * MONTH >= apart) ?? 12 * niceStep(max(apart / MONTH / 12, 1));
  const [first, last] = [low, high].map(at => new Date(at)).map(date => date.getUTCFullYear() * 12 + date.getUTCMonth());
  return numbersBetween(ceil(first / months), floor(last / months)).map(i => beginOf(i * months)).filter(at => at >= low)
    .map(at => [at, dateText(at, MONTH)]);
}

/* The first moment of a month that is counted from that of year 0. */
const beginOf = month => new Date(0).setUTCFullYear(floor(month / 12), month - 12 * floor(month / 12), 1);

const numbersBetween = (first, last) => Array.from({ length: clamp(last - first + 1, 0, 1000) }, (_, i) => first + i);

/* A date down to the unit of the step. */
function dateText(at, step) {
  const text = Number.isFinite(at) && abs(at) < 864e13 ? new Date(Math.round(at)).toISOString() : "";
  if (step >= DAY || at % DAY === 0) return text.slice(0, LETTERS_OF_DATE);
  return step >= 6e4 ? text.slice(11, 16) : step >= 1e3 ? text.slice(11, 19) : text.slice(11, 23);
}
