/** How often chance alone gives a χ² of one degree of freedom that is at least as large. */
export function tailOf(chiSquared: number): number {
  return complementaryError(Math.sqrt(chiSquared / 2))
}

/** 1 - erf(x) for x >= 0, off by at most 1.5e-7: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26. */
function complementaryError(x: number): number {
  const t = 1 / (1 + 0.3275911 * x)
  const factors = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592]
  return factors.reduce((sum, factor) => (sum + factor) * t, 0) * Math.exp(-x * x)
}
