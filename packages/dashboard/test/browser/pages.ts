/** Checks of pages: axe reports nothing in light and dark mode, and the widths of a phone and of a large screen are enough. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  axeViolations,
  axeViolationsInFront,
  screenshot,
  type TestBrowser,
  type TestPage,
} from '../../../server/testkit/browser.ts'
import { TestClock } from '../../../server/testkit/clock.ts'
import { useEmbeddedApp, type EmbeddedApp } from '../../../server/testkit/embedded.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { invitation, invite } from '../../../server/testkit/person.ts'
import { expectClean, expectStill, setColorScheme, useBrowser } from './steps.ts'

/** A service with something on every page. */
interface Pages {
  readonly app: EmbeddedApp
  readonly browser: TestBrowser
  /** Ids of proposed changes by what they are. */
  readonly changes: { values: string; ramp: string }
}

export function usePages(): Pages {
  const browser = useBrowser()
  const clock = new TestClock()
  const app = useEmbeddedApp({ SIGN_UP: 'open', HOOK_NETWORKS: '127.0.0.0/8' }, { clock })
  const changes = { values: '', ramp: '' }
  beforeAll(async () => {
    await invite(app.owner)
    await invite(app.owner, 'admin')
    await invitation(app.owner, 'a-person-with-a-rather-long-address@subdomain.example.com')
    await fill(app, 'shop')
    clock.doPeriodicWork()
    await grant(app, 'shop')
    Object.assign(changes, await propose(app, 'rollouts'))
  })
  return { app, browser, changes }
}

/** Creates a group and a role, and grants the group access to a stage. */
async function grant(app: EmbeddedApp, projectSlug: string): Promise<void> {
  const must = async (endpoint: 'groupCreate' | 'groupMembers' | 'roleSet' | 'accessGrant', body: object) =>
    app.client.must(endpoint, { orgSlug: 'acme', ...body }, { token: await app.owner.token() })
  const { id } = await must('groupCreate', { name: 'On call' })
  const owner = { kind: 'user', id: await app.owner.id() }
  await must('groupMembers', { id, add: [owner, { kind: 'email', id: 'someone-invited@example.com' }] })
  await must('roleSet', { name: 'auditor', verbs: ['list', 'manage'] })
  const expiresAtMs = Date.now() + 30 * 86_400_000
  await must('accessGrant', { principal: { kind: 'group', id }, projectSlug, stageSlug: 'staging', role: 'developer' })
  await must('accessGrant', { principal: owner, projectSlug, stageSlug: 'dev', role: 'maintainer', expiresAtMs })
}

/** Creates a project whose stages differ. */
async function fill(app: EmbeddedApp, projectSlug: string): Promise<void> {
  const roll = { kind: 'ab_roll', name: 'CHECKOUT_FLOW', declaredType: 'string', valueA: 'new', valueB: 'old' }
  const url = { kind: 'secret', name: 'DATABASE_URL', value: 'postgres://localhost/shop' }
  const key = { kind: 'secret', name: `PAYMENT_${'LONG_'.repeat(12)}KEY`, value: 'k' }
  const write = async (stageSlug: string, ...entries: object[]): Promise<void> => {
    const body = { orgSlug: 'acme', projectSlug, stageSlug, mode: 'upsert', entries }
    await app.client.must('write', body, { token: await app.owner.token() })
  }
  await write(
    'dev',
    url,
    { ...roll, chance: 0.5 },
    { kind: 'secret', name: 'DEBUG', declaredType: 'boolean', value: 'true' },
  )
  await write('staging', url, { ...roll, chance: 0.5 }, key)
  await write('prod', { ...url, value: 'postgres://db.internal/shop' }, { ...roll, chance: 0.05 })
  await write('prod', { ...roll, chance: 0.1 }, key)
  const entries = Array.from({ length: 200 }, (_, seed) => ({ name: roll.name, seed: String(seed) }))
  const body = { orgSlug: 'acme', projectSlug, stageSlug: 'prod', entries }
  await app.client.must('evaluateBatch', body, { token: await app.owner.token() })
  const decisions = [{ name: roll.name, decision: 'b', step: 'chance', count: 40 }]
  await app.client.must('report', { ...body, decisions }, { token: await app.owner.token() })
}

