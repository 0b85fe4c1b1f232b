/** Builds what a release publishes: all of it, or the parts that the arguments name. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { buildDocs } from './docs.ts'
import { buildExecutables, buildForWindows } from './executables.ts'
import { buildImages } from './image.ts'
import { buildPackages } from './packages.ts'

const manifest = readFileSync(path.resolve(import.meta.dirname, '../../packages/server/package.json'), 'utf8')
const { version } = JSON.parse(manifest) as { readonly version: string }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { arch: { type: 'string', multiple: true } },
})

const parts: Readonly<Record<string, () => Promise<void> | void>> = {
  packages: () => buildPackages(version),
  docs: buildDocs,
  executables: () => buildExecutables(version, values.arch),
  windows: () => buildForWindows(version),
  image: () => buildImages(version, values.arch),
}

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const build = parts[name]
  if (!build) throw new Error(`unknown part "${name}" (expected ${Object.keys(parts).join(', ')})`)
  await build()
}
