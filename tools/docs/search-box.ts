/**
 * Edits the search of VitePress. It ranks as `ranking.ts` says, in the code of its box: as options of the theme, functions would need
 * `eval`. Its roles are mended: the box is a button around all of its controls, and each of its options has a link within, with a name that
 * leaves out a text. The box becomes a dialog, and the links become the options. Its signs of keys become pictures.
 */
import path from 'node:path'

const ranking = path.join(import.meta.dirname, 'ranking.ts')

const chosen = `:id="'localsearch-item-' + index"
            :aria-selected="selectedIndex === index ? 'true' : 'false'"
            role="option"`

const edits = [
  [
    "import MiniSearch, { type SearchResult } from 'minisearch'\n",
    `import MiniSearch, { type SearchResult } from 'minisearch'\nimport { searchOptions } from '${ranking}'\n`,
  ],
  [
    `fuzzy: 0.2,
          prefix: true,
          boost: { title: 4, text: 2, titles: 1 },`,
    '...searchOptions,',
  ],
  [
    `role="button"
      :aria-owns="results?.length ? 'localsearch-list' : undefined"
      aria-expanded="true"
      aria-haspopup="listbox"
      aria-labelledby="localsearch-label"`,
    'role="dialog" aria-modal="true" :aria-label="buttonText"',
  ],
  [chosen, 'role="none"'],
  [`:aria-label="[...p.titles, p.title].join(' > ')"`, chosen],
  ['<kbd :aria-label=', '<kbd role="img" :aria-label='],
  ['<span class="title-icon">#</span>', '<span class="title-icon" aria-hidden="true">#</span>'],
] as const

/** Returns the source of the component with the edits made. Throws if a version of VitePress has another source. */
function editSearchBox(source: string): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from))
      throw new Error(`VPLocalSearchBox.vue of VitePress has no ${from}: look at the edits again.`)
    return text.replaceAll(from, to)
  }, source)
}

/** Edits the component before it is compiled. */
export const searchBox = {
  name: 'search-box',
  enforce: 'pre',
  transform: (source: string, id: string) => (id.endsWith('/VPLocalSearchBox.vue') ? editSearchBox(source) : undefined),
} as const
