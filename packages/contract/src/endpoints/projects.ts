/** Projects and their stages. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import { ok, stage, type Endpoint } from './endpoint.ts'

const project = { orgSlug: field.orgSlug, projectSlug: field.projectSlug }
const change = {
  name: field.displayName.optional().describe('Name for people; absent: as is'),
  archived: z.boolean().optional().describe('Archived: it can be evaluated but no longer written; absent: as is'),
}
const managed = {
  name: field.displayName,
  createdAtMs: field.timeMs.describe('When it was created, Unix time in milliseconds'),
  archivedAtMs: field.timeMs
    .optional()
    .describe('When it was archived, Unix time in milliseconds; absent if it is not'),
}

export const projects = {
  /** Lists the projects of the organization with their stages. A service token sees those within its token scope. */
  projects: {
    method: 'POST',
    path: '/v1/projects/list',
    summary: 'List the projects of the organization and their stages',
    auth: 'caller',
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: z.object({
      projects: z
        .array(
          z.object({
            projectSlug: field.projectSlug,
            ...managed,
            stages: z
              .array(
                z.object({
                  stageSlug: field.stageSlug,
                  revision: field.revision,
                  ...managed,
                  variables: z.number().int().min(0).describe('Number of variables'),
                  updatedAtMs: field.timeMs.describe('When the stage reached its revision, Unix time in milliseconds'),
                }),
              )
              .describe('Ordered by slug'),
          }),
        )
        .describe('Ordered by slug'),
    }),
    errors: [],
  },
  /** Creates a project. Fails with `INVALID_REQUEST` if the slug is taken. */
  projectCreate: {
    method: 'POST',
    path: '/v1/projects/create',
    summary: 'Create a project without stages',
    auth: 'caller',
    changes: true,
    request: z.object({ ...project, name: field.displayName.optional().describe('Name for people; absent: the slug') }),
    bodyBytes: limits.bodyBytes,
    response: ok,
    errors: [],
  },
  /** Changes the display name of a project, or archives it. Its slug never changes. */
  projectUpdate: {
    method: 'POST',
    path: '/v1/projects/update',
    summary: 'Rename a project, archive it or restore it from the archive',
    auth: 'caller',
    changes: true,
    request: z.object({ ...project, ...change }),
    bodyBytes: limits.bodyBytes,
    response: ok,
    errors: ['NOT_FOUND'],
  },
  /** Creates a stage in an existing project. Fails with `INVALID_REQUEST` if the slug is taken. */
  stageCreate: {
    method: 'POST',
    path: '/v1/stages/create',
    summary: 'Create a stage without variables, at revision 1',
    auth: 'caller',
    changes: true,
    request: z.object({ ...stage, name: field.displayName.optional().describe('Name for people; absent: the slug') }),
    bodyBytes: limits.bodyBytes,
    response: ok,
    errors: ['NOT_FOUND'],
  },
  /** Changes the display name of a stage, or archives it. Its slug never changes. */
  stageUpdate: {
    method: 'POST',
    path: '/v1/stages/update',
    summary: 'Rename a stage, archive it or restore it from the archive',
    auth: 'caller',
    changes: true,
    request: z.object({ ...stage, ...change }),
    bodyBytes: limits.bodyBytes,
    response: ok,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>
