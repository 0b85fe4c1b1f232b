/** The order of lists: by Unicode code point, as the service sorts. Code units would put U+FFxx after the surrogates. */
export function byCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    if (one.charCodeAt(at) !== other.charCodeAt(at)) return codePointAt(one, at) - codePointAt(other, at)
  }
  return one.length - other.length
}

/** Both texts are alike before `at`, so a pair that is cut there has its upper half in both: the lower ones tell. */
function codePointAt(text: string, at: number): number {
  return text.codePointAt(at) ?? 0
}
