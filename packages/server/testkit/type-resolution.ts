import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { filterProblems } from '@arethetypeswrong/core/problems'

/** Where ES modules are resolved. */
const resolutions = ['node16-esm', 'bundler'] as const

/** Returns what is wrong with the types of a packed package for programs of ES modules. */
export async function typeProblemsOf(tarball: string): Promise<readonly object[]> {
  const packed = createPackageFromTarballData(new Uint8Array(readFileSync(tarball)))
  const analysis = await checkPackage(packed)
  if (!analysis.types) return [{ kind: 'Untyped' }]
  return resolutions.flatMap((resolutionKind) => filterProblems(analysis, { resolutionKind }))
}
