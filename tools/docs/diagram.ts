/** Draws the diagrams of the docs when the site is built, so that readers load no library for them. */
import { renderMermaidSVG } from 'beautiful-mermaid'

/** Returns a fenced Mermaid diagram as SVG without styles, which the theme of the site has. */
export function diagram(fenced: string): string {
  const source = fenced.split('\n').slice(1, -1).join('\n')
  const svg = renderMermaidSVG(source)
    .replace(/<style>[^]*?<\/style>/, '')
    .replace(/ style="[^"]*"/, ' class="diagram"')
  // A blank line would end the HTML within Markdown.
  const frame = '<div class="diagram-frame" tabindex="0" role="region" aria-label="Diagram">'
  return `${frame}${svg.replaceAll(/\n\s*(?=\n)/g, '')}</div>`
}