/** Proposes values and a ramp for a stage that requires an approval. Returns the ids of both. */
async function propose(app: EmbeddedApp, projectSlug: string): Promise<Pages['changes']> {
  const place = { orgSlug: 'acme', projectSlug, stageSlug: 'prod' }
  const must = async (endpoint: Parameters<EmbeddedApp['client']['must']>[0], body: object) =>
    app.client.must(endpoint, { ...place, ...body }, { token: await app.owner.token() })
  const limit = { kind: 'secret', name: 'LIMIT', value: '10', exposure: 'plain' }
  const flow = { kind: 'ab_roll', name: 'FLOW', valueA: 'new', valueB: 'old', chance: 0.05 }
  await must('write', { mode: 'upsert', entries: [limit, flow] })
  await must('accessGrant', { principal: { kind: 'user', id: await app.owner.id() }, role: 'releaser' })
  await must('stageProtect', { isProtected: true, approvals: 1 })
  const { id, digest } = await must('changePropose', { reason: 'Larger pages', entries: [{ ...limit, value: '20' }] })
  await must('changeReview', { id, digest, verdict: 'reject', comment: 'Why 20?' })
  const dayMs = 86_400_000
  const steps = [0.1, 0.5, 1].map((chance, day) => ({ atMs: Date.now() + (day + 1) * dayMs, chance }))
  const ramp = { name: 'FLOW', steps, guard: { onMisfit: 'hold' } }
  const everyone = await must('changePropose', { reason: 'Everyone', ramp, zone: 'Europe/Berlin' })
  return { values: id, ramp: everyone.id }
}

export type Steps = (visit: TestPage) => Promise<void>

/** States of one page, which is loaded once: each continues where the one before was. */
export type States = Readonly<Record<string, Steps>>

