/** What is told of the sections: on the terminal, and as a page with plots. */
import { styleText } from 'node:util'
import type { Aim, Section } from './part.ts'

const green = /✓/
const red = /✗/

function coloured(cell: string): string {
  if (green.test(cell)) return styleText('green', cell)
  return red.test(cell) ? styleText('red', cell) : cell
}

function tableText({ headings, rows, textColumns }: Pick<Section, 'headings' | 'rows' | 'textColumns'>): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
  )
  const padded = (cells: readonly string[]): string[] =>
    cells.map((cell, column) => {
      const most = widths[column] ?? 0
      return column < textColumns ? cell.padEnd(most) : cell.padStart(most)
    })
  const lines = rows.map((cells) => padded(cells).map(coloured).join('  ').trimEnd())
  return [styleText('gray', padded(headings).join('  ')), ...lines].join('\n')
}

export function sectionText(section: Section): string {
  const faults = section.faults.map((fault) => styleText('red', fault))
  return [`\n${styleText('bold', section.title)}`, tableText(section), ...section.notes, ...faults].join('\n')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function tableMarkdown({ headings, rows, textColumns }: Pick<Section, 'headings' | 'rows' | 'textColumns'>): string {
  const rule = headings.map((_, column) => (column < textColumns ? '---' : '---:'))
  return [headings, rule, ...rows].map(row).join('\n')
}

function aimsTable(aims: readonly Aim[]): Pick<Section, 'headings' | 'rows' | 'textColumns'> {
  const rows = aims.map(({ what, bound, figure, isMet }) => [what, bound, figure, isMet ? '✓' : '✗'])
  return { headings: ['what', 'aim', 'measured', ''], rows, textColumns: 1 }
}

export function aimsText(sections: readonly Section[]): string {
  const aims = sections.flatMap((section) => section.aims)
  return aims.length === 0 ? '' : `\n${styleText('bold', 'Aims')}\n${tableText(aimsTable(aims))}`
}

function sectionMarkdown(section: Section, picture: string): string {
  const { title, how, notes, faults, plot } = section
  return [
    `## ${title}`,
    how,
    tableMarkdown(section),
    ...(plot ? [`![${plot.title}](${picture})`] : []),
    ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join('\n')] : []),
    ...faults.map((fault) => `**${fault}**`),
  ].join('\n\n')
}

/** The page of results; `pictureOf` tells the file of a section's plot. */
export function pageOf(
  sections: ReadonlyMap<string, Section>,
  machine: string,
  pictureOf: (name: string) => string,
): string {
  const all = [...sections.values()]
  return [
    '# Bench',
    `Made by \`npm run bench -- --write\` on ${machine}.`,
    'The real service, with the access token of a command-line client and durable metering, is measured against a bare ' +
      '`node:http` server that parses the same request and answers as many bytes of ready JSON. In every part all servers ' +
      "take turns; figures are medians of the rounds, a ratio is the median of the rounds' ratios. CPU µs is the server's " +
      'processor time for an answer, which neighbours of this machine disturb less than requests a second. Where the time ' +
      'goes: [README.md](README.md).',
    '## Aims',
    tableMarkdown(aimsTable(all.flatMap(({ aims }) => aims))),
    ...[...sections].map(([name, section]) => sectionMarkdown(section, pictureOf(name))),
  ]
    .join('\n\n')
    .concat('\n')
}
