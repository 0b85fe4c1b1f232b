/**
 * Mends the roles of VitePress's search: its box is a button around all of its controls, and each of its options has a link
 * within, with a name that leaves out a text. The box becomes a dialog, and the links become the options. Its signs of keys become pictures.
 */

const chosen = `:id="'localsearch-item-' + index"
            :aria-selected="selectedIndex === index ? 'true' : 'false'"
            role="option"`

const edits = [
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

/** Returns the source of the component with its roles mended. Throws if a version of VitePress has another source. */
function mendSearchBox(source: string): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from))
      throw new Error(`VPLocalSearchBox.vue of VitePress has no ${from}: look at its roles again.`)
    return text.replaceAll(from, to)
  }, source)
}

/** Mends the component before it is compiled. */
export const searchBox = {
  name: 'search-box',
  enforce: 'pre',
  transform: (source: string, id: string) => (id.endsWith('/VPLocalSearchBox.vue') ? mendSearchBox(source) : undefined),
} as const
