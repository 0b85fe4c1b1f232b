#!/usr/bin/env node
// Loads the bundle so that its compiled code can be cached, which saves half the time of a short command. The bundle tells
// Node 16 to 20.18 that they are too old. Older versions cannot parse it, so this file uses only the syntax of Node 12.
import module from 'node:module'

if (Number(process.versions.node.split('.')[0]) < 16) {
  process.stderr.write(
    'rollkey needs Node 20.19 or newer; this is ' +
      process.version +
      '. Install a newer one from https://nodejs.org.\n',
  )
  process.exit(1)
}
if (module.enableCompileCache) module.enableCompileCache()
void import('../dist/rollkey.js')
