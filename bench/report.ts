/** What is told of the figures: a table for the terminal, the same as Markdown, and a plot. */
import { styleText } from 'node:util'
import type { LoadReport } from './load.ts'
import type { Outcome } from './measure.ts'

/** An outcome in figures; `bare`, `rollkey` and `stolen` are medians of the rounds. */
interface Figures {
  readonly bare: Medians
  readonly rollkey: Medians
  /** Rollkey's requests a second over those of bare, by round, ascending. */
  readonly ratios: readonly number[]
  /** The same of processor time for an answer, which other work on the machine disturbs less; the median. */
  readonly cpuRatio: number
  readonly errors: number
  readonly stolen: number
}

interface Medians {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
  readonly serverBusy: number
  readonly loadBusy: number
}

const headings = [
  'scenario',
  'bare req/s',
  'rollkey req/s',
  'ratio',
  'of rounds',
  'bare p50 / p99 ms',
  'rollkey p50 / p99 ms',
  'bare CPU µs',
  'rollkey CPU µs',
  'CPU ratio',
  'errors',
  'answered = counted',
]

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b)
}

/** Without the rounds in which a stalled machine let nothing be measured. */
function known(numbers: readonly number[]): number[] {
  return numbers.filter((number) => Number.isFinite(number))
}

function median(numbers: readonly number[]): number {
  const ascending = sorted(known(numbers))
  const middle = (ascending.length - 1) / 2
  return ((ascending[Math.floor(middle)] ?? Number.NaN) + (ascending[Math.ceil(middle)] ?? Number.NaN)) / 2
}

function mediansOf(reports: readonly LoadReport[]): Medians {
  const of = (pick: (report: LoadReport) => number | undefined): number =>
    median(reports.map((report) => pick(report) ?? Number.NaN))
  return {
    perSecond: of((report) => report.perSecond),
    p50Ms: of((report) => report.p50Ms),
    p99Ms: of((report) => report.p99Ms),
    cpuUs: of((report) => report.serverCpuUs),
    serverBusy: of((report) => report.serverBusy),
    loadBusy: of((report) => report.loadBusy),
  }
}

function errorsOf({ errors }: LoadReport): number {
  return errors.status + errors.shape + errors.closed + errors.late
}

function figuresOf({ rounds }: Outcome): Figures {
  return {
    bare: mediansOf(rounds.map(({ bare }) => bare)),
    rollkey: mediansOf(rounds.map(({ rollkey }) => rollkey)),
    ratios: sorted(known(rounds.map(({ bare, rollkey }) => rollkey.perSecond / bare.perSecond))),
    cpuRatio: median(
      rounds.map(({ bare, rollkey }) => (bare.serverCpuUs ?? Number.NaN) / (rollkey.serverCpuUs ?? Number.NaN)),
    ),
    errors: rounds.reduce((sum, { bare, rollkey }) => sum + errorsOf(bare) + errorsOf(rollkey), 0),
    stolen: median(rounds.flatMap(({ bare, rollkey }) => [bare.stolen, rollkey.stolen])),
  }
}

/** Whether every request was answered well and counted once. */
export function isClean(outcome: Outcome): boolean {
  return figuresOf(outcome).errors === 0 && outcome.answered === outcome.counted
}

function whole(number: number): string {
  return Number.isNaN(number) ? '–' : Math.round(number).toLocaleString('en')
}

function percent(share: number): string {
  return `${whole(share * 100)} %`
}

function latencyText({ p50Ms, p99Ms }: Medians): string {
  return `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`
}

function countedText({ answered, counted }: Outcome): string {
  return answered === counted ? `${whole(counted)} ✓` : `${whole(answered)} ≠ ${whole(counted)}`
}

/** Cells in the order of `headings`. */
function cellsOf(outcome: Outcome): string[] {
  const { bare, rollkey, ratios, cpuRatio, errors } = figuresOf(outcome)
  return [
    outcome.scenario.title,
    whole(bare.perSecond),
    whole(rollkey.perSecond),
    median(ratios).toFixed(2),
    `${ratios[0]?.toFixed(2)}–${ratios.at(-1)?.toFixed(2)}`,
    latencyText(bare),
    latencyText(rollkey),
    bare.cpuUs.toFixed(1),
    rollkey.cpuUs.toFixed(1),
    cpuRatio.toFixed(2),
    whole(errors),
    countedText(outcome),
  ]
}

