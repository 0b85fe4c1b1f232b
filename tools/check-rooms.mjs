#!/usr/bin/env node
// Checks the structure rule of the server: a room imports only the rooms below it, and only compose/ sees all of them.
// Among the packages, contract imports no other, and sdk and cli only its rules, because they carry no schemas (tools/wire.ts).
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Rooms that each room may import in addition to itself, from the bottom up. */
const rooms = {
  base: [],
  concurrency: ['base'],
  upstream: ['base'],
  storage: ['base', 'concurrency', 'upstream'],
  consistency: ['base', 'storage'],
  crypto: ['base', 'upstream', 'consistency', 'storage'],
  audit: ['base', 'storage', 'crypto'],
  metering: ['base', 'concurrency', 'upstream', 'consistency', 'storage'],
  sessions: ['base', 'concurrency', 'upstream', 'consistency', 'storage', 'crypto'],
  auth: ['base', 'upstream', 'consistency', 'storage', 'sessions'],
  identity: ['base', 'concurrency', 'consistency', 'storage', 'audit', 'auth'],
  stages: ['base', 'concurrency', 'consistency', 'storage', 'crypto'],
  variables: ['base', 'concurrency', 'consistency', 'storage', 'crypto', 'metering', 'stages'],
  history: ['base', 'consistency', 'storage', 'crypto', 'stages', 'variables'],
  live: ['base', 'concurrency', 'storage', 'stages'],
  evaluation: ['base', 'concurrency', 'consistency', 'storage', 'crypto', 'metering', 'stages', 'variables'],
  http: [
    'base',
    'concurrency',
    'consistency',
    'audit',
    'auth',
    'sessions',
    'metering',
    'stages',
    'variables',
    'history',
    'live',
    'evaluation',
  ],
  backup: ['base', 'storage', 'crypto', 'audit', 'stages', 'variables'],
  doctor: ['base', 'storage', 'crypto', 'auth', 'backup', 'config.ts'],
  admin: [
    'base',
    'storage',
    'crypto',
    'audit',
    'auth',
    'sessions',
    'stages',
    'variables',
    'history',
    'identity',
    'backup',
    'doctor',
    'config.ts',
  ],
}
/** The composition, which sees all rooms, and the files next to the rooms. */
const files = {
  compose: [...Object.keys(rooms), 'config.ts'],
  'config.ts': ['crypto', 'metering', 'settings.ts'],
  'settings.ts': ['base', 'upstream', 'crypto', 'metering'],
  'main.ts': ['base', 'admin', 'compose', 'config.ts'],
}
/** Packages of the workspace, or parts of them, that each package may import. */
const packages = {
  contract: [],
  sdk: ['contract/rules'],
  server: ['contract'],
  dashboard: ['contract'],
  cli: ['contract/rules', 'sdk'],
  openfeature: ['sdk'],
}

const source = path.resolve('packages/server/src')
const importPattern = /(?:from|import)\s*\(?\s*'([^']+)'/g
const climbing = []

function importsOf(file) {
  return [...readFileSync(file, 'utf8').matchAll(importPattern)].map(([, specifier]) => specifier)
}

function sourcesBelow(folder) {
  return readdirSync(folder, { recursive: true }).filter((file) => /\.tsx?$/.test(file))
}

for (const file of sourcesBelow(source)) {
  const [room] = file.split(path.sep)
  const allowed = rooms[room] ?? files[room]
  if (!allowed) climbing.push(`${file}: ${room} is not a room; add it to tools/check-rooms.mjs`)
  for (const specifier of importsOf(path.join(source, file))) {
    if (!specifier.startsWith('.')) continue
    const target = path.relative(source, path.resolve(source, path.dirname(file), specifier)).split(path.sep)[0]
    if (target !== room && !allowed?.includes(target)) climbing.push(`${file} imports ${specifier}`)
  }
}

for (const [name, allowed] of Object.entries(packages)) {
  const folder = path.resolve('packages', name, 'src')
  for (const file of sourcesBelow(folder)) {
    for (const specifier of importsOf(path.join(folder, file))) {
      if (!specifier.startsWith('@rollkey/')) continue
      const imported = specifier.slice('@rollkey/'.length)
      // Examples in comments import their own package.
      const isAllowed = [name, ...allowed].some((each) => imported === each || imported.startsWith(`${each}/`))
      if (!isAllowed) climbing.push(`packages/${name}/src/${file} imports ${specifier}`)
    }
  }
}

for (const line of climbing) console.error(line)
if (climbing.length > 0) process.exit(1)
