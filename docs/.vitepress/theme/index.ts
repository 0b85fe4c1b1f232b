import { useData, type Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h, onMounted, watch } from 'vue'
import './style.css'

/** Marks the content as the main part of the pages for which VitePress does not: the first one, and what does not exist. */
function markMain(): void {
  const { frontmatter, page } = useData()
  const mark = (): void => {
    const isMain = frontmatter.value['layout'] === 'home' || page.value.isNotFound === true
    document.querySelector('#VPContent')?.[isMain ? 'setAttribute' : 'removeAttribute']('role', 'main')
  }
  onMounted(mark)
  watch(page, mark, { flush: 'post' })
}

/** The way back to the service that serves the pages. With a target, the router of VitePress leaves it to the browser. */
function linkBack() {
  return h('a', { class: 'back', href: '/', target: '_self' }, 'Open Rollkey')
}

/** Puts the way back into the bar, and into the menu of a phone. */
function layout() {
  return h(DefaultTheme.Layout, null, { 'nav-bar-content-after': linkBack, 'nav-screen-content-after': linkBack })
}

export default { extends: DefaultTheme, Layout: layout, setup: markMain } satisfies Theme
