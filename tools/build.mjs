#!/usr/bin/env node
// Builds what npm ci leaves ready to use: the web application, the client packages as published, and the command
// line as one file.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { expectNode } from './needs-node.mjs'

expectNode()

const { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } = fs
const root = fileURLToPath(new URL('..', import.meta.url))
const vite = path.join(root, 'node_modules/vite/bin/vite.js')
const typescript = path.join(root, 'node_modules/typescript/bin/tsc')
const rolldown = path.join(root, 'node_modules/rolldown/bin/cli.mjs')
const dashboard = path.join(root, 'packages/dashboard')
const assets = path.join(dashboard, 'dist/assets')

/** Runs a tool from npm. Exits if the tool fails. */
function run(tool, ...args) {
  const node = path.join(root, 'tools/node.mjs')
  const { status } = spawnSync(process.execPath, [node, tool, ...args], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status === null ? 1 : status)
}

function buildDashboard() {
  run(vite, 'build', dashboard, '--logLevel', 'warn')
  /** Compressed bytes of all scripts. */
  let scriptBytes = 0
  for (const name of readdirSync(assets).filter((file) => /\.(js|css|svg)$/.test(file))) {
    const file = path.join(assets, name)
    const content = readFileSync(file)
    const gzip = gzipSync(content, { level: 9 })
    writeFileSync(`${file}.gz`, gzip)
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
    if (name.endsWith('.js')) scriptBytes += gzip.length
  }
  console.log(`Built the web application: ${Math.round(scriptBytes / 1000)} kB of compressed script.`)
}

function buildPackage(name) {
  rmSync(path.join(root, 'packages', name, 'dist'), { recursive: true, force: true })
  run(typescript, '-p', `packages/${name}/tsconfig.build.json`)
}

/**
 * Builds the SDK with the rules of the contract in `dist/rules`. Its users do not install the contract, and browsers load
 * the modules as they are, so imports of the rules become relative.
 */
function buildSdk() {
  const dist = path.join(root, 'packages/sdk/dist')
  rmSync(dist, { recursive: true, force: true })
  run(typescript, '-p', 'packages/contract/tsconfig.rules.json')
  run(typescript, '-p', 'packages/sdk/tsconfig.build.json')
  for (const name of readdirSync(dist, { recursive: true }).filter((file) => /\.(js|d\.ts)$/.test(file))) {
    const file = path.join(dist, name)
    const rules = path.posix.relative(path.posix.dirname(name), 'rules/index.js')
    const specifier = rules.startsWith('.') ? rules : `./${rules}`
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`'@rollkey/contract/rules'`, `'${specifier}'`))
  }
}

function buildCommandLine() {
  run(rolldown, '--config', 'packages/cli/rolldown.config.mjs', '--logLevel', 'warn')
}

const builds = {
  dashboard: buildDashboard,
  sdk: buildSdk,
  openfeature: () => buildPackage('openfeature'),
  cli: buildCommandLine,
}

if (!existsSync(vite)) {
  console.log('Skipped the build: the tools are not installed (npm ci --omit=dev).')
  process.exit(0)
}
const requested = process.argv.slice(2)
for (const name of requested.length > 0 ? requested : Object.keys(builds)) builds[name]()
