/** Projects and their stages. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import { ok, protection, stage, type Endpoint } from './endpoint.ts'

const project = { orgSlug: field.orgSlug, projectSlug: field.projectSlug }
const change = {
  name: field.displayName.optional().describe('Name for people; absent: as is'),
  archived: z.boolean().optional().describe('Archived: it can be evaluated but no longer written; absent: as is'),
}
const isProduction = z.boolean().describe('Whether the stage is marked as production')
const newStage = {
  name: field.displayName.optional().describe('Name for people; absent: the slug'),
  isProduction: isProduction
    .optional()
    .describe('Whether the stage is marked as production; absent: if its slug is prod, production or live'),
}
const distinctSlugs = 'must name a stage only once'
const managed = {
  name: field.displayName,
  createdAtMs: field.timeMs.describe('When it was created, Unix time in milliseconds'),
  archivedAtMs: field.timeMs
    .optional()
    .describe('When it was archived, Unix time in milliseconds; absent if it is not'),
}

/** A stage in the list of projects. */
const listedStage = z
  .object({
    stageSlug: field.stageSlug,
    revision: field.revision,
    ...managed,
    isProduction,
    isProtected: z
      .literal(true)
      .optional()
      .describe('The stage takes access to its values only from grants on itself; absent unless it is protected'),
    protection: protection.optional().describe('What the protected stage requires of changes; absent: nothing'),
    lacksApprovers: z
      .literal(true)
      .optional()
      .describe(
        'Too few people may approve what the caller would propose; absent: enough, or unknown because of a group whose members the identity provider reports, or the caller is a machine',
      ),
    variables: z.number().int().min(0).describe('Number of variables'),
    updatedAtMs: field.timeMs.describe('When the stage reached its revision, Unix time in milliseconds'),
  })
  .meta({ id: 'Stage', description: 'A stage of a project' })

/** A project in the list of projects. */
const listedProject = z
  .object({
    projectSlug: field.projectSlug,
    ...managed,
    variables: z
      .number()
      .int()
      .min(0)
      .describe('Number of different names of variables in the stages, without archived stages'),
    stages: z.array(listedStage).describe('In the order of the project'),
  })
  .meta({ id: 'Project', description: 'A project and its stages' })

/** The slug of what is deleted, repeated, so that no one deletes the wrong thing. */
const confirm = z.string().describe('The slug again')

export const projects = {
  /** Lists the projects of the organization with their stages. A service token sees those within its token scope. */
  projects: {
    method: 'POST',
    path: '/v1/projects/list',
    summary: 'List the projects of the organization and their stages',
    auth: 'caller',
    verb: 'list',
    at: 'any',
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        projects: z.array(listedProject).describe('Ordered by slug'),
      }),
    errors: [],
  },
  /** Creates a project, and stages in the order that is named. Fails with `INVALID_REQUEST` if the slug is taken. */
  projectCreate: {
    method: 'POST',
    path: '/v1/projects/create',
    manage: 'project.create',
    summary: 'Create a project, with or without stages',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: z.object({
      ...project,
      name: newStage.name,
      stages: z
        .array(z.object({ stageSlug: field.stageSlug, ...newStage }))
        .max(limits.newProjectStages)
        .refine((stages) => field.areDistinct(stages.map(({ stageSlug }) => stageSlug)), distinctSlugs)
        .optional()
        .describe('Stages to create with the project, in their order; absent: none'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: [],
  },
  /** Changes the display name of a project, or archives it. Its slug never changes. */
  projectUpdate: {
    method: 'POST',
    path: '/v1/projects/update',
    manage: 'project.update',
    summary: 'Rename a project, archive it or restore it from the archive',
    auth: 'caller',
    verb: 'write',
    changes: true,
    repeatable: true,
    request: z.object({ ...project, ...change }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND', 'APPROVAL_REQUIRED', 'STAGE_FROZEN'],
  },
  /** Creates a stage in an existing project. Fails with `INVALID_REQUEST` if the slug is taken. */
  stageCreate: {
    method: 'POST',
    path: '/v1/stages/create',
    manage: 'stage.create',
    summary: 'Create a stage without variables, at revision 1, as the last one of its project',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: z.object({ ...stage, ...newStage }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
  /** Changes the display name or the production mark of a stage, or archives it. Its slug never changes. */
  stageUpdate: {
    method: 'POST',
    path: '/v1/stages/update',
    manage: 'stage.update',
    summary: 'Rename a stage, mark it as production, archive it or restore it from the archive',
    auth: 'caller',
    verb: 'write',
    changes: true,
    repeatable: true,
    request: z.object({
      ...stage,
      ...change,
      isProduction: isProduction.optional().describe('Whether the stage is marked as production; absent: as is'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND', 'APPROVAL_REQUIRED', 'STAGE_FROZEN'],
  },
  /** Deletes a stage on every node, starting with the next request. Usage and audit log stay. */
  stageDelete: {
    method: 'POST',
    path: '/v1/stages/delete',
    manage: 'stage.delete',
    summary: 'Delete a stage with its variables, its history and the service tokens that are limited to it',
    auth: 'person',
    verb: 'manage',
    at: 'parent',
    confirmation: true,
    request: z
      .object({ ...stage, confirm })
      .refine((input) => input.confirm === input.stageSlug, { message: 'must repeat stageSlug', path: ['confirm'] }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
  /** Deletes a project on every node, starting with the next request. Usage and audit log stay. */
  projectDelete: {
    method: 'POST',
    path: '/v1/projects/delete',
    manage: 'project.delete',
    summary: 'Delete a project with its stages, its data keys and the service tokens that are limited to it',
    auth: 'person',
    verb: 'manage',
    at: 'parent',
    confirmation: true,
    request: z.object({ ...project, confirm }).refine((input) => input.confirm === input.projectSlug, {
      message: 'must repeat projectSlug',
      path: ['confirm'],
    }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
  /** Changes the order of the stages of a project. Fails with `INVALID_REQUEST` unless each stage is named once. */
  stageOrder: {
    method: 'POST',
    path: '/v1/stages/order',
    manage: 'project.orderStages',
    summary: 'Set the order of the stages of a project',
    auth: 'caller',
    verb: 'write',
    changes: true,
    repeatable: true,
    request: z.object({
      ...project,
      stageSlugs: z
        .array(field.stageSlug)
        .max(limits.orderedStages)
        .refine(field.areDistinct, distinctSlugs)
        .describe('All stages of the project, also the archived ones, in their new order'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>
