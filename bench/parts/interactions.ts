import type { Page } from 'playwright-core'
import { startBrowser } from '../../packages/server/testkit/browser.ts'
import { median, spanText } from '../figures.ts'
import { below, type Context, type Part, type Section } from '../part.ts'
import { org, startService } from '../target.ts'
import * as watcher from '../watcher.ts'
import { fill, projects, signedIn } from './dashboard.ts'

const usual = { rounds: 5, seconds: 0, warmupSeconds: 0, connections: 1 }
/** How many times slower the processor is made in the second half of each round. */
const slowdown = 4
/** "Good" by the Core Web Vital Interaction to Next Paint. */
const goodMs = 200

interface Interaction {
  readonly name: string
  readonly act: (page: Page) => Promise<void>
}

function pressInCell(...keys: readonly string[]) {
  return async (page: Page): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
}

function chooseInMenu(role: 'menuitemradio' | 'menuitemcheckbox', name: string) {
  return (page: Page): Promise<void> => page.getByRole(role, { name, exact: true }).click()
}

const cell = 'button[data-grid-cell][data-hint]'

/** What people do in the table, in this order. Each one leaves what the next one needs. */
const interactions: readonly Interaction[] = [
  { name: 'a key in the search', act: pressInSearch('1') },
  { name: 'the key that removes it', act: pressInSearch('Backspace') },
  { name: 'open a cell', act: (page) => page.locator(cell).nth(4).click() },
  { name: 'close it', act: (page) => page.keyboard.press('Escape') },
  { name: 'an arrow key', act: pressInCell('ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft') },
  { name: 'a page down', act: pressInCell('PageDown', 'PageUp') },
  { name: 'reveal a value', act: pressInCell('r') },
  { name: 'select a row', act: pressInCell('x') },
  { name: 'select all rows', act: toggleAll },
  { name: 'clear the selection', act: toggleAll },
  { name: 'open the menu of the view', act: (page) => page.getByRole('button', { name: 'View', exact: true }).click() },
  { name: 'sort by the last change', act: chooseInMenu('menuitemradio', 'Last change') },
  { name: 'sort by name', act: chooseInMenu('menuitemradio', 'Name') },
  { name: 'hide a column', act: chooseInMenu('menuitemcheckbox', 'Last change') },
  { name: 'show a column', act: chooseInMenu('menuitemcheckbox', 'Last change') },
  { name: 'hide a stage', act: chooseInMenu('menuitemcheckbox', 'staging') },
  { name: 'show a stage', act: chooseInMenu('menuitemcheckbox', 'staging') },
  { name: 'close the menu', act: (page) => page.keyboard.press('Escape') },
  { name: 'open the command palette', act: (page) => page.keyboard.press('Control+k') },
  { name: 'a key in the palette', act: (page) => page.keyboard.press('n') },
  { name: 'close the palette', act: (page) => page.keyboard.press('Escape') },
]

function pressInSearch(key: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole('searchbox').focus()
    await page.keyboard.press(key)
  }
}

function toggleAll(page: Page): Promise<void> {
  return page.getByRole('checkbox', { name: 'Select all that are shown' }).click()
}

async function measure(page: Page): Promise<number[]> {
  const durationsMs: number[] = []
  for (const { act } of interactions) {
    await page.evaluate(watcher.longestInteractionMs)
    await act(page)
    durationsMs.push(await page.evaluate<number>(watcher.longestInteractionMs))
  }
  return durationsMs
}

/** Returns the durations of one interaction. */
function roundsOf(all: readonly number[][], at: number): number[] {
  return all.map((durationsMs) => durationsMs[at] ?? Number.NaN)
}

async function run({ stores, plan, tell }: Context): Promise<Section> {
  const { rounds } = plan(usual)
  const service = await startService(await stores.newHome('embedded'))
  await fill(service, 'large')
  const browser = await startBrowser()
  const { page } = await signedIn(browser, service)
  const session = await page.context().newCDPSession(page)
  const measured: Record<'usual' | 'slow', number[][]> = { usual: [], slow: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const speed of ['usual', 'slow'] as const) {
      tell(`round ${round} of ${rounds}, ${speed}`)
      await page.goto(`/o/${org}/p/large`)
      await page.getByRole('gridcell').first().waitFor()
      await session.send('Emulation.setCPUThrottlingRate', { rate: speed === 'slow' ? slowdown : 1 })
      const durationsMs = await measure(page)
      await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
      // The first round fills the caches of the browser, and loads what loads when it is first opened.
      if (round > 0) measured[speed].push(durationsMs)
    }
  }
  await browser.close()
  await service.stop()
  const medians = (all: readonly number[][]): number[] => interactions.map((_, at) => median(roundsOf(all, at)))
  return {
    title: 'Interactions in the dashboard',
    how:
      `A project of ${projects.large.toLocaleString('en')} variables and 3 stages in a headless Chromium, ${rounds} rounds. Event Timing measures from the ` +
      `key or click until the next frame, in steps of 8 ms and from ${watcher.shortestMs} ms on. The last column has a processor ${slowdown} times slower.`,
    headings: ['interaction', 'ms', `ms, ${slowdown} × slower`],
    textColumns: 1,
    rows: interactions.map(({ name }, at) => [
      name,
      spanText(roundsOf(measured.usual, at), 0),
      spanText(roundsOf(measured.slow, at), 0),
    ]),
    aims: [
      below('slowest interaction with 5,000 variables', Math.max(...medians(measured.usual)), goodMs, ' ms'),
      below(`the same, ${slowdown} × slower`, Math.max(...medians(measured.slow)), goodMs, ' ms'),
    ],
    notes: [],
    faults: [],
  }
}

export const interactionsInDashboard: Part = { name: 'interactions', run }
