import {
  dependentsOf,
  describeTemplateProblem,
  describeTemplateTextProblem,
  fillTemplate,
  limits,
  orderTemplates,
  parseTemplate,
  sourcesOf,
  type Exposure,
  type Kind,
  type TemplateFault,
} from '@rollkey/contract/rules'
import { expect, test } from 'vitest'
import { isLong } from '../../../server/testkit/long.ts'
import { Random } from '../../../server/testkit/random.ts'

const a = { source: 'A' }

test.each([
  ['', []],
  ['text', ['text']],
  ['$', ['$']],
  ['${A}', [a]],
  ['a${A}b${A}', ['a', a, 'b', a]],
  ['$${A}', ['${A}']],
  ['$$${A}', ['$${A}']],
  ['$${${A}', ['${', a]],
  ['${A}$${', [a, '${']],
  ['$A {A} $}', ['$A {A} $}']],
  ['😀${A}ü', ['😀', a, 'ü']],
  ['${_a9}', [{ source: '_a9' }]],
])('the parts of %j', (text, parts) => {
  expect(parseTemplate(text)).toEqual(parts)
})

test.each([
  ['${', 0],
  ['ab${A', 2],
  ['${}', 0],
  ['${A}${9}', 4],
  ['${a-b}', 0],
  ['${ A }', 0],
  ['${ü}', 0],
  ['${A${B}}', 0],
  ['$${${', 3],
  [`\${${'A'.repeat(limits.nameCharacters + 1)}}`, 0],
])('%j has a ${ without a name', (text, position) => {
  expect(parseTemplate(text)).toEqual({ position })
  expect(sourcesOf([text])).toEqual([])
  expect(describeTemplateTextProblem('URL', { position })).toContain(`after ${position} characters`)
})

test('a result is at most as large as a value, in bytes, and its size is known before it is made', () => {
  const largest = 'ü'.repeat(limits.valueBytes / 2)
  expect(fillTemplate([a], () => largest)).toBe(largest)
  expect(fillTemplate([a, 'x'], () => largest)).toBeUndefined()
  expect(
    fillTemplate(
      Array.from({ length: 16_384 }, () => a),
      () => largest,
    ),
  ).toBeUndefined()
})

test('a long chain is refused without a deep stack', () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `T${at}`)
  const order = orderTemplates(names, (name) => {
    const next = `T${Number(name.slice(1)) + 1}`
    return { kind: 'secret', sources: next === 'T20000' ? [] : [next] }
  })
  expect(order).toEqual({ name: 'T19991', source: 'T19992', fault: 'depth' })
})

interface Variable {
  readonly kind: Kind
  readonly exposure?: Exposure
  /** Text of a template, or the value. */
  readonly text: string
  readonly sources?: readonly string[]
}

const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', '_x9']
const texts = ['', 'x', '$', '$$', ' {', '}', 'A}', 'ü', '😀', '\n', '"', '$A}']

function randomStage(random: Random): Map<string, Variable> {
  const stage = new Map<string, Variable>()
  // A template of a chain names the next variable, one of an ordered stage later ones: cycles are rare there, and chains deep.
  const shape = random.pick(['chain', 'ordered', 'free'] as const)
  const rare = shape === 'chain' ? 100 : 4
  const count = shape === 'chain' ? 8 + random.int(names.length - 7) : 1 + random.int(names.length)
  const sourceOf = (at: number): string => {
    if (random.once(10 * rare)) return 'MISSING'
    if (shape === 'free') return random.pick(names.slice(0, count))
    return names[at + 1 + (shape === 'chain' ? 0 : random.int(count - at - 1))] ?? ''
  }
  for (const [at, name] of names.slice(0, count).entries()) {
    const exposure = random.once(rare) ? random.pick(['plain', 'client'] as const) : undefined
    const kind = random.once(3 * rare) ? 'ab_roll' : 'secret'
    const isTemplate = at + 1 < count && !random.once(rare)
    const parts = Array.from({ length: 1 + random.int(4) }, () =>
      random.pick([random.pick(texts), '$${A}', `\${${sourceOf(at)}}`]),
    )
    const text = isTemplate
      ? [...parts, ...(shape === 'chain' ? [`\${${sourceOf(at)}}`] : [])].join('')
      : random.pick(['', 'v', '${A}', '$${', 'wert ü', '😀'])
    const facts = { kind, text, ...(exposure && { exposure }) } as const
    stage.set(name, isTemplate ? { ...facts, sources: sourcesOf([text]) } : facts)
  }
  return stage
}

