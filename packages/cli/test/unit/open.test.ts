/** `rollkey open` knows the pages of the web application. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pageNames } from '../../src/commands/open.ts'

/** Pages that need an id or a link, that have no project or organization yet, or that another name opens. */
const others = [
  'setup',
  'sign-up',
  'invitation',
  'reset',
  'auth',
  'device',
  'organizations',
  'o',
  'p',
  'roll',
  'confirm',
]

test('every page of the web application has a name', () => {
  const routes = readFileSync(new URL('../../../dashboard/src/app/routes.tsx', import.meta.url), 'utf8')
  const names = new Set([...routes.matchAll(/path: '\/([\w-]+)/g)].map(([, name = '']) => name))
  expect(names.size).toBeGreaterThan(25)
  expect([...names].filter((name) => !pageNames.includes(name) && !others.includes(name))).toEqual([])
})
