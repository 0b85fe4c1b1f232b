import type { Page } from 'playwright-core'
import { startBrowser, type TestBrowser, type TestPage } from '../../packages/server/testkit/browser.ts'
import { goodPassword, inLink, Person } from '../../packages/server/testkit/person.ts'
import { median, percent, quantile, spanText } from '../figures.ts'
import { below, type Context, type Part, type Section } from '../part.ts'
import { call, org, repository, startService, type Service } from '../target.ts'
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
const projectNames = Object.keys(projects) as Project[]

/** How long a project takes to show its first rows, and the processor time of the page's main thread until then. */
interface FirstRows {
  readonly firstRowsMs: number
  readonly firstRowsCpuMs: number
}

interface Round extends FirstRows {
  readonly frames: readonly watcher.Frame[]
  readonly answersMs: readonly number[]
  /** Processor time of the page's main thread for each key of the search. */
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

async function openProject({ page }: TestPage, project: Project): Promise<FirstRows> {
  await page.goto('about:blank')
  const cpuMs = await startCpu(page)
  await page.goto(`/o/${org}/p/${project}`)
  await page.getByRole('gridcell').first().waitFor()
  const firstRowsCpuMs = await cpuMs()
  return { firstRowsMs: await page.evaluate<number>(watcher.firstRowsMs), firstRowsCpuMs }
}

async function measure(visit: TestPage, project: Project): Promise<Round> {
  const { page } = visit
  const firstRows = await openProject(visit, project)
  // The mouse must be above the table for the wheel.
  await page.getByRole('gridcell').first().hover()
  const frames = await scroll(page)
  const searchCpuMs = await startCpu(page)
  const answersMs = await search(page)
  return { ...firstRows, frames, answersMs, answerCpuMs: (await searchCpuMs()) / keys.length }
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
  for (const name of projectNames) await fill(service, name)
  const browser = await startBrowser()
  const visit = await signedIn(browser, service)
  const measured: Record<Project, Round[]> = { small: [], large: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const name of projectNames) {
      tell(`round ${round} of ${rounds}, ${name}`)
      const figures = await measure(visit, name)
      // The first round fills the caches of the browser and of the service.
      if (round > 0) measured[name].push(figures)
    }
  }
  await browser.close()
  await service.stop()
  const [small, large] = projectNames.map((name) => median(measured[name].map(p95))) as [number, number]
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
    rows: projectNames.map((name) => rowOf(name, measured[name])),
    aims: [
      below('p95 of frames, 50 variables', small, 17.5, ' ms'),
      below('p95 of frames, 5,000 variables: times that of 50', large / small, 1.33),
    ],
    notes: [],
    faults: [],
  }
}

const checkoutNames = ['this', 'other'] as const
const figureNames = ['firstRowsMs', 'firstRowsCpuMs'] as const

/** Opens projects on this checkout and on the one in `folder` in turn. Both need their builds. */
async function openInTurn({ stores, tell }: Context, folder: string, rounds: number) {
  const browser = await startBrowser()
  const opened = await Promise.all(
    checkoutNames.map(async (name) => {
      const service = await startService(await stores.newHome('embedded', name === 'this' ? repository : folder))
      for (const project of projectNames) await fill(service, project)
      const measured: Record<Project, FirstRows[]> = { small: [], large: [] }
      return { name, service, visit: await signedIn(browser, service), measured }
    }),
  )
  for (let round = 0; round <= rounds; round++) {
    for (const { name, visit, measured } of round % 2 === 0 ? opened : opened.toReversed()) {
      for (const project of projectNames) {
        tell(`round ${round} of ${rounds}, ${name}, ${project}`)
        const figures = await openProject(visit, project)
        // The first round fills the caches of the browser and of the service.
        if (round > 0) measured[project].push(figures)
      }
    }
  }
  await browser.close()
  for (const { service } of opened) await service.stop()
  return opened.map(({ measured }) => measured)
}

/** Compares how long a project takes to show its first rows with the checkout in `folder`. */
export async function firstRowsAgainst(context: Context, folder: string): Promise<Section> {
  const { rounds } = context.plan({ ...usual, rounds: 11 })
  const all = await openInTurn(context, folder, rounds)
  const rows = projectNames.flatMap((project) =>
    figureNames.map((figure) => ({
      title: `${projects[project].toLocaleString('en')} variables, ${figure === 'firstRowsMs' ? 'ms' : 'CPU ms'}`,
      times: all.map((measured) => measured[project].map((each) => each[figure])),
    })),
  )
  return {
    title: 'First rows of a project, compared with another checkout',
    how: `Navigations with cached scripts until the first rows, ${rounds} rounds in turn. CPU is that of the main thread of the page.`,
    headings: ['project', ...checkoutNames],
    textColumns: 1,
    rows: rows.map(({ title, times }) => [title, ...times.map((each) => spanText(each, 0))]),
    aims: rows.map(({ title, times }) => {
      const [here = NaN, other = NaN] = times.map(median)
      return { what: title, bound: `≤ ${other.toFixed(0)}`, figure: here.toFixed(0), isMet: here <= other }
    }),
    notes: [],
    faults: [],
  }
}

export const dashboard: Part = { name: 'dashboard', run }
