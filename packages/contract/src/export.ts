/** All variables of an organization as one JSON document, for another installation or another tool (docs/export.md). */
import { z } from 'zod'
import { declarationSchema } from './endpoints/declarations.ts'
import * as field from './fields.ts'
import { revealedEntry } from './variables.ts'

const archived = z.boolean().describe('Archived: it can be evaluated but no longer written')

const exportedStage = z.object({
  slug: field.stageSlug,
  name: field.displayName,
  archived,
  isProduction: z
    .boolean()
    .optional()
    .describe('Whether the stage is marked as production; absent: if its slug is prod, production or live'),
  revision: field.revision.describe('Revision of the stage at the time of the export'),
  variables: z
    .array(revealedEntry)
    .refine((variables) => field.areDistinct(variables.map(({ name }) => name)), 'must name a variable only once')
    .describe('Variables with their values; one without the text of a template has the form of POST /v1/env/write'),
})

const exportedProject = z.object({
  slug: field.projectSlug,
  name: field.displayName,
  archived,
  stages: z
    .array(exportedStage)
    .refine((stages) => field.areDistinct(stages.map(({ slug }) => slug)), 'must name a stage only once')
    .describe('Stages of the project'),
  declarations: z
    .array(declarationSchema)
    .refine((given) => field.areDistinct(given.map(({ name }) => name)), 'must name a variable only once')
    .optional()
    .describe('What the project expects of its variables, in the form of POST /v1/declarations/set; absent: nothing'),
})

/** The format of an export. */
export const exportFormat = z.object({
  format: z.literal('rollkey-export').describe('What the document is'),
  version: z.literal(1).describe('Version of this format'),
  exportedAt: z.iso.datetime().describe('When the export was made: RFC 3339, UTC'),
  organization: z
    .object({ slug: field.orgSlug.describe('Slug of the organization'), name: z.string().describe('Name for people') })
    .describe('The organization'),
  projects: z
    .array(exportedProject)
    .refine((projects) => field.areDistinct(projects.map(({ slug }) => slug)), 'must name a project only once')
    .describe('Projects'),
})

/** An exported organization. */
export type Export = z.output<typeof exportFormat>
