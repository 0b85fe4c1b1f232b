#!/usr/bin/env node
// Runs its arguments under a Node that is new enough for the project.
import { runNode } from './run-node.mjs'

runNode(process.argv.slice(2))
