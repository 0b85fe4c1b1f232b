#!/usr/bin/env node
// Builds what npm ci leaves ready to use: the web application, the client packages as published, and the command
// line as one file. The documentation takes longer than these together, so it is built only by its name: `npm run build -- docs`.
// Leaves out what is built from the same sources already.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { expectNode } from './needs-node.mjs'

expectNode()

const { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = fs
const root = fileURLToPath(new URL('..', import.meta.url))
const vite = path.join(root, 'node_modules/vite/bin/vite.js')
const typescript = path.join(root, 'node_modules/typescript/bin/tsc')
const rolldown = path.join(root, 'node_modules/rolldown/bin/cli.mjs')
const dashboard = path.join(root, 'packages/dashboard')
const assets = path.join(dashboard, 'dist/assets')

/** Runs a tool from npm. Exits if the tool fails. */
function run(tool, ...args) {
  const node = path.join(root, 'tools/node.mjs')
  const child = spawn(process.execPath, [node, tool, ...args], { cwd: root, stdio: 'inherit' })
  return new Promise((resolve) => {
    child.on('close', (status) => (status === 0 ? resolve() : process.exit(status === null ? 1 : status)))
  })
}

const gzip = promisify(zlib.gzip)
const brotli = promisify(zlib.brotliCompress)

/** Writes the compressed forms of a file, and returns the bytes of the one that every browser takes. */
async function compress(file) {
  const content = readFileSync(file)
  const { BROTLI_PARAM_QUALITY: quality } = zlib.constants
  const [forAll, forMost] = await Promise.all([
    gzip(content, { level: 9 }),
    // The highest, 11, takes nearly three times as long and saves 2%.
    brotli(content, { params: { [quality]: 10 } }),
  ])
  writeFileSync(`${file}.gz`, forAll)
  writeFileSync(`${file}.br`, forMost)
  return forAll.length
}

async function buildDashboard() {
  await run(vite, 'build', dashboard, '--logLevel', 'warn')
  const files = readdirSync(assets).filter((file) => /\.(js|css|svg)$/.test(file))
  // At once, which uses all cores.
  const sizes = await Promise.all(files.map((file) => compress(path.join(assets, file))))
  const scriptBytes = sizes.filter((_, at) => files[at].endsWith('.js')).reduce((sum, bytes) => sum + bytes, 0)
  console.log(`Built the web application: ${Math.round(scriptBytes / 1000)} kB of compressed script.`)
}

/** What makes a compilation write CommonJS. */
const asCommonJs = ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false']
const withoutMaps = ['--sourceMap', 'false', '--inlineSources', 'false', '--declarationMap', 'false']

/** Compiles a project into `dist` as ES modules, and into `dist/cjs` as CommonJS. */
async function compile(project, dist, folder = '') {
  const [modules, commonJs] = [path.join(dist, folder), path.join(dist, 'cjs', folder)]
  await Promise.all([
    run(typescript, '-p', project, '--outDir', modules),
    run(typescript, '-p', project, '--outDir', commonJs, ...asCommonJs, ...withoutMaps),
  ])
}

/**
 * Builds a package that users install. The SDK contains the rules of the contract in `rules`: its users do not install the contract,
 * and browsers load the modules as they are, so imports of the rules become relative.
 */
async function buildPackage(name) {
  const dist = path.join(root, 'packages', name, 'dist')
  rmSync(dist, { recursive: true, force: true })
  if (name === 'sdk') await compile('packages/contract/tsconfig.rules.json', dist, 'rules')
  await compile(`packages/${name}/tsconfig.build.json`, dist)
  if (name === 'sdk') await bundleHash(dist)
  writeFileSync(path.join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  for (const file of readdirSync(dist, { recursive: true }).filter((each) => /\.(js|d\.ts)$/.test(each))) {
    const from = path.dirname(file)
    const rules = path.posix.relative(from, `${from.startsWith('cjs') ? 'cjs/' : ''}rules/index.js`)
    const code = readFileSync(path.join(dist, file), 'utf8').replaceAll(
      /(['"])@rollkey\/contract\/rules\1/g,
      `'${rules.startsWith('.') ? rules : `./${rules}`}'`,
    )
    writeFileSync(path.join(dist, file), file.endsWith('.d.ts') ? forOldCompilers(code) : code)
  }
  if (name === 'sdk') shareVariables(dist)
}

/**
 * Makes the declarations of both forms share one interface `Variables`. What users declare would else count for the form of their file
 * alone. It is that of CommonJS, which ES modules can import.
 */
function shareVariables(dist) {
  writeFileSync(path.join(dist, 'variables.d.ts'), "export * from './cjs/variables.js';\n")
  rmSync(path.join(dist, 'variables.d.ts.map'))
}

/** Returns declarations that TypeScript 4.9 also reads: it knows neither imports of `.ts` files nor `export type *`. */
function forOldCompilers(declarations) {
  return declarations
    .replaceAll(/(from |import\()(['"])(\.[^'"]*)\.ts\2/g, '$1$2$3.js$2')
    .replaceAll('export type * from', 'export * from')
}

/** Puts the library for SHA-256 into the file that imports it, since the SDK has no dependencies. */
async function bundleHash(dist) {
  const file = path.join(dist, 'local/noble.js')
  const license = '/*! @noble/hashes, MIT License, Copyright (c) 2022 Paul Miller (https://paulmillr.com) */'
  const options = ['--minify', '--banner', license, '--logLevel', 'silent']
  await run(rolldown, file, '--format', 'cjs', '--file', path.join(dist, 'cjs/local/noble.js'), ...options)
  await run(rolldown, file, '--format', 'esm', '--file', file, ...options)
  rmSync(`${file}.map`)
}

function buildCommandLine() {
  return run(rolldown, '--config', 'packages/cli/rolldown.config.mjs', '--logLevel', 'warn')
}

const builds = {
  dashboard: buildDashboard,
  sdk: () => buildPackage('sdk'),
  openfeature: () => buildPackage('openfeature'),
  cli: buildCommandLine,
  docs: (stamp, hash) => run('tools/docs/build.ts', stamp, hash),
}
const onRequest = ['docs']

/** What each build is made of. A copy of some packages has only their files. */
const packages = ['contract', 'dashboard', 'sdk', 'openfeature', 'cli'].map((name) => `packages/${name}`)
const documented = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench', 'deploy', 'examples']
const sources = { docs: ['docs', 'tools/docs', 'packages/server/package.json', ...documented, ...packages] }
const outputs = { docs: 'docs/.vitepress/dist' }

const stamps = path.join(root, 'node_modules/.cache/builds')

/** Returns a hash of what a build is made of. */
function hashOfSources(built) {
  const hash = createHash('sha256')
  const add = (at) => {
    const stats = fs.statSync(path.join(root, at), { throwIfNoEntry: false })
    if (!stats) return
    if (stats.isFile()) hash.update(at).update(readFileSync(path.join(root, at)))
    if (!stats.isDirectory()) return
    for (const name of readdirSync(path.join(root, at)).toSorted())
      if (!['node_modules', 'dist', 'staged', 'test', 'testkit'].includes(name)) add(path.join(at, name))
  }
  for (const at of ['package-lock.json', 'tsconfig.json', 'tools/build.mjs', ...(sources[built] || packages)]) add(at)
  return hash.digest('hex')
}

/** Builds some of it, one after the other, unless the same sources were built before. */
async function build(names) {
  for (const name of names) {
    const hash = hashOfSources(name)
    const stamp = path.join(stamps, name)
    const isBuilt = existsSync(path.join(root, outputs[name] || `packages/${name}/dist`)) && existsSync(stamp)
    if (isBuilt && readFileSync(stamp, 'utf8') === hash) continue
    rmSync(stamp, { force: true })
    await builds[name](stamp, hash)
    writeFileSync(stamp, hash)
  }
}

if (!existsSync(vite)) {
  console.log('Skipped the build: the tools are not installed (npm ci --omit=dev).')
  process.exit(0)
}
mkdirSync(stamps, { recursive: true })
const requested = process.argv.slice(2)
const names = requested.length > 0 ? requested : Object.keys(builds).filter((name) => !onRequest.includes(name))
// No other build uses the web application, so it is built beside them.
void build(names.filter((name) => name === 'dashboard'))
void build(names.filter((name) => name !== 'dashboard'))
