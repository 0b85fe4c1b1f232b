import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { createAppRouter } from './router.ts'

/** The tests that look at pages, in light and dark mode and in every width. */
const tests = import.meta.glob<string>('../../test/browser/{pages/*,every-page}.test.ts', {
  eager: true,
  query: '?raw',
  import: 'default',
})

/** Returns whether a test opens a page of the route, whose parameters may be any. */
function isLookedAt(path: string): boolean {
  const pattern = path.replaceAll(/\$\w+/g, String.raw`(?:[^/?#'\`]|\$\{[^}]*\})+`)
  return Object.values(tests).some((text) => new RegExp(`['\`]${pattern}['\`?#$]`).test(text))
}

test('a test looks at each page', () => {
  const { routesByPath } = createAppRouter(new QueryClient())
  const pages = Object.values(routesByPath).filter(({ options }) => options.component)
  const paths = pages.map(({ fullPath }) => fullPath.replace(/(?<=.)\/$/, '')).filter((path) => !path.endsWith('/$'))
  expect(paths.length).toBeGreaterThan(20)
  expect(paths.filter((path) => !isLookedAt(path))).toEqual([])
})
