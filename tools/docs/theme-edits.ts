/**
 * Edits components of VitePress before they are compiled.
 *
 * The search ranks as `ranking.ts` says, in the code of its box: as options of the theme, functions would need `eval`. Its roles are mended:
 * the box is a button around all of its controls, and each of its options has a link within, with a name that leaves out a text. The box
 * becomes a dialog, and the links become the options. Its signs of keys become pictures.
 *
 * The head of a group of the sidebar is one button that says whether it is open, and takes the space key. The theme puts another button into it.
 */
import path from 'node:path'

const ranking = path.join(import.meta.dirname, 'ranking.ts')

const chosen = `:id="'localsearch-item-' + index"
            :aria-selected="selectedIndex === index ? 'true' : 'false'"
            role="option"`

const edits: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  VPLocalSearchBox: [
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
  ],
  VPSidebarItem: [
    [
      `if ('key' in e && e.key !== 'Enter') {
    return
  }`,
      `if ('key' in e) {
    if (props.item.link || !['Enter', ' '].includes(e.key)) return
    e.preventDefault()
  }`,
    ],
    [':role="itemRole"', ':role="itemRole"\n      :aria-expanded="collapsible && !item.link ? !collapsed : undefined"'],
    [':tabindex="item.items && 0"', ':tabindex="item.items && !item.link ? 0 : undefined"'],
    [
      `role="button"
        aria-label="toggle section"
        @click="onCaretClick"
        @keydown.enter="onCaretClick"
        tabindex="0"`,
      `:role="item.link ? 'button' : undefined"
        :aria-label="item.link ? 'Pages of ' + item.text : undefined"
        :aria-expanded="item.link ? !collapsed : undefined"
        :aria-hidden="item.link ? undefined : true"
        @click="onCaretClick"
        @keydown.enter="onCaretClick"
        @keydown.space.prevent="onCaretClick"
        :tabindex="item.link ? 0 : undefined"`,
    ],
  ],
}

/** Returns the source of a component with its edits made. Throws if a version of VitePress has another source. */
function editedSource(component: string, source: string): string {
  return (edits[component] ?? []).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${component}.vue of VitePress has no ${from}: look at the edits again.`)
    return text.replaceAll(from, to)
  }, source)
}

/** The plugin that edits the components. */
export const themeEdits = {
  name: 'theme-edits',
  enforce: 'pre',
  transform(source: string, id: string) {
    const component = path.basename(id, '.vue')
    return Object.hasOwn(edits, component) && id.endsWith('.vue') ? editedSource(component, source) : undefined
  },
} as const
