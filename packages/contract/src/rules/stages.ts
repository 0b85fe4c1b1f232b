const productionSlugs: ReadonlySet<string> = new Set(['prod', 'production', 'live'])

/**
 * Returns whether a new stage with this slug is marked as production if its creator does not say. Never throws.
 *
 * @example
 * isProductionByDefault('prod') // true
 * isProductionByDefault('staging') // false
 */
export function isProductionByDefault(stageSlug: string): boolean {
  return productionSlugs.has(stageSlug)
}
