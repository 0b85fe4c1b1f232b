/** The pages of the documentation site. Its build also checks the HTML; `documentation.test.ts` looks at the site in a browser. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import document from '../packages/contract/openapi.json' with { type: 'json' }
import { pagesBySource, readSource, sectionsOf, slugOf, stagePage, titleOf } from './docs/pages.ts'
import { reference } from './docs/reference.ts'

const pages = pagesBySource()
const staged = new Map([
  ...[...pages].map(([source, page]) => [page, stagePage(source, pages).text] as const),
  ...reference(),
])

/** Returns the text without code. */
function prose(text: string): string {
  return text.replaceAll(/^( *)```[^]*?^\1```$/gm, '')
}

/** Returns the addresses of the headings of a page. The second of equal ones ends with -1. */
function anchorsOf(text: string): Set<string> {
  const slugs = [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugOf(heading))
  return new Set(
    slugs.map((slug, at) => {
      const earlier = slugs.slice(0, at).filter((each) => each === slug).length
      return earlier === 0 ? slug : `${slug}-${earlier}`
    }),
  )
}

test.each([...staged])('%s leads only to pages and headings that exist', (page, text) => {
  const links = [...prose(text).matchAll(/\]\((\/[^)#]+\.md)?(?:#([^)]+))?\)/g)].filter(([all]) => all !== ']()')
  const dead = links.filter(([, to, hash]) => {
    const target = staged.get(to?.slice(1) ?? page)
    return target === undefined || (hash !== undefined && !anchorsOf(target).has(hash))
  })
  expect(dead.map(([all]) => all)).toEqual([])
})

test('no page lists its headings, which the site does beside it', () => {
  const listing = [...staged].filter(([, text]) => /^\[[^\]]+\]\(#[^)]*\) ·$/m.test(prose(text)))
  expect(listing.map(([page]) => page)).toEqual([])
})

test('the help of the dashboard leads to pages and headings that exist, and explain', () => {
  const root = path.resolve(import.meta.dirname, '..')
  const sources = globSync('packages/dashboard/src/{app,features}/**/*.tsx', { cwd: root })
  const links = sources.flatMap((source) => [
    ...readFileSync(path.join(root, source), 'utf8').matchAll(
      /(?: docs: '|\{documentationUrl\})([\w/-]*)(?:#([\w-]+))?/g,
    ),
  ])
  const dead = links.filter(([, page = '', hash]) => {
    const text = staged.get(page.endsWith('/') ? `${page}index.md` : `${page}.md`)
    return text === undefined || (hash !== undefined && !anchorsOf(text).has(hash))
  })
  expect(links.length).toBeGreaterThan(20)
  expect(dead.map(([all]) => all)).toEqual([])
  // Who looks at a page wants to know what it shows, not the requests that it sends.
  expect(links.filter(([, page]) => page === 'api' || page?.startsWith('reference')).map(([all]) => all)).toEqual([])
})

test('a link that leads nowhere is an error that names it', () => {
  const fewer = new Map([...pages].filter(([source]) => source !== 'docs/keys.md'))
  expect(stagePage('docs/concepts.md', fewer).files).toEqual(['docs/keys.md'])
  expect(() => stagePage('docs/nothing.md', pages)).toThrow('ENOENT')
})

test('the index of the docs lists every page once, except those of a folder with an index', () => {
  const listed = sectionsOf(readSource('docs/README.md')).flatMap(({ items }) => items.map(({ source }) => source))
  const inFolders = /^(?:docs\/(?:ci|sign-in|decisions)\/(?!README)|docs\/README|bench\/README|examples\/)/
  expect(listed.toSorted()).toEqual([...pages.keys()].filter((source) => !inFolders.test(source)).toSorted())
})

test('the way to try it begins at the first five minutes, and the picture of the roles fits a phone', () => {
  expect(sectionsOf(readSource('docs/README.md'))[0]?.items[0]?.anchor).toBe('#the-first-five-minutes')
  // A window of 390 pixels, without the margins of the page.
  expect(Number(/<svg [^>]*width="([\d.]+)"/.exec(staged.get('which-role.md') ?? '')?.[1])).toBeLessThan(342)
})

test('no two pages have the same title', () => {
  const titles = [...staged.values()].map(titleOf)
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([])
})

test('every diagram is drawn in the colors of the theme, without styles that the policy of the site forbids', () => {
  const drawn = [...staged.values()].flatMap((text) => text.match(/<svg [^]*?<\/svg>/g) ?? [])
  const sources = [...pages.keys()].flatMap((source) => readSource(source).match(/^```mermaid$/gm) ?? [])
  expect(drawn.length).toBe(sources.length)
  const theme = readFileSync(new URL('../docs/.vitepress/theme/style.css', import.meta.url), 'utf8')
  const colors = new Set(drawn.flatMap((svg) => [...svg.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name)))
  expect([...colors].filter((name) => !theme.includes(`\n  ${name}: `))).toEqual([])
  expect(drawn.filter((svg) => / style=|<style|https?:(?!\/\/www\.w3\.org\/2000\/svg)/.test(svg))).toEqual([])
})

test('the labels of arrows in diagrams keep to their boxes, in any font', () => {
  const drawn = [...staged.values()].flatMap((text) => text.match(/<svg [^]*?<\/svg>/g) ?? []).join('')
  const labels = [
    ...drawn.matchAll(/<g class="edge-label"[^>]*>\s*<rect [^>]* width="([\d.]+)"[^>]*>\s*<text ([^>]*)>/g),
  ]
  const lengths = labels.map(
    ([, box, text]) => [Number(box), Number(/textLength="(\d+)"/.exec(text ?? '')?.[1])] as const,
  )
  expect(lengths.length).toBeGreaterThan(20)
  expect(lengths.filter(([box, text]) => !(text < box))).toEqual([])
})

test('the page of error codes has each code that a program throws, with what to do', () => {
  const root = path.resolve(import.meta.dirname, '..')
  const sources = globSync('packages/{cli,contract,openfeature,sdk,server}/src/**/*.ts', { cwd: root })
  const thrown = sources.flatMap((source) => [
    ...readFileSync(path.join(root, source), 'utf8').matchAll(
      /\b(?:new (?:Cli|Command|Api|Rollkey)Error|refuse|failed)\(\s*'([A-Z][A-Z_]+)'/g,
    ),
  ])
  const codes = new Set(thrown.map(([, code]) => code))
  expect([...codes]).toEqual(
    expect.arrayContaining(['EMPTY_VALUE', 'NOT_READ', 'RESERVED_NAME', 'UNREACHABLE', 'CONFLICT']),
  )
  const sections = readSource('docs/errors.md').split(/^## /m)
  const explained = sections.filter((text) => /^- What to do: ./m.test(text)).map((text) => text.split('\n', 1)[0])
  expect([...codes].filter((code) => !explained.includes(code))).toEqual([])
})

describe('the API reference', () => {
  const text = [...reference().values()].join('\n')

  test('has every address, once', () => {
    const addresses = Object.entries(document.paths).flatMap(([address, methods]) =>
      Object.keys(methods).map((method) => `\`${method.toUpperCase()} ${address}\``),
    )
    expect(addresses.map((address) => text.split(`\n${address}\n`).length - 1)).toEqual(addresses.map(() => 1))
  })

  test('has every shape, and a link to each error code that an endpoint answers', () => {
    for (const name of Object.keys(document.components.schemas)) expect(text).toContain(`\n## ${name}\n`)
    const answered = [...JSON.stringify(document).matchAll(/"x-error-codes":\[([^\]]+)\]/g)].flatMap(
      ([, codes]) => JSON.parse(`[${codes}]`) as string[],
    )
    expect(answered.length).toBeGreaterThan(20)
    for (const code of answered) expect(text).toContain(`[${code}](/errors.md#${slugOf(code)})`)
  })
})
