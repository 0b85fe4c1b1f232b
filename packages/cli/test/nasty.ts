/** Values that writers and readers get wrong. */
import { seeded } from '../../server/testkit/random.ts'

/** A text like an RSA key: several lines and a final line break. */
const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ+/=\n'.repeat(20)}-----END PRIVATE KEY-----\n`

/** Values by the name of their variable. */
export const nasty: Readonly<Record<string, string>> = {
  EMPTY: '',
  SPACES: '  both ends  ',
  TABS: '\tboth ends\t',
  ONLY_SPACE: ' ',
  ONLY_NEWLINE: '\n',
  SPACE_NEWLINE: ' \n',
  NEWLINES: '\nfirst\n\nlast\n',
  PEM: pem,
  HASH: 'before #after',
  HASH_FIRST: '#all',
  EQUALS: 'a=b==',
  LOOKS_LIKE_MORE: 'x\nINJECTED=1\nexport OTHER=2',
  SINGLE: "it's",
  DOUBLE: 'say "hi"',
  BACKTICK: 'run `date`',
  SINGLE_DOUBLE: `'"`,
  ALL_QUOTES: `it's "a" \`b\``,
  DOLLAR: '$HOME ${HOME} $(id) $$ $1 !! ~',
  BACKSLASHES: String.raw`C:\new\room\\share`,
  LAST_BACKSLASH: 'C:\\dir\\',
  ESCAPES: String.raw`\n \r \t \0 \u0041 \x41 \' \" \``,
  UNICODE: 'Zoë 用户 🚀 e\u0301 \u00a0\u2028\u2029\u0085\ufeff',
  CONTROLS: '\u0001\u0007\u001b[31m\u007f',
  NUMBER: '0123',
  BOOLEAN: 'no',
  NULL: 'null',
  DATE: '2026-11-21',
  TIME: '12:30:45',
  EXPONENT: '1e5',
  MERGE: '<<',
  YAML_INDICATORS: '- *a &b !c |d >e %f @g ?h: {i} [j], k #l',
  JSON_TEXT: '{"a":[1,"\\n"],"b":null}',
  LONG: '0123456789abcdef'.repeat(4096),
  LONG_LINES: `${'x'.repeat(200)}\n`.repeat(300),
}

/** The values above, and values that not every format can carry. */
export const nastier: Readonly<Record<string, string>> = {
  CARRIAGE_RETURN: 'a\rb',
  WINDOWS: 'a\r\nb\r\n',
  WINDOWS_DOUBLE: 'a\r\n"b"',
  ALL_QUOTES_LINES: `'"\`\n'"\``,
  QUOTED_BACKSLASH: "'\n\\",
  ESCAPED_RETURN: '\r\\n',
  // Some readers treat the separator as the end of a line.
  LINE_SEPARATOR: `it's "a" \`b\`\u2028'c'`,
}

/** Names that are not valid for an environment. */
export const nastyNames: readonly string[] = [
  '__proto__',
  'constructor',
  '1ST',
  'a-b',
  'a.b',
  'with space',
  'a=b',
  '用户',
  'no',
  '<<',
  '"quoted"',
  "it's",
  '$(id)',
  '#a',
  '\u2028',
]

const pieces = [
  ...Array.from(`'"\`\\\n\r\t #=$:;,-.|>%&*!?@~{}[]()<>aZ09`),
  '\r\n',
  '${A}',
  '\\n',
  'é',
  '🚀',
  '\u2028',
  '\u00a0',
  '\ufeff',
  '\nB=',
]

/** Returns random texts, the same in every run. */
export function randomTexts(seed: number, count: number): string[] {
  const random = seeded(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  return Array.from({ length: count }, () =>
    Array.from({ length: below(below(2) === 0 ? 4 : 24) }, () => pieces[below(pieces.length)] ?? '').join(''),
  )
}

/** Returns the texts by the names N0, N1, … */
export function named(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value, index) => [`N${index}`, value]))
}
