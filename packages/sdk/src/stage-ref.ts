/** Converts stage references to fields of the wire, and builds the error for a stage that does not exist. */
import type { Connection } from './connection.ts'
import { RollkeyError } from './errors.ts'
import { nearest } from './nearest.ts'
import type { StageRef } from './types.ts'
import type { Request } from './wire.ts'

/** The fields of a request that name a stage. The client adds them. */
export type WireStageRef = Request<'list'>

export function onWire({ org, project, stage }: StageRef): WireStageRef {
  return { orgSlug: org, projectSlug: project, stageSlug: stage }
}

/** Returns the answer. Throws STAGE_NOT_FOUND if its stage does not exist. */
export async function expectExisting<Answer extends { readonly revision: number }>(
  connection: Connection,
  stageRef: StageRef,
  answer: Promise<Answer>,
): Promise<Answer> {
  const { revision } = await answer
  if (revision === 0) throw await stageNotFound(connection, stageRef)
  return answer
}

/** Returns STAGE_NOT_FOUND, with suggestions if the service answers. */
export async function stageNotFound(connection: Connection, { org, project, stage }: StageRef): Promise<RollkeyError> {
  // Suggestions are optional: without them the error is still correct.
  const { projects } = await connection.call('projects', { orgSlug: org }).catch(() => ({ projects: [] }))
  const existingProject = projects.find(({ projectSlug }) => projectSlug === project)
  const message = existingProject
    ? missingMessage(
        `project ${JSON.stringify(project)}`,
        'stage',
        stage,
        existingProject.stages.map(({ stageSlug }) => stageSlug),
      )
    : missingMessage(
        `organization ${JSON.stringify(org)}`,
        'project',
        project,
        projects.map(({ projectSlug }) => projectSlug),
      )
  return new RollkeyError('STAGE_NOT_FOUND', message)
}

/** Builds the message of the error. It suggests similar slugs, or lists all of them if there are at most 10. */
function missingMessage(where: string, what: string, slug: string, among: readonly string[]): string {
  const similar = nearest(slug, among)
  const isShort = among.length > 0 && among.length <= 10
  const hint = similar.length > 0 ? ` Did you mean ${quoted(similar)}?` : isShort ? ` It has ${quoted(among)}.` : ''
  return `The ${where} has no ${what} ${JSON.stringify(slug)}.${hint}`
}

/** Returns slugs or names for an error, each in quotes. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(', ')
}
