#!/usr/bin/env node
// Loads the bundle so that its compiled code can be cached, which saves half the time of a short command. The bundle tells
// Node 16 to 20.18 that they are too old. Older versions cannot parse it, so this file uses only the syntax of Node 12.
import fs from 'node:fs'
import module from 'node:module'
import os from 'node:os'
import path from 'node:path'

if (Number(process.versions.node.split('.')[0]) < 16) {
  process.stderr.write(
    'rollkey needs Node 20.19 or newer; this is ' +
      process.version +
      '. Install a newer one from https://nodejs.org.\n',
  )
  process.exit(1)
}

/**
 * Returns the folder for compiled code, which only this user can write. In the shared folder that Node takes by default, another
 * user could replace the code.
 */
function cacheFolder() {
  const configured = process.env.XDG_CACHE_HOME
  // A relative path counts as unset (XDG Base Directory Specification).
  return path.join(
    configured && path.isAbsolute(configured) ? configured : path.join(os.homedir(), '.cache'),
    'rollkey',
  )
}

try {
  if (module.enableCompileCache) module.enableCompileCache(cacheFolder())
} catch {
  // A user without a home has no cache, and a command takes twice as long.
}
import('../dist/rollkey.js').catch((error) => {
  // The packed command line has its bundle; a checkout has none before its first build.
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || fs.existsSync(new URL('../dist/rollkey.js', import.meta.url)))
    throw error
  process.stderr.write('The command line is not built: run npm run build.\n')
  process.exitCode = 1
})
