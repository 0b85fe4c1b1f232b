/** Draws horizontal bars as SVG, readable on light and dark pages. */

const colors = {
  bare: ['#8b95a1', '#8b95a1'],
  embedded: ['#2563eb', '#5b8def'],
  postgres: ['#0d9488', '#2bb3a6'],
  other: ['#b45309', '#d98a3d'],
  mark: ['#dc2626', '#f87171'],
  ink: ['#1f2933', '#e6edf3'],
  paper: ['#ffffff', '#0d1117'],
} as const

type Color = Exclude<keyof typeof colors, 'ink' | 'paper'>

interface Bar {
  readonly label: string
  readonly value: number
  /** Text to the right of the bar. */
  readonly text: string
  readonly color: Color
  /** Value of the aim. */
  readonly mark?: number | undefined
}

export interface Plot {
  readonly title: string
  readonly legend: Readonly<Partial<Record<Color, string>>>
  readonly bars: readonly Bar[]
  readonly isLogarithmic?: boolean
}

const width = 860
const left = 300
const longest = 400
const top = 64
const step = 24
const thickness = 16

function styleOf(shade: 0 | 1): string {
  const fills = Object.entries(colors).map(([name, shades]) => `.${name}{fill:${shades[shade]}}`)
  return fills.join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** Returns a function that converts a value to a length. */
function scaleOf({ bars, isLogarithmic = false }: Plot): (value: number) => number {
  const all = bars.flatMap(({ value, mark = 0 }) => [value, mark]).filter((value) => value > 0)
  const max = Math.max(...all)
  if (!isLogarithmic) return (value) => (value / max) * longest
  const min = 10 ** Math.floor(Math.log10(Math.min(...all)))
  return (value) => (Math.log(value / min) / Math.log(max / min)) * longest
}

export function svgOf(plot: Plot): string {
  const height = top + plot.bars.length * step + 8
  const scale = scaleOf(plot)
  const bars = plot.bars.map(({ label, value, text, color, mark }, index) => {
    const y = top + index * step
    const length = Math.max(1, scale(value))
    const textOffset = Math.max(length, mark === undefined ? 0 : scale(mark)) + 8
    return [
      `<text class="ink" x="${left - 10}" y="${y + 12}" text-anchor="end">${escaped(label)}</text>`,
      `<rect class="${color}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="${thickness}"/>`,
      mark === undefined
        ? ''
        : `<rect class="mark" x="${(left + scale(mark) - 1).toFixed(1)}" y="${y - 3}" width="2" height="${thickness + 6}"/>`,
      `<text class="ink" x="${(left + textOffset).toFixed(1)}" y="${y + 12}">${escaped(text)}</text>`,
    ].join('')
  })
  const legend = Object.entries(plot.legend).map(
    ([color, text]) => `<tspan class="${color}" dx="12">■</tspan><tspan dx="5">${escaped(text)}</tspan>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12.5">
<style>${styleOf(0)}@media (prefers-color-scheme: dark){${styleOf(1)}}</style>
<rect class="paper" width="${width}" height="${height}" rx="6"/>
<text class="ink" x="16" y="24" font-size="14" font-weight="600">${escaped(plot.title)}</text>
<text class="ink" x="4" y="46">${legend.join('')}</text>
${bars.join('\n')}
</svg>
`
}
