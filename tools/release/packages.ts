/**
 * Builds the packages that a checkout runs from their sources, ready to publish, in their `dist` folders: the contract, and the
 * service as one bundle with the web application, the command line, the documentation and the migrations.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundleServer } from './bundles.ts'
import { bomName, bomOf, noticeOf, readBom } from './sbom.ts'

const root = path.resolve(import.meta.dirname, '../..')

interface Manifest {
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

function folderOf(name: string): string {
  return path.join(root, 'packages', name)
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
}

function manifestOf(name: string): Manifest {
  return manifestIn(folderOf(name))
}

/** Writes the package.json of the published form, which replaces these fields. */
function writeManifest(name: string, fields: object): void {
  const { private: _, ...manifest } = manifestOf(name)
  const publishConfig = { access: 'public', provenance: true }
  const text = JSON.stringify({ ...manifest, publishConfig, ...fields }, null, 2)
  writeFileSync(path.join(folderOf(name), 'dist/package.json'), `${text}\n`)
}

/** Returns the export of the compiled form of a source, or of another file as is. */
function compiledExport(file: string): unknown {
  const [, stem] = /^\.\/src\/(.+)\.ts$/.exec(file) ?? []
  return stem === undefined ? file : { types: `./${stem}.d.ts`, default: `./${stem}.js` }
}

function buildContract(): void {
  const dist = path.join(folderOf('contract'), 'dist')
  rmSync(dist, { recursive: true, force: true })
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'packages/contract/tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('The contract does not compile; see the errors above.')
  for (const name of ['vectors', 'openapi.json', 'README.md'])
    cpSync(path.join(folderOf('contract'), name), path.join(dist, name), { recursive: true })
  const entries = Object.entries(manifestOf('contract').exports ?? {})
  writeManifest('contract', {
    files: undefined,
    sideEffects: false,
    exports: Object.fromEntries(entries.map(([name, file]) => [name, compiledExport(file)])),
  })
}

/** Copies what the service ships with. `base/shipped-files.ts` reads it. */
function copyShippedFiles(dist: string): void {
  const sources = {
    migrations: 'server/src/storage/migrations',
    dashboard: 'dashboard/dist',
    cli: 'cli/dist',
    docs: '../docs/.vitepress/dist',
  }
  for (const [name, source] of Object.entries(sources)) {
    cpSync(folderOf(source), path.join(dist, name), { recursive: true })
    rmSync(path.join(dist, name, bomName), { force: true })
  }
}

async function buildServer(version: string): Promise<void> {
  const folder = folderOf('server')
  const dist = path.join(folder, 'dist')
  rmSync(dist, { recursive: true, force: true })
  await bundleServer(dist, version)
  copyShippedFiles(dist)
  const builds = [dist, ...['dashboard/dist', 'cli/dist', '../docs/.vitepress/dist'].map(folderOf)]
  const bom = bomOf(builds.flatMap((build) => readBom(path.join(build, bomName))))
  writeFileSync(path.join(dist, bomName), bom)
  writeFileSync(path.join(dist, 'NOTICE.txt'), noticeOf(readBom(path.join(dist, bomName))))
  mkdirSync(path.join(dist, 'bin'))
  cpSync(path.join(folder, 'bin/published.js'), path.join(dist, 'bin/rollkey-server.js'))
  for (const name of ['run-node.mjs', 'needs-node.mjs'])
    cpSync(path.join(root, 'tools', name), path.join(dist, 'bin', name))
  for (const name of ['README.md', 'man']) cpSync(path.join(folder, name), path.join(dist, name), { recursive: true })
  const { optionalDependencies = {} } = manifestIn(root)
  const copies = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-linux-'))
  writeManifest('server', {
    files: ['**', '!**/*.map', '!cache'],
    dependencies: undefined,
    // A Node for machines with an older one, as a checkout brings it.
    optionalDependencies: Object.fromEntries(copies),
  })
}

export async function buildPackages(version: string): Promise<void> {
  buildContract()
  await buildServer(version)
}
