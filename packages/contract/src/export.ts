/** An organization's variables as one JSON document, from one installation to another or to something else: docs/export.md. */
import { z } from 'zod'
import * as field from './fields.ts'
import { writeEntry } from './variables.ts'

const archived = z.boolean().describe('Archived: not written any more, and evaluated as before')

const exportedStage = z.object({
  slug: field.stageSlug,
  name: field.displayName,
  archived,
  revision: field.revision.describe('Revision of the stage that the variables are of'),
  variables: z
    .array(writeEntry)
    .refine((variables) => field.areDistinct(variables.map(({ name }) => name)), 'must name a variable only once')
    .describe('As POST /v1/env/write takes them'),
})

const exportedProject = z.object({
  slug: field.projectSlug,
  name: field.displayName,
  archived,
  stages: z
    .array(exportedStage)
    .refine((stages) => field.areDistinct(stages.map(({ slug }) => slug)), 'must name a stage only once'),
})

export const exportFormat = z.object({
  format: z.literal('rollkey-export'),
  version: z.literal(1),
  exportedAt: z.iso.datetime().describe('RFC 3339, UTC'),
  organization: z.object({ slug: field.orgSlug, name: z.string().describe('Name for people') }),
  projects: z
    .array(exportedProject)
    .refine((projects) => field.areDistinct(projects.map(({ slug }) => slug)), 'must name a project only once'),
})

export type Export = z.output<typeof exportFormat>
