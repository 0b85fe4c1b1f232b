/** Handlers of what projects expect of their variables. */
import { documentOfDeclarations, type Declaration } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import { isLargeStage } from '../../stages/stages.ts'
import { noProject } from '../../stages/projects.ts'
import { undefinedIfCannotOpen } from '../../variables/opening.ts'
import { openValues } from '../../variables/values.ts'
import type { Permissions } from '../../access/permissions.ts'
import type { Handlers } from '../handler.ts'
import { jsonPieces } from '../json-pieces.ts'
import { JsonText } from '../reply.ts'
import { stageRefOf } from '../stage-ref.ts'

/** How many declarations are set without a turn: their patterns take time. */
const maxLightDeclarations = 100

export const declarationHandlers = {
  declarationList: async ({ declarations }, { caller, permissions, body: { projectSlug } }) => {
    assertVisible(permissions, projectSlug)
    const listed = await declarations.list(caller.orgId, projectSlug)
    return new JsonText('{"declarations":[', await jsonPieces(listed), ']')
  },
  declarationSet: async ({ declarations }, context) => {
    const { actor, body } = context
    if (body.declarations.length > maxLightDeclarations) await context.takeTurn()
    return declarations.set(actor, body.projectSlug, body.declarations)
  },
  declarationDelete: ({ declarations }, { actor, body }) => declarations.delete(actor, body.projectSlug, body.names),
  declarationDocument: async ({ declarations }, { caller, permissions, body: { projectSlug } }) => {
    assertVisible(permissions, projectSlug)
    return documentText(await declarations.list(caller.orgId, projectSlug))
  },
  declarationReplace: async ({ declarations }, context) => {
    await context.takeTurn()
    const { actor, body } = context
    return declarations.replace(actor, body.projectSlug, body.document)
  },
  declarationCheck: async ({ authentication, declarations, stages }, context) => {
    const { body, permissions, caller, reads } = context
    const stage = await stages.find(stageRefOf(context, body), reads)
    if (stage.revision === 0)
      throw new ApiError('NOT_FOUND', 'There is no such stage: list the projects to see the stages that you may list.')
    if (isLargeStage(stage) || body.document) await context.takeTurn()
    const needsConfirmation = permissions.policy.isProtected(body) && !caller.session?.scope
    const valuesChecked =
      permissions.allows('read', body) && (!needsConfirmation || authentication.isConfirmedRead(caller))
    const valuesOf = (variable: Parameters<typeof openValues>[1]): string[] | undefined =>
      valuesChecked ? undefinedIfCannotOpen(() => openValues(stage.sealer, variable).map(String)) : undefined
    const { problems, declared } = await declarations.check(stage, body.stageSlug, body.document, valuesOf)
    return { problems, valuesChecked, declared, revision: stage.revision }
  },
} satisfies Partial<Handlers>

/** Returns the answer with the declarations as one document. */
async function documentText(declarations: readonly Declaration[]): Promise<JsonText> {
  const { properties: _, required: __, ...head } = documentOfDeclarations([])
  const properties = await jsonPieces(declarations, (some) => documentOfDeclarations(some).properties ?? {})
  const required = declarations.filter((each) => each.required === 'all').map(({ name }) => name)
  return new JsonText(
    `{"document":${JSON.stringify(head).slice(0, -1)},"properties":{`,
    properties,
    `},"required":${JSON.stringify(required)}}`,
  )
}

/** Throws NOT_FOUND for a project that does not exist for the caller. */
function assertVisible(permissions: Permissions, projectSlug: string): void {
  if (!permissions.isVisible({ projectSlug })) throw noProject(projectSlug)
}
