/** Makes text from a server, a file or a person safe to show on a terminal. */

/**
 * Characters that a terminal interprets instead of showing (C0, DEL and C1, so every escape sequence), and characters that
 * change the order in which people read: line and paragraph separators and the controls of the writing direction.
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Replaces such characters with escapes such as `\u001b`, the form of JSON. Keeps line breaks and tabs. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => (/[\n\t]/.test(character) ? character : escaped(character)))
}

/** Replaces such characters with escapes, including line breaks and tabs. */
export function printableLine(text: string): string {
  return text.replace(unprintable, escaped)
}
