/** What a project expects of its variables (docs/declarations.md). */
import { z } from 'zod'
import * as field from '../fields.ts'
import { constraintFormats } from '../rules/constraints.ts'
import { declarationProblems, problemOfDeclaration, type DeclarationsDocument } from '../rules/declarations.ts'
import { isRecord } from '../rules/is-record.ts'
import { limits } from '../rules/limits.ts'
import { stage, type Endpoint } from './endpoint.ts'

const project = { orgSlug: field.orgSlug, projectSlug: field.projectSlug }

const length = z.number().int().min(0).max(limits.valueBytes)

const constraint = z
  .object({
    pattern: z
      .string()
      .optional()
      .describe(
        'Regular expression without backreferences and lookaround that a part of the value matches; absent: any',
      ),
    minLength: length.optional().describe('Minimum length of the value, in characters; absent: 0'),
    maxLength: length.optional().describe('Maximum length of the value, in characters; absent: that of every value'),
    minimum: z.number().optional().describe('Least number; absent: none'),
    maximum: z.number().optional().describe('Greatest number; absent: none'),
    enum: z
      .array(field.constraintValue)
      .min(1)
      .max(limits.enumValues)
      .refine(field.areDistinct, 'must name a value only once')
      .optional()
      .describe('The only values, which are not secret; absent: all'),
    format: z.enum(constraintFormats).optional().describe('Form of the text; absent: any'),
  })
  .meta({ id: 'Constraint', description: 'What each value of a variable must be' })

/**
 * The schema of the fields of a declaration, which does not compare them with each other: a pattern takes time.
 *
 * @example
 * declarationFields.parse({ name: 'PORT', constraint: { format: 'port' }, required: 'all' })
 */
export const declarationFields = z
  .object({
    name: field.name,
    declaredType: field.declaredType.optional().describe('Type that each value must parse as; absent: any text'),
    description: field.description.optional().describe(`${field.description.description}; absent: not said`),
    exposure: field.exposure.optional().describe('The most that it may be exposed; absent: not said'),
    constraint: constraint.optional().describe('What each value must be; absent: anything'),
    required: field.required.optional().describe(`${field.required.description}; absent: nowhere`),
    owner: field.owner.optional().describe(`${field.owner.description}; absent: not said`),
    rotateEveryDays: z
      .number()
      .int()
      .min(1)
      .max(limits.rotationDays)
      .optional()
      .describe('How often it should get another value, in days; absent: not said'),
    example: field.example.optional().describe(`${field.example.description}; absent: none`),
  })
  .meta({ id: 'Declaration', description: 'What a project expects of the variables of one name' })

/**
 * The schema of a declaration.
 *
 * @example
 * declarationSchema.parse({ name: 'PORT', constraint: { format: 'port' }, required: 'all' })
 */
export const declarationSchema = declarationFields.superRefine((given, refinement) => {
  const problem = problemOfDeclaration(given)
  if (problem) refinement.addIssue({ code: 'custom', path: [...problem.path], message: problem.message })
})

const listed = declarationFields
  .extend({
    updatedAtMs: field.timeMs.describe('When it was set, Unix time in milliseconds'),
    updatedBy: field.author.describe('Who set it: id of the user, the service token or the trust'),
  })
  .meta({ id: 'ListedDeclaration', description: 'A declaration, and who set it' })

const document = z
  .custom<DeclarationsDocument>(isRecord, 'must be an object')
  .describe('JSON Schema (draft 2020-12) with the variables as properties, and in x-rollkey what it has no keyword for')
  .meta({ id: 'DeclarationsDocument', type: 'object', additionalProperties: {} })

const written = z
  .object({
    created: z.array(z.string()).describe('Names that were not declared before'),
    updated: z.array(z.string()).describe('Names whose declarations changed'),
    deleted: z.array(z.string()).describe('Names that are no longer declared'),
  })
  .meta({ id: 'DeclarationChanges', description: 'Names of declarations that changed' })

