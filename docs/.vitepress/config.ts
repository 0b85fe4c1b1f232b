import { createCssVariablesTheme } from 'shiki'
import { defineConfig, type DefaultTheme, type UserConfig } from 'vitepress'
import manifest from '../../packages/server/package.json' with { type: 'json' }
import { billOfMaterials } from '../../tools/release/sbom.ts'
import { base, pagesBySource, readSource, sectionsOf, slugOf, titleOf } from '../../tools/docs/pages.ts'
import { referencePages } from '../../tools/docs/reference.ts'
import { themeEdits } from '../../tools/docs/theme-edits.ts'

/** This Vite has other types than the one of the web application, and calls the plugin in the same way. */
type VitePlugin = NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number] & ReturnType<typeof billOfMaterials>

const pages = pagesBySource()

/** Returns the other pages of a folder of the docs as links. */
function pagesIn(folder: string): DefaultTheme.SidebarItem[] {
  const sources = [...pages.keys()].filter(
    (source) => source.startsWith(`docs/${folder}/`) && !source.endsWith('README.md'),
  )
  return sources.toSorted().map((source) => ({ text: titleOf(readSource(source)), link: `/${pages.get(source)}` }))
}

/** Returns the address of a page. That of a folder is the folder. */
function linkTo(source: string): string {
  return `/${pages.get(source)?.replace(/(^|\/)index\.md$/, '$1')}`
}

/** Returns the link to a page that the index of the docs names. */
function itemOf({ text, source }: { readonly text: string; readonly source: string }): DefaultTheme.SidebarItem {
  const [, folder] = /^docs\/(ci|sign-in)\/README\.md$/.exec(source) ?? []
  return { text, link: linkTo(source), ...(folder !== undefined && { collapsed: true, items: pagesIn(folder) }) }
}

const sections = sectionsOf(readSource('docs/README.md')).map(({ title, items }) => ({
  text: title,
  // The theme opens the group of the present page.
  collapsed: true,
  items: items.map(itemOf),
}))

const referenceItems = referencePages.map(([name, title]) => ({ text: title, link: `/reference/${name}.md` }))

/**
 * Returns HTML with classes in place of the style attributes, which the content security policy forbids, and with braces as text, which Vue
 * takes for code.
 */
function servable(html: string): string {
  return (
    html
      .replaceAll(/ style="text-align:(\w+)"/g, ' class="align-$1"')
      .replaceAll(/ style="color:var\(--shiki-([\w-]+)\)"/g, ' class="$1"')
      // A cell without a text is not the head of a column.
      .replaceAll(/<th([^>]*)><\/th>/g, '<td$1></td>')
      .replaceAll(/ style="(?:background-)?color:var\(--shiki-[^"]*"/g, '')
      .replaceAll('{{', '&#123;&#123;')
  )
}

export default defineConfig({
  title: 'Rollkey',
  titleTemplate: ':title · Rollkey docs',
  description: 'Secrets and feature flags of your team, on your own machines',
  base,
  srcDir: '.vitepress/staged',
  cleanUrls: true,
  // Turning transitions off for a moment would need a style element.
  appearance: { disableTransition: false },
  // Scripts are files, because the content security policy allows no others.
  metaChunk: true,
  router: { prefetchLinks: false },
  ignoreDeadLinks: 'localhostLinks',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}favicon.svg` }]],
  markdown: {
    anchor: { slugify: slugOf },
    attrs: { disable: true },
    theme: createCssVariablesTheme({ fontStyle: false }),
    config(markdown) {
      // Vue drops a space between two elements if it is a line break.
      markdown.renderer.rules['softbreak'] = () => ' '
      const render = markdown.render.bind(markdown)
      markdown.render = (...args) => servable(render(...args))
    },
  },
  vite: {
    plugins: [themeEdits, billOfMaterials() as VitePlugin],
    // This Vite does not know the target of the repository's tsconfig.json.
    esbuild: { tsconfigRaw: '{}' },
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 2_000 },
  },
  themeConfig: {
    siteTitle: `Rollkey ${manifest.version}`,
    logo: { src: '/favicon.svg', alt: '' },
    search: { provider: 'local', options: { detailedView: true } },
    outline: [2, 3],
    notFound: {
      title: 'This page does not exist',
      quote: 'It may have another name in this version.',
      linkText: 'All pages',
      linkLabel: 'All pages',
    },
    nav: [
      ...sections.slice(0, 4).map(({ text, items: [first] }) => ({ text, link: first?.link ?? '/' })),
      { text: 'API reference', link: '/reference/' },
    ],
    sidebar: {
      '/': sections,
      '/decisions/': [{ text: 'Decisions', link: '/decisions/', items: pagesIn('decisions') }],
      '/reference/': [{ text: 'API reference', link: '/reference/', items: referenceItems }],
    },
  },
})
