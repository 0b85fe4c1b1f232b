/** Builds the documentation site in `docs/.vitepress/dist`, from the Markdown and the OpenAPI document of the repository. */
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vitepress'
import { colors, variableName } from '../../packages/dashboard/src/ui/tokens.ts'
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

// A service that runs shows no older version, and nothing of this one before it is whole.
const [dist, unfinished] = [path.join(site, 'dist'), path.join(site, 'staged/dist')]
for (const folder of [dist, staged]) rmSync(folder, { recursive: true, force: true })
stage()
await build(path.join(root, 'docs'), { outDir: unfinished })
finish(unfinished)
renameSync(unfinished, dist)
