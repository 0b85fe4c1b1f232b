/** Controls, line breaks, changes of the writing direction, and characters of no width: a name that has one is not the name that people see. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060\ufeff]/u

export function hasHiddenCharacter(text: string): boolean {
  return hidden.test(text)
}

/** The text with a sign (U+FFFD) for each of them: names that were stored before they were refused. */
export function withoutHiddenCharacters(text: string): string {
  return text.replaceAll(new RegExp(hidden, 'gu'), '\ufffd')
}
