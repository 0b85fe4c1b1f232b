#!/usr/bin/env node
// Finds the words that docs/style.md bans in tracked text files, marks of conflicts that a merge has left, long lines, and texts of the web application
// outside its catalogs, with file and line. Exits with 1 if there are any.
// Quotations in `backticks` of Markdown and the style page itself may use them. Arguments: files; by default, all that git tracks.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { hasCatalog, textsOutsideCatalog } from './visible-text.mjs'

const banned = [
  'whoever',
  'somebody',
  'nobody',
  'anew',
  'for ever',
  'of (?:its|their|his|her|your|my) own',
  'of ours',
  'as it stands',
  'as they stand',
  '(?:is|are|was|were|be|been|being) told',
  'so (?:long|often|many)',
  'as far as',
  'com(?:e|es|ing) into being',
  'came into being',
  'unless told',
  'beforehand',
  'thereby',
  'therein',
  'meanwhile',
  'the like',
  '(?<!there |There )(?:is|are) no (?!longer|more|less|later|earlier|other)',
  'RULINGS',
  'the specification',
  'first-design',
]
const pattern = new RegExp(String.raw`\b(?:${banned.join('|')})\b`, 'gi')
const textFiles = /\.(?:ts|tsx|mjs|js|md|json|yml|yaml|sh|sql|html|css)$/
/** The page that lists them, this check and its test, and what other tools write. */
const exempt =
  /^(?:docs\/style\.md|tools\/check-language(?:\.test)?\.(?:mjs|ts)|package-lock\.json|bench\/RESULTS\.md|.*\/fixtures\/.*)$/

/** The banned words of a text, with their lines. */
export function bannedIn(text, isMarkdown) {
  return text.split('\n').flatMap((line, index) => {
    const prose = isMarkdown ? line.replaceAll(/`[^`]*`/g, (quote) => ' '.repeat(quote.length)) : line
    return [...prose.matchAll(pattern)].map(([word]) => ({ line: index + 1, word: word.trim() }))
  })
}

function main() {
  const named = process.argv.slice(2)
  const files = named.length > 0 ? named : execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')
  const problems = files
    .filter((file) => textFiles.test(file) && !exempt.test(file))
    .flatMap((file) => problemsIn(file, readFileSync(file, 'utf8')))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) console.error(`${problems.length} problems; docs/style.md lists what to write instead.`)
  process.exitCode = problems.length > 0 ? 1 : 0
}

function conflictsIn(text) {
  return text.split('\n').flatMap((line, index) => (/^[<>]{7} /.test(line) ? [{ line: index + 1, word: line }] : []))
}

const maxLineLength = 140
/** The width of a block of code on the documentation site: a longer line makes its reader scroll sideways. */
const maxCodeLength = 84
/** The pages for people, without what `npm run generate` writes. */
const hasNarrowCode = /(?:^|\/)(?:docs\/(?!decisions\/|cli-commands\.|rollkey-server\.).*|README)\.md$/
/** Blocks whose lines cannot be broken: JSON Lines, messages, diagrams, and output and other formats, which name no language. */
const isUnbreakable = /^(?:json|http|mermaid|)$/

/** The lines of Markdown that are too long, outside tables and addresses, and those of code in pages for people. */
function longLinesIn(file, text) {
  const maxOfCode = hasNarrowCode.test(file) ? maxCodeLength : Infinity
  let language
  return text.split('\n').flatMap((line, index) => {
    const fence = /^\s*```(\w*)/.exec(line)
    if (fence) language = language === undefined ? fence[1] : undefined
    const isCode = language !== undefined
    const { length } = isCode ? line : line.replaceAll(/\]\([^)]*\)|https?:\/\/\S+/g, '')
    const isKept = isCode ? isUnbreakable.test(language) || !/\S\s+\S/.test(line) : /^\s*\|/.test(line)
    const max = isCode ? maxOfCode : maxLineLength
    if (isKept || length <= max) return []
    return [{ line: index + 1, word: `${length} characters${isCode ? ' of code' : ''} (at most ${max})` }]
  })
}

function problemsIn(file, text) {
  const isMarkdown = path.extname(file) === '.md'
  const words = [...bannedIn(text, isMarkdown), ...conflictsIn(text), ...(isMarkdown ? longLinesIn(file, text) : [])]
  const texts = hasCatalog.test(file) ? textsOutsideCatalog(file, text) : []
  return [
    ...words.map(({ line, word }) => `${file}:${line}: ${word}`),
    ...texts.map((found) => `${file}:${found.line}: ${found.text} (belongs in a labels.ts)`),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
