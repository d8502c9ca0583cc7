// Money is whole minor units. JSON's integers are read with all their digits: a number would lose cents above 2^53.

const exact = (_, value, { source } = {}) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;

/** JSON whose integers beyond 2^53 come as BigInt. Each value is looked at only where one so long may be among them. */
export const read = (text) => (/9\d{15}|\d{17}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text));

/** "-123456" and 2 -> "-1,234.56". */
export function money(minor, scale = 2) {
  const units = BigInt(minor);
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale).replace(/\B(?=(\d{3})+$)/g, ",");
  const cents = scale ? "." + digits.slice(digits.length - scale) : "";
  return (units < 0n ? "-" : "") + whole + cents;
}

/** The same with a plus where it is above zero. */
export const signed = (minor, scale = 2) => (BigInt(minor) > 0n ? "+" : "") + money(minor, scale);

/** Which is smaller, as `sort` wants it. */
export const byAmount = (a, b) => (BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0);

/** part / whole in percent with one decimal, half away from zero: "12.3", or "–" where whole is 0. */
export function percent(part, whole) {
  const [p, w] = [BigInt(part), BigInt(whole)];
  if (w === 0n) return "–";
  const size = (one) => (one < 0n ? -one : one);
  const tenths = ((size(p) * 2000n + size(w)) / (size(w) * 2n)).toString().padStart(2, "0");
  return (tenths !== "00" && p < 0n !== w < 0n ? "-" : "") + `${tenths.slice(0, -1)}.${tenths.slice(-1)}`;
}
