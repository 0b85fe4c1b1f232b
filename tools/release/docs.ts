/** Packs the documentation for those who serve it elsewhere, at `/docs/` of any web server. Needs `npm run build -- docs`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { tarOf } from './tar.ts'

const root = path.resolve(import.meta.dirname, '../..')
const site = path.join(root, 'docs/.vitepress/dist')

export function buildDocs(): void {
  const entries = readdirSync(site, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.gz'))
    .toSorted()
    .map((name) => ({
      path: `docs/${name.slice(0, -'.gz'.length)}`,
      mode: 0o644,
      content: gunzipSync(readFileSync(path.join(site, name))),
    }))
  const archive = gzipSync(tarOf(entries), { level: 9 })
  mkdirSync(path.join(root, 'dist'), { recursive: true })
  writeFileSync(path.join(root, 'dist/rollkey-docs.tar.gz'), archive)
  console.log(`Built dist/rollkey-docs.tar.gz: ${Math.round(archive.length / 1e3)} kB.`)
}