/** Reads a text one character at a time, as the description of templates says. */
function model(stage: ReadonlyMap<string, Variable>, name: string, path: readonly string[] = []): string {
  const variable = stage.get(name)
  const by = path.at(-1)
  const fail = (fault: TemplateFault): never => {
    throw new Error(`${fault} ${by} ${name}`)
  }
  if (!variable) return fail('missing')
  if (path.includes(name)) return fail('cycle')
  if (by !== undefined) {
    if (variable.kind === 'ab_roll') fail('roll')
    const rank = { secret: 0, plain: 1, client: 2 }
    if (rank[stage.get(by)?.exposure ?? 'secret'] > rank[variable.exposure ?? 'secret']) fail('exposure')
  }
  if (!variable.sources) return variable.text
  if (path.length >= 8) fail('depth')
  let result = ''
  for (let rest = variable.text; rest !== '';) {
    const [match, source] = /^\$\{(\w+)\}/.exec(rest) ?? []
    if (rest.startsWith('$${')) {
      result += '${'
      rest = rest.slice(3)
    } else if (match !== undefined && source !== undefined) {
      result += model(stage, source, [...path, name])
      rest = rest.slice(match.length)
    } else {
      result += rest[0]
      rest = rest.slice(1)
    }
  }
  return result
}

/** Returns the faults that a source of a template has in any path to it. */
function isTrueFault(
  stage: ReadonlyMap<string, Variable>,
  name: string,
  source: string,
  fault: TemplateFault,
): boolean {
  const found = stage.get(source)
  const reaches = (from: string, seen: Set<string> = new Set()): boolean =>
    from === name || (!seen.has(from) && (stage.get(from)?.sources ?? []).some((next) => reaches(next, seen.add(from))))
  const depth = (of: string): number => Math.max(0, ...(stage.get(of)?.sources ?? []).map((next) => 1 + depth(next)))
  switch (fault) {
    case 'missing':
      return !found
    case 'roll':
      return found?.kind === 'ab_roll'
    case 'cycle':
      return reaches(source)
    case 'depth':
      return depth(source) >= 8 - 1
    case 'exposure':
      return true
  }
}

/** Returns what is wrong with an order of templates whose values the model knows, or with the problem that was found instead. */
function problemsOf(
  stage: ReadonlyMap<string, Variable>,
  order: ReturnType<typeof orderTemplates>,
  outcomes: ReadonlyMap<string, string | Error>,
): string[] {
  if ('fault' in order) {
    const { name, source, fault } = order
    const isTrue = stage.get(name)?.sources?.includes(source) === true && isTrueFault(stage, name, source, fault)
    const isNamed = describeTemplateProblem(order).includes(JSON.stringify(source))
    return [...(isTrue ? [] : ['untrue']), ...(isNamed ? [] : ['unnamed'])]
  }
  const values = new Map([...stage].map(([name, { text }]) => [name, text]))
  for (const name of order) {
    const parts = parseTemplate(stage.get(name)?.text ?? '')
    if ('position' in parts) return [name]
    values.set(name, fillTemplate(parts, (source) => values.get(source) ?? '') ?? '')
  }
  const wrong = [...outcomes].filter(([name, outcome]) => !order.includes(name) || values.get(name) !== outcome)
  return wrong.map(([name]) => name)
}

test('templates are replaced as an independent model replaces them, and refused where it refuses them', () => {
  const random = new Random(43)
  const met = new Set<string>()
  for (let round = 0; round < (isLong ? 10_000 : 1_000); round++) {
    const stage = randomStage(random)
    const templates = [...stage].flatMap(([name, { sources }]) => (sources ? [name] : []))
    const order = orderTemplates(templates, (name) => stage.get(name))
    const outcomeOf = (name: string): string | Error => {
      try {
        return model(stage, name)
      } catch (error) {
        return error as Error
      }
    }
    const outcomes = new Map(templates.map((name) => [name, outcomeOf(name)]))
    const broken = [...outcomes.values()].some((outcome) => outcome instanceof Error)
    expect('fault' in order, JSON.stringify([...stage])).toBe(broken)
    met.add('fault' in order ? order.fault : 'resolved')
    expect(problemsOf(stage, order, outcomes), JSON.stringify([order, [...stage]])).toEqual([])
    if ('fault' in order) continue
    const graph = [...stage].flatMap(([name, { sources }]) => (sources ? [[name, sources] as const] : []))
    const source = random.pick(names)
    const touched = [...stage.keys()].filter((name) => {
      const reached = (from: string): boolean =>
        stage.get(from)?.sources?.some((next) => next === source || reached(next)) ?? false
      return reached(name)
    })
    expect(dependentsOf([source], graph)).toEqual(touched)
  }
  expect(met).toEqual(new Set(['missing', 'roll', 'cycle', 'depth', 'exposure', 'resolved']))
})
