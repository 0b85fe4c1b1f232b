import {
  declarationsOfDocument,
  differenceOfDeclarations,
  documentOfDeclarations,
  plainDeclaration,
  problemOfRequired,
  problemsOfStage,
  type Declaration,
} from '@rollkey/contract/rules'
import { declarationSchema } from '@rollkey/contract'
import { expect, test } from 'vitest'

const every: Declaration[] = [
  { name: 'DEBUG', declaredType: 'boolean', required: ['dev', 'qa'], example: 'true' },
  {
    name: 'KEY',
    constraint: { format: 'pem' },
    exposure: 'secret',
    owner: 'Payments',
    rotateEveryDays: 90,
    required: 'production',
  },
  { name: 'LEVEL', declaredType: 'string', constraint: { enum: ['info', 'debug'] }, description: 'How much is logged' },
  {
    name: 'PORT',
    declaredType: 'int64',
    constraint: { minimum: 1, maximum: 65_535, enum: ['80', '8080'] },
    required: 'all',
    example: '8080',
  },
  { name: 'RULES', declaredType: 'json', constraint: { pattern: '^\\{', minLength: 2, maxLength: 9 } },
  { name: 'SINCE', declaredType: 'date' },
  { name: 'UNSAID' },
]

test('declarations become a JSON Schema and come back', () => {
  const document = documentOfDeclarations(every)
  expect(document).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['PORT'],
    properties: {
      DEBUG: { type: 'boolean', examples: [true], 'x-rollkey': { required: ['dev', 'qa'] } },
      PORT: { type: 'integer', minimum: 1, enum: [80, 8080], examples: [8080] },
      RULES: { pattern: '^\\{', 'x-rollkey': { declaredType: 'json' } },
    },
  })
  const read = declarationsOfDocument(JSON.parse(JSON.stringify(document)))
  const declarations =
    'declarations' in read ? read.declarations.map((each) => plainDeclaration(declarationSchema.parse(each))) : read
  expect(declarations).toEqual(every.map(plainDeclaration))
  expect(differenceOfDeclarations(every, declarations as Declaration[])).toEqual({
    added: [],
    changed: [],
    removed: [],
  })
})

test.each([
  [[], 'the document must be a JSON Schema: an object with "properties"'],
  [{ allOf: [] }, 'the keyword "allOf" of the document is not supported'],
  [{ properties: [] }, '"properties" must be an object with the variables by name'],
  [{ required: 'A' }, '"required" must be a list of names'],
  [{ required: ['A'] }, '"required" names "A", which "properties" does not have'],
  [{ properties: { A: true } }, 'the property "A" must be an object'],
  [
    { properties: { A: { type: 'array' } } },
    'the property "A" must have as "type" one of string, boolean, integer and number',
  ],
  [{ properties: { A: { const: 1 } } }, 'the property "A" has "const", which is not supported'],
  [{ properties: { A: { 'x-rollkey': { rotate: 1 } } } }, 'the property "A" has "rotate", which is not supported'],
  [{ properties: { A: { 'x-rollkey': [] } } }, 'the property "A" must have an object as "x-rollkey"'],
  [{ properties: { A: { examples: 1 } } }, 'the property "A" must have a list as "examples"'],
  [
    { properties: { A: { 'x-rollkey': { required: 'all' } } }, required: ['A'] },
    'the property "A" is required by the document and by "x-rollkey": keep one of them',
  ],
])('%j is not a document', (document, problem) => {
  expect(declarationsOfDocument(document)).toEqual({ problem })
})

