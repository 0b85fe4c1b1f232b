/**
 * Control characters, line breaks, changes of the writing direction and zero-width characters. A name with one of them
 * can differ from the name that people see.
 */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060\ufeff]/u

/**
 * Returns whether a text has a hidden character. Never throws.
 *
 * @example
 * hasHiddenCharacter('shop\u200b') // true: a zero-width space
 */
export function hasHiddenCharacter(text: string): boolean {
  return hidden.test(text)
}

/**
 * Replaces each hidden character with U+FFFD, for names that were stored before such characters were refused. Never throws.
 *
 * @example
 * withoutHiddenCharacters('shop\u200b') // 'shop\ufffd'
 */
export function withoutHiddenCharacters(text: string): string {
  return text.replaceAll(new RegExp(hidden, 'gu'), '\ufffd')
}
