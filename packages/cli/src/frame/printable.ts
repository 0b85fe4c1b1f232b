/** Text of a server, a file or a person as a terminal may show it. */

/**
 * What makes a terminal do something else than show it (C0, DEL and C1, so every escape sequence), and what makes people read it
 * in another order than it has: line and paragraph separators and the controls of the writing direction.
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Shows such characters as `\u001b`, which is also how JSON writes them. Line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => (/[\n\t]/.test(character) ? character : escaped(character)))
}

/** The same on one line. */
export function printableLine(text: string): string {
  return text.replace(unprintable, escaped)
}
