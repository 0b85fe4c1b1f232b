#!/usr/bin/env node
// The bundle is loaded from here so that its compiled code can be kept: half of the time of a short command.
import module from 'node:module'

module.enableCompileCache?.()
await import('../dist/rollkey.js')