/** The table, coloured where a terminal shows it. */
export function tableText(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(cellsOf)
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  )
  const padded = (cells: readonly string[]): string[] =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
  const lines = outcomes.map((outcome) => {
    const verdict = isClean(outcome) ? 'green' : 'red'
    const styles = [
      'none',
      'none',
      'none',
      'bold',
      'none',
      'none',
      'none',
      'none',
      'none',
      'none',
      verdict,
      verdict,
    ] as const
    return padded(cellsOf(outcome))
      .map((cell, column) => styleText(styles[column] ?? 'none', cell))
      .join('  ')
  })
  return [styleText('gray', padded(headings).join('  ')), ...lines].join('\n')
}

function doubtsOfOne(outcome: Outcome): string[] {
  const { bare, rollkey, stolen } = figuresOf(outcome)
  const { title } = outcome.scenario
  const doubts = Object.entries({ bare, rollkey })
    .filter(([, { serverBusy }]) => serverBusy < 0.9)
    .map(
      ([name, { serverBusy, loadBusy }]) =>
        `${title}: ${name} ran only ${percent(serverBusy)} of the time (load: ${percent(loadBusy)}); compare CPU µs.`,
    )
  return stolen < 0.05 ? doubts : [...doubts, `${title}: the host took ${percent(stolen)} of this machine away.`]
}

/** Sentences about rounds whose figures say less than they seem to. */
export function doubtsOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(doubtsOfOne)
}

const explanation = `\`npm run bench\` measures the real service, with a CLI access token and durable metering, against a bare \`node:http\`
server that parses the same request and answers as many bytes of ready JSON. They take turns; figures are medians of the
rounds, the ratio is the median of the rounds' ratios. CPU µs is the server's processor time for an answer.`

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** The contents of the page of results. */
export function markdownOf(
  outcomes: readonly Outcome[],
  { machine, how, notes, plot: picture }: { machine: string; how: string; notes: readonly string[]; plot: string },
): string {
  const rule = headings.map((_, column) => (column === 0 ? '---' : '---:'))
  const sizes = outcomes.map(
    ({ scenario, requestBytes, bodyBytes }) =>
      `${scenario.title}: ${whole(requestBytes)} bytes asked, body of ${whole(bodyBytes)} answered`,
  )
  return [
    '# Bench',
    explanation,
    `${machine}  \n${how}`,
    [markdownRow(headings), markdownRow(rule), ...outcomes.map((outcome) => markdownRow(cellsOf(outcome)))].join('\n'),
    ...notes,
    `![requests a second, bare node:http and Rollkey](${picture})`,
    `${sizes.join('; ')}.\n`,
  ].join('\n\n')
}

const plot = { width: 800, left: 250, bar: 400, top: 44, row: 58 }
const barHeight = 18
const colours = { bare: '#9aa3ad', rollkey: '#2563eb' }

function barsOf(outcome: Outcome, index: number): string {
  const { bare, rollkey, ratios } = figuresOf(outcome)
  const most = Math.max(bare.perSecond, rollkey.perSecond)
  const top = plot.top + index * plot.row
  const bar = (name: 'bare' | 'rollkey', perSecond: number, y: number, note: string): string => {
    const width = Math.round((perSecond / most) * plot.bar)
    return (
      `<rect x="${plot.left}" y="${y}" width="${width}" height="${barHeight}" fill="${colours[name]}"/>` +
      `<text x="${plot.left + width + 8}" y="${y + 13}">${whole(perSecond)}${note}</text>`
    )
  }
  return [
    `<text x="${plot.left - 12}" y="${top + barHeight + 5}" text-anchor="end">${outcome.scenario.title}</text>`,
    bar('bare', bare.perSecond, top, ''),
    bar('rollkey', rollkey.perSecond, top + barHeight + 2, ` (${median(ratios).toFixed(2)})`),
  ].join('\n')
}

/** Bars of requests a second, each scenario on a scale of its own. */
export function plotOf(outcomes: readonly Outcome[]): string {
  const height = plot.top + outcomes.length * plot.row
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${plot.width}" height="${height}" viewBox="0 0 ${plot.width} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#1f2933">
<rect width="${plot.width}" height="${height}" fill="#ffffff"/>
<text x="${plot.left}" y="24">requests a second on one core: <tspan fill="${colours.bare}">■</tspan> bare node:http <tspan fill="${colours.rollkey}">■</tspan> Rollkey (ratio)</text>
${outcomes.map(barsOf).join('\n')}
</svg>
`
}
