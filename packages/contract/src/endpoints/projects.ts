/** Projects and their stages. */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../limits.ts'
import type { Endpoint } from './endpoint.ts'

export const projects = {
  projects: {
    method: 'POST',
    path: '/v1/projects/list',
    summary: 'List the projects of the organization and their stages',
    auth: 'caller',
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: z.object({
      projects: z.array(
        z.object({
          projectSlug: field.projectSlug,
          stages: z.array(z.object({ stageSlug: field.stageSlug, revision: field.revision })),
        }),
      ),
    }),
    errors: [],
  },
} as const satisfies Record<string, Endpoint>
