#!/usr/bin/env node
// Runs the server's program in a checkout, under a Node that is new enough.
import { fileURLToPath } from 'node:url'
import { endWithNpx, runNode } from '../../../tools/run-node.mjs'

endWithNpx()
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
runNode(['--disable-sigusr1', main, ...process.argv.slice(2)])
