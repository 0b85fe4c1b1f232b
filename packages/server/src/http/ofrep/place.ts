/** The stage that a path names, or the only one of a credential. */
import type { Caller } from '../../auth/authenticate.ts'
import { ApiError } from '../../base/api-error.ts'
import type { RequestContext } from '../request-context.ts'
import type { Step } from '../steps/step.ts'

interface StagePlace {
  readonly orgSlug: string
  readonly projectSlug: string
  readonly stageSlug: string
}

const slug = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}'

/**
 * Returns the pattern of a path that may begin with the path of a stage. It may have a slash too many before it, because providers append
 * their path to a base URL that ends with one.
 */
export function belowStage(path: string): RegExp {
  return new RegExp(`^(?:/projects/(?<projectSlug>${slug})/stages/(?<stageSlug>${slug}))?/?${path}$`)
}

/** Returns the stage of the request. Throws INVALID_REQUEST. */
export function placeOf(context: Pick<RequestContext, 'params' | 'caller'>): StagePlace {
  const { orgSlug, session } = context.caller as Caller
  const { projectSlug, stageSlug } =
    context.params['projectSlug'] === undefined ? (session?.scope ?? {}) : context.params
  if (projectSlug !== undefined && stageSlug !== undefined) return { orgSlug, projectSlug, stageSlug }
  throw new ApiError(
    'INVALID_REQUEST',
    'The credential is not limited to one stage: put /projects/PROJECT/stages/STAGE before the path, which is the base URL of a provider.',
  )
}

/** Takes the stage of a request that has no body. */
export const takePlace: Step = (context) => {
  context.body = placeOf(context) as never
}
