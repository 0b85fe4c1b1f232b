/** Draws the diagrams of the docs when the site is built, so that readers load no library for them. */
import { renderMermaidSVG } from 'beautiful-mermaid'

/** What a box adds to the width of its label, on both sides together. */
const labelPadding = 16

/**
 * Returns the SVG with labels of arrows that keep to the width for which their boxes are made. The library measures Inter, and the font of
 * a reader may be wider.
 */
function fitted(svg: string): string {
  const label = /(<g class="edge-label"[^>]*>\s*<rect [^>]*?width="([\d.]+)"[^>]*>\s*<text )([^>]*>[^<])/g
  return svg.replaceAll(label, (_, start: string, width: string, rest: string) => {
    return `${start}textLength="${Math.round(Number(width) - labelPadding)}" lengthAdjust="spacingAndGlyphs" ${rest}`
  })
}

/** Returns a fenced Mermaid diagram as SVG without styles, which the theme of the site has. */
export function diagram(fenced: string): string {
  const source = fenced.split('\n').slice(1, -1).join('\n')
  const svg = fitted(renderMermaidSVG(source))
    .replace(/<style>[^]*?<\/style>/, '')
    .replace(/ style="[^"]*"/, ' class="diagram"')
  // A blank line would end the HTML within Markdown.
  const frame = '<div class="diagram-frame" tabindex="0" role="region" aria-label="Diagram">'
  return `${frame}${svg.replaceAll(/\n\s*(?=\n)/g, '')}</div>`
}
