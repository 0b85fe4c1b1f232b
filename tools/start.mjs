#!/usr/bin/env node
// Starts the service of a checkout, and builds the documentation for its /docs beside it, unless it is built from these sources.
import { spawn } from 'node:child_process'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { missingBuild } from './missing-build.mjs'
import { runNode } from './run-node.mjs'

/** How long the service has the machine to itself, in milliseconds. */
const delayMs = 2000

/** Builds the documentation with the processor time that others leave. Its processes end with the service. */
function buildDocs() {
  const build = fileURLToPath(new URL('build.mjs', import.meta.url))
  const child = spawn(process.execPath, [build, 'docs'], { stdio: 'ignore', detached: true })
  const end = () => {
    try {
      process.kill(-child.pid)
    } catch (error) {
      // ESRCH: it has ended.
      if (error.code !== 'ESRCH') throw error
    }
  }
  child.on('error', () => undefined)
  if (child.pid === undefined) return
  os.setPriority(child.pid, 10)
  process.on('exit', end)
  child.on('exit', (status) => {
    process.removeListener('exit', end)
    if (status !== 0) console.error('The documentation could not be built; `npm run build -- docs` says why.')
  })
  child.unref()
}

const missing = missingBuild(fileURLToPath(new URL('..', import.meta.url)))
if (missing !== undefined) console.error(missing)
setTimeout(buildDocs, delayMs).unref()
runNode(process.argv.slice(2))
