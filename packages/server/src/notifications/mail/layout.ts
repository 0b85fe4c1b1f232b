/** Lays out a mail as text and as HTML, which loads nothing. */
import type { Letter } from './templates.ts'

export interface Layout {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** `footer`: the last line, with an address at its end. */
export function layOut({ subject, lines, link }: Letter, footer: string): Layout {
  const paragraphs = lines.map((line) => `<p>${escaped(line)}</p>`).join('\n')
  return {
    subject: `[Rollkey] ${subject}`,
    text: `${lines.join('\n\n')}\n\n${link.label}:\n${link.url}\n\n-- \n${footer}\n`,
    html: `<!doctype html>
<html lang="en">
<body style="font-family: sans-serif; max-width: 36em">
${paragraphs}
<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>
<p style="color: #666; font-size: 85%">${escaped(footer)}</p>
</body>
</html>
`,
  }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '')
}
