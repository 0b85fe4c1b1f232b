/**
 * The pages of the documentation site, made of the Markdown of the repository. Links lead to the page of the site, or to a copy of the
 * file that they name, so that no page needs another host.
 */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { diagram } from './diagram.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Path of the site in the service. */
export const base = '/docs/'

/** Pages outside the folder of the docs, and their addresses. */
const elsewhere: Readonly<Record<string, string>> = {
  'README.md': 'first-minutes.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
  'bench/README.md': 'bench.md',
  'bench/RESULTS.md': 'speed.md',
  'examples/in-process/README.md': 'examples/in-process.md',
  'examples/ofrep/README.md': 'examples/ofrep.md',
  'examples/react/README.md': 'examples/react.md',
  'packages/openfeature/README.md': 'openfeature.md',
  'packages/sdk/README.md': 'sdk.md',
}

/** Page of the site by source, both as paths: `docs/ci/README.md` is `ci/index.md`. */
export function pagesBySource(): ReadonlyMap<string, string> {
  const docs = globSync('docs/**/*.md', { cwd: root }).map((source) => [
    source,
    source.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md'),
  ])
  return new Map([...docs, ...Object.entries(elsewhere)] as [string, string][])
}

/** Returns the source of a page. The site has a first page, so it begins the README with its first steps. */
export function readSource(source: string): string {
  const text = readFileSync(path.join(root, source), 'utf8')
  return source === 'README.md' ? text.slice(text.indexOf('\n## ') + 1).replace('## ', '# ') : text
}

/** Returns the title of a page: its first heading. */
export function titleOf(text: string): string {
  const [, title] = /^# (.+)$/m.exec(text) ?? []
  if (title === undefined) throw new Error(`a page begins "${text.slice(0, 40)}" (expected a heading "# …").`)
  return title
}

/** Returns the id of a heading, the same as on the pages of the repository. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

interface StagedPage {
  readonly text: string
  /** Files of the repository to which the page links, by their paths. */
  readonly files: readonly string[]
}

const repository = /^https:\/\/github\.com\/rollkey\/rollkey\/(?:blob|tree)\/main\//
/** Code, in which nothing is replaced, or the address of a link or a picture. */
const codeOrLink =
  /^( *)(```+)(\w*)[^]*?^\1\2$|`[^`\n]+`|(?<image>!?)\[(?<label>(?:[^[\]]|`[^`]*`)*)\]\((?<to>[^)\s]+)\)/gm

/** Returns the page of the site that a file of the repository becomes. Throws if a link leads nowhere. */
export function stagePage(source: string, pages: ReadonlyMap<string, string>): StagedPage {
  const files = new Set<string>()
  const linkTo = (image: string, label: string, to: string): string => {
    const own = to.replace(repository, '')
    if (/^#|^[a-z]+:/.test(own)) return `${image}[${label}](${to})`
    const [name = '', hash] = own.split('#')
    const target = path.normalize(own === to ? path.join(path.dirname(source), name) : name).replace(/\/$/, '')
    const page = pages.get(target) ?? pages.get(`${target}/README.md`)
    if (page !== undefined) return `${image}[${label}](/${page}${hash === undefined ? '' : `#${hash}`})`
    if (!existsSync(path.join(root, target))) throw new Error(`${source} links to ${to}, which does not exist.`)
    // A folder is only in the repository.
    if (statSync(path.join(root, target)).isDirectory()) return label
    files.add(target)
    return image === ''
      ? `<a href="${base}files/${target}" target="_self">${label}</a>`
      : `![${label}](/files/${target})`
  }
  const text = readSource(source).replaceAll(codeOrLink, (all, ...groups) => {
    const { image = '', label = '', to } = groups.at(-1) as Readonly<Record<string, string | undefined>>
    if (to !== undefined) return linkTo(image, label, to)
    return groups[2] === 'mermaid' ? diagram(all) : all
  })
  return { text, files: [...files] }
}

export interface Section {
  readonly title: string
  /** What its pages are for. */
  readonly about: string
  /** Pages, by their sources, each with the place in it, such as `#install`. */
  readonly items: readonly { readonly text: string; readonly source: string; readonly anchor: string }[]
}

/** Returns the sections of the index of the docs, with the pages that they list. */
export function sectionsOf(index: string): readonly Section[] {
  return [...index.matchAll(/^## (?<title>.+)\n\n(?<about>.+)\n\n(?<table>(?:\|.*\n)+)/gm)].map(({ groups = {} }) => ({
    title: groups['title'] ?? '',
    about: groups['about'] ?? '',
    items: [...(groups['table'] ?? '').matchAll(/^\| \[([^\]]+)\]\(([^)#]+)(#[^)]+)?/gm)].map(
      ([, text = '', link = '', anchor = '']) => ({ text, source: path.join('docs', link), anchor }),
    ),
  }))
}
