#!/usr/bin/env node
// Checks what imports what. A room of the server imports only the rooms below it, and only compose/ sees all of them. A floor of the
// dashboard imports only the floors below it, and a feature no other feature.
// Among the packages, contract imports no other, and sdk and cli only its rules, because they carry no schemas (tools/wire.ts).
// No file imports itself by way of others, types included. An argument is the root to check in place of this repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Rooms that each room may import in addition to itself, from the bottom up. */
const rooms = {
  base: [],
  concurrency: ['base'],
  upstream: ['base'],
  storage: ['base', 'concurrency', 'upstream'],
  tracing: ['base', 'upstream', 'storage'],
  outbox: ['base', 'concurrency', 'storage'],
  consistency: ['base', 'storage'],
  crypto: ['base', 'upstream', 'consistency', 'storage'],
  audit: ['base', 'concurrency', 'upstream', 'storage', 'outbox', 'crypto'],
  metering: ['base', 'concurrency', 'upstream', 'consistency', 'storage', 'outbox'],
  sessions: ['base', 'concurrency', 'upstream', 'consistency', 'storage', 'crypto'],
  auth: ['base', 'upstream', 'consistency', 'storage', 'sessions'],
  access: ['base', 'consistency', 'storage', 'sessions', 'auth'],
  trusts: ['base', 'consistency', 'storage', 'audit', 'sessions', 'auth', 'access'],
  identity: ['base', 'concurrency', 'upstream', 'consistency', 'storage', 'audit', 'auth'],
  stages: ['base', 'concurrency', 'consistency', 'storage', 'crypto'],
  declarations: ['base', 'concurrency', 'consistency', 'storage', 'stages'],
  deletion: ['base', 'storage', 'crypto', 'metering', 'sessions', 'auth', 'access', 'stages'],
  variables: ['base', 'concurrency', 'consistency', 'storage', 'crypto', 'metering', 'stages', 'declarations'],
  history: ['base', 'concurrency', 'consistency', 'storage', 'crypto', 'stages', 'variables'],
  live: ['base', 'concurrency', 'consistency', 'storage', 'stages'],
  evaluation: ['base', 'concurrency', 'consistency', 'storage', 'crypto', 'metering', 'stages', 'variables'],
  changes: [
    'base',
    'concurrency',
    'consistency',
    'storage',
    'crypto',
    'access',
    'stages',
    'declarations',
    'variables',
    'history',
    'evaluation',
  ],
  notifications: ['base', 'upstream', 'storage', 'outbox', 'crypto', 'audit', 'access'],
  http: [
    'base',
    'concurrency',
    'outbox',
    'consistency',
    'audit',
    'auth',
    'access',
    'sessions',
    'trusts',
    'metering',
    'stages',
    'declarations',
    'deletion',
    'variables',
    'history',
    'live',
    'evaluation',
    'changes',
    'notifications',
    'replica',
    'tracing',
  ],
  backup: ['base', 'storage', 'crypto', 'audit', 'stages', 'variables'],
  replica: ['base', 'concurrency', 'upstream', 'storage', 'backup'],
  demo: ['base'],
  doctor: [
    'base',
    'upstream',
    'storage',
    'crypto',
    'audit',
    'auth',
    'identity',
    'backup',
    'replica',
    'notifications',
    'config.ts',
  ],
  operator: [
    'base',
    'storage',
    'outbox',
    'crypto',
    'audit',
    'auth',
    'sessions',
    'metering',
    'stages',
    'declarations',
    'variables',
    'history',
    'identity',
    'backup',
    'replica',
    'doctor',
    'config.ts',
    'settings.ts',
  ],
}
/** The composition, which sees all rooms, and the files next to the rooms. */
const files = {
  compose: [...Object.keys(rooms), 'config.ts'],
  'config.ts': ['base', 'audit', 'crypto', 'metering', 'identity', 'tracing', 'settings.ts'],
  'settings.ts': ['base', 'upstream', 'audit', 'crypto', 'metering', 'identity', 'notifications', 'replica'],
  'main.ts': ['base', 'operator', 'compose', 'config.ts'],
}
/** Floors of the dashboard, from the bottom up. Each may import those below it; in features/, each folder is one feature. */
const floors = ['lib', 'service', 'session', 'ui', 'data', 'parts', 'features', 'app', 'main.tsx']
/** Packages of the workspace, or parts of them, that each package may import. */
const packages = {
  contract: [],
  sdk: ['contract/rules'],
  server: ['contract'],
  dashboard: ['contract', 'sdk/core'],
  cli: ['contract/rules', 'sdk'],
  openfeature: ['sdk'],
}