export const declarations = {
  /** Lists what the project expects. Anyone who may list any stage of the project sees it. */
  declarationList: {
    method: 'POST',
    path: '/v1/declarations/list',
    manage: 'declarations.list',
    summary: 'List what a project expects of its variables',
    auth: 'caller',
    verb: 'list',
    request: z.object(project),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ declarations: z.array(listed).describe('Ordered by name') }),
    errors: ['NOT_FOUND'],
  },
  /** Declares variables, or replaces their declarations. No stored value changes: what contradicts is a problem of its stage. */
  declarationSet: {
    method: 'POST',
    path: '/v1/declarations/set',
    manage: 'declarations.set',
    summary: 'Declare variables of a project, or replace their declarations',
    auth: 'caller',
    verb: 'write',
    changes: true,
    repeatable: true,
    request: z.object({
      ...project,
      declarations: z
        .array(declarationFields)
        .min(1)
        .max(limits.entries)
        .refine((given) => field.areDistinct(given.map(({ name }) => name)), 'must name a variable only once')
        .describe('Declarations, each as a whole'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => written,
    errors: ['NOT_FOUND'],
  },
  /** Deletes declarations. The variables stay. */
  declarationDelete: {
    method: 'POST',
    path: '/v1/declarations/delete',
    manage: 'declarations.delete',
    summary: 'Delete declarations of a project, and none of its variables',
    auth: 'caller',
    verb: 'write',
    changes: true,
    repeatable: true,
    request: z.object({ ...project, names: field.names(limits.entries) }),
    bodyBytes: limits.bodyBytes,
    response: () => written,
    errors: ['NOT_FOUND'],
  },
  /** Returns the declarations as one JSON Schema document, for a file that people keep in git. */
  declarationDocument: {
    method: 'POST',
    path: '/v1/declarations/document',
    manage: 'declarations.document',
    summary: 'Return the declarations of a project as a JSON Schema',
    auth: 'caller',
    verb: 'list',
    request: z.object(project),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ document }),
    errors: ['NOT_FOUND'],
  },
  /** Replaces all declarations of a project by those of a document, all or nothing. Those that it does not have are deleted. */
  declarationReplace: {
    method: 'POST',
    path: '/v1/declarations/replace',
    manage: 'declarations.replace',
    summary: 'Replace all declarations of a project by a JSON Schema',
    auth: 'caller',
    verb: 'write',
    changes: true,
    repeatable: true,
    request: z.object({ ...project, document }),
    bodyBytes: limits.writeBodyBytes,
    response: () => written,
    errors: ['NOT_FOUND'],
  },
  /**
   * Compares a stage with what its project expects, or with a document. Values are compared only for a caller who may read them without a confirmation, and
   * none is in the answer.
   */
  declarationCheck: {
    method: 'POST',
    path: '/v1/declarations/check',
    manage: 'declarations.check',
    summary: 'Compare a stage with what its project expects',
    auth: 'caller',
    verb: 'list',
    expensive: true,
    request: z.object({
      ...stage,
      document: document.optional().describe('Declarations to compare with; absent: those of the project'),
    }),
    bodyBytes: limits.writeBodyBytes,
    response: () =>
      z.object({
        problems: z
          .array(
            z
              .object({
                name: field.name,
                problem: z
                  .enum(declarationProblems)
                  .describe(
                    'missing: it is required; type, malformed and exposure: it is not as declared; overdue: it should have got another value; undeclared: it is not declared',
                  ),
                expected: z.string().describe('What is expected, to follow the name in a sentence'),
                dueAtMs: field.timeMs
                  .optional()
                  .describe('When it should have got another value, Unix time in milliseconds; absent unless overdue'),
                owner: z
                  .string()
                  .optional()
                  .describe('Person or group that is responsible; absent unless overdue, and if no one is named'),
              })
              .meta({ id: 'DeclarationProblem', description: 'A way in which a stage contradicts the declarations' }),
          )
          .describe('Ordered by name'),
        valuesChecked: z
          .boolean()
          .describe(
            'Whether values were compared too; false: the caller may not read them, or only after a confirmation',
          ),
        declared: z.number().int().min(0).describe('Number of declarations that the stage was compared with'),
        revision: field.revision,
      }),
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>

/** What a project expects of the variables of one name, and who said so. */
export type ListedDeclaration = z.output<typeof listed>
