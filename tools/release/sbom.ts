/** Bills of materials (CycloneDX 1.6) of what a build contains, with the texts of the licenses. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'rolldown'

export interface Component {
  readonly type: 'library' | 'application'
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses?: readonly {
    readonly license: { readonly name: string; readonly text?: { readonly content: string } }
  }[]
  readonly hashes?: readonly { readonly alg: 'SHA-256'; readonly content: string }[]
}

interface Bom {
  readonly components: readonly Component[]
}

/** File in the output of each build that bundles packages. */
export const bomName = 'sbom.cdx.json'

function byPurl(a: Component, b: Component): number {
  return a.purl < b.purl ? -1 : 1
}

/** Returns the document of the components, without duplicates and in a fixed order, so that two builds are equal. */
export function bomOf(components: readonly Component[]): string {
  const unique = [...new Map(components.map((component) => [component.purl, component])).values()]
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: unique.toSorted(byPurl) }
  return `${JSON.stringify(bom, null, 1)}\n`
}

export function readBom(file: string): readonly Component[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as Bom).components
}

/** Returns the names and licenses of the components as text. */
export function noticeOf(components: readonly Component[]): string {
  const texts = components.map(({ name, version, licenses = [] }) => {
    const [license] = licenses
    const title = `${name} ${version}: ${license?.license.name ?? 'no license is named'}`
    return [title, '='.repeat(title.length), license?.license.text?.content ?? ''].join('\n')
  })
  return `Rollkey contains these packages.\n\n${texts.join('\n\n')}`
}

/** Returns the folder of the installed or copied package that a module is part of; undefined for a module of the project. */
function packageFolder(module: string): string | undefined {
  return /^(.*\/(?:node_modules|vendor)\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1]
}

function componentOf(folder: string): Component {
  const text = readFileSync(path.join(folder, 'package.json'), 'utf8')
  const { name, version, license } = JSON.parse(text) as { name: string; version: string; license?: string }
  const files = readdirSync(folder).filter((file) => /^(license|licence|copying|notice)/i.test(file))
  const content = files.map((file) => readFileSync(path.join(folder, file), 'utf8').trim()).join('\n\n')
  return {
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license !== undefined && { licenses: [{ license: { name: license, ...(content && { text: { content } }) } }] }),
  }
}

/** Plugin that writes the bill of materials of a bundle beside it. */
export function billOfMaterials(): Plugin {
  return {
    name: 'bill-of-materials',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []))
      const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined))
      this.emitFile({ type: 'asset', fileName: bomName, source: bomOf([...folders].map(componentOf)) })
    },
  }
}