const root = path.resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))
const server = path.join(root, 'packages/server/src')
const dashboard = path.join(root, 'packages/dashboard/src')
const importPattern = /(?:from|import)\s*\(?\s*'([^']+)'/g
const problems = []

function importsOf(file) {
  return [...readFileSync(file, 'utf8').matchAll(importPattern)].map(([, specifier]) => specifier)
}

function sourcesBelow(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true }).filter((file) => /\.tsx?$/.test(file))
}

/** Returns the files that a file imports by their paths, as the imports name them and as parts of the path below the folder. */
function pathsFrom(folder, file) {
  const relative = importsOf(path.join(folder, file)).filter((specifier) => specifier.startsWith('.'))
  return relative.map((specifier) => [specifier, path.join(path.dirname(file), specifier).split(path.sep)])
}

for (const file of sourcesBelow(server)) {
  const [room] = file.split(path.sep)
  const allowed = rooms[room] ?? files[room]
  if (!allowed) problems.push(`${file}: ${room} is not a room; add it to tools/check-rooms.mjs`)
  for (const [specifier, [target]] of pathsFrom(server, file)) {
    if (target !== room && !allowed?.includes(target)) problems.push(`${file} imports ${specifier}`)
  }
}

for (const file of sourcesBelow(dashboard)) {
  const [floor, feature] = file.split(path.sep)
  const level = floors.indexOf(floor)
  if (level < 0) problems.push(`${file}: ${floor} is not a floor; add it to tools/check-rooms.mjs`)
  for (const [specifier, [target, part]] of pathsFrom(dashboard, file)) {
    const isOtherFeature = floor === 'features' && target === floor && part !== feature
    if (floors.indexOf(target) > level || isOtherFeature)
      problems.push(`packages/dashboard/src/${file} imports ${specifier}`)
  }
}

for (const [name, allowed] of Object.entries(packages)) {
  const folder = path.join(root, 'packages', name, 'src')
  for (const file of sourcesBelow(folder)) {
    for (const specifier of importsOf(path.join(folder, file))) {
      if (!specifier.startsWith('@rollkey/')) continue
      const imported = specifier.slice('@rollkey/'.length)
      // Examples in comments import their own package.
      const isAllowed = [name, ...allowed].some((each) => imported === each || imported.startsWith(`${each}/`))
      if (!isAllowed) problems.push(`packages/${name}/src/${file} imports ${specifier}`)
    }
  }
}

/** Returns each group of files that import each other: the strongly connected components. */
function cyclesOf(importsByFile) {
  const found = new Map()
  const open = []
  const cycles = []
  const visit = (file) => {
    const order = found.size
    found.set(file, order)
    open.push(file)
    let lowest = order
    for (const target of importsByFile.get(file)) {
      if (!found.has(target)) lowest = Math.min(lowest, visit(target))
      else if (open.includes(target)) lowest = Math.min(lowest, found.get(target))
    }
    if (lowest < order) return lowest
    const group = open.splice(open.indexOf(file))
    if (group.length > 1 || importsByFile.get(file).includes(file)) cycles.push(group)
    return order
  }
  for (const file of importsByFile.keys()) if (!found.has(file)) visit(file)
  return cycles
}

const parts = Object.keys(packages).flatMap((name) =>
  ['src', 'test', 'testkit'].map((part) => `packages/${name}/${part}`),
)
const everyFile = [...parts, 'bench', 'tools'].flatMap((part) =>
  sourcesBelow(path.join(root, part)).map((file) => path.join(root, part, file)),
)
const importsByFile = new Map(everyFile.map((file) => [file, []]))
for (const [file, targets] of importsByFile) {
  const relative = importsOf(file).filter((specifier) => specifier.startsWith('.'))
  const paths = relative.map((specifier) => path.resolve(path.dirname(file), specifier))
  targets.push(...paths.filter((target) => importsByFile.has(target)))
}
for (const cycle of cyclesOf(importsByFile)) {
  problems.push(`import each other: ${cycle.map((file) => path.relative(root, file)).join(', ')}`)
}

for (const line of problems) console.error(line)
if (problems.length > 0) process.exit(1)
