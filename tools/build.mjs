#!/usr/bin/env node
// Builds the web application into packages/dashboard/dist and compresses its files for the server to send as they are.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = path.resolve(import.meta.dirname, '..')
const vite = path.join(root, 'node_modules/vite/bin/vite.js')
const dashboard = path.join(root, 'packages/dashboard')
const assets = path.join(dashboard, 'dist/assets')

if (!existsSync(vite)) {
  console.log('The web application is not built: vite is not installed (npm ci --omit=dev).')
  process.exit(0)
}

const node = path.join(root, 'tools/node.mjs')
const built = spawnSync(process.execPath, [node, vite, 'build', dashboard, '--logLevel', 'warn'], { stdio: 'inherit' })
if (built.status !== 0) process.exit(built.status ?? 1)

/** Bytes of the script, as it travels. */
let scriptBytes = 0
for (const name of readdirSync(assets).filter((file) => /\.(js|css|svg)$/.test(file))) {
  const file = path.join(assets, name)
  const content = readFileSync(file)
  const gzip = gzipSync(content, { level: 9 })
  writeFileSync(`${file}.gz`, gzip)
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
  if (name.endsWith('.js')) scriptBytes += gzip.length
}
console.log(`The web application is built: ${Math.round(scriptBytes / 1000)} kB of script in all, compressed.`)