test.each([
  [{ name: 'A', example: 'x', constraint: { format: 'port' } }, 'must be a port from 1 to 65535 (format port)'],
  [{ name: 'A', example: 'x', declaredType: 'int64' }, 'must be a whole number (int64)'],
  [{ name: 'A', required: true }, 'must be "all", "production" or a list of slugs of stages'],
  [{ name: 'A', required: ['dev', 'dev'] }, 'must name a stage only once'],
  [{ name: 'A', constraint: { pattern: '\\b' } }, 'has the escape \\b, which is not supported'],
])('%j is not a declaration', (declaration, message) => {
  expect(declarationSchema.safeParse(declaration).error?.issues.map((issue) => issue.message)).toEqual([message])
})

test('the problems of a stage are found without values, and with them the malformed ones', () => {
  const declarations: Declaration[] = [
    { name: 'EXPOSED', exposure: 'secret' },
    { name: 'FINE', declaredType: 'int64', constraint: { minimum: 1 }, exposure: 'plain' },
    { name: 'IN_PROD', required: 'production' },
    { name: 'IN_QA', required: ['qa'] },
    { name: 'MALFORMED', constraint: { format: 'port' } },
    { name: 'TYPED', declaredType: 'int64' },
    { name: 'UNTYPED', declaredType: 'int64' },
    { name: 'OPTIONAL' },
  ]
  const variables = [
    { name: 'EXPOSED', exposure: 'plain' },
    { name: 'FINE', exposure: 'plain', declaredType: 'int64' },
    { name: 'MALFORMED' },
    { name: 'MORE' },
    { name: 'TYPED', declaredType: 'float' },
    { name: 'UNTYPED' },
  ] as const
  const values: Record<string, string[]> = {
    FINE: ['1', '2'],
    MALFORMED: ['80', 'x'],
    TYPED: ['1'],
    UNTYPED: ['x'],
    EXPOSED: [''],
  }
  const found = (stageSlug: string, isProduction: boolean, valuesOf?: (of: { name: string }) => string[] | undefined) =>
    problemsOfStage(declarations, { stageSlug, isProduction }, variables, valuesOf).map(
      ({ name, problem }) => `${name} ${problem}`,
    )
  const always = ['EXPOSED exposure', 'MORE undeclared', 'TYPED type']
  expect(found('dev', false)).toEqual(always)
  expect(found('live', true)).toEqual([...always, 'IN_PROD missing'].toSorted())
  expect(found('qa', false)).toEqual([...always, 'IN_QA missing'].toSorted())
  const withValues = found('dev', false, ({ name }) => values[name])
  expect(withValues).toEqual([...always, 'MALFORMED malformed', 'UNTYPED malformed'].toSorted())
})

test('a variable is overdue from the millisecond on at which it should have another value', () => {
  const [stage, dayMs] = [{ stageSlug: 'dev', isProduction: false }, 86_400_000]
  const found = (rotateEveryDays: number | undefined, valueAtMs: number | undefined, nowMs?: number) =>
    problemsOfStage([{ name: 'A', rotateEveryDays }], stage, [{ name: 'A', valueAtMs }], () => undefined, nowMs)
  const late = { name: 'A', problem: 'overdue', dueAtMs: dayMs }
  const expected = 'must get another value every day, and has had this one since 1970-01-01'
  expect(found(1, 0, dayMs)).toEqual([{ ...late, expected }])
  expect(found(2, 0, 3 * dayMs)).toMatchObject([{ expected: expect.stringContaining('every 2 days') }])
  expect([found(1, 0, dayMs - 1), found(1, 0), found(1, undefined, dayMs), found(undefined, 0, dayMs)].flat()).toEqual(
    [],
  )
})

test('where a variable is required is said in one of three ways', () => {
  expect(['all', 'production', ['dev'], []].map(problemOfRequired)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  const tooMany = Array.from({ length: 101 }, (_, index) => `s${index}`)
  expect([['-'], 'dev', null, tooMany].map((each) => problemOfRequired(each)?.message)).toEqual([
    'must be "all", "production" or a list of slugs of stages',
    'must be "all", "production" or a list of slugs of stages',
    'must be "all", "production" or a list of slugs of stages',
    'must name at most 100 stages',
  ])
})
