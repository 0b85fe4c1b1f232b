import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { filterProblems } from '@arethetypeswrong/core/problems'

/** Where ES modules are resolved. */
export const ofModules = ['node16-esm', 'bundler'] as const
/** Every way to resolve modules, also those of CommonJS. */
export const ofAll = ['node10', 'node16-cjs', ...ofModules] as const

/** Returns what is wrong with the types of a packed package for programs that resolve modules in these ways. */
export async function typeProblemsOf(
  tarball: string,
  resolutions: readonly (typeof ofAll)[number][],
): Promise<readonly object[]> {
  const packed = createPackageFromTarballData(new Uint8Array(readFileSync(tarball)))
  const analysis = await checkPackage(packed)
  if (!analysis.types) return [{ kind: 'Untyped' }]
  return resolutions.flatMap((resolutionKind) => filterProblems(analysis, { resolutionKind }))
}