export function at(path: string, heading: string | RegExp): Steps {
  return async ({ page }) => {
    await page.goto(path)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
}

/** Opens the device page with a pending code. */
export function reviewing(app: EmbeddedApp): Steps {
  return async ({ page }) => {
    const { userCode } = await app.client.must('deviceStart', { clientName: 'ada’s laptop (build server 7)' })
    await page.goto(`/device#user_code=${userCode}`)
    await page.getByRole('button', { name: 'Approve' }).waitFor()
  }
}

/** Closes the dialog of the state before. */
export async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

const isInHeader = `(() => {
  const header = document.querySelector('header')
  const { top, bottom } = header?.getBoundingClientRect() ?? {}
  return [...(header?.querySelectorAll('a, button') ?? [])].every((each) => {
    const at = each.getBoundingClientRect()
    return at.top >= top && at.bottom <= bottom
  })
})()`

/** Texts of elements that scroll by less than anything in them, so that a scroll bar stands there for nothing. */
const strayScrollBars = `[...document.querySelectorAll('*')].flatMap((each) => {
  const { overflowX, overflowY } = getComputedStyle(each)
  const scrolls = (overflow, by) => ['auto', 'scroll'].includes(overflow) && by > 0 && by < 8
  return scrolls(overflowY, each.scrollHeight - each.clientHeight) || scrolls(overflowX, each.scrollWidth - each.clientWidth)
    ? [each.className + ' ' + each.textContent.slice(0, 80)]
    : []
})`

/**
 * Controls that a finger misses: smaller than 24 by 24 pixels (WCAG 2.2, 2.5.8). A checkbox has the area of its label. Leaves out links,
 * which have the height of a line within text, and what only screen readers meet.
 */
const smallTargets = `(() => {
  const controls = 'button, [role=button], [role=checkbox], [role=menuitem], [role=switch], [role=tab], input, select, summary'
  const areaOf = (each) => {
    const boxes = [each, ...(each.labels ?? [])].map((box) => box.getBoundingClientRect())
    return [Math.max(...boxes.map(({ width }) => width)), Math.max(...boxes.map(({ height }) => height))]
  }
  return [...document.querySelectorAll(controls)].flatMap((each) => {
    const [width, height] = areaOf(each)
    const isSeen = each.checkVisibility({ visibilityProperty: true }) && each.getBoundingClientRect().width > 1
    if (!isSeen || (width >= 24 && height >= 24)) return []
    return [\`\${each.ariaLabel ?? each.textContent} (\${each.className}): \${width.toFixed(1)} x \${height.toFixed(1)}\`]
  })
})()`

type Look = readonly ['light' | 'dark', number]

/** What one page of each kind is checked in. The theme decides colors, and the width the layout. */
export const twoLooks: readonly Look[] = [
  ['light', 1280],
  ['dark', 360],
]
const allLooks: readonly Look[] = [...twoLooks, ['dark', 1280], ['light', 360]]
const isThorough = isLong || process.env['ROLLKEY_SCREENSHOTS'] !== undefined

/** Returns the looks in which a page is checked: at night all, otherwise the given ones. */
export function looksOf(looks: readonly Look[]): readonly Look[] {
  return isThorough ? allLooks : looks
}

async function expectGood({ page }: TestPage, name: string, looks: readonly Look[]): Promise<void> {
  await expect.poll(() => page.title()).toMatch(/^.+ · Rollkey$/)
  await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1)
  for (const [colorScheme, width] of looksOf(looks)) {
    await setColorScheme(page, colorScheme)
    await page.setViewportSize({ width, height: 900 })
    await expectToFit(page, width)
    await expectStill(page)
    await screenshot(page, `${name.replaceAll(/[^a-z]+/g, '-')}-${colorScheme}-${width}`)
    // What is behind a dialog is checked without it.
    const find = isThorough ? axeViolations : axeViolationsInFront
    expect(await find(page), `${name}, ${colorScheme}, ${width}`).toEqual([])
  }
  await page.setViewportSize({ width: 2560, height: 900 })
  await expectToFit(page, 2560)
  await page.setViewportSize({ width: 390, height: 900 })
  await expect.poll(() => page.evaluate(smallTargets), { message: `${name}, small targets` }).toEqual([])
}

async function expectToFit(page: Page, width: number): Promise<void> {
  // Open menus follow their buttons a moment after the window's size changed.
  await expect
    .poll(() => page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'), {
      message: `${width}`,
    })
    .toBe(true)
  await expect.poll(() => page.evaluate(strayScrollBars), { message: `scroll bars, ${width}` }).toEqual([])
  // The header has a fixed height, so a second row of items would be cut off.
  await expect.poll(() => page.evaluate(isInHeader), { message: `header, ${width}` }).toBe(true)
}

/**
 * Checks pages in one visit, so that each page's time excludes another sign-in and an empty cache. At night they are checked in all
 * looks.
 */
export function expectGoodPages(
  visitor: string,
  all: Readonly<Record<string, Steps | States>>,
  start: () => Promise<TestPage>,
  looks: readonly Look[] = twoLooks.slice(0, 1),
): void {
  describe(`pages ${visitor}:`, () => {
    let visit: TestPage
    beforeAll(async () => {
      visit = await start()
    })
    afterAll(() => visit.close())

    test.each(Object.entries(all))('%s is accessible and fits its window', async (name, steps) => {
      // The next URL may differ only in its fragment, which would not reload the page.
      await visit.page.goto('about:blank')
      const states = typeof steps === 'function' ? { [name]: steps } : steps
      for (const [state, reach] of Object.entries(states)) {
        // The state before ended in another look.
        await visit.page.emulateMedia({ colorScheme: 'light' })
        await visit.page.setViewportSize({ width: 1280, height: 900 })
        await reach(visit)
        await expectGood(visit, state, looks)
      }
      expectClean(visit, new URL(visit.page.url()).origin)
    })
  })
}
