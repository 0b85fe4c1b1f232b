/**
 * Measures the code of the packages: its size, the lengths of files and functions, comments, documented exports, and what the features of
 * the dashboard import from each other. An argument is the root to measure in place of this repository, such as an older checkout.
 *
 *     npm run measure
 *     npm run measure -- ../older
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript-5'

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'))
const packages = ['server', 'dashboard', 'contract', 'sdk', 'cli', 'openfeature']
const generated = /^packages\/sdk\/src\/(?:wire|wire-tables|management)\.ts$/
const isTest = (file: string): boolean => /\.test\.tsx?$|\.suite\.tsx?$/.test(file)

interface Source {
  /** Path below the root. */
  readonly file: string
  readonly text: string
}

function sourcesIn(folder: string): Source[] {
  const full = path.join(root, folder)
  if (!existsSync(full)) return []
  const files = readdirSync(full, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name))
  return files
    .filter(
      (file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts') && !/\/(?:dist|node_modules|fixtures)\//.test(file),
    )
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))
}

function linesOf(text: string): number {
  return text.split('\n').length - 1
}

function total(sources: readonly Source[]): number {
  return sources.reduce((sum, { text }) => sum + linesOf(text), 0)
}

/** Returns the value below which a share of the numbers lies. */
function quantile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))] ?? 0
}

interface Shape {
  /** Lines of each function that has a name. */
  readonly functions: number[]
  readonly commentLines: number
  readonly exported: number
  readonly documented: number
}

function shapeOf({ file, text }: Source): Shape {
  const source = ts.createSourceFile(
    file,
    text,
    ts.ScriptTarget.Latest,
    true,
    file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  )
  const functions: number[] = []
  const visit = (node: ts.Node): void => {
    const isNamed =
      ts.isFunctionDeclaration(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isConstructorDeclaration(node) ||
      ((ts.isArrowFunction(node) || ts.isFunctionExpression(node)) && ts.isVariableDeclaration(node.parent))
    if (isNamed) functions.push(linesOf(node.getText()) + 1)
    ts.forEachChild(node, visit)
  }
  visit(source)
  const exports = source.statements.filter(
    (node) =>
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword),
  )
  return {
    functions,
    commentLines: text.split('\n').filter((line) => /^\s*(?:\/\/|\/\*|\*)/.test(line)).length,
    exported: exports.length,
    documented: exports.filter((node) => ts.getJSDocCommentsAndTags(node).length > 0).length,
  }
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))}%`
}

function rowOf(name: string): string[] {
  const all = sourcesIn(`packages/${name}/src`)
  const code = all.filter(({ file }) => !isTest(file) && !generated.test(file))
  const tests = [
    ...all.filter(({ file }) => isTest(file)),
    ...sourcesIn(`packages/${name}/test`),
    ...sourcesIn(`packages/${name}/testkit`),
  ]
  const shapes = code.map(shapeOf)
  const lengths = code.map(({ text }) => linesOf(text))
  const functions = shapes.flatMap((shape) => shape.functions)
  const sum = (count: (shape: Shape) => number): number => shapes.reduce((all_, shape) => all_ + count(shape), 0)
  return [
    name,
    String(code.length),
    String(total(code)),
    String(total(tests)),
    [0.5, 0.9].map((share) => quantile(lengths, share)).join(' / '),
    [...[0.5, 0.9, 0.99].map((share) => quantile(functions, share)), Math.max(...functions)].join(' / '),
    percent(
      sum((shape) => shape.commentLines),
      total(code),
    ),
    percent(
      sum((shape) => shape.documented),
      sum((shape) => shape.exported),
    ),
  ]
}

/** Returns what each feature of the dashboard imports from others, and the features that import themselves by way of others. */
function features(): { readonly imports: number; readonly arrows: number; readonly inCycles: readonly string[] } {
  const folder = 'packages/dashboard/src/features'
  const reached = new Map<string, Set<string>>()
  let imports = 0
  for (const { file, text } of sourcesIn(folder).filter((source) => !isTest(source.file))) {
    const own = path.relative(folder, file).split(path.sep)[0] ?? ''
    for (const [, specifier = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const target = path.relative(folder, path.join(path.dirname(file), specifier)).split(path.sep)[0] ?? ''
      if (target === '..' || target === own) continue
      imports++
      reached.set(own, (reached.get(own) ?? new Set()).add(target))
    }
  }
  const arrows = [...reached.values()].reduce((sum, targets) => sum + targets.size, 0)
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(reached.get(from) ?? [])].some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))))
  return { imports, arrows, inCycles: [...reached.keys()].filter((feature) => reaches(feature, feature)).toSorted() }
}

const head = ['package', 'files', 'lines', 'tests', 'file 50/90', 'function 50/90/99/max', 'comments', 'documented']
const rows = [head, ...packages.map(rowOf)]
const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
const { imports, arrows, inCycles } = features()
console.log(
  `\ndashboard: ${imports} imports from feature to feature, ${arrows} arrows, in cycles: ${inCycles.join(', ') || 'none'}`,
)
for (const file of ['packages/contract/openapi.json', 'packages/sdk/src/wire.ts', 'packages/sdk/src/management.ts'])
  console.log(
    `${file}: ${existsSync(path.join(root, file)) ? linesOf(readFileSync(path.join(root, file), 'utf8')) : 0} lines`,
  )
