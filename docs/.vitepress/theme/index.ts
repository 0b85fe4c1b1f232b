import { useData, type Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { onMounted, watch } from 'vue'
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

export default { extends: DefaultTheme, setup: markMain } satisfies Theme
