import type { Page } from 'playwright-core'
import { startBrowser, type TestBrowser, type TestPage } from '../../packages/server/testkit/browser.ts'
import { goodPassword, inLink, Person } from '../../packages/server/testkit/person.ts'
import { median, percent, quantile, spanText } from '../figures.ts'
import { below, type Context, type Part, type Section } from '../part.ts'
import { call, org, startService, type Service } from '../target.ts'
import * as watcher from '../watcher.ts'

const usual = { rounds: 5, seconds: 0, warmupSeconds: 0, connections: 1 }
const stages = ['dev', 'staging', 'prod']
/** Number of variables by project. */
export const projects = { small: 50, large: 5_000 }
const writeEntries = 1_000
/** Height of a row and distance of a wheel step, in CSS pixels. */
const [rowPx, wheelPx] = [38, 500]
/** Number of wheel steps through the large table. */
const wheels = (projects.large * rowPx) / wheelPx
/** Keys of the search. Each one finds a different number of rows than the one before. */
const keys = ['1', 'Backspace', '2', 'Backspace', '3', 'Backspace', '4']

type Project = keyof typeof projects

interface Round {
  readonly frames: readonly watcher.Frame[]
  readonly answersMs: readonly number[]
  readonly firstRowsMs: number
  /** Processor time of the page's main thread: until the first rows, and for each key of the search. */
  readonly firstRowsCpuMs: number
  readonly answerCpuMs: number
}

/** Creates a project of three stages. */
export async function fill(service: Service, projectSlug: Project): Promise<void> {
  const names = Array.from({ length: projects[projectSlug] }, (_, index) => `NAME_${String(index).padStart(4, '0')}`)
  for (const stageSlug of stages) {
    for (let from = 0; from < names.length; from += writeEntries) {
      const entries = names
        .slice(from, from + writeEntries)
        .map((name) => ({ name, kind: 'secret', value: `${name} ${stageSlug}` }))
      await call(service, '/v1/env/write', { projectSlug, stageSlug, mode: 'upsert', entries })
    }
  }
}

export async function signedIn(browser: TestBrowser, { url, owner }: Service): Promise<TestPage> {
  const person = new Person(url, owner.email)
  await person.must('/reset-password', { token: inLink(owner.passwordLink, 'token'), newPassword: goodPassword })
  await person.signIn()
  const visit = await browser.newPage({ baseUrl: url })
  await visit.page.context().addCookies(person.cookies.map(([name, value]) => ({ name, value, url })))
  await visit.page.addInitScript(watcher.noteFirstRows)
  await visit.page.addInitScript(watcher.noteInteractions)
  return visit
}

async function measure({ page }: TestPage, project: Project): Promise<Round> {
  await page.goto('about:blank')
  const cpuMs = await startCpu(page)
  await page.goto(`/o/${org}/p/${project}`)
  await page.getByRole('gridcell').first().waitFor()
  const firstRowsCpuMs = await cpuMs()
  // The mouse must be above the table for the wheel.
  await page.getByRole('gridcell').first().hover()
  const firstRowsMs = await page.evaluate<number>(watcher.firstRowsMs)
  const frames = await scroll(page)
  const searchCpuMs = await startCpu(page)
  const answersMs = await search(page)
  return { firstRowsMs, firstRowsCpuMs, frames, answersMs, answerCpuMs: (await searchCpuMs()) / keys.length }
}

/** Returns a function that returns the processor time that the page's main thread has used since, in ms. */
async function startCpu(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taskMs = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
  const startMs = await taskMs()
  return async () => {
    const usedMs = (await taskMs()) - startMs
    await session.detach()
    return usedMs
  }
}

async function scroll(page: Page): Promise<watcher.Frame[]> {
  const range = await page.evaluate<number>(watcher.scrollRange)
  await page.evaluate(watcher.noteFrames)
  let [top, step] = [0, wheelPx]
  for (let wheel = 0; wheel < wheels; wheel++) {
    if (top <= 0) step = wheelPx
    else if (top >= range) step = -wheelPx
    top += step
    await page.mouse.wheel(0, step)
  }
  return page.evaluate<watcher.Frame[]>(watcher.notedFrames)
}

async function search(page: Page): Promise<number[]> {
  await page.getByRole('searchbox').focus()
  const answersMs: number[] = []
  for (const key of keys) {
    await page.evaluate(watcher.noteAnswer)
    await page.keyboard.press(key)
    answersMs.push(await page.evaluate<number>(watcher.answerMs))
  }
  return answersMs
}

function frameTimes({ frames }: Round): number[] {
  return frames.map(({ ms }) => ms)
}

function p95(round: Round): number {
  return quantile(frameTimes(round), 0.95)
}

function rowOf(project: Project, rounds: readonly Round[]): string[] {
  const frames = rounds.flatMap((round) => round.frames)
  const text = (digits: number, figure: (round: Round) => number): string => spanText(rounds.map(figure), digits)
  return [
    `${projects[project].toLocaleString('en')} variables`,
    text(1, (round) => quantile(frameTimes(round), 0.5)),
    text(1, p95),
    text(1, (round) => Math.max(...frameTimes(round))),
    percent(frames.filter(({ isBlank }) => isBlank).length / frames.length),
    text(1, ({ answersMs }) => median(answersMs)),
    text(0, ({ answerCpuMs }) => answerCpuMs),
    text(0, ({ firstRowsMs }) => firstRowsMs),
    text(0, ({ firstRowsCpuMs }) => firstRowsCpuMs),
  ]
}

async function run({ stores, plan, tell }: Context): Promise<Section> {
  const { rounds } = plan(usual)
  const service = await startService(await stores.newHome('embedded'))
  const names = Object.keys(projects) as Project[]
  for (const name of names) await fill(service, name)
  const browser = await startBrowser()
  const visit = await signedIn(browser, service)
  const measured: Record<Project, Round[]> = { small: [], large: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      tell(`round ${round} of ${rounds}, ${name}`)
      const figures = await measure(visit, name)
      // The first round fills the caches of the browser and of the service.
      if (round > 0) measured[name].push(figures)
    }
  }
  await browser.close()
  await service.stop()
  const [small, large] = names.map((name) => median(measured[name].map(p95))) as [number, number]
  return {
    title: 'Dashboard',
    how:
      `A project of ${stages.length} stages in a headless Chromium, ${rounds} rounds in turn. The wheel scrolls in steps of ${wheelPx} pixels ` +
      'once through the larger table, and as many steps to and fro in the smaller one. A frame is blank if a visible row was missing. A key in the ' +
      'search box counts until the frame with its result, a navigation with cached scripts until the first rows. CPU is the processor time of the ' +
      'main thread of the page.',
    headings: [
      'table',
      'frame p50 ms',
      'p95 ms',
      'worst ms',
      'blank',
      'key ms',
      'key CPU ms',
      'navigation ms',
      'navigation CPU ms',
    ],
    textColumns: 1,
    rows: names.map((name) => rowOf(name, measured[name])),
    aims: [
      below('p95 of frames, 50 variables', small, 17.5, ' ms'),
      below('p95 of frames, 5,000 variables: times that of 50', large / small, 1.33),
    ],
    notes: [],
    faults: [],
  }
}

export const dashboard: Part = { name: 'dashboard', run }
