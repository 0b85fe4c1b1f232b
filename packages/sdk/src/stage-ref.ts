/** Slugs as the wire names them, and what to say where there is nothing. */
import type { Connection } from './connection.ts'
import { RollkeyError } from './errors.ts'
import { nearest } from './nearest.ts'
import type { StageRef } from './types.ts'

export interface WirePlace {
  readonly orgSlug: string
  readonly projectSlug: string
  readonly stageSlug: string
}

export function onWire({ org, project, stage }: StageRef): WirePlace {
  return { orgSlug: org, projectSlug: project, stageSlug: stage }
}

/** The answer, unless it is of a stage that does not exist. Throws STAGE_NOT_FOUND. */
export async function existing<Answer extends { readonly revision: number }>(
  connection: Connection,
  place: StageRef,
  answer: Promise<Answer>,
): Promise<Answer> {
  const { revision } = await answer
  if (revision === 0) throw await stageNotFound(connection, place)
  return answer
}

async function stageNotFound(connection: Connection, { org, project, stage }: StageRef): Promise<RollkeyError> {
  // The suggestions are a courtesy: the error stands without them.
  const { projects } = await connection.call('projects', { orgSlug: org }).catch(() => ({ projects: [] }))
  const own = projects.find(({ projectSlug }) => projectSlug === project)
  const message = own
    ? missing(
        `project ${JSON.stringify(project)}`,
        'stage',
        stage,
        own.stages.map(({ stageSlug }) => stageSlug),
      )
    : missing(
        `organization ${JSON.stringify(org)}`,
        'project',
        project,
        projects.map(({ projectSlug }) => projectSlug),
      )
  return new RollkeyError('STAGE_NOT_FOUND', message)
}

/** Names those that are like it, else the few that there are. */
function missing(where: string, what: string, slug: string, among: readonly string[]): string {
  const like = nearest(slug, among)
  const isShort = among.length > 0 && among.length <= 10
  const hint = like.length > 0 ? ` Did you mean ${quoted(like)}?` : isShort ? ` It has ${quoted(among)}.` : ''
  return `The ${where} has no ${what} ${JSON.stringify(slug)}.${hint}`
}

function quoted(slugs: readonly string[]): string {
  return slugs.map((slug) => JSON.stringify(slug)).join(', ')
}
