#!/usr/bin/env node
// Checks that a tag such as v0.1.0 names the version of each published package, and that the changelog has its entry.
import { readFileSync } from 'node:fs'

const tag = process.argv[2] ?? ''
const problems = []
for (const name of ['contract', 'sdk', 'openfeature', 'cli', 'server']) {
  const { version } = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'))
  if (tag !== `v${version}`) problems.push(`packages/${name} has version ${version} (expected ${tag.slice(1)}).`)
}
if (!readFileSync('CHANGELOG.md', 'utf8').includes(`\n## [${tag.slice(1)}] - `)) {
  problems.push(`CHANGELOG.md has no heading "## [${tag.slice(1)}] - DATE": move the unreleased entries below it.`)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
