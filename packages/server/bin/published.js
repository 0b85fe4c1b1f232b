#!/usr/bin/env node
// Runs the server's program as published, under a Node that is new enough. It is plain JavaScript for an older one.
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { endWithNpx, isNewEnough, runNode } from './run-node.mjs'

// Compiled code is kept beside the code: in a shared folder, another user could replace it.
const cache = fileURLToPath(new URL('../cache', import.meta.url))
endWithNpx()
if (isNewEnough()) {
  // A signal must not open the inspector, which can read every secret. A listener takes the place of Node's.
  process.on('SIGUSR1', () => {})
  module.enableCompileCache(cache)
  module.createRequire(import.meta.url)('../main.cjs')
} else {
  runNode(['--disable-sigusr1', fileURLToPath(import.meta.url), ...process.argv.slice(2)], cache)
}
