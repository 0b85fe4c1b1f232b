#!/usr/bin/env node
// Runs the server's program as published. It is plain JavaScript for an older Node, which then names the version that it needs.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `rollkey-server needs Node 24.15 or newer; this is ${process.version}. Install it from https://nodejs.org, or use the single executable.\n`,
  )
  process.exit(1)
}
// A signal must not open the inspector, which can read every secret. A listener takes the place of Node's.
process.on('SIGUSR1', () => {})
// Compiled code is kept beside the code: in a shared folder, another user could replace it.
module.enableCompileCache(fileURLToPath(new URL('../cache', import.meta.url)))
module.createRequire(import.meta.url)('../main.cjs')
