/**
 * Builds the documentation site in `docs/.vitepress/dist`, from the Markdown and the OpenAPI document of the repository.
 * Its arguments are a file and a hash of the sources, which the file has once they are built.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vitepress'
import { colors, variableName } from '../../packages/dashboard/src/ui/tokens.ts'
import { failedBuild } from '../../packages/server/src/base/shipped-files.ts'
import { withLock } from '../../packages/sdk/src/node/lock.ts'
import { finish } from './finish.ts'
import { pagesBySource, readSource, sectionsOf, stagePage } from './pages.ts'
import { reference } from './reference.ts'

const root = path.resolve(import.meta.dirname, '../..')
const site = path.join(root, 'docs/.vitepress')
const staged = path.join(site, 'staged')

function write(name: string, text: string): void {
  const file = path.join(staged, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function copy(source: string, name: string): void {
  cpSync(path.join(root, source), path.join(staged, 'public', name))
}

function variables(scheme: 'light' | 'dark'): string {
  return Object.entries(colors)
    .map(([token, pair]) => `${variableName(token)}: ${pair[scheme]};`)
    .join('\n')
}

/** Returns the first page: a promise and the ways in, before the index of the docs. */
function homePage(index: string, pages: ReadonlyMap<string, string>): string {
  const ways = sectionsOf(readSource('docs/README.md')).slice(0, 4)
  const head = {
    layout: 'home',
    hero: {
      name: 'Rollkey',
      text: 'Secrets and feature flags on your own machines',
      tagline:
        'One service that your team runs: values are encrypted at rest, every change is in the log, every user sees one side of a roll.',
    },
    features: ways.map(({ title, about, items: [first] }) => ({
      title,
      details: about,
      link: `/${pages.get(first?.source ?? '')}${first?.anchor ?? ''}`,
    })),
  }
  return `---\n${JSON.stringify(head)}\n---\n${index.slice(index.indexOf('## '))}`
}

function stage(): void {
  const pages = pagesBySource()
  for (const [source, page] of pages) {
    const { text, files } = stagePage(source, pages)
    write(page, page === 'index.md' ? homePage(text, pages) : text)
    for (const file of files) copy(file, `files/${file}`)
  }
  for (const [page, text] of reference()) write(page, text)
  write('tokens.css', `:root {\n${variables('light')}\n}\n.dark {\n${variables('dark')}\n}\n`)
  copy('packages/dashboard/src/favicon.svg', 'favicon.svg')
}

const [dist, unfinished] = [path.join(site, 'dist'), path.join(site, 'staged/dist')]
const [stamp = '', hash = ''] = process.argv.slice(2)
if (stamp === '') throw new Error('Run npm run build -- docs, which names the stamp.')

function isBuilt(): boolean {
  return existsSync(dist) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
}

async function buildSite(): Promise<void> {
  // A service that runs shows no older version, and nothing of this one before it is whole.
  for (const folder of [dist, staged]) rmSync(folder, { recursive: true, force: true })
  try {
    stage()
    await build(path.join(root, 'docs'), { outDir: unfinished })
    finish(unfinished)
  } catch (error) {
    mkdirSync(dist)
    writeFileSync(path.join(dist, failedBuild), '')
    throw error
  }
  renameSync(unfinished, dist)
  writeFileSync(stamp, hash)
}

/** How long a build waits for another one, in milliseconds. */
const waitMs = 600_000
const renewIntervalMs = 10_000

// Two services that start in one checkout build at the same time. The second one waits, and finds the site built.
const lock = `${stamp}.lock`
await withLock(
  lock,
  async () => {
    if (isBuilt()) return
    // A lock that is not renewed counts as abandoned.
    const renewal = setInterval(() => utimesSync(lock, new Date(), new Date()), renewIntervalMs)
    await buildSite().finally(() => clearInterval(renewal))
  },
  waitMs,
)
