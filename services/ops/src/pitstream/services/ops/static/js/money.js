// Money is whole minor units, as text or BigInt: a number would lose cents above 2^53.

/** "-123456" and 2 -> "−1,234.56". */
export function money(minor, scale = 2) {
  const units = BigInt(minor);
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale).replace(/\B(?=(\d{3})+$)/g, ",");
  const cents = scale ? "." + digits.slice(digits.length - scale) : "";
  return (units < 0n ? "−" : "") + whole + cents;
}

/** The same with a plus where it is above zero. */
export const signed = (minor, scale = 2) => (BigInt(minor) > 0n ? "+" : "") + money(minor, scale);

/** Which is smaller, as `sort` wants it. */
export const byAmount = (a, b) => (BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0);

/** part / whole in percent with one decimal, from whole numbers: "12.3", or "–" where whole is 0. */
export function percent(part, whole) {
  const [p, w] = [BigInt(part), BigInt(whole)];
  if (w === 0n) return "–";
  const tenths = (p * 2000n + (p < 0n ? -w : w)) / (w * 2n);
  return (tenths < 0n ? "−" : "") + (tenths < 0n ? -tenths : tenths).toString().padStart(2, "0").replace(/(\d)$/, ".$1");
}
