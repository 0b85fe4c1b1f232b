/** Makes the output of VitePress what the service serves: no inline script or style, no dead link, every file compressed. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { bomName } from '../release/sbom.ts'
import { base } from './pages.ts'

/** Returns the page with its inline scripts in a file, which it loads before it is shown. */
function withoutInline(html: string, folder: string): string {
  const inline = /<script(?: id="[^"]*")?>([^]*?)<\/script>\s*/g
  const code = [...html.matchAll(inline)].map(([, script]) => script).join('\n')
  const name = `assets/first.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
  writeFileSync(path.join(folder, name), code)
  return html
    .replaceAll(inline, '')
    .replaceAll(/(<[^>]*) style="[^"]*"/g, '$1')
    .replace('</head>', `<script src="${base}${name}"></script>\n  </head>`)
}

/** Returns the file at an address of the site. */
function fileAt(address: string): string {
  const name = decodeURI(address.slice(base.length))
  if (name === '' || name.endsWith('/')) return `${name}index.html`
  return path.extname(name) === '' && !name.startsWith('files/') ? `${name}.html` : name
}

/** Returns the links and pictures of the pages that lead nowhere, and what the pages would load from another host. */
function problemsOf(pages: ReadonlyMap<string, string>, files: ReadonlySet<string>): string[] {
  const ids = new Map(
    [...pages].map(([name, html]) => [name, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  )
  return [...pages].flatMap(([name, html]) => {
    const addresses = [...html.matchAll(/<(\w+)[^>]* (?:href|src)="([^"]+)"/g)]
    return addresses
      .filter(([, tag, to = '']) => {
        if (/^(https?|mailto):/.test(to)) return tag !== 'a'
        const { pathname, hash } = new URL(to, `http://docs${base}${name.replace(/(^|\/)index\.html$/, '$1')}`)
        const file = fileAt(pathname)
        if (!files.has(file)) return true
        return hash !== '' && !(ids.get(file)?.has(decodeURIComponent(hash.slice(1))) ?? true)
      })
      .map(([, tag, to]) => `${name}: <${tag}> leads to ${to}`)
  })
}

export function finish(folder: string): void {
  rmSync(path.join(folder, 'hashmap.json'))
  const names = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
  const pages = new Map<string, string>()
  for (const name of names().filter((each) => each.endsWith('.html'))) {
    const html = withoutInline(readFileSync(path.join(folder, name), 'utf8'), folder)
    pages.set(name, html)
    writeFileSync(path.join(folder, name), html)
  }
  const all = names()
  const problems = problemsOf(pages, new Set(all))
  if (problems.length > 0) throw new Error(`The site has dead links:\n${problems.join('\n')}`)
  let bytes = 0
  for (const name of all.filter((each) => each !== bomName)) {
    const compressed = gzipSync(readFileSync(path.join(folder, name)), { level: 9 })
    writeFileSync(path.join(folder, `${name}.gz`), compressed)
    rmSync(path.join(folder, name))
    bytes += compressed.length
  }
  console.log(`Built the documentation: ${pages.size} pages, ${Math.round(bytes / 1_000)} kB compressed.`)
}
